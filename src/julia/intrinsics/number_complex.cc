// Functions of Complex{Float16}, {Float32} and {Float64}: division and those that C's complex library has, in long double.
// A result is rounded once; the limits at infinities, zeros and NaN are those of C's annex G, and Julia's own in exp and tanh.
#include <cmath>
#include <complex>

#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

using Wide = long double;
using WideComplex = std::complex<Wide>;

template <class F>
Value on_complex(const Value& z, F&& f) {
  const auto kind = number_kind(z.type()->parameters[0]);
  if (!kind || !is_float(*kind)) throw InternalError("a complex float was expected");
  const size_t half = z.type()->layout().size / 2;
  return visit_number(*kind, [&]<class T>(T) -> Value {
    if constexpr (!kIsFloat<T>) {
      throw InternalError("a complex float was expected");
    } else {
      T parts[2];
      std::memcpy(&parts[0], z.bits(), half);
      std::memcpy(&parts[1], z.bits() + half, half);
      using C = ComputedIn<T>;
      const WideComplex w = f(WideComplex(static_cast<C>(parts[0]), static_cast<C>(parts[1])));
      if constexpr (std::is_same_v<T, f16>) {
        parts[0] = to_f16(static_cast<double>(w.real()));
        parts[1] = to_f16(static_cast<double>(w.imag()));
      } else {
        parts[0] = static_cast<T>(w.real());
        parts[1] = static_cast<T>(w.imag());
      }
      return Value::from_bits(z.type(), parts);
    }
  });
}

WideComplex parts_of(const Value& z) {
  WideComplex out;
  on_complex(z, [&](WideComplex w) { return out = w; });
  return out;
}

const Wide kNaN = std::nanl("");

WideComplex exponential(WideComplex z) {
  const Wide x = z.real(), y = z.imag();
  if (std::isnan(x)) return {x, y == 0 ? y : x};
  if (!std::isfinite(y)) {
    if (!std::isinf(x)) return {kNaN, kNaN};
    if (x > 0) return {-x, kNaN};
    return {-Wide(0), std::copysign(Wide(0), y)};
  }
  const Wide r = std::exp(x);
  if (y == 0) return {r, y};
  return {r * std::cos(y), r * std::sin(y)};
}

WideComplex exponential_less_one(WideComplex z) {
  const Wide x = z.real(), y = z.imag();
  if (std::isnan(x)) return {x, y == 0 ? y : x};
  if (!std::isfinite(y)) {
    if (!std::isinf(x)) return {kNaN, kNaN};
    if (x > 0) return {-x, kNaN};
    return {-Wide(1), std::copysign(Wide(0), y)};
  }
  const Wide m = std::expm1(x);
  if (y == 0) return {m, y};
  const Wide r = m + 1;
  if (std::isinf(r)) return {r * std::cos(y), r * std::sin(y)};
  const Wide s = std::sin(y / 2);
  return {m - 2 * r * s * s, r * std::sin(y)};
}

WideComplex logarithm_of_one_plus(WideComplex z) {
  const Wide x = z.real(), y = z.imag();
  if (!std::isfinite(x) || !std::isfinite(y)) return std::log(WideComplex(1 + x, y));
  if (x == -1 && y == 0) return {-INFINITY, y};
  const Wide more = x * (2 + x) + y * y;
  const Wide half = std::isfinite(more) ? std::log1p(more) / 2 : std::log(std::hypot(1 + x, y));
  return {half, std::atan2(y, 1 + x)};
}

WideComplex hyperbolic_tangent(WideComplex z, const Value& original) {
  const Wide x = z.real(), y = z.imag();
  if (std::isnan(x)) return {x, y == 0 ? y : kNaN};
  if (std::isinf(x)) {
    const Wide sign = std::isfinite(y) ? std::sin(2 * y) : y;
    return {std::copysign(Wide(1), x), std::copysign(Wide(0), std::isnan(sign) ? Wide(1) : sign)};
  }
  if (std::isnan(y)) return {kNaN, kNaN};
  if (std::isinf(y)) throw_domain_error(original, "tan(x) is only defined for finite x.");
  return std::tanh(z);
}

/// The sign of the infinity is free in annex G; Julia has a positive one.
WideComplex arc_cosine(WideComplex z) {
  if (std::isinf(z.real()) && std::isnan(z.imag())) return {kNaN, INFINITY};
  return std::acos(z);
}

template <class F>
Value unary(Args a, F&& f) {
  return on_complex(a[0], f);
}

/// An infinite divisor leaves zeros with the signs of the quotient; otherwise the plain formula is exact enough in wide parts.
WideComplex quotient(WideComplex a, WideComplex b) {
  const Wide x = a.real(), y = a.imag(), c = b.real(), d = b.imag();
  if (std::isinf(c) || std::isinf(d)) {
    if (!std::isfinite(x) || !std::isfinite(y)) return {kNaN, kNaN};
    const auto zero = [](Wide u, Wide v) {
      return std::copysign(Wide(0), std::signbit(u) != std::signbit(v) ? -1 : 1);
    };
    return {zero(x, c), -zero(y, d)};
  }
  const Wide size = c * c + d * d;
  return {(x * c + y * d) / size, (y * c - x * d) / size};
}

Value divide(Evaluator&, Args a) {
  const WideComplex b = parts_of(a[1]);
  return on_complex(a[0], [&](WideComplex z) { return quotient(z, b); });
}

Value inverse(Evaluator&, Args a) {
  return unary(a, [](WideComplex z) {
    if (std::isinf(z.real()) || std::isinf(z.imag()))
      return WideComplex(std::copysign(Wide(0), z.real()), std::copysign(Wide(0), -z.imag()));
    const Wide size = z.real() * z.real() + z.imag() * z.imag();
    return WideComplex(z.real() / size, -z.imag() / size);
  });
}

/// The parts of two complex floats of one type, in that type.
template <class F>
Value on_pair(Args a, F&& f) {
  if (a[0].type() != a[1].type()) throw InternalError("complex numbers of one type were expected");
  const auto kind = number_kind(a[0].type()->parameters[0]);
  return visit_number(*kind, [&]<class T>(T) -> Value {
    if constexpr (!kIsFloat<T>) {
      throw InternalError("a complex float was expected");
    } else {
      using C = ComputedIn<T>;
      T x[2], y[2];
      std::memcpy(x, a[0].bits(), sizeof x);
      std::memcpy(y, a[1].bits(), sizeof y);
      C out[2];
      f(static_cast<C>(x[0]), static_cast<C>(x[1]), static_cast<C>(y[0]), static_cast<C>(y[1]), out);
      const T parts[2] = {static_cast<T>(out[0]), static_cast<T>(out[1])};
      return Value::from_bits(a[0].type(), parts);
    }
  });
}

Value add(Evaluator&, Args a) {
  return on_pair(a, [](auto x, auto y, auto u, auto v, auto* out) {
    out[0] = x + u;
    out[1] = y + v;
  });
}
Value subtract(Evaluator&, Args a) {
  return on_pair(a, [](auto x, auto y, auto u, auto v, auto* out) {
    out[0] = x - u;
    out[1] = y - v;
  });
}
Value multiply(Evaluator&, Args a) {
  return on_pair(a, [](auto x, auto y, auto u, auto v, auto* out) {
    out[0] = x * u - y * v;
    out[1] = x * v + y * u;
  });
}

template <class F>
Value real_of_complex(const Value& z, F&& f) {
  const WideComplex w = parts_of(z);
  const NumberKind kind = *number_kind(z.type()->parameters[0]);
  return convert_number(kind, number(static_cast<double>(f(w))));
}
Value absolute(Evaluator&, Args a) {
  return real_of_complex(a[0], [](WideComplex w) { return std::hypot(w.real(), w.imag()); });
}
Value absolute_squared(Evaluator&, Args a) {
  const Value& z = a[0];
  return visit_number(*number_kind(z.type()->parameters[0]), [&]<class T>(T) -> Value {
    if constexpr (!kIsFloat<T>) {
      throw InternalError("a complex float was expected");
    } else {
      using C = ComputedIn<T>;
      T x[2];
      std::memcpy(x, z.bits(), sizeof x);
      const auto re = static_cast<C>(x[0]), im = static_cast<C>(x[1]);
      return number(static_cast<T>(re * re + im * im));
    }
  });
}

/// Complex{T} of two parts of type T.
Value make_complex(const Type* of, const Value& re, const Value& im) {
  static thread_local const Type* last = nullptr;
  static thread_local const DataType* type = nullptr;
  if (of != last) {
    type = applied(core().complex, {of});
    last = of;
  }
  if (re.type() != of || im.type() != of || !of->is_closed() || !number_kind(of)) return make_struct(type, {re, im});
  std::byte parts[2 * Value::kInlineBytes];
  const size_t size = re.type()->layout().size;
  std::memcpy(parts, re.bits(), size);
  std::memcpy(parts + size, im.bits(), size);
  return Value::from_bits(type, parts);
}
Value complex_of_parts(Evaluator&, Args a) { return make_complex(a[0].type(), a[0], a[1]); }
Value complex_of_type(Evaluator&, Args a) { return make_complex(a[0].as_type(), a[1], a[2]); }

/// Rational{T} of a numerator and a denominator of type T, which are in lowest terms already.
Value rational_of_parts(Evaluator&, Args a) {
  return make_struct(applied(core().rational, {a[0].type()}), {a[0], a[1]});
}

// clang-format off
Value sqrt_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::sqrt(z); }); }
Value exp_of(Evaluator&, Args a) { return unary(a, exponential); }
Value expm1_of(Evaluator&, Args a) { return unary(a, exponential_less_one); }
Value log_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::log(z); }); }
Value log1p_of(Evaluator&, Args a) { return unary(a, logarithm_of_one_plus); }
Value sin_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::sin(z); }); }
Value cos_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::cos(z); }); }
Value sinh_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::sinh(z); }); }
Value cosh_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::cosh(z); }); }
Value tanh_of(Evaluator&, Args a) { return unary(a, [&](WideComplex z) { return hyperbolic_tangent(z, a[0]); }); }
Value asin_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::asin(z); }); }
Value acos_of(Evaluator&, Args a) { return unary(a, arc_cosine); }
Value asinh_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::asinh(z); }); }
Value acosh_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::acosh(z); }); }
Value atanh_of(Evaluator&, Args a) { return unary(a, [](WideComplex z) { return std::atanh(z); }); }
// clang-format on

constexpr IntrinsicEntry kEntries[] = {
    {"_complex", complex_of_parts, 2, 2},   {"_complex_of", complex_of_type, 3, 3},
    {"_rational", rational_of_parts, 2, 2}, {"_complex_add", add, 2, 2},
    {"_complex_sub", subtract, 2, 2},       {"_complex_mul", multiply, 2, 2},
    {"_complex_abs", absolute, 1, 1},       {"_complex_abs2", absolute_squared, 1, 1},
    {"_complex_div", divide, 2, 2},         {"_complex_inv", inverse, 1, 1},
    {"_complex_sqrt", sqrt_of, 1, 1},       {"_complex_exp", exp_of, 1, 1},
    {"_complex_expm1", expm1_of, 1, 1},     {"_complex_log", log_of, 1, 1},
    {"_complex_log1p", log1p_of, 1, 1},     {"_complex_sin", sin_of, 1, 1},
    {"_complex_cos", cos_of, 1, 1},         {"_complex_sinh", sinh_of, 1, 1},
    {"_complex_cosh", cosh_of, 1, 1},       {"_complex_tanh", tanh_of, 1, 1},
    {"_complex_asin", asin_of, 1, 1},       {"_complex_acos", acos_of, 1, 1},
    {"_complex_asinh", asinh_of, 1, 1},     {"_complex_acosh", acosh_of, 1, 1},
    {"_complex_atanh", atanh_of, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> number_complex_entries() { return kEntries; }

}  // namespace weft::julia
