// The functions of Base.Math on machine numbers: integers are taken as Float64, Float16 computes as Float32.
#include <cmath>
#include <numbers>

#include "julia/intrinsics/number_parts.h"
#include "julia/intrinsics/scalar_math.h"

namespace weft::julia {
namespace {

template <MathFunction f>
Value real_function(Evaluator&, Args a) {
  if (a[0].is(core().float64)) {
    const auto x = a[0].get<double>();
    check_domain(f, x, a[0]);
    return number(math(f, x));
  }
  return visit_number(kind_of_number(a[0]), [&]<class T>(T) -> Value {
    if constexpr (kIsFloat<T>) {
      const auto x = static_cast<ComputedIn<T>>(a[0].get<T>());
      check_domain(f, static_cast<double>(x), a[0]);
      return number(static_cast<T>(math(f, x)));
    } else {
      const auto x = static_cast<double>(a[0].get<T>());
      check_domain(f, x, number(x));
      return number(math(f, x));
    }
  });
}

/// A pair of results from one argument.
template <MathFunction first, MathFunction second>
Value pair_of(Evaluator& e, Args a) {
  if constexpr (first == MathFunction::kSin) {
    const double x = convert_number(NumberKind::kFloat64, a[0]).get<double>();
    if (std::isinf(x)) {
      const bool whole = is_integer(kind_of_number(a[0]));
      throw_domain_error(whole ? number(x) : a[0], "sincos(x) is only defined for finite x.");
    }
  }
  return make_tuple({real_function<first>(e, a), real_function<second>(e, a)});
}

/// Both arguments as floats of the promoted type; a function of two wide numbers, rounded once.
template <class F>
Value of_two(Args a, F&& f) {
  NumberKind kind = promote_kind(kind_of_number(a[0]), kind_of_number(a[1]));
  if (!is_float(kind)) kind = NumberKind::kFloat64;
  const Value x = convert_number(kind, a[0]), y = convert_number(kind, a[1]);
  return on_float(x, [&]<class T>(T u) {
    const auto v = y.get<T>();
    if constexpr (std::is_same_v<T, double>)
      return number(static_cast<double>(f(static_cast<long double>(u), static_cast<long double>(v))));
    else
      return number(narrowed<T>(static_cast<double>(
          f(static_cast<long double>(static_cast<float>(u)), static_cast<long double>(static_cast<float>(v))))));
  });
}

Value arc_tangent(Evaluator&, Args a) {
  return of_two(a, [](long double y, long double x) { return std::atan2(y, x); });
}

Value hypotenuse(Evaluator&, Args a) {
  return of_two(a, [](long double x, long double y) { return std::hypot(x, y); });
}

/// log(b, x) is log(x) / log(b), in more places than the result has.
Value logarithm_to_base(Evaluator&, Args a) {
  NumberKind kind = promote_kind(kind_of_number(a[0]), kind_of_number(a[1]));
  if (!is_float(kind)) kind = NumberKind::kFloat64;
  for (const Value& v : a) {
    const Value x = convert_number(kind, v);
    check_domain(MathFunction::kLog, convert_number(NumberKind::kFloat64, x).get<double>(), x);
  }
  return of_two(a, [](long double b, long double x) {
    if (b == 2) return std::log2(x);
    if (b == 10) return std::log10(x);
    // Julia divides two rounded logarithms; its documented results show those roundings.
    return static_cast<long double>(std::log(static_cast<double>(x)) / std::log(static_cast<double>(b)));
  });
}

/// The remainder of x by 2π, rounded to the given side: 0 to nearest, 1 to zero, 2 down, 3 up.
long double remainder_of_turns(double x, int side) {
  // sin and cos reduce their argument with all the digits of π.
  const auto w = static_cast<long double>(x);
  constexpr long double pi = std::numbers::pi_v<long double>;
  long double r = std::fabs(x) <= std::numbers::pi ? w : std::atan2(std::sin(w), std::cos(w));
  if (side == 2 || (side == 1 && x > 0)) {
    if (r < 0) r += 2 * pi;
  } else if (side == 3 || (side == 1 && x < 0)) {
    if (r > 0) r -= 2 * pi;
  }
  return r;
}

Value rem2pi(Evaluator&, Args a) {
  NumberKind kind = kind_of_number(a[0]);
  if (!is_float(kind)) kind = NumberKind::kFloat64;
  const int side = static_cast<int>(a[1].get<int64_t>());
  return on_float(convert_number(kind, a[0]), [&]<class T>(T x) {
    const auto d = static_cast<double>(static_cast<ComputedIn<T>>(x));
    if (!std::isfinite(d)) return number(narrowed<T>(std::nan("")));
    return number(narrowed<T>(static_cast<double>(remainder_of_turns(d, side))));
  });
}

using enum MathFunction;

constexpr IntrinsicEntry kEntries[] = {
    {"_sqrt", real_function<kSqrt>, 1, 1},
    {"_cbrt", real_function<kCbrt>, 1, 1},
    {"_exp", real_function<kExp>, 1, 1},
    {"_exp2", real_function<kExp2>, 1, 1},
    {"_exp10", real_function<kExp10>, 1, 1},
    {"_expm1", real_function<kExpm1>, 1, 1},
    {"_log", real_function<kLog>, 1, 1},
    {"_log2", real_function<kLog2>, 1, 1},
    {"_log10", real_function<kLog10>, 1, 1},
    {"_log1p", real_function<kLog1p>, 1, 1},
    {"_sin", real_function<kSin>, 1, 1},
    {"_cos", real_function<kCos>, 1, 1},
    {"_tan", real_function<kTan>, 1, 1},
    {"_asin", real_function<kAsin>, 1, 1},
    {"_acos", real_function<kAcos>, 1, 1},
    {"_atan", real_function<kAtan>, 1, 1},
    {"_sinh", real_function<kSinh>, 1, 1},
    {"_cosh", real_function<kCosh>, 1, 1},
    {"_tanh", real_function<kTanh>, 1, 1},
    {"_asinh", real_function<kAsinh>, 1, 1},
    {"_acosh", real_function<kAcosh>, 1, 1},
    {"_atanh", real_function<kAtanh>, 1, 1},
    {"_sinpi", real_function<kSinpi>, 1, 1},
    {"_cospi", real_function<kCospi>, 1, 1},
    {"_tanpi", real_function<kTanpi>, 1, 1},
    {"_sind", real_function<kSind>, 1, 1},
    {"_cosd", real_function<kCosd>, 1, 1},
    {"_tand", real_function<kTand>, 1, 1},
    {"_sincos", pair_of<kSin, kCos>, 1, 1},
    {"_sincospi", pair_of<kSinpi, kCospi>, 1, 1},
    {"_sincosd", pair_of<kSind, kCosd>, 1, 1},
    {"_atan2", arc_tangent, 2, 2},
    {"_hypot", hypotenuse, 2, 2},
    {"_log_base", logarithm_to_base, 2, 2},
    {"_rem2pi", rem2pi, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> number_math_entries() { return kEntries; }

}  // namespace weft::julia
