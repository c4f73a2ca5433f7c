// Checks of dimension lists that type rules of the indexed and contracting families share.
#pragma once
#include <algorithm>

#include "base/format.h"
#include "ops/record.h"

namespace weft {

/// Equal, or one of them unknown.
inline bool compatible_extent(int64_t a, int64_t b) { return a == b || a == kDynamic || b == kDynamic; }

inline bool contains(std::span<const int64_t> list, int64_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

/// The axes 0 … rank-1 that no list names, ascending.
inline std::vector<int64_t> other_axes(int64_t rank, std::initializer_list<std::span<const int64_t>> lists) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::none_of(lists.begin(), lists.end(), [&](auto l) { return contains(l, d); })) out.push_back(d);
  }
  return out;
}

inline std::vector<int64_t> joined(std::initializer_list<std::span<const int64_t>> lists) {
  std::vector<int64_t> out;
  for (auto l : lists) out.insert(out.end(), l.begin(), l.end());
  return out;
}

inline void expect_in_range(const TypeContext& c, std::string_view label, std::string_view what,
                            std::span<const int64_t> list, int64_t limit) {
  for (int64_t d : list) {
    if (d < 0 || d >= limit) {
      c.fail(label, std::string(what) + " is out of range: got " + format_list(list) + ", expected values in [0, " +
                        std::to_string(limit) + ")");
    }
  }
}

inline void expect_unique(const TypeContext& c, std::string_view label, std::string_view what,
                          std::span<const int64_t> list) {
  std::vector<int64_t> sorted(list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    c.fail(label, std::string(what) + " must not repeat a dimension: got " + format_list(list));
  }
}

inline void expect_sorted(const TypeContext& c, std::string_view label, std::string_view what,
                          std::span<const int64_t> list) {
  if (!std::is_sorted(list.begin(), list.end())) {
    c.fail(label, std::string(what) + " must be sorted: got " + format_list(list));
  }
}

inline void expect_count(const TypeContext& c, std::string_view label, std::string_view what, size_t got,
                         size_t expected) {
  if (got != expected) {
    c.fail(label, "number of " + std::string(what) + ": got " + std::to_string(got) + ", expected " +
                      std::to_string(expected));
  }
}

inline void expect_positive(const TypeContext& c, std::string_view label, std::string_view what,
                            std::span<const int64_t> list) {
  for (int64_t x : list) {
    if (x <= 0) c.fail(label, std::string(what) + " must be positive: got " + format_list(list));
  }
}

inline void expect_tensor(const TypeContext& c, size_t operand) {
  if (!c.operands[operand].is_tensor()) {
    c.fail(std::string(c.def.mnemonic.substr(c.def.mnemonic.find('.') + 1)) + "_i" + std::to_string(operand + 1),
           "operand " + std::to_string(operand) + " must be a tensor: got " + c.operands[operand].str());
  }
}

}  // namespace weft
