// The transforms of loops keep the value up to the order of sums, and leave in the loop what has to stay there.
#include "transform/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "random_program.h"
#include "text/parse.h"
#include "transform/gradient.h"
#include "transform/inline.h"
#include "transform/products.h"
#include "transform/simplify.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

Tensor random_tensor(Type t, std::mt19937& rng) {
  Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  std::uniform_real_distribution<double> real(-1, 1);
  for (int64_t i = 0; i < out.size(); ++i) {
    if (t.element_type() == ElementType::kF64) out.mutable_data<double>()[static_cast<size_t>(i)] = real(rng);
    else out.mutable_data<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(rng() % 9) - 4;
  }
  return out;
}

/// Ops of a kind in loops, or everywhere.
size_t count_in_loops(const Function& f, RegionId region, std::string_view mnemonic, bool inside = false) {
  size_t n = 0;
  for (OpId op : f.ops(region)) {
    n += inside && f.def(op).mnemonic == mnemonic ? 1 : 0;
    const bool is_loop = f.def(op).mnemonic == "stablehlo.while";
    for (RegionId r : f.regions(op)) n += count_in_loops(f, r, mnemonic, inside || is_loop);
  }
  return n;
}

/// Evaluates before and after; returns the number of ops of a kind that are left in loops.
size_t check(const std::string& text, const std::vector<std::string>& disabled = {},
             std::string_view counted = "stablehlo.dot_general", std::vector<size_t> gradient_by = {},
             int64_t lanes = 0) {
  const auto module = parse_module(text, "test");
  if (lanes > 0) {
    const std::vector<int64_t> axes = {0, kUniform};
    vectorize(*module, "main", axes, lanes, {.name = "main"});
  }
  if (!gradient_by.empty()) gradient(*module, "main", gradient_by, "main");
  std::mt19937 rng(5);
  std::vector<Tensor> args;
  for (Type t : module->get("main").arg_types()) args.push_back(random_tensor(t, rng));
  const auto want = evaluate(*module, "main", args);
  Module changed;
  changed.add(transform_loops(simplify(*inline_calls(*module, module->get("main")), nullptr), disabled));
  verify(changed);
  const auto got = evaluate(changed, "main", args);
  EXPECT_EQ(got.size(), want.size());
  for (size_t r = 0; r < want.size(); ++r) {
    EXPECT_EQ(got[r].shape(), want[r].shape());
    for (size_t i = 0; i < static_cast<size_t>(want[r].size()); ++i) {
      if (want[r].element_type() == ElementType::kF64) {
        EXPECT_NEAR(got[r].data<double>()[i], want[r].data<double>()[i], 1e-12) << "result " << r << " element " << i;
      } else {
        EXPECT_EQ(got[r].data<int32_t>()[i], want[r].data<int32_t>()[i]) << "result " << r << " element " << i;
      }
    }
  }
  const Function& f = changed.get("main");
  const bool is_loop = counted == "stablehlo.while" || counted == "weft.lane_while";
  return count_in_loops(f, f.body(), counted, is_loop);
}

// The cotangent of a recurrent cell, backwards through a stored sequence: h is a slice, dz is made in the loop; the sum is
// transposed as JAX writes it. The product that carries dz on stays.
std::string backward(const std::string& index, const std::string& counter = "0", const std::string& limit = "7") {
  return R"(
func.func @main(%hs: tensor<7x2x5xf64>, %u: tensor<6x6xf64>, %dz0: tensor<2x6xf64>) -> (tensor<5x6xf64>, tensor<6x5xf64>, tensor<2x6xf64>) {
  %zero = stablehlo.constant dense<0.5> : tensor<5x6xf64>
  %zero2 = stablehlo.constant dense<0.25> : tensor<6x5xf64>
  %c = stablehlo.constant dense<)" +
         counter + R"(> : tensor<i32>
  %r:4 = stablehlo.while(%i = %c, %w = %zero, %v = %zero2, %dz = %dz0) : tensor<i32>, tensor<5x6xf64>, tensor<6x5xf64>, tensor<2x6xf64>
  cond {
    %n = stablehlo.constant dense<)" +
         limit + R"(> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %six = stablehlo.constant dense<6> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %back = stablehlo.subtract %six, %i : tensor<i32>
    %s = stablehlo.dynamic_slice %hs, )" +
         index +
         R"(, %o, %o, sizes = [1, 2, 5] : (tensor<7x2x5xf64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x5xf64>
    %h = stablehlo.reshape %s : (tensor<1x2x5xf64>) -> tensor<2x5xf64>
    %dy = stablehlo.tanh %dz : tensor<2x6xf64>
    %p = stablehlo.dot_general %h, %dy, contracting_dims = [0] x [0] : (tensor<2x5xf64>, tensor<2x6xf64>) -> tensor<5x6xf64>
    %w2 = stablehlo.add %w, %p : tensor<5x6xf64>
    %q = stablehlo.dot_general %h, %dy, contracting_dims = [0] x [0] : (tensor<2x5xf64>, tensor<2x6xf64>) -> tensor<5x6xf64>
    %qt = stablehlo.transpose %q, dims = [1, 0] : (tensor<5x6xf64>) -> tensor<6x5xf64>
    %v2 = stablehlo.add %qt, %v : tensor<6x5xf64>
    %dz2 = stablehlo.dot_general %dy, %u, contracting_dims = [1] x [1] : (tensor<2x6xf64>, tensor<6x6xf64>) -> tensor<2x6xf64>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %w2, %v2, %dz2 : tensor<i32>, tensor<5x6xf64>, tensor<6x5xf64>, tensor<2x6xf64>
  }
  return %r#1, %r#2, %r#3 : tensor<5x6xf64>, tensor<6x5xf64>, tensor<2x6xf64>
})";
}

TEST(HoistSums, WeightGradientsOverTimeBecomeOneProduct) {
  const std::vector<std::string> off = {"hoist_sums"};
  // Equal products in the loop are one op with two uses after simplify and stay as they are; see below for one alone.
  EXPECT_GE(check(backward("%back"), off), 2u);
  check(backward("%back"));
  check(backward("%i"));
}

std::string one_sum(const std::string& index, const std::string& start, const std::string& limit,
                    const std::string& step = "1", const std::string& direction = "LT") {
  return R"(
func.func @main(%hs: tensor<7x2x5xf64>, %u: tensor<6x6xf64>, %dz0: tensor<2x6xf64>) -> (tensor<6x5xf64>, tensor<2x6xf64>) {
  %zero = stablehlo.constant dense<0.5> : tensor<6x5xf64>
  %c = stablehlo.constant dense<)" +
         start + R"(> : tensor<i32>
  %r:3 = stablehlo.while(%i = %c, %w = %zero, %dz = %dz0) : tensor<i32>, tensor<6x5xf64>, tensor<2x6xf64>
  cond {
    %n = stablehlo.constant dense<)" +
         limit + R"(> : tensor<i32>
    %t = stablehlo.compare )" +
         direction + R"(, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<)" +
         step + R"(> : tensor<i32>
    %six = stablehlo.constant dense<6> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %back = stablehlo.subtract %six, %i : tensor<i32>
    %s = stablehlo.dynamic_slice %hs, )" +
         index +
         R"(, %o, %o, sizes = [1, 2, 5] : (tensor<7x2x5xf64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x5xf64>
    %h = stablehlo.reshape %s : (tensor<1x2x5xf64>) -> tensor<2x5xf64>
    %dy = stablehlo.tanh %dz : tensor<2x6xf64>
    %q = stablehlo.dot_general %h, %dy, contracting_dims = [0] x [0] : (tensor<2x5xf64>, tensor<2x6xf64>) -> tensor<5x6xf64>
    %qt = stablehlo.transpose %q, dims = [1, 0] : (tensor<5x6xf64>) -> tensor<6x5xf64>
    %w2 = stablehlo.add %w, %qt : tensor<6x5xf64>
    %dz2 = stablehlo.dot_general %dy, %u, contracting_dims = [1] x [1] : (tensor<2x6xf64>, tensor<6x6xf64>) -> tensor<2x6xf64>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %w2, %dz2 : tensor<i32>, tensor<6x5xf64>, tensor<2x6xf64>
  }
  return %r#1, %r#2 : tensor<6x5xf64>, tensor<2x6xf64>
})";
}

TEST(HoistSums, OfSlicesInEitherOrder) {
  EXPECT_EQ(check(one_sum("%i", "0", "7")), 1u);
  EXPECT_EQ(check(one_sum("%back", "0", "7")), 1u);
  EXPECT_EQ(check(one_sum("%back", "0", "7"), {"hoist_sums"}), 2u);
}

TEST(HoistSums, OfOtherStartsAndSteps) {
  // The slices do not cover the sequence, so that both operands are stored.
  EXPECT_EQ(check(one_sum("%i", "2", "6")), 1u);
  EXPECT_EQ(check(one_sum("%i", "1", "6", "2")), 1u);
  EXPECT_EQ(check(one_sum("%i", "6", "1", "-2", "GT")), 1u);
  EXPECT_EQ(check(one_sum("%i", "6", "0", "-1", "GE")), 1u);
  EXPECT_EQ(check(one_sum("%i", "0", "6", "2", "NE")), 1u);
}

TEST(HoistSums, NotOfLoopsThatRunOnceOrNever) {
  EXPECT_EQ(check(one_sum("%i", "6", "7")), 2u);
  EXPECT_EQ(check(one_sum("%i", "7", "7")), 2u);
}

TEST(HoistSums, WithBatchingAndManyOperandDimensions) {
  EXPECT_EQ(check(R"(
func.func @main(%xs: tensor<4x3x5xf64>, %d0: tensor<3x6xf64>, %k0: tensor<2x3x6xi32>) -> (tensor<3x5x6xf64>, tensor<6x2x3x6xi32>) {
  %a = stablehlo.constant dense<0.0> : tensor<3x5x6xf64>
  %e = stablehlo.constant dense<0> : tensor<6x2x3x6xi32>
  %c = stablehlo.constant dense<0> : tensor<i64>
  %r:5 = stablehlo.while(%i = %c, %w = %a, %v = %e, %d = %d0, %k = %k0) : tensor<i64>, tensor<3x5x6xf64>, tensor<6x2x3x6xi32>, tensor<3x6xf64>, tensor<2x3x6xi32>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i64>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %o = stablehlo.constant dense<0> : tensor<i64>
    %s = stablehlo.dynamic_slice %xs, %i, %o, %o, sizes = [1, 3, 5] : (tensor<4x3x5xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x3x5xf64>
    %x = stablehlo.reshape %s : (tensor<1x3x5xf64>) -> tensor<3x5xf64>
    %p = stablehlo.dot_general %x, %d, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<3x5xf64>, tensor<3x6xf64>) -> tensor<3x5x6xf64>
    %w2 = stablehlo.add %w, %p : tensor<3x5x6xf64>
    %d2 = stablehlo.cosine %d : tensor<3x6xf64>
    %m = stablehlo.constant dense<[[1, 2, 3, 4, 5, 6]]> : tensor<1x6xi32>
    %g = stablehlo.slice %k [0:2, 0:1, 0:6] : (tensor<2x3x6xi32>) -> tensor<2x1x6xi32>
    %g2 = stablehlo.reshape %g : (tensor<2x1x6xi32>) -> tensor<2x6xi32>
    %q = stablehlo.dot_general %g2, %k, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<2x6xi32>, tensor<2x3x6xi32>) -> tensor<2x6x3x6xi32>
    %q2 = stablehlo.transpose %q, dims = [1, 0, 2, 3] : (tensor<2x6x3x6xi32>) -> tensor<6x2x3x6xi32>
    %v2 = stablehlo.add %v, %q2 : tensor<6x2x3x6xi32>
    %k2 = stablehlo.negate %k : tensor<2x3x6xi32>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next, %w2, %v2, %d2, %k2 : tensor<i64>, tensor<3x5x6xf64>, tensor<6x2x3x6xi32>, tensor<3x6xf64>, tensor<2x3x6xi32>
  }
  return %r#1, %r#2 : tensor<3x5x6xf64>, tensor<6x2x3x6xi32>
})"),
            0u);
}

TEST(HoistSums, NotWhenTheSumIsReadInTheLoop) {
  EXPECT_EQ(check(R"(
func.func @main(%d0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>) {
  %a = stablehlo.constant dense<0.0> : tensor<3x3xf64>
  %c = stablehlo.constant dense<0> : tensor<i64>
  %r:3 = stablehlo.while(%i = %c, %w = %a, %d = %d0) : tensor<i64>, tensor<3x3xf64>, tensor<3x3xf64>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i64>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %p = stablehlo.dot_general %d, %d, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %w2 = stablehlo.add %w, %p : tensor<3x3xf64>
    %d2 = stablehlo.tanh %w2 : tensor<3x3xf64>
    %next = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %next, %w2, %d2 : tensor<i64>, tensor<3x3xf64>, tensor<3x3xf64>
  }
  return %r#1, %r#2 : tensor<3x3xf64>, tensor<3x3xf64>
})"),
            1u);
}

// The gradient of reading a slice: a sum with what is zero elsewhere.
TEST(PrepareUpdates, SumsWithPaddedSlicesBecomeUpdates) {
  const std::string text = R"(
func.func @main(%a: tensor<6x3xf64>, %u: tensor<1x3xf64>, %i: tensor<i32>) -> (tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>) {
  %z = stablehlo.constant dense<0.0> : tensor<6x3xf64>
  %one = stablehlo.constant dense<1.0> : tensor<6x3xf64>
  %o = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.dynamic_update_slice %z, %u, %i, %o : (tensor<6x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<6x3xf64>
  %s = stablehlo.add %d, %a : tensor<6x3xf64>
  %e = stablehlo.dynamic_update_slice %one, %u, %i, %o : (tensor<6x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<6x3xf64>
  %t = stablehlo.add %a, %e : tensor<6x3xf64>
  %v = stablehlo.dynamic_update_slice %a, %u, %i, %o : (tensor<6x3xf64>, tensor<1x3xf64>, tensor<i32>, tensor<i32>) -> tensor<6x3xf64>
  %c = stablehlo.cosine %a : tensor<6x3xf64>
  %w = stablehlo.multiply %v, %c : tensor<6x3xf64>
  return %s, %t, %w : tensor<6x3xf64>, tensor<6x3xf64>, tensor<6x3xf64>
})";
  check(text);
  Module changed;
  changed.add(transform_loops(clone_function(parse_module(text, "test")->get("main"), "main"), {}));
  const Function& f = changed.get("main");
  std::vector<std::string_view> names;
  for (OpId op : f.ops(f.body())) names.push_back(f.def(op).mnemonic);
  // The sum with zeros reads its slice; the one with ones stays; the update of the argument comes after its cosine.
  EXPECT_EQ(std::ranges::count(names, "stablehlo.dynamic_slice"), 1);
  const auto cosine = std::ranges::find(names, "stablehlo.cosine");
  EXPECT_EQ(*(cosine + 1), "stablehlo.dynamic_update_slice");
}

// A recurrent cell: its gradient stores states and activations on stacks, of which the lengths are known.
const char* const kCell = R"(
func.func @main(%w: tensor<3x4xf64>, %u: tensor<4x4xf64>, %xs: tensor<6x2x3xf64>, %h0: tensor<2x4xf64>) -> tensor<f64> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %h = %h0) : tensor<i32>, tensor<2x4xf64>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.dynamic_slice %xs, %i, %o, %o, sizes = [1, 2, 3] : (tensor<6x2x3xf64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf64>
    %x = stablehlo.reshape %s : (tensor<1x2x3xf64>) -> tensor<2x3xf64>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
    %q = stablehlo.dot_general %h, %u, contracting_dims = [1] x [0] : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %z = stablehlo.add %p, %q : tensor<2x4xf64>
    %h2 = stablehlo.tanh %z : tensor<2x4xf64>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %h2 : tensor<i32>, tensor<2x4xf64>
  }
  %f0 = stablehlo.constant dense<0.0> : tensor<f64>
  %l = stablehlo.reduce(%r#1 init: %f0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf64>, tensor<f64>) -> tensor<f64>
  return %l : tensor<f64>
})";

TEST(LayOutStacks, OfTheGradientOfACountedLoop) {
  EXPECT_GE(check(kCell, {"lay_out_stacks"}, "weft.stack_pop", {0, 1, 2, 3}), 1u);
  EXPECT_EQ(check(kCell, {}, "weft.stack_pop", {0, 1, 2, 3}), 0u);
  EXPECT_EQ(check(kCell, {}, "weft.stack_push", {0, 1, 2, 3}), 0u);
}

/// A loop over `outer` rounds, of unknown number, of three rounds of four that add x[i] * x[i].
const std::string kRounds = R"(
func.func @main(%x: tensor<4xf64>, %outer: tensor<i32>) -> tensor<f64> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %most = stablehlo.add %outer, %c9 : tensor<i32>
  %start = stablehlo.constant dense<0.5> : tensor<f64>
  %r:2 = stablehlo.while(%k = %c0, %s0 = %start) : tensor<i32>, tensor<f64> cond {
    %p = stablehlo.compare LT, %k, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %m:2 = stablehlo.while(%j = %c0, %s1 = %s0) : tensor<i32>, tensor<f64> cond {
      %p = stablehlo.compare LT, %j, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %l:2 = stablehlo.while(%i = %c0, %s2 = %s1) : tensor<i32>, tensor<f64> cond {
        %p = stablehlo.compare LT, %i, %c4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %e = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf64>, tensor<i32>) -> tensor<1xf64>
        %v = stablehlo.reshape %e : (tensor<1xf64>) -> tensor<f64>
        %q = stablehlo.multiply %v, %v : tensor<f64>
        %s3 = stablehlo.add %s2, %q : tensor<f64>
        %i2 = stablehlo.add %i, %c1 : tensor<i32>
        stablehlo.return %i2, %s3 : tensor<i32>, tensor<f64>
      }
      %j2 = stablehlo.add %j, %c1 : tensor<i32>
      stablehlo.return %j2, %l#1 : tensor<i32>, tensor<f64>
    }
    %k2 = stablehlo.add %k, %c1 : tensor<i32>
    stablehlo.return %k2, %m#1 : tensor<i32>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})";

TEST(KnowStacks, NumbersOfTripsOfInnerLoops) {
  EXPECT_GE(check(kRounds, {"know_stacks"}, "weft.stack_pop", {0}), 3u);
  EXPECT_EQ(check(kRounds, {}, "weft.stack_pop", {0}), 0u);
  EXPECT_EQ(check(kRounds, {}, "weft.stack_push", {0}), 0u);
}

/// What an inner loop pushes is the same in all its trips, but not in those of the loop around, which hands the stack on.
TEST(KnowStacks, AValueOfTheLoopAroundIsAnotherOneInItsNextTrip) {
  const std::string text = R"(
func.func @main(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %s = "weft.stack_new"() : () -> !weft.stack<tensor<f64>>
  %r:3 = stablehlo.while(%k = %c0, %v = %x, %t = %s) : tensor<i32>, tensor<f64>, !weft.stack<tensor<f64>> cond {
    %p = stablehlo.compare LT, %k, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.add %v, %v : tensor<f64>
    %l:2 = stablehlo.while(%i = %c0, %t0 = %t) : tensor<i32>, !weft.stack<tensor<f64>> cond {
      %p = stablehlo.compare LT, %i, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %t1 = "weft.stack_push"(%t0, %w) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
      %i2 = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %i2, %t1 : tensor<i32>, !weft.stack<tensor<f64>>
    }
    %k2 = stablehlo.add %k, %c1 : tensor<i32>
    stablehlo.return %k2, %w, %l#1 : tensor<i32>, tensor<f64>, !weft.stack<tensor<f64>>
  }
  %a:2 = "weft.stack_pop"(%r#2) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %b:2 = "weft.stack_pop"(%a#0) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %c:2 = "weft.stack_pop"(%b#0) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  return %a#1, %c#1 : tensor<f64>, tensor<f64>
})";
  check(text);
}

TEST(HoistSums, OfTheGradientOfACountedLoop) {
  // The products of the two weights' gradients come after the loop.
  const size_t left = check(kCell, {}, "stablehlo.dot_general", {0, 1});
  EXPECT_EQ(left + 2, check(kCell, {"hoist_sums"}, "stablehlo.dot_general", {0, 1}));
}

TEST(SettleProducts, TransposedAndCut) {
  const std::string text = R"(
func.func @main(%a: tensor<2x3x4x5xf64>, %b: tensor<6x2x5x7xf64>) -> (tensor<2x6x7x3x4xf64>, tensor<2x3x6x4x7xf64>, tensor<2x3x4x2x7xf64>, tensor<2x1x4x6x3xf64>, tensor<1x3x4x6x7xf64>) {
  %p = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [3] x [2], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4x5xf64>, tensor<6x2x5x7xf64>) -> tensor<2x3x4x6x7xf64>
  %pt = stablehlo.transpose %p, dims = [0, 3, 4, 1, 2] : (tensor<2x3x4x6x7xf64>) -> tensor<2x6x7x3x4xf64>
  %q = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [3] x [2], precision = [HIGH, HIGH] : (tensor<2x3x4x5xf64>, tensor<6x2x5x7xf64>) -> tensor<2x3x4x6x7xf64>
  %qt = stablehlo.transpose %q, dims = [0, 1, 3, 2, 4] : (tensor<2x3x4x6x7xf64>) -> tensor<2x3x6x4x7xf64>
  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x3x4x5xf64>, tensor<6x2x5x7xf64>) -> tensor<2x3x4x6x7xf64>
  %rs = stablehlo.slice %r [0:2, 0:3, 0:4, 3:5, 0:7] : (tensor<2x3x4x6x7xf64>) -> tensor<2x3x4x2x7xf64>
  %s = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [3] x [2], precision = [DEFAULT, HIGH] : (tensor<2x3x4x5xf64>, tensor<6x2x5x7xf64>) -> tensor<2x3x4x6x7xf64>
  %ss = stablehlo.slice %s [0:2, 1:2, 0:4, 0:6, 4:7] : (tensor<2x3x4x6x7xf64>) -> tensor<2x1x4x6x3xf64>
  %u = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [3] x [2], precision = [HIGH, DEFAULT] : (tensor<2x3x4x5xf64>, tensor<6x2x5x7xf64>) -> tensor<2x3x4x6x7xf64>
  %us = stablehlo.slice %u [1:2, 0:3, 0:4, 0:6, 0:7] : (tensor<2x3x4x6x7xf64>) -> tensor<1x3x4x6x7xf64>
  return %pt, %qt, %rs, %ss, %us : tensor<2x6x7x3x4xf64>, tensor<2x3x6x4x7xf64>, tensor<2x3x4x2x7xf64>, tensor<2x1x4x6x3xf64>, tensor<1x3x4x6x7xf64>
})";
  check(text);
  const auto module = parse_module(text, "test");
  const auto changed = transform_loops(clone_function(module->get("main"), "main"), {});
  size_t transposes = 0, results_cut = 0;
  for (OpId op : changed->ops(changed->body())) {
    transposes += changed->def(op).mnemonic == "stablehlo.transpose" ? 1 : 0;
    results_cut += changed->def(op).mnemonic == "stablehlo.slice" && changed->type(changed->operand(op, 0)).rank() == 5;
  }
  EXPECT_EQ(transposes, 1u);   // that of %q exchanges a part of the free dimensions only
  EXPECT_EQ(results_cut, 1u);  // that of %u cuts a batching dimension
}

// Each lane multiplies a vector by a matrix until it is small, which takes from none to some dozens of steps; the number of steps
// is a result too.
const char* const kShrink = R"(
func.func @main(%x0: tensor<3xf64>, %m: tensor<3x3xf64>) -> (tensor<3xf64>, tensor<i32>) {
  %o = stablehlo.constant dense<0> : tensor<i32>
  %big = stablehlo.constant dense<8.0> : tensor<3xf64>
  %x1 = stablehlo.multiply %x0, %big : tensor<3xf64>
  %x2 = stablehlo.exponential %x1 : tensor<3xf64>
  %r:2 = stablehlo.while(%x = %x2, %k = %o) : tensor<3xf64>, tensor<i32>
  cond {
    %f0 = stablehlo.constant dense<0.0> : tensor<f64>
    %s = stablehlo.reduce(%x init: %f0) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %t = stablehlo.compare GT, %s, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %c = stablehlo.constant dense<0.25> : tensor<3xf64>
    %y = stablehlo.dot_general %x, %m, contracting_dims = [0] x [0] : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3xf64>
    %z = stablehlo.multiply %y, %c : tensor<3xf64>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %z, %next : tensor<3xf64>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<3xf64>, tensor<i32>
})";

TEST(BlockLanes, OfTensorsAllAtOnceOrByBlocks) {
  for (int64_t lanes : {2, 5, 8200}) {
    SCOPED_TRACE(lanes);
    EXPECT_EQ(check(kShrink, {"block_lanes"}, "weft.lane_while", {}, lanes), 1u);
    EXPECT_EQ(check(kShrink, {}, "weft.lane_while", {}, lanes), 0u);
  }
}

// Vectors so long that a lane by itself is as busy as with others beside it, which would go on when they are done.
TEST(BlockLanes, LongVectorsRunLaneAfterLane) {
  std::string text = kShrink;
  const std::string product =
      "stablehlo.dot_general %x, %m, contracting_dims = [0] x [0] : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3xf64>";
  text.replace(text.find(product), product.size(), "stablehlo.sine %x : tensor<3xf64>");
  for (size_t at = 0; (at = text.find("<3xf64>", at)) != std::string::npos;) text.replace(at, 7, "<900xf64>");
  EXPECT_EQ(check(text, {}, "weft.lane_while", {}, 5), 1u);
}

// What batching makes of a loop on scalars: all elements go on together, those that are done keep their values. `bound` of the
// body against 9.0 of the condition: another one is another loop.
std::string batched(const std::string& bound) {
  return R"(
func.func @main(%x0: tensor<5x4xf64>, %a: tensor<5x4xf64>, %b: tensor<f64>) -> (tensor<5x4xf64>, tensor<5x4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<5x4xi32>
  %r:2 = stablehlo.while(%x = %x0, %k = %zero) : tensor<5x4xf64>, tensor<5x4xi32>
  cond {
    %nine = stablehlo.constant dense<9.0> : tensor<5x4xf64>
    %p = stablehlo.compare LT, %x, %nine, FLOAT : (tensor<5x4xf64>, tensor<5x4xf64>) -> tensor<5x4xi1>
    %most = stablehlo.constant dense<20> : tensor<5x4xi32>
    %q = stablehlo.compare LT, %k, %most, SIGNED : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<5x4xi1>
    %w = stablehlo.and %p, %q : tensor<5x4xi1>
    %f = stablehlo.constant dense<false> : tensor<i1>
    %t = stablehlo.reduce(%w init: %f) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x4xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %nine = stablehlo.constant dense<)" +
         bound + R"(> : tensor<5x4xf64>
    %p = stablehlo.compare LT, %x, %nine, FLOAT : (tensor<5x4xf64>, tensor<5x4xf64>) -> tensor<5x4xi1>
    %most = stablehlo.constant dense<20> : tensor<5x4xi32>
    %q = stablehlo.compare LT, %k, %most, SIGNED : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<5x4xi1>
    %w = stablehlo.and %p, %q : tensor<5x4xi1>
    %bb = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %s = stablehlo.multiply %x, %x : tensor<5x4xf64>
    %u = stablehlo.add %s, %a : tensor<5x4xf64>
    %v = stablehlo.add %u, %bb : tensor<5x4xf64>
    %one = stablehlo.constant dense<1> : tensor<5x4xi32>
    %n = stablehlo.add %k, %one : tensor<5x4xi32>
    %x2 = stablehlo.select %w, %v, %x : tensor<5x4xi1>, tensor<5x4xf64>
    %k2 = stablehlo.select %w, %n, %k : tensor<5x4xi1>, tensor<5x4xi32>
    stablehlo.return %x2, %k2 : tensor<5x4xf64>, tensor<5x4xi32>
  }
  return %r#0, %r#1 : tensor<5x4xf64>, tensor<5x4xi32>
})";
}

TEST(FreeLanes, OfLoopsThatGoOnWhileAnyElementDoes) {
  EXPECT_EQ(check(batched("9.0"), {}, "weft.lane_while"), 1u);
  EXPECT_EQ(check(batched("9.0"), {}, "stablehlo.while"), 0u);
  EXPECT_EQ(check(batched("9.0"), {"free_lanes"}, "weft.lane_while"), 0u);
  EXPECT_EQ(check(batched("1.0e9"), {}, "weft.lane_while"), 0u);  // goes on where the condition says no
}

// A function of scalars, with a loop of its own, over the rows of two arrays.
std::string mapped(const std::string& row) {
  return R"(
func.func @main(%xs: tensor<21xf64>, %ys: tensor<21xf64>, %z: tensor<f64>) -> (tensor<21xf64>, tensor<21x2xf64>, tensor<i32>) {
  %f0 = stablehlo.constant dense<0.0> : tensor<f64>
  %o1 = stablehlo.constant dense<0.0> : tensor<21xf64>
  %o2 = stablehlo.constant dense<0.0> : tensor<21x2xf64>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %c, %p = %o1, %q = %o2) : tensor<i32>, tensor<21xf64>, tensor<21x2xf64>
  cond {
    %n = stablehlo.constant dense<21> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last = stablehlo.constant dense<20> : tensor<i32>
    %back = stablehlo.subtract %last, %i : tensor<i32>
    %s = stablehlo.dynamic_slice %xs, %i, sizes = [1] : (tensor<21xf64>, tensor<i32>) -> tensor<1xf64>
    %x = stablehlo.reshape %s : (tensor<1xf64>) -> tensor<f64>
    %s2 = stablehlo.dynamic_slice %ys, %back, sizes = [1] : (tensor<21xf64>, tensor<i32>) -> tensor<1xf64>
    %y = stablehlo.reshape %s2 : (tensor<1xf64>) -> tensor<f64>
    %two = stablehlo.constant dense<2.0> : tensor<f64>
    %w:2 = stablehlo.while(%u = %x, %k = %f0) : tensor<f64>, tensor<f64>
    cond {
      %t = stablehlo.compare LT, %u, %two, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %half = stablehlo.constant dense<0.5> : tensor<f64>
      %u2 = stablehlo.add %u, %half : tensor<f64>
      %k2 = stablehlo.add %k, %z : tensor<f64>
      stablehlo.return %u2, %k2 : tensor<f64>, tensor<f64>
    }
    %e = stablehlo.multiply %w#0, %y : tensor<f64>
    %e1 = stablehlo.reshape %e : (tensor<f64>) -> tensor<1xf64>
    %g1 = stablehlo.reshape %w#1 : (tensor<f64>) -> tensor<1xf64>
    %g = stablehlo.concatenate %e1, %g1, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %g2 = stablehlo.reshape %g : (tensor<2xf64>) -> tensor<1x2xf64>
    %p2 = stablehlo.dynamic_update_slice %p, %e1, )" +
         row + R"( : (tensor<21xf64>, tensor<1xf64>, tensor<i32>) -> tensor<21xf64>
    %q2 = stablehlo.dynamic_update_slice %q, %g2, %i, %c : (tensor<21x2xf64>, tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<21x2xf64>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %p2, %q2 : tensor<i32>, tensor<21xf64>, tensor<21x2xf64>
  }
  return %r#1, %r#2, %r#0 : tensor<21xf64>, tensor<21x2xf64>, tensor<i32>
})";
}

TEST(SpreadMaps, OfFunctionsOfScalars) {
  EXPECT_EQ(check(mapped("%i"), {}, "stablehlo.while"), 0u);
  EXPECT_EQ(check(mapped("%i"), {"spread_maps"}, "stablehlo.while"), 2u);
  EXPECT_EQ(check(mapped("%last"), {}, "stablehlo.while"), 2u);  // each iteration writes the same row
}

// A cell on concatenated input and state, and one product of the inputs backwards in time with the sequence on the right.
const char* const kConcatenated = R"(
func.func @main(%xs: tensor<5x2x9xf64>, %ys: tensor<3x5x9x2xf64>, %w: tensor<12x4xf64>, %v: tensor<3x4x9xf64>, %h0: tensor<2x3xf64>) -> (tensor<2x4xf64>, tensor<3x4x2xf64>) {
  %a = stablehlo.constant dense<0.0> : tensor<2x4xf64>
  %e = stablehlo.constant dense<0.0> : tensor<3x4x2xf64>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %c, %p = %a, %q = %e, %h = %h0) : tensor<i32>, tensor<2x4xf64>, tensor<3x4x2xf64>, tensor<2x3xf64>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %back = stablehlo.subtract %four, %i : tensor<i32>
    %s = stablehlo.dynamic_slice %xs, %i, %c, %c, sizes = [1, 2, 9] : (tensor<5x2x9xf64>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x9xf64>
    %x = stablehlo.reshape %s : (tensor<1x2x9xf64>) -> tensor<2x9xf64>
    %xh = stablehlo.concatenate %h, %x, dim = 1 : (tensor<2x3xf64>, tensor<2x9xf64>) -> tensor<2x12xf64>
    %z = stablehlo.dot_general %xh, %w, contracting_dims = [1] x [0] : (tensor<2x12xf64>, tensor<12x4xf64>) -> tensor<2x4xf64>
    %y = stablehlo.tanh %z : tensor<2x4xf64>
    %h2 = stablehlo.slice %y [0:2, 1:4] : (tensor<2x4xf64>) -> tensor<2x3xf64>
    %s2 = stablehlo.dynamic_slice %ys, %c, %back, %c, %c, sizes = [3, 1, 9, 2] : (tensor<3x5x9x2xf64>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x9x2xf64>
    %u = stablehlo.reshape %s2 : (tensor<3x1x9x2xf64>) -> tensor<3x9x2xf64>
    %g = stablehlo.dot_general %v, %u, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x4x9xf64>, tensor<3x9x2xf64>) -> tensor<3x4x2xf64>
    %half = stablehlo.constant dense<0.5> : tensor<3x4x2xf64>
    %q1 = stablehlo.multiply %q, %half : tensor<3x4x2xf64>
    %q2 = stablehlo.add %q1, %g : tensor<3x4x2xf64>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %y, %q2, %h2 : tensor<i32>, tensor<2x4xf64>, tensor<3x4x2xf64>, tensor<2x3xf64>
  }
  return %r#1, %r#2 : tensor<2x4xf64>, tensor<3x4x2xf64>
})";

TEST(BatchInputs, OfSlicesAndPartsOfConcatenations) {
  EXPECT_EQ(check(kConcatenated, {"batch_inputs"}), 2u);
  EXPECT_EQ(check(kConcatenated), 1u);  // the state's part
}

TEST(SettleProducts, BatchesWhatATransposeLeavesInFront) {
  const auto text = [](const std::string& n) {
    return "func.func @main(%a: tensor<2x6x" + n + R"(x5xf64>, %b: tensor<3x5x2xf64>) -> tensor<2x6x3x)" + n +
           R"(xf64> {
  %p = stablehlo.dot_general %a, %b, batching_dims = [0] x [2], contracting_dims = [3] x [1] : (tensor<2x6x)" +
           n + "x5xf64>, tensor<3x5x2xf64>) -> tensor<2x6x" + n + R"(x3xf64>
  %t = stablehlo.transpose %p, dims = [0, 1, 3, 2] : (tensor<2x6x)" +
           n + "x3xf64>) -> tensor<2x6x3x" + n + R"(xf64>
  return %t : tensor<2x6x3x)" +
           n + "xf64>\n}";
  };
  // Copies of b for each of 6: half of the result or more where n is 4.
  EXPECT_EQ(batch_products(parse_module(text("4"), "test")->get("main")), nullptr);
  const auto module = parse_module(text("40"), "test");
  Module changed;
  changed.add(batch_products(module->get("main")));
  verify(changed);
  std::mt19937 rng(3);
  std::vector<Tensor> args;
  for (Type t : module->get("main").arg_types()) args.push_back(random_tensor(t, rng));
  const Tensor want = evaluate(*module, "main", args)[0], got = evaluate(changed, "main", args)[0];
  ASSERT_EQ(got.shape(), want.shape());
  for (size_t i = 0; i < static_cast<size_t>(want.size()); ++i)
    ASSERT_NEAR(got.data<double>()[i], want.data<double>()[i], 1e-14) << i;
}

TEST(TransformLoops, KeepsValuesOfRandomPrograms) {
  const double inf = std::numeric_limits<double>::infinity();
  for (uint32_t seed = 0; seed < 120; ++seed) {
    const auto module = RandomProgram(seed).make(25);
    const std::vector<Tensor> args = {Tensor::scalar_of(seed % 2 == 0 ? 0.75 : -0.0),
                                      Tensor::of<double>({1, -2, 3, 0.5, -0.0, seed % 5 == 0 ? inf : 7}, {2, 3}),
                                      Tensor::scalar_of<int32_t>(static_cast<int32_t>(seed % 3))};
    const auto want = evaluate(*module, "f", args);
    Module changed;
    changed.add(transform_loops(simplify(*inline_calls(*module, module->get("f")), nullptr), {}));
    verify(changed);
    const auto got = evaluate(changed, "f", args);
    for (size_t r = 0; r < want.size(); ++r) {
      if (want[r].element_type() != ElementType::kF64) continue;
      for (size_t i = 0; i < static_cast<size_t>(want[r].size()); ++i) {
        const double x = got[r].data<double>()[i], y = want[r].data<double>()[i];
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        ASSERT_NEAR(x, y, 1e-9 * std::max(1.0, std::fabs(y))) << "seed " << seed << " result " << r << " element " << i;
      }
    }
  }
}

}  // namespace
}  // namespace weft
