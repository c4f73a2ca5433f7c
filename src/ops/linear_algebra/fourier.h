// Discrete Fourier transforms of any length in O(n log n).
#pragma once
#include <complex>
#include <cstddef>
#include <vector>

namespace weft {

/// The transform Σ x[j]·exp(∓2πi·jk/n) of n = size() numbers in place; `inverse` takes the sign + and divides by n.
/// Real is double or long double. Powers of two by halving, other lengths by Bluestein's convolution.
template <class Real>
class Fourier {
 public:
  explicit Fourier(size_t n);
  void run(std::vector<std::complex<Real>>& x, bool inverse) const;

 private:
  using Complex = std::complex<Real>;
  void halving(std::vector<Complex>& x) const;

  size_t n_;
  size_t padded_;                // power of two: n, or at least 2n-1
  std::vector<Complex> roots_;   // exp(-2πi·k/padded), k < padded/2
  std::vector<Complex> chirp_;   // exp(-πi·k²/n); empty for powers of two
  std::vector<Complex> kernel_;  // transform of the chirp's conjugate
};

extern template class Fourier<double>;
extern template class Fourier<long double>;

}  // namespace weft
