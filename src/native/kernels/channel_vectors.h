// bf16 numbers in AVX-512 vectors of floats, and the ops on channels that follow a convolution, for f32 and bf16 alike.
#pragma once

// GCC 12 takes the headers' undefined vectors for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "native/kernels/convolution.h"

#define WEFT_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#define WEFT_AVX512_INLINE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"), always_inline)) inline

namespace weft::native::vectors {

inline constexpr int kMostChannelOps = 8;

/// What follows a convolution, in the order of ConvolutionDesc. Element is float, or uint16_t for bf16, which every op rounds to.
template <class Element>
struct Epilogue {
  struct OnChannels {
    ChannelOp op;
    const Element* operand;
  };
  OnChannels channels[kMostChannelOps];
  int channel_ops = 0;
  const Element* addend = nullptr;  // as dst
  bool has_relu = false;
};

WEFT_AVX512_INLINE __m512 load(const float* from, __mmask16 mask) { return _mm512_maskz_loadu_ps(mask, from); }
WEFT_AVX512_INLINE __m512 load(const uint16_t* from, __mmask16 mask) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from)), 16));
}
WEFT_AVX512_INLINE __m512 load(const float* from) { return _mm512_loadu_ps(from); }
WEFT_AVX512_INLINE __m512 load(const uint16_t* from) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

/// To the nearest number of Element, ties to even, NaN quiet; still as floats.
template <class Element>
WEFT_AVX512_INLINE __m512 rounded(__m512 x) {
  if constexpr (sizeof(Element) == sizeof(float)) return x;
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __m512i nan = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
  const __m512i chosen = _mm512_mask_mov_epi32(up, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), nan);
  return _mm512_castsi512_ps(_mm512_and_si512(chosen, _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
}

/// Of numbers that are rounded already.
WEFT_AVX512_INLINE void store(float* to, __mmask16 mask, __m512 x) { _mm512_mask_storeu_ps(to, mask, x); }
WEFT_AVX512_INLINE void store(uint16_t* to, __mmask16 mask, __m512 x) {
  _mm256_mask_storeu_epi16(to, mask, _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(x), 16)));
}

/// The result of 16 channels. `operands` are those of the ops on channels, `at` is the place in dst.
template <class Element>
WEFT_AVX512_INLINE __m512 finish(const Epilogue<Element>& e, const __m512* operands, __m512 sum, __mmask16 mask,
                                 int64_t at) {
  __m512 value = rounded<Element>(sum);
  for (int op = 0; op < e.channel_ops; ++op) {
    switch (e.channels[op].op) {
      case ChannelOp::kAdd: value = rounded<Element>(_mm512_add_ps(value, operands[op])); break;
      case ChannelOp::kSubtract: value = rounded<Element>(_mm512_sub_ps(value, operands[op])); break;
      case ChannelOp::kMultiply: value = rounded<Element>(_mm512_mul_ps(value, operands[op])); break;
    }
  }
  if (e.addend) value = rounded<Element>(_mm512_add_ps(value, load(e.addend + at, mask)));
  // A comparison with NaN is false, and -0 becomes +0.
  if (e.has_relu) value = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_NLE_UQ), value);
  return value;
}

}  // namespace weft::native::vectors
