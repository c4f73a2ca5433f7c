#include "ops/scalar/complex_math.h"

#include <array>
#include <cmath>

namespace weft {
namespace {

template <class R>
bool is_finite(std::complex<R> z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

/// The sum of a few terms, to the last place also where they cancel: each addition's error is carried along (Neumaier).
template <class R, size_t kCount>
R exact_sum(std::array<R, kCount> terms) {
  R sum = 0, rest = 0;
  for (R t : terms) {
    const R next = sum + t;
    rest += std::fabs(sum) >= std::fabs(t) ? (sum - next) + t : (t - next) + sum;
    sum = next;
  }
  return sum + rest;
}

}  // namespace

template <class R>
std::complex<R> ComplexMath<R>::divide(C a, C b) {
  if constexpr (std::is_same_v<R, double>) {
    // Parts that come from f32: their products are exact and cannot overflow.
    const double d = b.real() * b.real() + b.imag() * b.imag();
    const C q((a.real() * b.real() + a.imag() * b.imag()) / d, (a.imag() * b.real() - a.real() * b.imag()) / d);
    if (is_finite(q)) return q;
  }
  return a / b;
}

template <class R>
std::complex<R> ComplexMath<R>::exp(C z) {
  return std::isfinite(z.imag()) ? std::exp(z) : C(NAN, NAN);
}

template <class R>
std::complex<R> ComplexMath<R>::expm1(C z) {
  if (!is_finite(z)) return exp(z) - C(1);
  const R x = z.real(), y = z.imag();
  if (y == 0) return C(std::expm1(x), y);
  const R half = std::sin(y / 2);
  // exp(x) cos y - 1 = (exp(x) - 1) cos y - (1 - cos y)
  return C(std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(z).imag());
}

template <class R>
std::complex<R> ComplexMath<R>::log1p(C z) {
  const R x = z.real(), y = z.imag();
  const R angle = std::atan2(y, 1 + x);
  if (!is_finite(z)) return std::log(C(1 + x, y));
  const R magnitude = std::hypot(1 + x, y);
  // Far from the unit circle the plain formula is exact enough, and its squares cannot overflow.
  if (magnitude > 2 || magnitude < R(0.25)) return C(std::log(magnitude), angle);
  // |1 + z|² - 1 = 2x + x² + y², each product as its rounded value and its error.
  const R xx = x * x, yy = y * y;
  const R excess = exact_sum(std::array{2 * x, xx, yy, std::fma(x, x, -xx), std::fma(y, y, -yy)});
  return C(std::log1p(excess) / 2, angle);
}

template <class R>
std::complex<R> ComplexMath<R>::square(C z) {
  const R x = z.real(), y = z.imag();
  return C(is_finite(z) && std::fabs(x) == std::fabs(y) ? R(0) : (x - y) * (x + y), 2 * x * y);
}

template <class R>
std::complex<R> ComplexMath<R>::cbrt(C z) {
  if (z == C(0)) return z;
  if (z.imag() == 0 && z.real() > 0) return C(std::cbrt(z.real()), z.imag());
  return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3);
}

template <class R>
std::complex<R> ComplexMath<R>::logistic(C z) {
  return C(1) / (C(1) + exp(-z));
}

template <class R>
std::complex<R> ComplexMath<R>::sign(C z) {
  if (std::isnan(z.real()) || std::isnan(z.imag())) return C(NAN, NAN);
  if (z == C(0)) return C(0);
  const R magnitude = std::hypot(z.real(), z.imag());
  return C(z.real() / magnitude, z.imag() / magnitude);
}

template <class R>
std::complex<R> ComplexMath<R>::pow(C a, C b) {
  if (b == C(0)) return C(1);
  if (a == C(0) && b.real() > 0) return C(0);
  // Of reals as of reals; below, the product of the infinite logarithm and the exponent's zero imaginary part is NaN.
  if (a == C(INFINITY) && b.imag() == 0 && b.real() == b.real()) return C(std::pow(a.real(), b.real()));
  return exp(b * std::log(a));
}

template <class R>
std::complex<R> ComplexMath<R>::atan2(C y, C x) {
  const C i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

template <class R>
std::complex<R> ComplexMath<R>::call(ComplexFunction function, C a, C b) {
  switch (function) {
    case ComplexFunction::kDivide: return divide(a, b);
    case ComplexFunction::kExp: return exp(a);
    case ComplexFunction::kExpm1: return expm1(a);
    case ComplexFunction::kLog: return log(a);
    case ComplexFunction::kLog1p: return log1p(a);
    case ComplexFunction::kSqrt: return sqrt(a);
    case ComplexFunction::kRsqrt: return rsqrt(a);
    case ComplexFunction::kCbrt: return cbrt(a);
    case ComplexFunction::kSquare: return square(a);
    case ComplexFunction::kTanh: return tanh(a);
    case ComplexFunction::kSin: return sin(a);
    case ComplexFunction::kCos: return cos(a);
    case ComplexFunction::kTan: return tan(a);
    case ComplexFunction::kAsin: return asin(a);
    case ComplexFunction::kAcos: return acos(a);
    case ComplexFunction::kAtan: return atan(a);
    case ComplexFunction::kSinh: return sinh(a);
    case ComplexFunction::kCosh: return cosh(a);
    case ComplexFunction::kAsinh: return asinh(a);
    case ComplexFunction::kAcosh: return acosh(a);
    case ComplexFunction::kAtanh: return atanh(a);
    case ComplexFunction::kLogistic: return logistic(a);
    case ComplexFunction::kSign: return sign(a);
    case ComplexFunction::kPow: return pow(a, b);
    case ComplexFunction::kAtan2: return atan2(a, b);
    case ComplexFunction::kAbs: return std::hypot(a.real(), a.imag());
  }
  return C(NAN, NAN);
}

template class ComplexMath<double>;
template class ComplexMath<long double>;

}  // namespace weft
