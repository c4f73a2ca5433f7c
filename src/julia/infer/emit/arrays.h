// What the files that write the IR of arrays share. IR has the extents of a column-major array in reverse.
#pragma once
#include "julia/infer/emit/emit.h"

namespace weft::julia {

int64_t length_of(const HeapObject& o);
std::vector<int64_t> reversed(const std::vector<int64_t>& dims);
/// An array whose elements compiled code holds, or a constant one.
bool is_array_object(Compiler& c, const Abstract& a);
/// An array that compiled code holds; constants are put into it. Fails for other things.
Abstract array_argument(Compiler& c, const Abstract& given);
/// Extents from a tuple (or one number) that is known now.
std::vector<int64_t> known_dims(Compiler& c, const Abstract& tuple);
/// Of zeros without a value.
Abstract make_filled(Compiler& c, const Type* element, const std::vector<int64_t>& dims, const Abstract* value);
/// The element at a 0-based position over all elements: rank 0, or a tensor of positions for as many elements.
Abstract element_at(Compiler& c, const Abstract& array, IrValue position);

/// The elements at indices of which some are arrays, steps or colons, one for each dimension.
Abstract select_block(Compiler& c, const Abstract& array, std::span<const Abstract> indices);
/// The 0-based linear positions of those, in the shape `dims` (reversed, as IR has it), which is given back.
IrValue linear_positions(Compiler& c, const std::vector<int64_t>& array, std::span<const Abstract> indices,
                         const std::string& failure, std::vector<int64_t>& dims);

/// Whether x comes before y where numbers of this type are sorted, from the largest on when `reverse`.
IrValue is_before(Compiler& c, const DataType* element, IrValue x, IrValue y, bool reverse);

/// Puts the elements of an array into the place that a view shows.
void store_view(Compiler& c, const Abstract& view, const Abstract& array);
/// The 0-based start and the extent of each index along its dimension; an integer index has the extent 1 and goes away.
struct BlockIndex {
  std::vector<IrValue> starts;   // by dimension of the array
  std::vector<int64_t> extents;  // likewise
  std::vector<int64_t> kept;     // extents of the block without the dimensions of integers
};
/// Fails for indices that are no integers, ranges with step 1, or colons.
BlockIndex block_index(Compiler& c, const HeapObject& o, std::span<const Abstract> indices);

}  // namespace weft::julia
