// Results are computed where the caller wants them, also behind views and updates.
#include <gtest/gtest.h>

#include "tests/native/on_both.h"

namespace weft::test {
namespace {

/// `temporaries`: bytes of what stands between all the same, rounded up.
void expect_nothing_between(const std::string& text, const std::vector<Tensor>& args, size_t temporaries = 0) {
  const OnBoth got = on_both(text, args);
  ASSERT_EQ(got.native.size(), got.eval.size());
  for (size_t i = 0; i < got.eval.size(); ++i) expect_same_bits(got.native[i], got.eval[i], text);
  const auto executable = get_target("native").compile(parse_module(text, "test"), "main", {});
  EXPECT_LE(executable->memory_use().arena, temporaries) << executable->explain();
}

Tensor ramp(const Shape& shape) {
  Tensor x(ElementType::kF32, shape);
  for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = static_cast<float>(i % 131) * 0.5f;
  return x;
}

TEST(ResultPlaces, BehindAReshape) {
  expect_nothing_between(R"(func.func @main(%x: tensor<60x80xf32>) -> tensor<60x640xf32> {
  %b = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<60x80xf32>) -> tensor<60x80x8xf32>
  %y = stablehlo.reshape %b : (tensor<60x80x8xf32>) -> tensor<60x640xf32>
  return %y : tensor<60x640xf32>
})",
                         {ramp({60, 80})});
}

TEST(ResultPlaces, BehindAScatter) {
  Tensor at(ElementType::kI32, {50, 1});
  for (int64_t i = 0; i < 50; ++i) at.mutable_data<int32_t>()[i] = static_cast<int32_t>(i * i % 23);
  expect_nothing_between(R"(func.func @main(%i: tensor<50x1xi32>, %u: tensor<50x70xf32>) -> tensor<23x70xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<23x70xf32>
  %y = "stablehlo.scatter"(%zero, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<23x70xf32>, tensor<50x1xi32>, tensor<50x70xf32>) -> tensor<23x70xf32>
  return %y : tensor<23x70xf32>
})",
                         {at, ramp({50, 70})});
}

TEST(ResultPlaces, BehindALoopThatFillsThem) {
  expect_nothing_between(R"(func.func @main(%x: tensor<70x40xf32>) -> tensor<70x40xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<70> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<70x40xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %empty) : tensor<i32>, tensor<70x40xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 40] : (tensor<70x40xf32>, tensor<i32>, tensor<i32>) -> tensor<1x40xf32>
    %b = stablehlo.dynamic_slice %y, %i, %zero, sizes = [1, 40] : (tensor<70x40xf32>, tensor<i32>, tensor<i32>) -> tensor<1x40xf32>
    %c = stablehlo.add %a, %b : tensor<1x40xf32>
    %z = stablehlo.dynamic_update_slice %y, %c, %i, %zero : (tensor<70x40xf32>, tensor<1x40xf32>, tensor<i32>, tensor<i32>) -> tensor<70x40xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<70x40xf32>
  }
  return %0#1 : tensor<70x40xf32>
})",
                         {ramp({70, 40})}, /*temporaries=*/256);
}

/// What stands before the update is read afterwards: it must not be written over.
TEST(ResultPlaces, BothSidesOfAnUpdate) {
  const std::string text =
      R"(func.func @main(%x: tensor<40xf32>, %u: tensor<3xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<4x10xf32>) {
  %k = stablehlo.constant dense<5> : tensor<i32>
  %e = stablehlo.exponential %x : tensor<40xf32>
  %y = stablehlo.dynamic_update_slice %e, %u, %k : (tensor<40xf32>, tensor<3xf32>, tensor<i32>) -> tensor<40xf32>
  %z = stablehlo.subtract %e, %y : tensor<40xf32>
  %v = stablehlo.reshape %y : (tensor<40xf32>) -> tensor<4x10xf32>
  return %y, %z, %v : tensor<40xf32>, tensor<40xf32>, tensor<4x10xf32>
})";
  Tensor x(ElementType::kF32, {40});
  for (int64_t i = 0; i < 40; ++i) x.mutable_data<float>()[i] = 0;  // exp(0) = 1 exactly
  const OnBoth got = on_both(text, {x, ramp({3})});
  for (size_t i = 0; i < 3; ++i) expect_same_bits(got.native[i], got.eval[i], text);
}

}  // namespace
}  // namespace weft::test
