// Derivatives and lanes of LAPACK's custom calls.
#pragma once
#include <string_view>

#include "ops/record.h"

namespace weft::lapack {

/// The rule of a target; null when there is none. Choices where a factorization is not differentiable: eigenvalues or
/// singular values that are equal contribute nothing to each other's vectors; a reflector that is the identity keeps its direction.
LinearizeFn* linearize_of(std::string_view target);
/// The call on one more batch dimension.
std::vector<LaneValue> lanes_of_call(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands);

}  // namespace weft::lapack
