// Rows that are reduced and read again in one kernel, and producers of reductions that never exist in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

Tensor random_floats(const Shape& shape, unsigned seed) {
  Tensor t(ElementType::kF32, shape);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[i] = normal(random);
  return t;
}

std::shared_ptr<Executable> compiled(const std::string& text) {
  return native_target().compile(parse_module(text, "test"), "main");
}

std::string softmax(int64_t rows, int64_t n) {
  const std::string r = "tensor<" + std::to_string(rows) + "xf32>";
  const std::string x = "tensor<" + std::to_string(rows) + "x" + std::to_string(n) + "xf32>";
  return "func.func @main(%x: " + x + ") -> " + x + R"( {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ()" +
         x + ", tensor<f32>) -> " + r + R"(
  %lows = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> )" +
         r + R"(
  %k = stablehlo.maximum %lows, %m : )" +
         r + R"(
  %b = stablehlo.broadcast_in_dim %k, dims = [0] : ()" +
         r + ") -> " + x + R"(
  %d = stablehlo.subtract %x, %b : )" +
         x + R"(
  %e = stablehlo.exponential %d : )" +
         x + R"(
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : ()" +
         x + ", tensor<f32>) -> " + r + R"(
  %t = stablehlo.broadcast_in_dim %s, dims = [0] : ()" +
         r + ") -> " + x + R"(
  %y = stablehlo.divide %e, %t : )" +
         x + "\n  return %y : " + x + "\n}\n";
}

// Rows in the lanes, rows with a rest, rows too long for the stack.
TEST(FusedRows, Softmax) {
  for (const auto& [rows, n] : std::vector<std::pair<int64_t, int64_t>>{{70, 10}, {40, 128}, {33, 1003}, {20, 20000}}) {
    const auto executable = compiled(softmax(rows, n));
    const Tensor x = random_floats({rows, n}, 3);
    const Tensor y = executable->run(std::vector<Tensor>{x})[0];
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = x.data<float>().data() + i * n;
      const double largest = *std::max_element(row, row + n);
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += std::exp(row[j] - largest);
      for (int64_t j = 0; j < n; ++j) {
        const double want = std::exp(row[j] - largest) / sum;
        ASSERT_NEAR(y.data<float>()[static_cast<size_t>(i * n + j)], want, 2e-6 * want) << rows << " x " << n;
      }
    }
    if (n >= 32) {
      EXPECT_NE(executable->explain().find("1 kernels, arena 0 bytes"), std::string::npos) << executable->explain();
    }
  }
}

// A transposed softmax reads rows across the lanes: each row must still be reduced once.
TEST(FusedRows, TransposedRowsAreReducedOnce) {
  std::string text = softmax(300, 200);
  const auto at = text.find("  return");
  text = text.substr(0, at) +
         "  %z = stablehlo.transpose %y, dims = [1, 0] : (tensor<300x200xf32>) -> tensor<200x300xf32>\n"
         "  return %z : tensor<200x300xf32>\n}\n";
  text.replace(text.find("-> tensor<300x200xf32> {"), 24, "-> tensor<200x300xf32> {");
  const auto executable = compiled(text), plain = compiled(softmax(300, 200));
  const Tensor x = random_floats({300, 200}, 4);
  const Tensor z = executable->run(std::vector<Tensor>{x})[0], y = plain->run(std::vector<Tensor>{x})[0];
  for (size_t i = 0; i < 300; ++i) {
    for (size_t j = 0; j < 200; ++j)
      ASSERT_NEAR(z.data<float>()[j * 300 + i], y.data<float>()[i * 200 + j], 1e-6) << i << ", " << j;
  }
  // More than one kernel: a reduction inside the loop over columns would run once for each of them.
  EXPECT_EQ(executable->explain().find("1 kernels"), std::string::npos) << executable->explain();
}

// Distances of 20,000 points to each other are 1.6 GB; 300 of these rows are compared.
TEST(FusedRows, PairsNeverExist) {
  const auto executable = compiled(R"(
func.func @main(%x: tensor<20000x3xf32>, %y: tensor<20000x3xf32>) -> tensor<20000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<20000x3xf32>) -> tensor<20000x20000x3xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<20000x3xf32>) -> tensor<20000x20000x3xf32>
  %d = stablehlo.subtract %a, %b : tensor<20000x20000x3xf32>
  %s = stablehlo.multiply %d, %d : tensor<20000x20000x3xf32>
  %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [2] : (tensor<20000x20000x3xf32>, tensor<f32>) -> tensor<20000x20000xf32>
  %q = stablehlo.sqrt %r : tensor<20000x20000xf32>
  %o = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [1] : (tensor<20000x20000xf32>, tensor<f32>) -> tensor<20000xf32>
  return %o : tensor<20000xf32>
})");
  EXPECT_NE(executable->explain().find("arena 0 bytes"), std::string::npos) << executable->explain();
  const Tensor x = random_floats({20000, 3}, 5), y = random_floats({20000, 3}, 6);
  const Tensor got = executable->run(std::vector<Tensor>{x, y})[0];
  for (size_t i = 0; i < 20000; i += 67) {
    double sum = 0;
    for (size_t j = 0; j < 20000; ++j) {
      double square = 0;
      for (size_t k = 0; k < 3; ++k) {
        const double d = x.data<float>()[3 * i + k] - y.data<float>()[3 * j + k];
        square += d * d;
      }
      sum += std::sqrt(square);
    }
    ASSERT_NEAR(got.data<float>()[i], sum, 1e-5 * sum) << i;
  }
}

// Table entries that are read at run-time places, summed: the table of what was read does not exist.
TEST(FusedRows, GatheredElementsAreSummedWhereTheyAreRead) {
  const auto executable = compiled(R"(
func.func @main(%x: tensor<1000xf32>, %i: tensor<60000x1xi32>) -> tensor<300xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<1000xf32>, tensor<60000x1xi32>) -> tensor<60000xf32>
  %h = stablehlo.reshape %g : (tensor<60000xf32>) -> tensor<300x200xf32>
  %q = stablehlo.exponential %h : tensor<300x200xf32>
  %o = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [1] : (tensor<300x200xf32>, tensor<f32>) -> tensor<300xf32>
  return %o : tensor<300xf32>
})");
  EXPECT_NE(executable->explain().find("arena 0 bytes"), std::string::npos) << executable->explain();
  const Tensor x = random_floats({1000}, 7);
  Tensor i(ElementType::kI32, {60000, 1});
  for (int32_t k = 0; k < 60000; ++k) i.mutable_data<int32_t>()[k] = k * 7919 % 1000;
  const Tensor got = executable->run(std::vector<Tensor>{x, i})[0];
  for (size_t r = 0; r < 300; ++r) {
    double sum = 0;
    for (size_t k = 0; k < 200; ++k)
      sum += std::exp(x.data<float>()[static_cast<size_t>(i.data<int32_t>()[200 * r + k])]);
    ASSERT_NEAR(got.data<float>()[r], sum, 1e-5 * sum) << r;
  }
}

}  // namespace
}  // namespace weft
