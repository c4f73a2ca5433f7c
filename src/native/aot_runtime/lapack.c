#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "other_library.h"
#include "weft/custom_call.h"
#include "weft_rt_lapack.h"

// Operands and results are those of jaxlib's handlers, as in lapack/handlers.cc: matrices are row-major in tensors, column-major here.

static const char* const kNames[] = {"libopenblas.so.0", "liblapack.so.3", NULL};
static weft_rt_other_library lapack = {"WEFT_LAPACK", kNames, NULL};

int weft_rt_lapack_open(char* message, size_t bytes) { return weft_rt_other_library_open(&lapack, message, bytes); }

enum { kMostBlocks = 8 };

// One call: its element type and what it has allocated.
typedef struct job {
  const weft_call* call;
  char letter;           // of routines: s, d, c, z
  size_t size, real;     // bytes of an element, and of a real number of its width
  int32_t type, number;  // element types: of matrices, of real numbers
  void* blocks[kMostBlocks];
  int num_blocks, is_short;
} job;

static int fail(const weft_call* call, const char* why) {
  snprintf(call->message, call->message_bytes, "%s", why);
  return 1;
}

static int start(job* j, const weft_call* call, size_t operands, size_t results) {
  memset(j, 0, sizeof *j);
  j->call = call;
  if (call->num_operands != operands || call->num_results != results)
    return fail(call, "wrong number of operands or results");
  j->type = call->operands[0].element;
  switch (j->type) {
    case WEFT_F32: j->letter = 's', j->size = 4, j->real = 4, j->number = WEFT_F32; break;
    case WEFT_F64: j->letter = 'd', j->size = 8, j->real = 8, j->number = WEFT_F64; break;
    case WEFT_C64: j->letter = 'c', j->size = 8, j->real = 4, j->number = WEFT_F32; break;
    case WEFT_C128: j->letter = 'z', j->size = 16, j->real = 8, j->number = WEFT_F64; break;
    default: return fail(call, "there is no routine for the element type");
  }
  return 0;
}

static int is_complex(const job* j) { return j->size != j->real; }

// Zeroed memory until the end of the call.
static void* take(job* j, size_t count, size_t size) {
  void* block = calloc(count ? count : 1, size);
  if (!block || j->num_blocks == kMostBlocks) {
    free(block);
    j->is_short = 1;
    return NULL;
  }
  return j->blocks[j->num_blocks++] = block;
}

static int finish(job* j) {
  for (int i = 0; i < j->num_blocks; ++i) free(j->blocks[i]);
  j->num_blocks = 0;
  return j->is_short ? fail(j->call, "out of memory") : 0;
}

// A routine by its name without the letter.
typedef void (*routine)(void);
static routine find(const job* j, const char* name) {
  char symbol[32];
  snprintf(symbol, sizeof symbol, "%c%s_", j->letter, name);
  void* found = dlsym(lapack.handle, symbol);
  if (!found) snprintf(j->call->message, j->call->message_bytes, "the LAPACK library has no routine %s", symbol);
  routine run;
  memcpy(&run, &found, sizeof run);
  return run;
}

typedef struct matrix {
  int rows, columns;
  int64_t count;
} matrix;

static int shape_of(const weft_buffer* b, matrix* out) {
  if (b->rank < 2 || b->shape[b->rank - 2] > INT_MAX || b->shape[b->rank - 1] > INT_MAX) return 1;
  out->rows = (int)b->shape[b->rank - 2];
  out->columns = (int)b->shape[b->rank - 1];
  out->count = 1;
  for (int32_t d = 0; d + 2 < b->rank; ++d) out->count *= b->shape[d];
  return 0;
}

static int is_room(const weft_buffer* b, int32_t element, size_t bytes) {
  return b->element == element && b->bytes == bytes;
}

static size_t most(int a, int b) { return (size_t)(a > b ? a : b); }
static int at_least_1(int n) { return n > 1 ? n : 1; }

static void transpose(void* to, const void* from, size_t rows, size_t columns, size_t size) {
#define WEFT_TRANSPOSE(T)                                                                            \
  for (size_t i = 0; i < rows; ++i) {                                                                \
    for (size_t j = 0; j < columns; ++j) ((T*)to)[j * rows + i] = ((const T*)from)[i * columns + j]; \
  }
  if (size == 4) {
    WEFT_TRANSPOSE(uint32_t)
  } else if (size == 8) {
    WEFT_TRANSPOSE(uint64_t)
  } else {
    typedef struct {
      uint64_t a, b;
    } pair;
    WEFT_TRANSPOSE(pair)
  }
#undef WEFT_TRANSPOSE
}

static void read_matrix(const job* j, void* to, const weft_buffer* from, int64_t b, int rows, int columns) {
  const size_t m = (size_t)rows, n = (size_t)columns;
  transpose(to, (const char*)from->data + (size_t)b * m * n * j->size, m, n, j->size);
}
static void write_matrix_of(const weft_buffer* to, int64_t b, const void* from, int rows, int columns, size_t size) {
  const size_t m = (size_t)rows, n = (size_t)columns;
  transpose((char*)to->data + (size_t)b * m * n * size, from, n, m, size);
}
static void write_matrix(const job* j, const weft_buffer* to, int64_t b, const void* from, int rows, int columns) {
  write_matrix_of(to, b, from, rows, columns, j->size);
}
static void* row(const weft_buffer* buffer, int64_t b, size_t n, size_t size) {
  return (char*)buffer->data + (size_t)b * n * size;
}

// Values of "name = 78 : ui8" in the dictionary.
static char letter(const weft_call* call, const char* name, char otherwise) {
  const size_t length = strlen(name);
  for (const char* at = call->config; (at = strstr(at, name)) != NULL; at += length) {
    if ((at == call->config || at[-1] == ' ' || at[-1] == '{') && strncmp(at + length, " = ", 3) == 0)
      return (char)strtol(at + length + 3, NULL, 10);
  }
  return otherwise;
}

static double first_of(const job* j, const void* number) {
  return j->real == 4 ? (double)*(const float*)number : *(const double*)number;
}

// The length of the workspace that a query left in `size`, and the workspace.
static void* workspace(job* j, const void* size, int* length) {
  *length = at_least_1((int)first_of(j, size));
  return take(j, (size_t)*length, j->size);
}
// (a) → (lu, pivots from 1, info); with a permutation: (a) → (lu, pivots from 0, permutation)
static int getrf(const weft_call* call, int permutes) {
  job j;
  matrix s;
  if (start(&j, call, 1, 3)) return 1;
  if (shape_of(&call->operands[0], &s)) return fail(call, "a matrix was expected");
  const weft_buffer* out = call->results;
  const int least = s.rows < s.columns ? s.rows : s.columns;
  const size_t count = (size_t)s.count;
  if (!is_room(&out[0], j.type, call->operands[0].bytes) || !is_room(&out[1], WEFT_I32, count * (size_t)least * 4) ||
      !is_room(&out[2], WEFT_I32, count * (permutes ? (size_t)s.rows : 1) * 4))
    return fail(call, "wrong type of a result");
  const routine run = find(&j, "getrf");
  if (!run) return 1;
  void* a = take(&j, (size_t)s.rows * (size_t)s.columns, j.size);
  for (int64_t b = 0; b < s.count && !j.is_short; ++b) {
    read_matrix(&j, a, &call->operands[0], b, s.rows, s.columns);
    int32_t* pivots = row(&out[1], b, (size_t)least, 4);
    const int lda = at_least_1(s.rows);
    int info = 0;
    ((void (*)(const int*, const int*, void*, const int*, int*, int*))run)(&s.rows, &s.columns, a, &lda, pivots, &info);
    write_matrix(&j, &out[0], b, a, s.rows, s.columns);
    if (!permutes) {
      ((int32_t*)out[2].data)[b] = info;
      continue;
    }
    int32_t* order = row(&out[2], b, (size_t)s.rows, 4);
    for (int i = 0; i < s.rows; ++i) order[i] = i;
    for (int i = 0; i < least; ++i) {
      const int32_t other = --pivots[i], kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
  }
  return finish(&j);
}

// (a) → (r and reflectors, their factors)
static int geqrf(const weft_call* call) {
  job j;
  matrix s;
  if (start(&j, call, 1, 2)) return 1;
  if (shape_of(&call->operands[0], &s)) return fail(call, "a matrix was expected");
  const weft_buffer* out = call->results;
  const size_t least = (size_t)(s.rows < s.columns ? s.rows : s.columns);
  if (!is_room(&out[0], j.type, call->operands[0].bytes) || !is_room(&out[1], j.type, (size_t)s.count * least * j.size))
    return fail(call, "wrong type of a result");
  typedef void (*geqrf_fn)(const int*, const int*, void*, const int*, void*, void*, const int*, int*);
  const geqrf_fn run = (geqrf_fn)find(&j, "geqrf");
  if (!run) return 1;
  void* a = take(&j, (size_t)s.rows * (size_t)s.columns, j.size);
  const int lda = at_least_1(s.rows);
  int info = 0, lwork = -1;
  double size[2] = {0};
  run(&s.rows, &s.columns, a, &lda, a, size, &lwork, &info);
  void* work = workspace(&j, size, &lwork);
  for (int64_t b = 0; b < s.count && !j.is_short; ++b) {
    read_matrix(&j, a, &call->operands[0], b, s.rows, s.columns);
    run(&s.rows, &s.columns, a, &lda, row(&out[1], b, least, j.size), work, &lwork, &info);
    write_matrix(&j, &out[0], b, a, s.rows, s.columns);
  }
  return finish(&j);
}

// (reflectors, their factors) → their product's first columns
static int orgqr(const weft_call* call) {
  job j;
  matrix s;
  if (start(&j, call, 2, 1)) return 1;
  const weft_buffer *factors = &call->operands[1], *out = call->results;
  if (shape_of(&call->operands[0], &s) || factors->rank < 1 || factors->shape[factors->rank - 1] > s.columns)
    return fail(call, "a matrix and its factors were expected");
  const int k = (int)factors->shape[factors->rank - 1];
  if (!is_room(&out[0], j.type, call->operands[0].bytes) ||
      !is_room(factors, j.type, (size_t)s.count * (size_t)k * j.size))
    return fail(call, "wrong type of an operand or result");
  typedef void (*orgqr_fn)(const int*, const int*, const int*, void*, const int*, const void*, void*, const int*, int*);
  const orgqr_fn run = (orgqr_fn)find(&j, is_complex(&j) ? "ungqr" : "orgqr");
  if (!run) return 1;
  void* a = take(&j, (size_t)s.rows * (size_t)s.columns, j.size);
  const int lda = at_least_1(s.rows);
  int info = 0, lwork = -1;
  double size[2] = {0};
  run(&s.rows, &s.columns, &k, a, &lda, a, size, &lwork, &info);
  void* work = workspace(&j, size, &lwork);
  for (int64_t b = 0; b < s.count && !j.is_short; ++b) {
    read_matrix(&j, a, &call->operands[0], b, s.rows, s.columns);
    run(&s.rows, &s.columns, &k, a, &lda, row(factors, b, (size_t)k, j.size), work, &lwork, &info);
    write_matrix(&j, &out[0], b, a, s.rows, s.columns);
  }
  return finish(&j);
}

// (a) → (a destroyed, s, u, vt, info)
static int gesdd(const weft_call* call) {
  job j;
  matrix s;
  if (start(&j, call, 1, 5)) return 1;
  if (shape_of(&call->operands[0], &s)) return fail(call, "a matrix was expected");
  const weft_buffer* out = call->results;
  const char mode = letter(call, "mode", 'A');
  const int m = s.rows, n = s.columns, least = m < n ? m : n;
  const int u_columns = mode == 'N' ? 0 : mode == 'A' ? m : least, vt_rows = mode == 'N' ? 0 : mode == 'A' ? n : least;
  const size_t count = (size_t)s.count, u_size = (size_t)m * (size_t)u_columns, vt_size = (size_t)vt_rows * (size_t)n;
  if (!is_room(&out[0], j.type, call->operands[0].bytes) ||
      !is_room(&out[1], j.number, count * (size_t)least * j.real) ||
      (mode != 'N' &&
       (!is_room(&out[2], j.type, count * u_size * j.size) || !is_room(&out[3], j.type, count * vt_size * j.size))) ||
      !is_room(&out[4], WEFT_I32, count * 4))
    return fail(call, "wrong type of a result");
  const routine run = find(&j, "gesdd");
  if (!run) return 1;
  void *a = take(&j, (size_t)m * (size_t)n, j.size), *u = take(&j, u_size, j.size), *vt = take(&j, vt_size, j.size);
  int* integers = take(&j, 8 * (size_t)at_least_1(least), sizeof(int));
  const size_t p = (size_t)least, q = most(m, n);
  const size_t by_p = 5 * p + 7, by_q = 2 * q + 2 * p + 1;
  void* reals = take(&j, is_complex(&j) ? p * (by_p > by_q ? by_p : by_q) : 0, j.real);
  const int lda = at_least_1(m), ldvt = at_least_1(vt_rows);
  int lwork = -1;
  double size[2] = {0};
  void* work = size;
  for (int64_t b = -1; b < s.count && !j.is_short; ++b) {  // -1: the query
    int ignored = 0, *info = b < 0 ? &ignored : &((int32_t*)out[4].data)[b];
    void* values = b < 0 ? work : row(&out[1], b, p, j.real);
    if (b >= 0) read_matrix(&j, a, &call->operands[0], b, m, n);
    if (is_complex(&j)) {
      ((void (*)(const char*, const int*, const int*, void*, const int*, void*, void*, const int*, void*, const int*,
                 void*, const int*, void*, int*, int*))run)(&mode, &m, &n, a, &lda, values, u, &lda, vt, &ldvt, work,
                                                            &lwork, reals, integers, info);
    } else {
      ((void (*)(const char*, const int*, const int*, void*, const int*, void*, void*, const int*, void*, const int*,
                 void*, const int*, int*, int*))run)(&mode, &m, &n, a, &lda, values, u, &lda, vt, &ldvt, work, &lwork,
                                                     integers, info);
    }
    if (b < 0) {
      work = workspace(&j, size, &lwork);
      continue;
    }
    write_matrix(&j, &out[0], b, a, m, n);
    if (mode == 'N') continue;
    write_matrix(&j, &out[2], b, u, m, u_columns);
    write_matrix(&j, &out[3], b, vt, vt_rows, n);
  }
  return finish(&j);
}

static void fill_nan(const job* j, void* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (j->real == 4) ((float*)to)[i] = __builtin_nanf("");
    else ((double*)to)[i] = __builtin_nan("");
  }
}

// (a) → (vectors, eigenvalues ascending, info); without info a failure is NaN
static int syevd(const weft_call* call, char mode, char uplo, int has_info) {
  job j;
  matrix s;
  if (start(&j, call, 1, has_info ? 3 : 2)) return 1;
  if (shape_of(&call->operands[0], &s) || s.rows != s.columns) return fail(call, "a square matrix was expected");
  const weft_buffer* out = call->results;
  const size_t n = (size_t)s.rows, count = (size_t)s.count;
  if (!is_room(&out[0], j.type, call->operands[0].bytes) || !is_room(&out[1], j.number, count * n * j.real) ||
      (has_info && !is_room(&out[2], WEFT_I32, count * 4)))
    return fail(call, "wrong type of a result");
  const routine run = find(&j, is_complex(&j) ? "heevd" : "syevd");
  if (!run) return 1;
  void* a = take(&j, n * n, j.size);
  const int liwork = 5 * s.rows + 3, lda = at_least_1(s.rows);
  int* integers = take(&j, (size_t)liwork, sizeof(int));
  const size_t num_reals = is_complex(&j) ? 1 + 5 * n + 2 * n * n : 1;
  void* reals = take(&j, num_reals, j.real);
  const int lrwork = (int)num_reals;
  int lwork = -1;
  double size[2] = {0};
  void* work = size;
  for (int64_t b = -1; b < s.count && !j.is_short; ++b) {  // -1: the query
    int info = 0;
    void* values = b < 0 ? work : row(&out[1], b, n, j.real);
    if (b >= 0) read_matrix(&j, a, &call->operands[0], b, s.rows, s.rows);
    if (is_complex(&j)) {
      ((void (*)(const char*, const char*, const int*, void*, const int*, void*, void*, const int*, void*, const int*,
                 int*, const int*, int*))run)(&mode, &uplo, &s.rows, a, &lda, values, work, &lwork, reals, &lrwork,
                                              integers, &liwork, &info);
    } else {
      ((void (*)(const char*, const char*, const int*, void*, const int*, void*, void*, const int*, int*, const int*,
                 int*))run)(&mode, &uplo, &s.rows, a, &lda, values, work, &lwork, integers, &liwork, &info);
    }
    if (b < 0) {
      work = workspace(&j, size, &lwork);
      continue;
    }
    if (has_info) ((int32_t*)out[2].data)[b] = info;
    if (!has_info && info != 0) {
      fill_nan(&j, a, n * n * (j.size / j.real));
      fill_nan(&j, values, n);
    }
    write_matrix(&j, &out[0], b, a, s.rows, s.rows);
  }
  return finish(&j);
}

// The same by the method of relatively robust representations.
static int syevr(const weft_call* call, char mode, char uplo) {
  job j;
  matrix s;
  if (start(&j, call, 1, 3)) return 1;
  if (shape_of(&call->operands[0], &s) || s.rows != s.columns) return fail(call, "a square matrix was expected");
  const weft_buffer* out = call->results;
  const size_t n = (size_t)s.rows, count = (size_t)s.count;
  if (!is_room(&out[0], j.type, call->operands[0].bytes) || !is_room(&out[1], j.number, count * n * j.real) ||
      !is_room(&out[2], WEFT_I32, count * 4))
    return fail(call, "wrong type of a result");
  const routine run = find(&j, is_complex(&j) ? "heevr" : "syevr");
  if (!run) return 1;
  void *a = take(&j, n * n, j.size), *vectors = take(&j, n * n, j.size), *w = take(&j, n + 1, j.real);
  int *support = take(&j, 2 * n + 2, sizeof(int)), *integers = take(&j, 10 * n + 1, sizeof(int));
  const size_t num_reals = is_complex(&j) ? 24 * n + 1 : 1;
  void* reals = take(&j, num_reals, j.real);
  const int lda = at_least_1(s.rows), liwork = 10 * s.rows + 1, lrwork = (int)num_reals, one = 1;
  const char range = 'A';
  const double zero = 0, minus = -1;
  const float minus_of_floats = -1;
  const void* tolerance = j.real == 4 ? (const void*)&minus_of_floats : (const void*)&minus;
  int lwork = -1, found = 0;
  double size[2] = {0};
  void* work = size;
  for (int64_t b = -1; b < s.count && !j.is_short; ++b) {  // -1: the query
    int info = 0;
    if (b >= 0) read_matrix(&j, a, &call->operands[0], b, s.rows, s.rows);
    if (is_complex(&j)) {
      ((void (*)(const char*, const char*, const char*, const int*, void*, const int*, const void*, const void*,
                 const int*, const int*, const void*, int*, void*, void*, const int*, int*, void*, const int*, void*,
                 const int*, int*, const int*, int*))run)(&mode, &range, &uplo, &s.rows, a, &lda, &zero, &zero, &one,
                                                          &s.rows, tolerance, &found, w, vectors, &lda, support, work,
                                                          &lwork, reals, &lrwork, integers, &liwork, &info);
    } else {
      ((void (*)(const char*, const char*, const char*, const int*, void*, const int*, const void*, const void*,
                 const int*, const int*, const void*, int*, void*, void*, const int*, int*, void*, const int*, int*,
                 const int*, int*))run)(&mode, &range, &uplo, &s.rows, a, &lda, &zero, &zero, &one, &s.rows, tolerance,
                                        &found, w, vectors, &lda, support, work, &lwork, integers, &liwork, &info);
    }
    if (b < 0) {
      work = workspace(&j, size, &lwork);
      continue;
    }
    memcpy(row(&out[1], b, n, j.real), w, n * j.real);
    ((int32_t*)out[2].data)[b] = info;
    write_matrix(&j, &out[0], b, vectors, s.rows, s.rows);
  }
  return finish(&j);
}

// Eigenvectors of a real matrix as LAPACK packs them: a pair of conjugate eigenvalues shares two columns, real and imaginary part of
// the first one's vector.
static void unpack(const job* j, const void* packed, const void* imaginary, size_t n, void* complex) {
#define WEFT_UNPACK(T)                                                        \
  for (size_t c = 0; c < n; ++c) {                                            \
    const T *from = (const T*)packed + c * n, *next = from + n;               \
    T* to = (T*)complex + 2 * c * n;                                          \
    const int is_pair = ((const T*)imaginary)[c] != 0 && c + 1 < n;           \
    for (size_t i = 0; i < n; ++i) {                                          \
      to[2 * i] = from[i];                                                    \
      to[2 * i + 1] = is_pair ? next[i] : 0;                                  \
      if (is_pair) to[2 * (n + i)] = from[i], to[2 * (n + i) + 1] = -next[i]; \
    }                                                                         \
    if (is_pair) ++c;                                                         \
  }
  if (j->real == 4) {
    WEFT_UNPACK(float)
  } else {
    WEFT_UNPACK(double)
  }
#undef WEFT_UNPACK
}

// Real: (a) → (real parts, imaginary parts, left vectors, right vectors, info); complex: (a) → (eigenvalues, left, right, info)
static int geev(const weft_call* call) {
  job j;
  matrix s;
  const int parts =
      call->num_operands && (call->operands[0].element == WEFT_C64 || call->operands[0].element == WEFT_C128) ? 1 : 2;
  if (start(&j, call, 1, (size_t)parts + 3)) return 1;
  if (shape_of(&call->operands[0], &s) || s.rows != s.columns) return fail(call, "a square matrix was expected");
  const weft_buffer* out = call->results;
  const size_t n = (size_t)s.rows, count = (size_t)s.count;
  const int32_t complex = j.real == 4 ? WEFT_C64 : WEFT_C128;
  for (int i = 0; i < parts; ++i) {
    if (!is_room(&out[i], j.type, count * n * j.size)) return fail(call, "wrong type of a result");
  }
  if (!is_room(&out[parts], complex, count * n * n * 2 * j.real) ||
      !is_room(&out[parts + 1], complex, count * n * n * 2 * j.real) || !is_room(&out[parts + 2], WEFT_I32, count * 4))
    return fail(call, "wrong type of a result");
  const routine run = find(&j, "geev");
  if (!run) return 1;
  const char left = letter(call, "compute_left", 'N'), right = letter(call, "compute_right", 'N');
  void *a = take(&j, n * n, j.size), *vl = take(&j, n * n, j.size), *vr = take(&j, n * n, j.size);
  void *reals = take(&j, 2 * n, j.real), *vectors = take(&j, n * n, 2 * j.real);
  const int ld = at_least_1(s.rows);
  int lwork = -1;
  double size[2] = {0};
  void* work = size;
  for (int64_t b = -1; b < s.count && !j.is_short; ++b) {  // -1: the query
    int ignored = 0, *info = b < 0 ? &ignored : &((int32_t*)out[parts + 2].data)[b];
    void *first = b < 0 ? work : row(&out[0], b, n, j.size), *second = b < 0 ? work : row(&out[1], b, n, j.size);
    if (b >= 0) {
      read_matrix(&j, a, &call->operands[0], b, s.rows, s.rows);
      memset(vl, 0, n * n * j.size);
      memset(vr, 0, n * n * j.size);
    }
    if (is_complex(&j)) {
      ((void (*)(const char*, const char*, const int*, void*, const int*, void*, void*, const int*, void*, const int*,
                 void*, const int*, void*, int*))run)(&left, &right, &s.rows, a, &ld, first, vl, &ld, vr, &ld, work,
                                                      &lwork, reals, info);
    } else {
      ((void (*)(const char*, const char*, const int*, void*, const int*, void*, void*, void*, const int*, void*,
                 const int*, void*, const int*, int*))run)(&left, &right, &s.rows, a, &ld, first, second, vl, &ld, vr,
                                                           &ld, work, &lwork, info);
    }
    if (b < 0) {
      work = workspace(&j, size, &lwork);
      continue;
    }
    if (is_complex(&j)) {
      write_matrix(&j, &out[1], b, vl, s.rows, s.rows);
      write_matrix(&j, &out[2], b, vr, s.rows, s.rows);
      continue;
    }
    unpack(&j, vl, second, n, vectors);
    write_matrix_of(&out[2], b, vectors, s.rows, s.rows, 2 * j.real);
    unpack(&j, vr, second, n, vectors);
    write_matrix_of(&out[3], b, vectors, s.rows, s.rows, 2 * j.real);
  }
  return finish(&j);
}

// (lower, diagonal, upper, b) of n elements each, the first of lower and the last of upper unused → (…, solution, info)
static int gtsv(const weft_call* call) {
  job j;
  matrix s;
  if (start(&j, call, 4, 5)) return 1;
  if (shape_of(&call->operands[3], &s)) return fail(call, "a matrix was expected");
  const weft_buffer* out = call->results;
  const size_t n = (size_t)s.rows, count = (size_t)s.count;
  for (int i = 0; i < 4; ++i) {
    const size_t bytes = i < 3 ? count * n * j.size : call->operands[3].bytes;
    if (!is_room(&call->operands[i], j.type, bytes) || !is_room(&out[i], j.type, bytes))
      return fail(call, "wrong type of an operand or result");
  }
  if (!is_room(&out[4], WEFT_I32, count * 4)) return fail(call, "wrong type of a result");
  const routine run = find(&j, "gtsv");
  if (!run) return 1;
  void* solution = take(&j, n * (size_t)s.columns, j.size);
  for (int64_t b = 0; b < s.count && s.rows > 0 && !j.is_short; ++b) {
    char* diagonals[3];
    for (int i = 0; i < 3; ++i) {
      diagonals[i] = row(&out[i], b, n, j.size);
      memcpy(diagonals[i], row(&call->operands[i], b, n, j.size), n * j.size);
    }
    read_matrix(&j, solution, &call->operands[3], b, s.rows, s.columns);
    ((void (*)(const int*, const int*, void*, void*, void*, void*, const int*, int*))run)(
        &s.rows, &s.columns, diagonals[0] + j.size, diagonals[1], diagonals[2], solution, &s.rows,
        &((int32_t*)out[4].data)[b]);
    write_matrix(&j, &out[3], b, solution, s.rows, s.columns);
  }
  return finish(&j);
}

// (pivots from 0) → permutation of as many rows as the result has
static int pivots_to_permutation(const weft_call* call) {
  if (call->num_operands != 1 || call->num_results != 1) return fail(call, "wrong number of operands or results");
  const weft_buffer *in = call->operands, *out = call->results;
  if (in->rank < 1 || out->rank != in->rank || in->element != WEFT_I32 || out->element != WEFT_I32)
    return fail(call, "wrong type of an operand or result");
  const int64_t rows = out->shape[out->rank - 1], pivots = in->shape[in->rank - 1];
  const int64_t count = rows ? (int64_t)(out->bytes / 4) / rows : 0;
  if (in->bytes != (size_t)(count * pivots) * 4) return rows ? fail(call, "wrong type of an operand") : 0;
  for (int64_t b = 0; b < count; ++b) {
    const int32_t* pivot = row(in, b, (size_t)pivots, 4);
    int32_t* order = row(out, b, (size_t)rows, 4);
    for (int64_t i = 0; i < rows; ++i) order[i] = (int32_t)i;
    for (int64_t i = 0; i < pivots && i < rows; ++i) {
      if (pivot[i] < 0 || pivot[i] >= rows) return fail(call, "a pivot is no row");
      const int32_t kept = order[i];
      order[i] = order[pivot[i]];
      order[pivot[i]] = kept;
    }
  }
  return 0;
}

int weft_rt_lapack(const weft_call* call) {
  const char* target = call->target;
  if (weft_rt_lapack_open(call->message, call->message_bytes)) return 1;
  if (strcmp(target, "LuDecomposition") == 0) return getrf(call, 1);
  if (strcmp(target, "Qr") == 0) return geqrf(call);
  if (strcmp(target, "ProductOfElementaryHouseholderReflectors") == 0 || strcmp(target, "householder_product") == 0)
    return orgqr(call);
  if (strcmp(target, "Eigh") == 0) return syevd(call, 'V', *call->config == '0' ? 'U' : 'L', 0);
  if (strcmp(target, "lu_pivots_to_permutation") == 0) return pivots_to_permutation(call);
  const char* name = strncmp(target, "lapack_", 7) == 0 && target[7] ? target + 8 : "";
  if (strcmp(name, "getrf_ffi") == 0) return getrf(call, 0);
  if (strcmp(name, "geqrf_ffi") == 0) return geqrf(call);
  if (strcmp(name, "orgqr_ffi") == 0 || strcmp(name, "ungqr_ffi") == 0) return orgqr(call);
  if (strcmp(name, "gesdd_ffi") == 0) return gesdd(call);
  if (strcmp(name, "syevd_ffi") == 0 || strcmp(name, "heevd_ffi") == 0)
    return syevd(call, letter(call, "mode", 'V'), letter(call, "uplo", 'L'), 1);
  if (strcmp(name, "syevr_ffi") == 0 || strcmp(name, "heevr_ffi") == 0)
    return syevr(call, letter(call, "mode", 'V'), letter(call, "uplo", 'L'));
  if (strcmp(name, "geev_ffi") == 0) return geev(call);
  if (strcmp(name, "gtsv_ffi") == 0) return gtsv(call);
  return fail(call, "there is no handler for it");
}
