// Functions of complex<f32> in the lanes of vectors: the formulas in f64 with one rounding at the end, for lanes whose results are finite.
#pragma once
#include <optional>

#include "ops/scalar/complex_function.h"
#include "ops/scalar/scalar.h"

namespace weft::codegen {

/// Arguments: the parts of the operands, in f32. Results: both parts in f32, and whether they are right; elsewhere (poles, infinities,
/// NaN, overflow) the run-time library knows.
struct ComplexProgram {
  ScalarProgram program;
  int real = -1, imag = -1, is_right = -1;
};
/// None for functions that are always called.
std::optional<ComplexProgram> complex_program(ComplexFunction function);

}  // namespace weft::codegen
