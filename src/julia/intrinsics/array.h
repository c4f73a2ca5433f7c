// What the intrinsics on arrays share.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/number.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

using Args = std::span<const Value>;

/// An integer argument of any width.
int64_t integer_of(const Value& v);
/// The integers of a tuple.
std::vector<int64_t> integers_of(const Value& tuple);
Value tuple_of(std::span<const int64_t> integers);
bool is_bit_array(const Value& v);
bool is_of(const Value& v, const Type* wrapper);  ///< of a type of this declaration: is_of(v, core().sub_array)
/// An array of the given elements: a BitArray when `like` is one and the elements are Bools, otherwise an Array.
Value similar_to(const Value& like, const Type* element, std::vector<int64_t> dims);
/// `tuple` of what was asked for, as Julia's message lists it: a colon is the range that it stands for.
[[noreturn]] void throw_index_error(const Value& array, const std::vector<int64_t>& dims, Args indices);

/// The elements of anything that is an array to Julia as an Array or BitArray: itself where it is one, otherwise a new one.
/// What is no array of a builtin kind is collected by `collect`.
Value dense_of(Evaluator& e, const Value& v);
/// As dense_of, for builtin kinds only; undefined for others.
Value builtin_dense_of(const Value& v);
/// `a[indices…]` with at least one index that is no number, a new array; undefined when an index is of no builtin kind.
Value gather(const Value& a, Args indices);

/// An array of a program's own type, by its methods of size and getindex; nothing for what is no array.
std::optional<ArrayLook> look_at_foreign(Evaluator& e, const Value& v);

/// Collects values into the array whose element type is the join of their types, as comprehensions do.
class ElementCollector {
 public:
  void add(const Value& v);
  /// Vector of all; `empty` is the element type when there were none.
  Value vector(const Type* empty) const;
  Value array(std::vector<int64_t> dims, const Type* empty) const;
  int64_t count() const { return count_; }

 private:
  const Type* element_ = nullptr;
  const DataType* flat_ = nullptr;
  std::vector<std::byte> bytes_;
  std::vector<Value> boxes_;
  int64_t count_ = 0;
};

// Each file's part of array_intrinsics().
std::span<const IntrinsicEntry> array_access_intrinsics();
std::span<const IntrinsicEntry> array_vector_intrinsics();
std::span<const IntrinsicEntry> array_index_intrinsics();
std::span<const IntrinsicEntry> array_range_intrinsics();
std::span<const IntrinsicEntry> array_shape_intrinsics();
std::span<const IntrinsicEntry> array_collect_intrinsics();
std::span<const IntrinsicEntry> array_tuple_intrinsics();

}  // namespace weft::julia
