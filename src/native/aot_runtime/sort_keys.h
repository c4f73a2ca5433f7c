// From elements to keys: unsigned integers in the wanted order, and back.
#ifndef WEFT_RT_SORT_KEYS_H
#define WEFT_RT_SORT_KEYS_H

#include <stdint.h>

#include "weft_rt_sort.h"
#include "wide.h"

namespace weft_rt {

/// What reading keys met.
enum : unsigned {
  kJoined = 1,     // elements that differ have one key: they cannot be got back from it
  kUnordered = 2,  // a NaN where < decides
};

struct KeyForm {
  int operand = 0;
  int kind = 0;
  int flags = 0;
  int bytes = 0;
  int bits() const { return kind == WEFT_RT_SORT_BOOLEAN ? 1 : bytes * 8; }
};

template <class B>
struct FloatForm {
  B sign, infinity, quiet;
};

template <class B>
inline FloatForm<B> float_form(int kind) {
  constexpr int kWidth = static_cast<int>(sizeof(B)) * 8;
  const int fraction = kWidth == 16 ? (kind == WEFT_RT_SORT_BFLOAT ? 7 : 10) : kWidth == 32 ? 23 : 52;
  const B sign = static_cast<B>(B{1} << (kWidth - 1));
  const B infinity = static_cast<B>((sign - 1) >> fraction << fraction);
  return {sign, infinity, static_cast<B>(infinity | B{1} << (fraction - 1))};
}

/// Keys of n elements at x, x + step, …
template <class B, class K>
WEFT_RT_INLINE unsigned read_floats_once(const KeyForm& form, const B* x, int64_t step, int n, K* out) {
  const FloatForm<B> f = float_form<B>(form.kind);
  const B flip = (form.flags & WEFT_RT_SORT_DESCENDING) != 0 ? static_cast<B>(~B{0}) : B{0};
  const bool is_total = (form.flags & WEFT_RT_SORT_TOTAL) != 0;
  const bool joins_zeros = !is_total || (form.flags & WEFT_RT_SORT_JOINS_ZEROS) != 0;
  const bool joins_nans = (form.flags & WEFT_RT_SORT_JOINS_NANS) != 0;
  B minus_zeros = 0, nans = 0, odd_nans = 0;
  const B zero_to = joins_zeros ? B{0} : f.sign;
  for (int i = 0; i < n; ++i) {
    B b = x[i * step];
    const B is_minus_zero = b == f.sign;
    const B is_nan = static_cast<B>(b & static_cast<B>(f.sign - 1)) > f.infinity;
    minus_zeros |= is_minus_zero;
    nans |= is_nan;
    odd_nans |= is_nan & (b != f.quiet);
    b = is_minus_zero ? zero_to : b;
    b = is_nan & joins_nans ? f.quiet : b;
    const B mask = (b & f.sign) != 0 ? static_cast<B>(~B{0}) : f.sign;
    out[i] = static_cast<B>(b ^ mask ^ flip);
  }
  unsigned met = 0;
  if ((minus_zeros != 0 && joins_zeros) || (odd_nans != 0 && joins_nans)) met |= kJoined;
  if (nans != 0 && !is_total) met |= kUnordered;
  return met;
}

/// The usual case, which is a vector loop, apart.
template <class B, class K>
WEFT_RT_INLINE unsigned read_floats_by_step(const KeyForm& form, const B* x, int64_t step, int n, K* out) {
  return step == 1 ? read_floats_once(form, x, 1, n, out) : read_floats_once(form, x, step, n, out);
}

template <class B, class K>
WEFT_RT_WIDE unsigned read_floats_wide(const KeyForm& form, const B* x, int64_t step, int n, K* out) {
  return read_floats_by_step(form, x, step, n, out);
}

template <class B, class K>
unsigned read_floats(const KeyForm& form, const B* x, int64_t step, int n, K* out) {
  if (WEFT_RT_HAS_WIDE()) return read_floats_wide(form, x, step, n, out);
  return read_floats_by_step(form, x, step, n, out);
}

template <class B, class K>
unsigned read_integers(const KeyForm& form, const B* x, int64_t step, int n, K* out) {
  const B top = static_cast<B>(B{1} << (sizeof(B) * 8 - 1));
  B flip = form.kind == WEFT_RT_SORT_SIGNED ? top : B{0};
  if ((form.flags & WEFT_RT_SORT_DESCENDING) != 0) flip = static_cast<B>(~flip);
  for (int i = 0; i < n; ++i) out[i] = static_cast<B>(x[i * step] ^ flip);
  return 0;
}

template <class K>
unsigned read_booleans(const KeyForm& form, const uint8_t* x, int64_t step, int n, K* out) {
  const bool flip = (form.flags & WEFT_RT_SORT_DESCENDING) != 0;
  for (int i = 0; i < n; ++i) out[i] = (x[i * step] != 0) != flip;
  return 0;
}

template <class B, class K>
unsigned read_numbers(const KeyForm& form, const char* x, int64_t step, int n, K* out) {
  const bool is_float = form.kind == WEFT_RT_SORT_FLOAT || form.kind == WEFT_RT_SORT_BFLOAT;
  const B* p = reinterpret_cast<const B*>(x);
  return is_float ? read_floats(form, p, step, n, out) : read_integers(form, p, step, n, out);
}

/// K holds every key of this form.
template <class K>
unsigned read_keys(const KeyForm& form, const char* x, int64_t step, int n, K* out) {
  if (form.kind == WEFT_RT_SORT_BOOLEAN) return read_booleans(form, reinterpret_cast<const uint8_t*>(x), step, n, out);
  switch (form.bytes) {
    case 1: return read_integers(form, reinterpret_cast<const uint8_t*>(x), step, n, out);
    case 2: return read_numbers<uint16_t>(form, x, step, n, out);
    case 4: return read_numbers<uint32_t>(form, x, step, n, out);
    default:
      if constexpr (sizeof(K) == 8) return read_numbers<uint64_t>(form, x, step, n, out);
      return 0;
  }
}

/// The elements of which read_keys made these keys, without kJoined.
template <class B, class E>
void write_elements(const KeyForm& form, const E* from, int64_t n, B* x, int64_t step) {
  const B top = static_cast<B>(B{1} << (sizeof(B) * 8 - 1));
  const bool descending = (form.flags & WEFT_RT_SORT_DESCENDING) != 0;
  const B flip = descending ? static_cast<B>(~B{0}) : B{0};
  if (form.kind == WEFT_RT_SORT_BOOLEAN) {
    for (int64_t i = 0; i < n; ++i) x[i * step] = static_cast<B>((from[i].key() != 0) != descending);
  } else if (form.kind == WEFT_RT_SORT_UNSIGNED || form.kind == WEFT_RT_SORT_SIGNED) {
    const B mask = static_cast<B>(flip ^ (form.kind == WEFT_RT_SORT_SIGNED ? top : B{0}));
    for (int64_t i = 0; i < n; ++i) x[i * step] = static_cast<B>(static_cast<B>(from[i].key()) ^ mask);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const B key = static_cast<B>(static_cast<B>(from[i].key()) ^ flip);
      x[i * step] = static_cast<B>(key ^ ((key & top) != 0 ? top : static_cast<B>(~B{0})));
    }
  }
}

}  // namespace weft_rt

#endif
