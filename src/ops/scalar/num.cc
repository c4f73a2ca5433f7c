#include "ops/scalar/num.h"

#include <array>
#include <bit>
#include <complex>
#include <string>

#include "base/float_format.h"
#include "ops/scalar/complex_num.h"

namespace weft {
namespace {

using enum ElementType;

[[noreturn]] void not_computable(ElementType type) {
  throw InternalError("scalar rules do not compute with " + std::string(name(type)));
}

/// To f32, with the last bit set when inexact ("round to odd"), so that rounding the result again to 16 bits equals rounding once.
float to_float_odd(double v) {
  const float f = static_cast<float>(v);
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if (static_cast<double>(f) == v || v != v || std::isinf(v) || (bits & 1u) != 0) return f;
  const bool too_small = std::fabs(static_cast<double>(f)) < std::fabs(v);
  return std::bit_cast<float>(too_small ? bits + 1 : bits - 1);
}

double to_double_odd(uint64_t magnitude) {
  double d = static_cast<double>(magnitude);
  if (d >= 0x1p64) return std::nextafter(0x1p64, 0);  // 2^64 is even, its lower neighbour odd
  if (static_cast<uint64_t>(d) == magnitude || (std::bit_cast<uint64_t>(d) & 1u) != 0) return d;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(d) + (static_cast<uint64_t>(d) < magnitude ? 1 : -1));
}

float int_to_float(const Num& v) {
  return v.is_unsigned() ? static_cast<float>(v.unsigned_bits()) : static_cast<float>(v.bits);
}
double int_to_double(const Num& v) {
  return v.is_unsigned() ? static_cast<double>(v.unsigned_bits()) : static_cast<double>(v.bits);
}

int64_t saturate(double v, ElementType to) {
  if (v != v) return 0;
  const int width = bit_width(to);
  if (is_unsigned_integer(to)) {
    if (v <= 0) return 0;
    if (v >= std::ldexp(1.0, width)) return static_cast<int64_t>(width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1);
    return static_cast<int64_t>(static_cast<uint64_t>(v));
  }
  const double limit = std::ldexp(1.0, width - 1);
  if (v >= limit) return width == 64 ? INT64_MAX : (int64_t{1} << (width - 1)) - 1;
  if (v <= -limit) return width == 64 ? INT64_MIN : -(int64_t{1} << (width - 1));
  return static_cast<int64_t>(v);
}

uint64_t magnitude_of(const Num& v) {
  return v.is_unsigned() || v.bits >= 0 ? v.unsigned_bits() : uint64_t{0} - v.unsigned_bits();
}

template <class F>
Num real_function(Num a, F f) {
  if (!a.is_real()) not_computable(a.type);
  return Num::of_real(a.type, f(a.real));
}

/// A function that exists for floats (`real`, over doubles) and for complex numbers (`complex`, over ComplexMath).
template <class F, class G>
Num float_function(Num a, F real, G complex) {
  if (a.is_complex()) return complex_function(complex, a);
  return real_function(a, real);
}

// ---- small floats -----------------------------------------------------------------------------------------------------

/// The values of all patterns of a one-byte float.
const std::array<double, 256>& decoded(ElementType type) {
  constexpr size_t kFirst = static_cast<size_t>(kF4E2M1FN), kCount = static_cast<size_t>(kF8E8M0FNU) - kFirst + 1;
  static const auto tables = [] {
    std::array<std::array<double, 256>, kCount> out;
    for (size_t t = 0; t < kCount; ++t) {
      const auto small = static_cast<ElementType>(kFirst + t);
      const unsigned mask = (1u << bit_width(small)) - 1;
      for (unsigned i = 0; i < 256; ++i) out[t][i] = decode_float(small, i & mask);
    }
    return out;
  }();
  return tables[static_cast<size_t>(type) - kFirst];
}

}  // namespace

Num Num::of_bits(ElementType type, int64_t v) {
  switch (type) {
    case kI1: return {type, 0, v & 1};
    case kI2: return {type, 0, ((v & 3) ^ 2) - 2};
    case kI4: return {type, 0, ((v & 15) ^ 8) - 8};
    case kU2: return {type, 0, v & 3};
    case kU4: return {type, 0, v & 15};
    case kI8: return {type, 0, static_cast<int8_t>(v)};
    case kI16: return {type, 0, static_cast<int16_t>(v)};
    case kI32: return {type, 0, static_cast<int32_t>(v)};
    case kI64:
    case kU64: return {type, 0, v};
    case kU8: return {type, 0, static_cast<uint8_t>(v)};
    case kU16: return {type, 0, static_cast<uint16_t>(v)};
    case kU32: return {type, 0, static_cast<uint32_t>(v)};
    default: not_computable(type);
  }
}

Num Num::constant(double v) const {
  if (is_real() || is_complex()) return of_real(type, v);
  if (type == kI1) return boolean(v != 0);
  return {type, 0, saturate(std::nearbyint(v), type)};
}

Num load_num(const void* data, ElementType type, int64_t i) {
  switch (type) {
    case kI1: return Num::boolean(static_cast<const uint8_t*>(data)[i] != 0);
    case kI2:
    case kI4:
    case kU2:
    case kU4: return Num::of_bits(type, static_cast<const int8_t*>(data)[i]);
    case kI8: return {type, 0, static_cast<const int8_t*>(data)[i]};
    case kI16: return {type, 0, static_cast<const int16_t*>(data)[i]};
    case kI32: return {type, 0, static_cast<const int32_t*>(data)[i]};
    case kI64: return {type, 0, static_cast<const int64_t*>(data)[i]};
    case kU8: return {type, 0, static_cast<const uint8_t*>(data)[i]};
    case kU16: return {type, 0, static_cast<const uint16_t*>(data)[i]};
    case kU32: return {type, 0, static_cast<const uint32_t*>(data)[i]};
    case kU64: return {type, 0, static_cast<int64_t>(static_cast<const uint64_t*>(data)[i])};
    case kF16: return {type, static_cast<float>(static_cast<const f16*>(data)[i]), 0};
    case kBF16: return {type, static_cast<float>(static_cast<const bf16*>(data)[i]), 0};
    case kF32: return {type, static_cast<const float*>(data)[i], 0};
    case kF64: return {type, static_cast<const double*>(data)[i], 0};
    case kC64: {
      const float* at = static_cast<const float*>(data) + 2 * i;
      return Num::of_complex(type, at[0], at[1]);
    }
    case kC128: {
      const double* at = static_cast<const double*>(data) + 2 * i;
      return Num::of_complex(type, at[0], at[1]);
    }
    default: return {type, decoded(type)[static_cast<const uint8_t*>(data)[i]], 0};
  }
}

void store_num(void* data, const Num& v, int64_t i) {
  switch (v.type) {
    case kI1: static_cast<uint8_t*>(data)[i] = v.truth(); return;
    case kI2:
    case kI4:
    case kU2:
    case kU4:
    case kI8:
    case kU8: static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(v.bits); return;
    case kI16:
    case kU16: static_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(v.bits); return;
    case kI32:
    case kU32: static_cast<uint32_t*>(data)[i] = static_cast<uint32_t>(v.bits); return;
    case kI64:
    case kU64: static_cast<int64_t*>(data)[i] = v.bits; return;
    case kF16: static_cast<f16*>(data)[i] = f16(static_cast<float>(v.real)); return;
    case kBF16: static_cast<bf16*>(data)[i] = bf16(static_cast<float>(v.real)); return;
    case kF32: static_cast<float*>(data)[i] = static_cast<float>(v.real); return;
    case kF64: static_cast<double*>(data)[i] = v.real; return;
    case kC64: {
      float* at = static_cast<float*>(data) + 2 * i;
      at[0] = static_cast<float>(v.real);
      at[1] = static_cast<float>(v.imag);
      return;
    }
    case kC128: {
      double* at = static_cast<double*>(data) + 2 * i;
      at[0] = v.real;
      at[1] = v.imag;
      return;
    }
    case kF8E8M0FNU:
      // Scales are computed with in f32, as all small floats are: what is below its range is zero there, for which they have no number.
      static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(encode_float(v.type, static_cast<float>(v.real)));
      return;
    default: static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(encode_float(v.type, v.real)); return;
  }
}

Num rounded(const Num& v) {
  alignas(16) std::byte memory[16] = {};
  store_num(memory, v, 0);
  return load_num(memory, v.type, 0);
}

Tensor scalar_tensor(ElementType type, double value) {
  Tensor t = Tensor::zeros(type, {});
  store_num(t.raw(), Num{type, 0, 0}.constant(value), 0);
  return t;
}

Num convert(const Num& v, ElementType to) {
  if (v.is_complex()) {
    if (is_complex(to)) return rounded(Num::of_complex(to, v.real, v.imag));
    return convert(real_part(v), to);
  }
  if (is_complex(to)) {
    const Num part = convert(v, to == kC64 ? kF32 : kF64);
    return Num::of_complex(to, part.real, 0);
  }
  if (to == kI1) return Num::boolean(v.is_real() ? v.real != 0 : v.bits != 0);
  if (!is_float(to)) return v.is_real() ? Num{to, 0, saturate(v.real, to)} : Num::of_bits(to, v.bits);
  double value = 0;
  const bool narrow = to == kF16 || to == kBF16 || to == kF8E8M0FNU;
  if (v.is_real()) {
    value = narrow ? to_float_odd(v.real) : v.real;
  } else if (narrow || is_small_float(to)) {
    const double magnitude = to_float_odd(to_double_odd(magnitude_of(v)));
    value = v.is_unsigned() || v.bits >= 0 ? magnitude : -magnitude;
  } else {
    value = to == kF32 ? int_to_float(v) : int_to_double(v);
  }
  return rounded(Num::of_real(to, value));
}

namespace {

/// Two's complement arithmetic without undefined behaviour.
Num wrap(ElementType type, uint64_t v) { return Num::of_bits(type, static_cast<int64_t>(v)); }

}  // namespace

Num operator+(Num a, Num b) {
  if (a.is_real()) return Num::of_real(a.type, a.real + b.real);
  if (a.is_complex()) return Num::of_complex(a.type, a.real + b.real, a.imag + b.imag);
  if (a.type == kI1) return bit_or(a, b);
  return wrap(a.type, a.unsigned_bits() + b.unsigned_bits());
}
Num operator-(Num a, Num b) {
  if (a.is_real()) return Num::of_real(a.type, a.real - b.real);
  if (a.is_complex()) return Num::of_complex(a.type, a.real - b.real, a.imag - b.imag);
  return wrap(a.type, a.unsigned_bits() - b.unsigned_bits());
}
Num operator*(Num a, Num b) {
  if (a.is_real()) return Num::of_real(a.type, a.real * b.real);
  if (a.is_complex()) {
    return Num::of_complex(a.type, a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
  }
  if (a.type == kI1) return bit_and(a, b);
  return wrap(a.type, a.unsigned_bits() * b.unsigned_bits());
}
Num operator/(Num a, Num b) {
  if (a.is_real()) return Num::of_real(a.type, a.real / b.real);
  if (a.is_complex()) return complex_function([](auto math, auto x, auto y) { return math.divide(x, y); }, a, b);
  if (b.bits == 0) return Num::of_bits(a.type, -1);
  if (a.is_unsigned()) return wrap(a.type, a.unsigned_bits() / b.unsigned_bits());
  if (b.bits == -1) return -a;
  return Num::of_bits(a.type, a.bits / b.bits);
}
Num rem(Num a, Num b) {
  if (a.is_real()) return Num::of_real(a.type, std::fmod(a.real, b.real));
  if (b.bits == 0) return a;
  if (a.is_unsigned()) return wrap(a.type, a.unsigned_bits() % b.unsigned_bits());
  if (b.bits == -1) return Num::of_bits(a.type, 0);
  return Num::of_bits(a.type, a.bits % b.bits);
}
Num operator-(Num a) {
  if (a.is_real()) return Num::of_real(a.type, -a.real);
  if (a.is_complex()) return Num::of_complex(a.type, -a.real, -a.imag);
  return wrap(a.type, uint64_t{0} - a.unsigned_bits());
}

Num operator<(Num a, Num b) {
  if (a.is_complex()) return Num::boolean(a.real < b.real || (a.real == b.real && a.imag < b.imag));
  if (a.is_real()) return Num::boolean(a.real < b.real);
  return Num::boolean(a.is_unsigned() ? a.unsigned_bits() < b.unsigned_bits() : a.bits < b.bits);
}
Num operator<=(Num a, Num b) {
  if (a.is_complex()) return Num::boolean(a.real < b.real || (a.real == b.real && a.imag <= b.imag));
  if (a.is_real()) return Num::boolean(a.real <= b.real);
  return Num::boolean(a.is_unsigned() ? a.unsigned_bits() <= b.unsigned_bits() : a.bits <= b.bits);
}
// The fields that a type does not use are 0.
Num equal(Num a, Num b) { return Num::boolean(a.real == b.real && a.imag == b.imag && a.bits == b.bits); }
Num not_equal(Num a, Num b) { return Num::boolean(!equal(a, b).truth()); }

Num maximum(Num a, Num b) {
  if (!a.is_real()) return select(a < b, b, a);
  if (a.real != a.real) return a;
  if (b.real != b.real) return b;
  if (a.real == b.real) return std::signbit(a.real) ? b : a;
  return a.real < b.real ? b : a;
}
Num minimum(Num a, Num b) {
  if (!a.is_real()) return select(b < a, b, a);
  if (a.real != a.real) return a;
  if (b.real != b.real) return b;
  if (a.real == b.real) return std::signbit(a.real) ? a : b;
  return b.real < a.real ? b : a;
}
Num abs(Num a) {
  if (a.is_real()) return Num::of_real(a.type, std::fabs(a.real));
  if (a.is_complex()) {
    const bool is_single = a.type == kC64;
    const double magnitude =
        is_single ? std::hypot(a.real, a.imag)
                  : static_cast<double>(std::hypot(static_cast<long double>(a.real), static_cast<long double>(a.imag)));
    return Num::of_real(is_single ? kF32 : kF64, magnitude);
  }
  return a.is_unsigned() || a.bits >= 0 ? a : -a;
}

Num bit_and(Num a, Num b) { return Num::of_bits(a.type, a.bits & b.bits); }
Num bit_or(Num a, Num b) { return Num::of_bits(a.type, a.bits | b.bits); }
Num bit_xor(Num a, Num b) { return Num::of_bits(a.type, a.bits ^ b.bits); }
Num bit_not(Num a) { return Num::of_bits(a.type, ~a.bits); }

namespace {

bool shifts_out(Num a, Num amount) { return amount.unsigned_bits() >= static_cast<uint64_t>(bit_width(a.type)); }
uint64_t masked(Num a) {
  const int width = bit_width(a.type);
  return width == 64 ? a.unsigned_bits() : a.unsigned_bits() & ((uint64_t{1} << width) - 1);
}

}  // namespace

Num shift_left(Num a, Num amount) {
  return shifts_out(a, amount) ? Num::of_bits(a.type, 0) : wrap(a.type, a.unsigned_bits() << amount.bits);
}
Num shift_right_logical(Num a, Num amount) {
  return shifts_out(a, amount) ? Num::of_bits(a.type, 0) : wrap(a.type, masked(a) >> amount.bits);
}
Num shift_right_arithmetic(Num a, Num amount) {
  // The sign is the top bit of the type's width, for unsigned types too.
  const int width = bit_width(a.type);
  const uint64_t value = masked(a);
  const bool negative = ((value >> (width - 1)) & 1u) != 0;
  if (shifts_out(a, amount)) return Num::of_bits(a.type, negative ? -1 : 0);
  const uint64_t extended = negative && width < 64 ? value | (~uint64_t{0} << width) : value;
  return Num::of_bits(a.type, static_cast<int64_t>(extended) >> amount.bits);
}

Num floor(Num a) {
  return real_function(a, [](double x) { return std::floor(x); });
}
Num ceil(Num a) {
  return real_function(a, [](double x) { return std::ceil(x); });
}
Num trunc(Num a) {
  return real_function(a, [](double x) { return std::trunc(x); });
}
Num round_even(Num a) {
  return real_function(a, [](double x) { return std::nearbyint(x); });
}
Num copy_sign(Num magnitude, Num sign) {
  return real_function(magnitude, [&](double x) { return std::copysign(x, sign.real); });
}
Num sign(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.sign(z); }, a);
  if (a.is_real()) return a.real == 0 || a.real != a.real ? a : Num::of_real(a.type, std::copysign(1.0, a.real));
  return a.constant(a.bits == 0 ? 0 : a.is_unsigned() || a.bits > 0 ? 1 : -1);
}
Num is_finite(Num a) { return Num::boolean(!a.is_real() || std::isfinite(a.real)); }
Num round_away(Num a) {
  return real_function(a, [](double x) { return std::round(x); });
}
Num rsqrt(Num a) {
  return float_function(a, [](double x) { return 1 / std::sqrt(x); }, [](auto math, auto z) { return math.rsqrt(z); });
}
Num sqrt(Num a) {
  return float_function(a, [](double x) { return std::sqrt(x); }, [](auto math, auto z) { return math.sqrt(z); });
}
Num exp(Num a) {
  return float_function(a, [](double x) { return std::exp(x); }, [](auto math, auto z) { return math.exp(z); });
}
Num expm1(Num a) {
  return float_function(a, [](double x) { return std::expm1(x); }, [](auto math, auto z) { return math.expm1(z); });
}
Num log(Num a) {
  return float_function(a, [](double x) { return std::log(x); }, [](auto math, auto z) { return math.log(z); });
}
Num log1p(Num a) {
  return float_function(a, [](double x) { return std::log1p(x); }, [](auto math, auto z) { return math.log1p(z); });
}
Num tanh(Num a) {
  return float_function(a, [](double x) { return std::tanh(x); }, [](auto math, auto z) { return math.tanh(z); });
}
Num sin(Num a) {
  return float_function(a, [](double x) { return std::sin(x); }, [](auto math, auto z) { return math.sin(z); });
}
Num cos(Num a) {
  return float_function(a, [](double x) { return std::cos(x); }, [](auto math, auto z) { return math.cos(z); });
}
Num tan(Num a) {
  return float_function(a, [](double x) { return std::tan(x); }, [](auto math, auto z) { return math.tan(z); });
}
Num square(Num a) {
  if (a.is_complex()) return complex_function([](auto math, auto z) { return math.square(z); }, a);
  return a * a;
}
Num erf(Num a) {
  return real_function(a, [](double x) { return std::erf(x); });
}
Num cbrt(Num a) {
  return float_function(a, [](double x) { return std::cbrt(x); }, [](auto math, auto z) { return math.cbrt(z); });
}
Num logistic(Num a) {
  return float_function(
      a, [](double x) { return 1 / (1 + std::exp(-x)); }, [](auto math, auto z) { return math.logistic(z); });
}
Num atan2(Num y, Num x) {
  if (y.is_complex()) return complex_function([](auto math, auto a, auto b) { return math.atan2(a, b); }, y, x);
  return real_function(y, [&](double v) { return std::atan2(v, x.real); });
}

Num real_part(Num a) {
  if (!a.is_complex()) return a;
  return Num::of_real(a.type == kC64 ? kF32 : kF64, a.real);
}
Num imag_part(Num a) {
  if (!a.is_complex()) return Num::of_real(a.type, 0);
  return Num::of_real(a.type == kC64 ? kF32 : kF64, a.imag);
}
Num complex_of(Num real, Num imag) { return Num::of_complex(real.type == kF32 ? kC64 : kC128, real.real, imag.real); }

Num pow(Num a, Num b) {
  if (a.is_complex()) return complex_function([](auto math, auto x, auto y) { return math.pow(x, y); }, a, b);
  if (a.is_real()) return Num::of_real(a.type, std::pow(a.real, b.real));
  // Integers: exact modulo 2^width; a negative exponent leaves ±1, or else 0.
  const Num one = a.constant(1);
  if (!b.is_unsigned() && b.bits < 0) {
    if (a.bits == 1) return one;
    if (a.bits == -1) return (b.bits & 1) != 0 ? a : one;
    return Num::of_bits(a.type, 0);
  }
  // Modulo 2^64, which every width divides.
  uint64_t result = 1, base = static_cast<uint64_t>(a.bits);
  for (uint64_t n = b.unsigned_bits(); n != 0; n >>= 1) {
    if ((n & 1) != 0) result *= base;
    base *= base;
  }
  return Num::of_bits(a.type, static_cast<int64_t>(result));
}

}  // namespace weft
