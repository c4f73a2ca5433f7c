// Arrays with open extents: code that is written once for all of them. Elements are reached one after another, in loops.
#pragma once
#include <functional>
#include <string>

#include "julia/infer/emit/arrays.h"

namespace weft::julia {

/// The extent of dimension k (0-based): a constant, or a scalar that is known when the program runs.
Abstract extent_of(Compiler& c, const HeapObject& o, size_t k);
/// The number of all elements.
Abstract length_value(Compiler& c, const HeapObject& o);

/// Of arguments that come from elsewhere: open extents of one number are equal. name_of: what messages call it.
void assert_extents_of_one_name(Compiler& c, const std::function<std::string(uint32_t)>& name_of);

/// Extents with what they are when the program runs.
struct GivenExtents {
  Extents dims;
  std::vector<Abstract> values;
};
/// From a tuple or a number; each that is no constant is open, and checked not to be negative.
GivenExtents given_extents(Compiler& c, const Abstract& tuple);
GivenExtents extents_of(Compiler& c, const HeapObject& o);

/// A tensor of these extents with this number everywhere.
IrValue filled_tensor(Compiler& c, IrValue number, const GivenExtents& extents);
IrValue zero_tensor(Compiler& c, ElementType element, const GivenExtents& extents);
Abstract make_filled(Compiler& c, const Type* element, const GivenExtents& extents, const Abstract* value);

/// 0-based positions for checked integer indices, one for each dimension.
std::vector<IrValue> open_positions(Compiler& c, const HeapObject& o, std::span<const Abstract> indices);
/// Those of an element by its 0-based place among all.
std::vector<IrValue> positions_of(Compiler& c, const HeapObject& o, IrValue place);
Abstract element_at_positions(Compiler& c, const HeapObject& o, const std::vector<IrValue>& at);

/// Whether one of these is an array with open extents, or a tree of broadcasts over one.
bool any_open(Compiler& c, std::span<const Abstract> values);
/// An array of what `body` gives for each element's 0-based positions, converted to `element` where it is given; elements that are Bools become a
/// BitArray when `bits`.
Abstract collect_open(Compiler& c, const GivenExtents& extents, const Type* element, bool bits,
                      const std::function<Abstract(const std::vector<IrValue>&)>& body);
/// map(f, arrays…): f undefined: the elements themselves. Fails unless the extents of the arrays are known to be equal.
Abstract map_open(Compiler& c, const Abstract& f, std::span<const Abstract> arrays, const Type* element);

}  // namespace weft::julia
