// The values in scope while a program grows, and ways to get a value of a wanted type from them.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "ops/builder.h"
#include "reduce/random.h"

namespace weft::fuzz {

using reduce::Numbers;
using reduce::Random;
using reduce::random_tensor;

class Pool {
 public:
  /// `may_add_arguments`: where nothing fits, the function may get one more argument.
  Pool(Random& random, bool may_add_arguments) : random_(&random), may_add_arguments_(may_add_arguments) {}

  void add(const OpBuilder& b, Value v) {
    const Type t = b.type(v);
    if (!t.is_tensor() || !t.is_static() || t.num_elements() <= kMostElements) values_.push_back(v);
  }
  bool empty() const { return values_.empty(); }
  const std::vector<Value>& values() const { return values_; }

  /// Any static, unquantized tensor; recent ones more often.
  std::optional<Value> any_tensor(const OpBuilder& b) const;
  /// A value of the type: one there is, one made from another type's, a constant, or a new argument. None for types that cannot be made.
  std::optional<Value> find(OpBuilder& b, Type t) const;
  Value constant(OpBuilder& b, Type t) const;
  Type any_type() const;

  static constexpr int64_t kMostElements = 512;

 private:
  std::optional<Value> converted(OpBuilder& b, Type t) const;
  Random* random_;
  bool may_add_arguments_;
  std::vector<Value> values_;
};

}  // namespace weft::fuzz
