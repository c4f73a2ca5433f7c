// Scatters of many updates: in parts with places of their own, or in parallel where no two updates meet. Values against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "native/codegen/kernel.h"
#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

std::string scatter_text(const std::string& x, const std::string& indices, const std::string& updates,
                         const std::string& numbers, const std::string& element, const std::string& body,
                         bool unique = false) {
  return "func.func @main(%x: " + x + ", %i: " + indices + ", %u: " + updates + ") -> " + x +
         " {\n  %r = \"stablehlo.scatter\"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = "
         "#stablehlo.scatter<" +
         numbers + ">, unique_indices = " + (unique ? "true" : "false") + "}> ({\n  ^bb0(%a: tensor<" + element +
         ">, %b: tensor<" + element + ">):\n    %c = stablehlo." + body + " %a, %b : tensor<" + element +
         ">\n    stablehlo.return %c : tensor<" + element + ">\n  }) : (" + x + ", " + indices + ", " + updates +
         ") -> " + x + "\n  return %r : " + x + "\n}";
}
const std::string kPoints = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1";

template <class T>
Tensor made(ElementType t, Shape shape, const std::function<T(int64_t)>& f) {
  Tensor out(t, std::move(shape));
  for (int64_t i = 0; i < out.size(); ++i) out.mutable_data<T>()[static_cast<size_t>(i)] = f(i);
  return out;
}

/// Indices from -3 to extent + 2: some are outside.
Tensor random_indices(Shape shape, int64_t extent, unsigned seed) {
  std::mt19937 random(seed);
  return made<int32_t>(ElementType::kI32, std::move(shape), [&](int64_t) {
    return static_cast<int32_t>(static_cast<int64_t>(random() % static_cast<uint64_t>(extent + 6)) - 3);
  });
}

Tensor run(const std::string& text, const std::vector<Tensor>& args) {
  return native_target().compile(parse_module(text, "test"), "main")->run(args)[0];
}

codegen::KernelPlan plan_of(const std::string& text) {
  return codegen::plan_kernel(parse_module(text, "test")->get("main"), {});
}

template <class T>
void expect_points(ElementType type, const std::string& element, const std::string& body,
                   const std::function<T(T, T)>& f, double tolerance) {
  constexpr int64_t kPlaces = 777, kUpdates = 200000;
  const std::string text = scatter_text("tensor<777x" + element + ">", "tensor<200000x1xi32>",
                                        "tensor<200000x" + element + ">", kPoints, element, body);
  EXPECT_GT(plan_of(text).finish_units, 0) << body;
  std::mt19937 random(4);
  const auto number = [&](int64_t) { return static_cast<T>(static_cast<double>(random() % 4001) / 1000 - 2); };
  const Tensor x = made<T>(type, {kPlaces}, number), u = made<T>(type, {kUpdates}, number);
  const Tensor i = random_indices({kUpdates, 1}, kPlaces, 5);
  std::vector<T> want(x.data<T>().begin(), x.data<T>().end());
  for (int64_t k = 0; k < kUpdates; ++k) {
    const int32_t at = i.data<int32_t>()[static_cast<size_t>(k)];
    if (at < 0 || at >= kPlaces) continue;
    T& w = want[static_cast<size_t>(at)];
    w = f(w, u.data<T>()[static_cast<size_t>(k)]);
  }
  const Tensor got = run(text, {x, i, u});
  for (size_t k = 0; k < want.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(got.data<T>()[k]), static_cast<double>(want[k]), tolerance)
        << element << " " << body << " " << k;
  }
}

TEST(Scatter, ManyUpdatesOfFewPlacesGoInParts) {
  expect_points<double>(ElementType::kF64, "f64", "add", [](double a, double b) { return a + b; }, 1e-10);
  expect_points<float>(ElementType::kF32, "f32", "maximum", [](float a, float b) { return std::max(a, b); }, 0);
  expect_points<float>(ElementType::kF32, "f32", "minimum", [](float a, float b) { return std::min(a, b); }, 0);
  expect_points<int32_t>(ElementType::kI32, "i32", "add", [](int32_t a, int32_t b) { return a + b; }, 0);
  expect_points<int8_t>(
      ElementType::kI8, "i8", "add", [](int8_t a, int8_t b) { return static_cast<int8_t>(a + b); }, 0);
  expect_points<int32_t>(ElementType::kI32, "i32", "xor", [](int32_t a, int32_t b) { return a ^ b; }, 0);
}

TEST(Scatter, ABodyWithAnOrderIsDoneInOrder) {
  const std::string text =
      scatter_text("tensor<777xi32>", "tensor<200000x1xi32>", "tensor<200000xi32>", kPoints, "i32", "subtract");
  EXPECT_EQ(plan_of(text).finish_units, 0);
}

TEST(Scatter, RowsOfThree) {
  constexpr int64_t kPlaces = 500, kUpdates = 40000;
  const std::string text = scatter_text(
      "tensor<500x3xf64>", "tensor<40000xi32>", "tensor<40000x3xf64>",
      "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
      "f64", "add");
  EXPECT_GT(plan_of(text).finish_units, 0);
  std::mt19937 random(4);
  const auto number = [&](int64_t) { return static_cast<double>(random() % 1000); };
  const Tensor x = made<double>(ElementType::kF64, {kPlaces, 3}, number),
               u = made<double>(ElementType::kF64, {kUpdates, 3}, number), i = random_indices({kUpdates}, kPlaces, 6);
  std::vector<double> want(x.data<double>().begin(), x.data<double>().end());
  for (int64_t k = 0; k < kUpdates; ++k) {
    const int32_t at = i.data<int32_t>()[static_cast<size_t>(k)];
    if (at < 0 || at >= kPlaces) continue;
    for (int64_t c = 0; c < 3; ++c)
      want[static_cast<size_t>(at * 3 + c)] += u.data<double>()[static_cast<size_t>(k * 3 + c)];
  }
  const Tensor got = run(text, {x, i, u});
  EXPECT_TRUE(std::ranges::equal(got.data<double>(), want));
}

TEST(Scatter, WindowsThatLieAcrossTheEnd) {
  // Windows of 4 along the axis that the indices place: elements outside are left out one by one.
  constexpr int64_t kPlaces = 100, kUpdates = 30000;
  const std::string text =
      scatter_text("tensor<100xi32>", "tensor<30000x1xi32>", "tensor<30000x4xi32>",
                   "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", "i32", "add");
  EXPECT_GT(plan_of(text).finish_units, 0);
  const Tensor x = made<int32_t>(ElementType::kI32, {kPlaces}, [](int64_t i) { return static_cast<int32_t>(i); }),
               u = made<int32_t>(ElementType::kI32, {kUpdates, 4},
                                 [](int64_t i) { return static_cast<int32_t>(i % 97); }),
               i = random_indices({kUpdates, 1}, kPlaces, 6);
  std::vector<int32_t> want(x.data<int32_t>().begin(), x.data<int32_t>().end());
  for (int64_t k = 0; k < kUpdates; ++k) {
    for (int64_t c = 0; c < 4; ++c) {
      const int64_t at = i.data<int32_t>()[static_cast<size_t>(k)] + c;
      if (at >= 0 && at < kPlaces) want[static_cast<size_t>(at)] += u.data<int32_t>()[static_cast<size_t>(4 * k + c)];
    }
  }
  EXPECT_TRUE(std::ranges::equal(run(text, {x, i, u}).data<int32_t>(), want));
}

TEST(Scatter, WhatCannotMeetRunsInParallel) {
  // Each row of the batch has its own updates, with a body whose order counts.
  constexpr int64_t kRows = 40, kPlaces = 50, kUpdates = 60;
  const std::string rows =
      scatter_text("tensor<40x50xi32>", "tensor<40x60x1xi32>", "tensor<40x60xi32>",
                   "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
                   "scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
                   "i32", "subtract");
  EXPECT_EQ(plan_of(rows).units, kRows);
  const Tensor x = made<int32_t>(ElementType::kI32, {kRows, kPlaces},
                                 [](int64_t i) { return static_cast<int32_t>(i); }),
               u = made<int32_t>(ElementType::kI32, {kRows, kUpdates},
                                 [](int64_t i) { return static_cast<int32_t>(i % 97); }),
               i = random_indices({kRows, kUpdates, 1}, kPlaces, 6);
  std::vector<int32_t> want(x.data<int32_t>().begin(), x.data<int32_t>().end());
  for (int64_t k = 0; k < kRows * kUpdates; ++k) {
    const int32_t at = i.data<int32_t>()[static_cast<size_t>(k)];
    if (at >= 0 && at < kPlaces)
      want[static_cast<size_t>(k / kUpdates * kPlaces + at)] -= u.data<int32_t>()[static_cast<size_t>(k)];
  }
  EXPECT_TRUE(std::ranges::equal(run(rows, {x, i, u}).data<int32_t>(), want));

  // Unique indices.
  const std::string text =
      scatter_text("tensor<5000xi32>", "tensor<5000x1xi32>", "tensor<5000xi32>", kPoints, "i32", "subtract", true);
  EXPECT_EQ(plan_of(text).units, 5000);
  Tensor order(ElementType::kI32, {5000, 1});
  for (int k = 0; k < 5000; ++k) order.mutable_data<int32_t>()[static_cast<size_t>(k)] = (k * 1237 + 11) % 5000;
  const auto ramp = [](int64_t k) { return static_cast<int32_t>(3 * k); };
  const Tensor got = run(
      text, {made<int32_t>(ElementType::kI32, {5000}, ramp), order, made<int32_t>(ElementType::kI32, {5000}, ramp)});
  for (int k = 0; k < 5000; ++k) {
    const int at = (k * 1237 + 11) % 5000;
    EXPECT_EQ(got.data<int32_t>()[static_cast<size_t>(at)], 3 * at - 3 * k);
  }
}

// One update for each line of a constant: compared and chosen, by no scatter.
TEST(Scatter, OneUpdateALineOfAConstant) {
  constexpr int64_t kRows = 40, kColumns = 300;
  const auto program = [](const std::string& body, const std::string& index) {
    return "func.func @main(%i: tensor<40x1x" + index +
           ">, %u: tensor<40x1xf32>) -> tensor<40x300xf32> {\n"
           "  %x = stablehlo.constant dense<0.5> : tensor<40x300xf32>\n"
           "  %r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = "
           "#stablehlo.scatter<inserted_window_dims = [1], "
           "input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
           "index_vector_dim = 2>}> ({\n"
           "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %c = " +
           body +
           " : tensor<f32>\n"
           "    stablehlo.return %c : tensor<f32>\n  }) : (tensor<40x300xf32>, tensor<40x1x" +
           index + ">, tensor<40x1xf32>) -> tensor<40x300xf32>\n  return %r : tensor<40x300xf32>\n}";
  };
  const Tensor u = made<float>(ElementType::kF32, {kRows, 1}, [](int64_t i) { return static_cast<float>(i) - 20; });
  const auto index = [](int64_t row) {
    return row == 5 ? -1 : row == 6 ? kColumns : row == 7 ? int64_t{1} << 31 : row * 7 % kColumns;
  };
  const auto expect = [&](const std::string& text, const Tensor& i, const std::function<float(float)>& f) {
    const auto executable = native_target().compile(parse_module(text, "test"), "main");
    EXPECT_EQ(executable->explain().find("scatter"), std::string::npos) << executable->explain();
    const Tensor got = executable->run(std::vector<Tensor>{i, u})[0];
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kColumns; ++c) {
        const float want = index(r) == c ? f(static_cast<float>(r) - 20) : 0.5f;
        EXPECT_EQ(got.data<float>()[static_cast<size_t>(r * kColumns + c)], want) << r << " " << c;
      }
    }
  };
  const Tensor wide = made<int64_t>(ElementType::kI64, {kRows, 1}, index);
  const Tensor narrow =
      made<int32_t>(ElementType::kI32, {kRows, 1}, [&](int64_t r) { return static_cast<int32_t>(index(r)); });
  expect(program("stablehlo.add %a, %b", "i64"), wide, [](float v) { return 0.5f + v; });
  expect(program("stablehlo.add %a, %b", "i32"), narrow, [](float v) { return 0.5f + v; });
  expect(program("stablehlo.maximum %a, %b", "i32"), narrow, [](float v) { return std::max(0.5f, v); });
}

}  // namespace
}  // namespace weft
