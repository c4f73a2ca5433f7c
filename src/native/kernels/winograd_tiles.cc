#include "native/kernels/winograd_tiles.h"

#include <algorithm>

#include "native/aot_runtime/cpu_features.h"

namespace weft::native::winograd {

namespace {

using Vector = __m512;

// One dimension of the transform of the activations, with the points 0, 1, -1, 2, -2 and infinity.
WEFT_AVX512_INLINE void transform_input(const Vector* x, Vector* y) {
  const Vector four = _mm512_set1_ps(4), five = _mm512_set1_ps(5), two = _mm512_set1_ps(2);
  const Vector a = _mm512_fnmadd_ps(four, x[2], x[4]), b = _mm512_fnmadd_ps(four, x[1], x[3]);
  const Vector c = _mm512_sub_ps(x[4], x[2]), d = _mm512_mul_ps(two, _mm512_sub_ps(x[3], x[1]));
  y[0] = _mm512_fmadd_ps(four, x[0], _mm512_fnmadd_ps(five, x[2], x[4]));
  y[1] = _mm512_add_ps(a, b);
  y[2] = _mm512_sub_ps(a, b);
  y[3] = _mm512_add_ps(c, d);
  y[4] = _mm512_sub_ps(c, d);
  y[5] = _mm512_fmadd_ps(four, x[1], _mm512_fnmadd_ps(five, x[3], x[5]));
}

WEFT_AVX512_INLINE void transform_output(const Vector* m, Vector* y) {
  const Vector s1 = _mm512_add_ps(m[1], m[2]), d1 = _mm512_sub_ps(m[1], m[2]);
  const Vector s2 = _mm512_add_ps(m[3], m[4]), d2 = _mm512_sub_ps(m[3], m[4]);
  y[0] = _mm512_add_ps(_mm512_add_ps(m[0], s1), s2);
  y[1] = _mm512_fmadd_ps(_mm512_set1_ps(2), d2, d1);
  y[2] = _mm512_fmadd_ps(_mm512_set1_ps(4), s2, s1);
  y[3] = _mm512_add_ps(_mm512_fmadd_ps(_mm512_set1_ps(8), d2, d1), m[5]);
}

struct Tile {
  int64_t batch, row, column;  // of its first result
};

Tile tile_at(const Shape& s, int64_t index) {
  const int64_t columns = s.tile_columns(), rows = s.tile_rows();
  return {index / (rows * columns), index / columns % rows * kTile, index % columns * kTile};
}

template <class Element>
WEFT_AVX512 void gather(const Shape& s, const Element* src, int64_t first, int64_t count, int64_t stride, float* out,
                        const Element* zeros, Range& range) {
  const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
  __m512i largest = _mm512_setzero_si512();
  __m512d sum_low = _mm512_setzero_pd(), sum_high = _mm512_setzero_pd();
  for (int64_t t = 0; t < count; ++t) {
    const Tile tile = tile_at(s, first + t);
    const Element* at[kPoints];
    for (int64_t i = 0; i < kReach; ++i) {
      for (int64_t j = 0; j < kReach; ++j) {
        const int64_t row = tile.row + i - s.pad_top, column = tile.column + j - s.pad_left;
        const bool is_inside = row >= 0 && row < s.in_height && column >= 0 && column < s.in_width;
        at[i * kReach + j] =
            is_inside ? src + tile.batch * s.src_batch + row * s.src_row + column * s.src_column : zeros;
      }
    }
    // Each tile counts four of the sixteen positions that are its own.
    Vector sample = _mm512_setzero_ps();
    for (int64_t c = 0; c < s.in_channels; c += kLanes) {
      Vector half[kReach][kReach];
      for (int64_t j = 0; j < kReach; ++j) {
        Vector x[kReach], y[kReach];
        for (int64_t i = 0; i < kReach; ++i) {
          x[i] = vectors::load(at[i * kReach + j] + c);
          const __m512i bits = _mm512_and_si512(_mm512_castps_si512(x[i]), magnitude);
          largest = _mm512_max_epu32(largest, bits);
          if ((i == 1 && j == 1) || (i == 2 && j == 3) || (i == 3 && j == 2) || (i == 4 && j == 4))
            sample = _mm512_add_ps(sample, _mm512_castsi512_ps(bits));
        }
        transform_input(x, y);
        for (int64_t i = 0; i < kReach; ++i) half[i][j] = y[i];
      }
      float* place = out + t * s.in_channels + c;
      for (int64_t i = 0; i < kReach; ++i) {
        Vector y[kReach];
        transform_input(half[i], y);
        for (int64_t j = 0; j < kReach; ++j) _mm512_storeu_ps(place + (i * kReach + j) * stride, y[j]);
      }
    }
    sum_low = _mm512_add_pd(sum_low, _mm512_cvtps_pd(_mm512_castps512_ps256(sample)));
    sum_high = _mm512_add_pd(sum_high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(sample, 1)));
  }
  range.largest = std::max(range.largest, _mm512_reduce_max_epu32(largest));
  range.sum += _mm512_reduce_add_pd(_mm512_add_pd(sum_low, sum_high));
  range.count += count * s.in_channels * 4;
}

// Channels that are summed in one go: shorter chains of additions round less, and the operands stay in the first-level cache.
constexpr int64_t kDepth = 128;

// c[r, v] (+)= kRows rows of a, or columns where a is transposed, times kVectors vectors of columns of b. Rows are `stride` apart.
template <int kRows, int kVectors, bool kIsTransposed>
WEFT_AVX512 void multiply_block(const float* a, int64_t a_stride, int64_t depth, const float* b, int64_t b_stride,
                                bool is_first, float* c, int64_t c_stride) {
  const int64_t a_row = kIsTransposed ? 1 : a_stride, a_step = kIsTransposed ? a_stride : 1;
  Vector sums[kRows][kVectors];
#pragma GCC unroll 24
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_setzero_ps();
  for (int64_t k = 0; k < depth; ++k) {
    Vector right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) right[v] = _mm512_loadu_ps(b + k * b_stride + v * kLanes);
#pragma GCC unroll 24
    for (int r = 0; r < kRows; ++r) {
      const Vector x = _mm512_set1_ps(a[r * a_row + k * a_step]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_fmadd_ps(x, right[v], sums[r][v]);
    }
  }
#pragma GCC unroll 24
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* place = c + r * c_stride + v * kLanes;
      _mm512_storeu_ps(place, is_first ? sums[r][v] : _mm512_add_ps(_mm512_loadu_ps(place), sums[r][v]));
    }
  }
}

using Multiply = void (*)(const float*, int64_t, int64_t, const float*, int64_t, bool, float*, int64_t);

// c[rows, out] = a[rows, depth] * packed; rows is rounded up to what the kernels take.
void multiply(const float* a, int64_t rows, int64_t depth, const float* packed, float* c, int64_t out) {
  static constexpr Multiply kKernels[] = {multiply_block<12, 1, false>, multiply_block<12, 2, false>,
                                          multiply_block<6, 3, false>, multiply_block<6, 4, false>};
  static constexpr int64_t kRows[] = {12, 12, 6, 6};
  for (int64_t column = 0; column < out; column += kPanel) {
    const int64_t width = std::min(kPanel, out - column), step = kRows[width / kLanes - 1];
    const Multiply kernel = kKernels[width / kLanes - 1];
    for (int64_t k = 0; k < depth; k += kDepth)
      for (int64_t row = 0; row < rows; row += step)
        kernel(a + row * depth + k, depth, std::min(kDepth, depth - k), packed + column * depth + k * width, width,
               k == 0, c + row * out + column, out);
  }
}

template <class Element>
WEFT_AVX512 void scatter(const Shape& s, const float* products, int64_t stride,
                         const vectors::Epilogue<Element>& epilogue, Element* dst, int64_t first, int64_t count) {
  constexpr __mmask16 kAll = 0xffff;
  for (int64_t t = 0; t < count; ++t) {
    const Tile tile = tile_at(s, first + t);
    const int64_t rows = std::min(kTile, s.out_height - tile.row), columns = std::min(kTile, s.out_width - tile.column);
    const int64_t origin = tile.batch * s.dst_batch + tile.row * s.dst_row + tile.column * s.dst_column;
    for (int64_t k = 0; k < s.out_channels; k += kLanes) {
      const float* from = products + t * s.out_channels + k;
      Vector half[kTile][kReach];
      for (int64_t j = 0; j < kReach; ++j) {
        Vector m[kReach], y[kTile];
        for (int64_t i = 0; i < kReach; ++i) m[i] = _mm512_loadu_ps(from + (i * kReach + j) * stride);
        transform_output(m, y);
        for (int64_t i = 0; i < kTile; ++i) half[i][j] = y[i];
      }
      Vector operands[vectors::kMostChannelOps];
      for (int op = 0; op < epilogue.channel_ops; ++op) operands[op] = vectors::load(epilogue.channels[op].operand + k);
      for (int64_t i = 0; i < rows; ++i) {
        Vector y[kTile];
        transform_output(half[i], y);
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t at = origin + i * s.dst_row + j * s.dst_column + k;
          vectors::store(dst + at, kAll, vectors::finish(epilogue, operands, y[j], kAll, at));
        }
      }
    }
  }
}

// 16 weights, `step` apart.
WEFT_AVX512_INLINE Vector load_weights(const float* from, int64_t step) {
  if (step == 1) return _mm512_loadu_ps(from);
  alignas(64) float apart[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) apart[l] = from[l * step];
  return _mm512_load_ps(apart);
}
WEFT_AVX512_INLINE Vector load_weights(const uint16_t* from, int64_t step) {
  if (step == 1) return vectors::load(from);
  alignas(32) uint16_t apart[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) apart[l] = from[l * step];
  return vectors::load(apart);
}

// One dimension of the transform of the weights.
WEFT_AVX512_INLINE void transform_weights(const Vector* g, Vector* y) {
  const Vector sixth = _mm512_set1_ps(1.0f / 6), twelfth = _mm512_set1_ps(1.0f / 12), part = _mm512_set1_ps(1.0f / 24);
  const Vector even = _mm512_mul_ps(sixth, _mm512_add_ps(g[0], g[2])), odd = _mm512_mul_ps(sixth, g[1]);
  const Vector far_even = _mm512_fmadd_ps(part, g[0], _mm512_mul_ps(sixth, g[2])),
               far_odd = _mm512_mul_ps(twelfth, g[1]);
  y[0] = _mm512_mul_ps(_mm512_set1_ps(0.25f), g[0]);
  y[1] = _mm512_sub_ps(_mm512_setzero_ps(), _mm512_add_ps(even, odd));
  y[2] = _mm512_sub_ps(odd, even);
  y[3] = _mm512_add_ps(far_even, far_odd);
  y[4] = _mm512_sub_ps(far_even, far_odd);
  y[5] = g[2];
}

template <class Element>
WEFT_AVX512 uint32_t pack_weights(const Shape& s, const Window<Element>& w, int64_t first, int64_t last,
                                  float* packed) {
  const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
  __m512i largest = _mm512_setzero_si512();
  const int64_t point = s.in_channels * s.out_channels;
  // More than stays in a cache until it is read: written past it.
  constexpr int64_t kLarge = int64_t{1} << 20;
  const bool is_large = s.packed_size() > kLarge;
  for (int64_t out = first; out < last; out += kLanes) {
    const int64_t column = out / kPanel * kPanel, width = std::min(kPanel, s.out_channels - column);
    for (int64_t in = 0; in < s.in_channels; ++in) {
      float* place = packed + column * s.in_channels + in * width + (out - column);
      Vector half[kReach][3];
      for (int64_t j = 0; j < 3; ++j) {
        Vector g[3], y[kReach];
        for (int64_t i = 0; i < 3; ++i) {
          g[i] = load_weights(w.data + out * w.out + in * w.in + i * w.row + j * w.column, w.out);
          largest = _mm512_max_epu32(largest, _mm512_and_si512(_mm512_castps_si512(g[i]), magnitude));
        }
        transform_weights(g, y);
        for (int64_t i = 0; i < kReach; ++i) half[i][j] = y[i];
      }
      for (int64_t i = 0; i < kReach; ++i) {
        Vector y[kReach];
        transform_weights(half[i], y);
        for (int64_t j = 0; j < kReach; ++j) {
          float* to = place + (i * kReach + j) * point;
          if (is_large) _mm512_stream_ps(to, y[j]);
          else _mm512_store_ps(to, y[j]);
        }
      }
    }
  }
  _mm_sfence();
  return _mm512_reduce_max_epu32(largest);
}

}  // namespace

bool is_tame(uint32_t largest) {
  constexpr float kLargestMagnitude = 1e15f;
  return __builtin_bit_cast(float, largest) <= kLargestMagnitude;
}

bool is_tame(const Range& range) {
  if (range.largest == 0) return true;
  // Below this the differences between numbers are lost among denormal ones.
  constexpr double kSmallestMean = 1e-25;
  const double mean = range.sum / static_cast<double>(range.count);
  return is_tame(range.largest) && mean >= kSmallestMean &&
         __builtin_bit_cast(float, range.largest) <= kLargestRatio * mean;
}

bool is_supported() {
  static const char* const kNames[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma", nullptr};
  return weft_rt_missing_feature(kNames) == nullptr;
}

namespace {

// One dimension of the transform of the gradient of results: that of transform_output, transposed.
WEFT_AVX512_INLINE void transform_gradient(const Vector* g, Vector* y) {
  const Vector two = _mm512_set1_ps(2), four = _mm512_set1_ps(4), eight = _mm512_set1_ps(8);
  const Vector even = _mm512_add_ps(g[0], g[2]), odd = _mm512_add_ps(g[1], g[3]);
  const Vector far_even = _mm512_fmadd_ps(four, g[2], g[0]);
  const Vector far_odd = _mm512_fmadd_ps(eight, g[3], _mm512_mul_ps(two, g[1]));
  y[0] = g[0];
  y[1] = _mm512_add_ps(even, odd);
  y[2] = _mm512_sub_ps(even, odd);
  y[3] = _mm512_add_ps(far_even, far_odd);
  y[4] = _mm512_sub_ps(far_even, far_odd);
  y[5] = g[3];
}

template <class Element>
WEFT_AVX512 void gather_gradients(const Shape& s, const Element* gradient, int64_t first, int64_t count, int64_t stride,
                                  float* out, Range& range) {
  const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
  __m512i largest = _mm512_setzero_si512();
  const Vector zero = _mm512_setzero_ps();
  for (int64_t t = 0; t < count; ++t) {
    const Tile tile = tile_at(s, first + t);
    const int64_t rows = std::min(kTile, s.out_height - tile.row), columns = std::min(kTile, s.out_width - tile.column);
    const Element* origin = gradient + tile.batch * s.dst_batch + tile.row * s.dst_row + tile.column * s.dst_column;
    Vector sample = zero;
    for (int64_t k = 0; k < s.out_channels; k += kLanes) {
      Vector half[kReach][kTile];
      for (int64_t j = 0; j < kTile; ++j) {
        Vector g[kTile], y[kReach];
        for (int64_t i = 0; i < kTile; ++i) {
          g[i] = i < rows && j < columns ? vectors::load(origin + i * s.dst_row + j * s.dst_column + k) : zero;
          const __m512i bits = _mm512_and_si512(_mm512_castps_si512(g[i]), magnitude);
          largest = _mm512_max_epu32(largest, bits);
          if (i == j) sample = _mm512_add_ps(sample, _mm512_castsi512_ps(bits));
        }
        transform_gradient(g, y);
        for (int64_t i = 0; i < kReach; ++i) half[i][j] = y[i];
      }
      float* place = out + t * s.out_channels + k;
      for (int64_t i = 0; i < kReach; ++i) {
        Vector y[kReach];
        transform_gradient(half[i], y);
        for (int64_t j = 0; j < kReach; ++j) _mm512_storeu_ps(place + (i * kReach + j) * stride, y[j]);
      }
    }
    range.sum += static_cast<double>(_mm512_reduce_add_ps(sample));
  }
  range.largest = std::max(range.largest, _mm512_reduce_max_epu32(largest));
  range.count += count * s.out_channels * kTile;
}

// c (+)= the sum over rows of a of its columns [0, kRows) times rows of b.
template <int kRows>
void multiply_columns(const float* a, int64_t a_stride, const float* b, int64_t b_stride, int64_t depth, bool is_first,
                      float* c, int64_t columns) {
  static constexpr Multiply kKernels[] = {multiply_block<kRows, 1, true>, multiply_block<kRows, 2, true>,
                                          multiply_block<kRows, 3, true>, multiply_block<kRows, 4, true>};
  for (int64_t column = 0; column < columns; column += kPanel) {
    const int64_t width = std::min(kPanel, columns - column);
    kKernels[width / kLanes - 1](a, a_stride, depth, b + column, b_stride, is_first, c + column, columns);
  }
}

template <class Element>
WEFT_AVX512 void unpack_windows(const Shape& s, const float* sums, int64_t first, int64_t last, Element* windows,
                                int64_t out, int64_t in, int64_t row, int64_t column) {
  const Vector quarter = _mm512_set1_ps(0.25f), sixth = _mm512_set1_ps(1.0f / 6), twelfth = _mm512_set1_ps(1.0f / 12),
               part = _mm512_set1_ps(1.0f / 24);
  // One dimension of the transform of the weights, transposed.
  const auto transform = [&](const Vector* u, Vector* y) WEFT_AVX512 {
    const Vector near = _mm512_add_ps(u[1], u[2]), far = _mm512_add_ps(u[3], u[4]);
    y[0] = _mm512_fmadd_ps(part, far, _mm512_fnmadd_ps(sixth, near, _mm512_mul_ps(quarter, u[0])));
    y[1] = _mm512_fmadd_ps(twelfth, _mm512_sub_ps(u[3], u[4]), _mm512_mul_ps(sixth, _mm512_sub_ps(u[2], u[1])));
    y[2] = _mm512_add_ps(_mm512_mul_ps(sixth, _mm512_sub_ps(far, near)), u[5]);
  };
  const int64_t point = s.in_channels * s.out_channels;
  for (int64_t o = first; o < last; o += kLanes) {
    for (int64_t i = 0; i < s.in_channels; ++i) {
      const float* from = sums + i * s.out_channels + o;
      Vector half[3][kReach];
      for (int64_t q = 0; q < kReach; ++q) {
        Vector u[kReach], y[3];
        for (int64_t p = 0; p < kReach; ++p) u[p] = _mm512_loadu_ps(from + (p * kReach + q) * point);
        transform(u, y);
        for (int64_t p = 0; p < 3; ++p) half[p][q] = y[p];
      }
      for (int64_t p = 0; p < 3; ++p) {
        Vector y[3];
        transform(half[p], y);
        for (int64_t q = 0; q < 3; ++q) {
          Element* to = windows + o * out + i * in + p * row + q * column;
          const Vector value = vectors::rounded<Element>(y[q]);
          if (out == 1) {
            vectors::store(to, 0xffff, value);
            continue;
          }
          alignas(64) Element apart[kLanes];
          vectors::store(apart, 0xffff, value);
          for (int64_t l = 0; l < kLanes; ++l) to[l * out] = apart[l];
        }
      }
    }
  }
}

}  // namespace

template <class Element>
void transform_both(const Shape& s, const Element* src, const Element* dst_gradient, int64_t first, int64_t count,
                    int64_t run_first, int64_t capacity, float* transformed, float* gradients, const void* zeros,
                    Range& src_range, Range& gradient_range) {
  const int64_t at = first - run_first;
  gather(s, src, first, count, s.point_stride(capacity, s.in_channels), transformed + at * s.in_channels,
         static_cast<const Element*>(zeros), src_range);
  gather_gradients(s, dst_gradient, first, count, s.point_stride(capacity, s.out_channels),
                   gradients + at * s.out_channels, gradient_range);
}

void accumulate(const Shape& s, const float* transformed, const float* gradients, int64_t count, int64_t capacity,
                int64_t first, int64_t last, bool is_first, float* sums) {
  const int64_t in_stride = s.point_stride(capacity, s.in_channels),
                out_stride = s.point_stride(capacity, s.out_channels);
  constexpr int64_t kRows = 4;
  for (int64_t point = first; point < last; ++point) {
    const float *a = transformed + point * in_stride, *b = gradients + point * out_stride;
    float* c = sums + point * s.in_channels * s.out_channels;
    for (int64_t in = 0; in < s.in_channels; in += kRows)
      multiply_columns<kRows>(a + in, s.in_channels, b, s.out_channels, count, is_first, c + in * s.out_channels,
                              s.out_channels);
  }
}

template <class Element>
void unpack(const Shape& s, const float* sums, int64_t first, int64_t last, Element* windows, int64_t out, int64_t in,
            int64_t row, int64_t column) {
  unpack_windows(s, sums, first, last, windows, out, in, row, column);
}

template void transform_both(const Shape&, const float*, const float*, int64_t, int64_t, int64_t, int64_t, float*,
                             float*, const void*, Range&, Range&);
template void transform_both(const Shape&, const uint16_t*, const uint16_t*, int64_t, int64_t, int64_t, int64_t, float*,
                             float*, const void*, Range&, Range&);
template void unpack(const Shape&, const float*, int64_t, int64_t, float*, int64_t, int64_t, int64_t, int64_t);
template void unpack(const Shape&, const float*, int64_t, int64_t, uint16_t*, int64_t, int64_t, int64_t, int64_t);

template <class Element>
uint32_t pack(const Shape& s, const Window<Element>& w, int64_t first, int64_t last, float* packed) {
  return pack_weights(s, w, first, last, packed);
}

template <class Element>
void run(const Shape& s, const Element* src, const float* packed, const vectors::Epilogue<Element>& epilogue,
         Element* dst, int64_t first, int64_t count, int64_t capacity, float* transformed, float* products,
         const void* zeros, Range& range) {
  const int64_t in_stride = s.point_stride(capacity, s.in_channels),
                out_stride = s.point_stride(capacity, s.out_channels);
  gather(s, src, first, count, in_stride, transformed, static_cast<const Element*>(zeros), range);
  for (int64_t point = 0; point < kPoints; ++point)
    multiply(transformed + point * in_stride, count, s.in_channels, packed + point * s.in_channels * s.out_channels,
             products + point * out_stride, s.out_channels);
  scatter(s, products, out_stride, epilogue, dst, first, count);
}

template uint32_t pack(const Shape&, const Window<float>&, int64_t, int64_t, float*);
template uint32_t pack(const Shape&, const Window<uint16_t>&, int64_t, int64_t, float*);
template void run(const Shape&, const float*, const float*, const vectors::Epilogue<float>&, float*, int64_t, int64_t,
                  int64_t, float*, float*, const void*, Range&);
template void run(const Shape&, const uint16_t*, const float*, const vectors::Epilogue<uint16_t>&, uint16_t*, int64_t,
                  int64_t, int64_t, float*, float*, const void*, Range&);

}  // namespace weft::native::winograd
