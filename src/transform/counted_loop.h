// Loops whose number of iterations is known, and integers that follow their counter.
#pragma once
#include <cstdint>
#include <optional>

#include "ir/function.h"
#include "ops/builder.h"

namespace weft {

/// A while op whose condition compares one carry with a constant, where that carry starts at a constant and the body adds
/// another to it. In iteration t = 0 … trips-1 the carry is start + step · t.
struct CountedLoop {
  size_t counter = 0;  // position among the carries
  int64_t start = 0, step = 1, trips = 0;
};
std::optional<CountedLoop> counted_loop(const Function& f, OpId op);

/// The value of an integer constant of one element.
std::optional<int64_t> integer_constant(const Function& f, Value v);

/// factor · t + offset in iteration t of a counted loop.
struct Affine {
  int64_t factor = 0, offset = 0;
};
/// `v` of the body of `op` (or from around it) as such, or none.
std::optional<Affine> affine_in_iteration(const Function& f, OpId op, const CountedLoop& loop, Value v);

/// reshape(dynamic_slice(whole, …, place, …)) of one element along an axis that has the loop's iterations, in their order or backwards.
struct IterationSlice {
  Value whole, place;
  int64_t axis = 0;
  Affine order;  // of `place`: t or trips-1 - t
};
/// `v` of the body of `op` as such, or none. `whole` comes from around the loop.
std::optional<IterationSlice> slice_by_iteration(const Function& f, OpId op, const CountedLoop& loop, Value v);

/// What such a carry is after the loop, or none.
std::optional<int64_t> value_after(const Function& f, OpId op, const CountedLoop& loop, size_t carry);

/// Writes t from the counter's value in an iteration.
Value iteration_of(OpBuilder& b, const CountedLoop& loop, Value counter);

/// x with an axis of one element inserted: a broadcast, which an update reads on its way, where a reshape would be memory of its own.
Value with_axis(OpBuilder& b, Value x, int64_t axis);

}  // namespace weft
