// Slices: blocks with one range among the indices whose length is known only when the program runs, and numbers otherwise.
#pragma once
#include "julia/infer/emit/arrays.h"

namespace weft::julia {

struct Slice {
  std::vector<int64_t> extents;  // of the array; one, of all elements, where there is one index
  size_t dimension = 0;          // that the range runs along
  int64_t bound = 0;             // its extent
  std::vector<IrValue> starts;   // 0-based, by dimension
  IrValue step;                  // null: 1
  IrValue count;                 // at most `bound`
  std::vector<IrValue> positions(Compiler& c, IrValue k) const;
};

bool is_slice(Compiler& c, std::span<const Abstract> indices);
/// Checked against the extents.
Slice slice_of(Compiler& c, const HeapObject& o, std::span<const Abstract> indices);
Abstract get_slice(Compiler& c, const Abstract& array, std::span<const Abstract> indices);
/// The array that a view looks into, or that something else is; undefined for what is none.
Abstract looked_into(Compiler& c, const Abstract& a);
/// Elements that stay as they are while `destination` changes.
Abstract unaliased(Compiler& c, const Abstract& destination, const Abstract& source);
/// Forms in IR of intrinsics that are given a vector of unknown length, beside those of bounded_emissions.
std::span<const Emission> counted_emissions();
void set_slice(Compiler& c, const Abstract& array, const Abstract& value, std::span<const Abstract> indices);

}  // namespace weft::julia
