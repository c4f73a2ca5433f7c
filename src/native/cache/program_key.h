// What tells compiled programs apart: 128 bits over everything that generated code depends on.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/hash.h"
#include "ir/function.h"

namespace weft::native {

class ProgramHasher : public Hasher {
 public:
  using Hasher::add;
  void add(Type type);

 private:
  std::unordered_map<Type, uint64_t> types_;
};

/// Ops, values, types and attributes with the contents of constants; not the source places.
void add_function(ProgramHasher& h, const Function& f);

/// Of the library that this code is in: changes with every build of other code. Empty when it is not known.
const std::string& build_id();

}  // namespace weft::native
