// The extents of a program's values as integer arithmetic on those of its arguments: ops of a function that a library runs before each
// call, where no compiler is at hand to refine the program.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/clone.h"
#include "native/open/open_program.h"
#include "ops/builder.h"

namespace weft::native {

class ExtentRules {
 public:
  /// `given[k]`: the value, an i64 scalar of `to`, of symbol k, for the symbols that are extents of arguments; `elements`: values of the shape
  /// arguments.
  ExtentRules(const OpenProgram& program, Function& to, std::vector<Value> given, std::span<const Value> elements);

  Value given(size_t symbol) const { return given_.at(symbol); }
  /// The extent as an i64 scalar; equal arithmetic is one value. Unsupported, with the op, where there is no rule for it.
  Value extent(Value v, int64_t d);
  /// A value of the source that follows from extents and constants, as a value of `to`; nothing for others.
  std::optional<Value> value(Value v);
  /// Whether that value depends on an extent.
  bool depends_on_extents(Value v) const { return depends_.at(v.index); }

  /// The operands that say shapes: of dynamic ops, and of custom calls that refinement knows.
  static std::vector<size_t> shape_operands(const OpView& op);
  /// A slice that begins where data say and has a length all the same: its end is its start plus this value of the source.
  std::optional<Value> moving_size(const OpView& op);

  // Arithmetic on i64 scalars.
  Value number(int64_t n);
  Value binary(const char* mnemonic, Value a, Value b);
  Value element(Value shape_operand, int64_t i);
  /// The number of a constant; nothing for other values.
  std::optional<int64_t> constant(Value v) const;

  OpBuilder& builder() { return b_; }

 private:
  Value argument_extent(Value v, int64_t d);
  Value result_extent(const OpView& op, uint32_t position, int64_t d);
  Value padded(Value x, Value low, Value high, Value interior);
  Value windows(Value x, Value low, Value high, int64_t base_dilation, int64_t window, int64_t window_dilation,
                int64_t stride);
  Value windows(Value x, Value low, Value high, int64_t base_dilation, Value window, int64_t window_dilation,
                int64_t stride);
  std::optional<Value> compute(Value v);
  [[noreturn]] void refuse(const OpView& op) const;

  const OpenProgram& program_;
  const Function& f_;
  Function& to_;
  OpBuilder b_;
  const std::vector<Value> given_;
  std::map<std::pair<uint32_t, int64_t>, Value> extents_;
  std::vector<std::optional<std::optional<Value>>> values_;
  std::vector<bool> depends_;
  std::map<int64_t, Value> numbers_;
  std::map<uint32_t, int64_t> constants_;
  std::map<std::pair<std::string, std::pair<uint32_t, uint32_t>>, Value> made_;
  std::map<std::pair<uint32_t, int64_t>, Value> elements_;
  ValueMap map_;
};

}  // namespace weft::native
