// The parts of floats: neighbours, exponents, classes.
#include <bit>
#include <cmath>
#include <limits>

#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

template <class T>
struct Format;
template <>
struct Format<f16> {
  using Bits = uint16_t;
  static constexpr int fraction = 10, bias = 15;
};
template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr int fraction = 23, bias = 127;
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr int fraction = 52, bias = 1023;
};

template <class T>
typename Format<T>::Bits bits_of(T x) {
  return std::bit_cast<typename Format<T>::Bits>(x);
}

template <class T>
constexpr auto infinity_bits() {
  using B = typename Format<T>::Bits;
  return static_cast<B>(static_cast<B>(2 * Format<T>::bias + 1) << Format<T>::fraction);
}

template <class T>
double wide(T x) {
  return static_cast<double>(static_cast<ComputedIn<T>>(x));
}

/// The float n steps up (down for negative n), which stops at the infinities.
template <class T>
T neighbour(T x, Int128 n) {
  using B = typename Format<T>::Bits;
  if (std::isnan(wide(x))) return x;
  constexpr B top = static_cast<B>(B(1) << (kBits<T> - 1));
  const B bits = bits_of(x);
  const auto size = static_cast<Int128>(bits & static_cast<B>(~top));
  const bool negative = (bits & top) != 0;
  Int128 place = (negative ? -size : size) + n;
  const auto limit = static_cast<Int128>(infinity_bits<T>());
  place = std::min(std::max(place, -limit), limit);
  // Of the two zeros the one on the side it came from.
  const bool minus = place < 0 || (place == 0 && negative);
  const auto out = static_cast<B>(place < 0 ? -place : place);
  return std::bit_cast<T>(static_cast<B>(minus ? out | top : out));
}

Int128 saturated(const Value& v) {
  return visit_number(kind_of_number(v), [&]<class N>(N) -> Int128 {
    if constexpr (kIsFloat<N>) throw InternalError("an integer was expected");
    else if constexpr (std::is_same_v<N, UInt128>)
      return v.get<N>() >> 100 != 0 ? Int128{1} << 100 : static_cast<Int128>(v.get<N>());
    else if constexpr (std::is_same_v<N, Int128>)
      return std::min(std::max(v.get<N>(), -(Int128{1} << 100)), Int128{1} << 100);
    else return static_cast<Int128>(v.get<N>());
  });
}

Value next_float(Evaluator&, Args a) {
  const Int128 n = a.size() > 1 ? saturated(a[1]) : 1;
  return on_float(a[0], [&]<class T>(T x) { return number(neighbour(x, n)); });
}
Value previous_float(Evaluator&, Args a) {
  const Int128 n = a.size() > 1 ? saturated(a[1]) : 1;
  return on_float(a[0], [&]<class T>(T x) { return number(neighbour(x, -n)); });
}

/// The distance to the next float away from zero.
Value epsilon(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T x) {
    const double d = std::fabs(wide(x));
    if (!std::isfinite(d)) return number(narrowed<T>(std::numeric_limits<double>::quiet_NaN()));
    const int lowest = 1 - Format<T>::bias;
    const int exponent = d == 0 ? lowest : std::max(std::ilogb(d), lowest);
    return number(narrowed<T>(std::ldexp(1.0, exponent - Format<T>::fraction)));
  });
}

Value exponent(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T x) {
    const double d = wide(x);
    if (!std::isfinite(d)) throw_domain_error(a[0], "Cannot be NaN or Inf.");
    if (d == 0) throw_domain_error(a[0], "Cannot be ±0.0.");
    return number(static_cast<int64_t>(std::ilogb(d)));
  });
}

Value significand(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T x) {
    const double d = wide(x);
    if (!std::isfinite(d) || d == 0) return a[0];
    return number(narrowed<T>(std::scalbn(d, -std::ilogb(d))));
  });
}

Value fraction_and_exponent(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T x) {
    const double d = wide(x);
    int e = 0;
    if (!std::isfinite(d) || d == 0) return make_tuple({a[0], number(int64_t{0})});
    const double f = std::frexp(d, &e);
    return make_tuple({number(narrowed<T>(f)), number(static_cast<int64_t>(e))});
  });
}

Value load_exponent(Evaluator&, Args a) {
  const auto n = static_cast<int>(std::min(std::max(saturated(a[1]), Int128{-5000}), Int128{5000}));
  return on_float(a[0], [&]<class T>(T x) {
    if constexpr (std::is_same_v<T, float>) return number(std::ldexp(x, n));
    else return number(narrowed<T>(std::ldexp(wide(x), n)));
  });
}

Value fraction_and_whole(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T x) {
    const double d = wide(x), whole = std::trunc(d);
    const double part = std::isinf(d) ? std::copysign(0.0, d) : std::copysign(d - whole, d);
    return make_tuple({number(narrowed<T>(part)), number(narrowed<T>(whole))});
  });
}

template <class F>
Value classified(Args a, F&& f) {
  return visit_number(kind_of_number(a[0]), [&]<class T>(T) -> Value {
    if constexpr (kIsFloat<T>) return boolean(f(a[0].get<T>()));
    else return boolean(f(0.0));
  });
}

Value is_nan(Evaluator&, Args a) {
  return classified(a, [](auto x) { return std::isnan(wide(x)); });
}
Value is_infinite(Evaluator&, Args a) {
  return classified(a, [](auto x) { return std::isinf(wide(x)); });
}
Value is_finite(Evaluator&, Args a) {
  return classified(a, [](auto x) { return std::isfinite(wide(x)); });
}
Value is_whole(Evaluator&, Args a) {
  return classified(a, [](auto x) { return std::isfinite(wide(x)) && std::trunc(wide(x)) == wide(x); });
}
Value is_subnormal(Evaluator&, Args a) {
  return classified(a, []<class T>(T x) {
    const auto size = static_cast<typename Format<T>::Bits>(bits_of(x) << 1);
    return size != 0 && size >> (Format<T>::fraction + 1) == 0;
  });
}

/// sqrt(x^2 + y^2 + …) without overflow: floats of one type.
Value norm_of(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T) {
    long double sum = 0;
    bool infinite = false, undefined = false;
    for (const Value& v : a) {
      const auto x = static_cast<long double>(wide(v.get<T>()));
      infinite |= std::isinf(x);
      undefined |= std::isnan(x);
      sum += x * x;
    }
    if (infinite) return number(narrowed<T>(std::numeric_limits<double>::infinity()));
    if (undefined) return number(narrowed<T>(std::numeric_limits<double>::quiet_NaN()));
    return number(narrowed<T>(static_cast<double>(std::sqrt(sum))));
  });
}

constexpr IntrinsicEntry kEntries[] = {
    {"_nextfloat", next_float, 1, 2},     {"_prevfloat", previous_float, 1, 2}, {"_eps", epsilon, 1, 1},
    {"_exponent", exponent, 1, 1},        {"_significand", significand, 1, 1},  {"_frexp", fraction_and_exponent, 1, 1},
    {"_ldexp", load_exponent, 2, 2},      {"_modf", fraction_and_whole, 1, 1},  {"_isnan", is_nan, 1, 1},
    {"_isinf", is_infinite, 1, 1},        {"_isfinite", is_finite, 1, 1},       {"_isinteger", is_whole, 1, 1},
    {"_issubnormal", is_subnormal, 1, 1}, {"_hypot_all", norm_of, 1, -1},
};

}  // namespace

std::span<const IntrinsicEntry> number_float_entries() { return kEntries; }

}  // namespace weft::julia
