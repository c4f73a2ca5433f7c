// Winograd's convolution: values against plain sums in double, and the operands that it must leave to the direct algorithm.
#include <gtest/gtest.h>

#include <limits>

#include "eval/evaluator.h"
#include "native/kernels/convolution.h"
#include "native/kernels/winograd_tiles.h"
#include "native/native_target.h"
#include "ops/builder.h"
#include "tests/native/kernel_check.h"

namespace weft::native::test {
namespace {

struct Case {
  ConvolutionDesc desc;
  Dims src, weights, dst;
};

Case make_case(ConvolutionDirection direction, int64_t in, int64_t out, Dims size, Dims pad_low, Dims pad_high) {
  Case c;
  ConvolutionDesc& d = c.desc;
  d.direction = direction;
  d.batch = 2, d.in_channels = in, d.out_channels = out;
  d.in_size = size;
  d.kernel_size = {3, 3};
  d.stride = d.dilation = {1, 1};
  d.pad_low = pad_low;
  for (size_t axis = 0; axis < 2; ++axis) d.out_size.push_back(size[axis] + pad_low[axis] + pad_high[axis] - 2);
  c.src = {d.batch, in, size[0], size[1]};
  c.dst = {d.batch, out, d.out_size[0], d.out_size[1]};
  c.weights = {out, in, 3, 3};
  d.src_strides = channels_last(c.src);
  d.dst_strides = channels_last(c.dst);
  d.weights_strides = row_major(c.weights);
  return c;
}

/// visit(index in src, index in weights, index in dst) for each product.
template <class Visit>
void for_each_term(const Case& c, Visit visit) {
  for_each_index(c.dst, [&](const Dims& out) {
    for (int64_t i = 0; i < c.desc.in_channels; ++i) {
      for (int64_t y = 0; y < 3; ++y) {
        for (int64_t x = 0; x < 3; ++x) {
          const int64_t row = out[2] + y - c.desc.pad_low[0], column = out[3] + x - c.desc.pad_low[1];
          if (row < 0 || row >= c.src[2] || column < 0 || column >= c.src[3]) continue;
          visit(Dims{out[0], i, row, column}, Dims{out[1], i, y, x}, out);
        }
      }
    }
  });
}

KernelOptions only_winograd(int partitions) {
  KernelOptions options;
  options.partitions = partitions;
  options.is_size_ignored = true;
  options.only = "winograd";
  return options;
}

struct Sums {
  explicit Sums(const Dims& dims) : strides(row_major(dims)), list(static_cast<size_t>(dims[0] * strides[0])) {}
  Sum& at(const Dims& index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
    return list[static_cast<size_t>(offset)];
  }
  Dims strides;
  std::vector<Sum> list;
};

/// Results that differ by more than rounding: of their own terms, or of those of any result nearby.
int count_wrong(const Operand& got, Sums& want, ElementType type, bool is_alone = true, double slack = 1) {
  int wrong = 0;
  if (!is_alone) {
    double largest = 0;
    for (const Sum& sum : want.list) largest = std::max(largest, sum.magnitude);
    for (Sum& sum : want.list) sum.magnitude = slack * largest;
  }
  for_each_index(got.dims(), [&](const Dims& at) { wrong += !is_close(got.get(at), want.at(at), type); });
  return wrong;
}

bool execute(const LibraryKernel& kernel, std::vector<const void*> inputs, void* output) {
  Scratch scratch(kernel.scratch_bytes());
  void* outputs[] = {output};
  return kernel.execute(inputs.data(), outputs, scratch.data());
}

TEST(Winograd, ForwardAndBackwardDataAreTheSum) {
  if (!winograd::is_supported()) GTEST_SKIP() << "no AVX-512";
  std::mt19937 random(1);
  const Dims sizes[] = {{4, 4}, {6, 9}, {13, 5}, {17, 18}};
  for (ElementType type : {ElementType::kF32, ElementType::kBF16})
    for (auto direction : {ConvolutionDirection::kForward, ConvolutionDirection::kBackwardData}) {
      for (const Dims& size : sizes) {
        for (int64_t channels : {16, 48, 144}) {
          if (size[0] > 6 && (channels == 144 || type == ElementType::kBF16)) continue;
          const Dims low = {pick(random, 0, 2), pick(random, 0, 2)}, high = {pick(random, 0, 2), pick(random, 0, 2)};
          Case c = make_case(direction, channels, pick(random, 1, 6) * 16, size, low, high);
          c.desc.type = type;
          if (c.desc.out_size[0] < 1 || c.desc.out_size[1] < 1) continue;
          const bool is_forward = direction == ConvolutionDirection::kForward;
          Operand src(type, c.src, c.desc.src_strides), weights(type, c.weights, c.desc.weights_strides),
              dst(type, c.dst, c.desc.dst_strides);
          (is_forward ? src : dst).fill(random);
          weights.fill(random);
          const int partitions = static_cast<int>(pick(random, 1, 3));
          for (bool is_constant : {false, true}) {
            c.desc.constant_weights = is_constant ? weights.data() : nullptr;
            KernelChoice choice = make_convolution(c.desc, only_winograd(partitions));
            ASSERT_TRUE(choice.kernel) << reason(choice);
            Sums want(is_forward ? c.dst : c.src);
            for_each_term(c, [&](const Dims& in, const Dims& w, const Dims& out) {
              if (is_forward) want.at(out).add(src.get(in) * weights.get(w));
              else want.at(in).add(dst.get(out) * weights.get(w));
            });
            Operand& result = is_forward ? dst : src;
            ASSERT_TRUE(execute(*choice.kernel,
                                {is_forward ? src.data() : dst.data(), is_constant ? nullptr : weights.data()},
                                result.data()));
            EXPECT_EQ(count_wrong(result, want, type, false), 0) << size[0] << "x" << size[1] << " " << channels;
            EXPECT_TRUE(result.is_guard_whole());
          }
        }
      }
    }
}

TEST(Winograd, GradientOfWeightsIsTheSum) {
  if (!winograd::is_supported()) GTEST_SKIP() << "no AVX-512";
  std::mt19937 random(5);
  const double inf = std::numeric_limits<double>::infinity();
  for (ElementType type : {ElementType::kF32, ElementType::kBF16}) {
    for (const Dims& size : {Dims{4, 4}, {6, 9}, {13, 11}}) {
      for (double wild : {0.0, 1e30, inf}) {
        const Dims low = {pick(random, 0, 2), pick(random, 0, 2)}, high = {pick(random, 0, 2), pick(random, 0, 2)};
        Case c = make_case(ConvolutionDirection::kBackwardWeights, pick(random, 1, 3) * 16, pick(random, 1, 6) * 16,
                           size, low, high);
        c.desc.type = type;
        if (pick(random, 0, 1))
          c.desc.weights_strides = {1, c.weights[0], 3 * c.weights[0] * c.weights[1], c.weights[0] * c.weights[1]};
        Operand src(type, c.src, c.desc.src_strides), weights(type, c.weights, c.desc.weights_strides),
            dst(type, c.dst, c.desc.dst_strides);
        src.fill(random);
        dst.fill(random);
        if (wild != 0) src.set({1, 3, size[0] - 1, 2}, wild);
        KernelChoice choice = make_convolution(c.desc, only_winograd(static_cast<int>(pick(random, 1, 3))));
        ASSERT_TRUE(choice.kernel) << reason(choice);
        EXPECT_NE(choice.kernel->implementation().find("winograd F(3x3"), std::string::npos);
        Sums want(c.weights);
        for_each_term(
            c, [&](const Dims& in, const Dims& w, const Dims& out) { want.at(w).add(src.get(in) * dst.get(out)); });
        ASSERT_TRUE(execute(*choice.kernel, {src.data(), dst.data()}, weights.data()));
        EXPECT_EQ(count_wrong(weights, want, type, wild != 0, 4), 0) << size[0] << "x" << size[1] << " " << wild;
        EXPECT_TRUE(weights.is_guard_whole());
      }
    }
  }
}

// One such number in one place of the activations, or of the weights: results that do not touch it must not notice.
TEST(Winograd, WildNumbersReachWhatTheyTouchAndNothingElse) {
  if (!winograd::is_supported()) GTEST_SKIP() << "no AVX-512";
  std::mt19937 random(2);
  const double inf = std::numeric_limits<double>::infinity();
  for (double wild : {inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e30, 3e38, 1e6}) {
    for (bool in_weights : {false, true}) {
      Case c = make_case(ConvolutionDirection::kForward, 32, 32, {12, 11}, {1, 1}, {1, 1});
      Operand src(ElementType::kF32, c.src, c.desc.src_strides),
          weights(ElementType::kF32, c.weights, c.desc.weights_strides),
          dst(ElementType::kF32, c.dst, c.desc.dst_strides);
      src.fill(random);
      weights.fill(random);
      if (in_weights) weights.set({5, 7, 1, 2}, wild);
      else src.set({1, 30, 6, 7}, wild);
      KernelChoice choice = make_convolution(c.desc, only_winograd(2));
      ASSERT_TRUE(choice.kernel) << reason(choice);
      Sums want(c.dst);
      for_each_term(
          c, [&](const Dims& in, const Dims& w, const Dims& out) { want.at(out).add(src.get(in) * weights.get(w)); });
      for (Sum& sum : want.list)
        if (std::fabs(sum.value) > std::numeric_limits<float>::max()) sum.value = sum.value > 0 ? inf : -inf;
      ASSERT_TRUE(execute(*choice.kernel, {src.data(), weights.data()}, dst.data()));
      // 1e6 in a weight takes part in every result of its channel.
      if (in_weights && wild == 1e6) continue;
      EXPECT_EQ(count_wrong(dst, want, ElementType::kF32), 0) << wild << (in_weights ? " in weights" : "");
    }
  }
}

TEST(Winograd, ConstantWeightsThatAreNotFiniteAreRefused) {
  if (!winograd::is_supported()) GTEST_SKIP() << "no AVX-512";
  Case c = make_case(ConvolutionDirection::kForward, 16, 16, {8, 8}, {1, 1}, {1, 1});
  std::vector<float> weights(16 * 16 * 9, 1.0f);
  weights[77] = std::numeric_limits<float>::infinity();
  c.desc.constant_weights = weights.data();
  KernelChoice choice = make_convolution(c.desc, only_winograd(1));
  EXPECT_EQ(choice.kernel, nullptr);
  EXPECT_NE(reason(choice).find("not finite"), std::string::npos) << reason(choice);
}

TEST(Winograd, SaysWhyItDoesNotApply) {
  if (!winograd::is_supported()) GTEST_SKIP() << "no AVX-512";
  const auto expect_refused = [](const char* part, auto change) {
    Case c = make_case(ConvolutionDirection::kForward, 32, 32, {40, 40}, {1, 1}, {1, 1});
    KernelOptions options;
    options.only = "winograd";
    EXPECT_TRUE(make_convolution(c.desc, options).kernel);
    change(c);
    KernelChoice choice = make_convolution(c.desc, options);
    EXPECT_EQ(choice.kernel, nullptr) << part;
    EXPECT_NE(reason(choice).find(part), std::string::npos) << reason(choice);
  };
  expect_refused("precision", [](Case& c) { c.desc.is_exact = true; });
  expect_refused("stride",
                 [](Case& c) { c.desc.stride = {2, 2}, c.desc.out_size = {20, 20}, c.dst = {2, 32, 20, 20}; });
  expect_refused("channels-last", [](Case& c) { c.desc.src_strides = row_major(c.src); });
  expect_refused("groups", [](Case& c) { c.desc.groups = 2; });
  expect_refused("multiples of 16", [](Case& c) {
    c.desc.in_channels = 24;
    c.desc.src_strides = channels_last({2, 24, 40, 40});
    c.desc.weights_strides = row_major({32, 24, 3, 3});
  });
  expect_refused("tiles", [](Case& c) {
    c.desc.in_size = c.desc.out_size = {8, 8};
    c.desc.src_strides = c.desc.dst_strides = channels_last({2, 32, 8, 8});
  });
}

TEST(Winograd, BitsDependOnNeitherPartitionsNorThreads) {
  if (!winograd::is_supported()) GTEST_SKIP() << "no AVX-512";
  std::mt19937 random(3);
  Case c = make_case(ConvolutionDirection::kForward, 160, 80, {21, 22}, {1, 1}, {1, 1});
  Operand src(ElementType::kF32, c.src, c.desc.src_strides),
      weights(ElementType::kF32, c.weights, c.desc.weights_strides);
  src.fill(random);
  weights.fill(random);
  Operand one(ElementType::kF32, c.dst, c.desc.dst_strides), many = one;
  for (auto [partitions, result] : {std::pair{1, &one}, {5, &many}}) {
    KernelChoice choice = make_convolution(c.desc, only_winograd(partitions));
    ASSERT_TRUE(choice.kernel) << reason(choice);
    ASSERT_TRUE(execute(*choice.kernel, {src.data(), weights.data()}, result->data()));
  }
  for_each_index(c.dst, [&](const Dims& at) { ASSERT_EQ(one.get(at), many.get(at)); });
}

/// relu(((convolution - mean) * scale + bias) + residual) through the compiler, against the evaluator.
TEST(ConvolutionEpilogue, MatchesTheEvaluator) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> numbers(-1, 1);
  for (int64_t window : {1, 3}) {
    for (int variant = 0; variant < 8; ++variant) {
      for (bool is_wild : {false, true}) {
        auto module = std::make_shared<Module>();
        Function& f = module->add(std::make_unique<Function>("main"));
        OpBuilder b(f, f.body());
        const Type image = Type::tensor(ElementType::kF32, {2, 9, 10, 32});
        const Value x = f.add_arg(f.body(), image),
                    w = f.add_arg(f.body(), Type::tensor(ElementType::kF32, {window, window, 32, 32}));
        const Value bias = f.add_arg(f.body(), Type::tensor(ElementType::kF32, {32}));
        const Value scale = f.add_arg(f.body(), Type::tensor(ElementType::kF32, {1, 1, 1, 32}));
        ConvolutionAttrs a;
        a.padding = {window / 2, window / 2, window / 2, window / 2};
        a.kernel_spatial = {0, 1}, a.kernel_input_feature = 2, a.kernel_output_feature = 3;
        a.input_feature = a.output_feature = 3;
        a.input_spatial = a.output_spatial = {1, 2};
        Value y = b.convolution(x, w, a);
        const int64_t feature[] = {3}, all[] = {0, 1, 2, 3};
        const Value by_channel = b.broadcast_in_dim(bias, feature, image.shape());
        if (variant & 1) y = b.subtract(y, by_channel);
        if (variant & 2) y = b.multiply(b.broadcast_in_dim(scale, all, image.shape()), y);
        y = b.add(y, by_channel);
        if (variant & 4) y = b.add(x, y);
        y = b.maximum(y, b.splat(image, 0));
        const Value results[] = {y};
        b.yield(results);
        std::vector<Tensor> args;
        for (Type type : f.arg_types()) {
          args.emplace_back(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
          for (int64_t i = 0; i < args.back().size(); ++i) args.back().mutable_data<float>()[i] = numbers(random);
        }
        if (is_wild) {
          args[0].mutable_data<float>()[4321] = std::numeric_limits<float>::quiet_NaN();
          args[0].mutable_data<float>()[1234] = -std::numeric_limits<float>::infinity();
        }
        for (const char* off : {"", "winograd_convolution", "onednn_convolution"}) {
          CompileOptions options;
          options.partitions = 2;
          options.disabled = {"library_size_limits", off};
          const auto program = get_target("native").compile(module, "main", options);
          if (std::string(off) != "onednn_convolution") {
            EXPECT_NE(program->explain().find("with it: stablehlo."), std::string::npos) << program->explain();
            EXPECT_EQ(program->explain().find("winograd F(4x4") != std::string::npos,
                      window == 3 && *off == 0 && winograd::is_supported());
          }
          const Tensor got = program->run(args)[0], want = get_target("eval").compile(module, "main")->run(args)[0];
          for (size_t i = 0; i < static_cast<size_t>(got.size()); ++i) {
            const float g = got.data<float>()[i], e = want.data<float>()[i];
            if (std::isnan(e)) ASSERT_TRUE(std::isnan(g)) << variant << " " << off << " element " << i << " " << g;
            else if (std::isinf(e)) ASSERT_EQ(g, e);
            else ASSERT_NEAR(g, e, 4e-4) << variant << " " << off << " element " << i;
            ASSERT_FALSE(g == 0 && std::signbit(g));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::native::test
