// Functions of complex numbers, in the evaluator's own way (ops/scalar/complex_math.h): wider numbers, rounded once.
#include "ops/scalar/complex_math.h"

#include "native/aot_runtime/weft_rt.h"

namespace {

template <class Wide, class Part>
void call(int32_t function, int64_t count, const Part* operands, Part* results) {
  const auto f = static_cast<weft::ComplexFunction>(function);
  for (int64_t i = 0; i < count; ++i) {
    const std::complex<Wide> a(operands[i], operands[count + i]);
    std::complex<Wide> b;
    if (weft::is_binary(f))
      b = {static_cast<Wide>(operands[2 * count + i]), static_cast<Wide>(operands[3 * count + i])};
    const std::complex<Wide> z = weft::ComplexMath<Wide>::call(f, a, b);
    results[i] = static_cast<Part>(z.real());
    results[count + i] = static_cast<Part>(z.imag());
  }
}

}  // namespace

void weft_rt_complex_f32(int32_t function, int64_t count, const float* operands, float* results) {
  call<double>(function, count, operands, results);
}

void weft_rt_complex_f64(int32_t function, int64_t count, const double* operands, double* results) {
  call<long double>(function, count, operands, results);
}
