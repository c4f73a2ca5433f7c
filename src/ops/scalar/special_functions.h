// Functions of one element beyond num.h and scalar_math.h: inverse and hyperbolic functions, the gamma family, Bessel's I1,
// neighbours and bits of floats. Each exists over Num (the evaluator) and over SExpr (native code); what has no counterpart in the
// C library is one template for both. Floats compute in f64 and round once to their type; errors in f64 (asserted by
// tests/op/special_functions_test.cc): 4 ulp, where nothing else is said.
#pragma once
#include "ops/scalar/num.h"
#include "ops/scalar/scalar_math.h"

namespace weft {

Num asin(Num a);
Num acos(Num a);
Num atan(Num a);
Num sinh(Num a);
Num cosh(Num a);
Num asinh(Num a);
Num acosh(Num a);
Num atanh(Num a);
Num erfc(Num a);
/// log |Γ(x)|; inf at 0, -1, -2 … and at both infinities. Near its zeros left of 0 the error is absolute.
Num lgamma(Num a);
SExpr asin(SExpr a);
SExpr acos(SExpr a);
SExpr atan(SExpr a);
SExpr sinh(SExpr a);
SExpr cosh(SExpr a);
SExpr asinh(SExpr a);
SExpr acosh(SExpr a);
SExpr atanh(SExpr a);
SExpr erfc(SExpr a);
SExpr lgamma(SExpr a);

/// The x with erf(x) = a; ±inf at ±1, NaN beyond.
Num erf_inv(Num a);
SExpr erf_inv(SExpr a);
/// exp(-|x|) I1(x), odd.
Num bessel_i1e(Num a);
SExpr bessel_i1e(SExpr a);
/// ψ = (log Γ)'; NaN at 0, -1, -2 …. Relative error 1e-14 except near its zeros.
Num digamma(Num a);
SExpr digamma(SExpr a);
/// Hurwitz's ζ(s, q) = Σ (q + k)⁻ˢ over k >= 0. s = 1: inf; s < 1: NaN. q <= 0: at integers inf for even s, else NaN; between them
/// the sum for integer s, NaN for others. Relative error 1e-13.
Num zeta(Num s, Num q);
SExpr zeta(SExpr s, SExpr q);
/// The n-th derivative of ψ for n = 0, 1, 2 …, NaN for other n. Relative error 1e-13 except near zeros.
Num polygamma(Num n, Num x);
SExpr polygamma(SExpr n, SExpr x);

/// The bits of a float of type `t` as an unsigned integer as wide. Over SExpr 16-bit floats stand as f32.
Num float_bits(Num x, ElementType t);
SExpr float_bits(SExpr x, ElementType t);
Num float_of_bits(Num bits, ElementType t);
SExpr float_of_bits(SExpr bits, ElementType t);
/// The neighbour of x (both of float type `t`) in the direction of y; y when they are equal, NaN when either is.
Num next_after(Num x, Num y, ElementType t);
SExpr next_after(SExpr x, SExpr y, ElementType t);
/// x rounded (ties to even) to a float format of `exponent_bits` and `mantissa_bits`, without its subnormal numbers: those become
/// zero, overflow infinity. NaN stays NaN.
Num reduce_precision(Num x, ElementType t, int64_t exponent_bits, int64_t mantissa_bits);
SExpr reduce_precision(SExpr x, ElementType t, int64_t exponent_bits, int64_t mantissa_bits);

Num popcnt(Num a);
SExpr popcnt(SExpr a);
/// Zero bits above the highest one; the width for 0.
Num count_leading_zeros(Num a);
SExpr count_leading_zeros(SExpr a);
/// The upper half of the product of two integers of one type.
Num mulhi(Num a, Num b);
SExpr mulhi(SExpr a, SExpr b);

}  // namespace weft
