// Lanes that ask for what all of them have: against the same program with the part before, the reduction and the part after
// written one after the other.
#include <cmath>

#include "lane_check.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

using std::vector;

const char* kSum = R"(
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %s = "weft.lanes_reduce"(%y, %zero) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<f64>, tensor<f64>) -> tensor<f64>
)";

vector<double> numbers(const Tensor& t) {
  const auto p = t.data<double>();
  return {p.begin(), p.end()};
}

vector<Tensor> lanes_of(Module& module, const std::string& f, const vector<int64_t>& axes, int64_t lanes,
                        const vector<Tensor>& args, const VectorizeOptions& options = {}) {
  const std::string name = vectorize(module, f, axes, lanes, options).name();
  verify(module);
  return evaluate(module, name, args);
}

std::string refusal(const std::string& text, const vector<int64_t>& axes) {
  const auto module = parse_module(text, "test.mlir");
  try {
    vectorize(*module, "f", axes, 3);
  } catch (const Unsupported& e) { return e.what(); }
  return "not refused";
}

// Batch norm: each lane less the mean over lanes, over the deviation.
TEST(AcrossLanes, MeanAndVariance) {
  const std::string text = R"(
func.func @f(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %n = "weft.lane_count"() : () -> tensor<i64>
  %nf = stablehlo.convert %n : (tensor<i64>) -> tensor<f64>
  %nn = stablehlo.broadcast_in_dim %nf, dims = [] : (tensor<f64>) -> tensor<2xf64>
  %s = "weft.lanes_reduce"(%x, %zero) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %mean = stablehlo.divide %s, %nn : tensor<2xf64>
  %d = stablehlo.subtract %x, %mean : tensor<2xf64>
  %q = stablehlo.multiply %d, %d : tensor<2xf64>
  %v = "weft.lanes_reduce"(%q, %zero) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %r = stablehlo.sqrt %v : tensor<2xf64>
  %y = stablehlo.divide %d, %r : tensor<2xf64>
  return %y, %mean : tensor<2xf64>, tensor<2xf64>
})";
  const auto module = parse_module(text, "test");
  const auto out = lanes_of(*module, "f", {0}, 3, {Tensor::of<double>({1, 10, 2, 20, 6, 60}, {3, 2})},
                            {.name = "lanes", .broadcast_results = false});
  // Deviations -2, -1, 3 of the mean 3; their squares sum to 14.
  EXPECT_EQ(numbers(out[1]), (vector<double>{3, 30}));  // uniform: no axis of lanes
  const double r = std::sqrt(14.0), rr = std::sqrt(1400.0);
  EXPECT_EQ(numbers(out[0]), (vector<double>{-2 / r, -20 / rr, -1 / r, -10 / rr, 3 / r, 30 / rr}));
}

TEST(AcrossLanes, ExtremeConcatAndIndex) {
  const std::string text = R"(
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<3xf64>, tensor<i32>) {
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %m = "weft.lanes_reduce"(%x, %low) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %all = "weft.lanes_concat"(%x) : (tensor<f64>) -> tensor<3xf64>
  %i = "weft.lane_index"() : () -> tensor<i32>
  return %m, %all, %i : tensor<f64>, tensor<3xf64>, tensor<i32>
})";
  const auto module = parse_module(text, "test");
  const auto out = lanes_of(*module, "f", {0}, 3, {Tensor::of<double>({5, -1, 7}, {3})});
  EXPECT_EQ(numbers(out[0]), (vector<double>{7, 7, 7}));
  EXPECT_EQ(numbers(out[1]), (vector<double>{5, -1, 7, 5, -1, 7, 5, -1, 7}));
  EXPECT_EQ(out[2].data<int32_t>()[2], 2);
  const auto other = parse_module(text, "test");
  EXPECT_THROW(vectorize(*other, "f", vector<int64_t>{0}, 4), UserError);  // the type says three lanes
}

// Nothing varies, and still every lane counts.
TEST(AcrossLanes, SumOfWhatIsTheSameForAll) {
  const auto module = parse_module(
      "func.func @f(%y: tensor<f64>) -> tensor<f64> {" + std::string(kSum) + "return %s : tensor<f64>\n}", "test");
  EXPECT_EQ(numbers(lanes_of(*module, "f", {kUniform}, 5, {Tensor::scalar_of(1.5)}, {.name = "five"})[0]),
            vector<double>(5, 7.5));
  EXPECT_TRUE(numbers(lanes_of(*module, "f", {0}, 0, {Tensor::of<double>({}, {0})}, {.name = "none"})[0]).empty());
}

// A loop whose trips are the same for all lanes, in a function that is called: x ← x - mean(x) / 2.
TEST(AcrossLanes, InAUniformLoopOfACallee) {
  const std::string text = R"(
func.func private @half(%y: tensor<f64>) -> tensor<f64> {
  %two = stablehlo.constant dense<6.0> : tensor<f64>)" +
                           std::string(kSum) + R"(
  %m = stablehlo.divide %s, %two : tensor<f64>
  %d = stablehlo.subtract %y, %m : tensor<f64>
  return %d : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %z) : tensor<f64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = func.call @half(%a) : (tensor<f64>) -> tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<f64>, tensor<i32>
  }
  return %r#0 : tensor<f64>
})";
  const auto module = parse_module(text, "test");
  const auto out = numbers(lanes_of(*module, "f", {0}, 3, {Tensor::of<double>({1, 2, 6}, {3})})[0]);
  vector<double> x = {1, 2, 6};
  for (int i = 0; i < 4; ++i) {
    const double m = (x[0] + x[1] + x[2]) / 6;
    for (double& v : x) v -= m;
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[i], x[i], 1e-15);
}

// f(y) = y · Σ y², and its derivative in both orders: Σ_j (∂f_j/∂y_i) c_j.
TEST(AcrossLanes, GradientsCommuteWithLanes) {
  const std::string text = R"(
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y = stablehlo.multiply %x, %x : tensor<f64>)" +
                           std::string(kSum) + R"(
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %m = "weft.lanes_reduce"(%x, %low) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %all = "weft.lanes_concat"(%y) : (tensor<f64>) -> tensor<3xf64>
  %p = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %t = stablehlo.multiply %x, %s : tensor<f64>
  %u = stablehlo.multiply %t, %m : tensor<f64>
  %v = stablehlo.multiply %x, %p : tensor<f64>
  return %u, %v : tensor<f64>, tensor<f64>
})";
  const vector<size_t> first = {0};
  const vector<double> x = {0.5, -1, 2}, c = {1, 3, -2}, e = {0.25, 1, -1};
  const vector<Tensor> args = {Tensor::of(x, {3}), Tensor::of(c, {3}), Tensor::of(e, {3})};

  const auto a = parse_module(text, "test");
  vjp(*a, "f", first, "g");
  const auto lanes_last = numbers(lanes_of(*a, "g", {0, 0, 0}, 3, args)[0]);
  const auto b = parse_module(text, "test");
  const std::string over = vectorize(*b, "f", vector<int64_t>{0}, 3).name();
  vjp(*b, over, first, "g");
  const auto lanes_first = numbers(evaluate(*b, "g", args)[0]);

  // u_j = x_j S M and v_j = x_j S with S = Σ x², M = max x = x_2.
  const double s = 0.25 + 1 + 4, m = 2;
  double cx = 0, ex = 0;
  for (size_t j = 0; j < 3; ++j) cx += c[j] * x[j], ex += e[j] * x[j];
  for (size_t i = 0; i < 3; ++i) {
    const double expected = c[i] * s * m + 2 * x[i] * m * cx + (i == 2 ? s * cx : 0) + e[i] * s + 2 * x[i] * ex;
    EXPECT_NEAR(lanes_last[i], expected, 1e-12);
    EXPECT_NEAR(lanes_first[i], expected, 1e-12);
  }

  // Forwards: the tangents of all lanes reach the sums.
  const auto d = parse_module(text, "test");
  jvp(*d, "f", first, "g");
  const auto t = numbers(lanes_of(*d, "g", {0, 0}, 3, {args[0], args[1]})[2]);
  for (size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(t[j], c[j] * s * m + x[j] * m * 2 * (0.5 * 1 - 1 * 3 - 2 * 2) + x[j] * s * c[2], 1e-12);
}

// Inside pfor over j inside pfor over i: sums over each level, by name.
TEST(AcrossLanes, NestedLevels) {
  const std::string sum = R"( ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<f64>, tensor<f64>) -> tensor<f64>
)";
  const std::string text = R"(
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<2xf64>, tensor<i64>, tensor<i64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %rows = "weft.lanes_reduce"(%x, %zero) <{level = "rows"}>)" +
                           sum + R"(  %columns = "weft.lanes_reduce"(%x, %zero) <{level = "columns"}>)" + sum +
                           R"(  %inner = "weft.lanes_reduce"(%x, %zero))" + sum + R"(
  %all = "weft.lanes_concat"(%x) <{level = "rows"}> : (tensor<f64>) -> tensor<2xf64>
  %i = "weft.lane_index"() <{level = "rows"}> : () -> tensor<i64>
  %j = "weft.lane_index"() <{level = "columns"}> : () -> tensor<i64>
  return %rows, %columns, %inner, %all, %i, %j : tensor<f64>, tensor<f64>, tensor<f64>, tensor<2xf64>, tensor<i64>, tensor<i64>
})";
  const auto module = parse_module(text, "test");
  vectorize(*module, "f", vector<int64_t>{0}, 3, {.name = "row", .level = "columns"});
  verify(*module);
  const auto out = lanes_of(*module, "row", {0}, 2, {Tensor::of<double>({1, 2, 3, 10, 20, 30}, {2, 3})},
                            {.name = "both", .level = "rows"});
  EXPECT_EQ(numbers(out[0]), (vector<double>{11, 22, 33, 11, 22, 33}));
  EXPECT_EQ(numbers(out[1]), (vector<double>{6, 6, 6, 60, 60, 60}));
  EXPECT_EQ(numbers(out[2]), numbers(out[1]));
  EXPECT_EQ(numbers(out[3]), (vector<double>{1, 10, 2, 20, 3, 30, 1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(out[4].data<int64_t>()[3], 1);
  EXPECT_EQ(out[5].data<int64_t>()[5], 2);
}

// The number of the lane inside a loop that lanes leave apart, and in a function that recurs there.
TEST(AcrossLanes, IndexInADivergentLoop) {
  const std::string text = R"(
func.func private @down(%n: tensor<i64>) -> tensor<i64> {
  %z = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %more = stablehlo.compare GT, %n, %z : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = "stablehlo.if"(%more) ({
    %m = stablehlo.subtract %n, %one : tensor<i64>
    %s = func.call @down(%m) : (tensor<i64>) -> tensor<i64>
    %i = "weft.lane_index"() : () -> tensor<i64>
    %t = stablehlo.add %s, %i : tensor<i64>
    stablehlo.return %t : tensor<i64>
  }, {
    stablehlo.return %n : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>
}
func.func @f(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %z = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%a = %z, %i = %z) : tensor<i64>, tensor<i64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %l = "weft.lane_index"() : () -> tensor<i64>
    %c = "weft.lane_count"() : () -> tensor<i64>
    %b = stablehlo.add %a, %l : tensor<i64>
    %d = stablehlo.add %b, %c : tensor<i64>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %d, %j : tensor<i64>, tensor<i64>
  }
  %s = func.call @down(%n) : (tensor<i64>) -> tensor<i64>
  return %r#0, %s : tensor<i64>, tensor<i64>
})";
  const auto module = parse_module(text, "test");
  const auto out = lanes_of(*module, "f", {0}, 3, {Tensor::of<int64_t>({2, 5, 3}, {3})});
  const vector<int64_t> first = {2 * 3, 5 * 4, 3 * 5}, second = {0, 5, 6};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(out[0].data<int64_t>()[i], first[i]);
    EXPECT_EQ(out[1].data<int64_t>()[i], second[i]);
  }
}

TEST(AcrossLanes, RefusedWhereLanesRunApart) {
  const std::string loop = R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.while(%y = %x) : tensor<f64>
  cond {
    %go = stablehlo.compare GT, %y, %none : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {)" + std::string(kSum) +
                           R"(
    %n = stablehlo.negate %s : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }
  return %r : tensor<f64>
})";
  const std::string what = refusal(loop, {0});
  EXPECT_NE(what.find("[weft.lanes_reduce] lanes: not all lanes arrive at it, for it stands in a loop that lanes leave "
                      "apart (stablehlo.while at test.mlir:4)"),
            std::string::npos)
      << what;
  EXPECT_EQ(refusal(loop, {kUniform}), "not refused");

  const std::string branch = R"(
func.func private @g(%y: tensor<f64>) -> tensor<f64> {)" +
                             std::string(kSum) + R"(
  return %s : tensor<f64>
}
func.func @f(%p: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  %r = "stablehlo.if"(%p) ({
    %s = func.call @g(%x) : (tensor<f64>) -> tensor<f64>
    stablehlo.return %s : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";
  const std::string apart = refusal(branch, {0, 0});
  EXPECT_NE(apart.find("a branch that lanes take apart (stablehlo.if at test.mlir:13), by way of @g"),
            std::string::npos)
      << apart;
  EXPECT_EQ(refusal(branch, {kUniform, 0}), "not refused");
}

TEST(AcrossLanes, AloneThereAreNoLanes) {
  const auto module = parse_module(
      "func.func @f(%y: tensor<f64>) -> tensor<f64> {" + std::string(kSum) + "return %s : tensor<f64>\n}", "test");
  EXPECT_THROW(evaluate(*module, "f", vector<Tensor>{Tensor::scalar_of(1.0)}), UserError);
}

}  // namespace
}  // namespace weft
