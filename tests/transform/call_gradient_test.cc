// Derivatives through calls.
#include "derivative_check.h"
#include "ops/control_flow/region_flow.h"
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

/// @step is too large to be inlined; it has a loop, reads an array and takes an integer.
std::string large_callee() {
  std::string text = R"(
module {
func.func private @step(%x: tensor<f64>, %a: tensor<4xf64>, %i: tensor<i64>, %unused: tensor<f64>) -> (tensor<f64>, tensor<i64>, tensor<f64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %scale = stablehlo.constant dense<1.01> : tensor<f64>
  %s = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<4xf64>, tensor<i64>) -> tensor<1xf64>
  %e = stablehlo.reshape %s : (tensor<1xf64>) -> tensor<f64>
  %0:2 = stablehlo.while(%k = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %k, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %l = stablehlo.add %k, %one : tensor<i64>
    %m = stablehlo.multiply %v, %e : tensor<f64>
    %n = stablehlo.sine %m : tensor<f64>
    stablehlo.return %l, %n : tensor<i64>, tensor<f64>
  }
  %c0 = stablehlo.add %0#1, %e : tensor<f64>
)";
  for (int i = 0; i < 50; ++i) {
    text += "  %c" + std::to_string(i + 1) + " = stablehlo." + (i == 20 ? "sine" : "negate") + " %c" +
            std::to_string(i) + " : tensor<f64>\n";
  }
  return text + R"(
  %d = stablehlo.multiply %c50, %scale : tensor<f64>
  %next = stablehlo.add %i, %one : tensor<i64>
  return %d, %next, %e : tensor<f64>, tensor<i64>, tensor<f64>
}
func.func @f(%x: tensor<f64>, %a: tensor<4xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1:3 = func.call @step(%v, %a, %i, %x) : (tensor<f64>, tensor<4xf64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<i64>, tensor<f64>)
    stablehlo.return %1#1, %1#0 : tensor<i64>, tensor<f64>
  }
  %2:3 = func.call @step(%r#1, %a, %zero, %x) : (tensor<f64>, tensor<4xf64>, tensor<i64>, tensor<f64>) -> (tensor<f64>, tensor<i64>, tensor<f64>)
  %3 = stablehlo.multiply %2#0, %2#2 : tensor<f64>
  return %3 : tensor<f64>
}
})";
}

TEST(CallGradient, LargeCalleesBecomePairsOfFunctions) {
  auto m = parse_module(large_callee(), "t");
  const size_t args[] = {0, 1};
  gradient(*m, "f", args, "g");
  EXPECT_NE(m->find("step_forward"), nullptr);
  EXPECT_NE(m->find("step_backward"), nullptr);
  for (int64_t n : {0, 1, 3})
    expect_derivatives(large_callee(), {scalar(0.8), vector({0.7, 1.1, -0.6, 0.9}), integer(n)});
}

TEST(CallGradient, ProgramsThatCallTwiceAtEveryLevelStaySmall) {
  std::string text =
      "module {\nfunc.func private @f0(%x: tensor<f64>) -> tensor<f64> {\n  %0 = stablehlo.sine %x : tensor<f64>\n  "
      "return %0 : tensor<f64>\n}\n";
  const int levels = 30;
  for (int i = 1; i <= levels; ++i) {
    const std::string name = i == levels ? "@f" : "@f" + std::to_string(i), inner = "@f" + std::to_string(i - 1);
    text +=
        "func.func " + name +
        "(%x: tensor<f64>) -> tensor<f64> {\n  %c = stablehlo.constant dense<0.4> : tensor<f64>\n  %0 = func.call " +
        inner +
        "(%x) : (tensor<f64>) -> tensor<f64>\n  %1 = stablehlo.multiply %0, %c : tensor<f64>\n  %2 = func.call " +
        inner + "(%1) : (tensor<f64>) -> tensor<f64>\n  return %2 : tensor<f64>\n}\n";
  }
  auto m = parse_module(text + "}\n", "t");
  const size_t args[] = {0};
  gradient(*m, "f", args, "g");
  jvp(*m, "g", "gg");
  size_t ops = 0;
  for (const auto& f : m->functions()) ops += f->num_ops();
  EXPECT_LT(ops, 10000u);
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

TEST(CallGradient, RecursionInEveryOrder) {
  for (int64_t n : {0, 1, 5}) expect_derivatives(kPower, {scalar(1.2), integer(n)});
}

TEST(CallGradient, RecursionThatDrawsIsRefused) {
  auto m = parse_module(R"(
module {
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %shape = stablehlo.constant dense<> : tensor<0xi64>
  %lo = stablehlo.constant dense<0.0> : tensor<f64>
  %hi = stablehlo.constant dense<1.0> : tensor<f64>
  %p = stablehlo.compare LT, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %m = stablehlo.subtract %n, %one : tensor<i64>
    %r = stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<0xi64>) -> tensor<f64>
    %a = stablehlo.multiply %x, %r : tensor<f64>
    %b = func.call @f(%a, %m) : (tensor<f64>, tensor<i64>) -> tensor<f64>
    stablehlo.return %b : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}
})",
                        "draws");
  const size_t args[] = {0};
  EXPECT_THROW(gradient(*m, "f", args, "R"), Unsupported);
  jvp(*m, "f", args, "F");  // runs once
}

// @f and @g call each other: alternately sin(x·y) and x·y + y.
TEST(CallGradient, FunctionsThatCallEachOther) {
  const std::string text = R"(
module {
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %p = stablehlo.compare LT, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %m = stablehlo.subtract %n, %one : tensor<i64>
    %a = stablehlo.multiply %x, %y : tensor<f64>
    %b = stablehlo.sine %a : tensor<f64>
    %r = func.call @g(%b, %y, %m) : (tensor<f64>, tensor<f64>, tensor<i64>) -> tensor<f64>
    stablehlo.return %r : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @g(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %a = stablehlo.multiply %x, %y : tensor<f64>
  %b = stablehlo.add %a, %y : tensor<f64>
  %r = func.call @f(%b, %y, %n) : (tensor<f64>, tensor<f64>, tensor<i64>) -> tensor<f64>
  %s = stablehlo.multiply %r, %x : tensor<f64>
  return %s : tensor<f64>
}
})";
  for (int64_t n : {0, 1, 4}) expect_derivatives(text, {scalar(0.9), scalar(0.7), integer(n)});
}

constexpr const char* kChecked = R"(
module {
func.func @f(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %big = stablehlo.constant dense<100.0> : tensor<f64>
  %ok = stablehlo.compare LT, %x, %big : (tensor<f64>, tensor<f64>) -> tensor<i1>
  "weft.check"(%ok, %x) <{message = "too large: {}"}> : (tensor<i1>, tensor<f64>) -> ()
  %p = stablehlo.compare LT, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %m = stablehlo.subtract %n, %one : tensor<i64>
    %a = stablehlo.multiply %x, %x : tensor<f64>
    %r = func.call @f(%a, %m) : (tensor<f64>, tensor<i64>) -> tensor<f64>
    %s = stablehlo.sine %r : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @loop(%x: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %big = stablehlo.constant dense<100.0> : tensor<f64>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %ok = stablehlo.compare LT, %v, %big : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "weft.check"(%ok, %v) <{message = "too large: {}"}> : (tensor<i1>, tensor<f64>) -> ()
    %j = stablehlo.add %i, %one : tensor<i64>
    %w = stablehlo.multiply %v, %v : tensor<f64>
    stablehlo.return %j, %w : tensor<i64>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
})";

TEST(CallGradient, ChecksStayInEveryDerivative) {
  expect_derivatives(kChecked, {scalar(1.1), integer(3)});
  for (const std::string f : {"f", "loop"}) {
    auto m = parse_module(kChecked, "checked");
    const size_t args[] = {0};
    gradient(*m, f, args, "R");
    jvp(*m, f, args, "F");
    gradient(*m, "R", args, "RR");
    for (const std::string derivative : {"R", "F", "RR"}) {
      std::vector<Tensor> in = {scalar(3), integer(5)};
      if (derivative == "F") in.push_back(scalar(1));
      try {
        run(*m, derivative, in);
        FAIL() << f << " " << derivative;
      } catch (const UserError& e) {
        EXPECT_NE(std::string(e.what()).find("too large: 6561"), std::string::npos) << e.what();
      }
    }
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
  } catch (const UserError& e) { EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what(); }
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
