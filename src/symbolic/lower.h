// From the graph to IR. One Lowerer writes one function; what a gradient or a lane program needs of its surroundings becomes an
// argument of the function that is made for it.
#pragma once
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ir/function.h"
#include "symbolic/node.h"

namespace weft::symbolic {

/// One output of a node, without ownership: the graph outlives its lowering.
struct Ref {
  const Node* node;
  size_t output;
  Ref(const Node* n, size_t i) : node(n), output(i) {}
  Ref(const Expr& e) : node(e.node().get()), output(e.output()) {}
  bool operator==(const Ref&) const = default;
};
struct RefHash {
  size_t operator()(const Ref& r) const { return std::hash<const void*>()(r.node) * 31 + r.output; }
};
template <class T>
using RefMap = std::unordered_map<Ref, T, RefHash>;

/// What one compilation knows of the whole graph.
struct Graph {
  Module& module;
  std::string entry;
  /// Gradients of one loss are taken together.
  RefMap<std::vector<const Node*>> gradients_of;

  /// Visits all that the roots reach.
  Graph(Module& module, std::string entry, std::span<const Expr> roots);
};

class Lowerer {
 public:
  /// The value in the function's body of an expression that is not computed in it: an argument, or a UserError.
  using Outer = std::function<Value(const Ref&)>;
  /// Whether a node is computed in the function's body.
  using Inside = std::function<bool(const Node&)>;

  Lowerer(Graph& graph, Function& function, Inside inside, Outer outer);

  /// Makes `e` stand for a value of the function's body.
  void bind(const Ref& e, Value v) { bound_[e] = v; }
  /// Adds `v` to the value that the graph computes for `e`: where the derivative by an intermediate is taken.
  void perturb(const Ref& e, Value v) { perturbed_[e] = v; }
  /// The value of `e` in the function's body. Iterative along the graph, recursive in the nesting of regions and functions only.
  Value lower(const Expr& e) { return lower(e, 0); }
  /// Ends the function's body with these results.
  void close(std::span<const Expr> results);

 private:
  /// A region that is being written. Nodes that depend on its arguments, or that its branch owns, are written there.
  struct Level {
    OpBuilder builder;
    size_t parent;
    const Body* body;
    RefMap<Value> memo;
  };
  /// A function made for nodes, which waits for its arguments.
  struct Call {
    std::string callee;
    std::vector<Expr> args;
    std::vector<bool> is_zero;  // per argument: pass zeros of its type
    std::vector<Type> results;
    size_t num_lanes = 0;  // pfor without elements: argument 0 is 0 … n-1, before `args`
    bool is_iota_first = false;
    bool is_loss_first = false;  // result 0 is the loss
    std::vector<const Node*> gradients;
    RefMap<size_t> gradient_by;  // wrt → result
    static constexpr size_t kZero = SIZE_MAX;
    std::vector<size_t> picks;  // derivatives: which result each output of the node is, or zeros; none: all zeros
  };
  /// Outputs as a function of what they are differentiated by, where that is reached, then of what else they use.
  struct Differentiated {
    std::string name;
    std::vector<Expr> wrt;       // the first arguments, those that are reached
    RefMap<size_t> position;     // of each
    std::vector<Expr> captured;  // the other arguments
    std::vector<bool> is_zero;   // of wrt: the argument is added to an intermediate value
    bool is_exact = true;        // the outputs are those of the graph, whatever comes for intermediate values
  };

  Value lower(const Expr& e, size_t level);
  Value find(const Ref& r) const;
  Value operand(const Expr& e, size_t level);
  size_t level_of(const Node& n) const;
  std::vector<Expr> dependencies(const Node& n, size_t level);
  void emit(const Node& n, size_t level);
  void emit_gradients(const Node& n, size_t level);
  void emit_derivative(const Node& n, size_t level);
  std::vector<Value> emit_call(const Call& call, size_t level, const Loc& loc);
  RegionId write_region(const Body& body, size_t level, const Loc& loc);
  void set(const Node& n, size_t level, std::span<const Value> values);
  Call make_call(const Node& n, size_t level);
  Call make_pfor(const Node& n);
  Call make_rule(const Node& n);
  Call make_gradient(const Node& n, size_t level);
  Call make_derivative(const Node& n);
  Differentiated differentiated(std::span<const Expr> outputs, std::span<const Expr> wrt, const Loc& loc);
  /// A function of a body's arguments, then of what else its results use, which goes to `captured`; null: it may use nothing else.
  std::string body_function(const Body& body, const std::string& name, const Loc& loc, std::vector<Expr>* captured);

  Graph& graph_;
  Function& function_;
  Inside inside_;
  Outer outer_;
  std::vector<std::unique_ptr<Level>> levels_;
  RefMap<Value> bound_, perturbed_;
  std::unordered_map<const Node*, std::shared_ptr<Call>> calls_;
};

/// The module with only what the entry reaches, the entry first.
std::shared_ptr<Module> reachable(const Module& module, const std::string& entry);

}  // namespace weft::symbolic
