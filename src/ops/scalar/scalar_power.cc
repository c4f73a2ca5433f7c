// pow, cbrt.
//
// pow = exp(y log|x|). f64 carries log|x| in two doubles (relative error about 2^-65): with s = f / (2 + f) as a pair,
// log(1 + f) = 2 s + s³ (2/3 + s² Q(s²)), Q minimax. f32 computes in f64, where one double is enough.
#include <cmath>

#include "ops/scalar/scalar_parts.h"

namespace weft {

using namespace scalar_parts;

namespace {

/// An unevaluated sum, |low| at most half an ulp of high.
struct Pair {
  SExpr high, low;
};

/// a + b for |a| >= |b| (or a = 0).
Pair fast_sum(SExpr a, SExpr b) {
  const SExpr high = a + b;
  return {high, (a - high) + b};
}
Pair product(Pair a, Pair b) {
  const SExpr high = a.high * b.high;
  return {high, fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high)};
}

/// log of positive x (f64).
Pair log_pair(SExpr x) {
  const LogParts parts = log_parts(x);
  const SExpr f = parts.f, e = small_integer(parts.e, x);
  const SExpr u = 2 + f, u_low = f - (u - 2);
  const SExpr s_high = f / u;
  const SExpr s_low = (fma(-s_high, u, f) - s_high * u_low) / u;
  const Pair s{s_high, s_low};
  const Pair z = product(s, s);
  const SExpr q = z.high * polynomial(z.high, {0x1.9999999999996p-2, 0x1.249249249302ep-2, 0x1.c71c71c581119p-3,
                                               0x1.745d18320e2c4p-3, 0x1.3b1362c595d44p-3, 0x1.1120b3a089b1cp-3,
                                               0x1.de33b72fbca9dp-4, 0x1.eb0f1ed3c789dp-4});
  Pair p = fast_sum(x.constant(0x1.5555555555555p-1), q);
  p.low = p.low + (0x1.5555555555555p-55 + 0.4 * z.low);
  const Pair cubic = product(s, product(z, p));
  Pair m = fast_sum(s.high + s.high, cubic.high);
  m.low = m.low + fma(x.constant(2), s.low, cubic.low);
  Pair sum = fast_sum(e * 0x1.62e42fefa3800p-1, m.high);  // the product is exact: 42 bits of ln 2
  sum.low = sum.low + fma(e, e.constant(0x1.ef35793c76730p-45), m.low);
  return fast_sum(sum.high, sum.low);
}

/// exp(y log x) for x >= 0 in f64; `x_single` when the result is wanted in f32 only.
SExpr power_of_magnitude(SExpr x, SExpr y, bool for_single) {
  const SExpr zero = x.constant(0);
  Pair log_x{x, zero};
  if (for_single) {
    const LogParts parts = log_parts(x);
    log_x.high = log_sum(small_integer(parts.e, x), parts.f);
  } else {
    log_x = log_pair(x);
  }
  log_x.high = log_specials(x, log_x.high);
  const SExpr product = y * log_x.high;
  const SExpr tail = fma(y, log_x.high, -product) + y * log_x.low;
  const SExpr bounded = at_least(at_most(product, 800), -800);
  const SExpr usable_tail = select(abs(product) < x.constant(800), tail, zero);
  const ExpParts e = exp_parts(bounded, &usable_tail);
  return scale(1 + e.p, e.k);
}

SExpr real_pow(SExpr x0, SExpr y0) {
  const SExpr x = x0.convert(ElementType::kF64), y = y0.convert(ElementType::kF64);
  const SExpr zero = x.constant(0), one = x.constant(1), infinity = x.constant(INFINITY);
  const SExpr magnitude = select(equal(abs(x), one), one, power_of_magnitude(abs(x), y, is_single(x0)));
  const SExpr is_integer = equal(y, trunc(y)), half = 0.5 * y;
  const SExpr is_odd = bit_and(is_integer, not_equal(half, trunc(half)));
  const SExpr is_negative = bits_of(x) < SExpr::constant_bits(x.program(), ElementType::kI64, 0);
  SExpr value = select(bit_and(is_negative, is_odd), -magnitude, magnitude);
  // A negative number to a fraction; of infinities C says otherwise.
  const SExpr outside = bit_and(bit_and(x < zero, -infinity < x), bit_and(bit_not(is_integer), abs(y) < infinity));
  value = select(outside, x.constant(NAN), value);
  value = select(bit_or(not_equal(x, x), not_equal(y, y)), x + y, value);
  return select(bit_or(equal(y, zero), equal(x, one)), one, value).convert(x0.type());
}

/// By squaring, modulo 2^width.
SExpr integer_pow(SExpr x, SExpr n) {
  const SExpr one = x.constant(1), zero = x.constant(0);
  SExpr result = one, base = x;
  for (int bit = 0; bit < bit_width(x.type()); ++bit) {
    const SExpr set = not_equal(bit_and(shift_right_logical(n, n.constant(bit)), one), zero);
    result = select(set, result * base, result);
    base = base * base;
  }
  if (is_unsigned_integer(x.type())) return result;
  const SExpr minus_one = x.constant(-1);
  const SExpr is_odd = not_equal(bit_and(n, one), zero);
  const SExpr inverse = select(equal(x, one), one, select(equal(x, minus_one), select(is_odd, minus_one, one), zero));
  return select(n < zero, inverse, result);
}

}  // namespace

SExpr pow(SExpr x, SExpr y) {
  if (x.is_complex()) return complex_call(ComplexFunction::kPow, x, y);
  return is_integer(x.type()) ? integer_pow(x, y) : real_pow(x, y);
}

// A third of the exponent from the high bits (error 5 %), two steps of Halley (10^-12), one of Newton with the exact residual t³ - x.
SExpr cbrt(SExpr x0) {
  if (x0.is_complex()) return complex_call(ComplexFunction::kCbrt, x0);
  const SExpr x = x0.convert(ElementType::kF64), a = abs(x);
  // Brought to the middle of the range, where cubes and residuals neither overflow nor lose bits.
  const SExpr is_small = a<x.constant(0x1p-500), is_large = a> x.constant(0x1p500);
  const SExpr scaled = a * select(is_small, x.constant(0x1p600), select(is_large, x.constant(0x1p-600), x.constant(1)));
  const SExpr word = shift_right_logical(bits_of(scaled), bits_of(scaled).constant(32)).convert(ElementType::kI32);
  // 2/3 of the bias, less what balances the error of the linear interpolation of the fraction.
  constexpr double kBias = 715094163;
  const SExpr third =
      fma(word.convert(ElementType::kF64), x.constant(1.0 / 3), x.constant(kBias)).convert(ElementType::kI64);
  SExpr t = as_real(shift_left(third, third.constant(32)), x);
  for (int step = 0; step < 2; ++step) {
    const SExpr cube = t * t * t;
    t = t * ((cube + 2 * scaled) / (2 * cube + scaled));
  }
  const SExpr square = t * t, square_low = fma(t, t, -square);
  const SExpr residual = fma(square_low, t, fma(square, t, -scaled));
  t = t - residual / (3 * square);
  const SExpr back = select(is_small, x.constant(0x1p-200), select(is_large, x.constant(0x1p200), x.constant(1)));
  const SExpr root = copy_sign(t * back, x);
  return select(bit_and(a > x.constant(0), a < x.constant(INFINITY)), root, x).convert(x0.type());
}

}  // namespace weft
