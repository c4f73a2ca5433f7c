// Rules of convolution.
#pragma once
#include "ops/record.h"

namespace weft {

std::vector<Type> type_convolution(const TypeContext& context);
std::vector<Value> transpose_convolution(TransposeContext& context, const OpView& op,
                                         std::span<const Value> cotangents);
std::vector<LaneValue> vectorize_convolution(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands);
Cost cost_convolution(const OpView& op);
std::vector<Sample> samples_convolution();

/// Number of window positions along one dimension: the specification's num_windows. Unknown extents give kDynamic.
int64_t num_windows(int64_t extent, int64_t base_dilation, int64_t low, int64_t high, int64_t window,
                    int64_t window_dilation, int64_t stride);

}  // namespace weft
