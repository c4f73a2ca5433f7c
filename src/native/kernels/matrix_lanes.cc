#include "native/kernels/matrix_lanes.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "native/aot_runtime/cpu_features.h"

// No vector leaves this file, so how one would be passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace weft::native {
namespace {

template <class T, int64_t bytes>
struct VectorOf;
template <int64_t bytes>
struct VectorOf<float, bytes> {
  typedef float Type __attribute__((vector_size(bytes)));
  typedef int32_t Index __attribute__((vector_size(bytes)));
};
template <int64_t bytes>
struct VectorOf<double, bytes> {
  typedef double Type __attribute__((vector_size(bytes)));
  typedef int64_t Index __attribute__((vector_size(bytes)));
};

#ifdef __clang__
// Which has no options by pragma (and is the compiler of the fuzz build only): the plain vectors, put together element by element.
#define WEFT_SHUFFLE(a, b, index) shuffled(a, b, index)
template <class V, class I>
V shuffled(V a, V b, I index) {
  constexpr int64_t n = sizeof(V) / sizeof(a[0]);
  V out{};
  for (int64_t i = 0; i < n; ++i) out[i] = index[i] < n ? a[index[i]] : b[index[i] - n];
  return out;
}
#else
#define WEFT_SHUFFLE(a, b, index) __builtin_shuffle(a, b, index)

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma")
namespace avx512 {
inline constexpr int64_t kVectorBytes = 64, kWide = 4;
template <class T>
using Vector = typename VectorOf<T, kVectorBytes>::Type;
inline Vector<float> root(Vector<float> x) { return _mm512_sqrt_ps(x); }
inline Vector<double> root(Vector<double> x) { return _mm512_sqrt_pd(x); }
inline Vector<float> minus_product(Vector<float> s, Vector<float> a, Vector<float> b) {
  return _mm512_fnmadd_ps(a, b, s);
}
inline Vector<double> minus_product(Vector<double> s, Vector<double> a, Vector<double> b) {
  return _mm512_fnmadd_pd(a, b, s);
}
#include "native/kernels/matrix_lanes_body.h"
}  // namespace avx512
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
inline constexpr int64_t kVectorBytes = 32, kWide = 2;
template <class T>
using Vector = typename VectorOf<T, kVectorBytes>::Type;
inline Vector<float> root(Vector<float> x) { return _mm256_sqrt_ps(x); }
inline Vector<double> root(Vector<double> x) { return _mm256_sqrt_pd(x); }
inline Vector<float> minus_product(Vector<float> s, Vector<float> a, Vector<float> b) {
  return _mm256_fnmadd_ps(a, b, s);
}
inline Vector<double> minus_product(Vector<double> s, Vector<double> a, Vector<double> b) {
  return _mm256_fnmadd_pd(a, b, s);
}
#include "native/kernels/matrix_lanes_body.h"
}  // namespace avx2
#pragma GCC pop_options
#endif

namespace plain {
inline constexpr int64_t kVectorBytes = 16, kWide = 2;
template <class T>
using Vector = typename VectorOf<T, kVectorBytes>::Type;
inline Vector<float> root(Vector<float> x) { return _mm_sqrt_ps(x); }
inline Vector<double> root(Vector<double> x) { return _mm_sqrt_pd(x); }
inline Vector<float> minus_product(Vector<float> s, Vector<float> a, Vector<float> b) { return s - a * b; }
inline Vector<double> minus_product(Vector<double> s, Vector<double> a, Vector<double> b) { return s - a * b; }
#include "native/kernels/matrix_lanes_body.h"
}  // namespace plain

template <class T>
std::vector<const MatrixLanes<T>*> all() {
  std::vector<const MatrixLanes<T>*> out;
#ifndef __clang__
  static constexpr const char* kAvx512[] = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "fma", nullptr};
  static constexpr const char* kAvx2[] = {"avx2", "fma", nullptr};
  if (weft_rt_missing_feature(kAvx512) == nullptr) out.push_back(&avx512::kTable<T>);
  if (weft_rt_missing_feature(kAvx2) == nullptr) out.push_back(&avx2::kTable<T>);
#endif
  out.push_back(&plain::kTable<T>);
  return out;
}

}  // namespace

std::vector<const MatrixLanes<float>*> all_matrix_lanes(float) { return all<float>(); }
std::vector<const MatrixLanes<double>*> all_matrix_lanes(double) { return all<double>(); }

}  // namespace weft::native
