// Functions of a program as machine functions: when they stay functions, how deep recursion goes and how it ends.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "eval/evaluator.h"
#include "native/native_target.h"
#include "text/parse.h"
#include "weft/error.h"

namespace weft::test {
namespace {

std::unique_ptr<Executable> compiled(const std::string& text, const CompileOptions& options = {}) {
  return native_target().compile(parse_module(text, "test"), "main", options);
}

/// A small stack, which is soon full; read once, so set before any test.
const bool kLimited = setenv("WEFT_RECURSION_MIB", "64", 1) == 0;

/// n + (n - 1) + … + 1, one level each.
constexpr const char* kCount = R"(
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %done = stablehlo.compare LE, %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = "stablehlo.if"(%done) ({
    stablehlo.return %zero : tensor<i64>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i64>
    %s = func.call @main(%k) : (tensor<i64>) -> tensor<i64>
    %t = stablehlo.add %s, %n : tensor<i64>
    stablehlo.return %t : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>
})";

TEST(Recursion, AHundredThousandLevelsOfScalars) {
  const auto program = compiled(kCount);
  const std::vector<Tensor> args = {Tensor::scalar_of<int64_t>(100000)};
  EXPECT_EQ(program->run(args)[0].scalar<int64_t>(), int64_t{100000} * 100001 / 2);
}

TEST(Recursion, IsCalledFromSeveralThreads) {
  const auto program = compiled(kCount);
  std::vector<std::thread> threads;
  std::vector<int64_t> got(8);
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::vector<Tensor> args = {Tensor::scalar_of<int64_t>(static_cast<int64_t>(1000 * i))};
      for (int k = 0; k < 20; ++k) got[i] = program->run(args)[0].scalar<int64_t>();
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t i = 0; i < got.size(); ++i) {
    const auto n = static_cast<int64_t>(1000 * i);
    EXPECT_EQ(got[i], n * (n + 1) / 2);
  }
}

/// What an endless recursion says; the program runs again afterwards.
std::string endless(const std::string& text, const std::vector<Tensor>& args) {
  const auto program = compiled(text);
  std::string said;
  for (int k = 0; k < 2; ++k) {
    try {
      program->run(args);
      return "it came back";
    } catch (const UserError& e) { said = e.what(); }
  }
  return said;
}

TEST(Recursion, EndlessOfScalarsNamesTheChain) {
  const std::string said = endless(R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %r = func.call @ping(%n) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
func.func private @ping(%n: tensor<i32>) -> tensor<i32> {
  %r = func.call @pong(%n) : (tensor<i32>) -> tensor<i32>
  %s = stablehlo.add %r, %n : tensor<i32>
  return %s : tensor<i32>
}
func.func private @pong(%n: tensor<i32>) -> tensor<i32> {
  %r = func.call @ping(%n) : (tensor<i32>) -> tensor<i32>
  %s = stablehlo.multiply %r, %n : tensor<i32>
  return %s : tensor<i32>
})",
                                   {Tensor::scalar_of<int32_t>(1)});
  EXPECT_NE(said.find("recursion too deep"), std::string::npos) << said;
  EXPECT_TRUE(said.find("@ping calls @pong calls @ping") != std::string::npos ||
              said.find("@pong calls @ping calls @pong") != std::string::npos)
      << said;
}

TEST(Recursion, EndlessOfArraysSaysHowDeep) {
  ASSERT_TRUE(kLimited);
  // Each level keeps 4 MiB until its callee is done: at most 16 fit into 64 MiB.
  const std::string said = endless(R"(
func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %y = stablehlo.add %x, %x : tensor<1048576xf32>
  %r = func.call @main(%y) : (tensor<1048576xf32>) -> tensor<1048576xf32>
  %s = stablehlo.subtract %r, %y : tensor<1048576xf32>
  return %s : tensor<1048576xf32>
})",
                                   {Tensor(ElementType::kF32, {1048576})});
  const size_t at = said.find("given up after ");
  ASSERT_NE(at, std::string::npos) << said;
  const int levels = std::stoi(said.substr(at + 15));
  EXPECT_GT(levels, 2);
  EXPECT_LE(levels, 17);
}

TEST(Recursion, FailedCheckLeavesAllLevels) {
  const auto program = compiled(R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<-20> : tensor<i32>
  %fine = stablehlo.compare GT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "weft.check"(%fine, %n) {message = "too small: {}"} : (tensor<i1>, tensor<i32>) -> ()
  %k = stablehlo.subtract %n, %one : tensor<i32>
  %r = func.call @main(%k) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
})");
  try {
    program->run(std::vector<Tensor>{Tensor::scalar_of<int32_t>(5)});
    FAIL() << "the check holds";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("too small: -20"), std::string::npos) << e.what();
  }
}

/// `count` calls of a function of `ops` ops: x + x^2 + …
std::string layers(int count, int ops) {
  std::string text = "func.func @main(%x0: tensor<64xf32>) -> tensor<64xf32> {\n";
  for (int i = 0; i < count; ++i) {
    text += "  %x" + std::to_string(i + 1) + " = func.call @layer(%x" + std::to_string(i) +
            ") : (tensor<64xf32>) -> tensor<64xf32>\n";
  }
  text += "  return %x" + std::to_string(count) +
          " : tensor<64xf32>\n}\nfunc.func private @layer(%y0: tensor<64xf32>) -> tensor<64xf32> {\n";
  for (int i = 0; i < ops; ++i) {
    text += "  %y" + std::to_string(i + 1) + " = stablehlo." + (i % 2 == 0 ? "multiply" : "add") + " %y" +
            std::to_string(i) + ", %y0 : tensor<64xf32>\n";
  }
  return text + "  return %y" + std::to_string(ops) + " : tensor<64xf32>\n}\n";
}

TEST(Functions, LongOnesThatAreCalledOftenStayFunctions) {
  EXPECT_NE(compiled(layers(20, 40))->explain().find("@layer"), std::string::npos);
  EXPECT_EQ(compiled(layers(20, 3))->explain().find("@layer"), std::string::npos);
  EXPECT_EQ(compiled(layers(1, 300))->explain().find("@layer"), std::string::npos);
}

TEST(Functions, CallsGiveWhatTheEvaluatorGives) {
  const std::shared_ptr<const Module> module = parse_module(layers(20, 40), "test");
  Tensor x(ElementType::kF32, {64});
  for (int i = 0; i < 64; ++i) x.mutable_data<float>()[i] = 0.01F * static_cast<float>(i - 60);
  const std::vector<Tensor> args = {x};
  const std::vector<Tensor> got = native_target().compile(module, "main")->run(args);
  const std::vector<Tensor> want = evaluate(*module, "main", args);
  for (int i = 0; i < 64; ++i) EXPECT_NEAR(got[0].data<float>()[i], want[0].data<float>()[i], 1e-5) << i;
}

/// Two calls a level: written out, the program would have 2^40 ops.
TEST(Functions, CallsThatDoubleAtEachLevelStayLinear) {
  std::string text;
  for (int i = 0; i <= 40; ++i) {
    const std::string name = i == 40 ? "@main" : "@f" + std::to_string(i);
    text += "func.func " + name + "(%x: tensor<f64>) -> tensor<f64> {\n";
    if (i == 0) {
      text += "  %one = stablehlo.constant dense<1.0> : tensor<f64>\n  %z = stablehlo.add %x, %one : tensor<f64>\n";
    } else if (i < 12) {
      const std::string callee = "@f" + std::to_string(i - 1);
      text += "  %y = func.call " + callee + "(%x) : (tensor<f64>) -> tensor<f64>\n  %z = func.call " + callee +
              "(%y) : (tensor<f64>) -> tensor<f64>\n";
    } else {
      // Behind the twelfth level only one of the two runs.
      const std::string callee = "@f" + std::to_string(i - 1);
      text +=
          "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
          "  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
          "  %z = \"stablehlo.if\"(%p) ({\n    %a = func.call " +
          callee +
          "(%x) : (tensor<f64>) -> tensor<f64>\n    stablehlo.return %a : tensor<f64>\n  }, {\n"
          "    %n = stablehlo.negate %x : tensor<f64>\n    %a = func.call " +
          callee +
          "(%n) : (tensor<f64>) -> tensor<f64>\n    stablehlo.return %a : tensor<f64>\n"
          "  }) : (tensor<i1>) -> tensor<f64>\n";
    }
    text += "  return %z : tensor<f64>\n}\n";
  }
  EXPECT_EQ(compiled(text)->run(std::vector<Tensor>{Tensor::scalar_of<double>(-3)})[0].scalar<double>(), 3 + 2048);
}

/// The callee updates its argument: nothing is copied where the caller needs it no more.
TEST(Functions, ArgumentsAreUpdatedInPlace) {
  const auto program = compiled(R"(
func.func private @set(%a: tensor<4096xi32>, %n: tensor<i32>) -> tensor<4096xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = "stablehlo.case"(%n) ({
    stablehlo.return %a : tensor<4096xi32>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    %v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.dynamic_update_slice %a, %v, %k : (tensor<4096xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4096xi32>
    %c = func.call @set(%b, %k) : (tensor<4096xi32>, tensor<i32>) -> tensor<4096xi32>
    stablehlo.return %c : tensor<4096xi32>
  }) : (tensor<i32>) -> tensor<4096xi32>
  return %r : tensor<4096xi32>
}
func.func @main(%n: tensor<i32>) -> tensor<4096xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<4096xi32>
  %r = func.call @set(%a, %n) : (tensor<4096xi32>, tensor<i32>) -> tensor<4096xi32>
  return %r : tensor<4096xi32>
})");
  EXPECT_EQ(program->explain().find("copy:"), std::string::npos) << program->explain();
  const Tensor got = program->run(std::vector<Tensor>{Tensor::scalar_of<int32_t>(4000)})[0];
  for (int i = 0; i < 4096; ++i) EXPECT_EQ(got.data<int32_t>()[i], i < 4000 ? i + 1 : 0) << i;
}

}  // namespace
}  // namespace weft::test
