// Modules: names and what they are bound to.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "julia/host/value.h"
#include "julia/types/symbol.h"

namespace weft::julia {

struct Module;

/// What a name of a module means. Imports share the binding of the module that they come from.
struct Binding {
  Value value;  // undefined: declared, without a value
  bool is_const = false;
  const Type* declared = nullptr;  // x::T at top level
  Module* owner = nullptr;
};

struct Module {
  Symbol name;
  Module* parent = nullptr;                       // null: Main, Base, Core and packages
  Value value;                                    // the Module as a Julia value
  std::unordered_map<Symbol, Binding*> bindings;  // its own and imported ones
  std::unordered_map<Symbol, Binding*> found;     // those that `using` brought, once they have been asked for
  std::deque<std::unique_ptr<Binding>> owned;
  std::unordered_set<Symbol> exported;
  std::vector<Module*> used;  // using, the latest last
  bool is_bare = false;
  bool is_library = false;  // Weft's own: sees intrinsics
  std::string qualified_name() const;
};

/// The binding a name has in a module; looks into used modules' exports. Null: none.
Binding* find_binding(Module& m, Symbol name);
/// As find_binding, but a name of its own is made when there is none, or when only a used module has it.
Binding& own_binding(Module& m, Symbol name);
Module* module_of(const Value& v);  ///< null when v is no Module

}  // namespace weft::julia
