// Rules of dot_general.
#pragma once
#include "ops/record.h"

namespace weft {

std::vector<Type> type_dot_general(const TypeContext& context);
std::vector<Value> transpose_dot_general(TransposeContext& context, const OpView& op,
                                         std::span<const Value> cotangents);
std::vector<LaneValue> vectorize_dot_general(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands);
Cost cost_dot_general(const OpView& op);
std::vector<Sample> samples_dot_general();

/// precision_config: at most two words (constraint dot_general_c11, convolution_c24).
void check_precision(const TypeContext& context, std::string_view label);

}  // namespace weft
