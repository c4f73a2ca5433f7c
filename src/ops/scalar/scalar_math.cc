// Exact functions of one element: signs, roundings, conversions. The primitives of libm stand in scalar_exp.cc, scalar_log.cc,
// scalar_trigonometry.cc and scalar_power.cc.
#include "ops/scalar/scalar_math.h"

#include <cmath>

#include "base/float_format.h"
#include "ops/families.h"

namespace weft {
namespace {

using enum ElementType;

ElementType bits_type(ElementType t) { return t == kF32 ? kU32 : kU64; }
uint64_t sign_mask(ElementType t) { return t == kF32 ? 0x80000000u : 0x8000000000000000u; }

bool is_narrow(ElementType t) { return t == kF16 || t == kBF16 || is_small_float(t); }

/// x (an f64 or integer) as f32, the last bit set when inexact: rounding that to 16 bits equals rounding x once.
SExpr to_float_odd(SExpr x) {
  const SExpr f = x.convert(kF32), back = f.convert(x.type());
  const SExpr bits = f.bitcast(kU32);
  const SExpr one = bits.constant(1);
  const SExpr is_even = equal(bit_and(bits, one), bits.constant(0));
  const SExpr inexact = bit_and(not_equal(back, x), is_even);
  // Away from zero when f is too small in magnitude. Compared by sign, since an integer's magnitude may not exist.
  const SExpr zero = x.constant(0);
  const SExpr too_small = select(x<zero, back> x, back < x);
  const SExpr fixed = select(too_small, bits + one, bits - one).bitcast(kF32);
  const SExpr usable =
      is_float(x.type()) ? bit_and(inexact, bit_and(equal(x, x), abs(x) < x.constant(INFINITY))) : inexact;
  return select(usable, fixed, f);
}

}  // namespace

SExpr copy_sign(SExpr magnitude, SExpr sign) {
  const ElementType t = magnitude.type(), u = bits_type(t);
  const SExpr mask = SExpr::constant_bits(magnitude.program(), u, sign_mask(t));
  const SExpr kept = bit_and(magnitude.bitcast(u), bit_not(mask));
  return bit_or(kept, bit_and(sign.bitcast(u), mask)).bitcast(t);
}

SExpr sign(SExpr a) {
  if (a.is_complex()) return complex_call(ComplexFunction::kSign, a);
  const SExpr zero = a.constant(0);
  if (is_unsigned_integer(a.type())) return select(equal(a, zero), zero, a.constant(1));
  if (is_integer(a.type())) return select(a < zero, a.constant(-1), select(equal(a, zero), zero, a.constant(1)));
  return select(abs(a) > zero, copy_sign(a.constant(1), a), a);
}

SExpr is_finite(SExpr a) { return abs(a) < a.constant(INFINITY); }

SExpr round_away(SExpr a) {
  // a - trunc(a) is exact, and so is the step to the next integer.
  const SExpr whole = trunc(a);
  const SExpr step = select(abs(a - whole) >= a.constant(0.5), a.constant(1), a.constant(0));
  return whole + copy_sign(step, a);
}

// f32: half the exponent from the bits (error 3.4 %), two steps of Newton (5e-6), and one whose residual 1 - x y² keeps what the
// product rounds away. Shorter than a root and a quotient.
SExpr rsqrt(SExpr a) {
  if (a.is_complex()) return complex_call(ComplexFunction::kRsqrt, a);
  if (a.type() != kF32) return 1 / sqrt(a);
  const SExpr zero = a.constant(0), infinity = a.constant(INFINITY);
  const SExpr is_subnormal = a < a.constant(0x1p-126);
  const SExpr x = select(is_subnormal, a * 0x1p24, a);
  const SExpr bits = x.bitcast(kU32);
  const SExpr start = SExpr::constant_bits(a.program(), kU32, 0x5f375a86u);
  SExpr y = (start - shift_right_logical(bits, bits.constant(1))).bitcast(kF32);
  const SExpr half = -0.5 * x;
  for (int step = 0; step < 2; ++step) y = y * fma(half * y, y, x.constant(1.5));
  const SExpr product = x * y, lost = fma(x, y, -product);
  const SExpr residual = fma(-product, y, x.constant(1)) - lost * y;
  y = fma(0.5 * residual, y, y);
  y = select(is_subnormal, y * 0x1p12, y);
  const SExpr outside =
      select(equal(a, zero), copy_sign(infinity, a), select(equal(a, infinity), zero, a.constant(NAN)));
  return select(bit_and(a > zero, a < infinity), y, outside);
}

SExpr convert(SExpr a, ElementType from, ElementType to) {
  if (from == to) return a;
  if (a.is_complex()) {
    if (!is_complex(to)) return convert(a.real(), part_type(from), to);  // the imaginary part goes
    return {a.real().convert(part_type(to)), a.imag().convert(part_type(to))};
  }
  if (is_complex(to)) {
    const SExpr real = convert(a, from, part_type(to));
    return {real, real.constant(0)};
  }
  const bool from_exact_in_f32 =
      is_narrow(from) || from == kF32 || from == kI1 || from == kI8 || from == kU8 || from == kI16 || from == kU16;
  if (is_narrow(to)) return from_exact_in_f32 ? a.convert(kF32) : to_float_odd(a);
  return a.convert(to);
}

SExpr libm_where(SExpr pred, LibmFunction function, SExpr x, SExpr otherwise) {
  return {x.program(), x.program().add({ScalarOpcode::kLibm, x.type(), x.id(), pred.id(), otherwise.id(),
                                        static_cast<uint64_t>(function)})};
}

}  // namespace weft
