// factor_solves: a solve of a right side made of smaller parts becomes solves of the parts, with the same values.
#include "transform/solves.h"

#include <gtest/gtest.h>

#include <random>

#include "eval/evaluator.h"
#include "ops/record.h"
#include "text/parse.h"
#include "transform/simplify.h"

namespace weft {
namespace {

/// Well-conditioned matrices: the diagonal is dominant.
Tensor random_argument(Type t, std::mt19937& random) {
  Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  std::uniform_real_distribution<double> real(-1, 1);
  const int64_t n = t.rank() < 2 ? 1 : t.dim(t.rank() - 1);
  for (int64_t i = 0; i < out.size(); ++i) {
    const bool is_diagonal = t.rank() >= 2 && t.dim(t.rank() - 2) == n && i / n % n == i % n;
    out.mutable_data<double>()[static_cast<size_t>(i)] = is_diagonal ? 3 + real(random) : real(random);
  }
  return out;
}

struct Left {
  int64_t solved = 0, transposes = 0;  // elements of right sides; transposes of more than 100 elements
};

/// Checks the values against those of the program as it is written; what is left after the transform and simplification.
Left check(const std::string& text) {
  const auto module = parse_module(text, "test");
  std::mt19937 random(3);
  std::vector<Tensor> args;
  for (Type t : module->get("main").arg_types()) args.push_back(random_argument(t, random));
  const Tensor want = evaluate(*module, "main", args)[0];
  const auto simple = simplify(module->get("main"), nullptr);
  const auto factored = factor_solves(*simple);
  Module changed;
  changed.add(simplify(factored ? *factored : *simple, nullptr));
  verify(changed);
  const Tensor got = evaluate(changed, "main", args)[0];
  EXPECT_EQ(got.shape(), want.shape());
  for (size_t i = 0; i < static_cast<size_t>(want.size()); ++i)
    EXPECT_NEAR(got.data<double>()[i], want.data<double>()[i], 1e-13) << i << "\n" << text;
  Left left;
  const Function& f = changed.get("main");
  for (OpId op : f.ops(f.body())) {
    const Type t = f.num_results(op) == 1 ? f.type(f.result(op)) : Type();
    if (f.def(op).mnemonic == "stablehlo.triangular_solve") left.solved += t.num_elements();
    if (f.def(op).mnemonic == "stablehlo.transpose" && t.num_elements() > 100) ++left.transposes;
  }
  return left;
}

std::string solve(const std::string& b, const std::string& form, const std::string& a_type, const std::string& b_type) {
  return "\"stablehlo.triangular_solve\"(%a, " + b + ") {" + form + "} : (" + a_type + ", " + b_type + ") -> " + b_type;
}
const std::string kLeft =
    "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>";
const std::string kRightTransposed =
    "left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>";
const std::string kLeftAdjoint =
    "left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>";

// What vmap makes of a Hessian: for each lane an outer product and a matrix that all lanes share, scaled.
TEST(FactorSolves, OuterProductsAndSharedMatricesAreSolvedOnce) {
  for (const std::string& form : {kLeft, kLeftAdjoint}) {
    const Left left = check(R"(
func.func @main(%a: tensor<6x6xf64>, %x: tensor<20x7xf64>, %y: tensor<20x6xf64>, %m: tensor<7x6xf64>, %c: tensor<20xf64>) -> tensor<6x140xf64> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<20x7xf64>, tensor<20x6xf64>) -> tensor<20x7x6xf64>
  %1 = stablehlo.broadcast_in_dim %m, dims = [1, 2] : (tensor<7x6xf64>) -> tensor<20x7x6xf64>
  %2 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<20xf64>) -> tensor<20x7x6xf64>
  %3 = stablehlo.multiply %2, %1 : tensor<20x7x6xf64>
  %4 = stablehlo.subtract %0, %3 : tensor<20x7x6xf64>
  %5 = stablehlo.negate %4 : tensor<20x7x6xf64>
  %6 = stablehlo.transpose %5, dims = [2, 1, 0] : (tensor<20x7x6xf64>) -> tensor<6x7x20xf64>
  %7 = stablehlo.reshape %6 : (tensor<6x7x20xf64>) -> tensor<6x140xf64>
  %8 = )" + solve("%7", form, "tensor<6x6xf64>", "tensor<6x140xf64>") +
                            "\n  return %8 : tensor<6x140xf64>\n}");
    EXPECT_EQ(left.solved, 20 * 6 + 7 * 6);
  }
}

TEST(FactorSolves, QuotientsByWhatIsTheSameAlongTheSolvedAxis) {
  const Left left = check(R"(
func.func @main(%a: tensor<5x5xf64>, %x: tensor<5xf64>, %c: tensor<30xf64>) -> tensor<30x5xf64> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<5xf64>) -> tensor<30x5xf64>
  %1 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<30xf64>) -> tensor<30x5xf64>
  %2 = stablehlo.divide %0, %1 : tensor<30x5xf64>
  %3 = )" + solve("%2", kRightTransposed, "tensor<5x5xf64>", "tensor<30x5xf64>") +
                          "\n  return %3 : tensor<30x5xf64>\n}");
  EXPECT_EQ(left.solved, 5);
}

TEST(FactorSolves, NoTransposesAroundASolve) {
  const Left left = check(R"(
func.func @main(%a: tensor<6x6xf64>, %x: tensor<40x6xf64>) -> tensor<40x6xf64> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<40x6xf64>) -> tensor<6x40xf64>
  %1 = )" + solve("%0", kLeft, "tensor<6x6xf64>", "tensor<6x40xf64>") +
                          R"(
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<6x40xf64>) -> tensor<40x6xf64>
  return %2 : tensor<40x6xf64>
})");
  EXPECT_EQ(left.solved, 240);
  EXPECT_EQ(left.transposes, 0);
}

TEST(FactorSolves, NorAroundABatchOfThem) {
  const Left left = check(R"(
func.func @main(%a: tensor<3x6x6xf64>, %x: tensor<3x40x6xf64>) -> tensor<3x40x6xf64> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<3x40x6xf64>) -> tensor<3x6x40xf64>
  %1 = )" + solve("%0", kLeft, "tensor<3x6x6xf64>", "tensor<3x6x40xf64>") +
                          R"(
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<3x6x40xf64>) -> tensor<3x40x6xf64>
  return %2 : tensor<3x40x6xf64>
})");
  EXPECT_EQ(left.solved, 720);
  EXPECT_EQ(left.transposes, 0);
}

// A product of two values that both vary along the solved axis is no scaled part; a sum of two whole right sides costs more apart.
TEST(FactorSolves, WhatDoesNotPayStays) {
  for (const char* op : {"multiply", "add"}) {
    const Left left = check(R"(
func.func @main(%a: tensor<5x5xf64>, %x: tensor<5x30xf64>, %y: tensor<5x30xf64>) -> tensor<5x30xf64> {
  %0 = stablehlo.)" + std::string(op) +
                            R"( %x, %y : tensor<5x30xf64>
  %1 = )" + solve("%0", kLeft, "tensor<5x5xf64>", "tensor<5x30xf64>") +
                            "\n  return %1 : tensor<5x30xf64>\n}");
    EXPECT_EQ(left.solved, 150) << op;
  }
}

}  // namespace
}  // namespace weft
