// Arrays that are no tensor of a fixed shape. A list has its elements one by one: arrays of arrays, of Any, of tuples of
// several types, of which the number is known. A bounded vector of plain elements has room for so many, and a count that is known when the program
// runs: what a mask selects, what a loop appends.
#pragma once
#include "julia/infer/emit/arrays.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/iterable.h"

namespace weft::julia {

inline bool is_list(const HeapObject& o) { return !o.is_array && o.element != nullptr && o.leaves.empty(); }
inline bool is_bounded(const HeapObject& o) { return !o.is_array && o.element != nullptr && !o.leaves.empty(); }
bool is_list(Compiler& c, const Abstract& a);
bool is_bounded(Compiler& c, const Abstract& a);
/// Whether compiled code holds elements of this type in tensors.
bool is_plain_element(Compiler& c, const Type* t);

Abstract make_list(Compiler& c, const Type* element, std::vector<int64_t> dims, std::vector<Abstract> elements);
/// An array of the elements: tensors when they are plain and of one type, else a list.
Abstract array_of_elements(Compiler& c, std::vector<Abstract> elements, const std::vector<int64_t>& dims,
                           const Type* element = nullptr);
/// The elements of a list, a tuple, or of an array of a known size, one by one.
std::vector<Abstract> all_elements(Compiler& c, const Abstract& a);
/// f of all elements of containers of which one is a list or tuple.
Abstract map_unrolled(Compiler& c, const std::function<Abstract(std::vector<Abstract>)>& f,
                      std::span<const Abstract> containers, const std::vector<int64_t>& dims, const Type* element);

/// `capacity` elements of which the first `count` are there.
Abstract make_bounded(Compiler& c, const DataType* type, int64_t capacity, const Abstract& count);
/// Puts an element behind the last, for which there must be room.
void append_bounded(Compiler& c, const Abstract& vector, const Abstract& element, IrValue condition);
/// Makes a vector one of that many elements, of which those that it has are there. Where room is reserved, what is pushed is checked against it.
void bound_object(Compiler& c, uint32_t id, int64_t capacity, bool reserved);
IrValue padded(OpBuilder& b, IrValue v, int64_t to);
/// Puts an element at a 0-based place.
void put_bounded(Compiler& c, const Abstract& vector, IrValue position, const Abstract& x);
/// The flag that a test gave.
IrValue as_flag(Compiler& c, const Abstract& v);
/// Elements by position, of tuples and lists too.
Iterable plain_iterable(Compiler& c, const Abstract& a);
/// A type that is an argument.
const Type* known_type(Compiler& c, const Abstract& t);
/// A view with one range among its indices, and numbers otherwise.
bool is_slice_view(Compiler& c, const Abstract& a);
/// The most elements that something has.
int64_t bound_of(Compiler& c, const Abstract& a);
/// A vector of the elements that are to be kept.
Abstract collect_if(Compiler& c, const Type* element_type, int64_t bound, IrValue count,
                    const std::function<std::pair<Abstract, IrValue>(IrValue position)>& body);
/// A vector of so many elements, at most `bound`; element_type null: that of `body`'s.
Abstract collect_counted(Compiler& c, const Type* element_type, int64_t bound, IrValue count,
                         const std::function<Abstract(IrValue position)>& body);
/// The elements of a vector of unknown length in one of its own.
Abstract collect_vector(Compiler& c, const Abstract& a);
/// (name, element type, dimension, parts…) of vectors and single elements that no tensor holds.
Abstract concatenate_lists(Compiler& c, std::span<const Abstract> arguments);
/// array[mask], and its assignment.
Abstract select_by_mask(Compiler& c, const Abstract& array, const Abstract& mask);
Abstract set_by_mask(Compiler& c, const Abstract& array, const Abstract& values, const Abstract& mask);
IrValue count_of(Compiler& c, const Abstract& vector);

/// The form in IR of an intrinsic that is given a list or a bounded vector; null: it has none of its own.
Abstract (*find_stored_emission(Compiler& c, std::string_view intrinsic,
                                std::span<const Abstract> arguments))(Compiler&, std::span<const Abstract>);
std::span<const Emission> list_emissions();
std::span<const Emission> bounded_emissions();

}  // namespace weft::julia
