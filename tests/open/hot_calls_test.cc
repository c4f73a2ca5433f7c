// Hot calls of a program with open extents take code of their own, others share one; values do not differ.
#include "tests/open/open_check.h"

namespace weft {
namespace {

constexpr const char* kRows = R"(
func.func @main(%x: tensor<?x12xf32>, %w: tensor<12x4xf32>) -> tensor<?x4xf32> {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x12xf32>, tensor<12x4xf32>) -> tensor<?x4xf32>
  %t = stablehlo.tanh %p : tensor<?x4xf32>
  return %t : tensor<?x4xf32>
})";

HotCall rows(int64_t n) {
  return {{Type::tensor(ElementType::kF32, {n, 12}), Type::tensor(ElementType::kF32, {12, 4})}, {}};
}

void expect_evaluated(const Module& module, const Executable& executable, int64_t n) {
  const std::vector<Tensor> args = {random_values(ElementType::kF32, {n, 12}, 1),
                                    random_values(ElementType::kF32, {12, 4}, 2)};
  expect_close(executable.run(args)[0], evaluate_refined(module, args)[0], 1e-5, "at " + std::to_string(n));
}

TEST(HotCalls, TakeCodeOfTheirOwn) {
  const std::shared_ptr<Module> module = parse_module(kRows, "hot");
  CompileOptions options;
  options.hot_calls = {rows(32), rows(1)};
  const auto executable = native_target().compile(module, "main", options);
  EXPECT_TRUE(executable->has_open_extents());
  EXPECT_NE(executable->explain().find("made when they come"), std::string::npos) << executable->explain();
  expect_evaluated(*module, *executable, 32);
  expect_evaluated(*module, *executable, 1);
  EXPECT_EQ(executable->extent_calls().hot, 2u);
  EXPECT_EQ(executable->extent_calls().open, 0u);
  for (int64_t n : {0, 2, 7, 100}) expect_evaluated(*module, *executable, n);
  expect_evaluated(*module, *executable, 32);
  EXPECT_EQ(executable->extent_calls().hot, 3u);
  EXPECT_EQ(executable->extent_calls().open, 4u);
  EXPECT_EQ(executable->extent_calls().own, 0u);
}

TEST(HotCalls, AreKnownByTheIntegersThatDecideExtentsToo) {
  const std::shared_ptr<Module> module = parse_module(R"(
func.func @main(%n: tensor<1xi32>, %x: tensor<f32>) -> tensor<?xf32> {
  %r = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})",
                                                      "hot");
  const auto length = [](int32_t n) {
    Tensor t(ElementType::kI32, {1});
    t.mutable_data<int32_t>()[0] = n;
    return t;
  };
  CompileOptions options;
  options.hot_calls.push_back(
      {{Type::tensor(ElementType::kI32, {1}), Type::tensor(ElementType::kF32, {})}, {{0, length(5)}}});
  const auto executable = native_target().compile(module, "main", options);
  const Tensor x = random_values(ElementType::kF32, {}, 3);
  EXPECT_EQ(executable->run(std::vector<Tensor>{length(5), x})[0].shape(), Shape({5}));
  EXPECT_EQ(executable->extent_calls().hot, 1u);
  EXPECT_EQ(executable->run(std::vector<Tensor>{length(6), x})[0].shape(), Shape({6}));
  EXPECT_EQ(executable->extent_calls().hot, 1u);
  EXPECT_EQ(executable->extent_calls().open, 1u);
}

TEST(HotCalls, ThatDoNotFitAreRefusedWhenTheProgramIsCompiled) {
  const std::shared_ptr<Module> module = parse_module(kRows, "hot");
  CompileOptions options;
  options.hot_calls = {{{Type::tensor(ElementType::kF32, {3, 11}), Type::tensor(ElementType::kF32, {12, 4})}, {}}};
  try {
    native_target().compile(module, "main", options);
    FAIL() << "it was compiled";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "argument 0: got tensor<3x11xf32>, expected tensor<?x12xf32>");
  }
}

TEST(HotCalls, RecursionIsCompiledForEachSetOfExtents) {
  const std::shared_ptr<Module> module = parse_module(R"(
func.func @halve(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %c = stablehlo.compare LE, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%c) ({
    stablehlo.return %x : tensor<?xf32>
  }, {
    %m = stablehlo.subtract %n, %one : tensor<i32>
    %y = stablehlo.add %x, %x : tensor<?xf32>
    %z = func.call @halve(%m, %y) : (tensor<i32>, tensor<?xf32>) -> tensor<?xf32>
    stablehlo.return %z : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r = func.call @halve(%n, %x) : (tensor<i32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
})",
                                                      "recursion");
  const auto executable = native_target().compile(module, "main");
  EXPECT_NE(executable->explain().find("calls itself"), std::string::npos) << executable->explain();
  Tensor n(ElementType::kI32, {});
  n.mutable_data<int32_t>()[0] = 3;
  for (int64_t size : {4, 1, 4, 0}) {
    const Tensor x = random_values(ElementType::kF32, {size}, 4);
    const Tensor r = executable->run(std::vector<Tensor>{n, x})[0];
    for (int64_t i = 0; i < size; ++i)
      EXPECT_EQ(r.data<float>()[static_cast<size_t>(i)], 8 * x.data<float>()[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(executable->extent_calls().own, 4u);
}

}  // namespace
}  // namespace weft
