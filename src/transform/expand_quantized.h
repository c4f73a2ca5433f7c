// Quantized programs as plain ones: what targets compile that know no quantized types.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// True when a value of f, also within its regions, is quantized.
bool has_quantized_values(const Function& f);
/// A copy of f in which every quantized tensor is one of its storage integers, and every op on quantized tensors is written out with the
/// evaluator's meaning (ops/quantized/quantization.h): what computes as dequantization, the op on expressed types and quantization, each in plain
/// elementwise ops; what moves elements, hands them on or combines them by a region on the integers. Arguments and results hold the same
/// bits as before; their types are the storage types. Throws Unsupported for ops that take no quantized types, for custom calls with them,
/// and for quantized tensors with open extents.
std::unique_ptr<Function> expand_quantized(const Function& f);

}  // namespace weft
