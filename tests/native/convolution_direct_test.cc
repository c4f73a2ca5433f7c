// The direct convolution of f32 and bf16 on each of its engines against plain sums in double, and what follows it to the bit.
#include "native/kernels/convolution_direct.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/native/kernel_check.h"

namespace weft::native::test {
namespace {

struct Case {
  ConvolutionDesc desc;
  Dims src, weights, dst;
};

Case random_case(std::mt19937& random, ElementType type, ConvolutionDirection direction) {
  Case c;
  ConvolutionDesc& d = c.desc;
  const int64_t channels[] = {1, 3, 5, 8, 16, 17, 31, 32, 33, 48, 70};
  d.type = type;
  d.direction = direction;
  d.batch = pick(random, 1, 5);
  d.in_channels = channels[pick(random, 0, 10)], d.out_channels = channels[pick(random, 0, 10)];
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t window = pick(random, 1, 4), dilation = pick(random, 1, 3), reach = (window - 1) * dilation + 1;
    const int64_t step = direction == ConvolutionDirection::kForward ? pick(random, 1, 3) : 1;
    const int64_t size = pick(random, reach, reach + 14), low = pick(random, 0, reach - 1),
                  high = pick(random, 0, reach - 1);
    d.kernel_size.push_back(window);
    d.dilation.push_back(dilation);
    d.stride.push_back(step);
    d.in_size.push_back(size);
    d.pad_low.push_back(low);
    d.out_size.push_back((size + low + high - reach) / step + 1);
  }
  c.src = {d.batch, d.in_channels, d.in_size[0], d.in_size[1]};
  c.dst = {d.batch, d.out_channels, d.out_size[0], d.out_size[1]};
  c.weights = {d.out_channels, d.in_channels, d.kernel_size[0], d.kernel_size[1]};
  d.src_strides = channels_last(c.src);
  d.dst_strides = channels_last(c.dst);
  d.weights_strides = random_strides(c.weights, random, false);
  return c;
}

template <class Visit>
void for_each_term(const Case& c, Visit visit) {
  const ConvolutionDesc& d = c.desc;
  for_each_index(c.dst, [&](const Dims& out) {
    for (int64_t i = 0; i < d.in_channels; ++i) {
      for (int64_t y = 0; y < d.kernel_size[0]; ++y) {
        for (int64_t x = 0; x < d.kernel_size[1]; ++x) {
          const int64_t row = out[2] * d.stride[0] + y * d.dilation[0] - d.pad_low[0];
          const int64_t column = out[3] * d.stride[1] + x * d.dilation[1] - d.pad_low[1];
          if (row < 0 || row >= c.src[2] || column < 0 || column >= c.src[3]) continue;
          visit(Dims{out[0], i, row, column}, Dims{out[1], i, y, x}, out);
        }
      }
    }
  });
}

std::vector<cells::Engine> engines(ElementType type) {
  const auto best = cells::best_engine(type == ElementType::kF32 ? 4 : 2);
  if (!best) return {};
  if (type == ElementType::kF32) return {cells::Engine::kAvx512};
  std::vector<cells::Engine> list = {cells::Engine::kAvx512, cells::Engine::kTilesInSoftware};
  // The tiles of a real AMX unit have not been tried by its authors: WEFT_TEST_AMX tries them.
  const bool is_tried = *best != cells::Engine::kAmx || std::getenv("WEFT_TEST_AMX") != nullptr;
  if (*best != cells::Engine::kAvx512 && is_tried) list.push_back(*best);
  return list;
}

bool execute(const LibraryKernel& kernel, std::vector<const void*> inputs, void* output) {
  Scratch scratch(kernel.scratch_bytes());
  void* outputs[] = {output};
  return kernel.execute(inputs.data(), outputs, scratch.data());
}

TEST(ConvolutionDirect, IsTheSum) {
  std::mt19937 random(1);
  for (ElementType type : {ElementType::kF32, ElementType::kBF16}) {
    for (auto direction : {ConvolutionDirection::kForward, ConvolutionDirection::kBackwardData}) {
      for (int round = 0; round < 15; ++round) {
        Case c = random_case(random, type, direction);
        const bool is_forward = direction == ConvolutionDirection::kForward;
        Operand src(type, c.src, c.desc.src_strides), weights(type, c.weights, c.desc.weights_strides),
            dst(type, c.dst, c.desc.dst_strides);
        (is_forward ? src : dst).fill(random);
        weights.fill(random);
        const Dims result_dims = is_forward ? c.dst : c.src, steps = row_major(result_dims);
        std::vector<Sum> want(static_cast<size_t>(result_dims[0] * steps[0]));
        const auto at = [&](const Dims& index) -> Sum& {
          int64_t offset = 0;
          for (size_t d = 0; d < index.size(); ++d) offset += index[d] * steps[d];
          return want[static_cast<size_t>(offset)];
        };
        for_each_term(c, [&](const Dims& in, const Dims& w, const Dims& out) {
          if (is_forward) at(out).add(src.get(in) * weights.get(w));
          else at(in).add(dst.get(out) * weights.get(w));
        });
        Operand& result = is_forward ? dst : src;
        const Operand operand = is_forward ? src : dst;
        for (cells::Engine engine : engines(type)) {
          KernelOptions options;
          options.partitions = static_cast<int>(pick(random, 1, 3));
          options.is_size_ignored = true;
          c.desc.constant_weights = round % 2 ? weights.data() : nullptr;
          std::string why;
          const auto kernel = make_convolution_direct(c.desc, options, engine, why);
          ASSERT_TRUE(kernel) << why;
          Operand input = operand;
          ASSERT_TRUE(execute(*kernel, {input.data(), weights.data()}, result.data()));
          int wrong = 0;
          for_each_index(result_dims,
                         [&](const Dims& index) { wrong += !is_close(result.get(index), at(index), type); });
          EXPECT_EQ(wrong, 0) << kernel->implementation() << " round " << round;
          EXPECT_TRUE(result.is_guard_whole());
        }
      }
    }
  }
}

/// relu(((y + bias) * scale - shift) + addend) of the kernel's own y, each step rounded.
TEST(ConvolutionDirect, WhatFollowsRoundsAfterEveryOp) {
  std::mt19937 random(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (ElementType type : {ElementType::kF32, ElementType::kBF16}) {
    for (int round = 0; round < 10; ++round) {
      Case c = random_case(random, type, ConvolutionDirection::kForward);
      const Dims channels = {c.desc.out_channels};
      Operand src(type, c.src, c.desc.src_strides), weights(type, c.weights, c.desc.weights_strides),
          plain(type, c.dst, c.desc.dst_strides), addend = plain, dst = plain;
      Operand bias(type, channels, {1}), scale = bias, shift = bias;
      for (Operand* each : {&src, &weights, &addend, &bias, &scale, &shift}) each->fill(random);
      src.set({0, 0, c.src[2] - 1, c.src[3] / 2}, nan);
      const auto rounded = [&](double x) -> double {
        return type == ElementType::kF32 ? static_cast<float>(x) : bf16_value(bf16_bits(static_cast<float>(x)));
      };
      for (cells::Engine engine : engines(type)) {
        KernelOptions options;
        options.is_size_ignored = true;
        std::string why;
        c.desc.has_bias = c.desc.has_addend = c.desc.has_relu = false;
        c.desc.channel_ops = {};
        ASSERT_TRUE(execute(*make_convolution_direct(c.desc, options, engine, why), {src.data(), weights.data()},
                            plain.data()));
        c.desc.has_bias = c.desc.has_addend = c.desc.has_relu = true;
        c.desc.channel_ops = {ChannelOp::kMultiply, ChannelOp::kSubtract};
        ASSERT_TRUE(execute(*make_convolution_direct(c.desc, options, engine, why),
                            {src.data(), weights.data(), bias.data(), scale.data(), shift.data(), addend.data()},
                            dst.data()));
        for_each_index(c.dst, [&](const Dims& at) {
          const Dims o = {at[1]};
          double want = rounded(plain.get(at) + bias.get(o));
          want = rounded(rounded(want * scale.get(o)) - shift.get(o));
          want = rounded(want + addend.get(at));
          if (want <= 0) want = 0;
          if (std::isnan(want)) ASSERT_TRUE(std::isnan(dst.get(at)));
          else ASSERT_EQ(dst.get(at), want);
          ASSERT_FALSE(dst.get(at) == 0 && std::signbit(dst.get(at)));
        });
      }
    }
  }
}

TEST(ConvolutionDirect, SaysWhyItDoesNotApply) {
  std::mt19937 random(3);
  const auto expect_refused = [&](const char* part, auto change) {
    Case c = random_case(random, ElementType::kF32, ConvolutionDirection::kForward);
    c.desc.in_channels = 16, c.desc.out_channels = 16;
    KernelOptions options;
    std::string why;
    EXPECT_TRUE(make_convolution_direct(c.desc, options, cells::Engine::kAvx512, why)) << why;
    change(c.desc);
    EXPECT_FALSE(make_convolution_direct(c.desc, options, cells::Engine::kAvx512, why));
    EXPECT_NE(why.find(part), std::string::npos) << why;
  };
  if (!cells::best_engine(4)) GTEST_SKIP() << "no AVX-512";
  expect_refused("groups", [](ConvolutionDesc& d) { d.groups = 4; });
  expect_refused("f64", [](ConvolutionDesc& d) { d.type = ElementType::kF64; });
  expect_refused("channels-last", [](ConvolutionDesc& d) { d.src_strides[1] = 2; });
  expect_refused("gradient of weights",
                 [](ConvolutionDesc& d) { d.direction = ConvolutionDirection::kBackwardWeights; });
  expect_refused("with a stride",
                 [](ConvolutionDesc& d) { d.direction = ConvolutionDirection::kBackwardData, d.stride = {2, 1}; });
}

}  // namespace
}  // namespace weft::native::test
