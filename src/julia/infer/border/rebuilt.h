// Packed values as the host's, from copies of the numbers that a compiled program gives.
#pragma once
#include <span>
#include <vector>

#include "julia/infer/border/packed.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

/// One value for each object, whoever refers to it.
class Rebuilt {
 public:
  Rebuilt(Evaluator& evaluator, const Packed& from, std::span<const void* const> leaves);
  Value value(const Abstract& a);

 private:
  Value array(const HeapObject& o) const;

  Evaluator& evaluator_;
  const Packed& from_;
  std::span<const void* const> leaves_;
  std::vector<Value> objects_;
};

/// The elements of an array of structs, or of numbers, from their leaves.
void join_elements(const Value& array, const HeapObject& o, std::span<const void* const> leaves);

}  // namespace weft::julia
