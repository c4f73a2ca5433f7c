// Random numbers as integer arithmetic on counters: what rng.cc draws, element by element. Lanes draw from states of their own by it, and the
// native target draws in the kernels that use the numbers.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft {

/// rng_bit_generator with the algorithms and states that the evaluator knows.
std::optional<std::vector<Value>> rng_bit_generator_in_ops(OpBuilder& builder, const OpView& op,
                                                           std::span<const Value> operands);
/// rng. Its sequence is keyed by the attribute `weft.seed`, else by the op's position.
std::optional<std::vector<Value>> rng_in_ops(OpBuilder& builder, const OpView& op, std::span<const Value> operands);

/// What rng makes of a number that is uniform in (0, 1), in f64, for bounds of its own shape.
Value uniform_between(OpBuilder& builder, Value standard, Value from, Value to);
/// What rng makes of a standard normal number in f64.
Value normal_of(OpBuilder& builder, Value standard, Value mean, Value deviation);

}  // namespace weft
