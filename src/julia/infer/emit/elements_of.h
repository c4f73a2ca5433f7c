// What the files that write maps, reductions and broadcasts share.
#pragma once
#include "julia/infer/emit/arrays.h"
#include "julia/infer/iterable.h"

namespace weft::julia {

std::vector<int64_t> dims_of(Compiler& c, const Abstract& a);

/// Something whose elements a function is mapped over.
struct ElementSource {
  Abstract whole;  // all elements as tensors; undefined where there is no such form
  std::function<Abstract(IrValue)> at;
};
ElementSource source_of(Compiler& c, const Abstract& v, const std::vector<int64_t>& dims);

/// f and op along dimensions, which keep the extent 1; without `init` (undefined) from the first element on.
Abstract reduce_along(Compiler& c, const Abstract& f, const Abstract& op, const Abstract& container,
                      const std::vector<int64_t>& region, const Abstract& init);
Abstract accumulate_along(Compiler& c, const Abstract& op, const Abstract& array, int64_t along, const Abstract& init);

/// An array of elements such as `like` from their leaves; Bools are a BitArray when `bits`.
Abstract array_of_leaves(Compiler& c, const Abstract& like, const std::vector<int64_t>& dims,
                         std::vector<IrValue> leaves, bool bits);

}  // namespace weft::julia
