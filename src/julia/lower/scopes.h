// Which variable each name of a source means, by Julia's rules of scope: the manual's "Scope of Variables".
#pragma once
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "julia/syntax/diagnostics.h"
#include "julia/syntax/tree.h"
#include "julia/types/symbol.h"

namespace weft::julia {

using ScopeId = uint32_t;
using VariableId = uint32_t;
constexpr VariableId kGlobalName = ~VariableId{0};     // a global of the module around
constexpr VariableId kNotAVariable = kGlobalName - 1;  // a field, keyword or quoted name; no name at all

enum class ScopeKind : uint8_t {
  kModule,      // top level of a file or module
  kFunction,    // also lambdas, do blocks and macros: names inside that mean a variable outside capture it
  kGenerator,   // of a comprehension or generator: a closure too
  kLet,         // one for each binding
  kSoft,        // for, while, try: assigns a global of the same name in interactive use
  kTypeParams,  // of where
  kStruct,
};

enum class Role : uint8_t { kLocal, kArgument, kKeyword, kTypeParameter, kLoop, kCatch };

struct Variable {
  Symbol name;
  Role role = Role::kLocal;
  ScopeId scope = 0;
  NodeId declared = kNoNode;  // the name that made it
  uint32_t assignments = 0;   // places that give it a value; being an argument or loop variable is one
  bool captured = false;      // a closure inside uses it
  bool assigned_in_closure = false;
  bool assigned_after_capture = false;  // in the order of the source
  /// Julia keeps such a variable in a Core.Box: closures and the function around share it while it changes.
  bool is_boxed() const { return captured && (assigned_in_closure || assigned_after_capture || assignments > 1); }
};

struct Scope {
  ScopeKind kind = ScopeKind::kModule;
  ScopeId parent = 0;  // of the first module itself
  NodeId node = kNoNode;
  std::vector<VariableId> variables;  // in order of their declaration
};

struct Scopes {
  std::vector<Scope> scopes;  // the file's top level first
  std::vector<Variable> variables;
  std::vector<VariableId> of_node;  // for each node of the tree
  /// What an identifier means.
  VariableId operator[](NodeId id) const { return of_node[id]; }
};

struct ScopeOptions {
  /// As at a prompt: loops at top level assign the globals that are there. In files they do not, and Julia warns.
  bool interactive = false;
};

/// Names of a tree without syntax errors. What the rules forbid goes to the diagnostics, in Julia's words. Macro calls are
/// looked into as if their arguments were ordinary code; quoted code only in its interpolations.
Scopes resolve_scopes(const Tree& tree, std::vector<Diagnostic>& diagnostics, const ScopeOptions& options = {});

}  // namespace weft::julia
