// Results as readable text.
#pragma once
#include <string>

#include "weft/tensor.h"

namespace weft::cli {

/// "tensor<2xf32> = [1.0, 2.5]": numbers are the shortest decimals that read back, nan, inf, true, (re, im).
std::string tensor_text(const Tensor& tensor);

}  // namespace weft::cli
