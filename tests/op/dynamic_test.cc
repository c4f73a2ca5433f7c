// Values of ops whose shapes are operands, with shapes that are known only when they run; and what impossible shapes are told.
#include "ops/indexing/index_elements.h"
#include "tests/op/run_op.h"

namespace weft::test {
namespace {

using Ints = std::vector<int64_t>;

Tensor i32(const std::vector<int32_t>& values, Shape shape) { return Tensor::of(values, std::move(shape)); }
Tensor extents(const Ints& values) { return Tensor::of(values, {static_cast<int64_t>(values.size())}); }

void expect_i32(const Tensor& got, const std::vector<int32_t>& values, const Shape& shape) {
  EXPECT_EQ(got.shape(), shape);
  const auto d = got.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(d.begin(), d.end()), values);
}

/// The op on arguments, shapes included, so that nothing folds; the result's static type is `result`.
Tensor run(std::string_view mnemonic, const std::vector<Tensor>& args, Attrs attrs, Type result) {
  return run_op(args, [&](OpBuilder& b, std::span<const Value> v) {
    return b.create(mnemonic, v, attrs, std::vector<Type>{result});
  })[0];
}

void expect_refused(const std::string& what, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "accepted, expected: " << what;
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

const Type kI32Line6 = Type::tensor(ElementType::kI32, {6});

TEST(Dynamic, BroadcastInDim) {  // the specification's example
  expect_i32(run("stablehlo.dynamic_broadcast_in_dim", {i32({1, 2, 3}, {1, 3}), extents({2, 3, 2})},
                 {{"broadcast_dimensions", Ints{2, 1}}}, Type::tensor(ElementType::kI32, {2, 3, 2})),
             {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}, {2, 3, 2});
}

TEST(Dynamic, Iota) {
  expect_i32(run("stablehlo.dynamic_iota", {extents({2, 3})}, {{"iota_dimension", int64_t{1}}},
                 Type::tensor(ElementType::kI32, {2, 3})),
             {0, 1, 2, 0, 1, 2}, {2, 3});
}

TEST(Dynamic, Reshape) {
  expect_i32(run("stablehlo.dynamic_reshape", {i32({1, 2, 3, 4, 5, 6}, {2, 3}), extents({3, 2})}, {},
                 Type::tensor(ElementType::kI32, {3, 2})),
             {1, 2, 3, 4, 5, 6}, {3, 2});
}

TEST(Dynamic, Pad) {  // the specification's example of pad, one row of it
  expect_i32(run("stablehlo.dynamic_pad",
                 {i32({1, 2, 3}, {3}), i32({0}, {}), extents({-1}), extents({2}), extents({1})}, {}, kI32Line6),
             {0, 2, 0, 3, 0, 0}, {6});
}

TEST(Dynamic, Slice) {
  expect_i32(
      run("stablehlo.real_dynamic_slice", {i32({0, 1, 2, 3, 4, 5, 6}, {7}), extents({1}), extents({7}), extents({3})},
          {}, Type::tensor(ElementType::kI32, {2})),
      {1, 4}, {2});
}

TEST(Dynamic, Gather) {
  const Attrs rows{{"offset_dims", Ints{1}},
                   {"collapsed_slice_dims", Ints{0}},
                   {"start_index_map", Ints{0}},
                   {"index_vector_dim", int64_t{1}}};
  expect_i32(run("stablehlo.dynamic_gather", {i32({1, 2, 3, 4, 5, 6}, {3, 2}), i32({2, 0}, {2, 1}), extents({1, 2})},
                 rows, Type::tensor(ElementType::kI32, {2, 2})),
             {5, 6, 1, 2}, {2, 2});
}

TEST(Dynamic, Convolution) {
  ConvolutionAttrs conv;  // [b, 0, f] x [0, i, o] -> [b, 0, f]
  conv.input_feature = conv.output_feature = 2;
  conv.input_spatial = conv.output_spatial = {1};
  conv.kernel_spatial = {0};
  conv.kernel_input_feature = 1;
  conv.kernel_output_feature = 2;
  Attrs attrs = conv.attrs();
  attrs.erase("padding");
  // 1 2 3 with a zero on either side, windows of two: 10·x[i] + x[i+1].
  expect_i32(run("stablehlo.dynamic_conv",
                 {i32({1, 2, 3}, {1, 3, 1}), i32({10, 1}, {2, 1, 1}), Tensor::of(Ints{1, 1}, {1, 2})}, attrs,
                 Type::tensor(ElementType::kI32, {1, 4, 1})),
             {1, 12, 23, 30}, {1, 4, 1});
}

TEST(Dynamic, DimensionSizes) {
  const Tensor x = i32({1, 2, 3, 4, 5, 6}, {2, 3});
  expect_i32(run("stablehlo.get_dimension_size", {x}, {{"dimension", int64_t{1}}}, Type::scalar(ElementType::kI32)),
             {3}, {});
  expect_i32(run("stablehlo.set_dimension_size", {x, i32({2}, {})}, {{"dimension", int64_t{1}}},
                 Type::tensor(ElementType::kI32, {2, 2})),
             {1, 2, 4, 5}, {2, 2});
}

TEST(Dynamic, ImpossibleShapesAreRefused) {
  const Tensor x = i32({1, 2, 3, 4}, {4});
  const Type line = Type::tensor(ElementType::kI32, {4});
  expect_refused("no negative value",
                 [&] { run("stablehlo.dynamic_iota", {extents({-1})}, {{"iota_dimension", int64_t{0}}}, line); });
  expect_refused("expected tensor<4xi32>",
                 [&] { run("stablehlo.dynamic_iota", {extents({5})}, {{"iota_dimension", int64_t{0}}}, line); });
  expect_refused("reshape_c2", [&] { run("stablehlo.dynamic_reshape", {x, extents({5})}, {}, line); });
  expect_refused("slice_c3",
                 [&] { run("stablehlo.real_dynamic_slice", {x, extents({3}), extents({9}), extents({1})}, {}, line); });
  expect_refused("any memory", [&] {
    run("stablehlo.dynamic_broadcast_in_dim", {i32({1}, {}), extents({int64_t{1} << 61})},
        {{"broadcast_dimensions", Ints{}}}, line);
  });
}

}  // namespace
}  // namespace weft::test
