// exp, expm1, tanh, logistic, erf.
//
// exp(x) = 2^k exp(r), k = x/ln 2 rounded, r = x - k ln 2 in two fused steps (Cody & Waite: the first is exact). exp(r) - 1 =
// r + r² q(r); q is the minimax polynomial on |r| <= 0.347 by Remez exchange in 60 digits, absolute error of exp(r): f32 2^-28, f64 2^-58.
#include "ops/scalar/erf_coefficients.h"
#include "ops/scalar/scalar_parts.h"

namespace weft {
namespace scalar_parts {

ExpParts exp_parts(SExpr x, const SExpr* tail) {
  const bool single = is_single(x);
  // Adding 1.5·2^(fraction bits) rounds to an integer that then stands in the low bits.
  const double shifter = single ? 0x1.8p23 : 0x1.8p52;
  const SExpr t = fma(x, x.constant(0x1.71547652b82fep+0), x.constant(shifter));
  const SExpr n = t - x.constant(shifter);
  const SExpr k = bits_of(t) - bits_of(x.constant(shifter));
  SExpr r = x;
  if (single) {
    r = fma(n, x.constant(-0x1.62e43p-1), r);
    r = fma(n, x.constant(0x1.05c61p-29), r);
  } else {
    r = fma(n, x.constant(-0x1.62e42fefa39efp-1), r);
    r = fma(n, x.constant(-0x1.abc9e3b39803fp-56), r);
  }
  if (tail != nullptr) r = r + *tail;
  const SExpr q =
      polynomial_for(r, {0x1p-1, 0x1.55548ep-3, 0x1.55545cp-5, 0x1.123c02p-7, 0x1.6db4eap-10},
                     {0x1.000000000000cp-1, 0x1.5555555555561p-3, 0x1.555555554ff7ap-5, 0x1.111111110d5f7p-7,
                      0x1.6c16c185d166bp-10, 0x1.a01a01baf6ea6p-13, 0x1.a019961c2ebabp-16, 0x1.71dddf9fb755fp-19,
                      0x1.28b0bc1157f37p-22, 0x1.af85cde12ea75p-26});
  const SExpr square = r * r, p = fma(square, q, r);
  return {k, p, fma(square, q, r - p)};
}

}  // namespace scalar_parts

using namespace scalar_parts;

namespace {

double exp_overflow(SExpr x) { return is_single(x) ? 89 : 710; }
double exp_underflow(SExpr x) { return is_single(x) ? -104 : -746; }

/// exp of x in (exp_underflow/2, exp_overflow/2): the result is normal, so one scaling does.
SExpr exp_normal(SExpr x) {
  const ExpParts e = exp_parts(x);
  return (1 + e.p) * power_of_two(e.k, x);
}

}  // namespace

SExpr exp(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kExp, x);
  const ExpParts e = exp_parts(at_least(at_most(x, exp_overflow(x)), exp_underflow(x)));
  return scale(1 + e.p, e.k);
}

// 2^k (1 + p) - 1 = 2 (2^(k-1) p + (2^(k-1) - 1/2)): the halves keep 2^k finite, the sum in brackets is exact where it matters.
SExpr expm1(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kExpm1, x);
  const ExpParts e = exp_parts(at_least(at_most(x, exp_overflow(x)), is_single(x) ? -20 : -40));
  const SExpr half = power_of_two(e.k - e.k.constant(1), x);
  const SExpr value = 2 * fma(e.p_low, half, fma(e.p, half, half - 0.5));
  return select(abs(x) < x.constant(is_single(x) ? 0x1p-26 : 0x1p-55), x, value);
}

// Below the switch an odd polynomial (minimax in x², relative error f32 2^-27.8, f64 2^-60), above it 1 - 2 / (exp(2|x|) + 1).
SExpr tanh(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kTanh, x);
  const SExpr z = x * x, a = abs(x);
  const SExpr t =
      polynomial_for(z, {-0x1.555534p-2, 0x1.11076ap-3, -0x1.b8446cp-5, 0x1.525748p-6, -0x1.76ac8ep-8},
                     {-0x1.555555555554fp-2, 0x1.11111111107ebp-3, -0x1.ba1ba1b981b19p-5, 0x1.664f485a5573bp-6,
                      -0x1.226e2f30bc5b9p-7, 0x1.d6d29fe7d6643p-9, -0x1.7d90099f543f9p-10, 0x1.34855e62b7dbcp-11,
                      -0x1.e98082082e03ap-13, 0x1.5da332ce1bac4p-14, -0x1.47822e328a96ap-16});
  const SExpr small = fma(a * z, t, a);
  const SExpr twice = at_most(a + a, is_single(x) ? 20 : 40);
  const SExpr large = 1 - 2 / (exp_normal(twice) + 1);
  return copy_sign(select(a < x.constant(is_single(x) ? 0.625 : 0.55), small, large), x);
}

// By exp(-|x|), which cannot overflow: 1 / (1 + e) or e / (1 + e), the quotient corrected once for the rounding of 1 + e and its own.
SExpr logistic(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kLogistic, x);
  const SExpr a = at_least(-abs(x), exp_underflow(x));
  const ExpParts parts = exp_parts(a);
  const SExpr e = scale(1 + parts.p, parts.k);
  const SExpr numerator = select(x < x.constant(0), e, x.constant(1));
  const SExpr denominator = 1 + e, lost = e - (denominator - 1), inverse = 1 / denominator;
  const SExpr quotient = numerator * inverse;
  const SExpr rest = fma(-quotient, denominator, numerator) - quotient * lost;
  return fma(rest, inverse, quotient);
}

SExpr erf(SExpr x) {
  using namespace erf_coefficients;
  const bool single = is_single(x);
  const SExpr z = x * x, a = at_most(abs(x), single ? kSingleLimit : kDoubleLimit);
  const SExpr inner = single ? polynomial(z, kSingleInner) : polynomial(z, kDoubleInner);
  const SExpr outer = single ? polynomial(a, kSingleOuter) : polynomial(a, kDoubleOuter);
  const SExpr small = fma(x, inner, x), large = copy_sign(1 - exp_normal(outer), x);
  return select(abs(x) < x.constant(1), small, large);
}

}  // namespace weft
