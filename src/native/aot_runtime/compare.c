#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

enum { kExact = 0, kUlp = 1, kAbsolute = 2 };

static int is_complex(int32_t e) { return e == WEFT_C64 || e == WEFT_C128; }
static int32_t part_of(int32_t e) { return e == WEFT_C64 ? WEFT_F32 : e == WEFT_C128 ? WEFT_F64 : e; }
static int is_real(int32_t e) { return e == WEFT_F16 || e == WEFT_BF16 || e == WEFT_F32 || e == WEFT_F64; }

static size_t size_of(int32_t e) {
  switch (e) {
    case WEFT_I64:
    case WEFT_U64:
    case WEFT_F64: return 8;
    case WEFT_I32:
    case WEFT_U32:
    case WEFT_F32: return 4;
    case WEFT_I16:
    case WEFT_U16:
    case WEFT_F16:
    case WEFT_BF16: return 2;
    default: return 1;
  }
}

// Bits as an integer that orders as the numbers do, so that differences count steps.
static int64_t ordered(int32_t e, const char* x) {
  if (e == WEFT_F64) {
    int64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
  }
  if (e == WEFT_F32) {
    int32_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
  }
  uint16_t bits;
  memcpy(&bits, x, sizeof bits);
  return bits & 0x8000 ? -(int64_t)(bits & 0x7fff) : bits;
}

static double value_of(int32_t e, const char* x) {
  double d;
  float f;
  uint16_t half;
  switch (e) {
    case WEFT_F64: memcpy(&d, x, sizeof d); return d;
    case WEFT_F32: memcpy(&f, x, sizeof f); return f;
    case WEFT_BF16: {
      memcpy(&half, x, sizeof half);
      const uint32_t bits = (uint32_t)half << 16;
      memcpy(&f, &bits, sizeof f);
      return f;
    }
    default: {
      memcpy(&half, x, sizeof half);
      const int exponent = half >> 10 & 31, mantissa = half & 1023;
      d = exponent == 31 ? (mantissa ? NAN : INFINITY)
                         : ldexp(mantissa + (exponent ? 1024 : 0), (exponent ? exponent : 1) - 25);
      return half >> 15 ? -d : d;
    }
  }
}

static uint64_t distance(int32_t e, const char* a, const char* b, double x, double y) {
  if (isnan(x) && isnan(y)) return 0;
  if (isnan(x) || isnan(y) || isinf(x) != isinf(y)) return x == y ? 0 : UINT64_MAX;
  const int64_t i = ordered(e, a), j = ordered(e, b);
  return i > j ? (uint64_t)i - (uint64_t)j : (uint64_t)j - (uint64_t)i;
}

int weft_rt_compare(const weft_rt_site* site, const void* got, const void* expected, char* message, size_t bytes) {
  const weft_rt_value* v = &site->values[0];
  const int32_t e = part_of(v->element);
  const size_t size = size_of(e), parts = is_complex(v->element) ? 2 : 1, n = v->bytes / size;
  size_t bad = 0, first = 0;
  uint64_t largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const char *a = (const char*)got + i * size, *b = (const char*)expected + i * size;
    int holds = memcmp(a, b, size) == 0;
    if (is_real(e)) {
      const double x = value_of(e, a), y = value_of(e, b);
      holds = x == y || (isnan(x) && isnan(y));
      if (!holds && site->rule == kAbsolute) holds = fabs(x - y) <= site->tolerance;
      if (site->rule == kUlp) {
        const uint64_t steps = distance(e, a, b, x, y);
        if (steps > largest) largest = steps;
        holds = steps <= site->max_ulp;
      }
    }
    if (holds) continue;
    if (bad++ == 0) first = i;
  }
  if (bad == 0 && is_real(e) && site->rule == kUlp && largest < site->min_ulp) {
    snprintf(message, bytes, "%s[%s] largest difference: got %llu ulp, expected at least %llu", site->place,
             site->target, (unsigned long long)largest, (unsigned long long)site->min_ulp);
    return 1;
  }
  if (bad == 0) return 0;
  char index[160] = "", x[48], y[48];
  size_t element = first / parts, used = 0, stride = n / parts;
  for (int32_t d = 0; d < v->rank && used + 24 < sizeof index; ++d) {
    stride /= (size_t)v->shape[d];
    used += (size_t)snprintf(index + used, sizeof index - used, "%s%zu", d ? ", " : " at [", element / stride);
    element %= stride;
  }
  weft_rt_number_text(e, (const char*)got + first * size, x, sizeof x);
  weft_rt_number_text(e, (const char*)expected + first * size, y, sizeof y);
  snprintf(message, bytes, "%s[%s] values differ%s%s: got %s, expected %s (%zu of %zu differ)", site->place,
           site->target, index, v->rank ? "]" : "", x, y, bad, n);
  return 1;
}
