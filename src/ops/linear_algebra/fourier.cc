#include "ops/linear_algebra/fourier.h"

#include <cmath>

namespace weft {
namespace {

/// exp(-2πi·k/n), from an angle of at most an eighth of a turn, so that it is right to the last bit or so.
template <class Real>
std::complex<Real> root(size_t k, size_t n) {
  constexpr Real kHalfTurn = 3.14159265358979323846264338327950288L;
  k %= n;
  const size_t octant = 8 * k / n;
  const auto angle = [&](size_t num) { return kHalfTurn * static_cast<Real>(num) / (4 * static_cast<Real>(n)); };
  Real c = 0, s = 0;
  // |8k - j·n| / n eighths of a turn from the nearest axis j/2.
  switch (octant) {
    case 0: c = std::cos(angle(8 * k)), s = std::sin(angle(8 * k)); break;
    case 1: c = std::sin(angle(2 * n - 8 * k)), s = std::cos(angle(2 * n - 8 * k)); break;
    case 2: c = -std::sin(angle(8 * k - 2 * n)), s = std::cos(angle(8 * k - 2 * n)); break;
    case 3: c = -std::cos(angle(4 * n - 8 * k)), s = std::sin(angle(4 * n - 8 * k)); break;
    case 4: c = -std::cos(angle(8 * k - 4 * n)), s = -std::sin(angle(8 * k - 4 * n)); break;
    case 5: c = -std::sin(angle(6 * n - 8 * k)), s = -std::cos(angle(6 * n - 8 * k)); break;
    case 6: c = std::sin(angle(8 * k - 6 * n)), s = -std::cos(angle(8 * k - 6 * n)); break;
    default: c = std::cos(angle(8 * n - 8 * k)), s = -std::sin(angle(8 * n - 8 * k)); break;
  }
  return {c, -s};
}

/// Plain products: std::complex's look for infinities each time.
template <class Real>
std::complex<Real> times(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

template <class Real>
Fourier<Real>::Fourier(size_t n) : n_(n), padded_(1) {
  const bool is_power = n != 0 && (n & (n - 1)) == 0;
  while (padded_ < (is_power ? n : 2 * n)) padded_ *= 2;
  for (size_t k = 0; k < padded_ / 2; ++k) roots_.push_back(root<Real>(k, padded_));
  if (is_power || n == 0) return;
  kernel_.assign(padded_, Complex(0));
  for (size_t k = 0; k < n; ++k) {
    // k² modulo 2n stays exact.
    const auto square = static_cast<size_t>(static_cast<unsigned __int128>(k) * k % (2 * n));
    chirp_.push_back(root<Real>(square, 2 * n));
    kernel_[k] = std::conj(chirp_[k]);
    if (k > 0) kernel_[padded_ - k] = kernel_[k];
  }
  halving(kernel_);
}

template <class Real>
void Fourier<Real>::halving(std::vector<Complex>& x) const {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t width = 2; width <= n; width *= 2) {
    const size_t half = width / 2, step = n / width;
    for (size_t low = 0; low < n; low += width) {
      for (size_t k = 0; k < half; ++k) {
        const Complex a = x[low + k], b = times(x[low + k + half], roots_[k * step]);
        x[low + k] = a + b;
        x[low + k + half] = a - b;
      }
    }
  }
}

template <class Real>
void Fourier<Real>::run(std::vector<Complex>& x, bool inverse) const {
  if (n_ == 0) return;
  // The inverse is the conjugate of the transform of the conjugate.
  if (inverse) {
    for (Complex& v : x) v = std::conj(v);
  }
  if (chirp_.empty()) {
    halving(x);
  } else {
    std::vector<Complex> y(padded_, Complex(0));
    for (size_t k = 0; k < n_; ++k) y[k] = times(x[k], chirp_[k]);
    halving(y);
    for (size_t k = 0; k < padded_; ++k) y[k] = std::conj(times(y[k], kernel_[k]));
    halving(y);
    for (size_t k = 0; k < n_; ++k) x[k] = times(std::conj(y[k]) / static_cast<Real>(padded_), chirp_[k]);
  }
  if (inverse) {
    for (Complex& v : x) v = std::conj(v) / static_cast<Real>(n_);
  }
}

template class Fourier<double>;
template class Fourier<long double>;

}  // namespace weft
