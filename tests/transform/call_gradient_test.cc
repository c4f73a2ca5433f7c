// Derivatives through calls.
#include "derivative_check.h"
#include "ops/region_flow.h"
#include "transform/inline.h"

namespace weft::test {
namespace {

constexpr const char* kCalls = R"(
module {
func.func private @square(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = stablehlo.multiply %x, %x : tensor<f64>
  %1 = stablehlo.sine %y : tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}
func.func private @twice(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = func.call @square(%x, %x) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1:2 = func.call @square(%0#1, %0#0) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %2 = stablehlo.multiply %1#0, %1#1 : tensor<f64>
  return %2 : tensor<f64>
}
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %c = stablehlo.constant dense<3.0> : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %a = func.call @twice(%v) : (tensor<f64>) -> tensor<f64>
    %b:2 = func.call @square(%c, %a) : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    %d = stablehlo.add %b#1, %x : tensor<f64>
    stablehlo.return %j, %d : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
})";

TEST(CallGradient, CallsWithinCallsWithinALoop) {
  for (int64_t n : {0, 1, 3}) expect_derivatives(kCalls, {scalar(0.8), integer(n)});
}

/// x^n by recursion.
constexpr const char* kPower = R"(
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %unit = stablehlo.constant dense<1.0> : tensor<f64>
  %p = stablehlo.compare LT, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %unit : tensor<f64>
  }, {
    %m = stablehlo.subtract %n, %one : tensor<i64>
    %r = func.call @f(%x, %m) : (tensor<f64>, tensor<i64>) -> tensor<f64>
    %s = stablehlo.multiply %r, %x : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
})";

TEST(CallGradient, RecursionForward) {
  auto m = parse_module(kPower, "power");
  jvp(*m, "f", "d");
  jvp(*m, "d", "dd");
  const auto out = run(*m, "dd", {scalar(2), integer(5), scalar(1), scalar(1), scalar(0)});
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[0].scalar<double>(), 32);
  EXPECT_EQ(out[1].scalar<double>(), 80);
  EXPECT_EQ(out[2].scalar<double>(), 80);
  EXPECT_EQ(out[3].scalar<double>(), 160);
}

TEST(CallGradient, RecursionInPlaceOfItself) {
  auto m = parse_module(kPower, "power");
  jvp(*m, "f", "f");
  const auto out = run(*m, "f", {scalar(2), integer(5), scalar(1)});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].scalar<double>(), 32);
  EXPECT_EQ(out[1].scalar<double>(), 80);
}

TEST(CallGradient, RecursionReverseIsRefusedWithTheChain) {
  auto m = parse_module(kPower, "power");
  const size_t args[] = {0};
  try {
    gradient(*m, "f", args, "g");
    FAIL();
  } catch (const Unsupported& e) {
    EXPECT_NE(std::string(e.what()).find("@f calls @f"), std::string::npos) << e.what();
  }
}

TEST(Inline, ReplacesCallsThatAreNoRecursion) {
  auto m = parse_module(kCalls, "calls");
  const double before = run(*m, "f", {scalar(0.8), integer(3)})[0].scalar<double>();
  m->replace(inline_calls(*m, m->get("f")));
  const Function& f = m->get("f");
  for (uint32_t i = 0; i < f.num_ops(); ++i) EXPECT_EQ(callee(OpView{f, OpId{i}}), nullptr);
  EXPECT_EQ(run(*m, "f", {scalar(0.8), integer(3)})[0].scalar<double>(), before);
  EXPECT_EQ(recursion_chain(*m, f), "");

  auto power = parse_module(kPower, "power");
  EXPECT_EQ(recursion_chain(*power, power->get("f")), "@f calls @f");
  power->replace(inline_calls(*power, power->get("f")));
  EXPECT_EQ(run(*power, "f", {scalar(2), integer(5)})[0].scalar<double>(), 32);
}

void expect_error(const std::string& text, std::vector<size_t> args, const std::string& message) {
  auto m = parse_module(text, "t");
  try {
    gradient(*m, "f", args, "g");
    FAIL() << "expected: " << message;
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  }
}

TEST(GradientErrors, NameTheArgumentOrTheResult) {
  const std::string text = R"(
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  return %x : tensor<f64>
})";
  expect_error(text, {2}, "got 2, expected less than 2");
  expect_error(text, {1}, "type of argument 1 of @f: got tensor<i64>, expected a floating-point tensor");
  expect_error(text, {0, 0}, "argument 0 of @f is listed twice");
  expect_error("func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n  return %x : tensor<2xf64>\n}", {0},
               "got tensor<2xf64>, expected a floating-point scalar");
}

}  // namespace
}  // namespace weft::test
