// tan, inverse trigonometric and hyperbolic functions. The evaluator has the C library's; native has them in terms of the
// primitives that scalar_math.h expands. f32 computes in f64.
#include <cmath>

#include "ops/scalar/complex_num.h"
#include "ops/scalar/scalar_parts.h"
#include "ops/scalar/special_functions.h"

namespace weft {

using namespace scalar_parts;

Num asin(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.asin(z); }, a);
  return Num::of_real(a.type, std::asin(a.real));
}
Num acos(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.acos(z); }, a);
  return Num::of_real(a.type, std::acos(a.real));
}
Num atan(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.atan(z); }, a);
  return Num::of_real(a.type, std::atan(a.real));
}
Num sinh(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.sinh(z); }, a);
  return Num::of_real(a.type, std::sinh(a.real));
}
Num cosh(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.cosh(z); }, a);
  return Num::of_real(a.type, std::cosh(a.real));
}
Num asinh(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.asinh(z); }, a);
  return Num::of_real(a.type, std::asinh(a.real));
}
Num acosh(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.acosh(z); }, a);
  return Num::of_real(a.type, std::acosh(a.real));
}
Num atanh(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.atanh(z); }, a);
  return Num::of_real(a.type, std::atanh(a.real));
}

namespace {

constexpr ElementType kDouble = ElementType::kF64;

/// Above it 1 + x² is x² and sqrt(x² ± 1) is x.
constexpr double kSquareSwallowsOne = 0x1p28;
constexpr double kLog2 = 0x1.62e42fefa39efp-1;

}  // namespace

SExpr tan(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kTan, x0);
  const SExpr x = x0.convert(kDouble);
  return (sin(x) / cos(x)).convert(x0.type());
}

// The angles of the points (sqrt(1 - x²), x) and (x, sqrt(1 - x²)), 1 - x² by its factors.
SExpr asin(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kAsin, x0);
  const SExpr x = x0.convert(kDouble);
  return atan2(x, sqrt((1 - x) * (1 + x))).convert(x0.type());
}
SExpr acos(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kAcos, x0);
  const SExpr x = x0.convert(kDouble);
  return atan2(sqrt((1 - x) * (1 + x)), x).convert(x0.type());
}
SExpr atan(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kAtan, x);
  return atan2(x, x.constant(1));
}

// By u = expm1 |x|: (u + u / (u + 1)) / 2; where exp overflows before the result does, by its root.
SExpr sinh(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kSinh, x0);
  const SExpr x = x0.convert(kDouble), a = abs(x);
  const SExpr u = expm1(a), root = exp(0.5 * a);
  const SExpr value = select(a < x.constant(40), 0.5 * (u + u / (u + 1)), 0.5 * root * root);
  return copy_sign(value, x).convert(x0.type());
}
SExpr cosh(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kCosh, x0);
  const SExpr a = abs(x0.convert(kDouble));
  const SExpr e = exp(a), root = exp(0.5 * a);
  return select(a < a.constant(40), 0.5 * e + 0.5 / e, 0.5 * root * root).convert(x0.type());
}

// log(a + sqrt(a² + 1)) = log1p(a + a² / (1 + sqrt(a² + 1))).
SExpr asinh(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kAsinh, x0);
  const SExpr x = x0.convert(kDouble), a = abs(x), square = a * a;
  const SExpr near = log1p(a + square / (1 + sqrt(square + 1)));
  const SExpr value = select(a < x.constant(kSquareSwallowsOne), near, log(a) + kLog2);
  return copy_sign(value, x).convert(x0.type());
}
// log(x + sqrt(x² - 1)) = log1p(t + sqrt(t² + 2t)) with t = x - 1; below 1 the root is NaN, and below -1 the choice is.
SExpr acosh(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kAcosh, x0);
  const SExpr x = x0.convert(kDouble), t = x - 1;
  const SExpr near = log1p(t + sqrt(t * t + 2 * t));
  const SExpr value = select(x < x.constant(kSquareSwallowsOne), near, log(x) + kLog2);
  return select(x < x.constant(1), x.constant(NAN), value).convert(x0.type());
}
SExpr atanh(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kAtanh, x0);
  const SExpr x = x0.convert(kDouble), a = abs(x);
  return copy_sign(0.5 * log1p(2 * a / (1 - a)), x).convert(x0.type());
}

}  // namespace weft
