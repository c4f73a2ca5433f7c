// Number theory on machine integers of one type.
#include <cmath>

#include "julia/host/show.h"
#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

template <class T>
bool is_negative(T x) {
  if constexpr (kIsSigned<T>) return x < 0;
  else return false;
}

template <class T>
UInt128 size_of(T x) {
  if constexpr (kIsSigned<T>) return x < 0 ? ~static_cast<UInt128>(x) + 1 : static_cast<UInt128>(x);
  else return x;
}

UInt128 greatest_common_divisor(UInt128 a, UInt128 b) {
  // Division in 64 bits is far faster than in 128.
  while (b != 0 && (a >> 64 != 0 || b >> 64 != 0)) {
    const UInt128 r = a % b;
    a = b;
    b = r;
  }
  auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  if (b == 0) return a;
  while (y != 0) {
    const uint64_t r = x % y;
    x = y;
    y = r;
  }
  return x;
}

/// The value when it fits in T.
template <class T>
std::optional<T> fitting(UInt128 x) {
  const auto r = static_cast<T>(x);
  if (size_of(r) != x || is_negative(r)) return std::nullopt;
  return r;
}

Value gcd(Evaluator&, Args a) {
  return on_integers(a[0], a[1], [&]<class T>(T x, T y) -> Value {
    const auto g = fitting<T>(greatest_common_divisor(size_of(x), size_of(y)));
    if (!g) throw_overflow_error("gcd(" + print_text(a[0]) + ", " + print_text(a[1]) + ") overflows");
    return number(*g);
  });
}

Value lcm(Evaluator&, Args a) {
  return on_integers(a[0], a[1], [&]<class T>(T x, T y) -> Value {
    if (x == 0 || y == 0) return number(T(0));
    const UInt128 g = greatest_common_divisor(size_of(x), size_of(y));
    UInt128 product = 0;
    const bool over = __builtin_mul_overflow(size_of(x) / g, size_of(y), &product);
    const auto out = fitting<T>(product);
    if (over || !out)
      throw_overflow_error(print_text(a[0]) + " * " + print_text(a[1]) + " overflowed for type " +
                           a[0].type()->name->name.text());
    return number(*out);
  });
}

/// (d, u, v) with d = gcd(x, y) = u x + v y.
Value extended_gcd(Evaluator&, Args a) {
  return on_integers(a[0], a[1], [&]<class T>(T x, T y) -> Value {
    if constexpr (kIsBool<T>) {
      return make_tuple({number(x || y), number(x), number(y && !x)});
    } else {
      using U = UnsignedOf<T>;
      T r0 = x, r1 = y;
      U s0 = 1, s1 = 0, t0 = 0, t1 = 1;
      const auto step = [](U& v0, U& v1, U q) {
        const U next = static_cast<U>(v0 - static_cast<U>(static_cast<UInt128>(q) * v1));
        v0 = v1;
        v1 = next;
      };
      while (r1 != 0) {
        const T q = r1 == static_cast<T>(-1) && kIsSigned<T> ? static_cast<T>(static_cast<U>(U(0) - static_cast<U>(r0)))
                                                             : static_cast<T>(r0 / r1);
        const T r = r1 == static_cast<T>(-1) && kIsSigned<T> ? T(0) : static_cast<T>(r0 % r1);
        r0 = r1;
        r1 = r;
        step(s0, s1, static_cast<U>(q));
        step(t0, t1, static_cast<U>(q));
      }
      const bool flip = is_negative(r0);
      const auto out = [&](U v) { return number(static_cast<T>(flip ? static_cast<U>(U(0) - v) : v)); };
      return make_tuple({out(static_cast<U>(r0)), out(s0), out(t0)});
    }
  });
}

UInt128 multiply_modulo(UInt128 a, UInt128 b, UInt128 m) {
  if (a >> 64 == 0 && b >> 64 == 0) return a * b % m;
  UInt128 out = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) out = out >= m - a ? out - (m - a) : out + a;
    a = a >= m - a ? a - (m - a) : a + a;
  }
  return out;
}

/// x^p mod m for p ≥ 0 and m ≠ 0, with the sign of m.
Value power_modulo(Evaluator&, Args a) {
  if (a[0].type() != a[2].type()) throw InternalError("integers of one type were expected");
  const UInt128 p = on_integer(a[1], [](auto n) { return number(static_cast<UInt128>(n)); }).get<UInt128>();
  return on_integers(a[0], a[2], [&]<class T>(T x, T m) -> Value {
    if constexpr (kIsBool<T>) {
      if (!m) throw_divide_error();
      return number(false);
    } else {
      if (m == 0) throw_divide_error();
      const UInt128 size = size_of(m);
      if (size == 1) return number(T(0));
      UInt128 b = size_of(x) % size;
      if (is_negative(x) && b != 0) b = size - b;
      UInt128 out = 1;
      for (UInt128 n = p; n != 0; n >>= 1) {
        if ((n & 1) != 0) out = multiply_modulo(out, b, size);
        b = multiply_modulo(b, b, size);
      }
      // A negative modulus asks for a result in (m, 0].
      if (is_negative(m) && out != 0) return number(static_cast<T>(static_cast<Int128>(out - size)));
      return number(static_cast<T>(out));
    }
  });
}

Value integer_sqrt(Evaluator&, Args a) {
  return on_integer(a[0], [&]<class T>(T x) -> Value {
    if (is_negative(x)) {
      const Value real = convert_number(NumberKind::kFloat64, a[0]);
      throw_domain_error(real,
                         "sqrt was called with a negative real argument but will only return a complex result if "
                         "called with a complex argument. Try sqrt(Complex(x)).");
    }
    const auto n = static_cast<UInt128>(x);
    auto s = static_cast<UInt128>(std::sqrt(static_cast<long double>(n)));
    while (s * s > n || s > UInt128{0xffffffffffffffffu}) --s;
    while (s < UInt128{0xffffffffffffffffu} && (s + 1) * (s + 1) <= n) ++s;
    return number(static_cast<T>(s));
  });
}

/// n! for n up to 20 (34 in 128 bits), of the argument's type where that has at least 64 bits or the result fits.
Value factorial(Evaluator&, Args a) {
  return on_integer(a[0], [&]<class T>(T n) -> Value {
    if (is_negative(n)) throw_domain_error(a[0], "`n` must not be negative.");
    T out = 1;
    bool over = false;
    if constexpr (kIsBool<T>) return number(int64_t{1});
    else {
      for (T i = 2; i <= n && !over; ++i) over = __builtin_mul_overflow(out, i, &out);
      if (over) {
        const std::string text = print_text(a[0]);
        throw_overflow_error(text + " is too large to look up in the table; consider using `factorial(big(" + text +
                             "))` instead");
      }
      return number(out);
    }
  });
}

/// Binomial coefficients, also of negative n.
Value binomial(Evaluator&, Args a) {
  return on_integers(a[0], a[1], [&]<class T>(T n, T k) -> Value {
    if constexpr (kIsBool<T>) {
      return number(int64_t{!(k && !n)});
    } else {
      const auto fail = [&] {
        throw_overflow_error("binomial(" + print_text(a[0]) + ", " + print_text(a[1]) + ") overflows");
      };
      if (is_negative(k)) return number(T(0));
      bool negative = false;
      auto m = static_cast<UInt128>(n), j = static_cast<UInt128>(k);
      if (is_negative(n)) {
        // binomial(-n, k) = (-1)^k binomial(n + k - 1, k)
        m = size_of(n) + j - 1;
        negative = (j & 1) != 0;
      }
      if (j > m) return number(T(0));
      if (j > m - j) j = m - j;
      UInt128 out = 1;
      for (UInt128 i = 1; i <= j; ++i) {
        // out * (m - j + i) / i, divided before the product where that is exact.
        UInt128 factor = m - j + i, divisor = i;
        const UInt128 g = greatest_common_divisor(out, divisor);
        out /= g;
        divisor /= g;
        factor /= divisor;
        if (__builtin_mul_overflow(out, factor, &out)) fail();
      }
      const auto fits = fitting<T>(out);
      if (!fits) fail();
      return number(negative ? static_cast<T>(-*fits) : *fits);
    }
  });
}

/// How many digits an integer has to a base; 0 has one. The base is above 1 or below -1.
Value digit_count(Evaluator&, Args a) {
  const int64_t base = a[1].get<int64_t>();
  return on_integer(a[0], [&]<class T>(T x) -> Value {
    int64_t n = 0;
    if (base > 0) {
      for (UInt128 rest = size_of(x); rest != 0; rest /= static_cast<UInt128>(base)) ++n;
    } else {
      // Digits to a negative base lie in 0 … -base - 1; the quotient is rounded accordingly.
      for (auto rest = static_cast<Int128>(x); rest != 0; ++n) {
        const Int128 digit = ((rest % -base) + -base) % -base;
        rest = (rest - digit) / base;
      }
    }
    return number(n == 0 ? 1 : n);
  });
}

constexpr IntrinsicEntry kEntries[] = {
    {"_gcd", gcd, 2, 2},
    {"_lcm", lcm, 2, 2},
    {"_gcdx", extended_gcd, 2, 2},
    {"_powermod", power_modulo, 3, 3},
    {"_isqrt", integer_sqrt, 1, 1},
    {"_factorial", factorial, 1, 1},
    {"_binomial", binomial, 2, 2},
    {"_ndigits", digit_count, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> number_integer_entries() { return kEntries; }

}  // namespace weft::julia
