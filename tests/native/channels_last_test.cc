// The layout pass: what it leaves unchanged (values), and what it must reach (transposes only where a region ends).
#include "native/contraction/channels_last.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/target.h"
#include "ops/builder.h"
#include "transform/gradient.h"
#include "transform/simplify.h"

namespace weft::native::test {
namespace {

ConvolutionAttrs nchw(int64_t padding) {
  ConvolutionAttrs a;
  a.padding = {padding, padding, padding, padding};
  a.input_feature = a.output_feature = 1;
  a.input_spatial = a.output_spatial = {2, 3};
  a.kernel_output_feature = 0, a.kernel_input_feature = 1, a.kernel_spatial = {2, 3};
  return a;
}

/// Images with channels second through everything that the pass knows; result: a number for each channel and image.
std::shared_ptr<Module> network() {
  auto module = std::make_shared<Module>();
  Function& f = module->add(std::make_unique<Function>("main"));
  OpBuilder b(f, f.body());
  const auto arg = [&](std::initializer_list<int64_t> shape) {
    return f.add_arg(f.body(), Type::tensor(ElementType::kF32, shape));
  };
  const Value x = arg({2, 3, 12, 10}), w1 = arg({16, 3, 3, 3}), bias = arg({16}), w2 = arg({8, 32, 3, 3});
  const int64_t feature[] = {1};
  Value y = b.convolution(x, w1, nchw(1));
  y = b.add(y, b.broadcast_in_dim(bias, feature, b.type(y).shape()));
  y = b.maximum(y, b.splat(b.type(y), 0));
  const Value both[] = {y, b.make("stablehlo.tanh", {y})};
  y = b.concatenate(both, 1);
  WindowAttrs pool;
  pool.dimensions = pool.strides = {1, 1, 2, 2};
  pool.padding = {0, 0, 0, 0, 0, 0, 1, 1};
  y = b.reduce_window(y, b.scalar(ElementType::kF32, -INFINITY), pool, "stablehlo.maximum");
  const int64_t low[] = {0, 0, 1, 2}, high[] = {0, 0, 2, 0}, inside[] = {0, 0, 0, 1}, turned[] = {3, 1};
  y = b.pad(y, b.scalar(ElementType::kF32, 0.5), low, high, inside);
  y = b.reverse(y, turned);
  const int64_t start[] = {0, 0, 1, 0}, limit[] = {2, 32, 8, 12};
  y = b.slice(y, start, limit);
  y = b.multiply(y, b.add(b.iota(b.type(y), 2), b.splat(b.type(y), 1)));
  y = b.convolution(y, w2, nchw(0));
  const Value results[] = {b.reduce(y, std::vector<int64_t>{2, 3}, "stablehlo.add"), y};
  b.yield(results);
  return module;
}

void expect_same(const std::shared_ptr<const Module>& module, double tolerance) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<Tensor> args;
  for (Type type : module->get("main").arg_types()) {
    args.emplace_back(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
    for (int64_t i = 0; i < args.back().size(); ++i) args.back().mutable_data<float>()[i] = numbers(random);
  }
  const std::vector<Tensor> want = get_target("eval").compile(module, "main")->run(args);
  for (const char* off : {"", "channels_last", "simplify", "fuse", "direct_convolution", "onednn_convolution"}) {
    CompileOptions options;
    options.disabled = {off};
    const std::vector<Tensor> got = get_target("native").compile(module, "main", options)->run(args);
    for (size_t r = 0; r < want.size(); ++r)
      for (size_t i = 0; i < static_cast<size_t>(want[r].size()); ++i)
        ASSERT_NEAR(got[r].data<float>()[i], want[r].data<float>()[i], tolerance)
            << off << " result " << r << " at " << i;
  }
}

size_t count(const Function& f, std::string_view mnemonic) {
  size_t found = 0;
  for (uint32_t i = 0; i < f.num_ops(); ++i) found += f.def(OpId{i}).mnemonic == mnemonic;
  return found;
}

TEST(ChannelsLast, KeepsValues) { expect_same(network(), 2e-3); }

TEST(ChannelsLast, KeepsValuesOfGradients) {
  const auto module = network();
  const size_t all[] = {0, 1, 2, 3};
  vjp(*module, "main", all, "main");
  expect_same(module, 2e-2);
}

TEST(ChannelsLast, TransposesOnlyWhereARegionEnds) {
  const auto module = network();
  const std::unique_ptr<Function> ordered = channels_last(module->get("main"));
  ASSERT_TRUE(ordered);
  const std::unique_ptr<Function> simple = simplify(*ordered, nullptr);
  // The argument's, and the result's.
  EXPECT_EQ(count(*simple, "stablehlo.transpose"), 2u);
  EXPECT_EQ(channels_last(*simple), nullptr) << "running it on its own output changes nothing";
}

TEST(ChannelsLast, LeavesOtherProgramsAlone) {
  Module module;
  Function& f = module.add(std::make_unique<Function>("main"));
  OpBuilder b(f, f.body());
  const Value x = f.add_arg(f.body(), Type::tensor(ElementType::kF32, {2, 3, 4, 5}));
  const Value results[] = {b.make("stablehlo.exponential", {x})};
  b.yield(results);
  EXPECT_EQ(channels_last(f), nullptr);
}

}  // namespace
}  // namespace weft::native::test
