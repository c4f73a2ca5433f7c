// Convolution kernels against plain sums in double.
#include "native/kernels/convolution.h"

#include <limits>
#include <thread>

#include "native/runtime/parallel.h"
#include "tests/native/kernel_check.h"

namespace weft::native::test {
namespace {

struct Case {
  ConvolutionDesc desc;
  Dims src, weights, dst;
};

Dims logical(int64_t first, int64_t second, const Dims& rest) {
  Dims dims = {first, second};
  dims.insert(dims.end(), rest.begin(), rest.end());
  return dims;
}

void set_shapes(Case& c) {
  ConvolutionDesc& d = c.desc;
  c.src = logical(d.batch, d.in_channels, d.in_size);
  c.dst = logical(d.batch, d.out_channels, d.out_size);
  c.weights = logical(d.out_channels, d.in_channels / d.groups, d.kernel_size);
}

// HWIO for weights (out channels fastest, then in channels).
Dims hwio(const Dims& weights) {
  Dims strides(weights.size());
  strides[0] = 1;
  strides[1] = weights[0];
  int64_t step = weights[0] * weights[1];
  for (size_t d = weights.size(); d-- > 2; step *= weights[d]) strides[d] = step;
  return strides;
}

void set_usual_layouts(Case& c) {
  set_shapes(c);
  c.desc.src_strides = channels_last(c.src);
  c.desc.dst_strides = channels_last(c.dst);
  c.desc.weights_strides = hwio(c.weights);
}

Case random_case(std::mt19937& random) {
  Case c;
  ConvolutionDesc& d = c.desc;
  int64_t rank = pick(random, 1, 3);
  int64_t channels[] = {1, 2, 3, 4, 8, 16, 17, 32};
  d.groups = pick(random, 0, 3) == 0 ? pick(random, 2, 4) : 1;
  d.batch = pick(random, 1, 3);
  d.in_channels = d.groups * channels[pick(random, 0, rank == 3 ? 4 : 7)];
  d.out_channels = d.groups * channels[pick(random, 0, rank == 3 ? 4 : 7)];
  if (pick(random, 0, 9) == 0) d.groups = d.in_channels = d.out_channels = 16;  // depthwise
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t window = pick(random, 1, 4), step = pick(random, 1, 3), dilation = pick(random, 1, 2);
    int64_t reach = (window - 1) * dilation + 1;
    int64_t extent = pick(random, reach, reach + (rank == 1 ? 20 : rank == 2 ? 8 : 4));
    int64_t low = pick(random, 0, reach - 1), high = pick(random, 0, reach - 1);
    d.kernel_size.push_back(window);
    d.stride.push_back(step);
    d.dilation.push_back(dilation);
    d.in_size.push_back(extent);
    d.pad_low.push_back(low);
    d.out_size.push_back((extent + low + high - reach) / step + 1);
  }
  set_usual_layouts(c);
  if (pick(random, 0, 1)) {
    bool has_gaps = pick(random, 0, 2) == 0;
    d.src_strides = random_strides(c.src, random, has_gaps);
    d.weights_strides = random_strides(c.weights, random, has_gaps);
    d.dst_strides = random_strides(c.dst, random, has_gaps);
  }
  return c;
}

// Calls visit(n, o, i of the group, position, tap, source index) for each product that the convolution sums.
template <class Visit>
void for_each_term(const Case& c, Visit visit) {
  const ConvolutionDesc& d = c.desc;
  for_each_index(c.dst, [&](const Dims& out) {
    for_each_index(c.weights, [&](const Dims& w) {
      if (w[0] != out[1]) return;
      int64_t group = out[1] / (d.out_channels / d.groups);
      Dims in = {out[0], group * (d.in_channels / d.groups) + w[1]};
      for (size_t axis = 0; axis < d.in_size.size(); ++axis) {
        int64_t at = out[axis + 2] * d.stride[axis] + w[axis + 2] * d.dilation[axis] - d.pad_low[axis];
        if (at < 0 || at >= d.in_size[axis]) return;
        in.push_back(at);
      }
      visit(in, w, out);
    });
  });
}

class Sums {
 public:
  explicit Sums(const Dims& dims) : strides_(row_major(dims)) {
    int64_t count = 1;
    for (int64_t extent : dims) count *= extent;
    sums_.resize(count);
  }
  Sum& at(const Dims& index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides_[d];
    return sums_[offset];
  }

 private:
  Dims strides_;
  std::vector<Sum> sums_;
};

std::string describe(const Case& c) {
  const ConvolutionDesc& d = c.desc;
  auto text = [](const Dims& list) {
    std::string all = "[";
    for (int64_t value : list) all += std::to_string(value) + " ";
    return all + "]";
  };
  return "src " + text(c.src) + " weights " + text(c.weights) + " dst " + text(c.dst) + " groups " +
         std::to_string(d.groups) + " stride " + text(d.stride) + " dilation " + text(d.dilation) + " pad " +
         text(d.pad_low) + " strides " + text(d.src_strides) + text(d.weights_strides) + text(d.dst_strides);
}

struct Operands {
  Operand src, weights, dst, bias, addend;
  Operands(const Case& c, std::mt19937& random)
      : src(c.desc.type, c.src, c.desc.src_strides),
        weights(c.desc.type, c.weights, c.desc.weights_strides),
        dst(c.desc.type, c.dst, c.desc.dst_strides),
        bias(ElementType::kF32, {c.desc.out_channels}, {1}),
        addend(c.desc.type, c.dst, c.desc.dst_strides) {
    for (Operand* each : {&src, &weights, &dst, &bias, &addend}) each->fill(random);
  }
};

int count_wrong(Operand& got, Sums& want, ElementType type) {
  int wrong = 0;
  for_each_index(got.dims(), [&](const Dims& index) { wrong += !is_close(got.get(index), want.at(index), type); });
  return wrong;
}

// Runs the direction and compares; false when it was refused.
bool check(Case c, std::mt19937& random, int partitions, std::string* refused = nullptr) {
  Operands o(c, random);
  KernelOptions options;
  options.partitions = partitions;
  options.is_size_ignored = true;
  KernelChoice choice = make_convolution(c.desc, options);
  if (!choice.kernel) {
    if (refused) *refused = reason(choice);
    return false;
  }
  Scratch scratch(choice.kernel->scratch_bytes());
  Sums want(c.desc.direction == ConvolutionDirection::kForward        ? c.dst
            : c.desc.direction == ConvolutionDirection::kBackwardData ? c.src
                                                                      : c.weights);
  Sums bias_sums({c.desc.out_channels});
  const void* inputs[4];
  void* outputs[2];
  Operand* result = nullptr;
  switch (c.desc.direction) {
    case ConvolutionDirection::kForward: {
      for_each_term(c, [&](const Dims& in, const Dims& w, const Dims& out) {
        want.at(out).add(o.src.get(in) * o.weights.get(w));
      });
      for_each_index(c.dst, [&](const Dims& out) {
        Sum& sum = want.at(out);
        if (c.desc.has_bias) sum.add(o.bias.get({out[1]}));
        if (c.desc.has_addend) sum.add(o.addend.get(out));
        if (c.desc.has_relu && sum.value < 0) sum.value = 0;
      });
      int next = 2;
      inputs[0] = o.src.data(), inputs[1] = c.desc.constant_weights ? nullptr : o.weights.data();
      if (c.desc.has_bias) inputs[next++] = o.bias.data();
      if (c.desc.has_addend) inputs[next++] = o.addend.data();
      result = &o.dst;
      break;
    }
    case ConvolutionDirection::kBackwardData:
      for_each_term(c, [&](const Dims& in, const Dims& w, const Dims& out) {
        want.at(in).add(o.dst.get(out) * o.weights.get(w));
      });
      inputs[0] = o.dst.data(), inputs[1] = o.weights.data();
      result = &o.src;
      break;
    case ConvolutionDirection::kBackwardWeights:
      for_each_term(
          c, [&](const Dims& in, const Dims& w, const Dims& out) { want.at(w).add(o.src.get(in) * o.dst.get(out)); });
      for_each_index(c.dst, [&](const Dims& out) { bias_sums.at({out[1]}).add(o.dst.get(out)); });
      inputs[0] = o.src.data(), inputs[1] = o.dst.data();
      result = &o.weights;
      break;
  }
  outputs[0] = result->data(), outputs[1] = o.bias.data();
  EXPECT_TRUE(choice.kernel->execute(inputs, outputs, scratch.data()));
  EXPECT_EQ(count_wrong(*result, want, c.desc.type), 0) << choice.kernel->implementation() << " " << describe(c);
  EXPECT_TRUE(result->is_guard_whole());
  if (c.desc.has_bias && c.desc.direction == ConvolutionDirection::kBackwardWeights)
    EXPECT_EQ(count_wrong(o.bias, bias_sums, c.desc.type), 0) << "gradient of bias, " << describe(c);
  return true;
}

TEST(ConvolutionKernel, ForwardIsTheSum) {
  std::mt19937 random(1);
  int accepted = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Case c = random_case(random);
    c.desc.has_bias = pick(random, 0, 1);
    c.desc.has_addend = pick(random, 0, 2) == 0;
    c.desc.has_relu = pick(random, 0, 1);
    std::string refused;
    accepted += check(c, random, 1 + trial % 2, &refused);
    if (!refused.empty()) EXPECT_NE(refused.find("only oneDNN"), std::string::npos) << refused << describe(c);
  }
  EXPECT_GE(accepted, 54);
}

TEST(ConvolutionKernel, BackwardDataIsTheSum) {
  std::mt19937 random(2);
  int accepted = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Case c = random_case(random);
    c.desc.direction = ConvolutionDirection::kBackwardData;
    std::string refused;
    accepted += check(c, random, 1 + trial % 2, &refused);
    if (!refused.empty()) EXPECT_NE(refused.find("only oneDNN"), std::string::npos) << refused << describe(c);
  }
  EXPECT_GE(accepted, 54);
}

TEST(ConvolutionKernel, BackwardWeightsIsTheSum) {
  std::mt19937 random(3);
  int accepted = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Case c = random_case(random);
    c.desc.direction = ConvolutionDirection::kBackwardWeights;
    c.desc.has_bias = pick(random, 0, 1);
    std::string refused;
    accepted += check(c, random, 1 + trial % 2, &refused);
    if (!refused.empty()) EXPECT_NE(refused.find("only oneDNN"), std::string::npos) << refused << describe(c);
  }
  EXPECT_GE(accepted, 54);
}

TEST(ConvolutionKernel, Bf16RoundsOnce) {
  std::mt19937 random(4);
  int accepted = 0;
  for (int trial = 0; trial < 30; ++trial) {
    Case c = random_case(random);
    c.desc.type = ElementType::kBF16;
    c.desc.direction = static_cast<ConvolutionDirection>(trial % 3);
    accepted += check(c, random, 2);
  }
  if (accepted == 0) GTEST_SKIP() << "this CPU has no bf16 kernels in oneDNN";
}

Case small_case() {
  Case c;
  c.desc.batch = 2, c.desc.in_channels = 3, c.desc.out_channels = 16;
  c.desc.in_size = {9, 9}, c.desc.out_size = {9, 9}, c.desc.kernel_size = {3, 3};
  c.desc.stride = {1, 1}, c.desc.dilation = {1, 1}, c.desc.pad_low = {1, 1};
  set_usual_layouts(c);
  return c;
}

TEST(ConvolutionKernel, ConstantWeightsArePackedOnce) {
  std::mt19937 random(5);
  Case c = small_case();
  Operands o(c, random);
  KernelOptions options;
  KernelChoice plain = make_convolution(c.desc, options);
  Operand weights = o.weights;
  c.desc.constant_weights = weights.data();
  KernelChoice packed = make_convolution(c.desc, options);
  ASSERT_TRUE(plain.kernel && packed.kernel) << reason(plain) << reason(packed);
  Operand first(c.desc.type, c.dst, c.desc.dst_strides), second = first;
  const void* inputs[] = {o.src.data(), o.weights.data()};
  const void* without[] = {o.src.data(), nullptr};
  void *one[] = {first.data()}, *two[] = {second.data()};
  Scratch scratch(plain.kernel->scratch_bytes()), less(packed.kernel->scratch_bytes());
  EXPECT_LT(packed.kernel->scratch_bytes(), plain.kernel->scratch_bytes());
  weights.set({0, 0, 0, 0}, 1e9);  // the packed copy is the kernel's own
  ASSERT_TRUE(plain.kernel->execute(inputs, one, scratch.data()));
  ASSERT_TRUE(packed.kernel->execute(without, two, less.data()));
  for_each_index(c.dst, [&](const Dims& at) { ASSERT_EQ(first.get(at), second.get(at)); });
}

TEST(ConvolutionKernel, AddendMayBeTheOutput) {
  std::mt19937 random(6);
  for (bool is_channels_last : {true, false}) {
    Case c = small_case();
    c.desc.has_addend = true;
    if (!is_channels_last) c.desc.dst_strides = row_major(c.dst);
    Operands o(c, random);
    KernelChoice choice = make_convolution(c.desc, {});
    ASSERT_TRUE(choice.kernel) << reason(choice);
    Operand apart(c.desc.type, c.dst, c.desc.dst_strides), shared = o.addend;
    Scratch scratch(choice.kernel->scratch_bytes());
    const void* inputs[] = {o.src.data(), o.weights.data(), o.addend.data()};
    const void* aliased[] = {o.src.data(), o.weights.data(), shared.data()};
    void *one[] = {apart.data()}, *two[] = {shared.data()};
    ASSERT_TRUE(choice.kernel->execute(inputs, one, scratch.data()));
    ASSERT_TRUE(choice.kernel->execute(aliased, two, scratch.data()));
    for_each_index(c.dst, [&](const Dims& at) { ASSERT_EQ(apart.get(at), shared.get(at)); });
  }
}

TEST(ConvolutionKernel, NanAndInfReachWhatTheyTouchAndNothingElse) {
  std::mt19937 random(7);
  double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (int64_t channels : {1, 3, 16, 19}) {
    for (bool has_relu : {false, true}) {
      Case c = small_case();
      c.desc.in_channels = channels;
      c.desc.has_relu = has_relu;
      set_usual_layouts(c);
      Operands o(c, random);
      o.src.set({0, channels - 1, 2, 2}, nan);
      o.src.set({0, 0, 7, 3}, inf);
      o.src.set({1, channels / 2, 5, 5}, -inf);
      KernelChoice choice = make_convolution(c.desc, {});
      ASSERT_TRUE(choice.kernel) << reason(choice);
      Sums want(c.dst);
      for_each_term(c, [&](const Dims& in, const Dims& w, const Dims& out) {
        want.at(out).add(o.src.get(in) * o.weights.get(w));
      });
      if (has_relu)
        for_each_index(c.dst, [&](const Dims& out) {
          if (want.at(out).value < 0) want.at(out).value = 0;
        });
      Scratch scratch(choice.kernel->scratch_bytes());
      const void* inputs[] = {o.src.data(), o.weights.data()};
      void* outputs[] = {o.dst.data()};
      ASSERT_TRUE(choice.kernel->execute(inputs, outputs, scratch.data()));
      EXPECT_EQ(count_wrong(o.dst, want, c.desc.type), 0) << choice.kernel->implementation() << " " << channels;
      if (has_relu)
        for_each_index(c.dst,
                       [&](const Dims& out) { EXPECT_FALSE(o.dst.get(out) == 0 && std::signbit(o.dst.get(out))); });
    }
  }
}

TEST(ConvolutionKernel, SaysWhyItDoesNotApply) {
  KernelOptions options;
  auto expect_refused = [&](const char* part, auto change) {
    Case c = small_case();
    change(c);
    KernelChoice choice = make_convolution(c.desc, options);
    EXPECT_EQ(choice.kernel, nullptr) << part;
    EXPECT_NE(reason(choice).find(part), std::string::npos) << reason(choice);
  };
  expect_refused("extent is zero", [](Case& c) { c.desc.batch = 0; });
  expect_refused("extent is zero", [](Case& c) { c.desc.in_size[1] = 0; });
  expect_refused("negative padding below: got -1", [](Case& c) { c.desc.pad_low[0] = -1; });
  expect_refused("negative padding above: got -2", [](Case& c) { c.desc.out_size = {6, 9}; });
  expect_refused("not smaller than the window", [](Case& c) { c.desc.pad_low = {3, 1}, c.desc.out_size[0] = 10; });
  expect_refused("element type f64", [](Case& c) { c.desc.type = ElementType::kF64; });
  expect_refused("does not divide", [](Case& c) { c.desc.groups = 2; });
  expect_refused("spatial dimensions: got 0", [](Case& c) {
    c.desc.in_size = c.desc.out_size = c.desc.kernel_size = c.desc.stride = c.desc.dilation = c.desc.pad_low = {};
    c.desc.src_strides = c.desc.dst_strides = c.desc.weights_strides = {1, 1};
  });
  expect_refused("overlap", [](Case& c) { c.desc.src_strides[2] = 1; });
  expect_refused("skip its rounding", [](Case& c) { c.desc.type = ElementType::kF16, c.desc.has_bias = true; });
  expect_refused("forward direction only",
                 [](Case& c) { c.desc.direction = ConvolutionDirection::kBackwardData, c.desc.has_relu = true; });
  expect_refused("too small: 1296", [](Case& c) {
    c.desc.batch = 1, c.desc.in_channels = 1;
    set_usual_layouts(c);
    c.desc.in_size = c.desc.out_size = {9, 1}, c.desc.kernel_size = {9, 1}, c.desc.pad_low = {4, 0};
    set_usual_layouts(c);
  });
  options.only = "openblas";
  expect_refused("not the row", [](Case&) {});
}

TEST(ConvolutionKernel, BitsDoNotDependOnConcurrencyOrNesting) {
  std::mt19937 random(8);
  Case c;
  c.desc.direction = ConvolutionDirection::kBackwardWeights;
  c.desc.batch = 8, c.desc.in_channels = 16, c.desc.out_channels = 32;
  c.desc.in_size = c.desc.out_size = {14, 14}, c.desc.kernel_size = {3, 3};
  c.desc.stride = c.desc.dilation = c.desc.pad_low = {1, 1};
  set_usual_layouts(c);
  Operands o(c, random);
  KernelOptions options;
  options.partitions = 2;
  KernelChoice choice = make_convolution(c.desc, options);
  ASSERT_TRUE(choice.kernel) << reason(choice);
  auto run = [&](Operand& result) {
    Scratch scratch(choice.kernel->scratch_bytes());
    const void* inputs[] = {o.src.data(), o.dst.data()};
    void* outputs[] = {result.data()};
    return choice.kernel->execute(inputs, outputs, scratch.data());
  };
  Operand alone = o.weights;
  ASSERT_TRUE(run(alone));
  std::vector<Operand> results(4, o.weights);
  std::vector<std::thread> callers;
  for (Operand& result : results)
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) EXPECT_TRUE(run(result));
    });
  for (auto& caller : callers) caller.join();
  // Inside a section the kernel starts a nested team: slow, but neither a deadlock nor other bits.
  rt::parallel(4, [&](int64_t part, int64_t) { EXPECT_TRUE(run(results[part])); });
  for (Operand& result : results)
    for_each_index(c.weights, [&](const Dims& at) { ASSERT_EQ(result.get(at), alone.get(at)); });
}

}  // namespace
}  // namespace weft::native::test
