// Random numbers as integer arithmetic on counters: what ops/random/rng.cc draws, element by element, so that it runs in the kernels that
// use the numbers.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

/// rng_bit_generator with the algorithms and states that the evaluator knows.
std::optional<std::vector<Value>> lower_rng_bit_generator(OpBuilder& builder, const OpView& op,
                                                          std::span<const Value> operands);
/// rng. Its sequence is keyed by the attribute `weft.seed`, else by the op's position.
std::optional<std::vector<Value>> lower_rng(OpBuilder& builder, const OpView& op, std::span<const Value> operands);

/// A copy of the module in which each rng op carries its position in its own function as `weft.seed`, so that its numbers stay the same
/// where its function is copied into others; null when there is no rng.
std::unique_ptr<Module> with_seeds(const Module& module);

}  // namespace weft::native
