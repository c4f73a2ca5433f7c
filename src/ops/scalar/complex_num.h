// Complex functions of elements: Num by way of ComplexMath.
#pragma once
#include "ops/scalar/complex_math.h"
#include "ops/scalar/num.h"

namespace weft {

/// f(tag, operands…) in complex numbers of a wider part than the type's; the tag's type is ComplexMath<part>.
template <class F, class... Nums>
Num complex_function(F f, const Num& a, const Nums&... rest) {
  const auto compute = [&]<class R>(R) {
    const std::complex<R> z =
        f(ComplexMath<R>(), std::complex<R>(a.real, a.imag), std::complex<R>(rest.real, rest.imag)...);
    return Num::of_complex(a.type, static_cast<double>(z.real()), static_cast<double>(z.imag()));
  };
  return a.type == ElementType::kC64 ? compute(double{}) : compute(static_cast<long double>(0));
}

}  // namespace weft
