// NumPy's .npy files, versions 1 to 3, C order.
#pragma once
#include <string>

#include "ir/type.h"

namespace weft::cli {

/// Reads a file as a value of type `expected`. Element types that .npy has no name for (bf16, f8, i4 …) are taken as raw
/// bytes of the same size (dtype V2, V1, or the unsigned integer). Throws UserError naming the file: got, expected.
Tensor read_npy(const std::string& path, Type expected);
/// Element types without a NumPy name are written as raw bytes (V1, V2).
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace weft::cli
