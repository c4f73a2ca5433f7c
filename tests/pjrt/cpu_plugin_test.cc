// A real plugin for this CPU: what comes out is what the evaluator gives. Skipped where no plugin is at hand (tools/get_pjrt_plugin.sh).
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "eval/evaluator.h"
#include "pjrt/device_code.h"
#include "pjrt/executable.h"
#include "pjrt/pjrt_target.h"
#include "plugin_path.h"
#include "text/parse.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

class CpuPlugin : public testing::Test {
 protected:
  void SetUp() override {
    if (plugin_path().empty()) GTEST_SKIP() << "no PJRT plugin: tools/get_pjrt_plugin.sh build/plugins";
  }

  static std::vector<Tensor> run(const std::string& text, const std::vector<Tensor>& args,
                                 const std::string& options = "") {
    std::shared_ptr<const Module> module = parse_module(text, "test");
    return get_target("pjrt:" + plugin_path() + options).compile(module, "main", {})->run(args);
  }
};

constexpr const char* kNewton = R"(
func.func @main(%a: tensor<f64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %r = stablehlo.while(%x = %one) : tensor<f64>
  cond {
    %s = stablehlo.multiply %x, %x : tensor<f64>
    %d = stablehlo.subtract %s, %a : tensor<f64>
    %b = stablehlo.abs %d : tensor<f64>
    %e = stablehlo.constant dense<1.0e-12> : tensor<f64>
    %p = stablehlo.compare GT, %b, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %x : tensor<f64>
    %s = stablehlo.add %x, %q : tensor<f64>
    %h = stablehlo.constant dense<0.5> : tensor<f64>
    %n = stablehlo.multiply %s, %h : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }
  return %r : tensor<f64>
}
)";

TEST_F(CpuPlugin, RunsAProgram) {
  const std::vector<Tensor> y = run(R"(
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2xf32>, tensor<2x3xi1>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.compare GT, %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %0, %2 : tensor<2xf32>, tensor<2x3xi1>
})",
                                    {Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}), Tensor::of<float>({1, 0, 5}, {3})});
  EXPECT_EQ(y[0].data<float>()[0], 16);
  EXPECT_EQ(y[0].data<float>()[1], 34);
  EXPECT_FALSE(y[1].data<bool>()[0]);
  EXPECT_TRUE(y[1].data<bool>()[1]);
}

// d sqrt(a)/da = 1 / (2 sqrt(a)), through a loop whose number of iterations only the data say.
TEST_F(CpuPlugin, DifferentiatesNewtonsLoopWithTripsKept) {
  std::shared_ptr<Module> module = parse_module(kNewton, "test");
  const std::vector<size_t> by = {0};
  gradient(*module, "main", by, "main", false, {.recompute = 4});
  const auto code = get_target("pjrt:" + plugin_path()).compile(module, "main", {});
  for (const double a : {2.0, 3.0, 1e4}) {
    const Tensor x = Tensor::scalar_of<double>(a);
    EXPECT_NEAR(code->run(std::span(&x, 1))[0].scalar<double>(), 0.5 / std::sqrt(a), 1e-9) << a;
  }
}

TEST_F(CpuPlugin, RunsLanesThatLeaveALoopOnTheirOwn) {
  std::shared_ptr<Module> module = parse_module(kNewton, "test");
  const std::vector<int64_t> axes = {0};
  vectorize(*module, "main", axes, 4, {.name = "main"});
  const Tensor a = Tensor::of<double>({1, 2, 1e-3, 1e6}, {4});
  const auto code = get_target("pjrt:" + plugin_path()).compile(module, "main", {});
  const std::vector<Tensor> got = code->run(std::span(&a, 1)), expected = evaluate(*module, "main", std::span(&a, 1));
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(got[0].data<double>()[i], expected[0].data<double>()[i]) << i;
}

TEST_F(CpuPlugin, RefusesRecursionBeforeThePluginSeesIt) {
  try {
    run(R"(
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %r = func.call @f(%n) : (tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare LE, %n, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %z : tensor<i32>
  }, {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %n, %one : tensor<i32>
    %s = func.call @f(%m) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
})",
        {Tensor::scalar_of<int32_t>(3)});
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("@f calls @f"), std::string::npos) << error.what();
  }
}

TEST_F(CpuPlugin, TellsShapesThatDoNotFit) {
  EXPECT_THROW(run("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }",
                   {Tensor::of<float>({1, 2, 3, 4}, {2, 2})}),
               UserError);
  EXPECT_THROW(run("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }",
                   {Tensor::of<int32_t>({1}, {1})}),
               UserError);
}

TEST_F(CpuPlugin, RunsChecksOnTheHost) {
  const std::string text = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %p = stablehlo.compare GE, %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  "weft.check"(%p) <{message = "negative"}> : (tensor<2xi1>) -> ()
  %y = stablehlo.sqrt %x : tensor<2xf32>
  return %y : tensor<2xf32>
})";
  EXPECT_EQ(run(text, {Tensor::of<float>({4, 9}, {2})})[0].data<float>()[1], 3);
  EXPECT_THROW(run(text, {Tensor::of<float>({4, -9}, {2})}), UserError);
}

TEST_F(CpuPlugin, RunsChecksOfLoopsOnTheHost) {
  const std::string text = R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %bad = stablehlo.constant dense<24.0> : tensor<f32>
  %end = stablehlo.constant dense<100.0> : tensor<f32>
  %y = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %ok = stablehlo.compare NE, %i, %bad : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "weft.check"(%ok, %i) <{message = "i is {}"}> : (tensor<i1>, tensor<f32>) -> ()
    %n = stablehlo.multiply %i, %two : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %y : tensor<f32>
})";
  EXPECT_EQ(run(text, {Tensor::scalar_of(5.0F)})[0].scalar<float>(), 160);
  try {
    run(text, {Tensor::scalar_of(3.0F)});
    ADD_FAILURE() << "the check did not fail";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("i is 24"), std::string::npos) << error.what();
  }
}

TEST_F(CpuPlugin, SolvesByLapacksCallsWrittenOut) {
  // Eigenvalues 1 and 3.
  const std::string text = R"(
func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>) {
  %0:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
  return %0#0, %0#1, %0#2 : tensor<2x2xf64>, tensor<2xf64>, tensor<i32>
})";
  const auto r = run(text, {Tensor::of<double>({2, 1, 1, 2}, {2, 2})});
  EXPECT_NEAR(r[1].data<double>()[0], 1, 1e-15);
  EXPECT_NEAR(r[1].data<double>()[1], 3, 1e-15);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(std::abs(r[0].data<double>()[i]), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(r[2].scalar<int32_t>(), 0);
}

TEST_F(CpuPlugin, ServesOpenExtents) {
  std::shared_ptr<const Module> module = parse_module(R"(
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = stablehlo.add %x, %x : tensor<?x2xf32>
  return %y : tensor<?x2xf32>
})",
                                                      "test");
  const auto code = get_target("pjrt:" + plugin_path()).compile(module, "main", {});
  for (const int64_t n : {1, 3, 0, 3, 1}) {
    const Tensor x = Tensor::of<float>(std::vector<float>(static_cast<size_t>(2 * n), 1.5F), {n, 2});
    const Tensor y = code->run(std::span(&x, 1))[0];
    EXPECT_EQ(y.shape(), (Shape{n, 2}));
    for (const float v : y.data<float>()) EXPECT_EQ(v, 3);
  }
  EXPECT_EQ(code->extent_calls().own, 3U) << "each set of extents is compiled once";
}

TEST_F(CpuPlugin, IsCalledByEightThreads) {
  std::shared_ptr<const Module> module = parse_module(R"(
func.func @main(%x: tensor<64xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
})",
                                                      "test");
  const auto code = get_target("pjrt:" + plugin_path()).compile(module, "main", {});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Tensor x = Tensor::of<float>(std::vector<float>(64, static_cast<float>(t)), {64});
      for (int i = 0; i < 100; ++i)
        wrong += code->run(std::span(&x, 1))[0].scalar<float>() == 64.0F * static_cast<float>(t) ? 0 : 1;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CpuPlugin, RunsTheChecksOfWhatItLoads) {
  const auto client = pjrt::client_of(plugin_path());
  // x, and what the check looks at.
  auto code = client->compile(R"(func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %p = stablehlo.compare GE, %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %x, %p : tensor<2xf32>, tensor<2xi1>
})",
                              {});
  const pjrt::DeviceCode file = {.plugin = "cpu",
                                 .topology = "here",
                                 .entry = "main",
                                 .arg_types = {Type::tensor(ElementType::kF32, {2})},
                                 .result_types = {Type::tensor(ElementType::kF32, {2})},
                                 .arg_shardings = {},
                                 .result_shardings = {},
                                 .checks = R"(func.func @checks(%p: tensor<2xi1>) {
  "weft.check"(%p) <{message = "negative"}> : (tensor<2xi1>) -> ()
  return
})",
                                 .code = code->code().serialize()};
  const auto loaded = pjrt::load_device_code(client, pjrt::read_device_code(pjrt::write_device_code(file), "test"));
  EXPECT_EQ(loaded->result_types().size(), 1U);
  const Tensor good = Tensor::of<float>({1, 2}, {2}), bad = Tensor::of<float>({1, -2}, {2});
  EXPECT_EQ(loaded->run(std::span(&good, 1))[0].data<float>()[1], 2);
  EXPECT_THROW(loaded->run(std::span(&bad, 1)), UserError);
}

TEST_F(CpuPlugin, LoadsWhatItSerialised) {
  const auto client = pjrt::client_of(plugin_path());
  auto code = client->compile(
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = stablehlo.negate %x : tensor<2xf32>  return %y : "
      "tensor<2xf32> }",
      {});
  const pjrt::DeviceCode file = {.plugin = "cpu",
                                 .topology = "here",
                                 .entry = "main",
                                 .arg_types = {Type::tensor(ElementType::kF32, {2})},
                                 .result_types = {Type::tensor(ElementType::kF32, {2})},
                                 .arg_shardings = {},
                                 .result_shardings = {},
                                 .checks = "",
                                 .code = code->code().serialize()};
  const std::string bytes = pjrt::write_device_code(file);
  EXPECT_TRUE(pjrt::is_device_code(bytes));
  const auto loaded = pjrt::load_device_code(client, pjrt::read_device_code(bytes, "test"));
  const Tensor x = Tensor::of<float>({1, -2}, {2});
  EXPECT_EQ(loaded->run(std::span(&x, 1))[0].data<float>()[1], 2);
  EXPECT_THROW(pjrt::read_device_code(bytes.substr(0, bytes.size() - 1), "test"), UserError);
}

}  // namespace
}  // namespace weft
