// Lists in loops that lanes leave apart: pushed and popped as often as each lane likes, read and added to at indices that differ by lane
// and meet.
#include "lane_check.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

// Pushes 1·x, 2·x, … n·x, then pops every other time until m were popped: past the end a list gives zeros.
const char* kPushAndPop = R"(
func.func @f(%x: tensor<f64>, %n: tensor<i32>, %m: tensor<i32>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %empty = "weft.stack_new"() : () -> !weft.stack<tensor<f64>>
  %r:3 = stablehlo.while(%s = %empty, %i = %zero, %v = %x) : !weft.stack<tensor<f64>>, tensor<i32>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %t = "weft.stack_push"(%s, %v) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %x : tensor<f64>
    stablehlo.return %t, %j, %w : !weft.stack<tensor<f64>>, tensor<i32>, tensor<f64>
  }
  %q:3 = stablehlo.while(%s = %r#0, %i = %zero, %v = %none) : !weft.stack<tensor<f64>>, tensor<i32>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %t:2 = "weft.stack_pop"(%s) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
    %j = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.multiply %v, %two : tensor<f64>
    %w = stablehlo.add %d, %t#1 : tensor<f64>
    stablehlo.return %t#0, %j, %w : !weft.stack<tensor<f64>>, tensor<i32>, tensor<f64>
  }
  return %q#2 : tensor<f64>
})";

TEST(LaneLists, PushedAndPoppedAsOftenAsEachLaneLikes) {
  const auto got =
      expect_lanes_equal_loop(kPushAndPop, {0, 0, 0}, 4,
                              {Tensor::of<double>({1, 2, -1, 3}, {4}), Tensor::of<int32_t>({3, 0, 5, 1}, {4}),
                               Tensor::of<int32_t>({2, 4, 1, 3}, {4})});
  EXPECT_EQ(got[0].data<double>()[0], 2 * 3 + 2);  // 3, then 2
  EXPECT_EQ(got[0].data<double>()[1], 0);
  EXPECT_EQ(got[0].data<double>()[3], 4 * 3);  // 3, then nothing twice
  expect_lanes_equal_loop(kPushAndPop, {kUniform, 0, 0}, 2,
                          {Tensor::scalar_of(1.5), Tensor::of<int32_t>({2, 4}, {2}), Tensor::of<int32_t>({3, 3}, {2})});
}

// n times: t[k] += t[k + 1] at two equal indices at once, k from the lane and the trip; indices beyond the end are skipped.
const char* kAddAt = R"(
func.func @f(%t: tensor<5xf64>, %k: tensor<i32>, %n: tensor<i32>) -> tensor<5xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %t, %i = %zero) : tensor<5xf64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %at = stablehlo.add %k, %i : tensor<i32>
    %next = stablehlo.add %at, %one : tensor<i32>
    %x = stablehlo.dynamic_slice %a, %next, sizes = [1] : (tensor<5xf64>, tensor<i32>) -> tensor<1xf64>
    %u = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xf64>) -> tensor<2xf64>
    %ii = stablehlo.broadcast_in_dim %at, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %b = "stablehlo.scatter"(%a, %ii, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<f64>, %q: tensor<f64>):
      %s = stablehlo.add %p, %q : tensor<f64>
      stablehlo.return %s : tensor<f64>
    }) : (tensor<5xf64>, tensor<2x1xi32>, tensor<2xf64>) -> tensor<5xf64>
    stablehlo.return %b, %next_i : tensor<5xf64>, tensor<i32>
  }
  return %r#0 : tensor<5xf64>
})";

TEST(LaneLists, AddedToTwiceAtOneIndexOfTheLane) {
  std::string text = kAddAt;
  const std::string last = "    stablehlo.return %b, %next_i";
  text.insert(text.find(last), "    %next_i = stablehlo.add %i, %one : tensor<i32>\n");
  std::vector<double> t(15);
  for (size_t i = 0; i < t.size(); ++i) t[i] = static_cast<double>(i) + 1;
  const Tensor k = Tensor::of<int32_t>({0, 3, 2}, {3}), n = Tensor::of<int32_t>({2, 3, 0}, {3});
  const auto got = expect_lanes_equal_loop(text, {0, 0, 0}, 3, {Tensor::of(t, {3, 5}), k, n});
  // Lane 0: t[0] += 2·t[1], then t[1] += 2·t[2].
  EXPECT_EQ(got[0].data<double>()[0], 1 + 2 * 2);
  EXPECT_EQ(got[0].data<double>()[1], 2 + 2 * 3);
  // Lane 1 leaves the list at its second and third trip: the last element doubles on itself once, the rest is skipped.
  EXPECT_EQ(got[0].data<double>()[9], 10 + 2 * 10);
  expect_lanes_equal_loop(text, {kUniform, 0, 0}, 3, {Tensor::of<double>({1, 2, 3, 4, 5}, {5}), k, n});
}

}  // namespace
}  // namespace weft
