// erfc, the inverse of erf, the gamma family, zeta and Bessel's I1. Sources: Stirling's and Euler-Maclaurin's series and the
// reflection formulas as in the NIST Handbook of Mathematical Functions, chapters 5 and 25; the fits are our own.
#include "ops/scalar/special_functions.h"

#include <math.h>

#include <cmath>
#include <numbers>
#include <span>

#include "ops/scalar/scalar_parts.h"
#include "ops/scalar/special_coefficients.h"

namespace weft {

using namespace special_coefficients;

namespace {

constexpr ElementType kDouble = ElementType::kF64;
constexpr double kPi = std::numbers::pi;

Num to_double(Num x) { return Num::of_real(kDouble, x.real); }
SExpr to_double(SExpr x) { return x.convert(kDouble); }
Num to_type_of(Num value, Num like) { return Num::of_real(like.type, value.real); }
SExpr to_type_of(SExpr value, SExpr like) { return value.convert(like.type()); }
Num fused(Num a, Num b, Num c) { return Num::of_real(a.type, std::fma(a.real, b.real, c.real)); }
SExpr fused(SExpr a, SExpr b, SExpr c) { return fma(a, b, c); }

/// c0 + c1 T1(s) + …, by Clenshaw's recurrence.
template <class T>
T chebyshev(T s, std::span<const double> c) {
  const T twice = s + s;
  T b1 = s.constant(0), b2 = b1;
  for (size_t i = c.size() - 1; i > 0; --i) {
    const T b0 = fused(twice, b1, c[i] - b2);
    b2 = b1;
    b1 = b0;
  }
  return fused(s, b1, c[0] - b2);
}

/// As above in x over [low, high].
template <class T>
T chebyshev(T x, double low, double high, std::span<const double> c) {
  return chebyshev((x - 0.5 * (low + high)) / (0.5 * (high - low)), c);
}

template <class T>
T powers_from_first(T x, std::span<const double> c) {  // c0 x + c1 x² + …
  T sum = x.constant(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = fused(sum, x, x.constant(c[i]));
  return sum * x;
}

template <class T>
T is_whole(T x) {
  return equal(x, floor(x));
}

// ---- erf's relatives --------------------------------------------------------------------------------------------------------

template <class T>
T erf_inv_of(T a) {
  const T x = to_double(a), size = abs(x);
  const T w = -log((1 - size) * (1 + size)), s = sqrt(w);
  const T centre = chebyshev(w, 0, 6.25, kErfInvCentre);
  const T middle = chebyshev(s, 2.5, 4.25, kErfInvMiddle), tail = chebyshev(s, 4.25, 6.25, kErfInvTail);
  const T value = x * select(w < w.constant(6.25), centre, select(s < s.constant(4.25), middle, tail));
  return to_type_of(select(equal(size, x.constant(1)), copy_sign(x.constant(INFINITY), x), value), a);
}

template <class T>
T bessel_i1e_of(T a) {
  const T x = to_double(a), size = abs(x);
  const T small = size * chebyshev(size, 0, 8, kBesselSmall);
  const T large = chebyshev(1 / size, 0, 0.125, kBesselLarge) / sqrt(size);
  return to_type_of(copy_sign(select(size < x.constant(8), small, large), x), a);
}

// ---- the gamma family -------------------------------------------------------------------------------------------------------

template <class T>
T digamma_of(T a) {
  const T x = to_double(a), half = x.constant(0.5), ten = x.constant(10);
  const T reflects = x < half;
  T z = select(reflects, 1 - x, x), below = x.constant(0);
  // ψ(z) = ψ(z + 1) - 1/z until Stirling's series holds.
  for (int step = 0; step < 10; ++step) {
    const T is_small = z < ten;
    below = below + select(is_small, 1 / z, x.constant(0));
    z = select(is_small, z + 1, z);
  }
  const T series = powers_from_first(1 / (z * z), kDigammaTail);
  const T right = log(z) - 0.5 / z - series - below;
  // ψ(x) = ψ(1 - x) - π / tan πx, the angle reduced exactly.
  const T angle = kPi * (x - round_even(x));
  const T value = select(reflects, right - kPi * cos(angle) / sin(angle), right);
  const T is_pole = bit_and(x <= x.constant(0), is_whole(x));
  return to_type_of(select(is_pole, x.constant(NAN), value), a);
}

/// Σ over k >= 0 of (q + k)⁻ˢ for s > 1, q > 0: ten terms, then Euler-Maclaurin.
template <class T>
T zeta_right(T s, T q) {
  constexpr int kTerms = 10;
  T sum = pow(q, -s);
  for (int k = 1; k < kTerms; ++k) sum = sum + pow(q + k, -s);
  const T a = q + kTerms, inverse = 1 / a, square = inverse * inverse;
  const T first = pow(a, -s);
  // Bernoulli numbers over factorials times s (s + 1) … (s + 2k - 2) / a²ᵏ⁻¹.
  T factor = s * inverse, tail = s.constant(0.5);
  double step = 0;
  for (double c : kEulerMaclaurin) {
    tail = tail + c * factor;
    factor = factor * (s + (step + 1)) * (s + (step + 2)) * square;
    step += 2;
  }
  // Far out, where the series' factors overflow, the power before them is 0.
  const T rest = first * (a / (s - 1) + tail);
  return sum + select(first > s.constant(0), rest, s.constant(0));
}

/// Also for q <= 0 that is no integer when s is one: all integers n give Σ (f + n)⁻ˢ = ζ(s, f) ± ζ(s, 1 - f), f = q - ⌊q⌋, and those
/// below ⌊q⌋ are ± ζ(s, 1 - q), the sign that of (-1)ˢ.
template <class T>
T zeta_of(T s0, T q0) {
  const T s = to_double(s0), q = to_double(q0);
  const T zero = s.constant(0), one = s.constant(1), nan = s.constant(NAN), infinity = s.constant(INFINITY);
  const T fraction = q - floor(q), is_left = q <= zero;
  const T half = 0.5 * s, is_even = equal(half, floor(half));
  const T mirrored = zeta_right(s, 1 - fraction) - zeta_right(s, 1 - q);
  T value = zeta_right(s, select(is_left, fraction, q));
  value = value + select(is_left, select(is_even, mirrored, -mirrored), zero);
  const T at_pole = select(is_even, infinity, nan);
  value = select(is_left, select(is_whole(q), at_pole, select(is_whole(s), value, nan)), value);
  value = select(equal(q, infinity), zero, value);
  value = select(equal(s, one), infinity, select(s < one, nan, value));
  const T is_nan = bit_or(not_equal(s, s), not_equal(q, q));
  return to_type_of(select(is_nan, nan, value), s0);
}

/// ψ⁽ⁿ⁾(x) = (-1)ⁿ⁺¹ n! ζ(n + 1, x).
template <class T>
T polygamma_of(T n0, T x0) {
  const T n = to_double(n0), x = to_double(x0);
  const T half = 0.5 * n, is_even = equal(half, floor(half));
  const T size = exp(lgamma(n + 1)) * zeta_of(n + 1, x);
  const T higher = select(is_even, -size, size);
  const T value = select(equal(n, n.constant(0)), digamma_of(x), higher);
  const T is_order = bit_and(n >= n.constant(0), is_whole(n));
  return to_type_of(select(is_order, value, n.constant(NAN)), n0);
}

}  // namespace

Num erfc(Num a) { return Num::of_real(a.type, std::erfc(a.real)); }

// The sign that lgamma also delivers would otherwise go to a global variable.
Num lgamma(Num a) {
  int sign = 0;
  return Num::of_real(a.type, ::lgamma_r(a.real, &sign));
}

// 1 - erf x below ½; above it exp(-x²) times a fit, the square's rounding error carried into the exponential, all scaled at the end
// so that subnormal results are rounded once.
SExpr erfc(SExpr a) {
  using namespace scalar_parts;
  const SExpr x = a.convert(kDouble), r = at_least(at_most(x, 27.3), 0.5);
  const SExpr square = r * r, low = -fma(r, r, -square);
  const ExpParts e = exp_parts(-square, &low);
  const SExpr fit = chebyshev((r - 4) / (r + 4), kErfcLow, kErfcHigh, kErfcScaled) / (r + 4);
  const SExpr value = select(x < x.constant(0.5), 1 - erf(x), scale((1 + e.p) * fit, e.k));
  return select(equal(x, x), value, x).convert(a.type());
}

// [1.5, 2.5) by a fit of log Γ(2 + e) / e; [0.5, 1.5) by one step up, to 8.5 by steps down, beyond by Stirling's series; below ½ by
// reflection, log π - log |sin πx| - log Γ(1 - x).
SExpr lgamma(SExpr a) {
  const SExpr x = a.convert(kDouble), one = x.constant(1), zero = x.constant(0), infinity = x.constant(INFINITY);
  const SExpr reflects = x < x.constant(0.5);
  const SExpr z = select(reflects, 1 - x, x);
  const SExpr is_low = z < z.constant(1.5), is_large = z >= z.constant(8.5);
  SExpr product = one, base = select(is_low, z + 1, select(is_large, z.constant(2), z));
  for (int step = 0; step < 6; ++step) {
    const SExpr goes_down = base >= base.constant(2.5);
    base = select(goes_down, base - 1, base);
    product = select(goes_down, product * base, product);
  }
  // z - 1 is exact where base is z + 1.
  const SExpr offset = select(is_low, z - 1, base - 2);
  const SExpr logarithm = log(select(is_low, z, select(is_large, z, product)));
  const SExpr fit = offset * chebyshev(offset + offset, kLogGamma);
  const SExpr near = select(is_low, fit - logarithm, fit + logarithm);
  const SExpr inverse = 1 / z;
  const SExpr series = inverse * (kStirling[0] + powers_from_first(inverse * inverse, std::span(kStirling).subspan(1)));
  const SExpr far = (z - 0.5) * (logarithm - 1) + (series + 0.41893853320467274178);  // (log 2π - 1) / 2
  SExpr value = select(is_large, far, near);
  const SExpr sine = abs(sin(kPi * (x - round_even(x))));
  value = select(reflects, 1.1447298858494001741 - log(sine) - value, value);
  const SExpr is_pole = bit_and(x <= zero, is_whole(x));
  value = select(bit_or(is_pole, equal(abs(x), infinity)), infinity, value);
  return select(equal(x, x), value, x).convert(a.type());
}

Num erf_inv(Num a) { return erf_inv_of(a); }

namespace {

// x P(-log(1 - x²)), beyond 5 in the root of the logarithm, as above; polynomials of our own fit, relative error 6e-9.
SExpr erf_inv_single(SExpr x) {
  const SExpr size = abs(x), w = -log((1 - size) * (1 + size));
  const SExpr centre = scalar_parts::polynomial(
      w - 2.5, {0x1.805c5ep+0, 0x1.f91e8ap-3, -0x1.11c4ecp-8, -0x1.486616p-10, 0x1.c9e6c8p-13, -0x1.4d159ep-18,
                -0x1.d0c1ap-19, 0x1.f48bdap-22, 0x1.8f2234p-26, -0x1.2e0e9p-27});
  const SExpr tail = scalar_parts::polynomial(
      sqrt(w) - 3, {0x1.6a9efcp+1, 0x1.006dc4p+0, 0x1.358004p-7, -0x1.f47edap-8, 0x1.74c19ap-8, -0x1.d7b9fep-9,
                    0x1.84b896p-10, -0x1.c2ff12p-15, -0x1.42b214p-12, 0x1.dca35ep-14});
  const SExpr value = x * select(w < w.constant(5), centre, tail);
  return select(equal(size, x.constant(1)), copy_sign(x.constant(INFINITY), x), value);
}

}  // namespace

SExpr erf_inv(SExpr a) { return a.type() == ElementType::kF32 ? erf_inv_single(a) : erf_inv_of(a); }
Num bessel_i1e(Num a) { return bessel_i1e_of(a); }
SExpr bessel_i1e(SExpr a) { return bessel_i1e_of(a); }
Num digamma(Num a) { return digamma_of(a); }
SExpr digamma(SExpr a) { return digamma_of(a); }
Num zeta(Num s, Num q) { return zeta_of(s, q); }
SExpr zeta(SExpr s, SExpr q) { return zeta_of(s, q); }
Num polygamma(Num n, Num x) { return polygamma_of(n, x); }
SExpr polygamma(SExpr n, SExpr x) { return polygamma_of(n, x); }

}  // namespace weft
