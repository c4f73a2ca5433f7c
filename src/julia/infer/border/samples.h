// Host values that stand for what the compiler knows of a value: of its type and sizes, with numbers made up where they are not known.
#pragma once
#include <map>

#include "julia/infer/abstract.h"

namespace weft::julia {

/// Values for abstract ones that share the objects of one heap.
class Samples {
 public:
  explicit Samples(const Heap& heap) : heap_(heap) {}
  /// Nothing for what is unknown, and for arrays too large to be made.
  std::optional<Value> of(const Abstract& a);

 private:
  std::optional<Value> of_object(uint32_t object);
  const Heap& heap_;
  std::map<uint32_t, Value> made_;
};

/// An array of such elements with numbers for which routines of linear algebra work: matrices are symmetric and positive definite.
Value sample_array(const Type* element, const std::vector<int64_t>& dims, bool is_bits);

}  // namespace weft::julia
