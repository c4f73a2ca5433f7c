// Nodes of the lazy graph: what an Expr points at. Immutable once made, shared between functions and threads.
#pragma once
#include <functional>
#include <memory>
#include <shared_mutex>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ops/builder.h"
#include "symbolic/residence.h"
#include "weft/symbolic.h"

namespace weft::symbolic {

enum class NodeKind : uint8_t {
  kPlaceholder,
  kVariable,
  kRegionArg,
  kOp,
  kGrad,
  kDerivative,
  kWhile,
  kCond,
  kPfor,
  kCall
};

/// Writes a node's ops; operands are the values of the node's inputs.
using Emit = std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)>;
/// Names the region whose arguments an expression depends on.
using ScopeId = uint64_t;

/// A loop body, loop condition, branch or lane program.
struct Body {
  ScopeId scope = 0;
  /// Branches only: nodes with ids in [first_node, end_node) were made by the branch's callback and run only with it.
  uint64_t first_node = 0, end_node = 0;
  std::vector<Expr> args, results;
};

/// What a kDerivative node computes of its inputs: outputs of a function, what it is differentiated by, then tangents of the latter (kJvp)
/// or cotangents of the former (kVjp).
struct Derivative {
  enum Kind { kJacobian, kJvp, kVjp, kSquaredNorm } kind = kJacobian;
  size_t num_outputs = 0, num_wrt = 0;
  JacobianOptions jacobian;
};
/// What a kCall node's bodies are: a function, then what its derivative is by.
enum class Rule : uint8_t { kNone, kJvp, kVjp, kCheckpoint };

struct VariableState {
  VariableState(Tensor value, std::string called, Loc made)
      : residence(std::move(value), called), name(called), loc(made) {}
  Residence residence;
  const std::string name;
  const Loc loc;
  std::shared_mutex mutex;
};

struct Node : std::enable_shared_from_this<Node> {
  NodeKind kind = NodeKind::kOp;
  uint64_t id = 0;
  Loc loc;
  std::string name;
  std::vector<Expr> inputs;
  std::vector<Type> types;
  std::vector<Shape> shapes;  // of `types`
  Emit emit;                  // kOp
  std::vector<Body> bodies;   // kWhile: condition, body. kCond: on_true, on_false. kPfor: the lane.
                              // kCall: the function, then its rule's functions.
  /// What the bodies use of the surroundings.
  std::vector<Expr> captures;
  /// Scopes whose arguments this node depends on, sorted.
  std::vector<ScopeId> free_scopes;
  ScopeId scope = 0;            // kRegionArg
  int64_t lanes = 0;            // kPfor
  PforOptions pfor;             // kPfor
  std::string level;            // kPfor: as lanes are called within
  std::vector<bool> is_shared;  // kPfor: inputs without an axis of lanes
  Derivative derivative;        // kDerivative
  Rule rule = Rule::kNone;      // kCall
  std::shared_ptr<VariableState> variable;

  Node();
  /// Iterative: a chain of nodes may be a million long.
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Without inputs: may be repeated in any region instead of being captured.
  bool is_constant() const { return kind == NodeKind::kOp && inputs.empty(); }
  bool depends_on(ScopeId s) const;
};

/// Ids of nodes and scopes; they grow in the order of making.
uint64_t next_id();

Loc to_loc(const std::source_location& loc);
/// The IR type of an expression. UserError for an empty handle.
Type type_of(const Expr& e);
Expr make_op(const Loc& loc, std::vector<Expr> inputs, Emit emit);
/// `scope`: one that the ops belong to whatever their inputs are.
std::vector<Expr> make_ops(const Loc& loc, std::vector<Expr> inputs, Emit emit, ScopeId scope = 0);
/// Completes a node (output shapes, free scopes, captures) and returns its outputs.
std::vector<Expr> finish(std::shared_ptr<Node> node);
Expr region_arg(ScopeId scope, Type type, const Loc& loc);

/// An operand as an expression; a number becomes a rank-0 constant of `number_type`, or without it i32 (integral) or f32.
Expr to_expr(std::string_view op, const Operand& o, std::optional<ElementType> number_type = {});
/// As to_expr, but the operand must be an expression or a tensor: UserError "[op] …".
const Expr& tensor_operand(std::string_view op, const Operand& o);
/// Throws UserError "[op] message".
[[noreturn]] void fail(std::string_view op, const Loc& loc, const std::string& message);

/// axis in [0, rank) from one that may count from the end.
int64_t normalize_axis(std::string_view op, const Loc& loc, int64_t axis, int64_t rank);
/// Distinct axes, sorted; none means all.
std::vector<int64_t> normalize_axes(std::string_view op, const Loc& loc, std::vector<int64_t> axes, int64_t rank);
std::string describe(const Expr& e);
/// Throws UserError when one of them is an empty handle.
void expect_expressions(std::string_view op, const Loc& loc, std::string_view what, const std::vector<Expr>& exprs);
std::vector<Type> types_of(const std::vector<Expr>& exprs);
Body new_scope();
/// Gives a body arguments of these types; returns all it has.
std::vector<Expr> scope_args(Body& body, std::span<const Type> types, const Loc& loc);

}  // namespace weft::symbolic
