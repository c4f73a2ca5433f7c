// Rows on the memory of Jacobians, by the compiled program's own account of its peak.
#include <cmath>

#include "tests/pains/pains.h"
#include "transform/jacobian.h"

namespace weft::pains {
namespace {

// y[r, i, j] = exp(p[r, 0]·i/100) · sin(p[r, 1]·j/100): 10x2 parameters, a Jacobian of 3.3 MB.
constexpr const char* kGrid = R"(
func.func @main(%p: tensor<10x2xf64>) -> tensor<10x128x16xf64> {
  %a0 = stablehlo.slice %p [0:10, 0:1] : (tensor<10x2xf64>) -> tensor<10x1xf64>
  %b0 = stablehlo.slice %p [0:10, 1:2] : (tensor<10x2xf64>) -> tensor<10x1xf64>
  %a = stablehlo.broadcast_in_dim %a0, dims = [0, 1] : (tensor<10x1xf64>) -> tensor<10x128x16xf64>
  %b = stablehlo.broadcast_in_dim %b0, dims = [0, 1] : (tensor<10x1xf64>) -> tensor<10x128x16xf64>
  %i = stablehlo.iota dim = 1 : tensor<10x128x16xf64>
  %j = stablehlo.iota dim = 2 : tensor<10x128x16xf64>
  %c = stablehlo.constant dense<0.01> : tensor<10x128x16xf64>
  %t0 = stablehlo.multiply %i, %c : tensor<10x128x16xf64>
  %t1 = stablehlo.multiply %j, %c : tensor<10x128x16xf64>
  %u = stablehlo.multiply %a, %t0 : tensor<10x128x16xf64>
  %v = stablehlo.multiply %b, %t1 : tensor<10x128x16xf64>
  %e = stablehlo.exponential %u : tensor<10x128x16xf64>
  %s = stablehlo.sine %v : tensor<10x128x16xf64>
  %y = stablehlo.multiply %e, %s : tensor<10x128x16xf64>
  return %y : tensor<10x128x16xf64>
})";

MemoryUse memory_of_jacobian(const char* text, JacobianOptions options) {
  const auto module = parsed(text);
  const size_t first[] = {0};
  jacobian(*module, "main", first, "main", options);
  return get_target("native").compile(module, "main")->memory_use();
}

constexpr size_t kOutput = size_t{10} * 128 * 16 * 10 * 2 * sizeof(double);

TEST(JacobianMemory, IsAtMostFourTimesTheOutput) {
  EXPECT_LE(memory_of_jacobian(kGrid, {}).total(), 4 * kOutput);
  EXPECT_LE(memory_of_jacobian(kGrid, {.direction = JacobianOptions::kForward}).total(), 4 * kOutput);
  // 20480 lanes, whose cotangents of 164 kB each stay the places of their ones.
  EXPECT_LE(memory_of_jacobian(kGrid, {.direction = JacobianOptions::kReverse}).total(), 4 * kOutput);
}

// Two layers: behind the second, what a lane keeps is as long as the first is wide.
constexpr const char* kLayers = R"(
func.func @main(%x: tensor<64xf64>, %a: tensor<64x1024xf64>, %b: tensor<1024x1024xf64>) -> tensor<1024xf64> {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [0] x [0] : (tensor<64xf64>, tensor<64x1024xf64>) -> tensor<1024xf64>
  %1 = stablehlo.tanh %0 : tensor<1024xf64>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [0] x [0] : (tensor<1024xf64>, tensor<1024x1024xf64>) -> tensor<1024xf64>
  %3 = stablehlo.tanh %2 : tensor<1024xf64>
  return %3 : tensor<1024xf64>
})";

TEST(JacobianMemory, FollowsTheBudget) {
  constexpr int64_t kBudget = 1 << 20;
  const auto arena = [](JacobianOptions options) { return memory_of_jacobian(kLayers, options).arena; };
  // Besides chunks a sequence of rows, before it has its final order.
  constexpr size_t kRows = size_t{1024} * 64 * sizeof(double);
  EXPECT_LE(arena({.direction = JacobianOptions::kReverse, .memory = kBudget}), kRows + 2 * kBudget);
  EXPECT_GE(arena({.direction = JacobianOptions::kReverse, .chunk = 1024}), 8 * kBudget);
}

TEST(JacobianMemory, IsRightInChunks) {
  const auto entries = [](JacobianOptions options) {
    const auto module = parsed(kGrid);
    const size_t first[] = {0};
    jacobian(*module, "main", first, "main", options);
    Tensor p(ElementType::kF64, {10, 2});
    for (int64_t i = 0; i < p.size(); ++i) p.mutable_data<double>()[i] = 0.1 * static_cast<double>(i) - 0.7;
    const Tensor args[] = {p};
    return get_target("native").compile(module, "main")->run(args)[0];
  };
  const Tensor j = entries({.chunk = 7});
  ASSERT_EQ(j.shape(), (Shape{10, 128, 16, 10, 2}));
  // dy/da = i/100 · exp(a i/100) sin(b j/100) at r = 4, i = 40, j = 9, whose parameters are elements 8 and 9.
  const double a = 0.1, b = 0.2, i = 0.4, k = 0.09;
  const auto at = [&](int64_t row, int64_t s, int64_t which) {
    return j.data<double>()[static_cast<size_t>(((((row * 128 + 40) * 16 + 9) * 10) + s) * 2 + which)];
  };
  EXPECT_NEAR(at(4, 4, 0), i * std::exp(a * i) * std::sin(b * k), 1e-14);
  EXPECT_NEAR(at(4, 4, 1), k * std::exp(a * i) * std::cos(b * k), 1e-14);
  EXPECT_EQ(at(4, 5, 1), 0);
}

}  // namespace
}  // namespace weft::pains
