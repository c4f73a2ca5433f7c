// Numbers that a derivative is taken of while the host runs the function: each says beside its bits where on the tape it is.
#pragma once
#include <cstdint>
#include <vector>

#include "julia/host/array.h"
#include "julia/host/value.h"

namespace weft::julia::tracked {

/// Of the recording under way, in the high bits; 0: there is none. What earlier recordings left behind is no longer tracked.
extern constinit thread_local uint64_t recording;
constexpr uint64_t kPlaceBits = 40;
inline bool is_recording() { return recording != 0; }

/// Where a number is on the tape of the recording under way, from 1; 0: it is a constant, or no number of floats.
uint64_t place_of(const Value& number);
Value with_place(const Value& number, uint64_t place);
Value without_place(const Value& number);
/// A number on the tape, or plain bits that are kept field by field because one of them is.
bool is_tracked(const Value& v);

/// Elements of plain bits as values from now on, so that they may be tracked. Throws Unsupported when other arrays see the same memory.
void box(ArrayObject& a);
/// Gives `to` the kind of storage that `from`, an array with the same elements, has.
void box_like(ArrayObject& to, const ArrayObject& from);
/// Arrays that were boxed, and those that share their elements.
void remember(ArrayObject& a);
/// All remembered arrays are plain again.
void unbox_all();

/// The bytes of plain bits that are kept field by field, until some further calls. Throws Unsupported when one of them is tracked.
const std::byte* bytes_of_fields(const Value& v);
[[noreturn]] void throw_tracked_bits();

}  // namespace weft::julia::tracked
