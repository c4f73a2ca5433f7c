// log, log1p.
//
// x = 2^e (1 + f), 1 + f in [√½, √2). f32: log(1 + f) = f - f²/2 + f³ q(f), q minimax with relative error 2^-27.3. f64: with
// s = f / (2 + f), log(1 + f) = 2 atanh s = f - (f²/2 - s (f²/2 + s² L(s²))), L minimax with relative error 2^-66.
#include <cmath>

#include "ops/scalar/scalar_parts.h"

namespace weft {
namespace scalar_parts {

LogParts log_parts(SExpr x) {
  const bool single = is_single(x);
  const int fraction = single ? 23 : 52;
  const SExpr is_subnormal = x < x.constant(single ? 0x1p-126 : 0x1p-1022);
  const SExpr normal = select(is_subnormal, x * x.constant(std::ldexp(1.0, fraction)), x);
  const SExpr low = bits_of(x.constant(single ? 0x1.6a09e6p-1 : 0x1.6a09e667f3bcdp-1));
  const SExpr u = bits_of(normal) - low;
  const SExpr mask = SExpr::constant_bits(x.program(), u.type(), (uint64_t{1} << fraction) - 1);
  const SExpr m = as_real(bit_and(u, mask) + low, x);
  const SExpr e =
      shift_right_arithmetic(u, u.constant(fraction)) - select(is_subnormal, u.constant(fraction), u.constant(0));
  return {e, m - 1};
}

SExpr log_sum(SExpr e, SExpr f, const SExpr* correction) {
  const SExpr half_square = 0.5 * f * f;
  SExpr low = f;
  if (is_single(f)) {
    const SExpr q = polynomial(f, {0x1.555554p-2, -0x1.000226p-2, 0x1.99a008p-3, -0x1.547246p-3, 0x1.22da2cp-3,
                                   -0x1.0d854p-3, 0x1.055b26p-3, -0x1.38b5p-4});
    low = fma(f * f * f, q, e * 0x1.7f7d1cp-20);
    if (correction != nullptr) low = low + *correction;
    return fma(e, e.constant(0x1.62e4p-1), f + (low - half_square));
  }
  const SExpr s = f / (2 + f), z = s * s;
  const SExpr r =
      z * polynomial(z, {0x1.5555555555555p-1, 0x1.9999999999dfbp-2, 0x1.249249242b8b6p-2, 0x1.c71c7258ae25ep-3,
                         0x1.745cde4c24613p-3, 0x1.3b20a81539debp-3, 0x1.0f5d0ffc42687p-3, 0x1.0f60c84937866p-3});
  low = fma(s, half_square + r, e * 0x1.abc9e3b39803fp-56);
  if (correction != nullptr) low = low + *correction;
  return fma(e, e.constant(0x1.62e42fefa39efp-1), f - (half_square - low));
}

SExpr log_specials(SExpr x, SExpr finite) {
  const SExpr zero = x.constant(0);
  const SExpr outside = select(equal(x, zero), x.constant(-INFINITY), select(x < zero, x.constant(NAN), x));
  return select(bit_and(x > zero, x < x.constant(INFINITY)), finite, outside);
}

}  // namespace scalar_parts

using namespace scalar_parts;

SExpr log(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kLog, x);
  const LogParts parts = log_parts(x);
  return log_specials(x, log_sum(small_integer(parts.e, x), parts.f));
}

// log(u + c) with u = 1 + x rounded and c what the rounding lost (two-sum): log u + c/u. Where u lies in [√½, √2), f is x itself.
SExpr log1p(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kLog1p, x);
  const SExpr u = 1 + x, v = u - 1;
  const SExpr lost = (1 - (u - v)) + (x - v);
  const LogParts parts = log_parts(u);
  const SExpr near = equal(parts.e, parts.e.constant(0));
  const SExpr f = select(near, x, parts.f);
  const SExpr correction = select(near, x.constant(0), lost / u);
  const SExpr value = log_specials(u, log_sum(small_integer(parts.e, x), f, &correction));
  return select(abs(x) < x.constant(is_single(x) ? 0x1p-25 : 0x1p-54), x, value);
}

}  // namespace weft
