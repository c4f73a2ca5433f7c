// Appends ops to a region with inferred result types: how rules, transforms and front ends write IR.
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir/function.h"

namespace weft {

/// dot_general's dimension numbers (specification: dot_general).
struct DotDims {
  std::vector<int64_t> lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
};

/// convolution's attributes (specification: convolution). Spatial vectors may be empty: strides and dilations 1, padding 0, no reversal.
struct ConvolutionAttrs {
  std::vector<int64_t> window_strides, padding /* low, high per spatial dimension, flattened */, lhs_dilation,
      rhs_dilation, window_reversal;
  int64_t input_batch = 0, input_feature = 0;
  std::vector<int64_t> input_spatial;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  std::vector<int64_t> kernel_spatial;
  int64_t output_batch = 0, output_feature = 0;
  std::vector<int64_t> output_spatial;
  int64_t feature_group_count = 1, batch_group_count = 1;

  /// From and to the op's flattened attributes: window_strides, padding (ints, flattened n×2), lhs_dilation, rhs_dilation,
  /// window_reversal (ints 0/1), input_batch_dimension, input_feature_dimension, input_spatial_dimensions,
  /// kernel_input_feature_dimension, …, feature_group_count, batch_group_count.
  static ConvolutionAttrs from(const Attrs& attrs);
  Attrs attrs() const;
};

/// reduce_window's and select_and_scatter's windows; empty dilations mean 1, empty padding 0.
struct WindowAttrs {
  std::vector<int64_t> dimensions, strides, base_dilations, window_dilations, padding /* flattened n×2 */;
};

class OpBuilder {
 public:
  OpBuilder(Function& function, RegionId region, const Module* module = nullptr)
      : function_(&function), region_(region), module_(module) {}

  Function& function() const { return *function_; }
  RegionId region() const { return region_; }
  const Module* module() const { return module_; }
  /// The place that ops made from now on are said to come from.
  Loc loc;

  Type type(Value v) const { return function_->type(v); }

  /// Appends an op after checking schema and types with its record; throws UserError as the type rule says.
  /// `declared` is needed by ops whose results do not follow from operands (constant, iota, convert, reshape, broadcast_in_dim, call …).
  std::vector<Value> create(std::string_view mnemonic, std::span<const Value> operands, Attrs attrs = {},
                            std::span<const Type> declared = {}, std::span<const RegionId> regions = {});
  std::vector<Value> create(const OpDef& def, std::span<const Value> operands, Attrs attrs = {},
                            std::span<const Type> declared = {}, std::span<const RegionId> regions = {});
  /// As `create` for one result.
  Value make(std::string_view mnemonic, std::initializer_list<Value> operands, Attrs attrs = {}, Type declared = {});

  // Constants. Values are rounded to the element type; integers are exact within ±2^53.
  Value constant(const Literal& literal);
  Value splat(Type type, double value);
  Value zeros(Type type) { return splat(type, 0); }
  Value scalar(ElementType element, double value) { return splat(Type::scalar(element), value); }
  Value iota(Type type, int64_t dimension);

  // Elementwise; operands of equal type.
  Value add(Value a, Value b) { return make("stablehlo.add", {a, b}); }
  Value subtract(Value a, Value b) { return make("stablehlo.subtract", {a, b}); }
  Value multiply(Value a, Value b) { return make("stablehlo.multiply", {a, b}); }
  Value divide(Value a, Value b) { return make("stablehlo.divide", {a, b}); }
  Value negate(Value a) { return make("stablehlo.negate", {a}); }
  Value logical_and(Value a, Value b) { return make("stablehlo.and", {a, b}); }
  Value logical_or(Value a, Value b) { return make("stablehlo.or", {a, b}); }
  Value logical_not(Value a) { return make("stablehlo.not", {a}); }
  Value maximum(Value a, Value b) { return make("stablehlo.maximum", {a, b}); }
  Value minimum(Value a, Value b) { return make("stablehlo.minimum", {a, b}); }
  /// direction: EQ NE LT LE GT GE. compare_type follows from the element type.
  Value compare(Value a, Value b, std::string_view direction);
  Value select(Value pred, Value on_true, Value on_false) {
    return make("stablehlo.select", {pred, on_true, on_false});
  }
  Value convert(Value x, ElementType to);

  // Structure. Ops that would change nothing return their operand.
  Value broadcast_in_dim(Value x, std::span<const int64_t> dimensions, std::span<const int64_t> shape);
  /// Rank-0 x to `shape`.
  Value broadcast_scalar(Value x, std::span<const int64_t> shape) { return broadcast_in_dim(x, {}, shape); }
  Value reshape(Value x, std::span<const int64_t> shape);
  Value transpose(Value x, std::span<const int64_t> permutation);
  Value slice(Value x, std::span<const int64_t> start, std::span<const int64_t> limit,
              std::span<const int64_t> strides = {});
  Value pad(Value x, Value padding_value, std::span<const int64_t> low, std::span<const int64_t> high,
            std::span<const int64_t> interior = {});
  Value concatenate(std::span<const Value> xs, int64_t dimension);
  Value reverse(Value x, std::span<const int64_t> dimensions);
  /// starts: one rank-0 integer value per dimension.
  Value dynamic_slice(Value x, std::span<const Value> starts, std::span<const int64_t> sizes);
  Value dynamic_update_slice(Value x, Value update, std::span<const Value> starts);

  // Contractions and reductions.
  Value dot_general(Value a, Value b, const DotDims& dims, Type declared = {});
  Value convolution(Value x, Value kernel, const ConvolutionAttrs& attrs, Type declared = {});
  /// One operand, body = one binary op ("stablehlo.add", "stablehlo.maximum", …) and its neutral element (or `init`, rank 0) as start value.
  Value reduce(Value x, std::span<const int64_t> dimensions, std::string_view body, Value init = {});
  Value reduce_window(Value x, Value init, const WindowAttrs& window, std::string_view body);
  /// A region (arg, arg) → body(arg, arg) on scalars of `element`, for reduce, scatter and the like.
  RegionId binary_region(ElementType element, std::string_view body);

  /// Makes a region of this function: calls `fill` with a builder on it and its arguments; what it returns goes to the terminator.
  template <class Fill>
  RegionId make_region(std::span<const Type> arg_types, Fill&& fill) {
    const RegionId r = function_->new_region();
    std::vector<Value> args;
    for (Type t : arg_types) args.push_back(function_->add_arg(r, t));
    OpBuilder inner(*function_, r, module_);
    inner.loc = loc;
    const std::vector<Value> results = fill(inner, std::span<const Value>(args));
    inner.yield(results);
    return r;
  }
  /// stablehlo.return in a region, func.return in the function's body.
  void yield(std::span<const Value> values);

 private:
  Function* function_;
  RegionId region_;
  const Module* module_;
};

/// A value with a builder: derivative rules read like the mathematics. Numbers on either side become splats of the other's type.
struct Val {
  OpBuilder* builder;
  Value value;
  Type type() const { return builder->type(value); }
  Val unary(std::string_view mnemonic) const { return {builder, builder->make(mnemonic, {value})}; }
  Val lift(double c) const { return {builder, builder->splat(type(), c)}; }
};
inline Val operator+(Val a, Val b) { return {a.builder, a.builder->add(a.value, b.value)}; }
inline Val operator-(Val a, Val b) { return {a.builder, a.builder->subtract(a.value, b.value)}; }
inline Val operator*(Val a, Val b) { return {a.builder, a.builder->multiply(a.value, b.value)}; }
inline Val operator/(Val a, Val b) { return {a.builder, a.builder->divide(a.value, b.value)}; }
inline Val operator-(Val a) { return {a.builder, a.builder->negate(a.value)}; }
inline Val operator+(Val a, double b) { return a + a.lift(b); }
inline Val operator-(Val a, double b) { return a - a.lift(b); }
inline Val operator*(Val a, double b) { return a * a.lift(b); }
inline Val operator/(Val a, double b) { return a / a.lift(b); }
inline Val operator+(double a, Val b) { return b.lift(a) + b; }
inline Val operator-(double a, Val b) { return b.lift(a) - b; }
inline Val operator*(double a, Val b) { return b.lift(a) * b; }
inline Val operator/(double a, Val b) { return b.lift(a) / b; }
inline Val compare(Val a, Val b, std::string_view direction) {
  return {a.builder, a.builder->compare(a.value, b.value, direction)};
}
inline Val select(Val p, Val a, Val b) { return {a.builder, a.builder->select(p.value, a.value, b.value)}; }

}  // namespace weft
