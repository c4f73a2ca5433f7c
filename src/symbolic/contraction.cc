// Products, convolutions and pooling.
#include <array>
#include <cmath>

#include "base/format.h"
#include "ops/scalar/num.h"
#include "symbolic/elementwise.h"

namespace weft {

using namespace symbolic;

namespace {

using Values = std::vector<Value>;
using Ints = std::vector<int64_t>;

void expect_same_type(std::string_view op, const Loc& loc, const Expr& a, const Expr& b) {
  if (a.element_type() != b.element_type()) {
    fail(op, loc,
         "the operands differ in element type: got " + describe(a) + " and " + describe(b) +
             ", expected one type (use cast)");
  }
}

void expect_contraction(std::string_view op, const Loc& loc, const Expr& a, int64_t axis_a, const Expr& b,
                        int64_t axis_b) {
  if (a.dim(axis_a) != b.dim(axis_b)) {
    fail(op, loc,
         "the contracted extents differ: got " + describe(a) + " and " + describe(b) + ", expected axis " +
             std::to_string(axis_b) + " of the second to be " + std::to_string(a.dim(axis_a)));
  }
}

/// Padding of one spatial axis: low and high.
std::array<int64_t, 2> padding_of(Padding padding, int64_t extent, int64_t window, int64_t stride, int64_t dilation) {
  if (padding == Padding::kValid) return {0, 0};
  const int64_t reach = (window - 1) * dilation + 1;
  const int64_t outputs = (extent + stride - 1) / stride;
  const int64_t total = std::max<int64_t>(0, (outputs - 1) * stride + reach - extent);
  return {total / 2, total - total / 2};
}

/// Two positive numbers, for height and width.
void expect_pair(std::string_view op, const Loc& loc, std::string_view what, const Ints& v) {
  if (v.size() != 2 || v[0] < 1 || v[1] < 1) {
    fail(op, loc, std::string(what) + ": got " + format_list(v) + ", expected two positive numbers (height, width)");
  }
}

struct Pool {
  WindowAttrs window;
  Shape spatial;  // h, w
};

Pool pool_of(std::string_view op, const Operand& x, const PoolOptions& options) {
  const Expr& e = tensor_operand(op, x);
  const Loc loc = to_loc(x.loc());
  if (e.rank() != 4) fail(op, loc, "rank: got " + describe(e) + ", expected [n, h, w, c]");
  const Ints strides = options.strides.empty() ? options.window : options.strides;
  expect_pair(op, loc, "window", options.window);
  expect_pair(op, loc, "strides", strides);
  Pool pool;
  pool.spatial = {e.dim(1), e.dim(2)};
  pool.window.dimensions = {1, options.window[0], options.window[1], 1};
  pool.window.strides = {1, strides[0], strides[1], 1};
  pool.window.padding = {0, 0};
  for (size_t i = 0; i < 2; ++i) {
    const auto pads = padding_of(options.padding, pool.spatial[i], options.window[i], strides[i], 1);
    pool.window.padding.insert(pool.window.padding.end(), pads.begin(), pads.end());
  }
  pool.window.padding.insert(pool.window.padding.end(), {0, 0});
  return pool;
}

}  // namespace

Expr dot(Operand a, Operand b) {
  const Expr &x = tensor_operand("dot", a), &y = tensor_operand("dot", b);
  const Loc loc = to_loc(a.loc());
  for (const Expr* e : {&x, &y}) {
    if (e->rank() < 1 || e->rank() > 2)
      fail("dot", loc, "rank: got " + describe(*e) + ", expected a vector or a matrix (matmul is batched)");
  }
  expect_same_type("dot", loc, x, y);
  const int64_t last = x.rank() - 1;
  expect_contraction("dot", loc, x, last, y, 0);
  return make_op(loc, {x, y}, [last](OpBuilder& build, std::span<const Value> v) {
    return Values{build.dot_general(v[0], v[1], {{}, {}, {last}, {0}})};
  });
}

Expr matmul(Operand a, Operand b) {
  const Expr &x = tensor_operand("matmul", a), &y = tensor_operand("matmul", b);
  const Loc loc = to_loc(a.loc());
  if (x.rank() <= 2 && y.rank() <= 2) return dot(a, b);
  if (x.rank() < 2 || y.rank() < 2)
    fail("matmul", loc, "rank: got " + describe(x) + " and " + describe(y) + ", expected [..., m, k] and [..., k, n]");
  expect_same_type("matmul", loc, x, y);
  expect_contraction("matmul", loc, x, x.rank() - 1, y, y.rank() - 2);
  const Shape batch = broadcast_shapes("matmul", loc, Shape(x.shape().begin(), x.shape().end() - 2),
                                       Shape(y.shape().begin(), y.shape().end() - 2));
  Shape full_x = batch, full_y = batch;
  full_x.insert(full_x.end(), x.shape().end() - 2, x.shape().end());
  full_y.insert(full_y.end(), y.shape().end() - 2, y.shape().end());
  return make_op(loc, {x, y}, [=](OpBuilder& build, std::span<const Value> v) {
    DotDims dims;
    for (int64_t i = 0; i < static_cast<int64_t>(batch.size()); ++i) dims.lhs_batching.push_back(i);
    dims.rhs_batching = dims.lhs_batching;
    dims.lhs_contracting = {static_cast<int64_t>(batch.size()) + 1};
    dims.rhs_contracting = {static_cast<int64_t>(batch.size())};
    return Values{build.dot_general(broadcast_value(build, v[0], full_x), broadcast_value(build, v[1], full_y), dims)};
  });
}

Expr conv2d(Operand x, Operand kernel, Conv2dOptions options) {
  const Expr &image = tensor_operand("conv2d", x), &k = tensor_operand("conv2d", kernel);
  const Loc loc = to_loc(x.loc());
  if (image.rank() != 4) fail("conv2d", loc, "rank of x: got " + describe(image) + ", expected [n, h, w, channels]");
  if (k.rank() != 4)
    fail("conv2d", loc, "rank of the kernel: got " + describe(k) + ", expected [kh, kw, channels / groups, features]");
  expect_same_type("conv2d", loc, image, k);
  expect_pair("conv2d", loc, "strides", options.strides);
  expect_pair("conv2d", loc, "dilation", options.dilation);
  if (options.groups < 1 || image.dim(3) % options.groups != 0 || k.dim(3) % options.groups != 0) {
    fail("conv2d", loc,
         "groups: got " + std::to_string(options.groups) + ", expected a divisor of " + std::to_string(image.dim(3)) +
             " channels and " + std::to_string(k.dim(3)) + " features");
  }
  if (k.dim(2) * options.groups != image.dim(3)) {
    fail("conv2d", loc,
         "channels of the kernel: got " + describe(k) + ", expected axis 2 to be " +
             std::to_string(image.dim(3) / options.groups) + " for " + describe(image));
  }
  ConvolutionAttrs attrs;
  attrs.window_strides = options.strides;
  attrs.rhs_dilation = options.dilation;
  for (size_t i = 0; i < 2; ++i) {
    const auto axis = static_cast<int64_t>(i);
    const auto pads =
        padding_of(options.padding, image.dim(axis + 1), k.dim(axis), options.strides[i], options.dilation[i]);
    attrs.padding.insert(attrs.padding.end(), pads.begin(), pads.end());
  }
  attrs.input_batch = attrs.output_batch = 0;
  attrs.input_feature = attrs.output_feature = 3;
  attrs.input_spatial = attrs.output_spatial = {1, 2};
  attrs.kernel_spatial = {0, 1};
  attrs.kernel_input_feature = 2;
  attrs.kernel_output_feature = 3;
  attrs.feature_group_count = options.groups;
  return make_op(loc, {image, k},
                 [attrs](OpBuilder& b, std::span<const Value> v) { return Values{b.convolution(v[0], v[1], attrs)}; });
}

Expr max_pool(Operand x, PoolOptions options) {
  const Pool pool = pool_of("max_pool", x, options);
  const ElementType type = x.expr().element_type();
  if (!is_float(type))
    fail("max_pool", to_loc(x.loc()), "element type: got " + describe(x.expr()) + ", expected a floating-point type");
  return make_op(to_loc(x.loc()), {x.expr()}, [=](OpBuilder& b, std::span<const Value> v) {
    return Values{b.reduce_window(v[0], b.scalar(type, -HUGE_VAL), pool.window, "stablehlo.maximum")};
  });
}

Expr avg_pool(Operand x, PoolOptions options) {
  const Pool pool = pool_of("avg_pool", x, options);
  const ElementType type = x.expr().element_type();
  if (!is_float(type))
    fail("avg_pool", to_loc(x.loc()), "element type: got " + describe(x.expr()) + ", expected a floating-point type");
  const Expr total = make_op(to_loc(x.loc()), {x.expr()}, [=](OpBuilder& b, std::span<const Value> v) {
    return Values{b.reduce_window(v[0], b.scalar(type, 0), pool.window, "stablehlo.add")};
  });
  // Cells that a window covers within the image: padding does not count.
  Tensor counts(type, {total.dim(1), total.dim(2), 1});
  int64_t next = 0;
  const auto covered = [&](size_t axis, int64_t output) {
    const int64_t first = output * pool.window.strides[axis + 1] - pool.window.padding[2 * (axis + 1)];
    const int64_t last = std::min(first + pool.window.dimensions[axis + 1], pool.spatial[axis]);
    return last - std::max<int64_t>(first, 0);
  };
  for (int64_t i = 0; i < total.dim(1); ++i) {
    for (int64_t j = 0; j < total.dim(2); ++j) {
      store_num(counts.raw(), Num::of_real(type, static_cast<double>(covered(0, i) * covered(1, j))), next++);
    }
  }
  return Operand(total, x.loc()) / Operand(counts, x.loc());
}

}  // namespace weft
