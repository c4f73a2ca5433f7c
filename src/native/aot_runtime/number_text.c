#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

static float float_of_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                : exponent == 0 ? ldexpf((float)mantissa, -24)
                                : ldexpf((float)(mantissa + 1024), exponent - 25);
  return bits >> 15 ? -value : value;
}

static float float_of_bfloat(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

// Digits and exponent of the shortest %e form that reads back; laid out without an exponent within [1e-4, 1e16).
static void real_text(double value, int is_float, char* text, size_t bytes) {
  if (isnan(value)) {
    snprintf(text, bytes, signbit(value) ? "-nan" : "nan");
    return;
  }
  if (isinf(value)) {
    snprintf(text, bytes, value < 0 ? "-inf" : "inf");
    return;
  }
  char form[40];
  for (int digits = 0; digits <= 17; ++digits) {
    snprintf(form, sizeof form, "%.*e", digits, value);
    if (is_float ? strtof(form, NULL) == (float)value : strtod(form, NULL) == value) break;
  }
  char* at_exponent = strchr(form, 'e');
  const int exponent = atoi(at_exponent + 1);
  const double size = fabs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e16)) {
    snprintf(text, bytes, "%s", form);
    return;
  }
  int digits = 0;
  for (const char* c = form; c != at_exponent; ++c) digits += *c >= '0' && *c <= '9';
  const int decimals = digits - 1 - exponent > 0 ? digits - 1 - exponent : 0;
  snprintf(text, bytes, decimals ? "%.*f" : "%.*f.0", decimals, value);
}

void weft_rt_number_text(int32_t element, const void* number, char* text, size_t bytes) {
  int64_t whole = 0;
  uint64_t count = 0;
  float f;
  double d;
  uint16_t half;
  switch (element) {
    case WEFT_I1: snprintf(text, bytes, *(const uint8_t*)number ? "true" : "false"); return;
    case WEFT_I2:
    case WEFT_I4:
    case WEFT_I8: whole = *(const int8_t*)number; break;
    case WEFT_I16: {
      int16_t x;
      memcpy(&x, number, sizeof x);
      whole = x;
      break;
    }
    case WEFT_I32: {
      int32_t x;
      memcpy(&x, number, sizeof x);
      whole = x;
      break;
    }
    case WEFT_I64: memcpy(&whole, number, sizeof whole); break;
    case WEFT_U2:
    case WEFT_U4:
    case WEFT_U8: whole = *(const uint8_t*)number; break;
    case WEFT_U16: memcpy(&half, number, sizeof half), whole = half; break;
    case WEFT_U32: {
      uint32_t x;
      memcpy(&x, number, sizeof x);
      whole = x;
      break;
    }
    case WEFT_U64:
      memcpy(&count, number, sizeof count);
      snprintf(text, bytes, "%llu", (unsigned long long)count);
      return;
    case WEFT_F16: memcpy(&half, number, sizeof half), real_text(float_of_half(half), 1, text, bytes); return;
    case WEFT_BF16: memcpy(&half, number, sizeof half), real_text(float_of_bfloat(half), 1, text, bytes); return;
    case WEFT_F32: memcpy(&f, number, sizeof f), real_text(f, 1, text, bytes); return;
    case WEFT_F64: memcpy(&d, number, sizeof d), real_text(d, 0, text, bytes); return;
    case WEFT_C64:
    case WEFT_C128: {
      const int32_t part = element == WEFT_C64 ? WEFT_F32 : WEFT_F64;
      char real[40], imaginary[40];
      weft_rt_number_text(part, number, real, sizeof real);
      weft_rt_number_text(part, (const char*)number + (element == WEFT_C64 ? 4 : 8), imaginary, sizeof imaginary);
      snprintf(text, bytes, "(%s, %s)", real, imaginary);
      return;
    }
    default: snprintf(text, bytes, "a value of an element type without text"); return;
  }
  snprintf(text, bytes, "%lld", (long long)whole);
}
