// Functions of one complex element. R is wider than the element's parts (double for complex<f32>, long double for complex<f64>), so
// that one rounding at the end leaves results good to the last place even where the formulas below cancel.
// Infinities and branch cuts are those of C's <complex.h> (ISO C, annex G) unless a function says otherwise: cuts along the negative
// real axis, continuous from the side that the sign of the zero imaginary part names.
#pragma once
#include <complex>

#include "ops/scalar/complex_function.h"

namespace weft {

template <class R>
class ComplexMath {
 public:
  using C = std::complex<R>;
  /// a conj(b) / |b|² where that is finite, as machine code has it; else as <complex.h>.
  static C divide(C a, C b);
  /// NaN where the imaginary part is no number or infinite, whatever the real part.
  static C exp(C z);
  /// exp(z) - 1 without cancellation near 0.
  static C expm1(C z);
  static C log(C z) { return std::log(z); }
  /// log(1 + z), exact also where |1 + z| is close to 1.
  static C log1p(C z);
  static C sqrt(C z) { return std::sqrt(z); }
  /// z · z; the real part, which is (x - y)(x + y), is 0 on the diagonals; NaN at infinity there.
  static C square(C z);
  static C rsqrt(C z) { return C(1) / std::sqrt(z); }
  /// The principal cube root.
  static C cbrt(C z);
  static C tanh(C z) { return std::tanh(z); }
  static C sin(C z) { return std::sin(z); }
  static C cos(C z) { return std::cos(z); }
  static C tan(C z) { return std::tan(z); }
  static C asin(C z) { return std::asin(z); }
  static C acos(C z) { return std::acos(z); }
  static C atan(C z) { return std::atan(z); }
  static C sinh(C z) { return std::sinh(z); }
  static C cosh(C z) { return std::cosh(z); }
  static C asinh(C z) { return std::asinh(z); }
  static C acosh(C z) { return std::acosh(z); }
  static C atanh(C z) { return std::atanh(z); }
  /// 1 / (1 + exp(-z)).
  static C logistic(C z);
  /// z / |z|, 0 at 0, NaN where a part is.
  static C sign(C z);
  /// exp(b log a); a^0 = 1, 0^b = 0 for a positive real part of b.
  static C pow(C a, C b);
  /// -i log((x + iy) / sqrt(x² + y²)).
  static C atan2(C y, C x);
  /// The function by its name; `b` is read by those of two operands.
  static C call(ComplexFunction function, C a, C b);
};

extern template class ComplexMath<double>;
extern template class ComplexMath<long double>;

}  // namespace weft
