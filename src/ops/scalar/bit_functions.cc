// Functions of the bits of one element: neighbours of floats, narrower float formats, counts of bits, upper halves of products.
#include <cmath>

#include "base/float_format.h"
#include "ops/scalar/small_float.h"
#include "ops/scalar/special_functions.h"

namespace weft {
namespace {

using enum ElementType;

ElementType word_type(ElementType t) {
  if (byte_size(t) == 1) return kU8;
  switch (bit_width(t)) {
    case 16: return kU16;
    case 32: return kU32;
    default: return kU64;
  }
}

Num word(Num like, uint64_t v) { return Num::of_bits(like.type, static_cast<int64_t>(v)); }
SExpr word(SExpr like, uint64_t v) { return SExpr::constant_bits(like.program(), like.type(), v); }

}  // namespace

// ---- bits of floats -------------------------------------------------------------------------------------------------------

Num float_bits(Num x, ElementType t) {
  x.type = t;
  uint64_t memory = 0;
  store_num(&memory, x, 0);
  return load_num(&memory, word_type(t), 0);
}
Num float_of_bits(Num bits, ElementType t) {
  uint64_t memory = 0;
  store_num(&memory, bits, 0);
  return load_num(&memory, t, 0);
}

// x is exactly a 16-bit number, so nothing rounds. Of f16: normal numbers and specials lose 13 fraction bits and the difference of
// the biases, 112; subnormal ones are multiples of 2^-24.
SExpr float_bits(SExpr x, ElementType t) {
  if (is_small_float(t)) return encode_small_float(x, t);
  const SExpr u = x.bitcast(word_type(x.type()));
  if (t == kBF16) return shift_right_logical(u, word(u, 16)).convert(kU16);
  if (t != kF16) return u;
  const SExpr sign = bit_and(shift_right_logical(u, word(u, 16)), word(u, 0x8000));
  const SExpr size = bit_and(u, word(u, 0x7fffffff)), high = shift_right_logical(size, word(u, 13));
  const SExpr subnormal = (abs(x) * 0x1p24).convert(kU32);
  const SExpr special = bit_and(high, word(u, 0x3ff)) + word(u, 0x7c00);
  const SExpr finite = select(size < word(u, 113u << 23), subnormal, high - word(u, 112u << 10));
  return bit_or(sign, select(size >= word(u, 0x7f800000), special, finite)).convert(kU16);
}
SExpr float_of_bits(SExpr bits, ElementType t) {
  if (is_small_float(t)) return decode_small_float(bits, t);
  if (t == kF32 || t == kF64) return bits.bitcast(t);
  const SExpr w = bits.convert(kU32);
  if (t == kBF16) return shift_left(w, word(w, 16)).bitcast(kF32);
  const SExpr sign = shift_left(bit_and(w, word(w, 0x8000)), word(w, 16));
  const SExpr size = bit_and(w, word(w, 0x7fff)), high = shift_left(size, word(w, 13));
  const SExpr subnormal = (size.convert(kF32) * 0x1p-24).bitcast(kU32);
  const SExpr special = bit_or(high, word(w, 0x7f800000));
  const SExpr finite = select(size < word(w, 0x400), subnormal, high + word(w, 112u << 23));
  return bit_or(sign, select(size >= word(w, 0x7c00), special, finite)).bitcast(kF32);
}

namespace {

template <class T>
T next_after_of(T x, T y, ElementType t) {
  const T bits = float_bits(x, t), target = float_bits(y, t);
  const T sign = word(bits, uint64_t{1} << (bit_width(t) - 1)), one = word(bits, 1);
  const T zero = x.constant(0);
  const T from_zero = bit_or(bit_and(target, sign), one);
  const T grows = equal(bit_xor(select(x < y, one, word(bits, 0)), select(x < zero, one, word(bits, 0))), one);
  const T stepped = float_of_bits(select(equal(x, zero), from_zero, select(grows, bits + one, bits - one)), t);
  const T is_nan = bit_or(not_equal(x, x), not_equal(y, y));
  return select(is_nan, x + y, select(equal(x, y), y, stepped));
}

FloatFormat format_of(ElementType t) {
  if (t == kF32) return {8, 23, 127, FloatFormat::Special::kIeee};
  return t == kF64 ? FloatFormat{11, 52, 1023, FloatFormat::Special::kIeee} : float_format(t);
}

template <class T>
T reduce_precision_of(T x, ElementType t, int64_t exponent_bits, int64_t mantissa_bits) {
  const FloatFormat format = format_of(t);
  const int mantissa = format.fraction_bits, exponent = format.exponent_bits;
  const T bits = float_bits(x, t);
  const T sign = bit_and(bits, word(bits, uint64_t{1} << (mantissa + exponent)));
  const uint64_t exponent_mask = ((uint64_t{1} << exponent) - 1) << mantissa;
  T reduced = bits;
  if (mantissa_bits < mantissa) {
    // Half of the last kept bit, less one when that bit is even; a carry into the exponent is right.
    const int dropped = mantissa - static_cast<int>(mantissa_bits);
    const uint64_t last = uint64_t{1} << dropped;
    const T odd = bit_and(shift_right_logical(bits, word(bits, static_cast<uint64_t>(dropped))), word(bits, 1));
    reduced = bit_and(bits + odd + word(bits, (last >> 1) - 1), word(bits, ~(last - 1)));
  }
  // What stands for infinity in a format without it stands for what is too large.
  const uint64_t overflow = is_small_float(t) ? encode_float(t, INFINITY) : exponent_mask;
  const T infinity = bit_or(sign, word(bits, overflow));
  if (exponent_bits < exponent) {
    const uint64_t bias = static_cast<uint64_t>(format.bias), smaller = (uint64_t{1} << (exponent_bits - 1)) - 1;
    const T scale = bit_and(reduced, word(bits, exponent_mask));
    const T too_large = scale > word(bits, (bias + smaller) << mantissa);
    const T too_small = scale <= word(bits, (bias - smaller) << mantissa);
    reduced = select(too_large, infinity, select(too_small, sign, reduced));
  }
  const T of_nan = mantissa_bits > 0 ? bits : infinity;  // without a mantissa there is no NaN
  return float_of_bits(select(not_equal(x, x), of_nan, reduced), t);
}

}  // namespace

Num next_after(Num x, Num y, ElementType t) { return next_after_of(x, y, t); }
SExpr next_after(SExpr x, SExpr y, ElementType t) { return next_after_of(x, y, t); }
Num reduce_precision(Num x, ElementType t, int64_t exponent_bits, int64_t mantissa_bits) {
  return reduce_precision_of(x, t, exponent_bits, mantissa_bits);
}
SExpr reduce_precision(SExpr x, ElementType t, int64_t exponent_bits, int64_t mantissa_bits) {
  return reduce_precision_of(x, t, exponent_bits, mantissa_bits);
}

// ---- counts ---------------------------------------------------------------------------------------------------------------

namespace {

uint64_t unsigned_value(Num a) {
  const int width = bit_width(a.type);
  return width == 64 ? a.unsigned_bits() : a.unsigned_bits() & ((uint64_t{1} << width) - 1);
}

/// Zero-extended to 32 or 64 bits.
SExpr widened(SExpr a) {
  if (bit_width(a.type()) < 8) {
    const SExpr x = a.convert(kU32);
    return bit_and(x, word(x, (uint64_t{1} << bit_width(a.type())) - 1));
  }
  const SExpr u = a.bitcast(word_type(a.type()));
  return bit_width(u.type()) == 64 ? u : u.convert(kU32);
}

/// Sums of neighbouring fields of 1, 2 and 4 bits, then of all bytes by a product.
SExpr count_bits(SExpr x) {
  const auto all = [&](uint64_t byte) {
    return word(x, byte * 0x0101010101010101u & (bit_width(x.type()) == 64 ? ~uint64_t{0} : 0xffffffffu));
  };
  const auto down = [](SExpr v, int n) { return shift_right_logical(v, word(v, static_cast<uint64_t>(n))); };
  x = x - bit_and(down(x, 1), all(0x55));
  x = bit_and(x, all(0x33)) + bit_and(down(x, 2), all(0x33));
  x = bit_and(x + down(x, 4), all(0x0f));
  return down(x * all(0x01), bit_width(x.type()) - 8);
}

}  // namespace

Num popcnt(Num a) { return Num::of_bits(a.type, __builtin_popcountll(unsigned_value(a))); }
SExpr popcnt(SExpr a) { return count_bits(widened(a)).convert(a.type()); }

Num count_leading_zeros(Num a) {
  const uint64_t v = unsigned_value(a);
  const int width = bit_width(a.type);
  return Num::of_bits(a.type, v == 0 ? width : __builtin_clzll(v) - (64 - width));
}
SExpr count_leading_zeros(SExpr a) {
  SExpr x = widened(a);
  for (int n = 1; n < bit_width(a.type()); n *= 2)
    x = bit_or(x, shift_right_logical(x, word(x, static_cast<uint64_t>(n))));
  return (word(x, static_cast<uint64_t>(bit_width(a.type()))) - count_bits(x)).convert(a.type());
}

// ---- products -------------------------------------------------------------------------------------------------------------

Num mulhi(Num a, Num b) {
  const int width = bit_width(a.type);
  if (a.is_unsigned()) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a.unsigned_bits()) * b.unsigned_bits();
    return Num::of_bits(a.type, static_cast<int64_t>(product >> width));
  }
  return Num::of_bits(a.type, static_cast<int64_t>((static_cast<__int128>(a.bits) * b.bits) >> width));
}

SExpr mulhi(SExpr a, SExpr b) {
  const ElementType t = a.type();
  const bool is_signed = is_signed_integer(t);
  if (bit_width(t) < 64) {
    const ElementType wide = is_signed ? kI64 : kU64;
    const SExpr product = a.convert(wide) * b.convert(wide);
    return shift_right_logical(product, word(product, static_cast<uint64_t>(bit_width(t)))).convert(t);
  }
  const SExpr x = a.bitcast(kU64), y = b.bitcast(kU64), low = word(x, 0xffffffffu), half = word(x, 32);
  const SExpr x0 = bit_and(x, low), x1 = shift_right_logical(x, half);
  const SExpr y0 = bit_and(y, low), y1 = shift_right_logical(y, half);
  const SExpr middle = x1 * y0 + shift_right_logical(x0 * y0, half);
  const SExpr other = x0 * y1 + bit_and(middle, low);
  SExpr high = x1 * y1 + shift_right_logical(middle, half) + shift_right_logical(other, half);
  if (is_signed) {
    const SExpr zero = word(x, 0);
    high = high - select(a < a.constant(0), y, zero) - select(b < b.constant(0), x, zero);
  }
  return high.bitcast(t);
}

}  // namespace weft
