// One way to look at everything that is an array to Julia - arrays, ranges, views, wrappers - for printing and comparison.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "julia/host/value.h"

namespace weft::julia {

struct ArrayLook {
  std::vector<int64_t> dims;
  const Type* element = nullptr;
  /// The element at 0-based indices, one for each dimension; undefined where it is.
  std::function<Value(const int64_t* index)> at;
  /// Whether an entry is zero by the kind of matrix: `⋅` in print. Null: none is.
  std::function<bool(int64_t row, int64_t column)> is_structural_zero;
  int64_t length() const {
    int64_t n = 1;
    for (const int64_t d : dims) n *= d;
    return n;
  }
};

/// Nothing for what is no array; arrays of a program's own types are seen through foreign_look().
std::optional<ArrayLook> look_at(const Value& v);
/// Looks at an array that is of no builtin kind, or gives nothing; the evaluator puts it in place.
std::function<std::optional<ArrayLook>(const Value&)>& foreign_look();

/// Of UnitRange, OneTo, StepRange, StepRangeLen and LinRange; -1 for what is no range.
int64_t range_length(const Value& range);
/// The element at a 0-based position, computed as Julia computes it.
Value range_element(const Value& range, int64_t index);
bool is_range(const Value& v);

/// A zero of a numeric type; undefined for others.
Value zero_of(const Type* t);
/// conj for numbers and Complex.
Value conjugate(const Value& v);

}  // namespace weft::julia
