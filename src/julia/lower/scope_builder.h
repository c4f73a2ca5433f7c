// The inside of resolve_scopes. Two passes over the code of each scope: what is assigned or declared anywhere in it comes first
// (assigned_names.cc), then its names are looked up (scope_walk.cc); scopes inside are entered in the second pass, when all that
// surrounds them is known.
#pragma once
#include "julia/lower/scopes.h"

namespace weft::julia {

class ScopeBuilder {
 public:
  ScopeBuilder(const Tree& tree, std::vector<Diagnostic>& diagnostics, const ScopeOptions& options)
      : tree_(tree), diagnostics_(diagnostics), options_(options) {}
  /// `globals`: those that the module had before.
  Scopes build(std::unordered_set<Symbol> globals = {});

 private:
  struct Names;  // of one scope
  /// What is known of a scope only while it is open.
  struct Open {
    ScopeId id;
    std::unordered_map<Symbol, VariableId> variables;
    std::unordered_set<Symbol> globals;  // declared `global`
    std::unordered_set<Symbol> known;    // of modules: globals assigned so far
  };

  // ---- scopes and variables (scopes.cc)
  void enter(ScopeKind kind, NodeId node);
  void leave() { open_.pop_back(); }
  Open& top() { return open_.back(); }
  ScopeKind kind_of(const Open& o) const { return out_.scopes[o.id].kind; }
  /// Above the module around: functions, loops, let …
  bool in_local_scope() const { return kind_of(open_.back()) != ScopeKind::kModule; }
  bool in_soft_scope_of_module() const;
  VariableId declare(Symbol name, Role role, NodeId node, uint32_t assignments);
  struct Found {
    VariableId variable;
    bool through_closure;
  };
  Found find(Symbol name) const;
  void declare_names(const Names& names);
  void use(NodeId name);
  void assign_name(NodeId name);
  /// Of a call, a tuple or a signature, which the parser reads with several: the nodes of `f(; a; b)` are not in the order of the text.
  void expect_one_semicolon();
  void report(NodeId at, std::string message, Diagnostic::Level level = Diagnostic::kError);
  Symbol name_of(NodeId id) const;
  bool is_name(NodeId id) const;
  NodeId inner_name(NodeId id) const;

  // ---- first pass (assigned_names.cc)
  void collect(NodeId id, Names& names) const;
  void collect_target(NodeId id, Names& names, bool local) const;
  void collect_declaration(NodeId id, Names& names) const;
  void collect_children(NodeId id, Names& names, size_t from = 0) const;

  // ---- second pass (scope_walk.cc, scope_functions.cc)
  void walk(NodeId id);
  void walk_children(NodeId id, size_t from = 0);
  void walk_argument(NodeId id);
  void walk_quoted(NodeId id);
  void walk_body(NodeId id);
  void assign(NodeId target);
  void declare_pattern(NodeId target, Role role);
  void declaration(NodeId id);
  void for_loop(NodeId id);
  void while_loop(NodeId id);
  bool is_test_set(NodeId id) const;
  bool is_eval(NodeId id) const;
  void test_set(NodeId id);
  void let_form(NodeId id);
  void try_form(NodeId id);
  void generator(NodeId id);
  void iteration(NodeId in);
  void function(NodeId id);
  void anonymous(NodeId id);
  void argument(NodeId id, Role role);
  void argument_types(NodeId id);
  void argument_list(const std::vector<NodeId>& list);
  void argument_with_default(NodeId id);
  void type_parameters(NodeId id);
  void type_parameter_bounds(NodeId id);
  void type_expression(NodeId id);
  void struct_form(NodeId id);
  void module_form(NodeId id);

  const Tree& tree_;
  std::vector<Diagnostic>& diagnostics_;
  ScopeOptions options_;
  Scopes out_;
  std::vector<Open> open_;
  int loops_ = 0;  // around, in this function
};

struct ScopeBuilder::Names {
  struct Entry {
    Symbol name;
    NodeId node;
    enum How : uint8_t { kAssigned, kLocal, kGlobal } how;
  };
  std::vector<Entry> entries;
};

}  // namespace weft::julia
