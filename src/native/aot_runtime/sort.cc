// weft_rt_sort. Keys are sorted by digits; what has no keys, or a NaN where < decides, by a merge sort that calls the comparator.
// Many lines are shared out among the threads; the threads share one long line. A stable order is unique, so that neither changes
// the result. No part of the C++ library is needed here but its headers.
#include "weft_rt_sort.h"

#include "sort_elements.h"
#include "sort_keys.h"
#include "weft_rt.h"

namespace weft_rt {
namespace {

constexpr int64_t kSerialElements = 4096;  // fewer are not worth a second thread
constexpr int64_t kSharedLine = 32768;     // a line of so many is worth sharing
constexpr size_t kDigits = 2048;           // of a shared sort: 11 bits
constexpr int kChunk = 256;                // keys that are read at a time

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }
int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// fn(part, parts) for every part.
template <class F>
void in_parts(int64_t parts, F&& fn) {
  if (parts == 1) return fn(int64_t{0}, int64_t{1});
  weft_rt_parallel([](void* f, int64_t part, int64_t n) { (*static_cast<F*>(f))(part, n); }, &fn, parts);
}

/// The share [begin, end) of a part.
struct Share {
  int64_t begin, end;
  Share(int64_t n, int64_t part, int64_t parts) : begin(n * part / parts), end(n * (part + 1) / parts) {}
};

struct Plan {
  explicit Plan(const int64_t* w)
      : lines(w[WEFT_RT_SORT_LINES]),
        length(w[WEFT_RT_SORT_LENGTH]),
        step(w[WEFT_RT_SORT_STEP]),
        take(w[WEFT_RT_SORT_TAKE]),
        result_length(w[WEFT_RT_SORT_RESULT_LENGTH]),
        operands(w[WEFT_RT_SORT_OPERANDS]),
        keys(w[WEFT_RT_SORT_KEYS]),
        has_positions(w[WEFT_RT_SORT_POSITIONS] != 0),
        widths(w + WEFT_RT_SORT_HEADER),
        key_words(widths + operands) {
    for (int64_t i = 0; i < keys; ++i) {
      const KeyForm form = key(i);
      is_wide = is_wide || form.bytes == 8;
      const bool is_float = form.kind == WEFT_RT_SORT_FLOAT || form.kind == WEFT_RT_SORT_BFLOAT;
      may_compare = may_compare || (is_float && (form.flags & WEFT_RT_SORT_TOTAL) == 0);
    }
    may_compare = may_compare || keys == 0;
    parts = w[WEFT_RT_SORT_PARTS] < 1 || lines * length < kSerialElements ? 1 : w[WEFT_RT_SORT_PARTS];
    shares_line = parts > 1 && lines < parts && length >= kSharedLine;
    if (!shares_line) parts = larger(1, smaller(parts, lines));
    capacity = 2 * take + 16;
    selects = keys == 1 && capacity * 2 <= length / (shares_line ? parts : 1);
    if (!selects) capacity = length;
    const size_t element = is_wide ? sizeof(Pair) : sizeof(Packed);
    table_bytes = aligned(static_cast<size_t>(operands) * sizeof(void*));
    array_bytes = aligned(static_cast<size_t>(capacity) * element);
    // By the comparator two arrays of places of the whole line are needed.
    const size_t places = may_compare ? 2 * aligned(static_cast<size_t>(length) * sizeof(uint32_t)) : 0;
    const size_t arrays = 2 * array_bytes;
    if (!shares_line) {
      slot_bytes = table_bytes + (arrays > places ? arrays : places);
      workspace_bytes = slot_bytes * static_cast<size_t>(parts);
      return;
    }
    // One table, then arrays (when selecting, of each part, and of what all have selected), then counts of digits.
    slot_bytes = arrays;
    size_t shared = arrays;
    if (selects)
      shared = arrays * static_cast<size_t>(parts) + 2 * aligned(static_cast<size_t>(take * parts) * element);
    if (shared < places) shared = places;
    counts_at = table_bytes + shared;
    workspace_bytes = counts_at + static_cast<size_t>(parts) * (kDigits * sizeof(uint32_t) + 64);
  }

  KeyForm key(int64_t i) const {
    const int64_t* w = key_words + 3 * i;
    return {static_cast<int>(w[0]), static_cast<int>(w[1]) & WEFT_RT_SORT_KIND_MASK, static_cast<int>(w[2]),
            static_cast<int>(w[1]) & 15};
  }
  int64_t width(int64_t operand) const { return widths[operand] < 0 ? -widths[operand] : widths[operand]; }

  int64_t lines, length, step, take, result_length, operands, keys;
  bool has_positions;
  const int64_t *widths, *key_words;
  bool is_wide = false, may_compare = false, shares_line = false, selects = false;
  int64_t parts = 1, capacity = 0;
  size_t table_bytes = 0, array_bytes = 0, slot_bytes = 0, counts_at = 0, workspace_bytes = 0;
};

/// Keys of elements [begin, end) with their places.
template <class E>
unsigned read_elements(const KeyForm& form, const char* x, int64_t step, int64_t begin, int64_t end, E* out) {
  typename E::Key keys[kChunk];
  unsigned met = 0;
  for (int64_t at = begin; at < end; at += kChunk) {
    const int n = static_cast<int>(smaller(kChunk, end - at));
    met |= read_keys(form, x + at * step * form.bytes, step, n, keys);
    for (int i = 0; i < n; ++i) out[at + i] = E::make(keys[i], static_cast<uint32_t>(at + i));
  }
  return met;
}

/// Elements that have places already get another key.
template <class E>
unsigned reread_elements(const KeyForm& form, const char* x, int64_t step, int64_t begin, int64_t end, E* out) {
  unsigned met = 0;
  for (int64_t i = begin; i < end; ++i) {
    typename E::Key key = 0;
    const uint32_t place = out[i].place();
    met |= read_keys(form, x + place * step * form.bytes, 1, 1, &key);
    out[i] = E::make(key, place);
  }
  return met;
}

/// As sort_elements, by all parts together.
template <class E>
E* sort_together(E* a, E* b, size_t n, int bits, int64_t parts, uint32_t* counts) {
  for (int shift = 0; shift < bits; shift += 11) {
    const auto digit = [shift](const E& e) { return static_cast<size_t>(e.key() >> shift) & (kDigits - 1); };
    const auto length = static_cast<int64_t>(n);
    in_parts(parts, [&](int64_t part, int64_t count) {
      uint32_t* const mine = counts + static_cast<size_t>(part) * kDigits;
      memset(mine, 0, kDigits * sizeof *mine);
      const Share s(length, part, count);
      for (int64_t i = s.begin; i < s.end; ++i) ++mine[digit(a[i])];
    });
    uint32_t sum = 0;
    bool is_trivial = false;
    for (size_t d = 0; d < kDigits; ++d) {
      const uint32_t before = sum;
      for (int64_t p = 0; p < parts; ++p) {
        uint32_t& c = counts[static_cast<size_t>(p) * kDigits + d];
        const uint32_t count = c;
        c = sum;
        sum += count;
      }
      is_trivial = is_trivial || sum - before == n;
    }
    if (is_trivial) continue;
    in_parts(parts, [&](int64_t part, int64_t count) {
      uint32_t* const to = counts + static_cast<size_t>(part) * kDigits;
      const Share s(length, part, count);
      for (int64_t i = s.begin; i < s.end; ++i) b[to[digit(a[i])]++] = a[i];
    });
    E* const t = a;
    a = b;
    b = t;
  }
  return a;
}

/// One line: where its operands begin, and where its results go.
class Line {
 public:
  /// `parts`: threads that work on it; `counts` is for them.
  Line(const Plan& plan, weft_rt_sort_less_fn less, void* const* buffers, int64_t line, const char** table,
       char* arrays, int64_t parts, uint32_t* counts)
      : p_(plan),
        less_(less),
        results_(buffers + plan.operands),
        inputs_(table),
        arrays_(arrays),
        parts_(parts),
        counts_(counts) {
    const int64_t outer = line / p_.step * p_.step, inner = line % p_.step;
    for (int64_t i = 0; i < p_.operands; ++i)
      table[i] = static_cast<const char*>(buffers[i]) + (outer * p_.length + inner) * p_.width(i);
    first_ = outer * p_.result_length + inner;
  }

  void run() {
    if (p_.keys == 0) return by_comparator();
    if (p_.selects) return p_.is_wide ? select<Pair>() : select<Packed>();
    if (p_.keys == 1 && p_.operands == 1 && !p_.has_positions) {
      const bool is_done = p_.is_wide ? by_bare_keys<uint64_t>() : by_bare_keys<uint32_t>();
      if (is_done) return;
    }
    p_.is_wide ? by_keys<Pair>() : by_keys<Packed>();
  }

 private:
  const char* input(const KeyForm& form) const { return inputs_[form.operand]; }

  template <class E>
  E* sorted(E* a, E* b, int bits) {
    return parts_ == 1 ? sort_elements(a, b, static_cast<size_t>(p_.length), bits)
                       : sort_together(a, b, static_cast<size_t>(p_.length), bits, parts_, counts_);
  }

  /// read(begin, end) by all parts; what they met together.
  template <class Read>
  unsigned read_in_parts(Read&& read) {
    unsigned met = 0;
    in_parts(parts_, [&](int64_t part, int64_t parts) {
      const Share s(p_.length, part, parts);
      __atomic_fetch_or(&met, read(s.begin, s.end), __ATOMIC_RELAXED);
    });
    return met;
  }

  template <class K>
  bool by_bare_keys() {
    const KeyForm form = p_.key(0);
    auto* a = reinterpret_cast<Bare<K>*>(arrays_);
    auto* b = reinterpret_cast<Bare<K>*>(arrays_ + p_.array_bytes);
    const unsigned met = read_in_parts(
        [&](int64_t begin, int64_t end) { return read_elements(form, input(form), p_.step, begin, end, a); });
    if (met != 0) return false;
    const Bare<K>* from = sorted(a, b, form.bits());
    if (p_.widths[0] < 0) return true;
    in_parts(parts_, [&](int64_t part, int64_t parts) {
      const Share s(p_.take, part, parts);
      char* to = static_cast<char*>(results_[0]) + (first_ + s.begin * p_.step) * form.bytes;
      const int64_t n = s.end - s.begin;
      if constexpr (sizeof(K) == 8) {
        write_elements(form, from + s.begin, n, reinterpret_cast<uint64_t*>(to), p_.step);
      } else if (form.bytes == 4) {
        write_elements(form, from + s.begin, n, reinterpret_cast<uint32_t*>(to), p_.step);
      } else if (form.bytes == 2) {
        write_elements(form, from + s.begin, n, reinterpret_cast<uint16_t*>(to), p_.step);
      } else {
        write_elements(form, from + s.begin, n, reinterpret_cast<uint8_t*>(to), p_.step);
      }
    });
    return true;
  }

  /// By the last key first: each sort keeps the order of the ones before among equals.
  template <class E>
  void by_keys() {
    E* a = reinterpret_cast<E*>(arrays_);
    E* b = reinterpret_cast<E*>(arrays_ + p_.array_bytes);
    for (int64_t k = p_.keys - 1; k >= 0; --k) {
      const KeyForm form = p_.key(k);
      const bool is_first = k == p_.keys - 1;
      const unsigned met = read_in_parts([&](int64_t begin, int64_t end) {
        return is_first ? read_elements(form, input(form), p_.step, begin, end, a)
                        : reread_elements(form, input(form), p_.step, begin, end, a);
      });
      if ((met & kUnordered) != 0) return by_comparator();
      E* const result = sorted(a, b, form.bits());
      if (result == b) {
        b = a;
        a = result;
      }
    }
    write([a](int64_t j) { return a[j].place(); });
  }

  /// Keeps what is among the first `take` of elements [begin, end): of more than that the later ones are sorted away whenever the
  /// array is full. The number kept; the array they are in comes first.
  template <class E>
  int64_t select_from(const KeyForm& form, int64_t begin, int64_t end, E*& a, E*& b, unsigned& met) {
    typename E::Key keys[kChunk], limit = 0;
    bool has_limit = false;
    int64_t count = 0;
    const auto shrink = [&] {
      E* const result = sort_elements(a, b, static_cast<size_t>(count), form.bits());
      if (result == b) {
        b = a;
        a = result;
      }
      count = smaller(count, p_.take);
    };
    for (int64_t at = begin; at < end; at += kChunk) {
      const int n = static_cast<int>(smaller(kChunk, end - at));
      met |= read_keys(form, input(form) + at * p_.step * form.bytes, p_.step, n, keys);
      if (has_limit) {
        bool any = false;
        for (int i = 0; i < n; ++i) any |= keys[i] < limit;
        if (!any) continue;
      }
      for (int i = 0; i < n; ++i) {
        if (has_limit && keys[i] >= limit) continue;  // an equal one that comes later loses
        a[count++] = E::make(keys[i], static_cast<uint32_t>(at + i));
        if (count < p_.capacity) continue;
        shrink();
        has_limit = true;
        limit = a[count - 1].key();
      }
    }
    shrink();
    return count;
  }

  template <class E>
  void select() {
    if (p_.take == 0) return;
    const KeyForm form = p_.key(0);
    E* a = reinterpret_cast<E*>(arrays_);
    E* b = reinterpret_cast<E*>(arrays_ + p_.array_bytes);
    unsigned met = 0;
    if (parts_ == 1) {
      select_from(form, 0, p_.length, a, b, met);
    } else {
      // Each part selects its own, then all of these are sorted: in the order of the parts, so that ties stay in order.
      char* const together = arrays_ + p_.slot_bytes * static_cast<size_t>(parts_);
      E* const all = reinterpret_cast<E*>(together);
      in_parts(parts_, [&](int64_t part, int64_t parts) {
        char* const mine = arrays_ + p_.slot_bytes * static_cast<size_t>(part);
        E* c = reinterpret_cast<E*>(mine);
        E* d = reinterpret_cast<E*>(mine + p_.array_bytes);
        const Share s(p_.length, part, parts);
        unsigned here = 0;
        select_from(form, s.begin, s.end, c, d, here);  // a share is longer than `take`
        memcpy(static_cast<void*>(all + part * p_.take), c, static_cast<size_t>(p_.take) * sizeof(E));
        __atomic_fetch_or(&met, here, __ATOMIC_RELAXED);
      });
      const size_t count = static_cast<size_t>(p_.take * parts_);
      a = sort_elements(all, reinterpret_cast<E*>(together + aligned(count * sizeof(E))), count, form.bits());
    }
    if ((met & kUnordered) != 0) return by_comparator();
    write([a](int64_t j) { return a[j].place(); });
  }

  void merge(const uint32_t* from, uint32_t* to, int64_t low, int64_t width, int64_t n) const {
    const int64_t middle = smaller(low + width, n), high = smaller(low + 2 * width, n);
    const auto* lines = reinterpret_cast<const void* const*>(inputs_);
    int64_t left = low, right = middle;
    for (int64_t at = low; at < high; ++at) {
      const bool take_right = right < high && (left == middle || less_(lines, from[right], from[left]) != 0);
      to[at] = take_right ? from[right++] : from[left++];
    }
  }

  /// Bottom-up: which elements are compared does not depend on the parts, even for a comparator that is no order.
  void by_comparator() {
    const int64_t n = p_.length;
    uint32_t* a = reinterpret_cast<uint32_t*>(arrays_);
    uint32_t* b = reinterpret_cast<uint32_t*>(arrays_ + aligned(static_cast<size_t>(n) * sizeof(uint32_t)));
    int64_t block = 1;
    bool swaps = false;  // after the passes inside a block
    while (block * parts_ < n) {
      block *= 2;
      swaps = !swaps;
    }
    in_parts(parts_, [&](int64_t part, int64_t) {
      const int64_t begin = smaller(part * block, n), end = smaller(begin + block, n);
      for (int64_t i = begin; i < end; ++i) a[i] = static_cast<uint32_t>(i);
      uint32_t *from = a, *to = b;
      for (int64_t width = 1; width < block; width *= 2) {
        for (int64_t low = begin; low < end; low += 2 * width) merge(from, to, low, width, end);
        uint32_t* const t = from;
        from = to;
        to = t;
      }
    });
    if (swaps) {
      uint32_t* const t = a;
      a = b;
      b = t;
    }
    for (int64_t width = block; width < n; width *= 2) {
      for (int64_t low = 0; low < n; low += 2 * width) merge(a, b, low, width, n);
      uint32_t* const t = a;
      a = b;
      b = t;
    }
    write([a](int64_t j) { return a[j]; });
  }

  template <class T, class Place>
  void write_operand(int64_t i, const Place& place, int64_t begin, int64_t end) const {
    const T* from = reinterpret_cast<const T*>(inputs_[i]);
    T* to = static_cast<T*>(results_[i]) + first_;
    for (int64_t j = begin; j < end; ++j) to[j * p_.step] = from[place(j) * p_.step];
  }

  template <class Place>
  void write(const Place& place) const {
    struct Sixteen {
      uint64_t a, b;
    };
    in_parts(parts_, [&](int64_t part, int64_t parts) {
      const Share s(p_.take, part, parts);
      for (int64_t i = 0; i < p_.operands; ++i) {
        switch (p_.widths[i]) {
          case 1: write_operand<uint8_t>(i, place, s.begin, s.end); break;
          case 2: write_operand<uint16_t>(i, place, s.begin, s.end); break;
          case 4: write_operand<uint32_t>(i, place, s.begin, s.end); break;
          case 8: write_operand<uint64_t>(i, place, s.begin, s.end); break;
          case 16: write_operand<Sixteen>(i, place, s.begin, s.end); break;
          default: break;
        }
      }
      if (!p_.has_positions) return;
      int32_t* to = static_cast<int32_t*>(results_[p_.operands]) + first_;
      for (int64_t j = s.begin; j < s.end; ++j) to[j * p_.step] = static_cast<int32_t>(place(j));
    });
  }

  const Plan& p_;
  weft_rt_sort_less_fn less_;
  void* const* results_;
  const char** inputs_;
  char* arrays_;
  int64_t parts_;
  uint32_t* counts_;
  int64_t first_ = 0;
};

}  // namespace
}  // namespace weft_rt

extern "C" size_t weft_rt_sort_workspace(const int64_t* plan) { return weft_rt::Plan(plan).workspace_bytes; }

extern "C" void weft_rt_sort(const int64_t* words, weft_rt_sort_less_fn less, void* const* buffers, void* workspace) {
  using namespace weft_rt;
  const Plan plan(words);
  if (plan.lines == 0 || plan.length == 0 || plan.take == 0) return;
  char* const base = static_cast<char*>(workspace);
  if (plan.shares_line) {
    auto* counts = reinterpret_cast<uint32_t*>(base + plan.counts_at);
    for (int64_t line = 0; line < plan.lines; ++line) {
      Line(plan, less, buffers, line, reinterpret_cast<const char**>(base), base + plan.table_bytes, plan.parts, counts)
          .run();
    }
    return;
  }
  in_parts(plan.parts, [&](int64_t part, int64_t parts) {
    char* const mine = base + plan.slot_bytes * static_cast<size_t>(part);
    const Share s(plan.lines, part, parts);
    for (int64_t line = s.begin; line < s.end; ++line) {
      Line(plan, less, buffers, line, reinterpret_cast<const char**>(mine), mine + plan.table_bytes, 1, nullptr).run();
    }
  });
}
