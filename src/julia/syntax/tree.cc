#include "julia/syntax/tree.h"

namespace weft::julia {

NodeId Tree::callee(NodeId id) const {
  const Node& n = nodes_[id];
  if (n.kind != Kind::kCall && n.kind != Kind::kDotCall) return kNoNode;
  return child(id, n.has(Node::kInfix) || n.has(Node::kPostfixOp) ? 1 : 0);
}

NodeId Tree::signature_call(NodeId function) const {
  NodeId id = child(function, 0);
  while (true) {
    const Node& n = nodes_[id];
    const bool wraps =
        n.kind == Kind::kWhere || n.kind == Kind::kParens || (n.kind == Kind::kDeclare && n.has(Node::kInfix));
    if (!wraps || n.count == 0) return id;
    id = child(id, 0);
  }
}

}  // namespace weft::julia
