#include "julia/host/number_ops.h"

#include <bit>
#include <cmath>
#include <limits>

#include "julia/host/exception.h"

namespace weft::julia {
namespace {

int bits_of(NumberKind k) { return static_cast<int>(number_type(k)->layout().size * 8); }

/// Exact order of any two machine numbers: -1, 0, 1, or 2 when one is NaN.
template <class A, class B>
int compare(A a, B b) {
  if constexpr (kIsFloat<A> && kIsFloat<B>) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
  } else if constexpr (kIsFloat<A>) {
    const int c = compare(b, a);
    return c == 2 ? 2 : -c;
  } else if constexpr (kIsFloat<B>) {
    const auto y = static_cast<double>(b);
    if (std::isnan(y)) return 2;
    // Within 127 bits both sides are exact as Int128; outside the sign of y decides.
    if (y >= 0x1p127) {
      if constexpr (std::is_same_v<A, UInt128>) {
        if (y < 0x1p128) return a < static_cast<UInt128>(y) ? -1 : a > static_cast<UInt128>(y);
      }
      return -1;
    }
    if (y < -0x1p127) return 1;
    const double whole = std::floor(y);
    const auto yi = static_cast<Int128>(whole);
    if constexpr (std::is_same_v<A, UInt128>) {
      if (a >> 127 != 0) return 1;
    }
    const auto x = static_cast<Int128>(a);
    if (x != yi) return x < yi ? -1 : 1;
    return whole < y ? -1 : 0;
  } else if constexpr (std::is_same_v<A, UInt128> || std::is_same_v<B, UInt128>) {
    if constexpr (kIsSigned<A>) {
      if (a < 0) return -1;
    }
    if constexpr (kIsSigned<B>) {
      if (b < 0) return 1;
    }
    const auto x = static_cast<UInt128>(a), y = static_cast<UInt128>(b);
    return x < y ? -1 : x > y;
  } else {
    const auto x = static_cast<Int128>(a), y = static_cast<Int128>(b);
    return x < y ? -1 : x > y;
  }
}

int compare_values(const Value& a, const Value& b) {
  const auto ka = number_kind(a), kb = number_kind(b);
  if (!ka || !kb) throw InternalError("numbers were expected");
  return visit_number(
      *ka, [&]<class A>(A) { return visit_number(*kb, [&]<class B>(B) { return compare(a.get<A>(), b.get<B>()); }); });
}

template <class T>
Value to_kind(NumberKind to, T x, const Value& original) {
  return visit_number(to, [&]<class R>(R) -> Value {
    if constexpr (kIsFloat<R>) {
      if constexpr (std::is_same_v<R, f16>) return number(f16(static_cast<float>(static_cast<double>(x))));
      else return number(static_cast<R>(x));
    } else if constexpr (kIsBool<R>) {
      if (x == static_cast<T>(0)) return number(false);
      if (x == static_cast<T>(1)) return number(true);
      throw_inexact_error("Bool", core().bool_, original);
    } else if constexpr (kIsFloat<T>) {
      const auto d = static_cast<double>(x);
      constexpr bool has_sign = kIsSigned<R>;
      const double limit = std::ldexp(1.0, kBits<R> - (has_sign ? 1 : 0));
      if (!(d < limit && d >= (has_sign ? -limit : 0.0)) || std::trunc(d) != d)
        throw_inexact_error(number_type(to)->name->name, number_type(to), original);
      return number(static_cast<R>(d));
    } else {
      const R r = static_cast<R>(x);
      if (compare(r, x) != 0) {
        // Julia's own names for the two checks: of the highest bit where only the sign is at stake, else of what truncation drops.
        const bool only_sign = sizeof(R) == sizeof(T) || (kIsSigned<T> && !kIsSigned<R> && sizeof(R) > sizeof(T));
        throw_inexact_error(only_sign ? "check_top_bit" : "trunc", number_type(to), original);
      }
      return number(r);
    }
  });
}

template <class T>
T truncated_divide(T a, T b) {
  if (b == 0) throw_divide_error();
  if constexpr (kIsSigned<T>) {
    if (b == -1) {
      if (a == static_cast<T>(UnsignedOf<T>(1) << (kBits<T> - 1))) throw_divide_error();
      return static_cast<T>(-a);
    }
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder(T a, T b) {
  if (b == 0) throw_divide_error();
  if constexpr (kIsSigned<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
T floor_divide(T a, T b) {
  const T d = truncated_divide(a, b);
  const bool below = kIsSigned<T> && (a < 0) != (b < 0) && static_cast<T>(d * b) != a;
  return static_cast<T>(d - (below ? 1 : 0));
}

template <class T>
T modulo(T a, T b) {
  const T r = remainder(a, b);
  return r != 0 && kIsSigned<T> && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

double float_modulo(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) return std::copysign(r, b);
  return (r > 0) != (b > 0) ? r + b : r;
}

template <class T>
Value float_op(BinaryOp op, T a, T b, const Value& original) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;  // Float16 computes as Float32 and rounds
  const auto x = static_cast<C>(a), y = static_cast<C>(b);
  const auto out = [](C v) { return number(static_cast<T>(v)); };
  switch (op) {
    case BinaryOp::kAdd: return out(x + y);
    case BinaryOp::kSubtract: return out(x - y);
    case BinaryOp::kMultiply: return out(x * y);
    case BinaryOp::kDivide: return out(x / y);
    case BinaryOp::kRemainder: return out(std::fmod(x, y));
    case BinaryOp::kModulo: return out(static_cast<C>(float_modulo(x, y)));
    case BinaryOp::kTruncatedDivide:
      return out(std::nearbyint(static_cast<C>(static_cast<T>(x - std::fmod(x, y))) / y));
    case BinaryOp::kFloorDivide:
      return out(std::nearbyint(static_cast<C>(static_cast<T>(x - static_cast<C>(float_modulo(x, y)))) / y));
    case BinaryOp::kCeilDivide:
      return out(std::nearbyint(static_cast<C>(static_cast<T>(x - static_cast<C>(float_modulo(x, -y)))) / y));
    case BinaryOp::kPower:
      if (x < 0 && std::isfinite(y) && std::trunc(y) != y)
        throw_domain_error(original,
                           "Exponentiation yielding a complex result requires a complex argument.\nReplace x^y with "
                           "(x+0im)^y, Complex(x)^y, or similar.");
      // One rounding of the double result serves the narrower types.
      return out(static_cast<C>(std::pow(static_cast<double>(x), static_cast<double>(y))));
    // NaN wins, and -0.0 is below 0.0.
    case BinaryOp::kMinimum:
      return number(std::isnan(x) ? a : std::isnan(y) ? b : (y < x || (x == y && std::signbit(y))) ? b : a);
    case BinaryOp::kMaximum:
      return number(std::isnan(x) ? a : std::isnan(y) ? b : (y > x || (x == y && std::signbit(x))) ? b : a);
    default: return {};
  }
}

template <class T>
T integer_power(T base, UInt128 exponent) {
  using U = UnsignedOf<T>;
  auto b = static_cast<U>(base);
  U result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = static_cast<U>(result * b);
    b = static_cast<U>(b * b);
  }
  return static_cast<T>(result);
}

template <class T>
Value integer_op(BinaryOp op, T a, T b) {
  using U = UnsignedOf<T>;
  const auto x = static_cast<U>(a), y = static_cast<U>(b);
  switch (op) {
    // Through a wider or unsigned type: overflow wraps.
    case BinaryOp::kAdd: return number(static_cast<T>(static_cast<U>(x + y)));
    case BinaryOp::kSubtract: return number(static_cast<T>(static_cast<U>(x - y)));
    case BinaryOp::kMultiply: return number(static_cast<T>(static_cast<U>(static_cast<UInt128>(x) * y)));
    case BinaryOp::kDivide: return number(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOp::kTruncatedDivide: return number(truncated_divide(a, b));
    case BinaryOp::kFloorDivide: return number(floor_divide(a, b));
    case BinaryOp::kCeilDivide: {
      const T d = truncated_divide(a, b);
      const bool above = (kIsSigned<T> ? (a < 0) == (b < 0) : true) && static_cast<T>(d * b) != a;
      return number(static_cast<T>(d + (above ? 1 : 0)));
    }
    case BinaryOp::kRemainder: return number(remainder(a, b));
    case BinaryOp::kModulo: return number(modulo(a, b));
    case BinaryOp::kAnd: return number(static_cast<T>(x & y));
    case BinaryOp::kOr: return number(static_cast<T>(x | y));
    case BinaryOp::kXor: return number(static_cast<T>(x ^ y));
    case BinaryOp::kMinimum: return number(b < a ? b : a);
    case BinaryOp::kMaximum: return number(a < b ? b : a);
    default: return {};
  }
}

/// x shifted left by n bits, right for negative n; beyond the width nothing, or the sign, is left.
template <class T>
T shifted(T x, Int128 n, bool is_logical) {
  using U = UnsignedOf<T>;
  if (n >= 0) return n >= kBits<T> ? T(0) : static_cast<T>(static_cast<U>(static_cast<U>(x) << static_cast<int>(n)));
  n = -n;
  if (is_logical || !kIsSigned<T>)
    return n >= kBits<T> ? T(0) : static_cast<T>(static_cast<U>(x) >> static_cast<int>(n));
  return n >= kBits<T> ? static_cast<T>(x < 0 ? -1 : 0) : static_cast<T>(x >> static_cast<int>(n));
}

Value shift(BinaryOp op, const Value& a, NumberKind ka, const Value& b, NumberKind kb) {
  const Int128 n = visit_number(kb, [&]<class B>(B) -> Int128 {
    if constexpr (kIsFloat<B>) return 0;
    else
      return compare(b.get<B>(), int64_t{1} << 40) > 0      ? Int128{1} << 40
             : compare(b.get<B>(), -(int64_t{1} << 40)) < 0 ? -(Int128{1} << 40)
                                                            : static_cast<Int128>(b.get<B>());
  });
  const Int128 left = op == BinaryOp::kShiftLeft ? n : -n;
  return visit_number(ka, [&]<class A>(A) -> Value {
    if constexpr (kIsFloat<A>) return {};
    else if constexpr (kIsBool<A>) return number(shifted(static_cast<int64_t>(a.get<bool>()), left, false));
    else
      return number(shifted(a.get<A>(), left,
                            op == BinaryOp::kShiftRightUnsigned || (op == BinaryOp::kShiftLeft && !kIsSigned<A>)));
  });
}

Value power(const Value& a, NumberKind ka, const Value& b, NumberKind kb) {
  return visit_number(ka, [&]<class A>(A) -> Value {
    return visit_number(kb, [&]<class B>(B) -> Value {
      if constexpr (kIsFloat<A> || kIsFloat<B>) {
        return {};
      } else {
        const A x = a.get<A>();
        const B n = b.get<B>();
        if constexpr (kIsBool<A>) {
          if constexpr (kIsSigned<B>) {
            if (n < 0 && !x)
              throw_domain_error(b, "Cannot raise an integer x to a negative power " +
                                        std::to_string(static_cast<int64_t>(n)) + ".\nConvert input to float.");
          }
          return number(n == 0 ? true : x);
        } else {
          if constexpr (kIsSigned<B>) {
            if (n < 0) {
              if (x == 1) return number(x);
              if constexpr (kIsSigned<A>) {
                if (x == -1) return number(static_cast<A>((n & 1) != 0 ? -1 : 1));
              }
              throw_domain_error(b, "Cannot raise an integer x to a negative power " +
                                        std::to_string(static_cast<int64_t>(n)) + ".\nConvert input to float.");
            }
          }
          return number(integer_power(x, static_cast<UInt128>(n)));
        }
      }
    });
  });
}

/// div, rem and mod of a signed and an unsigned integer keep the first one's signedness (mod: the second one's).
std::optional<Value> mixed_division(BinaryOp op, const Value& a, NumberKind ka, const Value& b, NumberKind kb) {
  if (ka == NumberKind::kBool || kb == NumberKind::kBool || is_float(ka) || is_float(kb) ||
      is_unsigned(ka) == is_unsigned(kb))
    return std::nullopt;
  if (op < BinaryOp::kTruncatedDivide || op > BinaryOp::kModulo) return std::nullopt;
  const NumberKind wide = bits_of(ka) >= bits_of(kb) ? ka : kb;
  const auto as_kind = [&](bool want_unsigned) {
    if (is_unsigned(wide) == want_unsigned) return wide;
    const int shift = static_cast<int>(NumberKind::kUInt8) - static_cast<int>(NumberKind::kInt8);
    return static_cast<NumberKind>(static_cast<int>(wide) + (want_unsigned ? shift : -shift));
  };
  return visit_number(ka, [&]<class A>(A) {
    return visit_number(kb, [&]<class B>(B) -> std::optional<Value> {
      if constexpr (kIsFloat<A> || kIsFloat<B> || kIsBool<A> || kIsBool<B>) {
        return std::nullopt;
      } else {
        const A x = a.get<A>();
        const B y = b.get<B>();
        const auto size = [](auto v) { return v < 0 ? ~static_cast<UInt128>(v) + 1 : static_cast<UInt128>(v); };
        if (y == 0) throw_divide_error();
        const bool negative_x = compare(x, 0) < 0, negative_y = compare(y, 0) < 0;
        const UInt128 quotient = size(x) / size(y), rest = size(x) % size(y);
        const auto signed_value = [](UInt128 v, bool negative) { return static_cast<Int128>(negative ? ~v + 1 : v); };
        const auto out = [&](NumberKind k, Int128 v) {
          return visit_number(k, [&]<class R>(R) -> Value {
            if constexpr (kIsFloat<R>) return {};
            else return number(static_cast<R>(v));
          });
        };
        if (op == BinaryOp::kTruncatedDivide)
          return out(as_kind(is_unsigned(ka)), signed_value(quotient, negative_x != negative_y));
        // fld and cld step away from the truncated quotient where something is left and the signs ask for it.
        const bool negative = negative_x != negative_y;
        if (op == BinaryOp::kFloorDivide || op == BinaryOp::kCeilDivide) {
          const bool steps = rest != 0 && negative == (op == BinaryOp::kFloorDivide);
          return out(as_kind(is_unsigned(ka)), signed_value(quotient + (steps ? 1 : 0), negative));
        }
        if (op == BinaryOp::kRemainder) return out(as_kind(is_unsigned(ka)), signed_value(rest, negative_x));
        // mod has the divisor's sign and type.
        UInt128 m = rest;
        if (rest != 0 && negative_x != negative_y) m = size(y) - rest;
        return out(kb, signed_value(m, negative_y));
      }
    });
  });
}

}  // namespace

NumberKind promote_kind(NumberKind a, NumberKind b) {
  if (a == b) return a;
  if (a == NumberKind::kBool) return b;
  if (b == NumberKind::kBool) return a;
  if (is_float(a) || is_float(b)) return is_float(a) && is_float(b) ? std::max(a, b) : is_float(a) ? a : b;
  const int ba = bits_of(a), bb = bits_of(b);
  if (ba != bb) return ba > bb ? a : b;
  return is_unsigned(a) ? a : b;
}

bool numbers_equal(const Value& a, const Value& b) { return compare_values(a, b) == 0; }
bool numbers_less(const Value& a, const Value& b) { return compare_values(a, b) == -1; }
bool numbers_less_equal(const Value& a, const Value& b) {
  const int c = compare_values(a, b);
  return c == -1 || c == 0;
}

Value convert_number(NumberKind to, const Value& x) {
  const auto from = number_kind(x);
  if (!from) throw InternalError("a number was expected");
  if (*from == to) return x;
  return visit_number(*from, [&]<class T>(T) { return to_kind(to, x.get<T>(), x); });
}

Value wrap_integer(NumberKind to, const Value& x) {
  const auto from = number_kind(x);
  if (!from || is_float(*from) || is_float(to)) throw InternalError("integers were expected");
  return visit_number(*from, [&]<class T>(T) {
    return visit_number(to, [&]<class R>(R) -> Value {
      if constexpr (kIsFloat<T> || kIsFloat<R>) return {};
      else if constexpr (kIsBool<R>) return number((static_cast<UInt128>(x.get<T>()) & 1) != 0);
      else return number(static_cast<R>(x.get<T>()));
    });
  });
}

std::optional<Value> apply(BinaryOp op, const Value& a, const Value& b) {
  const auto ka = number_kind(a), kb = number_kind(b);
  if (!ka || !kb) return std::nullopt;
  if (op == BinaryOp::kShiftLeft || op == BinaryOp::kShiftRight || op == BinaryOp::kShiftRightUnsigned) {
    if (is_float(*ka) || is_float(*kb)) return std::nullopt;
    return shift(op, a, *ka, b, *kb);
  }
  if (op == BinaryOp::kPower && !is_float(*ka) && !is_float(*kb)) return power(a, *ka, b, *kb);
  if (const std::optional<Value> v = mixed_division(op, a, *ka, b, *kb)) return v;
  const bool bools = *ka == NumberKind::kBool && *kb == NumberKind::kBool;
  NumberKind kind = promote_kind(*ka, *kb);
  if (bools) {
    const bool x = a.get<bool>(), y = b.get<bool>();
    switch (op) {
      case BinaryOp::kMultiply:
      case BinaryOp::kAnd:
      case BinaryOp::kMinimum: return boolean(x && y);
      case BinaryOp::kOr:
      case BinaryOp::kMaximum: return boolean(x || y);
      case BinaryOp::kXor: return boolean(x != y);
      case BinaryOp::kTruncatedDivide:
      case BinaryOp::kFloorDivide:
      case BinaryOp::kCeilDivide:
        if (!y) throw_divide_error();
        return boolean(x);
      case BinaryOp::kRemainder:
      case BinaryOp::kModulo:
        if (!y) throw_divide_error();
        return boolean(false);
      default: kind = NumberKind::kInt64;
    }
  }
  if (op == BinaryOp::kDivide && !is_float(kind)) kind = NumberKind::kFloat64;
  // Adding false leaves a float as it is, even -0.0.
  if (op == BinaryOp::kAdd && is_float(kind) && (*ka == NumberKind::kBool || *kb == NumberKind::kBool)) {
    if (*ka == NumberKind::kBool && !a.get<bool>()) return b;
    if (*kb == NumberKind::kBool && !b.get<bool>()) return a;
  }
  // false times a float is a zero of its sign, even for Inf and NaN.
  if (op == BinaryOp::kMultiply && is_float(kind) && (*ka == NumberKind::kBool || *kb == NumberKind::kBool)) {
    const bool flag = *ka == NumberKind::kBool ? a.get<bool>() : b.get<bool>();
    const Value& x = *ka == NumberKind::kBool ? b : a;
    if (flag) return x;
    return visit_number(kind, [&]<class T>(T) -> Value {
      if constexpr (kIsFloat<T>)
        return number(static_cast<T>(std::copysign(
            0.0f,
            static_cast<double>(x.get<T>()) < 0 || std::signbit(static_cast<double>(x.get<T>())) ? -1.0f : 1.0f)));
      else return {};
    });
  }
  if (op >= BinaryOp::kAnd && op <= BinaryOp::kXor && is_float(kind)) return std::nullopt;
  const bool wraps = !is_float(kind);  // mixed signs become unsigned by their bits in + - * and the bit operations
  const auto promoted = [&](const Value& v, NumberKind from) {
    if (from == kind) return v;
    const bool arithmetic = op == BinaryOp::kAdd || op == BinaryOp::kSubtract || op == BinaryOp::kMultiply ||
                            (op >= BinaryOp::kAnd && op <= BinaryOp::kXor);
    return wraps && arithmetic ? wrap_integer(kind, v) : convert_number(kind, v);
  };
  const Value x = promoted(a, *ka), y = promoted(b, *kb);
  Value result = visit_number(kind, [&]<class T>(T) -> Value {
    if constexpr (kIsFloat<T>) return float_op(op, x.get<T>(), y.get<T>(), x);
    else if constexpr (kIsBool<T>) return {};
    else return integer_op(op, x.get<T>(), y.get<T>());
  });
  if (!result.is_defined()) return std::nullopt;
  return result;
}

std::optional<Value> apply(UnaryOp op, const Value& a) {
  const auto kind = number_kind(a);
  if (!kind) return std::nullopt;
  Value result = visit_number(*kind, [&]<class T>(T) -> Value {
    const T x = a.get<T>();
    if constexpr (kIsFloat<T>) {
      using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const auto v = static_cast<C>(x);
      switch (op) {
        case UnaryOp::kNegate: return number(static_cast<T>(-v));
        case UnaryOp::kAbsolute: return number(static_cast<T>(std::fabs(v)));
        case UnaryOp::kSign: return number(std::isnan(v) || v == 0 ? x : static_cast<T>(v < 0 ? C(-1) : C(1)));
        case UnaryOp::kSignBit: return boolean(std::signbit(v));
        case UnaryOp::kFloor: return number(static_cast<T>(std::floor(v)));
        case UnaryOp::kCeil: return number(static_cast<T>(std::ceil(v)));
        case UnaryOp::kTruncate: return number(static_cast<T>(std::trunc(v)));
        case UnaryOp::kRound: return number(static_cast<T>(std::nearbyint(v)));
        default: return {};
      }
    } else if constexpr (kIsBool<T>) {
      switch (op) {
        case UnaryOp::kNegate: return number(-static_cast<int64_t>(x));
        case UnaryOp::kNot: return boolean(!x);
        case UnaryOp::kSignBit: return boolean(false);
        case UnaryOp::kCountOnes: return number(static_cast<int64_t>(x));
        case UnaryOp::kLeadingZeros:
        case UnaryOp::kTrailingZeros: return {};
        default: return a;
      }
    } else {
      using U = UnsignedOf<T>;
      const auto u = static_cast<U>(x);
      const auto leading = [](U v) {
        int64_t n = 0;
        for (int i = kBits<T> - 1; i >= 0 && (v >> i & 1) == 0; --i) ++n;
        return n;
      };
      switch (op) {
        case UnaryOp::kNegate: return number(static_cast<T>(static_cast<U>(U(0) - u)));
        case UnaryOp::kNot: return number(static_cast<T>(static_cast<U>(~u)));
        case UnaryOp::kAbsolute: return number(compare(x, 0) < 0 ? static_cast<T>(static_cast<U>(U(0) - u)) : x);
        case UnaryOp::kSign: return number(static_cast<T>(compare(x, 0)));
        case UnaryOp::kSignBit: return boolean(compare(x, 0) < 0);
        case UnaryOp::kCountOnes: {
          int64_t n = 0;
          for (U v = u; v != 0; v = static_cast<U>(v & (v - 1))) ++n;
          return number(n);
        }
        case UnaryOp::kLeadingZeros: return number(leading(u));
        case UnaryOp::kTrailingZeros: {
          int64_t n = 0;
          while (n < kBits<T> && (u >> n & 1) == 0) ++n;
          return number(n);
        }
        default: return a;  // rounding an integer
      }
    }
  });
  if (!result.is_defined()) return std::nullopt;
  return result;
}

std::optional<BinaryOp> binary_op(std::string_view name) {
  using enum BinaryOp;
  static constexpr std::pair<std::string_view, BinaryOp> kNames[] = {{"+", kAdd},
                                                                     {"-", kSubtract},
                                                                     {"*", kMultiply},
                                                                     {"/", kDivide},
                                                                     {"÷", kTruncatedDivide},
                                                                     {"div", kTruncatedDivide},
                                                                     {"fld", kFloorDivide},
                                                                     {"cld", kCeilDivide},
                                                                     {"%", kRemainder},
                                                                     {"rem", kRemainder},
                                                                     {"mod", kModulo},
                                                                     {"^", kPower},
                                                                     {"&", kAnd},
                                                                     {"|", kOr},
                                                                     {"⊻", kXor},
                                                                     {"xor", kXor},
                                                                     {"<<", kShiftLeft},
                                                                     {">>", kShiftRight},
                                                                     {">>>", kShiftRightUnsigned},
                                                                     {"min", kMinimum},
                                                                     {"max", kMaximum}};
  for (const auto& [text, op] : kNames) {
    if (text == name) return op;
  }
  return std::nullopt;
}

}  // namespace weft::julia
