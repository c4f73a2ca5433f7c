// What gradients of loops keep from trip to trip, read off their text.
#include "derivative_check.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

/// v ← sin(v), u ← exp(u) · w; the result is v alone.
constexpr const char* kTwoCarries = R"(
module {
func.func @f(%x: tensor<f64>, %n: tensor<i64>, %w: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %u = %x) : tensor<i64>, tensor<f64>, tensor<f64> ATTRIBUTES
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %s = stablehlo.sine %v : tensor<f64>
    %e = stablehlo.exponential %u : tensor<f64>
    %t = stablehlo.multiply %e, %w : tensor<f64>
    stablehlo.return %j, %s, %t : tensor<i64>, tensor<f64>, tensor<f64>
  }
  return RESULT : tensor<f64>
}
})";

std::unique_ptr<Module> program(const std::string& attributes, const std::string& result) {
  std::string text = kTwoCarries;
  text.replace(text.find("ATTRIBUTES"), 10, attributes);
  text.replace(text.find("RESULT"), 6, result);
  return parse_module(text, "two_carries");
}

size_t count(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++n;
  return n;
}

const size_t kFirst[] = {0};

TEST(Recompute, WhatDoesNotReachTheResultIsNotKept) {
  const auto v = program("", "%0#1"), u = program("", "%0#2");
  EXPECT_EQ(count(print_function(gradient(*v, "f", kFirst, "g")), "weft.stack_push"), 1U);
  EXPECT_EQ(count(print_function(gradient(*u, "f", kFirst, "g")), "weft.stack_push"), 1U);
  // Nor do slots hold it: of each of the rows there are a number and the carry that matters.
  const auto slots = program("", "%0#1");
  const std::string text = print_function(gradient(*slots, "f", kFirst, "g", false, {.recompute = 6}));
  EXPECT_GT(count(text, "tensor<7xf64>"), 0U);
  EXPECT_EQ(count(text, "stablehlo.exponential"), 0U);
}

TEST(Recompute, TheAttributeOfALoopHoldsOverLanesAndForDerivativesOfDerivatives) {
  const auto module = program("attributes {weft.recompute = 4 : i64}", "%0#1");
  const int64_t axes[] = {0, 0, kUniform};
  vectorize(*module, "f", axes, 3, {.name = "lanes"});
  vjp(*module, "lanes", kFirst, "back");
  EXPECT_EQ(count(print_function(module->get("back")), "weft.stack"), 0U);
  gradient(*module, "f", kFirst, "g");
  gradient(*module, "g", kFirst, "gg");
  EXPECT_EQ(count(print_function(module->get("g")), "weft.stack"), 0U);
  EXPECT_EQ(count(print_function(module->get("gg")), "weft.stack"), 0U);
  // Lanes of 0, 1 and 9 trips.
  const Tensor x = vector({0.3, 0.5, 0.7}), n = Tensor::of<int64_t>(std::vector<int64_t>{0, 1, 9}, {3});
  const Tensor got = run(*module, "back", {x, n, scalar(1), vector({1, 1, 1})})[0];
  for (size_t lane = 0; lane < 3; ++lane) {
    double value = x.data<double>()[lane], slope = 1;
    for (int64_t t = 0; t < n.data<int64_t>()[lane]; ++t) {
      slope *= std::cos(value);
      value = std::sin(value);
    }
    EXPECT_NEAR(got.data<double>()[lane], slope, 1e-14);
  }
}

TEST(Recompute, EffectsHappenOnce) {
  const std::string text = R"(
module {
func.func private @step(%v: tensor<f64>) -> tensor<f64> ATTRIBUTES {
  "interpreter.print"(%v) : (tensor<f64>) -> ()
  %s = stablehlo.sine %v : tensor<f64>
  return %s : tensor<f64>
}
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = func.call @step(%v) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
})";
  for (const std::string attributes : {"", "attributes {weft.checkpoint}"}) {
    std::string marked = text;
    marked.replace(marked.find("ATTRIBUTES"), 10, attributes);
    const auto module = parse_module(marked, "prints");
    gradient(*module, "f", kFirst, "g", false, {.recompute = 3});
    // The first run prints, by the op or by a call of the function that has it; what runs again does not.
    size_t prints = count(print_function(module->get("g")), "interpreter.print");
    prints += count(print_function(module->get("g")), "call @step(");
    for (const auto& f : module->functions()) {
      if (f->name() == "step_backward") prints += count(print_function(*f), "interpreter.print");
    }
    EXPECT_EQ(prints, 1U) << print_function(module->get("g"));
  }
}

/// Drawn again they would be others.
TEST(Recompute, RandomNumbersThatHaveAStateAreKept) {
  const auto module = parse_module(R"(
module {
func.func private @step(%v: tensor<f64>) -> tensor<f64> attributes {weft.checkpoint} {
  %lo = stablehlo.constant dense<0.5> : tensor<f64>
  %hi = stablehlo.constant dense<1.5> : tensor<f64>
  %shape = stablehlo.constant dense<> : tensor<0xi64>
  %r = stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<0xi64>) -> tensor<f64>
  %m = stablehlo.multiply %r, %v : tensor<f64>
  return %m : tensor<f64>
}
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> (tensor<f64>, tensor<i64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = func.call @step(%v) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1, %0#0 : tensor<f64>, tensor<i64>
}
})",
                                   "random");
  gradient(*module, "f", kFirst, "g", true, {.recompute = 2});
  // The product of the numbers drawn is the value at 1 and the derivative.
  const Vectors got = run(*module, "g", {scalar(1), integer(9)});
  EXPECT_NEAR(got[0].scalar<double>(), got[2].scalar<double>(), 1e-14);
  EXPECT_NE(got[0].scalar<double>(), 1);
}

TEST(Recompute, TheAttributeIsANumberOfTrips) {
  for (const std::string value : {"1 : i64", "-3 : i64", "\"all\""}) {
    const auto module = program("attributes {weft.recompute = " + value + "}", "%0#1");
    EXPECT_THROW(gradient(*module, "f", kFirst, "g"), UserError) << value;
  }
}

}  // namespace
}  // namespace weft::test
