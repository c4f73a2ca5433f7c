// Fourier transforms for compiled programs: of lines of tensors, any length, with everything that depends on lengths computed at
// compile time. Neither allocates nor throws; bits do not depend on the number of threads.
#ifndef WEFT_RT_FFT_H
#define WEFT_RT_FFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A transform is a list of passes, each along one dimension. The words of the code generator: the header, then the passes, then,
// per distinct length, the core: length, padded length, number of factors, factors (of the padded length, where there is one).
enum {
  WEFT_RT_FFT_PARTS = 0,  // for weft_rt_parallel
  WEFT_RT_FFT_SCRATCH =
      1,  // numbers that each part needs: four arrays of CORE_LENGTH, or of that many rows, and a block of lines
  WEFT_RT_FFT_INTERMEDIATE = 2,  // numbers of an array between passes
  WEFT_RT_FFT_PASSES = 3,
  WEFT_RT_FFT_CORE_LENGTH = 4,  // at least the longest core
  WEFT_RT_FFT_TOGETHER = 5,     // whether lines are transformed WEFT_RT_FFT_BLOCK at a time
  WEFT_RT_FFT_HEADER = 6
};

// Words of a pass. Element j of line s stands at s / STEP * STEP * length + s % STEP + j * STEP, with the length of its array.
enum {
  WEFT_RT_FFT_LINES = 0,
  WEFT_RT_FFT_STEP = 1,
  WEFT_RT_FFT_LENGTH = 2,       // of the transform
  WEFT_RT_FFT_FROM_LENGTH = 3,  // elements of a line of the source
  WEFT_RT_FFT_TO_LENGTH = 4,
  WEFT_RT_FFT_KIND = 5,
  WEFT_RT_FFT_INVERSE = 6,  // conjugate roots, and the result divided by LENGTH
  WEFT_RT_FFT_FROM = 7,     // an array
  WEFT_RT_FFT_TO = 8,
  WEFT_RT_FFT_CORE = 9,         // index in the words
  WEFT_RT_FFT_CORE_TABLE = 10,  // index in the table
  WEFT_RT_FFT_TWIST_TABLE = 11,
  WEFT_RT_FFT_PASS_WORDS = 12
};

// Lines that are transformed together, or are not dense, are brought together so many at a time: as block of twice the longer of
// FROM_LENGTH and TO_LENGTH numbers each. Together they are rows: number j of all lines side by side.
enum { WEFT_RT_FFT_BLOCK = 8 };

enum { WEFT_RT_FFT_OPERAND = 0, WEFT_RT_FFT_RESULT = 1, WEFT_RT_FFT_BETWEEN = 2 };

// Even real lengths run as complex ones of half the length, with a twist by the roots exp(-2 pi i k / LENGTH), k <= LENGTH / 2:
// their real parts, then their imaginary ones.
enum {
  WEFT_RT_FFT_COMPLEX = 0,
  WEFT_RT_FFT_FROM_REAL = 1,  // odd lengths, by the complex transform
  WEFT_RT_FFT_TO_REAL = 2,
  WEFT_RT_FFT_FROM_REAL_EVEN = 3,
  WEFT_RT_FFT_TO_REAL_EVEN = 4
};

// The table of a core: per factor p of a remaining length r = p * m, for t = 1 … p-1 the real and then the imaginary parts of
// exp(-2 pi i k t / r), k < m; then, for p other than 2, 3, 4 and 5, those of exp(-2 pi i k / p), k < p. A padded core begins with
// the chirp exp(-pi i k^2 / length), k < length, and the transform of its conjugate, padded.

// `is_double`: tables, tensors and workspace hold doubles, else floats. buffers: the operand, the result.
void weft_rt_fft(const int64_t* words, const void* table, int32_t is_double, void* const* buffers, void* workspace);

#ifdef __cplusplus
}
#endif
#endif
