// NumPy's .npy format, versions 1 to 3 (numpy.lib.format), as bytes.
#pragma once
#include <string>
#include <string_view>

#include "ir/type.h"

namespace weft::cli {

/// The array in `bytes` as a value of a program's type: the element type must be the same, big-endian elements are turned
/// round, Fortran order becomes row-major. Element types that .npy has no name for (bf16, f8, i4 …) are raw bytes of their
/// size (V2, V1, or integers of that size) and take their type from `expected`; open extents fit any up to their bound.
/// Throws UserError that begins with `name`: got, expected.
Tensor parse_npy(std::string_view bytes, const std::string& name, Type expected);

/// Version 1, row-major, little-endian. Element types without a NumPy name are raw bytes (V1, V2).
std::string format_npy(const Tensor& tensor);

}  // namespace weft::cli
