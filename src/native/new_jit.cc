#include "native/new_jit.h"

#include <string>
#include <utility>
#include <vector>

namespace weft::native {

std::unique_ptr<codegen::Jit> new_jit(const codegen::Isa& isa,
                                      std::initializer_list<std::span<const rt::Symbol>> tables) {
  std::vector<std::pair<std::string, void*>> symbols;
  const auto add = [&](std::span<const rt::Symbol> table) {
    for (const rt::Symbol& s : table) symbols.emplace_back(s.name, s.address);
  };
  add(rt::runtime_symbols());
  for (const auto& table : tables) add(table);
  return std::make_unique<codegen::Jit>(isa, symbols);
}

}  // namespace weft::native
