// Lanes that ask for all lanes inside loops and branches, in chunks: against plain loops over lanes.
#include <cmath>

#include "lane_check.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

using std::vector;

std::string reduce(const std::string& name, const std::string& of, const std::string& with = "add",
                   const std::string& start = "%zero") {
  return "  " + name + " = \"weft.lanes_reduce\"(" + of + ", " + start +
         ") ({\n  ^bb0(%ra: tensor<f64>, %rb: tensor<f64>):\n    %rc = stablehlo." + with +
         " %ra, %rb : tensor<f64>\n    stablehlo.return %rc : tensor<f64>\n  }) : (tensor<f64>, tensor<f64>) -> "
         "tensor<f64>\n";
}

/// Results of @f over lanes along axis 0 of each argument that `axes` marks.
vector<Tensor> in_chunks(const std::string& text, const vector<int64_t>& axes, int64_t lanes, int64_t chunk,
                         const vector<Tensor>& args) {
  const auto module = parse_module(text, "test");
  vectorize(*module, "f", axes, lanes, {.name = "over", .chunk = chunk});
  verify(*module);
  return evaluate(*module, "over", args);
}

void expect_values(const Tensor& got, const vector<double>& want, const std::string& what) {
  ASSERT_EQ(static_cast<size_t>(got.size()), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got.data<double>()[i], want[i], 1e-13) << what << ", element " << i;
}

const vector<double> kX = {1, -2, 6, 0.5, 3, -4, 2.5}, kY = {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7};

// n times x ← x - (mean of all x) · y + number / 10; then x less the greatest of all, and how much all x are together.
TEST(LaneChunks, QuestionsInALoop) {
  const std::string text = R"(
func.func private @step(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %ten = stablehlo.constant dense<10.0> : tensor<f64>
)" + reduce("%s", "%x") + R"(
  %n = "weft.lane_count"() : () -> tensor<i64>
  %nf = stablehlo.convert %n : (tensor<i64>) -> tensor<f64>
  %m = stablehlo.divide %s, %nf : tensor<f64>
  %my = stablehlo.multiply %m, %y : tensor<f64>
  %i = "weft.lane_index"() : () -> tensor<i64>
  %fi = stablehlo.convert %i : (tensor<i64>) -> tensor<f64>
  %t = stablehlo.divide %fi, %ten : tensor<f64>
  %d = stablehlo.subtract %x, %my : tensor<f64>
  %r = stablehlo.add %d, %t : tensor<f64>
  return %r : tensor<f64>
}
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i32>) -> (tensor<f64>, tensor<f64>, tensor<i32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.multiply %y, %y : tensor<f64>
  %r:2 = stablehlo.while(%a = %x, %i = %i0) : tensor<f64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = func.call @step(%a, %half) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<f64>, tensor<i32>
  }
)" + reduce("%m", "%r#0", "maximum", "%low") +
                           "  %e = stablehlo.subtract %r#0, %m : tensor<f64>\n" + reduce("%s", "%e") +
                           "  return %e, %s, %r#1 : tensor<f64>, tensor<f64>, tensor<i32>\n}";
  for (int32_t n : {0, 1, 4}) {
    vector<double> x = kX;
    for (int32_t trip = 0; trip < n; ++trip) {
      double sum = 0;
      for (double v : x) sum += v;
      for (size_t l = 0; l < x.size(); ++l) x[l] = x[l] - sum / 7 * (kY[l] * kY[l]) + static_cast<double>(l) / 10;
    }
    double most = -INFINITY, sum = 0;
    for (double v : x) most = std::max(most, v);
    for (double& v : x) sum += v -= most;
    for (int64_t chunk : {1, 2, 3, 5, 7}) {
      const std::string what = std::to_string(n) + " trips, chunks of " + std::to_string(chunk);
      const auto got = in_chunks(text, {0, 0, kUniform}, 7, chunk,
                                 {Tensor::of<double>(kX, {7}), Tensor::of<double>(kY, {7}), Tensor::scalar_of(n)});
      expect_values(got[0], x, what);
      expect_values(got[1], vector<double>(7, sum), what);
      EXPECT_EQ(got[2].data<int32_t>()[6], n) << what;
    }
  }
}

// The loop goes on while the greatest of all is large; every second lane halves, a lane that is small or not.
TEST(LaneChunks, AQuestionThatDecides) {
  const std::string text = R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %r:2 = stablehlo.while(%a = %x, %k = %zero) : tensor<f64>, tensor<f64>
  cond {
    %c = stablehlo.add %a, %y : tensor<f64>
)" + reduce("%m", "%c", "maximum", "%low") +
                           R"(
    %go = stablehlo.compare GT, %m, %two : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %h = stablehlo.divide %a, %two : tensor<f64>
)" + reduce("%s", "%h") + R"(
    %p = stablehlo.compare GT, %s, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %t = "stablehlo.if"(%p) ({
)" + reduce("%u", "%y") + R"(
      %v = stablehlo.add %u, %h : tensor<f64>
      stablehlo.return %v : tensor<f64>
    }, {
      stablehlo.return %two : tensor<f64>
    }) : (tensor<i1>) -> tensor<f64>
    %l = stablehlo.add %k, %t : tensor<f64>
    stablehlo.return %h, %l : tensor<f64>, tensor<f64>
  }
  return %r#0, %r#1 : tensor<f64>, tensor<f64>
})";
  vector<double> x = kX, k(7, 0);
  double all_y = 0;
  for (double v : kY) all_y += v;
  for (;;) {
    double most = -INFINITY, sum = 0;
    for (size_t l = 0; l < 7; ++l) most = std::max(most, x[l] + kY[l]);
    if (most <= 2) break;
    for (double& v : x) sum += v /= 2;
    for (size_t l = 0; l < 7; ++l) k[l] += sum > 0 ? all_y + x[l] : 2;
  }
  for (int64_t chunk : {1, 3, 6}) {
    const auto got = in_chunks(text, {0, 0}, 7, chunk, {Tensor::of<double>(kX, {7}), Tensor::of<double>(kY, {7})});
    expect_values(got[0], x, "x");
    expect_values(got[1], k, "k");
  }
}

// A loop in a loop: the outer one's lanes go together as well.
TEST(LaneChunks, ALoopInALoop) {
  const std::string text = R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %seven = stablehlo.constant dense<7.0> : tensor<f64>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %i0) : tensor<f64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%b = %a, %j = %i0) : tensor<f64>, tensor<i32>
    cond {
      %go = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %bb = stablehlo.multiply %b, %x : tensor<f64>
)" + reduce("%s", "%bb") + R"(
      %m = stablehlo.divide %s, %seven : tensor<f64>
      %d = stablehlo.subtract %b, %m : tensor<f64>
      %t = stablehlo.tanh %d : tensor<f64>
      %k = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %t, %k : tensor<f64>, tensor<i32>
    }
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %q#0, %k : tensor<f64>, tensor<i32>
  }
  return %r#0 : tensor<f64>
})";
  vector<double> x = kX;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (size_t l = 0; l < 7; ++l) sum += x[l] * kX[l];
      for (double& v : x) v = std::tanh(v - sum / 7);
    }
  }
  for (int64_t chunk : {2, 4}) expect_values(in_chunks(text, {0}, 7, chunk, {Tensor::of<double>(kX, {7})})[0], x, "x");
}

// Not all lanes arrive: refused, with what decides.
TEST(LaneChunks, RefusedWhereLanesRunApart) {
  const std::string text = R"(
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
)" + reduce("%s", "%x") + R"(
    stablehlo.return %s : tensor<f64>
  }, {
    stablehlo.return %x : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";
  const auto module = parse_module(text, "test.mlir");
  try {
    vectorize(*module, "f", vector<int64_t>{0}, 8, {.chunk = 4});
    FAIL();
  } catch (const Unsupported& e) {
    EXPECT_NE(std::string(e.what()).find("[stablehlo.if] lanes ask for all lanes in a branch that they take apart: its "
                                         "index (stablehlo.compare at test.mlir:4) varies by lane"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace weft
