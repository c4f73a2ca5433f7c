#include "bench/kernels/chain.h"

#include <immintrin.h>

#include <cmath>

// libmvec: 16 floats at a time.
extern "C" __m512 _ZGVeN16v_tanhf(__m512);
extern "C" __m512 _ZGVeN16v_expf(__m512);
extern "C" __m512 _ZGVeN16v_logf(__m512);

namespace weft::bench {
namespace {

constexpr int64_t kBlock = 4096, kLanes = 16;

inline __m512 chain(__m512 x) {
  const __m512 one = _mm512_set1_ps(1);
  const __m512 a = _mm512_fmadd_ps(x, _mm512_set1_ps(0.5f), _mm512_set1_ps(0.1f));
  const __m512 b = _ZGVeN16v_tanhf(a);
  const __m512 c = _ZGVeN16v_expf(_mm512_fnmadd_ps(b, b, _mm512_setzero_ps()));
  const __m512 d = _ZGVeN16v_logf(_mm512_add_ps(c, _mm512_set1_ps(1.5f)));
  const __m512 e = _mm512_fmadd_ps(d, b, a), f = _mm512_fmsub_ps(e, e, d);
  const __m512 g = _mm512_maskz_sqrt_ps(0xffff, _mm512_fmadd_ps(f, f, one));
  return _mm512_div_ps(g, _mm512_add_ps(one, _mm512_andnot_ps(_mm512_set1_ps(-0.0f), e)));
}

}  // namespace

void chain_avx512(const float* x, float* y, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i += kLanes) _mm512_storeu_ps(y + i, chain(_mm512_loadu_ps(x + i)));
}

double chain_sum_avx512(const float* x, int64_t n) {
  double total = 0;
#pragma omp parallel for reduction(+ : total) schedule(static)
  for (int64_t block = 0; block < n; block += kBlock) {
    __m512 sum = _mm512_setzero_ps();
    for (int64_t i = block; i < block + kBlock; i += kLanes) sum = _mm512_add_ps(sum, chain(_mm512_loadu_ps(x + i)));
    alignas(64) float lanes[kLanes];
    _mm512_store_ps(lanes, sum);
    for (float lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

double chain_scalar(double x) {
  const double a = x * 0.5 + 0.1, b = std::tanh(a), c = std::exp(-b * b), d = std::log(c + 1.5), e = d * b + a,
               f = e * e - d;
  return std::sqrt(f * f + 1) / (1 + std::abs(e));
}

}  // namespace weft::bench
