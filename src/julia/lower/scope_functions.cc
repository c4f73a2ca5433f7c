// Scopes of functions, types and modules.
#include "julia/lower/scope_builder.h"

namespace weft::julia {

/// T, T<:S, S<:T<:U of `where`; braces hold several.
void ScopeBuilder::type_parameters(NodeId id) {
  if (tree_.is(id, Kind::kBraces)) {
    for (const NodeId c : tree_.children(id)) type_parameters(c);
    return;
  }
  const bool is_chain = tree_.is(id, Kind::kComparison);
  const bool bounded = tree_.is(id, Kind::kSubtype) || tree_.is(id, Kind::kSupertype);
  const NodeId name = is_chain ? tree_.child(id, 2) : bounded ? tree_.child(id, 0) : id;
  if (is_name(name)) declare(name_of(name), Role::kTypeParameter, inner_name(name), 1);
  type_parameter_bounds(id);
}

void ScopeBuilder::type_parameter_bounds(NodeId id) {
  if (tree_.is(id, Kind::kComparison)) {
    walk(tree_.child(id, 0));
    walk(tree_.child(id, 4));
  } else if ((tree_.is(id, Kind::kSubtype) || tree_.is(id, Kind::kSupertype)) && tree_.count(id) > 1) {
    walk(tree_.child(id, 1));
  }
}

/// A{T} where T.
void ScopeBuilder::type_expression(NodeId id) {
  enter(ScopeKind::kTypeParams, id);
  for (const NodeId c : tree_.children(id).subspan(1)) type_parameters(c);
  walk(tree_.child(id, 0));
  leave();
}

/// Declares what an argument's name is; types and default values come when all names are there.
void ScopeBuilder::argument(NodeId id, Role role) {
  if (is_name(id)) {
    const Symbol name = name_of(id);
    if (name.text().find_first_not_of('_') == std::string::npos) return;
    if (const auto it = top().variables.find(name); it != top().variables.end()) {
      const bool is_type = out_.variables[it->second].role == Role::kTypeParameter;
      report(id, is_type ? "function argument and static parameter name not distinct: \"" + name.text() + "\""
                         : "function argument name not unique: \"" + name.text() + "\"");
      return;
    }
    declare(name, role, inner_name(id), 1);
    out_.of_node[id] = out_.of_node[inner_name(id)];
    return;
  }
  switch (tree_.kind(id)) {
    case Kind::kDeclare:
      if (tree_[id].has(Node::kInfix)) argument(tree_.child(id, 0), role);
      return;
    case Kind::kAssign:
    case Kind::kSplat: return argument(tree_.child(id, 0), role);
    case Kind::kParameters:
      // In (; a, b), the pattern of an argument, they are no keywords.
      for (const NodeId c : tree_.children(id)) argument(c, Role::kKeyword);
      return;
    case Kind::kTuple:
    case Kind::kParens:
      for (const NodeId c : tree_.children(id)) argument(c, role);
      return;
    case Kind::kMacroCall:  // @nospecialize(x)
      for (const NodeId c : tree_.children(id).subspan(1)) argument(c, role);
      return;
    default: return;
  }
}

void ScopeBuilder::argument_types(NodeId id) {
  switch (tree_.kind(id)) {
    case Kind::kDeclare: return walk(tree_.child(id, tree_[id].has(Node::kInfix) ? 1 : 0));
    case Kind::kAssign: argument_types(tree_.child(id, 0)); return walk(tree_.child(id, 1));
    case Kind::kSplat:
    case Kind::kParameters:
    case Kind::kTuple:
    case Kind::kParens:
      for (const NodeId c : tree_.children(id)) argument_types(c);
      return;
    case Kind::kMacroCall:
      for (const NodeId c : tree_.children(id).subspan(1)) argument_types(c);
      return;
    default: return;
  }
}

void ScopeBuilder::argument_list(const std::vector<NodeId>& list) {
  for (const NodeId a : list) argument(a, Role::kArgument);
  for (const NodeId a : list) argument_with_default(a);
}

/// A default value sees the arguments before its own: in f(x = x) it is a variable outside.
void ScopeBuilder::argument_with_default(NodeId id) {
  if (tree_.is(id, Kind::kParameters)) {
    for (const NodeId c : tree_.children(id)) argument_with_default(c);
    return;
  }
  if (!tree_.is(id, Kind::kAssign)) return argument_types(id);
  argument_types(tree_.child(id, 0));
  NodeId first = id;
  while (tree_.count(first) > 0) first = tree_.child(first, 0);
  const auto all = top().variables;
  std::erase_if(top().variables, [&](const auto& entry) {
    const Variable& v = out_.variables[entry.second];
    return (v.role == Role::kArgument || v.role == Role::kKeyword) && v.declared >= first;
  });
  walk(tree_.child(id, 1));
  top().variables = all;
}

/// function, f(x) = … and macro.
void ScopeBuilder::function(NodeId id) {
  NodeId signature = tree_.child(id, 0);
  std::vector<NodeId> parameters, return_types;
  while (true) {
    const Node& n = tree_[signature];
    if (n.kind == Kind::kWhere) {
      parameters.insert(parameters.end(), tree_.children(signature).begin() + 1, tree_.children(signature).end());
    } else if (n.kind == Kind::kDeclare && n.has(Node::kInfix)) {
      return_types.push_back(tree_.child(signature, 1));
    } else if (n.kind != Kind::kParens) {
      break;
    }
    signature = tree_.child(signature, 0);
  }
  const bool is_macro = tree_.is(id, Kind::kMacro);
  const bool is_call = tree_.is(signature, Kind::kCall);
  const NodeId callee = is_call ? tree_.callee(signature) : kNoNode;
  if (!is_macro && callee != kNoNode && is_name(callee)) assign_name(callee);
  if (!is_macro && is_name(signature)) assign_name(signature);  // function f end
  if (tree_.count(id) < 2) return;
  const int loops = loops_;
  loops_ = 0;
  enter(ScopeKind::kFunction, id);
  for (const NodeId p : parameters) type_parameters(p);  // the outer `where` first: the inner ones see it
  std::vector<NodeId> arguments;
  for (const NodeId c : tree_.children(signature)) {
    if (is_call || tree_.is(signature, Kind::kTuple)) {
      if (c != callee) arguments.push_back(c);
    }
  }
  // (f::T)(x): the object itself is an argument.
  NodeId object = kNoNode;
  if (callee != kNoNode && !is_name(callee)) {
    object = tree_.unparen(callee);
    if (tree_.is(object, Kind::kDeclare)) {
      argument(object, Role::kArgument);
      argument_types(object);
    } else {
      walk(callee);
    }
  }
  argument_list(arguments);
  for (const NodeId t : return_types) walk(t);
  walk_body(tree_.child(id, 1));
  leave();
  loops_ = loops;
}

/// Lambdas and do blocks.
void ScopeBuilder::anonymous(NodeId id) {
  NodeId arguments = tree_.child(id, 0);
  const int loops = loops_;
  loops_ = 0;
  enter(ScopeKind::kFunction, id);
  while (tree_.is(arguments, Kind::kParens) || tree_.is(arguments, Kind::kWhere)) {
    if (tree_.is(arguments, Kind::kWhere)) {
      for (const NodeId c : tree_.children(arguments).subspan(1)) type_parameters(c);
    }
    arguments = tree_.child(arguments, 0);
  }
  const bool is_list = tree_.is(arguments, Kind::kTuple);
  const std::vector<NodeId> list =
      is_list ? std::vector<NodeId>(tree_.children(arguments).begin(), tree_.children(arguments).end())
              : std::vector<NodeId>{arguments};
  argument_list(list);
  walk_body(tree_.child(id, 1));
  leave();
  loops_ = loops;
}

/// The body of @testset is a scope of its own, run as a function is; the description of a loop's test sets sees its variables.
void ScopeBuilder::test_set(NodeId id) {
  const auto parts = tree_.children(id).subspan(1);
  const NodeId last = parts.back();
  const bool is_loop = tree_.is(last, Kind::kFor);
  int entered = 0;
  if (is_loop) {
    for (const NodeId in : tree_.children(tree_.child(last, 0))) {
      if (tree_.count(in) < 2) continue;
      walk(tree_.child(in, 1));
      enter(ScopeKind::kLet, last);
      ++entered;
      iteration(in);
    }
  }
  for (const NodeId p : parts.first(parts.size() - 1)) walk_argument(p);
  const NodeId body = is_loop ? tree_.child(last, 1) : last;
  const int loops = loops_;
  loops_ = 0;
  enter(ScopeKind::kFunction, body);
  walk_body(body);
  leave();
  loops_ = loops;
  for (; entered > 0; --entered) leave();
}

/// struct, abstract type and primitive type: the name is a global, the parameters are seen in head and fields.
void ScopeBuilder::struct_form(NodeId id) {
  NodeId head = tree_.child(id, 0);
  NodeId super = kNoNode;
  if (tree_.is(head, Kind::kSubtype) && tree_.count(head) == 2) {
    super = tree_.child(head, 1);
    head = tree_.child(head, 0);
  }
  const NodeId name = tree_.is(head, Kind::kCurly) ? tree_.child(head, 0) : head;
  if (is_name(name)) assign_name(name);
  enter(ScopeKind::kStruct, id);
  if (tree_.is(head, Kind::kCurly)) {
    for (const NodeId c : tree_.children(head).subspan(1)) type_parameters(c);
  }
  if (super != kNoNode) walk(super);
  if (tree_.is(id, Kind::kPrimitive) && tree_.count(id) > 1) walk(tree_.child(id, 1));
  if (tree_.is(id, Kind::kStruct)) {
    for (NodeId field : tree_.children(tree_.child(id, 1))) {
      if (tree_.is(field, Kind::kDoc)) field = tree_.child(field, 1);
      if (tree_.is(field, Kind::kConst)) field = tree_.child(field, 0);
      if (is_name(field)) continue;  // a field's name is no variable
      if (tree_.is(field, Kind::kDeclare) || tree_.is(field, Kind::kAssign)) {
        argument_types(field);
      } else {
        walk(field);
      }
    }
  }
  leave();
}

void ScopeBuilder::module_form(NodeId id) {
  if (is_name(tree_.child(id, 0))) assign_name(tree_.child(id, 0));
  const int loops = loops_;
  loops_ = 0;
  enter(ScopeKind::kModule, id);
  walk(tree_.child(id, 1));
  leave();
  loops_ = loops;
}

}  // namespace weft::julia
