// Feeds, channels and prints of a function over lanes happen as in a loop over lanes; derivatives take what arrives for constants and refuse
// to lose what is sent away.
#include <gtest/gtest.h>

#include "derivative_check.h"
#include "lane_check.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

constexpr const char* kFeeds = R"(
func.func @first() -> tensor<2xf64> {
  %0 = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @second() -> tensor<2xf64> {
  %0 = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @third() -> tensor<2xf64> {
  %0 = stablehlo.constant dense<[11.0, 13.0]> : tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %t = stablehlo.create_token : !stablehlo.token
  %v:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf64>, !stablehlo.token)
  %y = stablehlo.multiply %x, %v#0 : tensor<2xf64>
  %o = "stablehlo.outfeed"(%y, %v#1) : (tensor<2xf64>, !stablehlo.token) -> !stablehlo.token
  return %y : tensor<2xf64>
}
)";

/// Runs @f in one process whose infeed gives what the three functions do.
std::vector<Tensor> run_fed(Module& module, const std::string& f, const std::vector<Tensor>& args) {
  const std::string name = module.unique_name("drive");
  Function& driver = module.add(std::make_unique<Function>(name));
  std::vector<Value> values;
  for (const Tensor& t : args)
    values.push_back(driver.add_arg(driver.body(), Type::tensor(t.element_type(), t.shape())));
  const auto symbol = [](const std::string& s) { return Attr(OpaqueAttr{"@" + s}); };
  OpBuilder b(driver, driver.body(), &module);
  b.yield(b.create("interpreter.run_parallel", values,
                   Attrs{{"programs", AttrList{Attr(AttrList{symbol(f)})}},
                         {"infeed", AttrList{symbol("first"), symbol("second"), symbol("third")}}}));
  return run(module, name, args);
}

TEST(EffectsOverLanes, EachLaneTakesItsOwnValuesInOrder) {
  auto module = parse_module(kFeeds, "t.mlir");
  for (const int64_t axis : {int64_t{0}, kUniform}) {
    const std::string over = vectorize(*module, "f", std::vector<int64_t>{axis}, 3).name();
    const Tensor x = axis == 0 ? tensor({1, 1, 2, 2, 3, 3}, {3, 2}) : vector({1, 1});
    const Tensor result = run_fed(*module, over, {x})[0];
    const auto out = result.data<double>();
    const std::vector<double> expected =
        axis == 0 ? std::vector<double>{2, 3, 10, 14, 33, 39} : std::vector<double>{2, 3, 5, 7, 11, 13};
    EXPECT_EQ(std::vector<double>(out.begin(), out.end()), expected);
  }
}

TEST(EffectsOverLanes, NoLaneTakesNothing) {
  auto module = parse_module(kFeeds, "t.mlir");
  const std::string over = vectorize(*module, "f", std::vector<int64_t>{0}, 0).name();
  EXPECT_EQ(run_fed(*module, over, {tensor({}, {0, 2})})[0].shape(), (Shape{0, 2}));
}

TEST(EffectsOverLanes, WhatArrivesIsAConstantToDerivatives) {
  auto module = parse_module(kFeeds, "t.mlir");
  const size_t by[] = {0};
  jvp(*module, "f", by, "F");
  const auto out = run_fed(*module, "F", {vector({1, 1}), vector({10, 100})});
  EXPECT_EQ(out[1].data<double>()[0], 20);
  EXPECT_EQ(out[1].data<double>()[1], 300);
}

TEST(EffectsOverLanes, PrintsInTheOrderOfLanes) {
  auto module = parse_module(R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  interpreter.print %x : tensor<f64>
  return %x : tensor<f64>
}
func.func @one(%x: tensor<f64>) -> tensor<f64> {
  %y = func.call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
)",
                             "t.mlir");
  const std::string over = vectorize(*module, "f", std::vector<int64_t>{0}, 2).name();
  std::string lanes, loop;
  CompileOptions options;
  options.print = [&](const std::string& text) { lanes += text; };
  evaluate(*module, over, std::vector{vector({1.5, -2})}, options);
  options.print = [&](const std::string& text) { loop += text; };
  loop += "lane 0: ";
  evaluate(*module, "one", std::vector{scalar(1.5)}, options);
  loop += "lane 1: ";
  evaluate(*module, "one", std::vector{scalar(-2)}, options);
  EXPECT_FALSE(lanes.empty());
  EXPECT_EQ(lanes, loop);
}

// In loops that lanes leave apart, in branches that they take apart, and in what is called there; within lanes as well.
TEST(EffectsOverLanes, PrintsWhereLanesRunApart) {
  auto module = parse_module(R"(
func.func private @say(%x: tensor<i32>) {
  interpreter.print %x : tensor<i32>
  return
}
func.func @f(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  interpreter.print %n : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    interpreter.print %i : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  %p = stablehlo.compare EQ, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "stablehlo.if"(%p) ({
    %m = stablehlo.negate %n : tensor<i32>
    func.call @say(%m) : (tensor<i32>) -> ()
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return %r : tensor<i32>
}
)",
                             "t.mlir");
  const auto line = [](const std::string& lane, int value) {
    return "lane " + lane + ": tensor<i32> " + std::to_string(value) + "\n";
  };
  std::string said;
  CompileOptions options;
  options.print = [&](const std::string& text) { said += text; };
  vectorize(*module, "f", std::vector<int64_t>{0}, 2, {.name = "lanes"});
  verify(*module);
  evaluate(*module, "lanes", std::vector{Tensor::of<int32_t>({2, 1}, {2})}, options);
  EXPECT_EQ(said, line("0", 2) + line("1", 1) + line("0", 0) + line("0", 1) + line("1", 0) + line("1", -1));
  said.clear();
  vectorize(*module, "lanes", std::vector<int64_t>{0}, 2, {.name = "both"});
  verify(*module);
  evaluate(*module, "both", std::vector{Tensor::of<int32_t>({0, 0, 1, 0}, {2, 2})}, options);
  EXPECT_EQ(said,
            line("0, 0", 0) + line("1, 0", 1) + line("0, 1", 0) + line("1, 1", 0) + line("1, 0", 0) + line("1, 0", -1));
}

constexpr const char* kSends = R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %t = stablehlo.create_token : !stablehlo.token
  %y = stablehlo.sine %x : tensor<f64>
  %s = "stablehlo.send"(%y, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<f64>, !stablehlo.token) -> !stablehlo.token
  %r:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> (tensor<f64>, !stablehlo.token)
  %z = stablehlo.multiply %r#0, %x : tensor<f64>
  return %z : tensor<f64>
}
)";

TEST(EffectsOverLanes, ALaneReceivesWhatItSends) {
  auto module = parse_module(kSends, "t.mlir");
  expect_lanes_equal_loop(*module, {0}, 3, {vector({0.5, -1, 2})});
}

TEST(EffectsOverLanes, WhatIsSentAwayIsNotTakenForAConstant) {
  for (const bool reverse : {false, true}) {
    auto module = parse_module(kSends, "t.mlir");
    const size_t by[] = {0};
    try {
      if (reverse) {
        gradient(*module, "f", by, "g");
      } else {
        jvp(*module, "f", by, "F");
      }
      FAIL() << "expected a refusal";
    } catch (const Unsupported& e) {
      const std::string message = e.what();
      EXPECT_NE(message.find("[stablehlo.send] derivative by operand 0: "), std::string::npos) << message;
      EXPECT_NE(message.find("collective_permute"), std::string::npos) << message;
      EXPECT_EQ(e.loc().line, 5u) << message;
    }
  }
}

}  // namespace
}  // namespace weft::test
