// The real functions of Base.Math on machine floats, for scalars and for whole arrays alike.
#pragma once
#include <optional>
#include <string_view>

#include "julia/host/value.h"

namespace weft::julia {

enum class MathFunction : uint8_t {
  kSqrt,
  kCbrt,
  kExp,
  kExp2,
  kExp10,
  kExpm1,
  kLog,
  kLog2,
  kLog10,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kSinpi,
  kCospi,
  kTanpi,
  kSind,
  kCosd,
  kTand,
};

/// Results of a Float32 function are those in Float64, rounded; those of a Float64 function are good to the last place or nearly.
double math(MathFunction f, double x);
float math(MathFunction f, float x);
/// Throws Julia's DomainError when the function is not defined for x, whose value is given as Julia has it.
void check_domain(MathFunction f, double x, const Value& value);
/// By Julia's name: "sqrt", "log1p".
std::optional<MathFunction> math_function(std::string_view name);

}  // namespace weft::julia
