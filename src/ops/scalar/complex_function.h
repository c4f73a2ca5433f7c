// Names of the functions of complex numbers that are called rather than written as arithmetic on parts.
#pragma once
#include <cstdint>

namespace weft {

/// Those of ComplexMath (ops/scalar/complex_math.h). The numbers are part of the run-time library's interface (weft_rt_complex_f32).
enum class ComplexFunction : uint8_t {
  kDivide,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSqrt,
  kRsqrt,
  kCbrt,
  kSquare,
  kTanh,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kLogistic,
  kSign,
  kPow,
  kAtan2,
  kAbs,  // the magnitude, with imaginary part 0
};

/// Whether the function has a second operand.
constexpr bool is_binary(ComplexFunction f) {
  return f == ComplexFunction::kDivide || f == ComplexFunction::kPow || f == ComplexFunction::kAtan2;
}

}  // namespace weft
