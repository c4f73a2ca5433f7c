// dot_general and convolution ops on library kernels, against plain sums in double. The convolutions that derivative
// rules emit must land on oneDNN's backward kernels.
#include <gtest/gtest.h>

#include <set>

#include "native/contraction/convolution_form.h"
#include "native/contraction/prepare.h"
#include "ops/builder.h"
#include "tests/native/kernel_check.h"
#include "transform/gradient.h"

namespace weft::native::test {
namespace {

template <class Number>
std::vector<Number> random_numbers(int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<Number> numbers(-1, 1);
  std::vector<Number> list(static_cast<size_t>(count));
  for (Number& each : list) each = numbers(random);
  return list;
}

int64_t at(const Dims& index, const Dims& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

Dims shape_of(Type type) { return Dims(type.shape().begin(), type.shape().end()); }

// The specification's convolution, term by term.
template <class Number>
std::vector<Sum> convolution_sums(const OpView& op, const std::vector<Number>& lhs, const std::vector<Number>& rhs) {
  const ConvolutionAttrs a = ConvolutionAttrs::from(op.attrs());
  const Dims lhs_shape = shape_of(op.operand_type(0)), rhs_shape = shape_of(op.operand_type(1)),
             shape = shape_of(op.result_type());
  const Dims lhs_strides = row_major(lhs_shape), rhs_strides = row_major(rhs_shape), strides = row_major(shape);
  const size_t rank = a.input_spatial.size();
  auto value = [](const Dims& list, size_t d, int64_t fallback) { return list.empty() ? fallback : list[d]; };
  std::vector<Sum> sums(static_cast<size_t>(op.result_type().num_elements()));
  for_each_index(shape, [&](const Dims& out) {
    Sum& sum = sums[at(out, strides)];
    const int64_t feature = out[a.output_feature], features = rhs_shape[a.kernel_output_feature];
    const int64_t feature_group = feature / (features / a.feature_group_count);
    const int64_t batch_group = feature / (features / a.batch_group_count);
    for_each_index(rhs_shape, [&](const Dims& tap) {
      if (tap[a.kernel_output_feature] != feature) return;
      Dims in(lhs_shape.size());
      in[a.input_batch] = batch_group * (lhs_shape[a.input_batch] / a.batch_group_count) + out[a.output_batch];
      in[a.input_feature] = feature_group * rhs_shape[a.kernel_input_feature] + tap[a.kernel_input_feature];
      for (size_t d = 0; d < rank; ++d) {
        int64_t k = tap[a.kernel_spatial[d]];
        if (value(a.window_reversal, d, 0)) k = rhs_shape[a.kernel_spatial[d]] - 1 - k;
        const int64_t position = out[a.output_spatial[d]] * value(a.window_strides, d, 1) +
                                 k * value(a.rhs_dilation, d, 1) - value(a.padding, 2 * d, 0);
        const int64_t base = value(a.lhs_dilation, d, 1);
        if (position < 0 || position % base != 0 || position / base >= lhs_shape[a.input_spatial[d]]) return;
        in[a.input_spatial[d]] = position / base;
      }
      sum.add(double{lhs[at(in, lhs_strides)]} * double{rhs[at(tap, rhs_strides)]});
    });
  });
  return sums;
}

template <class Number>
std::vector<Sum> dot_sums(const OpView& op, const std::vector<Number>& lhs, const std::vector<Number>& rhs) {
  const Attrs& attrs = op.attrs();
  auto lb = attrs.ints_or("lhs_batching_dimensions", 0, 0), rb = attrs.ints_or("rhs_batching_dimensions", 0, 0);
  auto lc = attrs.ints_or("lhs_contracting_dimensions", 0, 0), rc = attrs.ints_or("rhs_contracting_dimensions", 0, 0);
  const Dims lhs_shape = shape_of(op.operand_type(0)), rhs_shape = shape_of(op.operand_type(1)),
             shape = shape_of(op.result_type());
  Dims summed;
  for (int64_t d : lc) summed.push_back(lhs_shape[d]);
  std::vector<Sum> sums(static_cast<size_t>(op.result_type().num_elements()));
  auto is_in = [](const Dims& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); };
  for_each_index(shape, [&](const Dims& out) {
    for_each_index(summed, [&](const Dims& k) {
      Dims left(lhs_shape.size()), right(rhs_shape.size());
      size_t next = lb.size();
      for (size_t b = 0; b < lb.size(); ++b) left[lb[b]] = right[rb[b]] = out[b];
      for (size_t c = 0; c < lc.size(); ++c) left[lc[c]] = right[rc[c]] = k[c];
      for (size_t d = 0; d < left.size(); ++d)
        if (!is_in(lb, d) && !is_in(lc, d)) left[d] = out[next++];
      for (size_t d = 0; d < right.size(); ++d)
        if (!is_in(rb, d) && !is_in(rc, d)) right[d] = out[next++];
      sums[at(out, row_major(shape))].add(double{lhs[at(left, row_major(lhs_shape))]} *
                                          double{rhs[at(right, row_major(rhs_shape))]});
    });
  });
  return sums;
}

// Runs the op on a library kernel; false when none takes it, with the reason in `note`.
template <class Number>
bool check(const OpView& op, std::mt19937& random, std::string& note, std::string* implementation = nullptr) {
  CompileOptions options;
  options.disabled = {"library_size_limits"};
  auto kernel = prepare_contraction(op, options, 2, note);
  if (!kernel) return false;
  if (implementation) *implementation = kernel->implementation();
  const auto lhs = random_numbers<Number>(op.operand_type(0).num_elements(), random);
  const auto rhs = random_numbers<Number>(op.operand_type(1).num_elements(), random);
  const bool is_dot = op.def().mnemonic == "stablehlo.dot_general";
  const std::vector<Sum> want = is_dot ? dot_sums(op, lhs, rhs) : convolution_sums(op, lhs, rhs);
  std::vector<Number> got(want.size() + 1, Number(77));
  Scratch scratch(kernel->scratch_bytes());
  const void* inputs[] = {lhs.data(), rhs.data()};
  void* outputs[] = {got.data()};
  EXPECT_TRUE(kernel->execute(inputs, outputs, scratch.data()));
  int wrong = 0;
  for (size_t i = 0; i < want.size(); ++i)
    wrong += !is_close(double{got[i]}, want[i], sizeof(Number) == 8 ? ElementType::kF64 : ElementType::kF32);
  EXPECT_EQ(wrong, 0) << kernel->implementation() << " of " << op.operand_type(0).str() << " "
                      << op.operand_type(1).str() << " -> " << op.result_type().str();
  EXPECT_EQ(got.back(), Number(77));
  return true;
}

std::vector<OpView> find_ops(const Function& f, std::string_view mnemonic) {
  std::vector<OpView> found;
  for (OpId op : f.ops(f.body()))
    if (f.def(op).mnemonic == mnemonic) found.push_back({f, op});
  return found;
}

struct Program {
  Module module;
  Function& function = module.add(std::make_unique<Function>("f"));
  OpBuilder builder{function, function.body()};

  OpView convolution(const Dims& lhs, const Dims& rhs, const ConvolutionAttrs& attrs) {
    const Value x = function.add_arg(function.body(), Type::tensor(ElementType::kF32, lhs));
    const Value k = function.add_arg(function.body(), Type::tensor(ElementType::kF32, rhs));
    const Value y = builder.convolution(x, k, attrs);
    const Value results[] = {y};
    builder.yield(results);
    return {function, function.defining_op(y)};
  }
};

// Dimension numbers in a random order, or channels last.
ConvolutionAttrs dimension_numbers(size_t rank, std::mt19937& random, bool is_random) {
  ConvolutionAttrs a;
  auto order = [&] {
    Dims dims(rank + 2);
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int64_t>(d);
    if (is_random) std::shuffle(dims.begin(), dims.end(), random);
    return dims;
  };
  Dims input = order(), kernel = order(), output = order();
  a.input_batch = input.front(), a.input_feature = input.back();
  a.input_spatial = Dims(input.begin() + 1, input.end() - 1);
  a.kernel_input_feature = kernel[rank], a.kernel_output_feature = kernel[rank + 1];
  a.kernel_spatial = Dims(kernel.begin(), kernel.begin() + static_cast<ptrdiff_t>(rank));
  a.output_batch = output.front(), a.output_feature = output.back();
  a.output_spatial = Dims(output.begin() + 1, output.end() - 1);
  return a;
}

Dims placed(size_t rank, int64_t first, int64_t first_at, int64_t second, int64_t second_at, const Dims& spatial,
            const Dims& spatial_at) {
  Dims shape(rank + 2);
  shape[first_at] = first;
  shape[second_at] = second;
  for (size_t d = 0; d < rank; ++d) shape[spatial_at[d]] = spatial[d];
  return shape;
}

struct RandomConvolution {
  ConvolutionAttrs attrs;
  Dims lhs, rhs;

  RandomConvolution(std::mt19937& random, bool is_plain_forward) {
    const size_t rank = static_cast<size_t>(pick(random, is_plain_forward ? 1 : 0, 3));
    attrs = dimension_numbers(rank, random, !is_plain_forward && pick(random, 0, 1));
    const int64_t groups = pick(random, 0, 3) == 0 ? 2 : 1;
    if (is_plain_forward || pick(random, 0, 2)) attrs.feature_group_count = groups;
    else attrs.batch_group_count = groups;
    const int64_t depth = pick(random, 1, 6);
    Dims in, window;
    for (size_t d = 0; d < rank; ++d) {
      window.push_back(pick(random, 1, 4));
      attrs.rhs_dilation.push_back(pick(random, 1, 2));
      const int64_t reach = (window[d] - 1) * attrs.rhs_dilation[d] + 1;
      attrs.window_strides.push_back(pick(random, 1, 3));
      in.push_back(pick(random, reach, reach + 6));
      if (is_plain_forward) {
        attrs.padding.push_back(pick(random, 0, reach - 1));
        attrs.padding.push_back(pick(random, 0, reach - 1));
        continue;
      }
      attrs.padding.push_back(pick(random, -1, reach - 1));
      attrs.padding.push_back(pick(random, -1, reach - 1));
      attrs.lhs_dilation.push_back(pick(random, 0, 2) == 0 ? 2 : 1);
      if (attrs.lhs_dilation[d] == 2) attrs.window_strides[d] = 1;
      attrs.window_reversal.push_back(pick(random, 0, 1));
      if (in[d] + attrs.padding[2 * d] + attrs.padding[2 * d + 1] < reach)
        attrs.padding[2 * d] = attrs.padding[2 * d + 1] = 1;
    }
    lhs = placed(rank, attrs.batch_group_count * pick(random, 1, 3), attrs.input_batch,
                 attrs.feature_group_count * depth, attrs.input_feature, in, attrs.input_spatial);
    rhs = placed(rank, depth, attrs.kernel_input_feature, groups * pick(random, 1, 6), attrs.kernel_output_feature,
                 window, attrs.kernel_spatial);
  }
};

TEST(Contraction, ConvolutionsOfAllKinds) {
  std::mt19937 random(1);
  int taken = 0;
  for (int trial = 0; trial < 200; ++trial) {
    RandomConvolution c(random, false);
    Program program;
    std::string note;
    OpView op = program.convolution(c.lhs, c.rhs, c.attrs);
    if (op.result_type().num_elements() == 0) continue;
    taken += check<float>(op, random, note);
  }
  EXPECT_GE(taken, 100);
}

TEST(Contraction, ForwardConvolutionsAllHaveAKernel) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    RandomConvolution c(random, true);
    Program program;
    std::string note;
    EXPECT_TRUE(check<float>(program.convolution(c.lhs, c.rhs, c.attrs), random, note)) << note;
  }
}

// Directions of the best forms of the convolutions in f, checked against the sums on the way.
std::multiset<ConvolutionDirection> directions(const Function& f, std::mt19937& random, int& refused) {
  std::multiset<ConvolutionDirection> found;
  for (const OpView& op : find_ops(f, "stablehlo.convolution")) {
    std::string note;
    const bool is_taken = check<float>(op, random, note);
    EXPECT_TRUE(is_taken || note.find("padding") != std::string::npos) << note;
    refused += !is_taken;
    const auto analysis = analyze_convolution(op, ContractionLayout::dense(op));
    if (!analysis.forms.empty()) found.insert(analysis.forms[0].desc.direction);
  }
  return found;
}

TEST(Contraction, GradientsOfConvolutionsUseTheBackwardKernels) {
  std::mt19937 random(3);
  int convolutions = 0, refused = 0;
  for (int trial = 0; trial < 60; ++trial) {
    RandomConvolution c(random, true);
    // Small extents may be read either way; these are what networks have.
    for (size_t d = 0; d < c.attrs.input_spatial.size(); ++d) c.lhs[c.attrs.input_spatial[d]] += 5;
    Program program;
    const OpView forward = program.convolution(c.lhs, c.rhs, c.attrs);
    int64_t positions = 1, taps = 1;
    for (int64_t d : c.attrs.output_spatial) positions *= forward.result_type().dim(d);
    for (int64_t d : c.attrs.kernel_spatial) taps *= c.rhs[d];
    const size_t both[] = {0, 1};
    const Function& gradient = vjp(program.module, "f", both, "g");
    const auto found = directions(gradient, random, refused);
    ASSERT_EQ(found.size(), 2u);
    convolutions += 2;
    // A window of more taps than there are positions may be read as a forward convolution just as well.
    if (positions > taps) EXPECT_EQ(found.count(ConvolutionDirection::kBackwardWeights), 1u);
    if (taps > 1) EXPECT_EQ(found.count(ConvolutionDirection::kBackwardData), 1u);
  }
  EXPECT_LE(refused, convolutions / 20);
}

TEST(Contraction, GradientsOfGradients) {
  std::mt19937 random(4);
  int refused = 0;
  for (int trial = 0; trial < 15; ++trial) {
    RandomConvolution c(random, true);
    Program program;
    program.convolution(c.lhs, c.rhs, c.attrs);
    const size_t both[] = {0, 1};
    vjp(program.module, "f", both, "g");
    const Function& twice = vjp(program.module, "g", both, "h");
    EXPECT_GE(directions(twice, random, refused).size(), 2u);
  }
  EXPECT_LE(refused, 4);
}

TEST(Contraction, ATrainingStepsConvolutionsNeedNoCopies) {
  // NHWC activations and HWIO weights as front ends write them: strides 1 and 2, SAME padding.
  std::mt19937 random(5);
  for (int64_t stride : {1, 2}) {
    ConvolutionAttrs a = dimension_numbers(2, random, false);
    a.window_strides = {stride, stride};
    a.padding = stride == 1 ? Dims{1, 1, 1, 1} : Dims{0, 1, 0, 1};
    Program program;
    program.convolution({8, 28, 28, 16}, {3, 3, 16, 32}, a);
    const size_t both[] = {0, 1};
    const Function& step = vjp(program.module, "f", both, "g", true);
    for (const OpView& op : find_ops(step, "stablehlo.convolution")) {
      const auto analysis = analyze_convolution(op, ContractionLayout::dense(op));
      ASSERT_FALSE(analysis.forms.empty());
      EXPECT_TRUE(analysis.forms[0].reversed_rhs.empty());
      EXPECT_TRUE(analysis.forms[0].reversed_result.empty());
      EXPECT_EQ(analysis.forms[0].lhs_offset, 0);
      KernelOptions options;
      options.disabled = {"winograd"};  // its scratch holds the tiles of a run
      const KernelChoice choice = make_convolution(analysis.forms[0].desc, options);
      ASSERT_TRUE(choice.kernel) << reason(choice);
      EXPECT_EQ(choice.kernel->implementation().find("gemm"), std::string::npos) << choice.kernel->implementation();
      // What scratch there is holds weights and partial sums of them, not activations.
      EXPECT_LT(choice.kernel->scratch_bytes(), 8u * 28 * 28 * 16 * 4 / stride);
    }
  }
}

TEST(Contraction, DotGeneralOfAllKinds) {
  std::mt19937 random(6);
  int taken = 0, copies = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const ElementType type = trial % 3 == 0 ? ElementType::kF64 : ElementType::kF32;
    const int64_t batches = pick(random, 0, 2), sums = pick(random, 0, 2);
    int64_t lhs_rank = batches + sums + pick(random, 0, 2), rhs_rank = batches + sums + pick(random, 0, 2);
    auto shuffled = [&](int64_t rank) {
      Dims dims(static_cast<size_t>(rank));
      for (int64_t d = 0; d < rank; ++d) dims[d] = d;
      std::shuffle(dims.begin(), dims.end(), random);
      return dims;
    };
    const Dims left = shuffled(lhs_rank), right = shuffled(rhs_rank);
    DotDims dims;
    Dims lhs(left.size()), rhs(right.size());
    for (auto& extent : lhs) extent = pick(random, 1, 7);
    for (auto& extent : rhs) extent = pick(random, 1, 7);
    for (int64_t d = 0; d < batches + sums; ++d) {
      (d < batches ? dims.lhs_batching : dims.lhs_contracting).push_back(left[d]);
      (d < batches ? dims.rhs_batching : dims.rhs_contracting).push_back(right[d]);
      rhs[right[d]] = lhs[left[d]];
    }
    Program program;
    const Value a = program.function.add_arg(program.function.body(), Type::tensor(type, lhs));
    const Value b = program.function.add_arg(program.function.body(), Type::tensor(type, rhs));
    const Value y = program.builder.dot_general(a, b, dims);
    const Value results[] = {y};
    program.builder.yield(results);
    const OpView op{program.function, program.function.defining_op(y)};
    std::string note, implementation;
    const bool is_taken = type == ElementType::kF64 ? check<double>(op, random, note, &implementation)
                                                    : check<float>(op, random, note, &implementation);
    taken += is_taken;
    copies += implementation.find("copies") != std::string::npos;
    if (!is_taken) EXPECT_FALSE(note.empty());
  }
  EXPECT_GE(taken, 220);
  EXPECT_GE(copies, 10);
}

TEST(Contraction, ProductsAndTheirGradientsNeedNoCopies) {
  std::mt19937 random(7);
  Program program;
  const Value x = program.function.add_arg(program.function.body(), Type::tensor(ElementType::kF32, {4, 10, 24}));
  const Value w = program.function.add_arg(program.function.body(), Type::tensor(ElementType::kF32, {24, 32}));
  DotDims dims;
  dims.lhs_contracting = {2};
  dims.rhs_contracting = {0};
  const Value results[] = {program.builder.dot_general(x, w, dims)};
  program.builder.yield(results);
  const size_t both[] = {0, 1};
  const auto ops = find_ops(vjp(program.module, "f", both, "g", true), "stablehlo.dot_general");
  ASSERT_EQ(ops.size(), 3u);
  for (const OpView& op : ops) {
    const MatmulAnalysis analysis = analyze_dot_general(op, ContractionLayout::dense(op));
    EXPECT_EQ(analysis.reason, "");
    EXPECT_TRUE(analysis.form.lhs_copy.empty() && analysis.form.rhs_copy.empty());
    EXPECT_TRUE(analysis.form.desc.batch.empty()) << "leading dimensions merge";
    std::string note;
    EXPECT_TRUE(check<float>(op, random, note)) << note;
  }
}

TEST(Contraction, ConstantWeightsGiveTheSameWithoutMoreScratch) {
  std::mt19937 random(10);
  for (bool is_dot : {true, false}) {
    for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
      if (type == ElementType::kF64 && !is_dot) continue;
      const Dims lhs = is_dot ? Dims{20, 24} : Dims{2, 9, 9, 8}, rhs = is_dot ? Dims{24, 40} : Dims{3, 3, 8, 16};
      Program program;
      const Value x = program.function.add_arg(program.function.body(), Type::tensor(type, lhs));
      const Value w = program.function.add_arg(program.function.body(), Type::tensor(type, rhs));
      Tensor weights(type, rhs);
      for (int64_t i = 0; i < weights.size(); ++i) {
        const double value = std::uniform_real_distribution<double>(-1, 1)(random);
        if (type == ElementType::kF32) weights.mutable_data<float>()[i] = static_cast<float>(value);
        else weights.mutable_data<double>()[i] = value;
      }
      const Value c = program.builder.constant(Literal::dense(weights));
      auto contract = [&](Value kernel) {
        DotDims dims;
        dims.lhs_contracting = {1};
        dims.rhs_contracting = {0};
        const Value y = is_dot ? program.builder.dot_general(x, kernel, dims)
                               : program.builder.convolution(x, kernel, dimension_numbers(2, random, false));
        return OpView{program.function, program.function.defining_op(y)};
      };
      const OpView plain = contract(w), packed = contract(c);
      std::string note;
      CompileOptions options;
      options.disabled = {"library_size_limits"};
      const auto one = prepare_contraction(plain, options, 2, note),
                 two = prepare_contraction(packed, options, 2, note);
      ASSERT_TRUE(one && two) << note;
      EXPECT_LE(two->scratch_bytes(), one->scratch_bytes());
      Tensor images(type, lhs), first(type, shape_of(plain.result_type())), second = first.clone();
      for (int64_t i = 0; i < images.size(); ++i) {
        if (type == ElementType::kF32) images.mutable_data<float>()[i] = static_cast<float>(i % 7 - 3);
        else images.mutable_data<double>()[i] = static_cast<double>(i % 7 - 3);
      }
      Scratch scratch(one->scratch_bytes() + two->scratch_bytes());
      const void *with[] = {images.raw(), weights.raw()}, *without[] = {images.raw(), nullptr};
      void *to_first[] = {first.raw()}, *to_second[] = {second.raw()};
      ASSERT_TRUE(one->execute(with, to_first, scratch.data()));
      ASSERT_TRUE(two->execute(without, to_second, scratch.data()));
      for (int64_t i = 0; i < first.size(); ++i) {
        const double a = type == ElementType::kF32 ? first.data<float>()[i] : first.data<double>()[i];
        const double b = type == ElementType::kF32 ? second.data<float>()[i] : second.data<double>()[i];
        ASSERT_NEAR(a, b, 1e-4);
      }
    }
  }
}

TEST(Contraction, SaysWhyNoLibraryTakesIt) {
  Program program;
  RandomConvolution c = [] {
    std::mt19937 random(8);
    return RandomConvolution(random, true);
  }();
  OpView op = program.convolution(c.lhs, c.rhs, c.attrs);
  CompileOptions options;
  std::string note;
  options.no_libraries = true;
  EXPECT_EQ(prepare_contraction(op, options, 1, note), nullptr);
  EXPECT_EQ(note, "libraries are switched off");
  options.no_libraries = false;
  options.disabled = {"onednn_convolution"};
  EXPECT_EQ(prepare_contraction(op, options, 1, note), nullptr);
  EXPECT_NE(note.find("onednn: switched off"), std::string::npos) << note;
  options.disabled = {};
  Program stepped;
  std::mt19937 random(9);
  ConvolutionAttrs a = dimension_numbers(1, random, false);
  a.lhs_dilation = {2}, a.window_strides = {2};
  OpView both = stepped.convolution({1, 9, 4}, {3, 4, 4}, a);
  EXPECT_EQ(prepare_contraction(both, options, 1, note), nullptr);
  EXPECT_NE(note.find("forward: lhs_dilation above 1"), std::string::npos) << note;
  EXPECT_NE(note.find("backward_data: window_strides above 1"), std::string::npos) << note;
}

}  // namespace
}  // namespace weft::native::test
