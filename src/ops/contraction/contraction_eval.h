// Values of dot_general and convolution: operands are brought into one canonical layout and one accumulator type, then a plain
// loop runs. Accumulators: f32 for 16-bit and 32-bit floats, f64 for f64, integers modulo 2^64 (exact for every width), or for i1.
#pragma once
#include "ops/record.h"

namespace weft {

std::vector<EvalValue> eval_dot_general(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);
std::vector<EvalValue> eval_convolution(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);

}  // namespace weft
