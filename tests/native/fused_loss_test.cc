// Losses and normalizations as a few passes over memory: how much is read and written, and double-precision closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "native/native_target.h"
#include "text/parse.h"

namespace weft {
namespace {

constexpr int64_t kRows = 96, kColumns = 320;

Tensor random_floats(const Shape& shape, unsigned seed) {
  Tensor t(ElementType::kF32, shape);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<float>()[i] = normal(random);
  return t;
}

Tensor random_labels() {
  Tensor t(ElementType::kI32, {kRows});
  std::mt19937 random(8);
  for (int64_t i = 0; i < kRows; ++i) t.mutable_data<int32_t>()[i] = static_cast<int32_t>(random() % kColumns);
  return t;
}

const std::string kLogSoftmax = R"(
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<96x320xf32>, tensor<f32>) -> tensor<96xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<96xf32>) -> tensor<96x320xf32>
  %d = stablehlo.subtract %x, %mb : tensor<96x320xf32>
  %e = stablehlo.exponential %d : tensor<96x320xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x320xf32>, tensor<f32>) -> tensor<96xf32>
  %l = stablehlo.log %s : tensor<96xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<96xf32>) -> tensor<96x320xf32>
  %y = stablehlo.subtract %d, %lb : tensor<96x320xf32>
)";
const std::string kMean = R"(
  %sum = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<96xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
})";
const std::string kHead = "func.func @main(%x: tensor<96x320xf32>, %i: tensor<96xi32>) -> tensor<f32> {";

void expect_loss(const std::string& text, const std::string& temporaries) {
  const auto executable = native_target().compile(parse_module(text, "test"), "main");
  const Tensor x = random_floats({kRows, kColumns}, 5), labels = random_labels();
  double want = 0;
  for (int64_t r = 0; r < kRows; ++r) {
    const float* row = x.data<float>().data() + r * kColumns;
    double sum = 0;
    for (int64_t c = 0; c < kColumns; ++c) sum += std::exp(static_cast<double>(row[c]));
    want += row[labels.data<int32_t>()[static_cast<size_t>(r)]] - std::log(sum);
  }
  EXPECT_NEAR(executable->run(std::vector<Tensor>{x, labels})[0].scalar<float>(), want, 1e-5 * std::abs(want));
  // Nothing of the size of x is written.
  EXPECT_LT(executable->memory_use().arena, size_t{4} * kRows * 16) << temporaries << executable->explain();
}

TEST(FusedLoss, CrossEntropyOfOneHotLabels) {
  expect_loss(kHead + kLogSoftmax + R"(
  %iota = stablehlo.iota dim = 1 : tensor<96x320xi32>
  %ib = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<96xi32>) -> tensor<96x320xi32>
  %eq = stablehlo.compare EQ, %ib, %iota : (tensor<96x320xi32>, tensor<96x320xi32>) -> tensor<96x320xi1>
  %hot = stablehlo.convert %eq : (tensor<96x320xi1>) -> tensor<96x320xf32>
  %z = stablehlo.multiply %hot, %y : tensor<96x320xf32>
  %picked = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x320xf32>, tensor<f32>) -> tensor<96xf32>
)" + kMean,
              "one hot");
}

TEST(FusedLoss, CrossEntropyOfGatheredLabels) {
  expect_loss(kHead + kLogSoftmax + R"(
  %i2 = stablehlo.reshape %i : (tensor<96xi32>) -> tensor<96x1xi32>
  %picked = "stablehlo.gather"(%y, %i2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x320xf32>, tensor<96x1xi32>) -> tensor<96xf32>
)" + kMean,
              "gather");
}

/// What is subtracted is computed by the kernels that read it: mean, variance and result only.
TEST(FusedLoss, BatchNormalizationOfTraining) {
  constexpr int64_t kImages = 64 * 49, kChannels = 32;
  const auto executable = native_target().compile(parse_module(R"(
func.func @main(%x: tensor<3136x32xf32>) -> (tensor<3136x32xf32>, tensor<32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<3136.0> : tensor<32xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<32xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3136x32xf32>, tensor<f32>) -> tensor<32xf32>
  %m = stablehlo.divide %s, %n : tensor<32xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<32xf32>) -> tensor<3136x32xf32>
  %d = stablehlo.subtract %x, %mb : tensor<3136x32xf32>
  %q = stablehlo.multiply %d, %d : tensor<3136x32xf32>
  %v0 = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3136x32xf32>, tensor<f32>) -> tensor<32xf32>
  %v = stablehlo.divide %v0, %n : tensor<32xf32>
  %ve = stablehlo.add %v, %eps : tensor<32xf32>
  %r = stablehlo.rsqrt %ve : tensor<32xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<32xf32>) -> tensor<3136x32xf32>
  %y = stablehlo.multiply %d, %rb : tensor<3136x32xf32>
  return %y, %v : tensor<3136x32xf32>, tensor<32xf32>
})",
                                                               "test"),
                                                  "main");
  const Tensor x = random_floats({kImages, kChannels}, 6);
  const std::vector<Tensor> got = executable->run(std::vector<Tensor>{x});
  for (int64_t c = 0; c < kChannels; ++c) {
    const auto at = [&](int64_t i) {
      return static_cast<double>(x.data<float>()[static_cast<size_t>(i * kChannels + c)]);
    };
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < kImages; ++i) mean += at(i) / kImages;
    for (int64_t i = 0; i < kImages; ++i) variance += (at(i) - mean) * (at(i) - mean) / kImages;
    EXPECT_NEAR(got[1].data<float>()[static_cast<size_t>(c)], variance, 1e-5);
    EXPECT_NEAR(got[0].data<float>()[static_cast<size_t>(7 * kChannels + c)],
                (at(7) - mean) / std::sqrt(variance + 1e-5), 1e-5);
  }
  EXPECT_LT(executable->memory_use().arena, size_t{4} * kChannels * 64) << executable->explain();
}

// Its gradient: softmax minus one at the label, without a buffer of zeros.
TEST(FusedLoss, GradientOfGatheredLabelsScattersNothing) {
  const std::string text =
      "func.func @main(%x: tensor<96x320xf32>, %i: tensor<96xi32>) -> tensor<96x320xf32> {" + kLogSoftmax + R"(
  %i2 = stablehlo.reshape %i : (tensor<96xi32>) -> tensor<96x1xi32>
  %none = stablehlo.constant dense<0.0> : tensor<96x320xf32>
  %one = stablehlo.constant dense<-1.0> : tensor<96xf32>
  %hot = "stablehlo.scatter"(%none, %i2, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<96x320xf32>, tensor<96x1xi32>, tensor<96xf32>) -> tensor<96x320xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<96xf32>) -> tensor<96x320xf32>
  %p = stablehlo.divide %e, %sb : tensor<96x320xf32>
  %g = stablehlo.add %p, %hot : tensor<96x320xf32>
  return %g : tensor<96x320xf32>
})";
  const auto executable = native_target().compile(parse_module(text, "test"), "main");
  const Tensor x = random_floats({kRows, kColumns}, 5), labels = random_labels();
  const Tensor got = executable->run(std::vector<Tensor>{x, labels})[0];
  for (int64_t r = 0; r < kRows; ++r) {
    const float* row = x.data<float>().data() + r * kColumns;
    double sum = 0;
    for (int64_t c = 0; c < kColumns; ++c) sum += std::exp(static_cast<double>(row[c]));
    for (int64_t c = 0; c < kColumns; ++c) {
      const double one = labels.data<int32_t>()[static_cast<size_t>(r)] == c ? 1 : 0;
      EXPECT_NEAR(got.data<float>()[static_cast<size_t>(r * kColumns + c)], std::exp(row[c]) / sum - one, 1e-6);
    }
  }
  EXPECT_LT(executable->memory_use().arena, size_t{4} * kRows * 16) << executable->explain();
}

// Loss and gradient of a tensor that leaves the near caches: both compute the exponentials that they need, neither writes them.
TEST(FusedLoss, LossAndGradientWriteNoExponentials) {
  constexpr int64_t kMany = 1024;
  std::string text =
      "func.func @main(%x: tensor<96x320xf32>, %i: tensor<96xi32>) -> (tensor<96xf32>, tensor<96x320xf32>) {" +
      kLogSoftmax + R"(
  %i2 = stablehlo.reshape %i : (tensor<96xi32>) -> tensor<96x1xi32>
  %picked = "stablehlo.gather"(%y, %i2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x320xf32>, tensor<96x1xi32>) -> tensor<96xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<96xf32>) -> tensor<96x320xf32>
  %p = stablehlo.divide %e, %sb : tensor<96x320xf32>
  return %picked, %p : tensor<96xf32>, tensor<96x320xf32>
})";
  for (size_t at = text.find("<96"); at != std::string::npos; at = text.find("<96", at)) text.replace(at, 3, "<1024");
  const auto executable = native_target().compile(parse_module(text, "test"), "main");
  const Tensor x = random_floats({kMany, kColumns}, 5);
  Tensor labels(ElementType::kI32, {kMany});
  for (int64_t r = 0; r < kMany; ++r)
    labels.mutable_data<int32_t>()[static_cast<size_t>(r)] = static_cast<int32_t>(r * 7 % kColumns);
  const std::vector<Tensor> got = executable->run(std::vector<Tensor>{x, labels});
  for (int64_t r = 0; r < kMany; ++r) {
    const float* row = x.data<float>().data() + r * kColumns;
    double sum = 0;
    for (int64_t c = 0; c < kColumns; ++c) sum += std::exp(static_cast<double>(row[c]));
    EXPECT_NEAR(got[0].data<float>()[static_cast<size_t>(r)], row[r * 7 % kColumns] - std::log(sum), 1e-5);
    for (int64_t c = 0; c < kColumns; ++c)
      EXPECT_NEAR(got[1].data<float>()[static_cast<size_t>(r * kColumns + c)], std::exp(row[c]) / sum, 1e-6);
  }
  EXPECT_LT(executable->memory_use().arena, size_t{4} * kMany * 16) << executable->explain();
}

}  // namespace
}  // namespace weft
