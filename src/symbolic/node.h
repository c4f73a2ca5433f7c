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
#include "weft/symbolic.h"

namespace weft::symbolic {

enum class NodeKind : uint8_t { kPlaceholder, kVariable, kRegionArg, kOp, kGrad, kWhile, kCond, kPfor };

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

struct VariableState {
  Tensor storage;
  std::string name;
  Loc loc;
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
  /// What the bodies use of the surroundings.
  std::vector<Expr> captures;
  /// Scopes whose arguments this node depends on, sorted.
  std::vector<ScopeId> free_scopes;
  ScopeId scope = 0;  // kRegionArg
  int64_t lanes = 0;  // kPfor
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
std::vector<Expr> make_ops(const Loc& loc, std::vector<Expr> inputs, Emit emit);
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

}  // namespace weft::symbolic
