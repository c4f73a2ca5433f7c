// Elements of whatever broadcasting, map and reductions take: arrays of every kind, tuples, scalars.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "julia/host/array_look.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

bool is_abstract_array(const Value& v);
bool is_tuple(const Value& v);
/// A type that the library or program declares in Base, by its name.
const Type* base_type(Evaluator& e, const char* name);
bool has_wrapper(const Value& v, const Type* wrapper);  ///< typeof(v) is the parametric type applied to something

/// Extents: of an AbstractArray by `size` where no builtin kind gives them, of a tuple its length, of a scalar none.
std::vector<int64_t> extents_of(Evaluator& e, const Value& v);
/// `Base.OneTo(2), Base.OneTo(3)`, as messages print axes.
Value size_tuple(const std::vector<int64_t>& dims);

class Reader {
 public:
  /// An AbstractArray (by its elements), a tuple (by its fields), anything else as it is.
  Reader(Evaluator& e, const Value& v);
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t length() const;
  /// The element at 0-based indices of a larger box: dimensions of extent 1 stay at their only place.
  Value at(const std::vector<int64_t>& index) const;
  /// By 0-based position in column-major order.
  Value at(int64_t position) const;
  /// The element type where the container says it; null otherwise.
  const Type* element() const;

 private:
  enum class What : uint8_t { kScalar, kArray, kTuple, kLook, kCall };
  Evaluator& evaluator_;
  Value value_;
  What what_ = What::kScalar;
  std::vector<int64_t> dims_;
  std::optional<ArrayLook> look_;
};

/// Values that come one after another, and the array that they fill: its element type is that of all of them, else the join.
class Collector {
 public:
  void add(Value v);
  int64_t length() const { return static_cast<int64_t>(values_.size()); }
  const Type* element() const { return element_; }  ///< null: none so far
  Value array(std::vector<int64_t> dims, const Type* of_none);
  /// As array; a BitArray when all are Bool.
  Value bits(std::vector<int64_t> dims, const Type* of_none);

 private:
  std::vector<Value> values_;
  const Type* element_ = nullptr;
};

/// A value of a type that functions of numbers take without trouble; undefined: none is known.
Value sample_of(const Type* t);
/// What f gives for samples; undefined where one is, when f may do more than compute, or when it throws. Its type is that of the
/// elements of `map(f, xs)` for empty xs.
Value sample_call(Evaluator& e, const Value& f, std::span<const Value> samples);
/// The element type that an empty result gets from a sample: Any without one.
inline const Type* type_of_sample(const Value& sample) { return sample.is_defined() ? sample.type() : core().any; }

}  // namespace weft::julia
