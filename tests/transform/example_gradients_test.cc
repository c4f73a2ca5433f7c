// What transforms of examples refuse, and that clipping forms no gradient of an example.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/example_gradients.h"
#include "transform/jacobian.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

template <class Transform>
std::string refusal(const std::string& text, Transform&& transform) {
  const auto module = parse_module(text, "test.mlir");
  try {
    transform(*module);
  } catch (const UserError& e) { return e.what(); } catch (const Unsupported& e) {
    return e.what();
  }
  return "not refused";
}
void expect_in(const std::string& message, const std::string& text) {
  EXPECT_NE(message.find(text), std::string::npos) << message;
}
const size_t kFirst[] = {0};

TEST(ExampleGradients, SparseOnesAreOfRowsThatAreRead) {
  const auto sparse = [](Module& m) { sparse_gradient(m, "loss", kFirst, "g"); };
  expect_in(refusal(R"(
func.func @loss(%table: tensor<5x2xf64>, %x: tensor<2xf64>) -> tensor<f64> {
  %0 = stablehlo.dot_general %table, %x, contracting_dims = [1] x [0] : (tensor<5x2xf64>, tensor<2xf64>) -> tensor<5xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
})",
                    sparse),
            "[sparse_grad] argument 0 of @loss is used by stablehlo.dot_general, expected gathers of whole rows along "
            "axis 0 (--grad");
  // A slice of a column is no row.
  expect_in(refusal(R"(
func.func @loss(%table: tensor<5x2xf64>, %i: tensor<1xi32>) -> tensor<f64> {
  %0 = "stablehlo.gather"(%table, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 5, 1>} : (tensor<5x2xf64>, tensor<1xi32>) -> tensor<5xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
})",
                    sparse),
            "is used by stablehlo.gather of something else than rows");
  expect_in(refusal("func.func @loss(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }", sparse),
            "[sparse_grad] argument 0 of @loss: got tensor<f64>, expected a table with rows along axis 0");
}

constexpr const char* kLoss = R"(
func.func @loss(%w: tensor<200x100xf32>, %x: tensor<200xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (tensor<200xf32>, tensor<200x100xf32>) -> tensor<100xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<100xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
})";

TEST(ExampleGradients, ClippedOnesAreNotFormed) {
  const auto module = parse_module(kLoss, "test.mlir");
  clipped_gradient(*module, "loss", kFirst, std::vector<int64_t>{kUniform, 0}, 64, "clipped");
  verify(*module);
  const std::string text = print_module(*module);
  EXPECT_EQ(text.find("64x200x100"), std::string::npos) << text;
  EXPECT_EQ(text.find("64x100x200"), std::string::npos) << text;
}

TEST(ExampleGradients, ClippedOnesAreByWhatExamplesShare) {
  expect_in(
      refusal(kLoss, [](Module& m) { clipped_gradient(m, "loss", kFirst, std::vector<int64_t>{0, 0}, 3, "clipped"); }),
      "[clipped_grad] argument 0 of @loss differs by example: got axis 0, expected '_', the same for all");
}

TEST(ExampleGradients, BatchJacobiansNeedExamplesOnBothSides) {
  expect_in(refusal(R"(
func.func @f(%x: tensor<3x2xf64>) -> tensor<2xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf64>, tensor<f64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
})",
                    [](Module& m) { jacobian(m, "f", kFirst, "j", {.is_batched = true}); }),
            "[batch_jacobian] result 0 of @f: got tensor<2xf64>, expected 3 examples along axis 0, as argument 0 has");
}

}  // namespace
}  // namespace weft
