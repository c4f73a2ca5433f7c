// Reverse derivatives of loops that lanes leave apart, all lanes at once: against the derivative of each lane by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/clone.h"
#include "lane_check.h"
#include "ops/control_flow/lane_cost.h"
#include "transform/gradient.h"
#include "transform/inline.h"
#include "transform/loops.h"
#include "transform/simplify.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

using std::vector;

/// One lane: n times h ← tanh(h·w + x[t]), and the sum of h's squares.
const char* const kSequence = R"(
func.func @f(%w: tensor<4x4xf64>, %x: tensor<6x4xf64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %f0 = stablehlo.constant dense<0.0> : tensor<f64>
  %start = stablehlo.constant dense<0.25> : tensor<4xf64>
  %0:2 = stablehlo.while(%t = %zero, %h = %start) : tensor<i64>, tensor<4xf64>
  cond {
    %p = stablehlo.compare LT, %t, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %x, %t, %zero, sizes = [1, 4] : (tensor<6x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
    %r = stablehlo.reshape %s : (tensor<1x4xf64>) -> tensor<4xf64>
    %d = stablehlo.dot_general %h, %w, contracting_dims = [0] x [0] : (tensor<4xf64>, tensor<4x4xf64>) -> tensor<4xf64>
    %a = stablehlo.add %d, %r : tensor<4xf64>
    %b = stablehlo.tanh %a : tensor<4xf64>
    %u = stablehlo.add %t, %one : tensor<i64>
    stablehlo.return %u, %b : tensor<i64>, tensor<4xf64>
  }
  %q = stablehlo.multiply %0#1, %0#1 : tensor<4xf64>
  %l = stablehlo.reduce(%q init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %l : tensor<f64>
})";

/// One lane: a list of which element k + 3 is the product of the elements that two tables name, up to n of them; its last element.
const char* const kList = R"(
func.func @f(%w: tensor<3x4xf64>, %left: tensor<5xi64>, %right: tensor<5xi64>, %n: tensor<i64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %f0 = stablehlo.constant dense<0.0> : tensor<f64>
  %none = stablehlo.constant dense<0.0> : tensor<5x4xf64>
  %start = stablehlo.concatenate %w, %none, dim = 0 : (tensor<3x4xf64>, tensor<5x4xf64>) -> tensor<8x4xf64>
  %0:2 = stablehlo.while(%k = %zero, %h = %start) : tensor<i64>, tensor<8x4xf64>
  cond {
    %p = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %i = stablehlo.dynamic_slice %left, %k, sizes = [1] : (tensor<5xi64>, tensor<i64>) -> tensor<1xi64>
    %j = stablehlo.dynamic_slice %right, %k, sizes = [1] : (tensor<5xi64>, tensor<i64>) -> tensor<1xi64>
    %i0 = stablehlo.reshape %i : (tensor<1xi64>) -> tensor<i64>
    %j0 = stablehlo.reshape %j : (tensor<1xi64>) -> tensor<i64>
    %a = stablehlo.dynamic_slice %h, %i0, %zero, sizes = [1, 4] : (tensor<8x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
    %b = stablehlo.dynamic_slice %h, %j0, %zero, sizes = [1, 4] : (tensor<8x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
    %c = stablehlo.multiply %a, %b : tensor<1x4xf64>
    %at = stablehlo.add %k, %three : tensor<i64>
    %h2 = stablehlo.dynamic_update_slice %h, %c, %at, %zero : (tensor<8x4xf64>, tensor<1x4xf64>, tensor<i64>, tensor<i64>) -> tensor<8x4xf64>
    %u = stablehlo.add %k, %one : tensor<i64>
    stablehlo.return %u, %h2 : tensor<i64>, tensor<8x4xf64>
  }
  %last = stablehlo.add %n, %two : tensor<i64>
  %e = stablehlo.dynamic_slice %0#1, %last, %zero, sizes = [1, 4] : (tensor<8x4xf64>, tensor<i64>, tensor<i64>) -> tensor<1x4xf64>
  %s = stablehlo.sine %e : tensor<1x4xf64>
  %l = stablehlo.reduce(%s init: %f0) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x4xf64>, tensor<f64>) -> tensor<f64>
  return %l : tensor<f64>
})";

Tensor drawn(Shape shape, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  Tensor out(ElementType::kF64, std::move(shape));
  for (size_t i = 0; i < static_cast<size_t>(out.size()); ++i) out.mutable_data<double>()[i] = real(rng);
  return out;
}

/// @f over lanes, named @lanes, and @total, their sum.
void add_total(Module& module, const vector<int64_t>& axes, int64_t lanes) {
  const Function& over = vectorize(module, "f", axes, lanes, {.name = "lanes"});
  auto total = std::make_unique<Function>("total");
  vector<Value> args;
  for (Type t : over.arg_types()) args.push_back(total->add_arg(total->body(), t));
  OpBuilder b(*total, total->body(), &module);
  const Value each = b.create("func.call", args, {{"callee", "lanes"}}, over.result_types())[0];
  const int64_t axis[] = {0};
  const vector<Value> sum = {b.reduce(each, axis, "stablehlo.add")};
  b.yield(sum);
  module.add(std::move(total));
}

struct Joined {
  vector<Tensor> results;
  size_t lane_whiles = 0, whiles = 0;
};
Joined run(const Module& module, const std::string& name, const vector<Tensor>& args) {
  Module changed;
  auto one = inline_calls(module, module.get(name));
  one->set_name("main");
  changed.add(transform_loops(simplify(*one, nullptr), {}));
  verify(changed);
  const Function& f = changed.get("main");
  return {evaluate(changed, "main", args), count_ops(f, "weft.lane_while"), count_ops(f, "stablehlo.while")};
}

void expect_near(const Tensor& got, const Tensor& want, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  for (size_t i = 0; i < static_cast<size_t>(want.size()); ++i)
    EXPECT_NEAR(got.data<double>()[i], want.data<double>()[i], 1e-13) << what << ", element " << i;
}

/// The sum over lanes of the derivative of @f by argument 0, each lane by itself.
Tensor sum_of_gradients(const std::string& text, const vector<int64_t>& axes, int64_t lanes,
                        const vector<Tensor>& args) {
  const auto module = parse_module(text, "test");
  const size_t by[] = {0};
  gradient(*module, "f", by, "g");
  Tensor sum = Tensor::zeros(ElementType::kF64, args[0].shape());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    vector<Tensor> one;
    for (size_t i = 0; i < args.size(); ++i)
      one.push_back(axes[i] == kUniform ? args[i] : slice_at(args[i], axes[i], lane));
    const Tensor g = evaluate(*module, "g", one)[0];
    for (size_t i = 0; i < static_cast<size_t>(g.size()); ++i) sum.mutable_data<double>()[i] += g.data<double>()[i];
  }
  return sum;
}

// What stands beyond a lane's length is NaN: nobody may compute with it and keep the result.
TEST(PairLanes, GradientOfSharedWeightsOverLengths) {
  const vector<int64_t> lengths = {0, 3, 1, 6, 6, 2};
  const auto lanes = static_cast<int64_t>(lengths.size());
  Tensor x = drawn({lanes, 6, 4}, 1);
  for (size_t lane = 0; lane < lengths.size(); ++lane) {
    for (size_t i = static_cast<size_t>(lengths[lane]) * 4; i < 24; ++i)
      x.mutable_data<double>()[lane * 24 + i] = std::nan("");
  }
  const vector<Tensor> args = {drawn({4, 4}, 2), x, Tensor::of<int64_t>(lengths, {lanes})};
  const vector<int64_t> axes = {kUniform, 0, 0};
  const auto module = parse_module(kSequence, "test");
  add_total(*module, axes, lanes);
  const size_t by[] = {0};
  gradient(*module, "total", by, "main");
  const Joined got = run(*module, "main", args);
  EXPECT_EQ(got.lane_whiles, 0u);
  EXPECT_EQ(got.whiles, 2u);
  expect_near(got.results[0], sum_of_gradients(kSequence, axes, lanes, args), "weights");
}

// By what each lane has of its own: gradients of examples, in both orders of the transforms.
TEST(PairLanes, GradientsByExample) {
  const vector<int64_t> lengths = {5, 0, 2};
  const vector<Tensor> args = {drawn({4, 4}, 3), drawn({3, 6, 4}, 4), Tensor::of<int64_t>(lengths, {3})};
  const auto module = parse_module(kSequence, "test");
  const size_t by[] = {0, 1};
  gradient(*module, "f", by, "g");
  vectorize(*module, "g", vector<int64_t>{kUniform, 0, 0}, 3, {.name = "main"});
  const Joined got = run(*module, "main", args);
  EXPECT_EQ(got.lane_whiles, 0u);
  for (int64_t lane = 0; lane < 3; ++lane) {
    const auto want =
        evaluate(*module, "g", vector<Tensor>{args[0], slice_at(args[1], 0, lane), slice_at(args[2], 0, lane)});
    for (size_t r = 0; r < 2; ++r)
      expect_near(slice_at(got.results[r], 0, lane), want[r], "lane " + std::to_string(lane));
  }
}

// Arrays that lanes write at places of their own, which reverse clears and adds to.
TEST(PairLanes, ListsThatLanesFillApart) {
  const vector<int64_t> axes = {0, 0, 0, 0};
  const vector<Tensor> args = {
      drawn({4, 3, 4}, 5),
      Tensor::of<int64_t>({0, 1, 3, 3, 5, /**/ 2, 2, 2, 2, 2, /**/ 1, 0, 0, 1, 6, /**/ 0, 3, 4, 5, 6}, {4, 5}),
      Tensor::of<int64_t>({1, 2, 3, 0, 6, /**/ 0, 1, 2, 0, 1, /**/ 1, 3, 2, 5, 6, /**/ 1, 3, 4, 5, 6}, {4, 5}),
      Tensor::of<int64_t>({5, 1, 0, 3}, {4})};
  const auto module = parse_module(kList, "test");
  add_total(*module, axes, 4);
  const size_t by[] = {0};
  gradient(*module, "total", by, "main");
  const Joined got = run(*module, "main", args);
  EXPECT_EQ(got.lane_whiles, 0u);
  gradient(*module, "f", by, "g");
  for (int64_t lane = 0; lane < 4; ++lane) {
    vector<Tensor> one;
    for (const Tensor& a : args) one.push_back(slice_at(a, 0, lane));
    expect_near(slice_at(got.results[0], 0, lane), evaluate(*module, "g", one)[0], "lane " + std::to_string(lane));
  }
}

// Lanes of lanes: two axes in front.
TEST(PairLanes, LanesInLanes) {
  const vector<Tensor> args = {drawn({4, 4}, 6), drawn({2, 3, 6, 4}, 7),
                               Tensor::of<int64_t>({1, 6, 0, 2, 3, 4}, {2, 3})};
  const auto module = parse_module(kSequence, "test");
  const size_t by[] = {0};
  gradient(*module, "f", by, "g");
  vectorize(*module, "g", vector<int64_t>{kUniform, 0, 0}, 3, {.name = "inner"});
  vectorize(*module, "inner", vector<int64_t>{kUniform, 0, 0}, 2, {.name = "main"});
  const Joined got = run(*module, "main", args);
  EXPECT_EQ(got.lane_whiles, 0u);
  for (int64_t a = 0; a < 2; ++a) {
    for (int64_t c = 0; c < 3; ++c) {
      const auto want = evaluate(
          *module, "g",
          vector<Tensor>{args[0], slice_at(slice_at(args[1], 0, a), 0, c), slice_at(slice_at(args[2], 0, a), 0, c)});
      expect_near(slice_at(slice_at(got.results[0], 0, a), 0, c), want[0], "lane");
    }
  }
}

// ---- the choice

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// How many loops lanes go through one after another in the gradient by the sequence, for states of `width` elements that are multiplied by
/// themselves or by a matrix.
size_t loops_left(const std::string& width, bool is_product) {
  std::string text = replaced(kSequence, "x4x", "x" + width + "x");
  text = replaced(replaced(text, "tensor<4x", "tensor<" + width + "x"), "sizes = [1, 4]", "sizes = [1, " + width + "]");
  if (!is_product) {
    const size_t from = text.find("%d = "), to = text.find('\n', from);
    text.replace(from, to - from, "%d = stablehlo.multiply %h, %h : tensor<" + width + "xf64>");
  }
  const auto module = parse_module(text, "test");
  add_total(*module, {kUniform, 0, 0}, 8);
  const size_t by[] = {1};
  gradient(*module, "total", by, "main");
  auto one = inline_calls(*module, module->get("main"));
  return count_ops(*transform_loops(simplify(*one, nullptr), {}), "weft.lane_while");
}

// Short vectors and shared matrices too large for a cache gain from other lanes beside them; long vectors and what stays near do not.
TEST(PairLanes, ByTheWorkOfATurn) {
  EXPECT_EQ(loops_left("4", false), 0u);
  EXPECT_EQ(loops_left("2000", false), 2u);
  EXPECT_EQ(loops_left("4", true), 0u);
  EXPECT_EQ(loops_left("96", true), 2u);
  EXPECT_EQ(loops_left("600", true), 0u);
}

TEST(LaneCost, OfLoops) {
  // Alone a lane's turn takes 50 ns; all 64 take so much together that idle places cost more, or less.
  const LaneWork dear{50, 64 * 30}, cheap{50, 64 * 20};
  EXPECT_EQ(cheapest_way(64, dear, 0, {}, 8).way, LaneWay::kOneByOne);
  EXPECT_EQ(cheapest_way(64, cheap, 0, {}, 8).way, LaneWay::kTogether);
  // Blocks lose less to lanes that are done, but hand on places: which pays when lanes carry little and turn often.
  EXPECT_EQ(cheapest_way(8192, {}, 64, dear, 8).way, LaneWay::kBlocks);
  EXPECT_EQ(cheapest_way(8192, {}, 64, dear, 1 << 16).way, LaneWay::kOneByOne);
  EXPECT_EQ(cheapest_way(8192, {}, 64, {50, 64 * 45}, 8).way, LaneWay::kOneByOne);
  EXPECT_EQ(cheapest_way(64, cheap, 0, {}, 0).str(64),
            "all lanes together: a turn of each of 64 lanes is guessed at 3.3 us one after another, 2.6 us together");
}

}  // namespace
}  // namespace weft
