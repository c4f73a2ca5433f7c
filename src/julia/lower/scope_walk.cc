// The second pass: names are looked up, scopes entered.
#include "julia/lower/scope_builder.h"

namespace weft::julia {

void ScopeBuilder::walk_children(NodeId id, size_t from) {
  const auto children = tree_.children(id);
  for (size_t i = from; i < children.size(); ++i) walk(children[i]);
}

/// Code of the scope that has just been entered.
void ScopeBuilder::walk_body(NodeId id) {
  Names names;
  collect(id, names);
  declare_names(names);
  walk(id);
}

void ScopeBuilder::walk(NodeId id) {
  if (is_name(id)) return use(id);
  const Kind k = tree_.kind(id);
  if (is_leaf(k)) return;
  switch (k) {
    case Kind::kCall:
    case Kind::kDotCall:
      if (tree_[id].flags & (Node::kInfix | Node::kPrefixOp | Node::kPostfixOp)) return walk_children(id);
      for (const NodeId c : tree_.children(id)) walk_argument(c);
      return;
    case Kind::kMacroCall:
      if (is_test_set(id)) return test_set(id);
      if (is_eval(id)) {
        const auto arguments = tree_.children(id).subspan(1);
        if (arguments.size() > 1) walk(arguments[0]);
        return walk_quoted(arguments.back());
      }
      for (const NodeId c : tree_.children(id).subspan(1)) {
        if (tree_[id].has(Node::kForm)) {
          walk_argument(c);
        } else {
          walk(c);
        }
      }
      return;
    case Kind::kTuple:
      for (const NodeId c : tree_.children(id)) {
        if (tree_[id].has(Node::kForm)) {
          walk_argument(c);
        } else {
          walk(c);
        }
      }
      return;
    case Kind::kVect:
    case Kind::kParameters:
      for (const NodeId c : tree_.children(id)) walk_argument(c);
      return;
    case Kind::kDot:
      if (tree_.count(id) < 2) return;  // a dotted operator
      walk(tree_.child(id, 0));
      if (tree_.is(tree_.child(id, 1), Kind::kInterpolate)) walk(tree_.child(id, 1));
      return;
    case Kind::kAssign:
    case Kind::kOpAssign: {
      const NodeId target = tree_.child(id, 0);
      if (k == Kind::kAssign && tree_.is(target, Kind::kCurly)) {
        // A{T} = B{T}: a type with a parameter
        assign(tree_.child(target, 0));
        enter(ScopeKind::kTypeParams, id);
        for (const NodeId c : tree_.children(target).subspan(1)) type_parameters(c);
        walk_children(id, 1);
        return leave();
      }
      walk_children(id, 1);
      return assign(target);
    }
    case Kind::kFunction:
    case Kind::kMacro: return function(id);
    case Kind::kLambda:
    case Kind::kDo: return anonymous(id);
    case Kind::kWhere: return type_expression(id);
    case Kind::kFor: return for_loop(id);
    case Kind::kWhile: return while_loop(id);
    case Kind::kLet: return let_form(id);
    case Kind::kTry: return try_form(id);
    case Kind::kGenerator: return generator(id);
    case Kind::kStruct: return struct_form(id);
    case Kind::kAbstract:
    case Kind::kPrimitive: return struct_form(id);
    case Kind::kModule: return module_form(id);
    case Kind::kLocal:
    case Kind::kGlobal:
    case Kind::kConst: return declaration(id);
    case Kind::kQuoteExpr: return walk_quoted(id);
    case Kind::kBreak:
    case Kind::kContinue:
      if (loops_ == 0) report(id, "break or continue outside loop");
      return;
    case Kind::kImport:
    case Kind::kUsing:
    case Kind::kExport:
    case Kind::kPublic: return;
    default: walk_children(id);
  }
}

/// name = value is the name of an argument, not of a variable.
void ScopeBuilder::walk_argument(NodeId id) {
  if (tree_.is(id, Kind::kAssign)) return walk_children(id, 1);
  walk(id);
}

/// Quoted code is data; what is interpolated into it is not.
void ScopeBuilder::walk_quoted(NodeId id) {
  if (tree_.is(id, Kind::kInterpolate)) return walk_children(id);
  for (const NodeId c : tree_.children(id)) walk_quoted(c);
}

void ScopeBuilder::assign(NodeId target) {
  if (is_name(target)) return assign_name(target);
  switch (tree_.kind(target)) {
    case Kind::kDeclare:
      if (!tree_[target].has(Node::kInfix)) return walk(target);
      assign(tree_.child(target, 0));
      return walk(tree_.child(target, 1));
    case Kind::kTuple:
    case Kind::kParens:
    case Kind::kParameters:
    case Kind::kSplat:
      for (const NodeId c : tree_.children(target)) assign(c);
      return;
    default: walk(target);  // a[i], a.b
  }
}

/// New variables of the scope that has just been entered, which it gives values itself.
void ScopeBuilder::declare_pattern(NodeId target, Role role) {
  if (is_name(target)) {
    const Symbol name = name_of(target);
    if (name.text().find_first_not_of('_') == std::string::npos) return;
    declare(name, role, inner_name(target), 1);
    out_.of_node[target] = out_.of_node[inner_name(target)];
    return;
  }
  switch (tree_.kind(target)) {
    case Kind::kDeclare:
      if (!tree_[target].has(Node::kInfix)) return walk(target);
      declare_pattern(tree_.child(target, 0), role);
      return walk(tree_.child(target, 1));
    case Kind::kTuple:
    case Kind::kParens:
    case Kind::kParameters:
    case Kind::kSplat:
      for (const NodeId c : tree_.children(target)) declare_pattern(c, role);
      return;
    default: walk(target);
  }
}

void ScopeBuilder::declaration(NodeId id) {
  for (const NodeId c : tree_.children(id)) {
    if (tree_.is(c, Kind::kDeclare) && tree_[c].has(Node::kInfix)) {
      walk_children(c);
    } else {
      walk(c);
    }
  }
}

/// One `x in xs`, in the scope of the loop; the iterator has been walked.
void ScopeBuilder::iteration(NodeId in) {
  const NodeId variable = tree_.child(in, 0);
  if (!tree_.is(variable, Kind::kOuter)) return declare_pattern(variable, Role::kLoop);
  assign(tree_.child(variable, 0));
}

void ScopeBuilder::for_loop(NodeId id) {
  const NodeId specs = tree_.child(id, 0);
  int entered = 0;
  for (const NodeId in : tree_.children(specs)) {
    if (tree_.count(in) < 2) continue;
    walk(tree_.child(in, 1));
    enter(ScopeKind::kSoft, id);
    ++entered;
    iteration(in);
  }
  ++loops_;
  // The body may have variables of its own beside the loop's.
  enter(ScopeKind::kSoft, id);
  walk_body(tree_.child(id, 1));
  leave();
  --loops_;
  for (; entered > 0; --entered) leave();
}

void ScopeBuilder::while_loop(NodeId id) {
  walk(tree_.child(id, 0));
  ++loops_;
  enter(ScopeKind::kSoft, id);
  walk_body(tree_.child(id, 1));
  leave();
  --loops_;
}

void ScopeBuilder::let_form(NodeId id) {
  int entered = 0;
  for (const NodeId b : tree_.children(tree_.child(id, 0))) {
    // A value sees the bindings before it.
    if (tree_.is(b, Kind::kAssign)) walk(tree_.child(b, 1));
    enter(ScopeKind::kLet, id);
    ++entered;
    if (tree_.is(b, Kind::kAssign)) {
      declare_pattern(tree_.child(b, 0), Role::kLocal);
    } else if (tree_.is(b, Kind::kFunction)) {
      Names names;
      collect(b, names);
      for (const Names::Entry& e : names.entries) declare(e.name, Role::kLocal, e.node, 0);
      function(b);
    } else if (const NodeId name = tree_.is(b, Kind::kDeclare) ? tree_.child(b, 0) : b; is_name(name)) {
      declare(name_of(name), Role::kLocal, inner_name(name), 0);
      if (b != name) walk_children(b, 1);
    } else {
      walk(b);
    }
  }
  enter(ScopeKind::kLet, id);
  walk_body(tree_.child(id, 1));
  leave();
  for (; entered > 0; --entered) leave();
}

void ScopeBuilder::try_form(NodeId id) {
  for (const NodeId part : tree_.children(id)) {
    enter(ScopeKind::kSoft, part);
    if (tree_.is(part, Kind::kCatch)) {
      const NodeId variable = tree_.child(part, 0);
      if (is_name(variable)) declare_pattern(variable, Role::kCatch);
      walk_body(tree_.child(part, 1));
    } else if (tree_.is(part, Kind::kElse) || tree_.is(part, Kind::kFinally)) {
      walk_body(tree_.child(part, 0));
    } else {
      walk_body(part);
    }
    leave();
  }
}

/// The first iterator is evaluated outside; the rest is a closure.
void ScopeBuilder::generator(NodeId id) {
  bool first = true;
  int entered = 0;
  for (NodeId clause : tree_.children(id).subspan(1)) {
    const NodeId filter = tree_.is(clause, Kind::kFilter) ? clause : kNoNode;
    if (filter != kNoNode) clause = tree_.child(filter, 0);
    if (!tree_.is(clause, Kind::kIteration)) continue;
    // Iterators of one `for` do not see each other's variables.
    for (const NodeId in : tree_.children(clause)) {
      if (tree_.count(in) == 2) walk(tree_.child(in, 1));
    }
    for (const NodeId in : tree_.children(clause)) {
      if (tree_.count(in) < 2) continue;
      enter(first ? ScopeKind::kGenerator : ScopeKind::kLet, id);
      first = false;
      ++entered;
      iteration(in);
    }
    if (filter != kNoNode) walk(tree_.child(filter, 1));
  }
  const int loops = loops_;
  loops_ = 0;
  enter(ScopeKind::kLet, id);
  walk_body(tree_.child(id, 0));
  leave();
  loops_ = loops;
  for (; entered > 0; --entered) leave();
}

}  // namespace weft::julia
