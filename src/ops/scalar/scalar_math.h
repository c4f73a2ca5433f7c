// Functions of one element as scalar nodes: the names of num.h over SExpr, so that one generic line serves both.
// Primitives of libm expand into branch-free polynomial code of our own. Errors (asserted by tests/op/scalar_math_test.cc over
// the whole range, special values included): at most 2 ulp in f32 and f64 unless a function says otherwise below.
// Fused multiply-add is used freely inside. Sources: argument reductions after Cody & Waite and Payne & Hanek; the coefficients
// are our own, fitted in multiple precision (Chebyshev interpolation refined by Remez exchange, relative error).
#pragma once
#include "ops/scalar/scalar.h"

namespace weft {

/// Integer remainder of the sign of a; floats: fmod.
inline SExpr rem(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kRem, b); }
inline SExpr maximum(SExpr a, SExpr b) {
  return a.is_complex() ? select(a < b, b, a) : a.binary(ScalarOpcode::kMax, b);
}
inline SExpr minimum(SExpr a, SExpr b) {
  return a.is_complex() ? select(b < a, b, a) : a.binary(ScalarOpcode::kMin, b);
}
/// Of a complex number: a float.
SExpr complex_abs(SExpr a);
inline SExpr abs(SExpr a) {
  if (a.is_complex()) return complex_abs(a);
  return is_unsigned_integer(a.type()) ? a : a.unary(ScalarOpcode::kAbs);
}
inline SExpr bit_and(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kAnd, b); }
inline SExpr bit_or(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kOr, b); }
inline SExpr bit_xor(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kXor, b); }
inline SExpr bit_not(SExpr a) { return a.unary(ScalarOpcode::kNot); }
inline SExpr shift_left(SExpr a, SExpr n) { return a.binary(ScalarOpcode::kShl, n); }
inline SExpr shift_right_logical(SExpr a, SExpr n) { return a.binary(ScalarOpcode::kShrLogical, n); }
inline SExpr shift_right_arithmetic(SExpr a, SExpr n) { return a.binary(ScalarOpcode::kShrArithmetic, n); }
/// Parts as floats; of a float: itself and 0.
inline SExpr real_part(SExpr a) { return a.is_complex() ? a.real() : a; }
inline SExpr imag_part(SExpr a) { return a.is_complex() ? a.imag() : a.constant(0); }
inline SExpr complex_of(SExpr real, SExpr imag) { return {real, imag}; }
inline SExpr conj(SExpr a) { return a.is_complex() ? SExpr(a.real(), -a.imag()) : a; }
inline SExpr square(SExpr a) { return a.is_complex() ? complex_call(ComplexFunction::kSquare, a) : a * a; }
inline SExpr floor(SExpr a) { return a.unary(ScalarOpcode::kFloor); }
inline SExpr ceil(SExpr a) { return a.unary(ScalarOpcode::kCeil); }
inline SExpr trunc(SExpr a) { return a.unary(ScalarOpcode::kTrunc); }
inline SExpr round_even(SExpr a) { return a.unary(ScalarOpcode::kRoundEven); }
inline SExpr sqrt(SExpr a) {
  return a.is_complex() ? complex_call(ComplexFunction::kSqrt, a) : a.unary(ScalarOpcode::kSqrt);
}
/// |magnitude| with the sign bit of `sign`.
SExpr copy_sign(SExpr magnitude, SExpr sign);
/// -1, 0, 1; keeps NaN and signed zero.
SExpr sign(SExpr a);
SExpr is_finite(SExpr a);
/// Halves away from zero.
SExpr round_away(SExpr a);
SExpr rsqrt(SExpr a);
/// `from` and `to` are the tensor's element types; 16-bit floats stand as f32 in `a` and in the result, rounded so that the
/// final rounding to 16 bits equals one rounding.
SExpr convert(SExpr a, ElementType from, ElementType to);

SExpr exp(SExpr a);
SExpr expm1(SExpr a);
SExpr log(SExpr a);
SExpr log1p(SExpr a);
SExpr tanh(SExpr a);
SExpr logistic(SExpr a);
SExpr sin(SExpr a);
SExpr cos(SExpr a);
/// f64: at most 5 ulp.
SExpr tan(SExpr a);
SExpr erf(SExpr a);
SExpr cbrt(SExpr a);
/// C's pow in every special case; integers: exact modulo 2^width, negative exponents give ±1 or 0.
SExpr pow(SExpr a, SExpr b);
SExpr atan2(SExpr y, SExpr x);
/// The C library's function of x where pred holds, else `otherwise`: for arguments so rare that a branch is right.
SExpr libm_where(SExpr pred, LibmFunction function, SExpr x, SExpr otherwise);

}  // namespace weft
