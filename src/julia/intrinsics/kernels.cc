#include "julia/intrinsics/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "julia/host/number_ops.h"
#include "julia/intrinsics/kernel_pick.h"

namespace weft::julia {
namespace {

using kernels::pick;
using kernels::pick_any;
using kernels::pick_float;
using kernels::pick_integer;
using kernels::pick_number;

template <class T>
constexpr bool kIsInteger = !kIsFloat<T>;
/// Integer arithmetic wraps: it is done without sign, at least as wide as int.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

struct Identity {
  template <class T>
  static T call(T a) {
    return a;
  }
};

template <char kOp>
struct Arithmetic {
  template <class T>
  static T call(T a, T b) {
    if constexpr (kIsInteger<T>) {
      const auto x = static_cast<Wrapping<T>>(a), y = static_cast<Wrapping<T>>(b);
      return static_cast<T>(kOp == '+' ? x + y : kOp == '-' ? x - y : x * y);
    } else {
      return kOp == '+' ? a + b : kOp == '-' ? a - b : a * b;
    }
  }
};
struct Negate {
  template <class T>
  static T call(T a) {
    if constexpr (kIsInteger<T>) return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(a));
    else return -a;
  }
};
struct Divide {
  template <class T>
  static T call(T a, T b) {
    return a / b;
  }
};
struct MulAdd {
  template <class T>
  static T call(T a, T b, T c) {
    return Arithmetic<'+'>::call(Arithmetic<'*'>::call(a, b), c);
  }
};

/// What an integer division takes in one step; division by zero and the overflow of the least number by -1 go to the function.
struct IntegerDivision {
  template <class T>
  static bool fits(T a, T b) {
    if constexpr (kIsSigned<T>) return b != 0 && (b != -1 || a != std::numeric_limits<T>::min());
    else return b != 0;
  }
};
struct Quotient : IntegerDivision {
  template <class T>
  static T call(T a, T b) {
    return static_cast<T>(a / b);
  }
};
struct FloorQuotient : IntegerDivision {
  template <class T>
  static T call(T a, T b) {
    const T q = static_cast<T>(a / b);
    if constexpr (kIsSigned<T>) return static_cast<T>(q - (a % b != 0 && (a < 0) != (b < 0)));
    else return q;
  }
};
struct Remainder : IntegerDivision {
  template <class T>
  static T call(T a, T b) {
    return static_cast<T>(a % b);
  }
};
struct Modulo : IntegerDivision {
  template <class T>
  static T call(T a, T b) {
    const T r = static_cast<T>(a % b);
    if constexpr (kIsSigned<T>) return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    else return r;
  }
};

/// NaN wins, and -0.0 is less than 0.0.
template <bool kLargest>
struct Extreme {
  template <class T>
  static T call(T a, T b) {
    if constexpr (kIsInteger<T>) {
      return kLargest ? std::max(a, b) : std::min(a, b);
    } else {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
      if (a == b) return std::signbit(a) == kLargest ? b : a;
      return (a < b) == kLargest ? b : a;
    }
  }
};
template <char kOp>
struct Bits {
  template <class T>
  static T call(T a, T b) {
    return static_cast<T>(kOp == '&' ? a & b : kOp == '|' ? a | b : a ^ b);
  }
};
struct Not {
  template <class T>
  static T call(T a) {
    if constexpr (std::is_same_v<T, bool>) return !a;
    else return static_cast<T>(~a);
  }
};

template <ScalarFunction kOp>
struct Compare {
  template <class T>
  static bool call(T a, T b) {
    using enum ScalarFunction;
    if constexpr (kOp == kEqual) return a == b;
    else if constexpr (kOp == kNotEqual) return a != b;
    else if constexpr (kOp == kLess) return a < b;
    else if constexpr (kOp == kLessEqual) return a <= b;
    else if constexpr (kOp == kGreater) return a > b;
    else if constexpr (kOp == kGreaterEqual) return a >= b;
    else if constexpr (kIsInteger<T>) return kOp == kIsEqual ? a == b : a < b;
    else if constexpr (kOp == kIsEqual)
      return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
    else return std::isnan(a) ? false : std::isnan(b) || a < b || (a == b && std::signbit(a) && !std::signbit(b));
  }
};

struct Absolute {
  template <class T>
  static T call(T a) {
    if constexpr (!kIsInteger<T>) return std::abs(a);
    else if constexpr (kIsSigned<T>) return a < 0 ? Negate::call(a) : a;
    else return a;
  }
};
struct Absolute2 {
  template <class T>
  static T call(T a) {
    return Arithmetic<'*'>::call(a, a);
  }
};
struct Sign {
  template <class T>
  static T call(T a) {
    if constexpr (kIsInteger<T>) return static_cast<T>((a > 0) - (a < T(0)));
    else return a > 0 ? T(1) : a < 0 ? T(-1) : a;
  }
};
struct IsZero {
  template <class T>
  static bool call(T a) {
    return a == T(0);
  }
};
struct IsOne {
  template <class T>
  static bool call(T a) {
    return a == T(1);
  }
};
template <bool kOdd>
struct Parity {
  template <class T>
  static bool call(T a) {
    return ((a & 1) != 0) == kOdd;
  }
};
struct SignBit {
  template <class T>
  static bool call(T a) {
    if constexpr (kIsInteger<T>) return a < T(0);
    else return std::signbit(a);
  }
};
struct Clamp {
  template <class T>
  static T call(T x, T low, T high) {
    return x > high ? high : x < low ? low : x;
  }
};

// ---- of mixed types

template <class T>
bool run_if_else(void* out, const void* const* in, size_t n) {
  auto* to = static_cast<T*>(out);
  const auto* condition = static_cast<const bool*>(in[0]);
  const auto *a = static_cast<const T*>(in[1]), *b = static_cast<const T*>(in[2]);
  for (size_t i = 0; i < n; ++i) to[i] = condition[i] ? a[i] : b[i];
  return true;
}

/// false times a float is a zero with the float's sign, also of NaN and infinities.
template <class T>
bool run_strong_zero(void* out, const void* const* in, size_t n) {
  auto* to = static_cast<T*>(out);
  const auto* condition = static_cast<const bool*>(in[0]);
  const auto* b = static_cast<const T*>(in[1]);
  for (size_t i = 0; i < n; ++i) to[i] = condition[i] ? b[i] : std::copysign(T(0), b[i]);
  return true;
}

template <class From, class To>
bool run_conversion(void* out, const void* const* in, size_t n) {
  auto* to = static_cast<To*>(out);
  const auto* from = static_cast<const From*>(in[0]);
  if constexpr (std::is_same_v<To, bool>) {
    for (size_t i = 0; i < n; ++i) {
      if (from[i] != From(0) && from[i] != From(1)) return false;
    }
  } else if constexpr (kIsFloat<From> && kIsInteger<To>) {
    const From limit = std::ldexp(From(1), static_cast<int>(sizeof(To) * 8) - (kIsSigned<To> ? 1 : 0));
    for (size_t i = 0; i < n; ++i) {
      if (!(from[i] < limit && from[i] >= (kIsSigned<To> ? -limit : From(0))) || std::trunc(from[i]) != from[i])
        return false;
    }
  } else if constexpr (kIsInteger<From> && kIsInteger<To> && !std::is_same_v<From, bool>) {
    for (size_t i = 0; i < n; ++i) {
      if (!std::in_range<To>(from[i])) return false;
    }
  }
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
  return true;
}

bool is_small(NumberKind k) {
  return k != NumberKind::kInt128 && k != NumberKind::kUInt128 && k != NumberKind::kFloat16;
}

std::optional<Kernel> conversion_from_bool(NumberKind to) {
  std::optional<Kernel> out;
  if (!is_small(to)) return out;
  visit_number(to, [&]<class To>(To) {
    if constexpr (sizeof(To) <= 8 && !std::is_same_v<To, f16>) {
      out.emplace();
      out->run = &run_conversion<bool, To>;
    }
  });
  return out;
}

/// The common type in which a comparison of two kinds is exact; nothing: there is none.
std::optional<NumberKind> comparison_kind(NumberKind a, NumberKind b) {
  const auto width = [](NumberKind k) { return k == NumberKind::kBool ? 1 : number_type(k)->layout().size * 8; };
  if (a == b) return a;
  if (is_float(a) && is_float(b)) return promote_kind(a, b);
  if (is_float(a) || is_float(b)) {
    const NumberKind integer = is_float(a) ? b : a, real = is_float(a) ? a : b;
    if (width(integer) <= 16) return real;
    if (width(integer) <= 32) return NumberKind::kFloat64;
    return std::nullopt;
  }
  const bool a_signed = is_signed_integer(a), b_signed = is_signed_integer(b);
  if (a_signed == b_signed) return promote_kind(a, b);
  if (width(a_signed ? b : a) < 64) return NumberKind::kInt64;
  return std::nullopt;
}

template <ScalarFunction... kOps>
std::optional<Kernel> find_comparison(ScalarFunction f, NumberKind kind) {
  std::optional<Kernel> out;
  (void)((f == kOps ? (out = pick_any<Compare<kOps>, 2>(kind), true) : false) || ...);
  return out;
}

std::optional<Kernel> find_unary(ScalarFunction f, NumberKind k) {
  using enum ScalarFunction;
  const bool is_bool = k == NumberKind::kBool;
  const NumberKind wide = is_bool ? NumberKind::kInt64 : k;
  switch (f) {
    case kIdentity: return pick_any<Identity, 1>(k);
    case kAdd: return pick_number<Identity, 1>(wide);
    case kSubtract: return pick_number<Negate, 1>(wide);
    case kNot: return is_bool ? pick<Not, 1, bool>(k) : pick_integer<Not, 1>(k);
    case kAbsolute: return is_bool ? pick<Identity, 1, bool>(k) : pick_number<Absolute, 1>(k);
    case kAbsolute2: return is_bool ? pick<Identity, 1, bool>(k) : pick_number<Absolute2, 1>(k);
    case kSign: return is_bool ? pick<Identity, 1, bool>(k) : pick_number<Sign, 1>(k);
    case kIsZero: return pick_any<IsZero, 1>(k);
    case kIsOne: return pick_any<IsOne, 1>(k);
    case kIsEven: return is_bool ? pick<Not, 1, bool>(k) : pick_integer<Parity<false>, 1>(k);
    case kIsOdd: return is_bool ? pick<Identity, 1, bool>(k) : pick_integer<Parity<true>, 1>(k);
    case kSignBit: return pick_any<SignBit, 1>(k);
    case kFloor:
    case kCeil:
    case kTruncate:
    case kRound:
      if (!is_float(k)) return is_bool ? std::nullopt : pick_integer<Identity, 1>(k);
      break;
    default: break;
  }
  return std::nullopt;
}

std::optional<Kernel> find_binary(ScalarFunction f, NumberKind a, NumberKind b) {
  using enum ScalarFunction;
  if (is_comparison(f)) {
    const std::optional<NumberKind> k = comparison_kind(a, b);
    if (!k) return std::nullopt;
    return find_comparison<kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIsEqual, kIsLess>(f, *k);
  }
  const NumberKind k = promote_kind(a, b);
  const bool is_bool = k == NumberKind::kBool;
  const NumberKind wide = is_bool ? NumberKind::kInt64 : k;
  switch (f) {
    case kAdd: return pick_number<Arithmetic<'+'>, 2>(wide);
    case kSubtract: return pick_number<Arithmetic<'-'>, 2>(wide);
    case kMultiply:
      if (is_float(k) && (a == NumberKind::kBool || b == NumberKind::kBool)) {
        if (b == NumberKind::kBool) return std::nullopt;  // the caller exchanges them
        Kernel out;
        out.result = k;
        out.arguments[0] = NumberKind::kBool;
        out.arguments[1] = k;
        out.run = k == NumberKind::kFloat32 ? &run_strong_zero<float> : &run_strong_zero<double>;
        return k == NumberKind::kFloat16 ? std::nullopt : std::optional(out);
      }
      return is_bool ? pick<Bits<'&'>, 2, bool>(k) : pick_number<Arithmetic<'*'>, 2>(k);
    case kDivide: return pick_float<Divide, 2>(is_float(k) ? k : NumberKind::kFloat64);
    case kQuotient: return is_bool ? std::nullopt : pick_integer<Quotient, 2>(k);
    case kFloorQuotient: return is_bool ? std::nullopt : pick_integer<FloorQuotient, 2>(k);
    // The result of these has the sign of one argument, which promotion may not have.
    case kRemainder: return is_bool || a != b ? std::nullopt : pick_integer<Remainder, 2>(k);
    case kModulo: return is_bool || a != b ? std::nullopt : pick_integer<Modulo, 2>(k);
    case kMinimum: return pick_any<Extreme<false>, 2>(k);
    case kMaximum: return pick_any<Extreme<true>, 2>(k);
    case kAnd: return is_bool ? pick<Bits<'&'>, 2, bool>(k) : pick_integer<Bits<'&'>, 2>(k);
    case kOr: return is_bool ? pick<Bits<'|'>, 2, bool>(k) : pick_integer<Bits<'|'>, 2>(k);
    case kXor: return is_bool ? pick<Bits<'^'>, 2, bool>(k) : pick_integer<Bits<'^'>, 2>(k);
    default: return std::nullopt;
  }
}

std::optional<Kernel> find_ternary(ScalarFunction f, NumberKind a, NumberKind b, NumberKind c) {
  using enum ScalarFunction;
  if (f == kIfElse) {
    if (a != NumberKind::kBool || b != c || !is_small(b)) return std::nullopt;
    Kernel out;
    out.result = b;
    out.arguments[1] = out.arguments[2] = b;
    visit_number(b, [&]<class T>(T) { out.run = &run_if_else<T>; });
    return out;
  }
  const NumberKind k = promote_kind(promote_kind(a, b), c);
  if (k == NumberKind::kBool) return std::nullopt;
  if (f == kMulAdd) {
    const bool plain = a != NumberKind::kBool && b != NumberKind::kBool;
    return plain ? pick_number<MulAdd, 3>(k) : std::nullopt;
  }
  return f == kClamp ? pick_number<Clamp, 3>(k) : std::nullopt;
}

}  // namespace

std::optional<ScalarFunction> scalar_function(const Value& f) {
  using enum ScalarFunction;
  static const auto& functions = *new std::unordered_map<Symbol, ScalarFunction>{{"identity", kIdentity},
                                                                                 {"+", kAdd},
                                                                                 {"-", kSubtract},
                                                                                 {"*", kMultiply},
                                                                                 {"/", kDivide},
                                                                                 {"^", kPower},
                                                                                 {"÷", kQuotient},
                                                                                 {"div", kQuotient},
                                                                                 {"fld", kFloorQuotient},
                                                                                 {"%", kRemainder},
                                                                                 {"rem", kRemainder},
                                                                                 {"mod", kModulo},
                                                                                 {"min", kMinimum},
                                                                                 {"max", kMaximum},
                                                                                 {"&", kAnd},
                                                                                 {"|", kOr},
                                                                                 {"⊻", kXor},
                                                                                 {"xor", kXor},
                                                                                 {"!", kNot},
                                                                                 {"~", kNot},
                                                                                 {"==", kEqual},
                                                                                 {"!=", kNotEqual},
                                                                                 {"≠", kNotEqual},
                                                                                 {"<", kLess},
                                                                                 {"<=", kLessEqual},
                                                                                 {"≤", kLessEqual},
                                                                                 {">", kGreater},
                                                                                 {">=", kGreaterEqual},
                                                                                 {"≥", kGreaterEqual},
                                                                                 {"isequal", kIsEqual},
                                                                                 {"isless", kIsLess},
                                                                                 {"abs", kAbsolute},
                                                                                 {"abs2", kAbsolute2},
                                                                                 {"sign", kSign},
                                                                                 {"inv", kInverse},
                                                                                 {"floor", kFloor},
                                                                                 {"ceil", kCeil},
                                                                                 {"trunc", kTruncate},
                                                                                 {"round", kRound},
                                                                                 {"sqrt", kSquareRoot},
                                                                                 {"√", kSquareRoot},
                                                                                 {"cbrt", kCubeRoot},
                                                                                 {"exp", kExp},
                                                                                 {"exp2", kExp2},
                                                                                 {"exp10", kExp10},
                                                                                 {"expm1", kExpm1},
                                                                                 {"log", kLog},
                                                                                 {"log2", kLog2},
                                                                                 {"log10", kLog10},
                                                                                 {"log1p", kLog1p},
                                                                                 {"sin", kSin},
                                                                                 {"cos", kCos},
                                                                                 {"tan", kTan},
                                                                                 {"asin", kAsin},
                                                                                 {"acos", kAcos},
                                                                                 {"atan", kAtan},
                                                                                 {"sinh", kSinh},
                                                                                 {"cosh", kCosh},
                                                                                 {"tanh", kTanh},
                                                                                 {"asinh", kAsinh},
                                                                                 {"acosh", kAcosh},
                                                                                 {"atanh", kAtanh},
                                                                                 {"hypot", kHypot},
                                                                                 {"copysign", kCopySign},
                                                                                 {"float", kFloat},
                                                                                 {"isnan", kIsNan},
                                                                                 {"isinf", kIsInf},
                                                                                 {"isfinite", kIsFinite},
                                                                                 {"iszero", kIsZero},
                                                                                 {"isone", kIsOne},
                                                                                 {"iseven", kIsEven},
                                                                                 {"isodd", kIsOdd},
                                                                                 {"signbit", kSignBit},
                                                                                 {"ifelse", kIfElse},
                                                                                 {"muladd", kMulAdd},
                                                                                 {"clamp", kClamp},
                                                                                 {"conj", kIdentity},
                                                                                 {"real", kIdentity},
                                                                                 {"add_sum", kAdd},
                                                                                 {"mul_prod", kMultiply},
                                                                                 {"andand", kAnd},
                                                                                 {"oror", kOr}};
  if (!f.is_defined() || f.is_type() || f.is_reference()) return std::nullopt;
  const TypeName* name = f.type()->name;
  static const Symbol base("Base"), core_module("Core");
  if (!name->function || (name->module != base && name->module != core_module)) return std::nullopt;
  const auto it = functions.find(name->function);
  return it == functions.end() ? std::nullopt : std::optional(it->second);
}

bool folds_left(ScalarFunction f) {
  using enum ScalarFunction;
  return f == kAdd || f == kMultiply || f == kMinimum || f == kMaximum || f == kAnd || f == kOr || f == kXor;
}

bool is_comparison(ScalarFunction f) { return f >= ScalarFunction::kEqual && f <= ScalarFunction::kIsLess; }

std::optional<Kernel> find_kernel(ScalarFunction f, std::span<const NumberKind> kinds) {
  if (!std::ranges::all_of(kinds, is_small)) return std::nullopt;
  std::optional<Kernel> out;
  switch (kinds.size()) {
    case 1: out = find_unary(f, kinds[0]); break;
    case 2: out = find_binary(f, kinds[0], kinds[1]); break;
    case 3: return find_ternary(f, kinds[0], kinds[1], kinds[2]);
    default: return std::nullopt;
  }
  return out ? out : kernels::find_float_kernel(f, kinds);
}

std::optional<Kernel> find_conversion(NumberKind from, NumberKind to) {
  if (!is_small(from) || !is_small(to)) return std::nullopt;
  std::optional<Kernel> out = from == NumberKind::kBool ? conversion_from_bool(to) : std::optional(Kernel{});
  if (from != NumberKind::kBool) {
    visit_number(from, [&]<class From>(From) {
      if constexpr (sizeof(From) <= 8 && !std::is_same_v<From, f16> && !std::is_same_v<From, bool>) {
        visit_number(to, [&]<class To>(To) {
          if constexpr (sizeof(To) <= 8 && !std::is_same_v<To, f16>) out->run = &run_conversion<From, To>;
        });
      }
    });
  }
  out->result = to;
  out->arguments[0] = from;
  out->may_fail = !is_float(to) && from != NumberKind::kBool &&
                  (promote_kind(from, to) != to || is_signed_integer(from) != is_signed_integer(to));
  return out;
}

}  // namespace weft::julia
