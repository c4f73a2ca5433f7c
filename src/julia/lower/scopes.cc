#include "julia/lower/scopes.h"

#include <algorithm>

#include "julia/lower/scope_builder.h"
#include "julia/syntax/literals.h"

namespace weft::julia {

Scopes resolve_scopes(const Tree& tree, std::vector<Diagnostic>& diagnostics, const ScopeOptions& options) {
  return ScopeBuilder(tree, diagnostics, options).build();
}

Scopes ScopeBuilder::build(std::unordered_set<Symbol> globals) {
  out_.of_node.assign(tree_.size(), kNotAVariable);
  enter(ScopeKind::kModule, tree_.root());
  top().known = std::move(globals);
  expect_one_semicolon();
  walk(tree_.root());
  leave();
  return std::move(out_);
}

void ScopeBuilder::expect_one_semicolon() {
  for (NodeId id = 0; id < tree_.size(); ++id) {
    bool has_one = false;
    for (const NodeId c : tree_.children(id)) {
      if (!tree_.is(c, Kind::kParameters)) continue;
      if (has_one) report(c, "more than one semicolon in argument list");
      has_one = true;
    }
  }
}

void ScopeBuilder::enter(ScopeKind kind, NodeId node) {
  const auto id = static_cast<ScopeId>(out_.scopes.size());
  out_.scopes.push_back({kind, open_.empty() ? id : top().id, node, {}});
  open_.push_back({id, {}, {}, {}});
}

/// In a loop or try with nothing but such around it up to the top level.
bool ScopeBuilder::in_soft_scope_of_module() const {
  for (size_t i = open_.size(); i-- > 0;) {
    const ScopeKind k = kind_of(open_[i]);
    if (k == ScopeKind::kModule) return i + 1 < open_.size();
    if (k != ScopeKind::kSoft) return false;
  }
  return false;
}

VariableId ScopeBuilder::declare(Symbol name, Role role, NodeId node, uint32_t assignments) {
  const auto id = static_cast<VariableId>(out_.variables.size());
  Variable v;
  v.name = name;
  v.role = role;
  v.scope = top().id;
  v.declared = node;
  v.assignments = assignments;
  out_.variables.push_back(v);
  out_.scopes[top().id].variables.push_back(id);
  top().variables[name] = id;
  out_.of_node[node] = id;
  return id;
}

ScopeBuilder::Found ScopeBuilder::find(Symbol name) const {
  bool through_closure = false, inside_struct_method = false;
  for (size_t i = open_.size(); i-- > 0;) {
    const Open& o = open_[i];
    const ScopeKind k = kind_of(o);
    if (k == ScopeKind::kModule || o.globals.contains(name)) break;
    // A struct's parameters are not those of its constructors.
    if (k != ScopeKind::kStruct || !inside_struct_method) {
      if (const auto it = o.variables.find(name); it != o.variables.end()) return {it->second, through_closure};
    }
    if (k == ScopeKind::kFunction || k == ScopeKind::kGenerator) through_closure = inside_struct_method = true;
  }
  return {kGlobalName, false};
}

/// What the first pass found in the scope that has just been entered.
void ScopeBuilder::declare_names(const Names& names) {
  using Entry = Names::Entry;
  std::unordered_map<Symbol, Entry::How> declared;
  for (const Entry& e : names.entries) {
    if (e.how == Entry::kAssigned) continue;
    const auto [it, is_new] = declared.try_emplace(e.name, e.how);
    if (it->second != e.how) {
      report(e.node, "variable \"" + e.name.text() + "\" declared both local and global");
      continue;
    }
    if (e.how == Entry::kGlobal) {
      if (const auto v = top().variables.find(e.name); v != top().variables.end()) {
        const Role role = out_.variables[v->second].role;
        report(e.node, "`global " + e.name.text() + "`: " + e.name.text() + " is " +
                           (role == Role::kTypeParameter ? "a static parameter" : "a local variable") +
                           " in its enclosing scope");
      } else {
        top().globals.insert(e.name);
      }
      continue;
    }
    if (const auto v = top().variables.find(e.name); v != top().variables.end()) {
      const Role role = out_.variables[v->second].role;
      if (role == Role::kArgument || role == Role::kKeyword)
        report(e.node, "local variable name \"" + e.name.text() + "\" conflicts with an argument");
      if (role == Role::kTypeParameter)
        report(e.node, "local variable name \"" + e.name.text() + "\" conflicts with a static parameter");
      continue;
    }
    declare(e.name, Role::kLocal, e.node, 0);
  }
  for (const Entry& e : names.entries) {
    if (e.how != Entry::kAssigned || declared.contains(e.name) || top().globals.contains(e.name)) continue;
    if (find(e.name).variable != kGlobalName) continue;
    // `global x` of a scope around holds here too.
    const bool is_global = std::ranges::any_of(open_, [&](const Open& o) { return o.globals.contains(e.name); });
    if (is_global) continue;
    if (in_soft_scope_of_module()) {
      const auto module =
          std::find_if(open_.rbegin(), open_.rend(), [&](const Open& o) { return kind_of(o) == ScopeKind::kModule; });
      if (module->known.contains(e.name)) {
        if (options_.interactive) continue;
        report(e.node,
               "Assignment to `" + e.name.text() +
                   "` in soft scope is ambiguous because a global variable by the same name exists: `" + e.name.text() +
                   "` will be treated as a new local. Disambiguate by using `local " + e.name.text() +
                   "` to suppress this warning or `global " + e.name.text() +
                   "` to assign to the existing global variable.",
               Diagnostic::kWarning);
      }
    }
    declare(e.name, Role::kLocal, e.node, 0);
  }
}

/// An identifier or var"…".
bool ScopeBuilder::is_name(NodeId id) const {
  if (tree_.is(id, Kind::kVarName)) return true;
  if (!tree_.is(id, Kind::kIdentifier)) return false;
  // The last index and the first.
  const Tok t = tree_[id].token;
  return t != Tok::kEndWord && t != Tok::kBegin;
}

bool ScopeBuilder::is_test_set(NodeId id) const {
  const NodeId name = tree_.child(id, 0);
  return tree_.is(name, Kind::kMacroName) && tree_.text(tree_.child(name, 0)) == "testset" && tree_.count(id) > 1;
}

/// @eval code: what it is given is code for another time, like quoted code.
bool ScopeBuilder::is_eval(NodeId id) const {
  const NodeId name = tree_.child(id, 0);
  return tree_.is(name, Kind::kMacroName) && tree_.text(tree_.child(name, 0)) == "eval" && tree_.count(id) > 1;
}

NodeId ScopeBuilder::inner_name(NodeId id) const { return tree_.is(id, Kind::kVarName) ? tree_.child(id, 0) : id; }

Symbol ScopeBuilder::name_of(NodeId id) const { return name_value(tree_, inner_name(id)); }

void ScopeBuilder::use(NodeId name) {
  const Found f = find(name_of(name));
  out_.of_node[inner_name(name)] = out_.of_node[name] = f.variable;
  if (f.variable != kGlobalName && f.through_closure && out_.variables[f.variable].role != Role::kTypeParameter)
    out_.variables[f.variable].captured = true;
}

void ScopeBuilder::assign_name(NodeId name) {
  const Symbol symbol = name_of(name);
  if (symbol.text().find_first_not_of('_') == std::string::npos) return;  // _ takes anything and holds nothing
  const Found f = find(symbol);
  out_.of_node[inner_name(name)] = out_.of_node[name] = f.variable;
  if (f.variable == kGlobalName) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (kind_of(open_[i]) == ScopeKind::kModule) {
        open_[i].known.insert(symbol);
        break;
      }
    }
    return;
  }
  Variable& v = out_.variables[f.variable];
  ++v.assignments;
  if (v.captured) v.assigned_after_capture = true;
  if (f.through_closure) v.captured = v.assigned_in_closure = true;
}

void ScopeBuilder::report(NodeId at, std::string message, Diagnostic::Level level) {
  diagnostics_.push_back({tree_[at].begin, tree_[at].end, level, std::move(message)});
}

}  // namespace weft::julia
