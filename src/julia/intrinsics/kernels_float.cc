// Kernels of the functions of floating-point numbers.
#include <algorithm>
#include <cmath>

#include "julia/host/number_ops.h"
#include "julia/intrinsics/kernel_pick.h"
#include "julia/intrinsics/scalar_math.h"

namespace weft::julia::kernels {
namespace {

/// A function wherever `kFits` holds; elsewhere Julia's throws.
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

template <auto kCall>
struct Plain {
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

template <MathFunction kFunction, auto kFits = kAlways>
std::optional<Kernel> math(NumberKind k) {
  if constexpr (std::is_same_v<decltype(kFits), decltype(kAlways)>)
    return pick_float<Plain<[](auto x) { return julia::math(kFunction, x); }>, 1>(k);
  else return pick_float<Math<[](auto x) { return julia::math(kFunction, x); }, kFits>, 1>(k);
}
template <auto kCall>
std::optional<Kernel> plain(NumberKind k) {
  return pick_float<Plain<kCall>, 1>(k);
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
    case kFloat: return plain<[](auto x) { return x; }>(k);
    case kIsNan: return pick_float<Classify<0>, 1>(k);
    case kIsInf: return pick_float<Classify<1>, 1>(k);
    case kIsFinite: return pick_float<Classify<2>, 1>(k);
    case kInverse: return given == NumberKind::kBool ? std::nullopt : plain<[](auto x) { return 1 / x; }>(k);
    case kFloor: return is_float(given) ? plain<[](auto x) { return std::floor(x); }>(k) : std::nullopt;
    case kCeil: return is_float(given) ? plain<[](auto x) { return std::ceil(x); }>(k) : std::nullopt;
    case kTruncate: return is_float(given) ? plain<[](auto x) { return std::trunc(x); }>(k) : std::nullopt;
    case kRound: return is_float(given) ? plain<[](auto x) { return std::rint(x); }>(k) : std::nullopt;
    case kSquareRoot: return math<MathFunction::kSqrt, kNotNegative>(k);
    case kCubeRoot: return math<MathFunction::kCbrt>(k);
    case kExp: return math<MathFunction::kExp>(k);
    case kExp2: return math<MathFunction::kExp2>(k);
    case kExp10: return math<MathFunction::kExp10>(k);
    case kExpm1: return math<MathFunction::kExpm1>(k);
    case kLog: return math<MathFunction::kLog, kNotNegative>(k);
    case kLog2: return math<MathFunction::kLog2, kNotNegative>(k);
    case kLog10: return math<MathFunction::kLog10, kNotNegative>(k);
    case kLog1p: return math<MathFunction::kLog1p, kFromMinusOne>(k);
    case kSin: return math<MathFunction::kSin, kNotInfinite>(k);
    case kCos: return math<MathFunction::kCos, kNotInfinite>(k);
    case kTan: return math<MathFunction::kTan, kNotInfinite>(k);
    case kAsin: return math<MathFunction::kAsin, kWithinOne>(k);
    case kAcos: return math<MathFunction::kAcos, kWithinOne>(k);
    case kAtan: return math<MathFunction::kAtan>(k);
    case kSinh: return math<MathFunction::kSinh>(k);
    case kCosh: return math<MathFunction::kCosh>(k);
    case kTanh: return math<MathFunction::kTanh>(k);
    case kAsinh: return math<MathFunction::kAsinh>(k);
    case kAcosh: return math<MathFunction::kAcosh, kFromOne>(k);
    case kAtanh: return math<MathFunction::kAtanh, kWithinOne>(k);
    default: return std::nullopt;
  }
}

}  // namespace weft::julia::kernels
