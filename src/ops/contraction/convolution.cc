#include "ops/contraction/convolution.h"

#include "ops/contraction/dot_general.h"
#include "ops/families.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

/// Attributes with every spatial list filled in, and extents.
struct Conv : ConvolutionAttrs {
  std::vector<int64_t> in, window;  // spatial extents
  size_t spatial;

  Conv(const Attrs& attrs, Type lhs, Type rhs) : ConvolutionAttrs(from(attrs)), spatial(input_spatial.size()) {
    fill(window_strides, spatial, 1);
    fill(padding, 2 * spatial, 0);
    fill(lhs_dilation, spatial, 1);
    fill(rhs_dilation, spatial, 1);
    fill(window_reversal, spatial, 0);
    in = pick(lhs.shape(), input_spatial);
    window = pick(rhs.shape(), kernel_spatial);
  }
  explicit Conv(const OpView& op) : Conv(op.attrs(), op.operand_type(0), op.operand_type(1)) {}
  int64_t groups() const { return std::max(feature_group_count, batch_group_count); }

 private:
  static void fill(std::vector<int64_t>& list, size_t count, int64_t value) {
    if (list.empty()) list.assign(count, value);
  }
};

int64_t dilated(int64_t extent, int64_t dilation) { return extent == 0 ? 0 : (extent - 1) * dilation + 1; }

Value convolve(OpBuilder& b, Value x, Value kernel, const ConvolutionAttrs& conv, const Attrs& like,
               Type declared = {}) {
  Attrs attrs = conv.attrs();
  if (const Attr* precision = like.find("precision_config")) attrs.set("precision_config", *precision);
  const Value operands[] = {x, kernel};
  if (!declared) return b.create("stablehlo.convolution", operands, attrs)[0];
  const Type types[] = {declared};
  return b.create("stablehlo.convolution", operands, attrs, types)[0];
}

/// [.., g*n at `from`, .., m at `to`, ..] → [.., n, .., g*m, ..]: groups move from the outside of one axis to the outside of another.
Value move_groups(OpBuilder& b, Value x, int64_t from, int64_t to, int64_t groups) {
  if (groups == 1) return x;
  x = split_axis(b, x, from, groups);
  const int64_t target = to < from ? to : to + 1;  // where `to` stands now
  x = move_axis(b, x, from, from < target ? target - 1 : target);
  return merge_axes(b, x, to);
}

/// The cotangent of lhs: the cotangent of the result, dilated by the strides, convolved with the reversed kernel whose
/// feature roles are swapped.
Value transpose_lhs(OpBuilder& b, const Conv& c, const Attrs& like, Type result, Value cotangent, Value kernel) {
  ConvolutionAttrs t;
  t.window_strides = c.lhs_dilation;
  t.lhs_dilation = c.window_strides;
  t.rhs_dilation = c.rhs_dilation;
  for (size_t d = 0; d < c.spatial; ++d) {
    const int64_t out = dilated(result.dim(c.output_spatial[d]), c.window_strides[d]);
    const int64_t reach = dilated(c.window[d], c.rhs_dilation[d]);
    const int64_t low = reach - 1 - c.padding[2 * d];
    t.padding.push_back(low);
    t.padding.push_back(dilated(c.in[d], c.lhs_dilation[d]) - 1 + reach - low - out);
    t.window_reversal.push_back(c.window_reversal[d] == 0);
  }
  t.input_batch = c.output_batch;
  t.input_feature = c.output_feature;
  t.input_spatial = c.output_spatial;
  t.kernel_input_feature = c.kernel_output_feature;
  t.kernel_output_feature = c.kernel_input_feature;
  t.kernel_spatial = c.kernel_spatial;
  t.output_batch = c.input_batch;
  t.output_feature = c.input_feature;
  t.output_spatial = c.input_spatial;
  t.feature_group_count = c.groups();
  // Kernel [I, g*(O/g)] → in features O/g, out features g*I.
  kernel = move_groups(b, kernel, c.kernel_output_feature, c.kernel_input_feature, c.groups());
  Value x = convolve(b, cotangent, kernel, t, like);
  // With batch groups the groups of features are groups of the batch.
  if (c.batch_group_count > 1) x = move_groups(b, x, c.input_feature, c.input_batch, c.batch_group_count);
  return x;
}

/// The cotangent of the kernel: lhs convolved with the cotangent of the result as kernel; the batch is what is contracted.
Value transpose_rhs(OpBuilder& b, const Conv& c, const Attrs& like, Type result, Value lhs, Value cotangent) {
  ConvolutionAttrs t;
  t.window_strides = c.rhs_dilation;
  t.lhs_dilation = c.lhs_dilation;
  t.rhs_dilation = c.window_strides;
  std::vector<int64_t> reversed;
  for (size_t d = 0; d < c.spatial; ++d) {
    const int64_t out = dilated(result.dim(c.output_spatial[d]), c.window_strides[d]);
    const int64_t low = c.padding[2 * d];
    t.padding.push_back(low);
    t.padding.push_back(dilated(c.window[d], c.rhs_dilation[d]) - 1 + out - dilated(c.in[d], c.lhs_dilation[d]) - low);
    t.window_reversal.push_back(0);
    if (c.window_reversal[d] != 0) reversed.push_back(c.kernel_spatial[d]);
  }
  t.input_batch = c.input_feature;
  t.input_feature = c.input_batch;
  t.input_spatial = c.input_spatial;
  t.kernel_input_feature = c.output_batch;
  t.kernel_output_feature = c.output_feature;
  t.kernel_spatial = c.output_spatial;
  t.output_batch = c.kernel_input_feature;
  t.output_feature = c.kernel_output_feature;
  t.output_spatial = c.kernel_spatial;
  // What was grouped in features is grouped in the new batch, and the other way round.
  t.batch_group_count = c.feature_group_count;
  t.feature_group_count = c.batch_group_count;
  return b.reverse(convolve(b, lhs, cotangent, t, like), reversed);
}

}  // namespace

int64_t num_windows(int64_t extent, int64_t base_dilation, int64_t low, int64_t high, int64_t window,
                    int64_t window_dilation, int64_t stride) {
  if (extent == kDynamic || window == kDynamic) return kDynamic;
  // Attributes are the user's and may be huge.
  const auto spread = [](int64_t n, int64_t dilation) {
    return n == 0 ? __int128{0} : (__int128{n} - 1) * dilation + 1;
  };
  const __int128 padded = __int128{low} + spread(extent, base_dilation) + high, reach = spread(window, window_dilation);
  if (padded <= 0 || reach > padded) return 0;
  return static_cast<int64_t>(std::min<__int128>((padded - reach) / stride + 1, INT64_MAX));
}

std::vector<Type> type_convolution(const TypeContext& context) {
  context.expect_operands(2);
  expect_tensor(context, 0);
  expect_tensor(context, 1);
  const Type lhs = context.operands[0], rhs = context.operands[1];
  const Attrs& a = context.attrs;
  const int64_t rank = lhs.rank();
  if (rank != rhs.rank()) {
    context.fail("convolution_c1",
                 "rank of rhs: got " + std::to_string(rhs.rank()) + ", expected " + std::to_string(rank));
  }
  if (rank < 2) context.fail("convolution_c1", "rank of lhs: got " + std::to_string(rank) + ", expected at least 2");
  const size_t n = static_cast<size_t>(rank) - 2;
  const auto expect_list = [&](int number, std::string_view name, size_t count) {
    if (a.has(name))
      expect_count(context, "convolution_c" + std::to_string(number), std::string(name), a.ints(name).size(), count);
  };
  expect_list(12, "input_spatial_dimensions", n);
  expect_list(17, "kernel_spatial_dimensions", n);
  expect_list(19, "output_spatial_dimensions", n);
  expect_list(2, "window_strides", n);
  expect_list(4, "padding", 2 * n);
  expect_list(5, "lhs_dilation", n);
  expect_list(7, "rhs_dilation", n);
  expect_list(9, "window_reversal", n);
  expect_positive(context, "convolution_c3", "window_strides", a.ints_or("window_strides", n, 1));
  expect_positive(context, "convolution_c6", "lhs_dilation", a.ints_or("lhs_dilation", n, 1));
  expect_positive(context, "convolution_c8", "rhs_dilation", a.ints_or("rhs_dilation", n, 1));
  const int64_t feature_groups = a.integer_or("feature_group_count", 1),
                batch_groups = a.integer_or("batch_group_count", 1);
  if (feature_groups <= 0)
    context.fail("convolution_c21", "feature_group_count must be positive: got " + std::to_string(feature_groups));
  if (batch_groups <= 0)
    context.fail("convolution_c22", "batch_group_count must be positive: got " + std::to_string(batch_groups));
  if (feature_groups > 1 && batch_groups > 1) {
    context.fail("convolution_c23", "feature_group_count and batch_group_count must not both be above 1: got " +
                                        std::to_string(feature_groups) + " and " + std::to_string(batch_groups));
  }
  const auto expect_dimensions = [&](std::string_view label, std::string_view what, int64_t one, int64_t two,
                                     const std::vector<int64_t>& spatial) {
    const std::vector<int64_t> all = joined({std::vector{one}, spatial, std::vector{two}});
    expect_unique(context, label, what, all);
    expect_in_range(context, label, what, all, rank);
  };
  expect_dimensions("convolution_c13", "input dimensions", a.integer("input_batch_dimension"),
                    a.integer("input_feature_dimension"), a.ints("input_spatial_dimensions"));
  expect_dimensions("convolution_c18", "kernel dimensions", a.integer("kernel_input_feature_dimension"),
                    a.integer("kernel_output_feature_dimension"), a.ints("kernel_spatial_dimensions"));
  expect_dimensions("convolution_c20", "output dimensions", a.integer("output_batch_dimension"),
                    a.integer("output_feature_dimension"), a.ints("output_spatial_dimensions"));
  check_precision(context, "convolution_c24");
  if (lhs.element_type() != rhs.element_type()) {
    context.fail("convolution_c27", "element type of rhs: got " + std::string(name(rhs.element_type())) +
                                        ", expected " + std::string(name(lhs.element_type())));
  }
  const Conv c(a, lhs, rhs);
  const int64_t batch = lhs.dim(c.input_batch), feature = lhs.dim(c.input_feature);
  const int64_t depth = rhs.dim(c.kernel_input_feature), features = rhs.dim(c.kernel_output_feature);
  const auto expect_multiple = [&](std::string_view label, std::string_view what, int64_t extent, std::string_view of,
                                   int64_t count) {
    if (extent != kDynamic && extent % count != 0) {
      context.fail(label, std::string(what) + ": got " + std::to_string(extent) + ", expected a multiple of " +
                              std::string(of) + " " + std::to_string(count));
    }
  };
  expect_multiple("convolution_c10", "batch extent of lhs", batch, "batch_group_count", batch_groups);
  expect_multiple("convolution_c11", "feature extent of lhs", feature, "feature_group_count", feature_groups);
  if (feature != kDynamic && !compatible_extent(depth, feature / feature_groups)) {
    context.fail("convolution_c14", "input feature extent of rhs: got " + std::to_string(depth) + ", expected " +
                                        std::to_string(feature / feature_groups));
  }
  expect_multiple("convolution_c15", "output feature extent of rhs", features, "batch_group_count", batch_groups);
  expect_multiple("convolution_c16", "output feature extent of rhs", features, "feature_group_count", feature_groups);
  for (int64_t w : c.window) {
    if (w == 0) context.fail("", "window extents must be positive: got " + format_list(c.window));
  }

  // The same from sizes and from bounds: both grow with the operands' extents.
  const auto result_extents = [&](const std::vector<int64_t>& in, const std::vector<int64_t>& kernel) {
    std::vector<int64_t> out(static_cast<size_t>(rank));
    const int64_t images = in[static_cast<size_t>(c.input_batch)];
    out[static_cast<size_t>(c.output_batch)] = images == kDynamic ? kDynamic : images / batch_groups;
    out[static_cast<size_t>(c.output_feature)] = kernel[static_cast<size_t>(c.kernel_output_feature)];
    for (size_t d = 0; d < n; ++d) {
      out[static_cast<size_t>(c.output_spatial[d])] =
          num_windows(in[static_cast<size_t>(a.ints("input_spatial_dimensions")[d])], c.lhs_dilation[d],
                      c.padding[2 * d], c.padding[2 * d + 1], c.window[d], c.rhs_dilation[d], c.window_strides[d]);
    }
    return out;
  };
  const std::vector<int64_t> shape = result_extents({lhs.shape().begin(), lhs.shape().end()},
                                                    {rhs.shape().begin(), rhs.shape().end()}),
                             bounds = result_extents(bounds_of(lhs), bounds_of(rhs));
  const bool declared = context.declared.size() == 1 && context.declared[0].is_tensor();
  const Type result =
      Type::tensor(declared ? context.declared[0].element_type() : lhs.element_type(), shape).with_bounds(bounds);
  if (declared && !is_compatible(result, context.declared[0])) {
    context.expect_equal(context.declared[0].rank() == rank ? "convolution_c25" : "convolution_c26", "result type",
                         context.declared[0], result);
  }
  return {result};
}

std::vector<Value> transpose_convolution(TransposeContext& context, const OpView& op,
                                         std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Conv c(op);
  const Attrs& like = op.attrs();
  const Type lhs = op.operand_type(0), rhs = op.operand_type(1), result = op.result_type();
  const size_t side = context.is_linear(0) ? 0 : 1;
  const Type own = side == 0 ? lhs : rhs;
  const Value other = op.operand(1 - side);
  std::vector<Value> out(2);
  // Without window positions (or elements) there is nothing to convolve; the padding formulas below need some.
  if (result.num_elements() == 0 || own.num_elements() == 0) {
    out[side] = b.zeros(own);
    return out;
  }
  const ElementType element = result.element_type();
  const Value x = side == 0 ? transpose_lhs(b, c, like, result, cotangents[0], b.convert(other, element))
                            : transpose_rhs(b, c, like, result, b.convert(other, element), cotangents[0]);
  out[side] = b.convert(x, own.element_type());
  return out;
}

std::vector<LaneValue> vectorize_convolution(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const Type result = op.result_type();
  const int64_t lanes = context.lanes();
  if (lanes == 0) return {{b.zeros(with_lanes(result, 0)), true}};  // a group count of 0 is none
  const Conv c(op);
  ConvolutionAttrs t = c;
  Value x = operands[0].value, kernel = operands[1].value;
  // Puts the lane axis outside of axis `axis` of the unbatched value, inside its `groups` outer groups: [.., g*lanes*n, ..].
  const auto merge_lanes = [&](Value v, int64_t axis, int64_t groups) {
    if (groups == 1) return merge_axes(b, move_axis(b, v, 0, axis), axis);
    v = split_axis(b, v, axis + 1, groups);  // lanes in front, [.., g, n, ..] at axis + 1
    v = move_axis(b, v, 0, axis + 1);        // [.., g, lanes, n, ..] at axis
    return merge_axes(b, merge_axes(b, v, axis), axis);
  };
  // The reverse on the result: lanes in front again.
  const auto split_lanes = [&](Value v, int64_t axis, int64_t groups) {
    if (groups > 1) v = split_axis(b, v, axis, groups);
    const int64_t at = groups > 1 ? axis + 1 : axis;
    v = move_axis(b, split_axis(b, v, at, lanes), at, 0);
    return groups > 1 ? merge_axes(b, v, axis + 1) : v;
  };
  int64_t axis, groups = 1;  // of the result: where lanes come out
  if (operands[0].varies && operands[1].varies) {
    // Lanes are groups: of features, or of the batch when that is grouped already.
    const bool by_batch = c.batch_group_count > 1;
    x = merge_lanes(x, by_batch ? c.input_batch : c.input_feature, 1);
    kernel = merge_lanes(kernel, c.kernel_output_feature, 1);
    (by_batch ? t.batch_group_count : t.feature_group_count) *= lanes;
    axis = c.output_feature;
  } else if (operands[0].varies) {
    x = merge_lanes(x, c.input_batch, c.batch_group_count);
    axis = c.output_batch;
  } else {
    groups = c.groups();
    kernel = merge_lanes(kernel, c.kernel_output_feature, groups);
    axis = c.output_feature;
  }
  std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
  shape[static_cast<size_t>(axis)] *= lanes;
  const Value y = convolve(b, x, kernel, t, op.attrs(), result.with_shape(shape));
  return {{split_lanes(y, axis, groups), true}};
}

Cost cost_convolution(const OpView& op) {
  const Type result = op.result_type(), rhs = op.operand_type(1);
  if (!result.is_static() || !rhs.is_static()) return {0, moved_bytes(op)};
  const Conv c(op);
  double taps = static_cast<double>(rhs.dim(c.kernel_input_feature));
  for (int64_t w : c.window) taps *= static_cast<double>(w);
  return {2 * taps * static_cast<double>(result.num_elements()), moved_bytes(op)};
}

std::vector<Sample> samples_convolution() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, std::vector<int64_t> lhs, std::vector<int64_t> rhs, ConvolutionAttrs attrs,
                       ElementType e = ElementType::kF64) {
    out.push_back(
        {std::move(label),
         {{Type::tensor(e, lhs), {}}, {Type::tensor(e, rhs), {}}},
         [attrs](OpBuilder& b, std::span<const Value> x) { return std::vector{b.convolution(x[0], x[1], attrs)}; },
         is_float(e)});
  };
  // [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f]
  ConvolutionAttrs nhwc;
  nhwc.input_batch = nhwc.output_batch = 0;
  nhwc.input_feature = nhwc.output_feature = 3;
  nhwc.input_spatial = nhwc.output_spatial = {1, 2};
  nhwc.kernel_input_feature = 2;
  nhwc.kernel_output_feature = 3;
  nhwc.kernel_spatial = {0, 1};
  // [f, 0, b] x [o, 0, i] -> [0, b, f]
  ConvolutionAttrs crossed;
  crossed.input_feature = 0;
  crossed.input_batch = 2;
  crossed.input_spatial = {1};
  crossed.kernel_output_feature = 0;
  crossed.kernel_input_feature = 2;
  crossed.kernel_spatial = {1};
  crossed.output_batch = 1;
  crossed.output_feature = 2;
  crossed.output_spatial = {0};

  add("plain", {2, 5, 4, 3}, {3, 2, 3, 2}, nhwc);
  add("plain_f32", {2, 5, 4, 3}, {3, 2, 3, 2}, nhwc, ElementType::kF32);
  add("plain_bf16", {1, 4, 4, 2}, {2, 2, 2, 2}, nhwc, ElementType::kBF16);
  add("plain_i32", {1, 4, 4, 2}, {2, 2, 2, 2}, nhwc, ElementType::kI32);
  add("crossed", {3, 5, 2}, {4, 2, 3}, crossed);
  ConvolutionAttrs a = nhwc;
  a.window_strides = {2, 3};
  a.padding = {1, 2, 0, 3};
  add("strides_padding", {2, 6, 5, 2}, {3, 2, 2, 3}, a);
  a.padding = {-1, 2, 1, -2};
  add("negative_padding", {1, 7, 6, 2}, {2, 2, 2, 2}, a);
  a.lhs_dilation = {2, 1};
  a.rhs_dilation = {1, 2};
  a.padding = {2, 1, 1, 1};
  add("dilations", {1, 4, 6, 2}, {3, 2, 2, 2}, a);
  a.window_reversal = {1, 0};
  add("reversal", {1, 4, 6, 2}, {3, 2, 2, 2}, a);
  a.feature_group_count = 2;
  add("feature_groups", {2, 4, 6, 4}, {3, 2, 2, 6}, a);
  a.feature_group_count = 1;
  a.batch_group_count = 2;
  add("batch_groups", {4, 4, 6, 3}, {3, 2, 3, 6}, a);
  ConvolutionAttrs g = crossed;
  g.feature_group_count = 3;
  add("feature_groups_crossed", {6, 5, 2}, {3, 2, 2}, g);
  g.feature_group_count = 1;
  g.batch_group_count = 2;
  add("batch_groups_crossed", {3, 5, 4}, {4, 2, 3}, g);
  ConvolutionAttrs none;
  none.input_batch = none.output_batch = 0;
  none.input_feature = none.output_feature = 1;
  none.kernel_input_feature = 0;
  none.kernel_output_feature = 1;
  add("no_spatial_dimension", {2, 3}, {3, 4}, none);
  add("no_window_fits", {1, 2, 2, 1}, {3, 3, 1, 1}, nhwc);
  add("empty_batch", {0, 4, 4, 2}, {2, 2, 2, 2}, nhwc, ElementType::kF32);
  return out;
}

}  // namespace weft
