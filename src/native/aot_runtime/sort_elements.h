// What sort.cc moves while it sorts: keys as unsigned integers whose order is the wanted one, alone or with the place they came
// from; and the stable sorts of them.
#ifndef WEFT_RT_SORT_ELEMENTS_H
#define WEFT_RT_SORT_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace weft_rt {

/// A key alone: enough where the key gives the element back.
template <class K>
struct Bare {
  using Key = K;
  K k;
  static Bare make(K key, uint32_t) { return {key}; }
  K key() const { return k; }
  uint32_t place() const { return 0; }
};

/// A key of up to 32 bits and its place in one word.
struct Packed {
  using Key = uint32_t;
  uint64_t word;
  static Packed make(uint32_t key, uint32_t place) { return {uint64_t{key} << 32 | place}; }
  uint32_t key() const { return static_cast<uint32_t>(word >> 32); }
  uint32_t place() const { return static_cast<uint32_t>(word); }
};

struct Pair {
  using Key = uint64_t;
  uint64_t k;
  uint64_t at;
  static Pair make(uint64_t key, uint32_t place) { return {key, place}; }
  uint64_t key() const { return k; }
  uint32_t place() const { return static_cast<uint32_t>(at); }
};

/// Short arrays; longer ones by insertion would be quadratic.
template <class E>
void insertion_sort(E* a, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const E x = a[i];
    size_t j = i;
    for (; j > 0 && x.key() < a[j - 1].key(); --j) a[j] = a[j - 1];
    a[j] = x;
  }
}

/// Sorts a with the help of b; the one of them that holds the result.
template <class E>
E* merge_sort(E* a, E* b, size_t n) {
  constexpr size_t kRun = 16;
  for (size_t low = 0; low < n; low += kRun) insertion_sort(a + low, n - low < kRun ? n - low : kRun);
  for (size_t width = kRun; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      const size_t middle = n - low < width ? n : low + width;
      const size_t high = n - middle < width ? n : middle + width;
      size_t left = low, right = middle, to = low;
      while (left < middle && right < high) {
        const bool take_right = a[right].key() < a[left].key();
        b[to++] = a[take_right ? right : left];
        right += take_right;
        left += !take_right;
      }
      memcpy(b + to, a + left, (middle - left) * sizeof(E));
      memcpy(b + to + (middle - left), a + right, (high - right) * sizeof(E));
    }
    E* const t = a;
    a = b;
    b = t;
  }
  return a;
}

/// By kPasses digits of kBits, the lowest first; the key's bits above them are zero.
template <int kBits, int kPasses, class E>
E* radix_sort(E* a, E* b, size_t n) {
  constexpr size_t kBuckets = size_t{1} << kBits;
  uint32_t counts[kPasses][kBuckets];
  memset(counts, 0, sizeof counts);
  for (size_t i = 0; i < n; ++i) {
    const typename E::Key key = a[i].key();
    for (int p = 0; p < kPasses; ++p) ++counts[p][(key >> (p * kBits)) & (kBuckets - 1)];
  }
  for (int p = 0; p < kPasses; ++p) {
    uint32_t* const at = counts[p];
    const int shift = p * kBits;
    if (at[(a[0].key() >> shift) & (kBuckets - 1)] == n) continue;  // all have this digit
    uint32_t sum = 0;
    for (size_t d = 0; d < kBuckets; ++d) {
      const uint32_t count = at[d];
      at[d] = sum;
      sum += count;
    }
    for (size_t i = 0; i < n; ++i) {
      const E x = a[i];
      b[at[(x.key() >> shift) & (kBuckets - 1)]++] = x;
    }
    E* const t = a;
    a = b;
    b = t;
  }
  return a;
}

constexpr size_t kMergedBelow = 192, kShortDigitsBelow = 3000;

/// Stable; the one of a and b that holds the result. `bits`: how many bits of a key may be set.
template <class E>
E* sort_elements(E* a, E* b, size_t n, int bits) {
  if (n < 2) return a;
  if (n < kMergedBelow) return merge_sort(a, b, n);
  if (bits <= 8) return radix_sort<8, 1>(a, b, n);
  if (bits <= 16) return radix_sort<8, 2>(a, b, n);
  const bool is_short = n < kShortDigitsBelow;
  if (bits <= 32) return is_short ? radix_sort<8, 4>(a, b, n) : radix_sort<11, 3>(a, b, n);
  if constexpr (sizeof(typename E::Key) == 8) return is_short ? radix_sort<8, 8>(a, b, n) : radix_sort<11, 6>(a, b, n);
  return a;
}

}  // namespace weft_rt

#endif
