// Comparators of sort: those that compare keys are read off their region and run as typed loops.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "ops/record.h"

namespace weft {

/// One key of a lexicographic order.
struct SortKey {
  size_t operand = 0;
  bool descending = false;
  bool total_order = false;  // floats: IEEE 754 totalOrder; otherwise < of numbers, false for NaN
  bool joins_zeros = false;  // -0 counts as +0
  bool joins_nans = false;   // every NaN counts as the positive quiet NaN
};

/// The keys that a comparator (a0, b0, a1, b1, …) → i1 compares, first the one that decides: a region that is
/// lt(k0) or (eq(k0) and (lt(k1) or …)) on its arguments. Nothing for other regions.
std::optional<std::vector<SortKey>> sort_keys(const Function& function, RegionId comparator);

/// Sorts positions 0 … n-1, equal ones in their order. Total for every `less`, also for one that orders nothing (NaN with <).
template <class Less>
void stable_order(std::vector<int64_t>& order, Less&& less) {
  std::vector<int64_t> merged(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t low = 0; low < order.size(); low += 2 * width) {
      const size_t middle = std::min(low + width, order.size()), high = std::min(low + 2 * width, order.size());
      size_t left = low, right = middle;
      for (size_t to = low; to < high; ++to) {
        const bool take_right = right < high && (left == middle || less(order[right], order[left]));
        merged[to] = order[take_right ? right++ : left++];
      }
    }
    order.swap(merged);
  }
}

/// The columns of keys of one slice, and the order that they give.
class KeyOrder {
 public:
  /// slice[i]: the elements of operand i, contiguous.
  KeyOrder(std::span<const SortKey> keys, std::span<const Tensor> slice);
  bool operator()(int64_t a, int64_t b) const {
    for (const Column& c : columns_) {
      const auto i = static_cast<size_t>(c.descending ? b : a), j = static_cast<size_t>(c.descending ? a : b);
      if (c.is_real) {
        if (c.reals[i] < c.reals[j]) return true;
        if (!(c.reals[i] == c.reals[j])) return false;
      } else {
        if (c.integers[i] != c.integers[j]) return c.integers[i] < c.integers[j];
      }
    }
    return false;
  }

 private:
  struct Column {
    bool descending = false, is_real = false;
    std::vector<double> reals;
    std::vector<int64_t> integers;
  };
  std::vector<Column> columns_;
};

/// Element number 0, 1, … of a slice along `dimension`, for all slices of a shape: element j of slice s is first(s) + j * step.
struct Slices {
  Slices(std::span<const int64_t> shape, int64_t dimension) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (static_cast<int64_t>(d) == dimension) {
        length = shape[d];
      } else if (static_cast<int64_t>(d) > dimension) {
        step *= shape[d];
        count *= shape[d];
      } else {
        count *= shape[d];
      }
    }
  }
  int64_t length = 1, step = 1, count = 1;
  int64_t first(int64_t slice) const { return slice / step * step * length + slice % step; }
};

/// What the custom call ApproxTopK says of itself: the first k along a dimension by the function `comparator`.
struct ApproxTopK {
  std::string comparator;
  int64_t k = 0, dimension = 0;
};

/// Unsupported when something is missing; UserError when it does not fit operands of this (static) shape.
ApproxTopK approx_top_k(const OpView& op, std::span<const int64_t> shape);

/// Handler of the custom call ApproxTopK.
std::vector<EvalValue> eval_approx_top_k(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);
/// Tangents are those of the elements that were chosen.
Linearized linearize_approx_top_k(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                  std::span<const Value> tangents);
std::vector<LaneValue> vectorize_approx_top_k(VectorizeContext& context, const OpView& op,
                                              std::span<const LaneValue> operands);

}  // namespace weft
