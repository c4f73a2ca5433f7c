#include "ops/builder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/float_format.h"
#include "ops/families.h"
#include "ops/scalar/num.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

Ints to_ints(std::span<const int64_t> v) { return Ints(v.begin(), v.end()); }

Ints or_default(const Ints& v, size_t count, int64_t fallback) { return v.empty() ? Ints(count, fallback) : v; }

bool all_equal(std::span<const int64_t> v, int64_t to) {
  return std::ranges::all_of(v, [to](int64_t x) { return x == to; });
}

}  // namespace

ConvolutionAttrs ConvolutionAttrs::from(const Attrs& a) {
  ConvolutionAttrs c;
  c.input_batch = a.integer("input_batch_dimension");
  c.input_feature = a.integer("input_feature_dimension");
  c.input_spatial = a.ints("input_spatial_dimensions");
  c.kernel_input_feature = a.integer("kernel_input_feature_dimension");
  c.kernel_output_feature = a.integer("kernel_output_feature_dimension");
  c.kernel_spatial = a.ints("kernel_spatial_dimensions");
  c.output_batch = a.integer("output_batch_dimension");
  c.output_feature = a.integer("output_feature_dimension");
  c.output_spatial = a.ints("output_spatial_dimensions");
  const size_t n = c.input_spatial.size();
  c.window_strides = a.ints_or("window_strides", n, 1);
  c.padding = a.ints_or("padding", 2 * n, 0);
  c.lhs_dilation = a.ints_or("lhs_dilation", n, 1);
  c.rhs_dilation = a.ints_or("rhs_dilation", n, 1);
  c.window_reversal = a.ints_or("window_reversal", n, 0);
  c.feature_group_count = a.integer_or("feature_group_count", 1);
  c.batch_group_count = a.integer_or("batch_group_count", 1);
  return c;
}

Attrs ConvolutionAttrs::attrs() const {
  const size_t n = input_spatial.size();
  return Attrs{
      {"window_strides", or_default(window_strides, n, 1)},
      {"padding", or_default(padding, 2 * n, 0)},
      {"lhs_dilation", or_default(lhs_dilation, n, 1)},
      {"rhs_dilation", or_default(rhs_dilation, n, 1)},
      {"window_reversal", or_default(window_reversal, n, 0)},
      {"input_batch_dimension", input_batch},
      {"input_feature_dimension", input_feature},
      {"input_spatial_dimensions", input_spatial},
      {"kernel_input_feature_dimension", kernel_input_feature},
      {"kernel_output_feature_dimension", kernel_output_feature},
      {"kernel_spatial_dimensions", kernel_spatial},
      {"output_batch_dimension", output_batch},
      {"output_feature_dimension", output_feature},
      {"output_spatial_dimensions", output_spatial},
      {"feature_group_count", feature_group_count},
      {"batch_group_count", batch_group_count},
  };
}

std::vector<Value> OpBuilder::create(std::string_view mnemonic, std::span<const Value> operands, Attrs attrs,
                                     std::span<const Type> declared, std::span<const RegionId> regions) {
  return create(get_op(mnemonic), operands, std::move(attrs), declared, regions);
}

std::vector<Value> OpBuilder::create(const OpDef& def, std::span<const Value> operands, Attrs attrs,
                                     std::span<const Type> declared, std::span<const RegionId> regions) {
  TypeContext context{def, {}, attrs, *function_, regions, {declared.begin(), declared.end()}, module_, loc};
  for (Value v : operands) {
    if (!v) throw InternalError("[" + std::string(def.mnemonic) + "] an operand is missing", loc);
    context.operands.push_back(function_->type(v));
  }
  const std::vector<Type> types = check_op(context);
  return function_->results(function_->append(region_, def, operands, std::move(attrs), types, regions, loc));
}

Value OpBuilder::make(std::string_view mnemonic, std::initializer_list<Value> operands, Attrs attrs, Type declared) {
  const std::span<const Type> types(&declared, declared ? 1 : 0);
  const std::vector<Value> results =
      create(mnemonic, std::span(operands.begin(), operands.size()), std::move(attrs), types);
  if (results.size() != 1) throw InternalError("[" + std::string(mnemonic) + "] does not have one result", loc);
  return results[0];
}

Value OpBuilder::constant(const Literal& literal) {
  return make("stablehlo.constant", {}, {{"value", literal}}, literal.type);
}

Value OpBuilder::splat(Type type, double value) {
  return constant(Literal::splat_of(type, scalar_tensor(type.element_type(), value)));
}

Value OpBuilder::iota(Type type, int64_t dimension) {
  return make("stablehlo.iota", {}, {{"iota_dimension", dimension}}, type);
}

Value OpBuilder::compare(Value a, Value b, std::string_view direction) {
  const ElementType t = type(a).element_type();
  const std::string_view kind = is_float(t) || is_complex(t) ? "FLOAT" : is_signed_integer(t) ? "SIGNED" : "UNSIGNED";
  return make("stablehlo.compare", {a, b}, {{"comparison_direction", direction}, {"compare_type", kind}});
}

Value OpBuilder::convert(Value x, ElementType to) {
  if (type(x).element_type() == to) return x;
  return make("stablehlo.convert", {x}, {}, type(x).with_element(to));
}

Value OpBuilder::broadcast_in_dim(Value x, std::span<const int64_t> dimensions, std::span<const int64_t> shape) {
  const Type result = type(x).with_shape(shape);
  const bool in_order = std::ranges::is_sorted(dimensions) && dimensions.size() == shape.size();
  if (result == type(x) && in_order) return x;
  return make("stablehlo.broadcast_in_dim", {x}, {{"broadcast_dimensions", to_ints(dimensions)}}, result);
}

Value OpBuilder::reshape(Value x, std::span<const int64_t> shape) {
  const Type result = type(x).with_shape(shape);
  return result == type(x) ? x : make("stablehlo.reshape", {x}, {}, result);
}

Value OpBuilder::transpose(Value x, std::span<const int64_t> permutation) {
  if (permutation.size() == type(x).shape().size() && std::ranges::is_sorted(permutation)) return x;
  return make("stablehlo.transpose", {x}, {{"permutation", to_ints(permutation)}});
}

Value OpBuilder::slice(Value x, std::span<const int64_t> start, std::span<const int64_t> limit,
                       std::span<const int64_t> strides) {
  const Ints step = strides.empty() ? Ints(start.size(), 1) : to_ints(strides);
  if (all_equal(start, 0) && all_equal(step, 1) && std::ranges::equal(limit, type(x).shape())) return x;
  return make("stablehlo.slice", {x},
              {{"start_indices", to_ints(start)}, {"limit_indices", to_ints(limit)}, {"strides", step}});
}

Value OpBuilder::pad(Value x, Value padding_value, std::span<const int64_t> low, std::span<const int64_t> high,
                     std::span<const int64_t> interior) {
  const Ints inner = interior.empty() ? Ints(low.size(), 0) : to_ints(interior);
  if (all_equal(low, 0) && all_equal(high, 0) && all_equal(inner, 0)) return x;
  return make("stablehlo.pad", {x, padding_value},
              {{"edge_padding_low", to_ints(low)}, {"edge_padding_high", to_ints(high)}, {"interior_padding", inner}});
}

Value OpBuilder::concatenate(std::span<const Value> xs, int64_t dimension) {
  if (xs.size() == 1) return xs[0];
  return create("stablehlo.concatenate", xs, {{"dimension", dimension}})[0];
}

Value OpBuilder::reverse(Value x, std::span<const int64_t> dimensions) {
  if (dimensions.empty()) return x;
  return make("stablehlo.reverse", {x}, {{"dimensions", to_ints(dimensions)}});
}

Value OpBuilder::dynamic_slice(Value x, std::span<const Value> starts, std::span<const int64_t> sizes) {
  std::vector<Value> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return create("stablehlo.dynamic_slice", operands, {{"slice_sizes", to_ints(sizes)}})[0];
}

Value OpBuilder::dynamic_update_slice(Value x, Value update, std::span<const Value> starts) {
  std::vector<Value> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return create("stablehlo.dynamic_update_slice", operands)[0];
}

Value OpBuilder::dot_general(Value a, Value b, const DotDims& dims, Type declared) {
  return make("stablehlo.dot_general", {a, b},
              {{"lhs_batching_dimensions", dims.lhs_batching},
               {"rhs_batching_dimensions", dims.rhs_batching},
               {"lhs_contracting_dimensions", dims.lhs_contracting},
               {"rhs_contracting_dimensions", dims.rhs_contracting}},
              declared);
}

Value OpBuilder::convolution(Value x, Value kernel, const ConvolutionAttrs& attrs, Type declared) {
  return make("stablehlo.convolution", {x, kernel}, attrs.attrs(), declared);
}

namespace {

/// The element that `body` leaves everything unchanged with.
Tensor neutral_element(std::string_view body, ElementType t) {
  const bool is_min = body == "stablehlo.minimum";
  Tensor out = Tensor::zeros(t, {});
  if (body == "stablehlo.multiply") return scalar_tensor(t, 1);
  if (body == "stablehlo.and") {
    store_num(out.raw(), Num::of_bits(t, -1), 0);
  } else if (is_min || body == "stablehlo.maximum") {
    const double end = is_min ? HUGE_VAL : -HUGE_VAL;
    if (is_complex(t)) {  // ordered by the real part first
      store_num(out.raw(), Num::of_complex(t, end, end), 0);
      return out;
    }
    if (is_small_float(t)) return scalar_tensor(t, is_min ? largest_value(t) : lowest_value(t));
    if (is_float(t)) return scalar_tensor(t, end);
    const int64_t top =
        is_signed_integer(t) ? int64_t(uint64_t{1} << (bit_width(t) - 1)) : 0;  // INT_MIN; 0 when unsigned
    store_num(out.raw(), Num::of_bits(t, is_min ? ~top : top), 0);
  } else if (body != "stablehlo.add" && body != "stablehlo.or" && body != "stablehlo.xor") {
    throw InternalError("[stablehlo.reduce] no neutral element is known for " + std::string(body));
  }
  return out;
}

}  // namespace

RegionId OpBuilder::binary_region(ElementType element, std::string_view body) {
  const Type t = Type::scalar(element);
  const std::array<Type, 2> args = {t, t};
  return make_region(
      args, [&](OpBuilder& b, std::span<const Value> v) { return std::vector<Value>{b.make(body, {v[0], v[1]})}; });
}

Value OpBuilder::reduce(Value x, std::span<const int64_t> dimensions, std::string_view body, Value init) {
  const ElementType t = type(x).element_type();
  if (!init) init = constant(Literal::dense(neutral_element(body, t)));
  const std::array<Value, 2> operands = {x, init};
  const std::array<RegionId, 1> regions = {binary_region(t, body)};
  return create("stablehlo.reduce", operands, {{"dimensions", to_ints(dimensions)}}, {}, regions)[0];
}

Value OpBuilder::reduce_window(Value x, Value init, const WindowAttrs& w, std::string_view body) {
  const size_t n = w.dimensions.size();
  const std::array<Value, 2> operands = {x, init};
  const std::array<RegionId, 1> regions = {binary_region(type(x).element_type(), body)};
  return create("stablehlo.reduce_window", operands,
                {{"window_dimensions", w.dimensions},
                 {"window_strides", or_default(w.strides, n, 1)},
                 {"base_dilations", or_default(w.base_dilations, n, 1)},
                 {"window_dilations", or_default(w.window_dilations, n, 1)},
                 {"padding", or_default(w.padding, 2 * n, 0)}},
                {}, regions)[0];
}

void OpBuilder::yield(std::span<const Value> values) {
  create(region_ == function_->body() ? "func.return" : "stablehlo.return", values);
}

}  // namespace weft
