// The code of matrix_lanes.cc for one instruction set: included in a namespace of its own, with kVectorBytes, kWide (vectors side by side)
// and root() and minus_product() for vectors of both types.

template <class T>
inline constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));

#define WEFT_INLINE __attribute__((always_inline)) inline

/// Exchanges rows and columns of a square of vectors.
template <class T>
WEFT_INLINE void transpose_square(Vector<T>* v) {
  using Index = typename VectorOf<T, kVectorBytes>::Index;
  constexpr int64_t w = kLanes<T>;
#pragma GCC unroll 8
  for (int64_t step = 1; step < w; step *= 2) {
    Index low{}, high{};
    for (int64_t i = 0; i < w; ++i) {
      const bool from_second = (i / step) % 2 != 0;
      low[i] = from_second ? w + i - step : i;
      high[i] = from_second ? w + i : i + step;
    }
#pragma GCC unroll 8
    for (int64_t pair = 0; pair < w / 2; ++pair) {
      const int64_t i = pair / step * 2 * step + pair % step;
      const Vector<T> a = v[i], b = v[i + step];
      v[i] = WEFT_SHUFFLE(a, b, low);
      v[i + step] = WEFT_SHUFFLE(a, b, high);
    }
  }
}

template <class T>
WEFT_INLINE Vector<T> load(const T* from) {
  Vector<T> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class T>
WEFT_INLINE void store(T* to, Vector<T> v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// Element e of lane l from from[l * stride + e] to lane l of to[e * step]; lanes beyond `lanes` repeat the last one.
template <class T>
void gather(const T* from, int64_t stride, int64_t elements, int64_t lanes, Vector<T>* to, int64_t step) {
  constexpr int64_t w = kLanes<T>;
  int64_t e = 0;
  for (; e + w <= elements; e += w) {
    Vector<T> square[w];
#pragma GCC unroll 16
    for (int64_t l = 0; l < w; ++l) square[l] = load(from + (l < lanes ? l : lanes - 1) * stride + e);
    transpose_square<T>(square);
#pragma GCC unroll 16
    for (int64_t l = 0; l < w; ++l) to[(e + l) * step] = square[l];
  }
  for (; e < elements; ++e) {
    alignas(kVectorBytes) T line[w];
    for (int64_t l = 0; l < w; ++l) line[l] = from[(l < lanes ? l : lanes - 1) * stride + e];
    to[e * step] = load(line);
  }
}

/// The way back, for the first `lanes` lanes.
template <class T>
void scatter(const Vector<T>* from, int64_t step, int64_t elements, int64_t lanes, T* to, int64_t stride) {
  constexpr int64_t w = kLanes<T>;
  int64_t e = 0;
  for (; e + w <= elements; e += w) {
    Vector<T> square[w];
#pragma GCC unroll 16
    for (int64_t l = 0; l < w; ++l) square[l] = from[(e + l) * step];
    transpose_square<T>(square);
#pragma GCC unroll 16
    for (int64_t l = 0; l < w; ++l) {
      if (l < lanes) store(to + l * stride + e, square[l]);
    }
  }
  for (; e < elements; ++e) {
    alignas(kVectorBytes) T line[w];
    store(line, from[e * step]);
    for (int64_t l = 0; l < lanes; ++l) to[l * stride + e] = line[l];
  }
}

// ---- cholesky -----------------------------------------------------------------------------------------------------------

/// `rows` elements of column j from row i on. By rows of the factor: r(i, k) is l[i * n + k].
template <class T, int64_t kRows>
WEFT_INLINE void cholesky_column(Vector<T>* l, int64_t n, int64_t i, int64_t j, Vector<T> d) {
  Vector<T> sums[kRows];
#pragma GCC unroll 4
  for (int64_t r = 0; r < kRows; ++r) sums[r] = l[(i + r) * n + j];
  for (int64_t k = 0; k < j; ++k) {
    const Vector<T> factor = l[j * n + k];
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r) sums[r] = minus_product(sums[r], l[(i + r) * n + k], factor);
  }
#pragma GCC unroll 4
  for (int64_t r = 0; r < kRows; ++r) l[(i + r) * n + j] = sums[r] / d;
}

template <class T>
void cholesky_square(Vector<T>* l, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    Vector<T> pivot = l[j * n + j];
    for (int64_t k = 0; k < j; ++k) pivot = minus_product(pivot, l[j * n + k], l[j * n + k]);
    const Vector<T> r = root(pivot), none = r - r + std::numeric_limits<T>::quiet_NaN();
    const Vector<T> d = r > 0 ? r : none;
    l[j * n + j] = d;
    int64_t i = j + 1;
    for (; i + 4 <= n; i += 4) cholesky_column<T, 4>(l, n, i, j, d);
    for (; i < n; ++i) cholesky_column<T, 1>(l, n, i, j, d);
  }
}

template <class T>
size_t cholesky_bytes(int64_t n) {
  return static_cast<size_t>(n * n * kVectorBytes);
}

template <class T>
void cholesky(const T* a, T* factors, int64_t n, bool lower, int64_t first, int64_t last, void* buffer) {
  auto* const l = static_cast<Vector<T>*>(buffer);
  const int64_t size = n * n;
  for (int64_t at = first; at < last; at += kLanes<T>) {
    const int64_t lanes = std::min(kLanes<T>, last - at);
    gather(a + at * size, size, size, lanes, l, 1);
    if (!lower) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) l[i * n + j] = l[j * n + i];
      }
    }
    cholesky_square<T>(l, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        if (!lower) l[j * n + i] = l[i * n + j];
        l[lower ? j * n + i : i * n + j] = Vector<T>{};
      }
    }
    scatter(l, 1, size, lanes, factors + at * size, size);
  }
}

// ---- a matrix a lane ----------------------------------------------------------------------------------------------------

/// kColumns vectors, `next` apart; a vector's elements are `along` apart.
template <class T, int64_t kColumns>
WEFT_INLINE void solve_columns(const Vector<T>* t, Vector<T>* x, const LaneSolve& s, int64_t along, int64_t next) {
  const int64_t row = s.is_swapped ? 1 : s.n, column = s.is_swapped ? s.n : 1;
  for (int64_t step = 0; step < s.n; ++step) {
    const int64_t i = s.is_downwards ? step : s.n - 1 - step;
    Vector<T> sums[kColumns];
#pragma GCC unroll 4
    for (int64_t c = 0; c < kColumns; ++c) sums[c] = x[i * along + c * next];
    const int64_t from = s.is_downwards ? 0 : i + 1;
    for (int64_t j = from; j < from + step; ++j) {
      const Vector<T> factor = t[i * row + j * column];
#pragma GCC unroll 4
      for (int64_t c = 0; c < kColumns; ++c) sums[c] = minus_product(sums[c], factor, x[j * along + c * next]);
    }
    const Vector<T> d = t[i * (s.n + 1)];
#pragma GCC unroll 4
    for (int64_t c = 0; c < kColumns; ++c) x[i * along + c * next] = s.is_unit ? sums[c] : sums[c] / d;
  }
}

template <class T>
size_t solve_each_bytes(const LaneSolve& s) {
  return static_cast<size_t>(s.n * (s.n + s.others) * kVectorBytes);
}

template <class T>
void solve_each(const T* a, const T* b, T* x, const LaneSolve& s, int64_t first, int64_t last, void* buffer) {
  const int64_t square = s.n * s.n, size = s.n * s.others;
  auto *const t = static_cast<Vector<T>*>(buffer), *const v = t + square;
  const int64_t along = s.is_left ? s.others : 1, next = s.is_left ? 1 : s.n;
  for (int64_t at = first; at < last; at += kLanes<T>) {
    const int64_t lanes = std::min(kLanes<T>, last - at);
    gather(a + at * square, square, square, lanes, t, 1);
    gather(b + at * size, size, size, lanes, v, 1);
    int64_t c = 0;
    for (; c + 4 <= s.others; c += 4) solve_columns<T, 4>(t, v + c * next, s, along, next);
    for (; c < s.others; ++c) solve_columns<T, 1>(t, v + c * next, s, along, next);
    scatter(v, 1, size, lanes, x + at * size, size);
  }
}

// ---- a right side a lane ------------------------------------------------------------------------------------------------

inline constexpr int64_t kRows = 4;  // rows of t that are subtracted together

inline int64_t padded(int64_t n) { return (n + kRows - 1) / kRows * kRows; }

/// t in the order in which it is read: for each group of rows, column by column up to the group's last; then what the sums are multiplied by, or
/// divided by when `divides`. Rows beyond n are those of the identity.
template <class T>
struct Packed {
  T* elements;
  T* diagonal;
  bool divides = false;

  static int64_t size(int64_t n) {
    const int64_t groups = padded(n) / kRows;
    return kRows * kRows * groups * (groups + 1) / 2 + padded(n);
  }
  Packed(T* at, int64_t n) : elements(at), diagonal(at + size(n) - padded(n)) {}

  void fill(const T* a, const LaneSolve& s) {
    const int64_t row = s.is_swapped ? 1 : s.n, column = s.is_swapped ? s.n : 1;
    // Upwards, everything is counted from the end.
    const T* const origin = s.is_downwards ? a : a + s.n * s.n - 1;
    const int64_t sign = s.is_downwards ? 1 : -1;
    T* to = elements;
    for (int64_t i = 0; i < padded(s.n); i += kRows) {
      for (int64_t j = 0; j < i + kRows; ++j) {
        for (int64_t r = i; r < i + kRows; ++r) *to++ = r < s.n && j < r ? origin[sign * (r * row + j * column)] : T(0);
      }
    }
    divides = false;
    for (int64_t i = 0; i < padded(s.n); ++i) {
      const T d = s.is_unit || i >= s.n ? T(1) : origin[sign * i * (s.n + 1)];
      diagonal[i] = T(1) / d;
      // Where the reciprocal is no normal number the quotient may still be one.
      divides |= !(std::abs(diagonal[i]) >= std::numeric_limits<T>::min() &&
                   std::abs(diagonal[i]) <= std::numeric_limits<T>::max());
    }
    if (!divides) return;
    for (int64_t i = 0; i < s.n; ++i) diagonal[i] = s.is_unit ? T(1) : origin[sign * i * (s.n + 1)];
  }
};

/// kSide vectors side by side of each element.
template <class T, int64_t kSide>
void solve_block(const Packed<T>& t, Vector<T>* x, int64_t n) {
  const T* from = t.elements;
  for (int64_t i = 0; i < padded(n); i += kRows) {
    Vector<T> sums[kRows][kSide];
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kSide; ++v) sums[r][v] = x[(i + r) * kSide + v];
    }
    for (int64_t j = 0; j < i; ++j, from += kRows) {
#pragma GCC unroll 4
      for (int64_t r = 0; r < kRows; ++r) {
        const Vector<T> factor = from[r] - Vector<T>{};
#pragma GCC unroll 4
        for (int64_t v = 0; v < kSide; ++v) sums[r][v] = minus_product(sums[r][v], factor, x[j * kSide + v]);
      }
    }
#pragma GCC unroll 4
    for (int64_t j = 0; j < kRows; ++j, from += kRows) {
      const Vector<T> d = t.diagonal[i + j] - Vector<T>{};
#pragma GCC unroll 4
      for (int64_t v = 0; v < kSide; ++v) {
        sums[j][v] = t.divides ? sums[j][v] / d : sums[j][v] * d;
        x[(i + j) * kSide + v] = sums[j][v];
      }
#pragma GCC unroll 4
      for (int64_t r = 0; r < kRows; ++r) {
        if (r <= j) continue;
        const Vector<T> factor = from[r] - Vector<T>{};
#pragma GCC unroll 4
        for (int64_t v = 0; v < kSide; ++v) sums[r][v] = minus_product(sums[r][v], factor, sums[j][v]);
      }
    }
  }
}

template <class T>
inline constexpr int64_t kBlock = kWide * kLanes<T>;

/// Right sides [c, c + lanes) of one matrix; lanes is at most kSide vectors.
template <class T, int64_t kSide>
void solve_lanes(const Packed<T>& t, const T* b, T* x, const LaneSolve& s, int64_t c, int64_t lanes, Vector<T>* v) {
  constexpr int64_t w = kLanes<T>;
  const auto place = [&](int64_t i) { return s.is_downwards ? i : s.n - 1 - i; };
  if (s.is_left) {
    for (int64_t i = 0; i < s.n; ++i) {
      const T* from = b + place(i) * s.others + c;
      if (lanes == kSide * w) {
        for (int64_t k = 0; k < kSide; ++k) v[i * kSide + k] = load(from + k * w);
      } else {
        auto* const line = reinterpret_cast<T*>(v + i * kSide);
        for (int64_t l = 0; l < kSide * w; ++l) line[l] = from[std::min(l, lanes - 1)];
      }
    }
  } else {
    for (int64_t k = 0; k < kSide; ++k) {
      const int64_t begin = std::min(k * w, lanes - 1);
      gather(b + (c + begin) * s.n, s.n, s.n, std::min(w, lanes - begin), v + k, kSide);
    }
    if (!s.is_downwards) {
      for (int64_t i = 0; i < s.n / 2; ++i) {
        for (int64_t k = 0; k < kSide; ++k) std::swap(v[i * kSide + k], v[place(i) * kSide + k]);
      }
    }
  }
  for (int64_t i = s.n * kSide; i < padded(s.n) * kSide; ++i) v[i] = Vector<T>{};
  solve_block<T, kSide>(t, v, s.n);
  if (s.is_left) {
    for (int64_t i = 0; i < s.n; ++i) {
      T* to = x + place(i) * s.others + c;
      if (lanes == kSide * w) {
        for (int64_t k = 0; k < kSide; ++k) store(to + k * w, v[i * kSide + k]);
      } else {
        __builtin_memcpy(to, v + i * kSide, static_cast<size_t>(lanes) * sizeof(T));
      }
    }
    return;
  }
  if (!s.is_downwards) {
    for (int64_t i = 0; i < s.n / 2; ++i) {
      for (int64_t k = 0; k < kSide; ++k) std::swap(v[i * kSide + k], v[place(i) * kSide + k]);
    }
  }
  for (int64_t k = 0; k * w < lanes; ++k)
    scatter(v + k, kSide, s.n, std::min(w, lanes - k * w), x + (c + k * w) * s.n, s.n);
}

template <class T>
size_t packed_bytes(int64_t n) {
  return (static_cast<size_t>(Packed<T>::size(n)) * sizeof(T) + 63) / 64 * 64;
}

template <class T>
size_t solve_many_bytes(const LaneSolve& s) {
  return packed_bytes<T>(s.n) + static_cast<size_t>(padded(s.n) * kWide * kVectorBytes);
}

template <class T>
void solve_many(const T* a, const T* b, T* x, const LaneSolve& s, int64_t first, int64_t last, void* buffer) {
  Packed<T> t(static_cast<T*>(buffer), s.n);
  auto* const v = reinterpret_cast<Vector<T>*>(static_cast<char*>(buffer) + packed_bytes<T>(s.n));
  const int64_t blocks = (s.others + kBlock<T> - 1) / kBlock<T>, size = s.n * s.others;
  int64_t packed = -1;
  for (int64_t at = first; at < last; ++at) {
    const int64_t matrix = at / blocks;
    if (matrix != packed) t.fill(a + matrix * s.n * s.n, s);
    packed = matrix;
    int64_t c = at % blocks * kBlock<T>;
    const int64_t end = std::min(c + kBlock<T>, s.others);
    if (end - c == kBlock<T>) {
      solve_lanes<T, kWide>(t, b + matrix * size, x + matrix * size, s, c, kBlock<T>, v);
      continue;
    }
    for (; c < end; c += kLanes<T>)
      solve_lanes<T, 1>(t, b + matrix * size, x + matrix * size, s, c, std::min(kLanes<T>, end - c), v);
  }
}

template <class T>
constexpr MatrixLanes<T> kTable = {cholesky<T>,   cholesky_bytes<T>,   solve_each<T>, solve_each_bytes<T>,
                                   solve_many<T>, solve_many_bytes<T>, kLanes<T>,     kBlock<T>};

#undef WEFT_INLINE
