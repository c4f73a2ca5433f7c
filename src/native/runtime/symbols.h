// The names that generated code may call, with their addresses in this process: the JIT resolves against this table
// alone, so that it needs no exported symbols and finds nothing by accident.
#pragma once
#include <span>

namespace weft::rt {

struct Symbol {
  const char* name;
  void* address;
};

std::span<const Symbol> runtime_symbols();

}  // namespace weft::rt
