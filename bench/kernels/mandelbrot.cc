#include "bench/kernels/mandelbrot.h"

#include <immintrin.h>

namespace weft::bench {
namespace {

constexpr int kLanes = 16;
// Independent vectors in flight: one step is a chain of about four dependent operations of four cycles each, which this many
// chains fill; more only lengthens the wait for the slowest lane of a block.
constexpr int kVectors = 4;
constexpr int kBlock = kLanes * kVectors;

// Runs kBlock points until all have left. Lanes that have left keep iterating (to infinity or NaN, which compare false) but no
// longer count.
void block(const float* cx, const float* cy, int32_t* counts, int max_iter) {
  const __m512 four = _mm512_set1_ps(4.0f);
  const __m512i one = _mm512_set1_epi32(1);
  __m512 x[kVectors], y[kVectors], a[kVectors], b[kVectors];
  __m512i count[kVectors];
  __mmask16 active[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    x[v] = y[v] = _mm512_setzero_ps();
    count[v] = _mm512_setzero_si512();
    a[v] = _mm512_loadu_ps(cx + v * kLanes);
    b[v] = _mm512_loadu_ps(cy + v * kLanes);
    active[v] = 0xffff;
  }
  for (int step = 0; step < max_iter; ++step) {
    unsigned any = 0;
    for (int v = 0; v < kVectors; ++v) {
      const __m512 xx = _mm512_mul_ps(x[v], x[v]);
      const __m512 yy = _mm512_mul_ps(y[v], y[v]);
      active[v] = _mm512_mask_cmp_ps_mask(active[v], _mm512_add_ps(xx, yy), four, _CMP_LE_OQ);
      any |= active[v];
      count[v] = _mm512_mask_add_epi32(count[v], active[v], count[v], one);
      y[v] = _mm512_add_ps(_mm512_mul_ps(_mm512_add_ps(x[v], x[v]), y[v]), b[v]);
      x[v] = _mm512_add_ps(_mm512_sub_ps(xx, yy), a[v]);
    }
    if (any == 0) break;
  }
  for (int v = 0; v < kVectors; ++v) _mm512_storeu_si512(counts + v * kLanes, count[v]);
}

}  // namespace

void mandelbrot_avx512(const float* cx, const float* cy, int32_t* counts, int64_t n, int max_iter) {
  const int64_t blocks = n / kBlock;
  // Points of one row cost anything from 1 to max_iter steps: small dynamic shares keep the threads level.
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < blocks; ++i) block(cx + i * kBlock, cy + i * kBlock, counts + i * kBlock, max_iter);
  const int64_t done = blocks * kBlock;
  mandelbrot_scalar(cx + done, cy + done, counts + done, n - done, max_iter);
}

void mandelbrot_scalar(const float* cx, const float* cy, int32_t* counts, int64_t n, int max_iter) {
  for (int64_t i = 0; i < n; ++i) {
    float x = 0, y = 0;
    int count = 0;
    while (count < max_iter && x * x + y * y <= 4.0f) {
      const float next = x * x - y * y + cx[i];
      y = 2 * x * y + cy[i];
      x = next;
      ++count;
    }
    counts[i] = count;
  }
}

void mandelbrot_raster(float* cx, float* cy, int64_t side) {
  for (int64_t row = 0; row < side; ++row) {
    for (int64_t column = 0; column < side; ++column) {
      // In double, rounded once: what numpy.linspace(..., dtype=float32) gives.
      const double t = side > 1 ? 1.0 / static_cast<double>(side - 1) : 0.0;
      cx[row * side + column] = static_cast<float>(-2.0 + static_cast<double>(column) * (2.6 * t));
      cy[row * side + column] = static_cast<float>(-1.3 + static_cast<double>(row) * (2.6 * t));
    }
  }
}

}  // namespace weft::bench
