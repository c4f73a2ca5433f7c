// weft_rt_fft. Real and imaginary parts lie in arrays of their own, so that the loops over equal butterflies are vector loops.
// Lengths of small factors are transformed factor by factor from one pair of arrays into another, in order (Stockham); others as a
// convolution with a chirp (Bluestein). The inverse exchanges real and imaginary parts before and after. Of many short lines
// kRows are transformed together: element j of all of them is a row, so that every butterfly is a vector's.
#include "weft_rt_fft.h"

#include <string.h>

#include <type_traits>

#include "weft_rt.h"
#include "wide.h"

namespace weft_rt {
namespace {

/// Below this many elements a second thread costs more than it helps.
constexpr int64_t kSerialElements = 4096;
constexpr int64_t kRows = WEFT_RT_FFT_BLOCK;

template <class T>
struct Numbers {
  T* __restrict re;
  T* __restrict im;
};

template <class T>
struct Number {
  T re, im;
};

template <class T>
inline Number<T> operator+(Number<T> a, Number<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline Number<T> operator-(Number<T> a, Number<T> b) {
  return {a.re - b.re, a.im - b.im};
}
/// Rows times rows, or times one number.
template <class T, class S>
inline Number<T> operator*(Number<T> a, Number<S> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class S, class T>
inline Number<T> scaled(S a, Number<T> b) {
  return {a * b.re, a * b.im};
}
template <class T>
inline Number<T> times_minus_i(Number<T> a) {
  return {a.im, -a.re};
}

/// a[0 … P-1] becomes its transform.
template <int P, class S, class T>
inline void small_transform(Number<T>* a) {
  if constexpr (P == 2) {
    const Number<T> x = a[0], y = a[1];
    a[0] = x + y;
    a[1] = x - y;
  } else if constexpr (P == 4) {
    const Number<T> x = a[0] + a[2], y = a[0] - a[2], z = a[1] + a[3], w = times_minus_i(a[1] - a[3]);
    a[0] = x + z;
    a[1] = y + w;
    a[2] = x - z;
    a[3] = y - w;
  } else if constexpr (P == 3) {
    constexpr S kSine = static_cast<S>(0.866025403784438646763723170752936183L);
    const Number<T> sum = a[1] + a[2], turned = scaled(kSine, times_minus_i(a[1] - a[2]));
    const Number<T> middle = a[0] - scaled(S(0.5), sum);
    a[0] = a[0] + sum;
    a[1] = middle + turned;
    a[2] = middle - turned;
  } else {
    static_assert(P == 5);
    constexpr S kC1 = static_cast<S>(0.309016994374947424102293417182819059L);
    constexpr S kC2 = static_cast<S>(-0.809016994374947424102293417182819059L);
    constexpr S kS1 = static_cast<S>(0.951056516295153572116439333379382143L);
    constexpr S kS2 = static_cast<S>(0.587785252292473129168705954639072769L);
    const Number<T> s14 = a[1] + a[4], s23 = a[2] + a[3];
    const Number<T> d14 = times_minus_i(a[1] - a[4]), d23 = times_minus_i(a[2] - a[3]);
    const Number<T> m1 = a[0] + scaled(kC1, s14) + scaled(kC2, s23), m2 = a[0] + scaled(kC2, s14) + scaled(kC1, s23);
    const Number<T> t1 = scaled(kS1, d14) + scaled(kS2, d23), t2 = scaled(kS2, d14) - scaled(kS1, d23);
    a[0] = a[0] + s14 + s23;
    a[1] = m1 + t1;
    a[2] = m2 + t2;
    a[3] = m2 - t2;
    a[4] = m1 - t1;
  }
}

template <class T>
struct RowOf;
template <>
struct RowOf<float> {
  typedef float Type __attribute__((vector_size(kRows * sizeof(float))));
};
template <>
struct RowOf<double> {
  typedef double Type __attribute__((vector_size(kRows * sizeof(double))));
};
template <class T>
using Row = typename RowOf<T>::Type;

template <class V, class T>
WEFT_RT_INLINE Number<V> read(const T* re, const T* im) {
  Number<V> v;
  memcpy(&v.re, re, sizeof(V));
  memcpy(&v.im, im, sizeof(V));
  return v;
}
template <class V, class T>
WEFT_RT_INLINE void write(Number<V> v, T* re, T* im) {
  memcpy(re, &v.re, sizeof(V));
  memcpy(im, &v.im, sizeof(V));
}

/// One factor: x[q + s(k + m·r)] over r becomes y[q + s(P·k + t)], turned by the table's root of k·t.
template <int P, class T>
WEFT_RT_INLINE void stage(Numbers<T> x, Numbers<T> y, const T* table, int64_t m, int64_t s) {
  const T *xr = x.re, *xi = x.im;
  T* __restrict yr = y.re, * __restrict yi = y.im;
  if (s == 1) {
    for (int64_t k = 0; k < m; ++k) {
      Number<T> a[P];
      for (int r = 0; r < P; ++r) a[r] = {xr[k + m * r], xi[k + m * r]};
      small_transform<P, T>(a);
      yr[P * k] = a[0].re;
      yi[P * k] = a[0].im;
      for (int t = 1; t < P; ++t) {
        const T* w = table + 2 * m * (t - 1);
        const Number<T> v = a[t] * Number<T>{w[k], w[m + k]};
        yr[P * k + t] = v.re;
        yi[P * k + t] = v.im;
      }
    }
    return;
  }
  for (int64_t k = 0; k < m; ++k) {
    Number<T> w[P];
    for (int t = 1; t < P; ++t) w[t] = {table[2 * m * (t - 1) + k], table[2 * m * (t - 1) + m + k]};
    const T *pr = xr + s * k, *pi = xi + s * k;
    T* __restrict to_re = yr + s * P * k, * __restrict to_im = yi + s * P * k;
    for (int64_t q = 0; q < s; ++q) {
      Number<T> a[P];
      for (int r = 0; r < P; ++r) a[r] = {pr[q + s * m * r], pi[q + s * m * r]};
      small_transform<P, T>(a);
      to_re[q] = a[0].re;
      to_im[q] = a[0].im;
      for (int t = 1; t < P; ++t) {
        const Number<T> v = a[t] * w[t];
        to_re[q + s * t] = v.re;
        to_im[q + s * t] = v.im;
      }
    }
  }
}

/// As stage, of rows; s counts numbers.
template <int P, class T>
WEFT_RT_INLINE void row_stage(Numbers<T> x, Numbers<T> y, const T* table, int64_t m, int64_t s) {
  for (int64_t k = 0; k < m; ++k) {
    Number<T> w[P];
    for (int t = 1; t < P; ++t) w[t] = {table[2 * m * (t - 1) + k], table[2 * m * (t - 1) + m + k]};
    for (int64_t q = 0; q < s; q += kRows) {
      Number<Row<T>> a[P];
      for (int r = 0; r < P; ++r) a[r] = read<Row<T>>(x.re + s * (k + m * r) + q, x.im + s * (k + m * r) + q);
      small_transform<P, T>(a);
      write(a[0], y.re + s * P * k + q, y.im + s * P * k + q);
      for (int t = 1; t < P; ++t) write(a[t] * w[t], y.re + s * (P * k + t) + q, y.im + s * (P * k + t) + q);
    }
  }
}

/// Another prime factor, by its definition; `roots`: exp(-2πi·k/p), k < p.
template <class T>
WEFT_RT_INLINE void odd_stage(Numbers<T> x, Numbers<T> y, const T* table, const T* roots, int64_t p, int64_t m,
                              int64_t s) {
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t t = 0; t < p; ++t) {
      const T* w = table + 2 * m * (t - 1);
      const Number<T> turn = t == 0 ? Number<T>{1, 0} : Number<T>{w[k], w[m + k]};
      T* __restrict to_re = y.re + s * (p * k + t), * __restrict to_im = y.im + s * (p * k + t);
      for (int64_t q = 0; q < s; ++q) to_re[q] = to_im[q] = 0;
      for (int64_t r = 0, angle = 0; r < p; ++r, angle = angle + t < p ? angle + t : angle + t - p) {
        const Number<T> w_rt = {roots[angle], roots[p + angle]};
        const T *from_re = x.re + s * (k + m * r), *from_im = x.im + s * (k + m * r);
        for (int64_t q = 0; q < s; ++q) {
          to_re[q] += from_re[q] * w_rt.re - from_im[q] * w_rt.im;
          to_im[q] += from_re[q] * w_rt.im + from_im[q] * w_rt.re;
        }
      }
      for (int64_t q = 0; q < s; ++q) {
        const Number<T> v = Number<T>{to_re[q], to_im[q]} * turn;
        to_re[q] = v.re;
        to_im[q] = v.im;
      }
    }
  }
}

template <bool kTogether, class T>
WEFT_RT_INLINE void factor_by_factor(Numbers<T>& x, Numbers<T>& y, int64_t n, const int64_t* factors, int64_t count,
                                     const T* table) {
  int64_t s = kTogether ? kRows : 1, rest = n;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t p = factors[i], m = rest / p;
    switch (p) {
      case 2: kTogether ? row_stage<2>(x, y, table, m, s) : stage<2>(x, y, table, m, s); break;
      case 3: kTogether ? row_stage<3>(x, y, table, m, s) : stage<3>(x, y, table, m, s); break;
      case 4: kTogether ? row_stage<4>(x, y, table, m, s) : stage<4>(x, y, table, m, s); break;
      case 5: kTogether ? row_stage<5>(x, y, table, m, s) : stage<5>(x, y, table, m, s); break;
      default: odd_stage(x, y, table, table + 2 * m * (p - 1), p, m, s); break;
    }
    table += 2 * m * (p - 1) + (p > 5 ? 2 * p : 0);
    s *= p;
    rest = m;
    const Numbers<T> t = x;
    x = y;
    y = t;
  }
}

template <class T>
class Core {
 public:
  Core(const int64_t* words, const T* table)
      : n_(words[0]), padded_(words[1]), count_(words[2]), factors_(words + 3), table_(table) {}

  /// x becomes its transform; x and y may change places.
  void run(Numbers<T>& x, Numbers<T>& y) const { WEFT_RT_HAS_WIDE() ? run_wide(x, y) : run_any<false>(x, y); }
  /// Of rows.
  template <bool kTogether>
  WEFT_RT_INLINE void run_any(Numbers<T>& x, Numbers<T>& y) const {
    if (padded_ == 0) return factor_by_factor<kTogether>(x, y, n_, factors_, count_, table_);
    using V = std::conditional_t<kTogether, Row<T>, T>;
    constexpr int64_t kWide = std::is_same_v<V, T> ? 1 : kRows;
    const T *chirp_re = table_, *chirp_im = chirp_re + n_;
    const T *kernel_re = chirp_im + n_, *kernel_im = kernel_re + padded_, *rest = kernel_im + padded_;
    turn<V>(x, chirp_re, chirp_im, n_, T(1));
    memset(x.re + n_ * kWide, 0, static_cast<size_t>((padded_ - n_) * kWide) * sizeof(T));
    memset(x.im + n_ * kWide, 0, static_cast<size_t>((padded_ - n_) * kWide) * sizeof(T));
    factor_by_factor<kTogether>(x, y, padded_, factors_, count_, rest);
    turn<V>(x, kernel_re, kernel_im, padded_, T(1));
    exchange(x, y);
    factor_by_factor<kTogether>(x, y, padded_, factors_, count_, rest);
    exchange(x, y);
    turn<V>(x, chirp_re, chirp_im, n_, T(1) / static_cast<T>(padded_));
  }

 private:
  WEFT_RT_WIDE void run_wide(Numbers<T>& x, Numbers<T>& y) const { run_any<false>(x, y); }
  static void exchange(Numbers<T>& x, Numbers<T>& y) {
    x = {x.im, x.re};
    y = {y.im, y.re};
  }
  /// Scaled, then turned; V: a number or a row.
  template <class V>
  WEFT_RT_INLINE static void turn(Numbers<T> x, const T* re, const T* im, int64_t n, T scale) {
    constexpr int64_t kWide = std::is_same_v<V, T> ? 1 : kRows;
    for (int64_t k = 0; k < n; ++k) {
      T *xr = x.re + k * kWide, *xi = x.im + k * kWide;
      write(scaled(scale, read<V>(xr, xi)) * Number<T>{re[k], im[k]}, xr, xi);
    }
  }

  int64_t n_, padded_, count_;
  const int64_t* factors_;
  const T* table_;
};

/// A square of kRows² numbers exchanges its axes.
template <class T>
WEFT_RT_INLINE void transpose_square(const T* from, int64_t from_step, T* to, int64_t to_step) {
  static_assert(kRows == 8);
  Row<T> r[kRows], t[kRows];
  for (int i = 0; i < kRows; ++i) memcpy(&r[i], from + i * from_step, sizeof(r[i]));
  for (int i = 0; i < kRows; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 4; ++k) {
    const int i = k + (k & 2);  // 0, 1, 4, 5
    r[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 2] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    t[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < kRows; ++i) memcpy(to + i * to_step, &t[i], sizeof(t[i]));
}

/// A pass on some of its lines.
template <class T>
class Pass {
 public:
  Pass(const int64_t* words, const int64_t* pass, const T* table, const T* from, T* to)
      : w_(pass),
        core_(words + pass[WEFT_RT_FFT_CORE], table + pass[WEFT_RT_FFT_CORE_TABLE]),
        twist_(table + pass[WEFT_RT_FFT_TWIST_TABLE]),
        from_(from),
        to_(to),
        n_(pass[WEFT_RT_FFT_LENGTH]),
        step_(pass[WEFT_RT_FFT_STEP]) {}

  /// scratch: four arrays of `length` numbers or, together, rows; then a block of lines.
  void run(int64_t begin, int64_t end, T* scratch, int64_t length, bool together) const {
    if (together) {
      WEFT_RT_HAS_WIDE() ? run_together_wide(begin, end, scratch, length) : run_together(begin, end, scratch, length);
      return;
    }
    const int64_t from_length = w_[WEFT_RT_FFT_FROM_LENGTH], to_length = w_[WEFT_RT_FFT_TO_LENGTH];
    T* const block = scratch + 4 * length;
    const int64_t room = 2 * (from_length > to_length ? from_length : to_length);
    for (int64_t line = begin; line < end;) {
      const int64_t outer = line / step_ * step_, inner = line % step_;
      const T* from = from_ + (outer * from_length + inner) * reads();
      T* to = to_ + (outer * to_length + inner) * writes();
      if (step_ == 1) {
        transform(from, to, scratch, length);
        ++line;
        continue;
      }
      // Neighbours in memory together: a line alone would use little of each piece of memory that it touches.
      int64_t count = step_ - inner < end - line ? step_ - inner : end - line;
      if (count > WEFT_RT_FFT_BLOCK) count = WEFT_RT_FFT_BLOCK;
      for (int64_t j = 0; j < from_length; ++j) {
        for (int64_t b = 0; b < count; ++b) {
          for (int64_t i = 0; i < reads(); ++i) block[b * room + j * reads() + i] = from[(j * step_ + b) * reads() + i];
        }
      }
      for (int64_t b = 0; b < count; ++b) transform(block + b * room, block + b * room, scratch, length);
      for (int64_t j = 0; j < to_length; ++j) {
        for (int64_t b = 0; b < count; ++b) {
          for (int64_t i = 0; i < writes(); ++i)
            to[(j * step_ + b) * writes() + i] = block[b * room + j * writes() + i];
        }
      }
      line += count;
    }
  }

 private:
  /// One dense line; `to` may be `from`.
  void transform(const T* from, T* to, T* scratch, int64_t length) const {
    Numbers<T> x = {scratch, scratch + length}, y = {scratch + 2 * length, scratch + 3 * length};
    load<T>(from, x);
    if (is_inverse()) x = {x.im, x.re}, y = {y.im, y.re};
    core_.run(x, y);
    if (is_inverse()) x = {x.im, x.re};
    store<T>(x, to);
  }

  WEFT_RT_WIDE void run_together_wide(int64_t begin, int64_t end, T* scratch, int64_t length) const {
    run_together(begin, end, scratch, length);
  }
  WEFT_RT_INLINE void run_together(int64_t begin, int64_t end, T* scratch, int64_t length) const {
    const int64_t from_length = w_[WEFT_RT_FFT_FROM_LENGTH], to_length = w_[WEFT_RT_FFT_TO_LENGTH];
    T* const block = scratch + 4 * length * kRows;
    for (int64_t line = begin; line < end;) {
      const int64_t outer = line / step_ * step_, inner = line % step_;
      int64_t count = step_ == 1 || end - line < step_ - inner ? end - line : step_ - inner;
      if (count > kRows) count = kRows;
      gather(from_ + (outer * from_length + inner) * reads(), block, from_length, count);
      Numbers<T> x = {scratch, scratch + length * kRows},
                 y = {scratch + 2 * length * kRows, scratch + 3 * length * kRows};
      load<Row<T>>(block, x);
      if (is_inverse()) x = {x.im, x.re}, y = {y.im, y.re};
      core_.template run_any<true>(x, y);
      if (is_inverse()) x = {x.im, x.re};
      store<Row<T>>(x, block);
      spread(block, to_ + (outer * to_length + inner) * writes(), to_length, count);
      line += count;
    }
  }

  // `count` lines as rows; the rest of each row is zero.
  WEFT_RT_INLINE void gather(const T* from, T* rows, int64_t length, int64_t count) const {
    const int64_t parts = reads(), numbers = length * parts;
    if (count < kRows) memset(rows, 0, static_cast<size_t>(numbers * kRows) * sizeof(T));
    if (step_ == 1) {
      int64_t i = 0;
      if (count == kRows) {
        for (; i + kRows <= numbers; i += kRows) transpose_square(from + i, numbers, rows + i * kRows, kRows);
      }
      for (; i < numbers; ++i) {
        for (int64_t b = 0; b < count; ++b) rows[i * kRows + b] = from[b * numbers + i];
      }
      return;
    }
    for (int64_t j = 0; j < length; ++j) {
      for (int64_t i = 0; i < parts; ++i) {
        for (int64_t b = 0; b < count; ++b) rows[(j * parts + i) * kRows + b] = from[(j * step_ + b) * parts + i];
      }
    }
  }
  WEFT_RT_INLINE void spread(const T* rows, T* to, int64_t length, int64_t count) const {
    const int64_t parts = writes(), numbers = length * parts;
    if (step_ == 1) {
      int64_t i = 0;
      if (count == kRows) {
        for (; i + kRows <= numbers; i += kRows) transpose_square(rows + i * kRows, kRows, to + i, numbers);
      }
      for (; i < numbers; ++i) {
        for (int64_t b = 0; b < count; ++b) to[b * numbers + i] = rows[i * kRows + b];
      }
      return;
    }
    for (int64_t j = 0; j < length; ++j) {
      for (int64_t i = 0; i < parts; ++i) {
        for (int64_t b = 0; b < count; ++b) to[(j * step_ + b) * parts + i] = rows[(j * parts + i) * kRows + b];
      }
    }
  }

  /// Numbers per element.
  int64_t reads() const { return reads_real() ? 1 : 2; }
  int64_t writes() const { return writes_real() ? 1 : 2; }
  int64_t kind() const { return w_[WEFT_RT_FFT_KIND]; }
  bool is_inverse() const { return w_[WEFT_RT_FFT_INVERSE] != 0; }
  bool reads_real() const { return kind() == WEFT_RT_FFT_FROM_REAL || kind() == WEFT_RT_FFT_FROM_REAL_EVEN; }
  bool writes_real() const { return kind() == WEFT_RT_FFT_TO_REAL || kind() == WEFT_RT_FFT_TO_REAL_EVEN; }
  Number<T> root(int64_t k) const { return {twist_[k], twist_[n_ / 2 + 1 + k]}; }

  /// From an array of numbers, or of rows, of which `x` then has the like.
  template <class V>
  WEFT_RT_INLINE void load(const T* from, Numbers<T> x) const {
    constexpr int64_t kWide = std::is_same_v<V, T> ? 1 : kRows;
    const auto put = [&](int64_t j, Number<V> v) { write(v, x.re + j * kWide, x.im + j * kWide); };
    const auto at = [&](int64_t j) { return read<V>(from + 2 * j * kWide, from + (2 * j + 1) * kWide); };
    switch (kind()) {
      case WEFT_RT_FFT_COMPLEX:
        for (int64_t j = 0; j < n_; ++j) put(j, at(j));
        break;
      case WEFT_RT_FFT_FROM_REAL:
        for (int64_t j = 0; j < n_; ++j) put(j, {read<V>(from + j * kWide, from + j * kWide).re, V{}});
        break;
      case WEFT_RT_FFT_FROM_REAL_EVEN:
        for (int64_t j = 0; j < n_ / 2; ++j) put(j, at(j));
        break;
      case WEFT_RT_FFT_TO_REAL:
        // The second half mirrors the first.
        for (int64_t j = 0; j < n_; ++j) {
          const Number<V> v = at(j > n_ / 2 ? n_ - j : j);
          put(j, {v.re, j > n_ / 2 ? -v.im : v.im});
        }
        break;
      default: {
        // What has the even elements as real and the odd ones as imaginary parts, doubled.
        const int64_t half = n_ / 2;
        const V first = at(0).re, last = at(half).re;
        put(0, {first + last, first - last});
        for (int64_t k = 1; k < half; ++k) {
          const Number<V> a = at(k), c = at(half - k), b = {c.re, -c.im};
          const Number<T> w = root(k);
          const Number<V> odd = (a - b) * Number<T>{w.re, -w.im}, sum = a + b;
          put(k, {sum.re - odd.im, sum.im + odd.re});
        }
      }
    }
  }

  template <class V>
  WEFT_RT_INLINE void store(Numbers<T> x, T* to) const {
    constexpr int64_t kWide = std::is_same_v<V, T> ? 1 : kRows;
    const auto put = [&](int64_t j, Number<V> v) { write(v, to + 2 * j * kWide, to + (2 * j + 1) * kWide); };
    const auto at = [&](int64_t j) { return read<V>(x.re + j * kWide, x.im + j * kWide); };
    const T scale = is_inverse() ? T(1) / static_cast<T>(n_) : T(1);
    switch (kind()) {
      case WEFT_RT_FFT_COMPLEX:
        for (int64_t j = 0; j < n_; ++j) put(j, scaled(scale, at(j)));
        break;
      case WEFT_RT_FFT_FROM_REAL:
        for (int64_t j = 0; j <= n_ / 2; ++j) put(j, at(j));
        break;
      case WEFT_RT_FFT_TO_REAL:
        for (int64_t j = 0; j < n_ * kWide; ++j) to[j] = scale * x.re[j];
        break;
      case WEFT_RT_FFT_TO_REAL_EVEN:
        for (int64_t j = 0; j < n_ / 2; ++j) put(j, scaled(scale, at(j)));
        break;
      default: {
        const int64_t half = n_ / 2;
        for (int64_t k = 0; k <= half; ++k) {
          const Number<V> a = at(k == half ? 0 : k), c = at(k == 0 ? 0 : half - k), b = {c.re, -c.im};
          put(k, scaled(T(0.5), (a + b) + times_minus_i(a - b) * root(k)));
        }
      }
    }
  }

  const int64_t* w_;
  Core<T> core_;
  const T* twist_;
  const T* from_;
  T* to_;
  int64_t n_, step_;
};

template <class T>
void transform(const int64_t* words, const T* table, void* const* buffers, T* workspace) {
  T* const between = workspace;
  T* const scratch = workspace + words[WEFT_RT_FFT_INTERMEDIATE];
  const int64_t size = words[WEFT_RT_FFT_SCRATCH], length = words[WEFT_RT_FFT_CORE_LENGTH];
  const bool together = words[WEFT_RT_FFT_TOGETHER] != 0;
  T* const arrays[] = {static_cast<T*>(buffers[0]), static_cast<T*>(buffers[1]), between};
  for (int64_t i = 0; i < words[WEFT_RT_FFT_PASSES]; ++i) {
    const int64_t* w = words + WEFT_RT_FFT_HEADER + i * WEFT_RT_FFT_PASS_WORDS;
    const Pass<T> pass(words, w, table, arrays[w[WEFT_RT_FFT_FROM]], arrays[w[WEFT_RT_FFT_TO]]);
    const int64_t lines = w[WEFT_RT_FFT_LINES];
    const auto run_part = [&](int64_t part, int64_t parts) {
      pass.run(lines * part / parts, lines * (part + 1) / parts, scratch + part * size, length, together);
    };
    int64_t parts = words[WEFT_RT_FFT_PARTS] < lines ? words[WEFT_RT_FFT_PARTS] : lines;
    if (lines * w[WEFT_RT_FFT_LENGTH] < kSerialElements) parts = 1;
    if (parts <= 1) {
      run_part(0, 1);
      continue;
    }
    using Run = decltype(run_part);
    weft_rt_parallel([](void* f, int64_t part, int64_t n) { (*static_cast<const Run*>(f))(part, n); },
                     const_cast<void*>(static_cast<const void*>(&run_part)), parts);
  }
}

}  // namespace
}  // namespace weft_rt

extern "C" void weft_rt_fft(const int64_t* words, const void* table, int32_t is_double, void* const* buffers,
                            void* workspace) {
  if (is_double != 0) {
    weft_rt::transform(words, static_cast<const double*>(table), buffers, static_cast<double*>(workspace));
  } else {
    weft_rt::transform(words, static_cast<const float*>(table), buffers, static_cast<float*>(workspace));
  }
}
