// Rows about lanes (pfor) and about derivatives of what lanes do apart: values natively, cost as ratios.
#include <cmath>

#include "ops/record.h"
#include "tests/pains/pains.h"
#include "transform/jacobian.h"
#include "transform/vectorize.h"

namespace weft::pains {
namespace {

using std::vector;

/// @main over lanes in its own place, compiled.
std::unique_ptr<Executable> over_lanes(std::shared_ptr<Module> module, const vector<int64_t>& axes, int64_t lanes) {
  vectorize(*module, "main", axes, lanes, {.name = "main"});
  return get_target("native").compile(std::move(module), "main", {});
}

const char* kLogOrZero = R"(func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %p = stablehlo.compare GT, %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %l = stablehlo.log %x : tensor<f64>
    stablehlo.return %l : tensor<f64>
  }, {
    stablehlo.return %zero : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";

const char* kNormOrOne = R"(func.func @main(%x: tensor<2xf64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %q = stablehlo.multiply %x, %x : tensor<2xf64>
  %s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  %n = stablehlo.sqrt %s : tensor<f64>
  %p = stablehlo.compare GT, %n, %half : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %m = stablehlo.sqrt %s : tensor<f64>
    stablehlo.return %m : tensor<f64>
  }, {
    stablehlo.return %one : tensor<f64>
  }) : (tensor<i1>) -> tensor<f64>
  return %r : tensor<f64>
})";

// P09: no NaN from the branch that was not taken.
TEST(Pains, P09_GradientsOfBranchesThatLanesTakeApart) {
  const Tensor x = Tensor::of<double>({1, 0}, {2});
  EXPECT_EQ(values<double>(over_lanes(gradient_of(kLogOrZero), {0}, 2)->run(vector{x})[0]), (vector<double>{1, 0}));
  // In the other order: the gradient of the sum over lanes.
  const auto module = parsed(kLogOrZero);
  vectorize(*module, "main", vector<int64_t>{0}, 2, {.name = "main"});
  const size_t first[] = {0};
  vjp(*module, "main", first, "main");
  const auto back = get_target("native").compile(module, "main", {});
  EXPECT_EQ(values<double>(back->run(vector{x, Tensor::of<double>({1, 1}, {2})})[0]), (vector<double>{1, 0}));

  const auto rows = values<double>(
      over_lanes(gradient_of(kNormOrOne), {0}, 3)->run(vector{Tensor::of<double>({1, 2, 3, 4, 0, 0}, {3, 2})})[0]);
  const vector<double> expected = {0.4472136, 0.8944272, 0.6, 0.8, 0, 0};
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-7);
}

// P17: what users had no rule for. That each equals a loop over lanes for every subset of operands is the law of tests/op/table_test.cc.
TEST(Pains, P17_EveryOpHasARuleForLanes) {
  for (const char* name : {"stablehlo.sort",
                           "chlo.top_k",
                           "stablehlo.reduce_window",
                           "stablehlo.select_and_scatter",
                           "stablehlo.gather",
                           "stablehlo.scatter",
                           "stablehlo.dynamic_slice",
                           "stablehlo.dynamic_update_slice",
                           "stablehlo.convolution",
                           "stablehlo.cholesky",
                           "stablehlo.triangular_solve",
                           "stablehlo.fft",
                           "stablehlo.rng_bit_generator",
                           "stablehlo.while",
                           "stablehlo.case",
                           "stablehlo.if",
                           "func.call",
                           "stablehlo.custom_call",
                           "stablehlo.clamp",
                           "stablehlo.pad",
                           "stablehlo.reverse",
                           "stablehlo.map",
                           "stablehlo.batch_norm_training",
                           "stablehlo.dynamic_reshape",
                           "stablehlo.dynamic_pad",
                           "weft.stack_push",
                           "weft.check",
                           "interpreter.print"}) {
    EXPECT_FALSE(get_op(name).vectorize.refused()) << name << ": " << get_op(name).vectorize.reason();
  }
}

// P18: what cannot be is said with the op, the value that varies, where it is made, and what to do.
TEST(Pains, P18_RefusalSaysWhatVariesAndWhatToDo) {
  const auto module = parse_module(R"(func.func @main(%x: tensor<4xf64>, %w: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %v = stablehlo.sine %w : tensor<f64>
  %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.multiply %b, %v : tensor<f64>
    %d = stablehlo.add %a, %c : tensor<f64>
    stablehlo.return %d : tensor<f64>
  }) : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
})",
                                   "model.mlir");
  std::string said;
  try {
    vectorize(*module, "main", vector<int64_t>{kUniform, 0}, 3);
  } catch (const Unsupported& e) { said = e.what(); }
  for (const char* part : {"[stablehlo.reduce]", "varies by lane", "stablehlo.sine at model.mlir:3", "operand"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
}

// P19: whatever is an operand may vary by lane.
TEST(Pains, P19_StartsPadValuesAndBoundsByLane) {
  const auto f = over_lanes(
      parsed(
          R"(func.func @main(%x: tensor<10xf64>, %i: tensor<i32>) -> (tensor<f64>, tensor<3xi32>, tensor<4xf64>, tensor<3xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %start = stablehlo.multiply %i, %two : tensor<i32>
  %part = stablehlo.dynamic_slice %x, %start, sizes = [3] : (tensor<10xf64>, tensor<i32>) -> tensor<3xf64>
  %sum = stablehlo.reduce(%part init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %from = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %k = stablehlo.iota dim = 0 : tensor<3xi32>
  %count = stablehlo.add %k, %from : tensor<3xi32>
  %value = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>
  %padded = stablehlo.pad %part, %value, low = [1], high = [0], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<4xf64>
  %high = stablehlo.add %value, %value : tensor<f64>
  %clamped = stablehlo.clamp %value, %part, %high : (tensor<f64>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %sum, %count, %padded, %clamped : tensor<f64>, tensor<3xi32>, tensor<4xf64>, tensor<3xf64>
})"),
      {kUniform, 0}, 4);
  vector<double> x(10);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const auto out = f->run(vector{Tensor::of(x, {10}), Tensor::of<int32_t>({0, 1, 2, 3}, {4})});
  EXPECT_EQ(values<double>(out[0]), (vector<double>{3, 9, 15, 21}));
  EXPECT_EQ(values<int32_t>(out[1]), (vector<int32_t>{0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5}));
  EXPECT_EQ(values<double>(out[2]), (vector<double>{0, 0, 1, 2, 1, 2, 3, 4, 2, 4, 5, 6, 3, 6, 7, 8}));
  EXPECT_EQ(values<double>(out[3]), (vector<double>{0, 0, 0, 2, 2, 2, 4, 4, 4, 6, 6, 6}));
}

/// `steps` times x ← tanh(x·x / 10), as a loop of its own or within a branch.
std::string steps_of(bool in_branch) {
  const std::string loop = R"(
    %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<32x32xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      %q = stablehlo.multiply %p, %tenth : tensor<32x32xf32>
      %t = stablehlo.tanh %q : tensor<32x32xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %t, %j : tensor<32x32xf32>, tensor<i32>
    }
)";
  const std::string head = R"(func.func @main(%x: tensor<32x32xf32>, %n: tensor<i32>) -> tensor<32x32xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %tenth = stablehlo.constant dense<0.1> : tensor<32x32xf32>
)";
  if (!in_branch) return head + loop + "    return %r#0 : tensor<32x32xf32>\n}";
  return head + R"(
    %some = stablehlo.compare GT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %y = "stablehlo.if"(%some) ({)" +
         loop + R"(
      stablehlo.return %r#0 : tensor<32x32xf32>
    }, {
      stablehlo.return %x : tensor<32x32xf32>
    }) : (tensor<i1>) -> tensor<32x32xf32>
    return %y : tensor<32x32xf32>
})";
}

/// Time of 16 lanes, of which one takes `most` steps and the others `least`, by that of the one alone.
double ratio_to_longest(const std::string& text, int32_t most, int32_t least) {
  CompileOptions one_thread;
  one_thread.partitions = 1;
  auto module = parsed(text);
  vectorize(*module, "main", vector<int64_t>{0, 0}, 16, {.name = "main"});
  const auto all = get_target("native").compile(module, "main", one_thread), one = compiled(text, one_thread);
  vector<float> x(16 * 32 * 32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  vector<int32_t> n(16, least);
  n[5] = most;
  const vector<Tensor> many = {Tensor::of(x, {16, 32, 32}), Tensor::of(n, {16})};
  x.resize(32 * 32);
  const vector<Tensor> single = {Tensor::of(x, {32, 32}), Tensor::scalar_of(most)};
  return least_ratio(2, [&] {
    const double alone = best_thread_seconds(5, [&] { one->run(single); });
    return best_thread_seconds(5, [&] { all->run(many); }) / alone;
  });
}

// P20 and P21: lanes that have nothing to do, or are done, cost next to nothing.
TEST(Pains, P20_OneLaneOfSixteenTakesTheLongBranch) { EXPECT_LE(ratio_to_longest(steps_of(true), 200, 0), 2.0); }
TEST(Pains, P21_OneLaneOfSixteenStaysInTheLoop) { EXPECT_LE(ratio_to_longest(steps_of(false), 400, 1), 2.0); }

// P22: rows of an array updated at starts that vary by lane.
TEST(Pains, P22_UpdatesAtStartsOfLanes) {
  const auto f = over_lanes(
      parsed(R"(func.func @main(%x: tensor<100x32xf32>, %row: tensor<4x32xf32>, %i: tensor<i32>) -> tensor<100x32xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %y = stablehlo.dynamic_update_slice %x, %row, %i, %zero : (tensor<100x32xf32>, tensor<4x32xf32>, tensor<i32>, tensor<i32>) -> tensor<100x32xf32>
  return %y : tensor<100x32xf32>
})"),
      {0, 0, 0}, 3);
  vector<float> x(3 * 3200), rows(3 * 128);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = -static_cast<float>(i) - 1;
  const vector<int32_t> starts = {7, 0, 99};  // the last is moved inside
  const auto got = values<float>(
      f->run(vector{Tensor::of(x, {3, 100, 32}), Tensor::of(rows, {3, 4, 32}), Tensor::of(starts, {3})})[0]);
  const size_t from[] = {7, 0, 96};
  for (size_t lane = 0; lane < 3; ++lane) {
    for (size_t i = 0; i < 128; ++i) x[lane * 3200 + from[lane] * 32 + i] = rows[lane * 128 + i];
  }
  EXPECT_EQ(got, x);
}

// P25: lanes and derivatives commute on loops.
TEST(Pains, P25_JacobianOfALoop) {
  const std::string text = R"(func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<f64>, tensor<i32>
  cond {
    %go = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.multiply %a, %a : tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %j : tensor<f64>, tensor<i32>
  }
  return %r#0 : tensor<f64>
})";
  const auto lanes =
      values<double>(over_lanes(gradient_of(text), {0}, 3)->run(vector{Tensor::of<double>({1.1, 1, 0}, {3})})[0]);
  EXPECT_NEAR(lanes[0], 66.83597071, 1e-8);
  EXPECT_EQ(lanes[1], 16);
  EXPECT_EQ(lanes[2], 0);
  for (const auto direction : {JacobianOptions::kForward, JacobianOptions::kReverse}) {
    const auto module = parsed(text);
    const size_t first[] = {0};
    JacobianOptions options;
    options.direction = direction;
    jacobian(*module, "main", first, "main", options);
    EXPECT_NEAR(
        get_target("native").compile(module, "main", {})->run(vector{Tensor::scalar_of(1.1)})[0].scalar<double>(),
        66.83597071, 1e-8);
  }
}

// P27: no elements.
TEST(Pains, P27_JacobianOfNothing) {
  const auto module = parsed(R"(func.func @main(%v: tensor<f64>, %x: tensor<0x7xf64>) -> tensor<0x7xf64> {
  %vv = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f64>) -> tensor<0x7xf64>
  %q = stablehlo.multiply %x, %x : tensor<0x7xf64>
  %r = stablehlo.multiply %vv, %q : tensor<0x7xf64>
  return %r : tensor<0x7xf64>
})");
  const size_t first[] = {0};
  jacobian(*module, "main", first, "main");
  const auto out = get_target("native")
                       .compile(module, "main", {})
                       ->run(vector{Tensor::scalar_of(2.0), Tensor::of<double>({}, {0, 7})});
  EXPECT_EQ(out[0].shape(), (Shape{0, 7}));
}

}  // namespace
}  // namespace weft::pains
