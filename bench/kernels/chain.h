// The hand-written reference of the elementwise benchmark.
#pragma once
#include <cstdint>

namespace weft::bench {

/// y = g / (1 + |e|) of each x, with a = x/2 + 0.1, b = tanh a, c = exp(-b²), d = log(c + 1.5), e = d b + a, f = e² - d,
/// g = sqrt(f² + 1). AVX-512 with the vector functions of the C library, OpenMP threads; n a multiple of 4096.
void chain_avx512(const float* x, float* y, int64_t n);
/// The sum of y, which is not stored.
double chain_sum_avx512(const float* x, int64_t n);
/// One element in double, the meaning of the others.
double chain_scalar(double x);

}  // namespace weft::bench
