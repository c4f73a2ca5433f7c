// Sorting for compiled programs: lines of tensors along one dimension, by keys or by a compiled comparator. Neither allocates
// nor throws; the order is the one stable order, whatever the number of threads.
#ifndef WEFT_RT_SORT_H
#define WEFT_RT_SORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether element a of a line comes before element b; lines[i]: element 0 of operand i in this line.
typedef int32_t (*weft_rt_sort_less_fn)(const void* const* lines, int64_t a, int64_t b);

// What is sorted: words that the code generator lays down as constant data. Element j of line s of an operand stands at
// s / step * step * length + s % step + j * step; of a result likewise with result_length.
enum {
  WEFT_RT_SORT_LINES = 0,
  WEFT_RT_SORT_LENGTH = 1,
  WEFT_RT_SORT_STEP = 2,
  WEFT_RT_SORT_TAKE = 3,           // the first so many of each line are written; the others' places are left alone
  WEFT_RT_SORT_RESULT_LENGTH = 4,  // at least TAKE
  WEFT_RT_SORT_PARTS = 5,          // for weft_rt_parallel
  WEFT_RT_SORT_OPERANDS = 6,
  WEFT_RT_SORT_POSITIONS = 7,  // 1: one more result, where each element stood in its line (i32)
  WEFT_RT_SORT_KEYS = 8,       // 0: by the comparator
  WEFT_RT_SORT_HEADER = 9
  // then, per operand, the bytes of an element; negative or 0 when the result is not wanted
  // then, per key, the first deciding: operand, WEFT_RT_SORT_UNSIGNED …, flags
};

// Kinds of a key; bytes of the element in the low four bits.
enum {
  WEFT_RT_SORT_UNSIGNED = 0x00,
  WEFT_RT_SORT_SIGNED = 0x10,
  WEFT_RT_SORT_BOOLEAN = 0x20,
  WEFT_RT_SORT_FLOAT = 0x30,  // IEEE 754 of 2, 4 or 8 bytes
  WEFT_RT_SORT_BFLOAT = 0x40,
  WEFT_RT_SORT_KIND_MASK = 0xf0
};

// Flags of a key.
enum {
  WEFT_RT_SORT_DESCENDING = 1,
  WEFT_RT_SORT_TOTAL = 2,        // floats by totalOrder; otherwise by <, and a line with NaN is left to the comparator
  WEFT_RT_SORT_JOINS_ZEROS = 4,  // -0 counts as +0
  WEFT_RT_SORT_JOINS_NANS = 8    // every NaN counts as the positive quiet NaN
};

// Lines are shorter than this.
#define WEFT_RT_SORT_MAX_LENGTH ((int64_t)1 << 31)

// Bytes that weft_rt_sort needs at `workspace`, aligned to 64.
size_t weft_rt_sort_workspace(const int64_t* plan);

// buffers: the operands, then the results, which overlap nothing. `less` may be null when there are keys and none of them
// compares floats by <. A comparator that is no strict weak order gives what a bottom-up merge sort with it gives.
void weft_rt_sort(const int64_t* plan, weft_rt_sort_less_fn less, void* const* buffers, void* workspace);

#ifdef __cplusplus
}
#endif
#endif
