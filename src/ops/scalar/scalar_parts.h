// Pieces that the expansions of primitives share.
#pragma once
#include <initializer_list>
#include <span>

#include "ops/scalar/scalar_math.h"

namespace weft::scalar_parts {

inline bool is_single(SExpr x) { return x.type() == ElementType::kF32; }
inline ElementType signed_type(SExpr x) { return is_single(x) ? ElementType::kI32 : ElementType::kI64; }
inline SExpr bits_of(SExpr x) { return x.bitcast(signed_type(x)); }
inline SExpr as_real(SExpr bits, SExpr like) { return bits.bitcast(like.type()); }

/// c[0] + c[1] x + c[2] x² …, by Horner's rule with fused steps.
inline SExpr polynomial(SExpr x, std::span<const double> c) {
  SExpr sum = x.constant(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = fma(sum, x, x.constant(c[i]));
  return sum;
}
inline SExpr polynomial(SExpr x, std::initializer_list<double> c) {
  return polynomial(x, std::span(c.begin(), c.size()));
}
inline SExpr polynomial_for(SExpr x, std::initializer_list<double> single, std::initializer_list<double> twice) {
  return polynomial(x, is_single(x) ? single : twice);
}

/// 2^k for an integer k (of x's width) within the normal range.
inline SExpr power_of_two(SExpr k, SExpr like) {
  const int fraction = is_single(like) ? 23 : 52, bias = is_single(like) ? 127 : 1023;
  return as_real(shift_left(k + k.constant(bias), k.constant(fraction)), like);
}
/// x·2^k, rounded once, for |k| up to twice the exponent range.
inline SExpr scale(SExpr x, SExpr k) {
  const SExpr half = shift_right_arithmetic(k, k.constant(1));
  return x * power_of_two(half, x) * power_of_two(k - half, x);
}

/// exp(x + tail) = 2^k · (1 + p + p_low), |p| < 0.42, p_low below p's last bit (most callers drop it).
struct ExpParts {
  SExpr k, p, p_low;
};
/// |x| within the exponent range (callers clamp); `tail`, a correction below x's last bit, may be null.
ExpParts exp_parts(SExpr x, const SExpr* tail = nullptr);

/// x = 2^e · (1 + f) with 1 + f in [√½, √2); positive finite x, subnormal ones included. `e` is an integer.
struct LogParts {
  SExpr e, f;
};
LogParts log_parts(SExpr x);
/// log(1 + f) + correction + e·ln 2 for f in [√½ - 1, √2 - 1]; `e` as a float, `correction` may be null.
SExpr log_sum(SExpr e, SExpr f, const SExpr* correction = nullptr);
/// log x for x > 0, -inf at 0, NaN below, where `finite` is the value for positive finite x.
SExpr log_specials(SExpr x, SExpr finite);
/// An integer of small magnitude as a float of like's type.
inline SExpr small_integer(SExpr k, SExpr like) { return k.convert(ElementType::kI32).convert(like.type()); }

/// As minimum and maximum, but one instruction each; NaN in x stays.
inline SExpr at_most(SExpr x, double limit) { return select(x > x.constant(limit), x.constant(limit), x); }
inline SExpr at_least(SExpr x, double limit) { return select(x < x.constant(limit), x.constant(limit), x); }

}  // namespace weft::scalar_parts
