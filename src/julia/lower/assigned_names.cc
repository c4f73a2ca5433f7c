// The first pass: names that the code of a scope assigns or declares, scopes inside it left out.
#include "julia/lower/scope_builder.h"

namespace weft::julia {

void ScopeBuilder::collect_children(NodeId id, Names& names, size_t from) const {
  const auto children = tree_.children(id);
  for (size_t i = from; i < children.size(); ++i) collect(children[i], names);
}

void ScopeBuilder::collect(NodeId id, Names& names) const {
  switch (tree_.kind(id)) {
    case Kind::kAssign:
    case Kind::kOpAssign:
      collect_target(tree_.child(id, 0), names, false);
      collect_children(id, names, 1);
      return;
    case Kind::kFunction: {
      // A function with a name is a variable; its inside is a scope.
      const NodeId call = tree_.signature_call(id);
      NodeId name = tree_.is(call, Kind::kCall) ? tree_.callee(call) : tree_.count(id) == 1 ? call : kNoNode;
      if (name != kNoNode && is_name(name))
        names.entries.push_back({name_of(name), inner_name(name), Names::Entry::kAssigned});
      return;
    }
    case Kind::kLocal:
    case Kind::kGlobal:
    case Kind::kConst: return collect_declaration(id, names);
    case Kind::kCall:
    case Kind::kDotCall:
    case Kind::kTuple:
    case Kind::kParameters:
    case Kind::kVect:
    case Kind::kMacroCall: {
      if (tree_.is(id, Kind::kMacroCall) && is_eval(id)) return;
      if (is_test_set(id)) return;
      // name = value is an argument's name here, but for what a macro without parentheses is given.
      const bool statements = tree_.is(id, Kind::kMacroCall) && !tree_[id].has(Node::kForm);
      const bool bare = tree_.is(id, Kind::kTuple) && !tree_[id].has(Node::kForm);
      for (const NodeId c : tree_.children(id)) {
        if (tree_.is(c, Kind::kAssign) && !statements && !bare) {
          collect(tree_.child(c, 1), names);
        } else {
          collect(c, names);
        }
      }
      return;
    }
    case Kind::kFor: {
      // The first iterator is evaluated outside; `outer` variables belong there.
      bool first = true;
      for (const NodeId in : tree_.children(tree_.child(id, 0))) {
        if (tree_.count(in) < 2) continue;
        if (first) collect(tree_.child(in, 1), names);
        first = false;
      }
      return;
    }
    case Kind::kWhile: return collect(tree_.child(id, 0), names);
    case Kind::kLet: {
      const NodeId bindings = tree_.child(id, 0);
      if (tree_.count(bindings) == 0) return;
      const NodeId first = tree_.child(bindings, 0);
      if (tree_.is(first, Kind::kAssign)) collect(tree_.child(first, 1), names);
      return;
    }
    case Kind::kGenerator: {
      NodeId clause = tree_.child(id, 1);
      if (tree_.is(clause, Kind::kFilter)) clause = tree_.child(clause, 0);
      const NodeId in = tree_.child(clause, 0);
      if (tree_.count(in) == 2) collect(tree_.child(in, 1), names);
      return;
    }
    case Kind::kLambda:
    case Kind::kDo:
    case Kind::kMacro:
    case Kind::kTry:
    case Kind::kStruct:
    case Kind::kModule:
    case Kind::kQuoteExpr: return;
    default: return collect_children(id, names);
  }
}

/// The left side of an assignment.
void ScopeBuilder::collect_target(NodeId id, Names& names, bool local) const {
  if (is_name(id)) {
    const Symbol name = name_of(id);
    if (name.text().find_first_not_of('_') == std::string::npos) return;
    names.entries.push_back({name, inner_name(id), local ? Names::Entry::kLocal : Names::Entry::kAssigned});
    return;
  }
  switch (tree_.kind(id)) {
    case Kind::kDeclare:
      if (!tree_[id].has(Node::kInfix)) return;
      collect_target(tree_.child(id, 0), names, local);
      return;
    case Kind::kCurly: return collect_target(tree_.child(id, 0), names, local);  // A{T} = …
    case Kind::kTuple:
    case Kind::kParens:
    case Kind::kParameters:
    case Kind::kSplat:
      for (const NodeId c : tree_.children(id)) collect_target(c, names, local);
      return;
    default: collect_children(id, names);
  }
}

/// local, global and const, in any order, around names or assignments.
void ScopeBuilder::collect_declaration(NodeId id, Names& names) const {
  const auto how = tree_.is(id, Kind::kLocal) ? Names::Entry::kLocal : Names::Entry::kGlobal;
  const bool is_const = tree_.is(id, Kind::kConst);
  for (const NodeId c : tree_.children(id)) {
    if (tree_.is(c, Kind::kLocal) || tree_.is(c, Kind::kGlobal) || tree_.is(c, Kind::kConst)) {
      Names inner;
      collect_declaration(c, inner);
      for (Names::Entry& e : inner.entries) {
        if (!is_const && e.how == Names::Entry::kAssigned) e.how = how;
      }
      names.entries.insert(names.entries.end(), inner.entries.begin(), inner.entries.end());
      continue;
    }
    Names targets;
    if (tree_.is(c, Kind::kAssign) || tree_.is(c, Kind::kOpAssign)) {
      collect_target(tree_.child(c, 0), targets, false);
      collect_children(c, names, 1);
    } else if (tree_.is(c, Kind::kFunction)) {
      collect(c, targets);
    } else {
      collect_target(c, targets, false);
    }
    for (Names::Entry& e : targets.entries) {
      if (!is_const) e.how = how;
    }
    names.entries.insert(names.entries.end(), targets.entries.begin(), targets.entries.end());
  }
}

}  // namespace weft::julia
