// Programs of dynamic shape made static for the shapes of their arguments: types, and values computed by hand.
#include "transform/refine_shapes.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "eval/evaluator.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"

namespace weft {
namespace {

using Floats = std::vector<float>;

Tensor f32(const Floats& values, Shape shape) { return Tensor::of(values, std::move(shape)); }

std::vector<Type> types_of(const std::vector<Tensor>& args) {
  std::vector<Type> out;
  for (const Tensor& t : args) out.push_back(Type::tensor(t.element_type(), t.shape()));
  return out;
}

/// @main made static for the arguments; no value of it is of unknown extent.
std::unique_ptr<Module> refined(const std::string& text, const std::vector<Tensor>& args) {
  auto module = parse_module(text, "m.mlir");
  EXPECT_TRUE(needs_refinement(*module, "main"));
  refine_shapes(*module, "main", types_of(args));
  verify(*module);
  EXPECT_FALSE(needs_refinement(*module, "main")) << print_module(*module);
  return module;
}

void expect(const Tensor& got, const Floats& values, const Shape& shape) {
  EXPECT_EQ(got.shape(), shape);
  const auto d = got.data<float>();
  EXPECT_EQ(Floats(d.begin(), d.end()), values);
}

TEST(RefineShapes, BoundedExtents) {
  const std::string text = R"(
func.func @main(%a: tensor<?x2xf32, #stablehlo.bounds<5, ?>>, %b: tensor<?x2xf32, #stablehlo.bounds<3, ?>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>, tensor<?x2xf32, #stablehlo.bounds<3, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<8, ?>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x2xf32, #stablehlo.bounds<8, ?>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 8>>
  %2 = stablehlo.multiply %1, %1 : tensor<2x?xf32, #stablehlo.bounds<?, 8>>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x?xf32, #stablehlo.bounds<?, 8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %3 : tensor<?xf32, #stablehlo.bounds<8>>
})";
  const std::vector<Tensor> args = {f32({1, 2, 3, 4}, {2, 2}), f32({5, 6}, {1, 2})};
  const auto module = refined(text, args);
  EXPECT_EQ(module->get("main").result_types()[0], Type::tensor(ElementType::kF32, {3}));
  // Sums of squares of the rows (1, 2), (3, 4), (5, 6).
  expect(evaluate(*module, "main", args)[0], {5, 25, 61}, {3});
}

TEST(RefineShapes, ArgumentsKeepTheirBounds) {
  auto module = parse_module("func.func @main(%a: tensor<?xf32, #stablehlo.bounds<5>>) { return }", "m.mlir");
  const std::vector<Type> six = {Type::tensor(ElementType::kF32, {6})};
  try {
    refine_shapes(*module, "main", six);
    ADD_FAILURE() << "six elements where there may be five";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("#stablehlo.bounds<5>"), std::string::npos) << error.what();
  }
}

TEST(RefineShapes, SetDimensionSize) {
  const std::string text = R"(
func.func @main(%a: tensor<4xf32>) -> tensor<f32> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.set_dimension_size %a, %three, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
})";
  const std::vector<Tensor> args = {f32({1, 2, 4, 8}, {4})};
  // The fourth element is no part of the tensor any more.
  expect(evaluate(*refined(text, args), "main", args)[0], {7}, {});
}

TEST(RefineShapes, ShapesOfIndex) {
  const std::string text = R"(
func.func @main(%a: tensor<?xf32>) -> tensor<?x?xf32> {
  %shape = stablehlo.constant dense<[3, 2]> : tensor<2xindex>
  %pads = stablehlo.constant dense<1> : tensor<1xindex>
  %none = stablehlo.constant dense<0> : tensor<1xindex>
  %v = stablehlo.constant dense<9.0> : tensor<f32>
  %0 = stablehlo.dynamic_pad %a, %v, %pads, %none, %none : (tensor<?xf32>, tensor<f32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %2 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xindex>) -> tensor<?x?xf32>
  %3 = stablehlo.add %1, %2 : tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
})";
  const std::vector<Tensor> args = {f32({1, 2, 3, 4, 5}, {5})};
  // 9 1 / 2 3 / 4 5, and one more in the second column.
  expect(evaluate(*refined(text, args), "main", args)[0], {9, 2, 2, 4, 4, 6}, {3, 2});
}

TEST(RefineShapes, ValuesOfIndexDoNotRun) {
  const auto module = parse_module(
      "func.func @main(%a: tensor<6xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {\n"
      "  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>\n"
      "  return %0 : tensor<?x?xf32>\n}",
      "m.mlir");
  try {
    evaluate(*module, "main", std::vector<Tensor>{});
    ADD_FAILURE() << "ran";
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("[stablehlo.dynamic_reshape] a value of type tensor<2xindex>"),
              std::string::npos)
        << error.what();
  }
}

TEST(RefineShapes, BranchesOfDifferentBounds) {
  const std::string text = R"(
func.func @main(%p: tensor<i1>, %a: tensor<?xf32, #stablehlo.bounds<4>>, %b: tensor<?xf32, #stablehlo.bounds<6>>) -> tensor<?xf32, #stablehlo.bounds<6>> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<?xf32, #stablehlo.bounds<4>>
  }, {
    %1 = stablehlo.negate %b : tensor<?xf32, #stablehlo.bounds<6>>
    stablehlo.return %1 : tensor<?xf32, #stablehlo.bounds<6>>
  }) : (tensor<i1>) -> tensor<?xf32, #stablehlo.bounds<6>>
  return %0 : tensor<?xf32, #stablehlo.bounds<6>>
})";
  for (bool p : {true, false}) {
    const std::vector<Tensor> args = {Tensor::scalar_of<bool>(p), f32({1, 2, 3}, {3}), f32({4, 5, 6}, {3})};
    expect(evaluate(*refined(text, args), "main", args)[0], p ? Floats{1, 2, 3} : Floats{-4, -5, -6}, {3});
  }
}

TEST(RefineShapes, ThroughCallsAndLoops) {
  // n = extent: the sum over i < n of x * i by a loop, in a callee that is told the extent.
  const std::string text = R"(
func.func private @scaled(%x: tensor<?xf32, #stablehlo.bounds<8>>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.subtract %x, %x : tensor<?xf32, #stablehlo.bounds<8>>
  %0:2 = stablehlo.while(%i = %zero, %sum = %start) : tensor<i32>, tensor<?xf32, #stablehlo.bounds<8>>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %m = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
    %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %all = stablehlo.dynamic_broadcast_in_dim %f, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %t = stablehlo.multiply %x, %all : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    %next = stablehlo.add %sum, %t : tensor<?xf32, #stablehlo.bounds<8>>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<?xf32, #stablehlo.bounds<8>>
  }
  return %0#1 : tensor<?xf32, #stablehlo.bounds<8>>
}
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
  %0 = func.call @scaled(%x, %n) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
})";
  const std::vector<Tensor> args = {f32({1, -2, 5}, {3})};
  // 0 + 1 + 2 times each.
  expect(evaluate(*refined(text, args), "main", args)[0], {3, -6, 15}, {3});
}

TEST(RefineShapes, ConversionsAndBroadcastsKeepExtents) {
  // What is declared of results says less than the operands do.
  const std::string text = R"(
func.func @main(%a: tensor<?xf32>, %b: tensor<?x2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.convert %b : (tensor<?x2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.bitcast_convert %a : (tensor<?xf32>) -> tensor<?xui32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<?xui32>) -> tensor<?xf32>
  %3 = chlo.broadcast_add %2, %0 : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = "chlo.constant_like"(%3) {value = 0.5 : f32} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<?x?xf32>
  return %5 : tensor<?x?xf32>
})";
  const std::vector<Tensor> args = {f32({10, 20}, {2}), Tensor::of(std::vector<int32_t>{1, 2, 3, 4, 5, 6}, {3, 2})};
  // The halves of 10 and 20 added to each row.
  expect(evaluate(*refined(text, args), "main", args)[0], {5.5, 11, 6.5, 12, 7.5, 13}, {3, 2});
}

TEST(RefineShapes, SymbolicExtentsAsExporters) {
  // As JAX exports x.reshape(-1, 2).sum(0) + y with a batch of b rows: extents are computed from the argument b.
  const std::string text = R"(
func.func private @flat(%b: tensor<i64>, %x: tensor<?x4xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %four = stablehlo.constant dense<4> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.multiply %b, %four : tensor<i64>
  %rows = stablehlo.divide %n, %two : tensor<i64>
  %0 = stablehlo.convert %rows : (tensor<i64>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %3 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>
  %5 = stablehlo.add %4, %y : tensor<2xf32>
  return %5 : tensor<2xf32>
}
func.func @main(%x: tensor<?x4xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %b = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
  %1 = func.call @flat(%b, %x, %y) : (tensor<i64>, tensor<?x4xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})";
  const std::vector<Tensor> args = {f32({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {3, 4}), f32({100, 200}, {2})};
  // Odd numbers up to 11, even ones up to 12.
  expect(evaluate(*refined(text, args), "main", args)[0], {136, 242}, {2});
}

TEST(RefineShapes, SlicesThatMove) {
  // As JAX exports lax.dynamic_slice(x, [i, 1], [b, 2]): starts are data, limits are the same starts, written once more, plus extents.
  const std::string text = R"(
func.func @main(%x: tensor<?x4xf32>, %i: tensor<i32>) -> tensor<?x2xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.concatenate %0, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.concatenate %2, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.subtract %m, %one : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %sizes = stablehlo.concatenate %b, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limits = stablehlo.add %3, %sizes : tensor<2xi32>
  %strides = stablehlo.constant dense<1> : tensor<2xi32>
  %r = stablehlo.real_dynamic_slice %x, %1, %limits, %strides : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
})";
  for (int32_t i : {0, 1}) {
    const std::vector<Tensor> args = {f32({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {3, 4}),
                                      Tensor::scalar_of<int32_t>(i)};
    // Two of the three rows, columns 1 and 2.
    expect(evaluate(*refined(text, args), "main", args)[0], i == 0 ? Floats{2, 3, 6, 7} : Floats{6, 7, 10, 11}, {2, 2});
  }
}

TEST(RefineShapes, LimitsThatAreNotStartsPlusConstantsStayOpen) {
  const auto module = parse_module(R"(
func.func @main(%x: tensor<4xf32>, %i: tensor<1xi32>, %j: tensor<1xi32>) -> tensor<?xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %limits = stablehlo.add %j, %two : tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %x, %i, %limits, %one : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})",
                                   "m.mlir");
  refine_shapes(*module, "main", module->get("main").arg_types());
  EXPECT_NE(print_module(*module).find("real_dynamic_slice"), std::string::npos) << print_module(*module);
}

TEST(RefineShapes, ValuesThatDoNotFitAreRefused) {
  // The extent comes as data: nothing refines it, and what it is does not fit the other operand.
  const auto module = parse_module(R"(
func.func @main(%a: tensor<3xf32>, %n: tensor<1xi32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.dynamic_broadcast_in_dim %one, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.add %a, %0 : (tensor<3xf32>, tensor<?xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
})",
                                   "m.mlir");
  const auto run = [&](int32_t n) {
    return evaluate(*module, "main",
                    std::vector<Tensor>{f32({1, 2, 3}, {3}), Tensor::of(std::vector<int32_t>{n}, {1})})[0];
  };
  expect(run(3), {2, 3, 4}, {3});
  try {
    run(2);
    ADD_FAILURE() << "added two elements to three";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("[stablehlo.add]"), std::string::npos) << error.what();
  }
}

TEST(RefineShapes, CallsOfFunctionsWithoutBodiesStay) {
  const std::string text = R"(
func.func private @f(tensor<?xf32>) -> tensor<2xf32>
func.func @main(%a: tensor<?xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<?xf32>
  %1 = func.call @f(%0) : (tensor<?xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})";
  const std::vector<Tensor> args = {f32({1, 2, 3}, {3})};
  const auto module = refined(text, args);
  EXPECT_NE(print_module(*module).find("call @f"), std::string::npos) << print_module(*module);
  EXPECT_THROW(evaluate(*module, "main", args), Unsupported);
}

}  // namespace
}  // namespace weft
