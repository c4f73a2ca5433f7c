#include "julia/run/module.h"

namespace weft::julia {

std::string Module::qualified_name() const {
  return parent == nullptr ? name.text() : parent->qualified_name() + "." + name.text();
}

namespace {

/// A name's binding in a module without looking into used ones.
Binding* direct(Module& m, Symbol name) {
  const auto it = m.bindings.find(name);
  return it == m.bindings.end() ? nullptr : it->second;
}

Binding* exported_binding(Module& m, Symbol name, int depth) {
  if (!m.exported.contains(name)) return nullptr;
  if (Binding* b = direct(m, name)) return b;
  // A module may export what it has by `using` itself.
  if (depth > 8) return nullptr;
  for (auto it = m.used.rbegin(); it != m.used.rend(); ++it) {
    if (Binding* b = exported_binding(**it, name, depth + 1)) return b;
  }
  return nullptr;
}

}  // namespace

Binding* find_binding(Module& m, Symbol name) {
  if (Binding* b = direct(m, name)) return b;
  const auto known = m.found.find(name);
  if (known != m.found.end()) return known->second;
  for (auto it = m.used.rbegin(); it != m.used.rend(); ++it) {
    if (Binding* b = exported_binding(**it, name, 0)) return m.found[name] = b;
  }
  return nullptr;
}

Binding& own_binding(Module& m, Symbol name) {
  if (Binding* b = direct(m, name)) return *b;
  m.owned.push_back(std::make_unique<Binding>());
  Binding* b = m.owned.back().get();
  b->owner = &m;
  m.bindings.emplace(name, b);
  m.found.erase(name);
  return *b;
}

}  // namespace weft::julia
