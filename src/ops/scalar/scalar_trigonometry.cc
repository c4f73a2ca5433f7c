// sin, cos, atan2.
//
// sin and cos: n = x·2/π rounded, r = x - n π/2 in three parts (Cody & Waite with fused steps: the first is exact, the last goes
// into a tail), then minimax polynomials on |r| <= π/4, relative errors f32 2^-37, f64 2^-68. Arguments beyond 1e5 (f32) or 2^30
// (f64) are left to the C library, which reduces by Payne & Hanek.
#include <cmath>

#include "ops/scalar/scalar_parts.h"

namespace weft {

using namespace scalar_parts;

namespace {

/// sin(x + quarters·π/2) for quarters 0 (sine) and 1 (cosine).
SExpr sine_of_quarter(SExpr x, int quarters) {
  const bool single = is_single(x);
  const double shifter = single ? 0x1.8p23 : 0x1.8p52;
  const SExpr t = fma(x, x.constant(0x1.45f306dc9c883p-1), x.constant(shifter));
  const SExpr n = t - x.constant(shifter);
  const double p1 = single ? 0x1.921fb6p+0 : 0x1.921fb54442d18p+0;
  const double p2 = single ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54;
  const double p3 = single ? -0x1.ee59dap-50 : -0x1.f1976b7ed8fbcp-110;
  const SExpr first = fma(n, x.constant(-p1), x);
  // first - n p2 by two-product and two-sum, since near a multiple of π/2 the two cancel.
  const SExpr second = n * p2, second_low = fma(n, x.constant(p2), -second);
  const SExpr r = first - second, back = r - first;
  const SExpr lost = (first - (r - back)) - (second + back);
  const SExpr tail = fma(n, x.constant(-p3), lost - second_low);
  const SExpr z = r * r;
  const SExpr s =
      polynomial_for(z, {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f98p-13, 0x1.6cd72ap-19},
                     {-0x1.5555555555555p-3, 0x1.111111111110bp-7, -0x1.a01a01a018ad5p-13, 0x1.71de3a533818cp-19,
                      -0x1.ae6452965b5d4p-26, 0x1.612091648cc06p-33, -0x1.aaa494fea3065p-41});
  const SExpr c =
      polynomial_for(z, {0x1.555556p-5, -0x1.6c16b8p-10, 0x1.a0111cp-16, -0x1.2429fep-22},
                     {0x1.5555555555555p-5, -0x1.6c16c16c16c10p-10, 0x1.a01a01a018dd8p-16, -0x1.27e4fb75fc37fp-22,
                      0x1.1eed8ca23738ep-29, -0x1.93933691e1e9ap-37, 0x1.aac4e61901218p-45});
  const SExpr sine = r + fma(r * z, s, tail);
  // 1 - z/2 loses bits of its own; they go to the small terms.
  const SExpr half = 0.5 * z, main = 1 - half;
  const SExpr cosine = main + (((1 - main) - half) + fma(z * z, c, -(r * tail)));
  const SExpr quadrant = bits_of(t) + bits_of(t).constant(quarters);
  const SExpr one = quadrant.constant(1), zero = quadrant.constant(0);
  const SExpr value = select(equal(bit_and(quadrant, one), zero), sine, cosine);
  const SExpr sign = shift_left(shift_right_logical(quadrant, one), quadrant.constant(single ? 31 : 63));
  const SExpr fast = as_real(bit_xor(bits_of(value), sign), x);
  const SExpr large = abs(x) > x.constant(single ? 1e5 : 0x1p30);
  return libm_where(large, quarters == 0 ? LibmFunction::kSin : LibmFunction::kCos, x, fast);
}

}  // namespace

SExpr sin(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kSin, x);
  const SExpr tiny = abs(x) < x.constant(is_single(x) ? 0x1p-13 : 0x1p-27);
  return select(tiny, x, sine_of_quarter(x, 0));
}

SExpr cos(SExpr x) {
  if (x.is_complex()) return complex_call(ComplexFunction::kCos, x);
  return sine_of_quarter(x, 1);
}

// The angle within an octant by an odd polynomial on |t| <= tan π/8 (minimax, relative error 2^-64; 2^-30 for f32, which computes in
// f64), then the octant's multiple of π/4 in two parts.
SExpr atan2(SExpr y0, SExpr x0) {
  if (y0.is_complex()) return complex_call(ComplexFunction::kAtan2, y0, x0);
  const bool single = is_single(x0);
  const SExpr x = x0.convert(ElementType::kF64), y = y0.convert(ElementType::kF64);
  const SExpr zero = x.constant(0), one = x.constant(1), infinity = x.constant(INFINITY);
  const SExpr ax = abs(x), ay = abs(y);
  const SExpr steep = ay > ax;
  SExpr low = select(steep, ax, ay), high = select(steep, ay, ax);
  // Infinities become 0 and 1, (0, 0) becomes 0/1; huge values shrink so that their sum exists, tiny ones grow so that its inverse does.
  const SExpr is_infinite = equal(high, infinity);
  low = select(is_infinite, select(equal(low, infinity), one, zero), low);
  high = select(is_infinite, one, select(equal(high, zero), one, high));
  const SExpr factor = select(high > x.constant(0x1p1000), x.constant(0x1p-100),
                              select(high < x.constant(0x1p-700), x.constant(0x1p200), one));
  low = low * factor;
  high = high * factor;
  const SExpr big = low > x.constant(0x1.a827999fcef32p-2) * high;
  const SExpr difference = low - high, sum = low + high;
  const SExpr above = select(big, difference, low), below = select(big, sum, high);
  SExpr t = above, tail = zero;
  if (single) {
    t = above / below;
  } else {
    // What the difference, the sum and the quotient lost.
    const SExpr above_low = select(big, low - (difference + high), zero);
    const SExpr below_low = select(big, low - (sum - high), zero);
    const SExpr inverse = 1 / below;
    t = above * inverse;
    tail = (fma(-t, below, above) + (above_low - t * below_low)) * inverse;
  }
  const SExpr z = t * t;
  const SExpr p =
      single
          ? polynomial(z, {-0x1.55554ap-2, 0x1.9991bp-3, -0x1.23b6cep-3, 0x1.b202b6p-4, -0x1.f256fp-5})
          : polynomial(z, {-0x1.5555555555554p-2, 0x1.999999999965ap-3, -0x1.2492492475d49p-3, 0x1.c71c71b77872fp-4,
                           -0x1.745d14bfc516ap-4, 0x1.3b136eae1f6a7p-4, -0x1.110c79d052aa5p-4, 0x1.e17282b471cfcp-5,
                           -0x1.ab80a548fae2dp-5, 0x1.70f9918186d36p-5, -0x1.1253582de835cp-5, 0x1.f2553f42bd450p-7});
  const SExpr angle = single ? fma(t * z, p, t) : t + fma(t * z, p, tail);
  const SExpr sign_bit = SExpr::constant_bits(x.program(), ElementType::kI64, 0);
  const SExpr behind = bits_of(x) < sign_bit;  // -0 counts
  const SExpr backwards = not_equal(steep, behind);
  const auto quarter = [&](int m, bool high_part) {  // m π/4
    constexpr double kHigh[] = {0, 0x1.921fb54442d18p-1, 0x1.921fb54442d18p+0, 0x1.2d97c7f3321d2p+1,
                                0x1.921fb54442d18p+1};
    constexpr double kLow[] = {0, 0x1.1a62633145c07p-55, 0x1.1a62633145c07p-54, 0x1.a79394c9e8a0ap-54,
                               0x1.1a62633145c07p-53};
    return x.constant(high_part ? kHigh[m] : kLow[m]);
  };
  const auto base = [&](bool high_part) {
    return select(big, select(behind, quarter(3, high_part), quarter(1, high_part)),
                  select(steep, quarter(2, high_part), select(behind, quarter(4, high_part), zero)));
  };
  const SExpr value = base(true) + (base(false) + select(backwards, -angle, angle));
  const SExpr is_nan = bit_or(not_equal(x, x), not_equal(y, y));
  return select(is_nan, x + y, copy_sign(value, y)).convert(x0.type());
}

}  // namespace weft
