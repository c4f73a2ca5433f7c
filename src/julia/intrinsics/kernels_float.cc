// Kernels of the functions of floating-point numbers.
#include <algorithm>
#include <cmath>

#include "julia/host/number_ops.h"
#include "julia/intrinsics/kernel_pick.h"

namespace weft::julia::kernels {
namespace {

/// A function whose value is defined by one of <cmath> wherever `kFits` holds; elsewhere Julia's function throws.
template <auto kCall, auto kFits>
struct Math {
  template <class T>
  static bool fits(T x) {
    return kFits(x);
  }
  template <class T>
  static T call(T x) {
    return kCall(x);
  }
};

constexpr auto kAlways = [](auto) { return true; };
constexpr auto kNotNegative = [](auto x) { return !(x < 0); };
constexpr auto kNotInfinite = [](auto x) { return !std::isinf(x); };
constexpr auto kWithinOne = [](auto x) { return !(std::abs(x) > 1); };
constexpr auto kFromMinusOne = [](auto x) { return !(x < -1); };
constexpr auto kFromOne = [](auto x) { return !(x < 1); };

template <auto kCall, auto kFits = kAlways>
std::optional<Kernel> math(NumberKind k) {
  return pick_float<Math<kCall, kFits>, 1>(k);
}

struct Power {
  template <class T>
  static bool fits(T a, T b) {
    return !(a < 0) || std::trunc(b) == b;
  }
  template <class T>
  static T call(T a, T b) {
    return std::pow(a, b);
  }
};
struct Atan2 {
  template <class T>
  static T call(T a, T b) {
    return std::atan2(a, b);
  }
};
struct Hypot {
  template <class T>
  static T call(T a, T b) {
    return std::hypot(a, b);
  }
};
struct CopySign {
  template <class T>
  static T call(T a, T b) {
    return std::copysign(a, b);
  }
};
template <int kWhat>
struct Classify {
  template <class T>
  static bool call(T a) {
    return kWhat == 0 ? std::isnan(a) : kWhat == 1 ? std::isinf(a) : std::isfinite(a);
  }
};

}  // namespace

std::optional<Kernel> find_float_kernel(ScalarFunction f, std::span<const NumberKind> kinds) {
  using enum ScalarFunction;
  if (kinds.size() == 2) {
    NumberKind k = promote_kind(kinds[0], kinds[1]);
    // Powers of integers are integers, and an integer exponent means repeated multiplication.
    if (f == kPower) return is_float(kinds[0]) && is_float(kinds[1]) ? pick_float<Power, 2>(k) : std::nullopt;
    if (!is_float(k)) k = NumberKind::kFloat64;
    if (f == kAtan) return pick_float<Atan2, 2>(k);
    if (f == kHypot) return pick_float<Hypot, 2>(k);
    if (f == kCopySign && is_float(kinds[0])) return pick_float<CopySign, 2>(kinds[0]);
    return std::nullopt;
  }
  if (kinds.size() != 1) return std::nullopt;
  const NumberKind given = kinds[0];
  const NumberKind k = is_float(given) ? given : NumberKind::kFloat64;
  switch (f) {
    case kFloat: return math<[](auto x) { return x; }>(k);
    case kIsNan: return pick_float<Classify<0>, 1>(k);
    case kIsInf: return pick_float<Classify<1>, 1>(k);
    case kIsFinite: return pick_float<Classify<2>, 1>(k);
    case kInverse: return given == NumberKind::kBool ? std::nullopt : math<[](auto x) { return 1 / x; }>(k);
    case kFloor: return is_float(given) ? math<[](auto x) { return std::floor(x); }>(k) : std::nullopt;
    case kCeil: return is_float(given) ? math<[](auto x) { return std::ceil(x); }>(k) : std::nullopt;
    case kTruncate: return is_float(given) ? math<[](auto x) { return std::trunc(x); }>(k) : std::nullopt;
    case kRound: return is_float(given) ? math<[](auto x) { return std::rint(x); }>(k) : std::nullopt;
    case kSquareRoot: return math<[](auto x) { return std::sqrt(x); }, kNotNegative>(k);
    case kCubeRoot: return math<[](auto x) { return std::cbrt(x); }>(k);
    case kExp: return math<[](auto x) { return std::exp(x); }>(k);
    case kExp2: return math<[](auto x) { return std::exp2(x); }>(k);
    case kExp10: return math<[](auto x) { return decltype(x)(::exp10(static_cast<double>(x))); }>(k);
    case kExpm1: return math<[](auto x) { return std::expm1(x); }>(k);
    case kLog: return math<[](auto x) { return std::log(x); }, kNotNegative>(k);
    case kLog2: return math<[](auto x) { return std::log2(x); }, kNotNegative>(k);
    case kLog10: return math<[](auto x) { return std::log10(x); }, kNotNegative>(k);
    case kLog1p: return math<[](auto x) { return std::log1p(x); }, kFromMinusOne>(k);
    case kSin: return math<[](auto x) { return std::sin(x); }, kNotInfinite>(k);
    case kCos: return math<[](auto x) { return std::cos(x); }, kNotInfinite>(k);
    case kTan: return math<[](auto x) { return std::tan(x); }, kNotInfinite>(k);
    case kAsin: return math<[](auto x) { return std::asin(x); }, kWithinOne>(k);
    case kAcos: return math<[](auto x) { return std::acos(x); }, kWithinOne>(k);
    case kAtan: return math<[](auto x) { return std::atan(x); }>(k);
    case kSinh: return math<[](auto x) { return std::sinh(x); }>(k);
    case kCosh: return math<[](auto x) { return std::cosh(x); }>(k);
    case kTanh: return math<[](auto x) { return std::tanh(x); }>(k);
    case kAsinh: return math<[](auto x) { return std::asinh(x); }>(k);
    case kAcosh: return math<[](auto x) { return std::acosh(x); }, kFromOne>(k);
    case kAtanh: return math<[](auto x) { return std::atanh(x); }, kWithinOne>(k);
    default: return std::nullopt;
  }
}

}  // namespace weft::julia::kernels
