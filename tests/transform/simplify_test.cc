// Simplify keeps every value to the bit, changes nothing on its own output, and does what it says.
#include "transform/simplify.h"

#include <chrono>

#include "ir/clone.h"
#include "lane_check.h"
#include "random_program.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/gradient.h"

namespace weft {
namespace {

using std::vector;

vector<vector<Tensor>> argument_sets() {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  return {
      {Tensor::scalar_of(0.75), Tensor::of<double>({1, -2, 3, 0.5, -0.0, 7}, {2, 3}), Tensor::scalar_of<int32_t>(1)},
      {Tensor::scalar_of(-0.0), Tensor::of<double>({nan, inf, -inf, 0, 1, -1}, {2, 3}), Tensor::scalar_of<int32_t>(0)},
  };
}

/// NaN payloads and signs aside: which NaN an operation gives is not part of its meaning.
bool same_value(const Tensor& a, const Tensor& b) {
  if (a.element_type() != ElementType::kF64) return same_bits(a, b);
  if (a.shape() != b.shape()) return false;
  for (size_t i = 0; i < static_cast<size_t>(a.size()); ++i) {
    const double x = a.data<double>()[i], y = b.data<double>()[i];
    if (std::memcmp(&x, &y, sizeof x) != 0 && !(x != x && y != y)) return false;
  }
  return true;
}

TEST(Simplify, KeepsValuesOfRandomProgramsWhateverIsSwitchedOff) {
  const vector<vector<std::string>> modes = {{}, {"simplify"}, {"rules"}, {"cse"}, {"licm"}, {"dce"}};
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const auto module = RandomProgram(seed).make(25);
    verify(*module);
    const auto args = argument_sets()[seed % 2];
    const auto expected = evaluate(*module, "f", args);
    for (const auto& mode : modes) {
      Module simplified;
      simplified.add(simplify(module->get("f"), module.get(), {mode}));
      verify(simplified);
      const auto got = evaluate(simplified, "f", args);
      for (size_t r = 0; r < got.size(); ++r) {
        ASSERT_TRUE(same_value(got[r], expected[r]))
            << "seed " << seed << ", result " << r << ", without " << (mode.empty() ? "nothing" : mode[0]) << "\n"
            << print_function(module->get("f")) << print_function(simplified.get("f"));
      }
    }
  }
}

/// What takes the place of a loop or branch has its effects too: were the old one kept for them, they would happen twice, and each
/// round of the pass would leave one loop more.
TEST(Simplify, LeavesOneOfEachEffect) {
  const auto module = parse_module(R"(
func.func @main(%n: tensor<i32>, %fixed: tensor<f32>) -> tensor<i32> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = "stablehlo.while"(%zero, %fixed, %fixed) ({
  ^bb0(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.custom_call @print(%b) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %a, %b : tensor<i32>, tensor<f32>, tensor<f32>
  }) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>)
  %4 = "stablehlo.if"(%c) ({
    %5 = stablehlo.custom_call @warn(%0#1) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %0#0 : tensor<i32>
  }, {
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %4 : tensor<i32>
})",
                                   "test");
  const std::string text = print_function(*simplify(module->get("main"), module.get()));
  const auto count = [&](std::string_view word) {
    size_t n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("stablehlo.while"), 1u) << text;
  EXPECT_EQ(count("@print"), 1u) << text;
  EXPECT_EQ(count("@warn"), 1u) << text;
  EXPECT_EQ(count("stablehlo.if"), 0u) << text;
}

/// A masked loop that writes a row in each trip must not choose among all rows.
TEST(Simplify, ChoosesAmongWhatAnUpdateWrites) {
  const auto module = parse_module(R"(
func.func @f(%x: tensor<8x100xf64>, %u: tensor<8x1xf64>, %live: tensor<8xi1>, %t: tensor<i32>) -> tensor<8x100xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.broadcast_in_dim %live, dims = [0] : (tensor<8xi1>) -> tensor<8x100xi1>
  %new = stablehlo.dynamic_update_slice %x, %u, %zero, %t : (tensor<8x100xf64>, tensor<8x1xf64>, tensor<i32>, tensor<i32>) -> tensor<8x100xf64>
  %r = stablehlo.select %p, %new, %x : tensor<8x100xi1>, tensor<8x100xf64>
  return %r : tensor<8x100xf64>
}
func.func @g(%x: tensor<8x100x3xf64>, %i: tensor<8x1xi32>, %u: tensor<8x3xf64>, %live: tensor<8xi1>) -> tensor<8x100x3xf64> {
  %p = stablehlo.broadcast_in_dim %live, dims = [0] : (tensor<8xi1>) -> tensor<8x100x3xi1>
  %new = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %b : tensor<f64>
  }) : (tensor<8x100x3xf64>, tensor<8x1xi32>, tensor<8x3xf64>) -> tensor<8x100x3xf64>
  %r = stablehlo.select %p, %new, %x : tensor<8x100x3xi1>, tensor<8x100x3xf64>
  return %r : tensor<8x100x3xf64>
})",
                                   "test");
  for (const char* name : {"f", "g"}) {
    const auto simplified = simplify(module->get(name), module.get());
    int selects = 0;
    for (OpId op : simplified->ops(simplified->body())) {
      if (simplified->def(op).mnemonic != "stablehlo.select") continue;
      ++selects;
      EXPECT_LE(simplified->type(simplified->result(op)).num_elements(), 8 * 3) << print_function(*simplified);
    }
    EXPECT_EQ(selects, 1) << print_function(*simplified);
  }
}

TEST(Simplify, ChangesNothingOnItsOwnOutput) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const auto module = RandomProgram(seed).make(25);
    const auto once = simplify(module->get("f"), module.get());
    const auto twice = simplify(*once, module.get());
    ASSERT_EQ(print_function(*once), print_function(*twice)) << "seed " << seed;
  }
}

TEST(Simplify, KeepsGradients) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const auto module = RandomProgram(seed).make(15);
    gradient(*module, "f", vector<size_t>{0, 1}, "g");
    const auto args = argument_sets()[0];
    const auto expected = evaluate(*module, "g", args);
    simplify(*module);
    verify(*module);
    const auto got = evaluate(*module, "g", args);
    for (size_t r = 0; r < got.size(); ++r)
      ASSERT_TRUE(same_value(got[r], expected[r])) << "seed " << seed << ", result " << r;
  }
}

TEST(Simplify, KeepsValuesOverLanes) {
  const vector<Tensor> args = {Tensor::of<double>({0.75, -1.5, 0}, {3}), argument_sets()[0][1],
                               Tensor::of<int32_t>({0, 1, 4}, {3})};
  for (uint32_t seed = 0; seed < 80; ++seed) {
    const auto module = RandomProgram(seed).make(15);
    const Function& lanes = vectorize(*module, "f", vector<int64_t>{0, kUniform, 0}, 3, {.name = "lanes"});
    const auto expected = evaluate(*module, "lanes", args);
    const auto once = simplify(lanes, module.get());
    ASSERT_EQ(print_function(*once), print_function(*simplify(*once, module.get()))) << "seed " << seed;
    Module other;
    other.add(clone_function(*once, "lanes"));
    verify(other);
    const auto got = evaluate(other, "lanes", args);
    for (size_t r = 0; r < got.size(); ++r)
      ASSERT_TRUE(same_value(got[r], expected[r])) << "seed " << seed << ", result " << r;
  }
}

TEST(Simplify, UnchangingCarriesOfLaneLoopsBecomeExtras) {
  const auto module = parse_module(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %r:3 = stablehlo.while(%keep = %y, %a = %x, %same = %n) : tensor<f64>, tensor<f64>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %a, %same : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.add %a, %keep : tensor<f64>
    stablehlo.return %keep, %b, %same : tensor<f64>, tensor<f64>, tensor<f64>
  }
  return %r#0, %r#1, %r#2 : tensor<f64>, tensor<f64>, tensor<f64>
})",
                                   "test");
  const Function& lanes = vectorize(*module, "f", vector<int64_t>{0, 0, kUniform}, 3, {.name = "lanes"});
  const auto f = simplify(lanes, module.get());
  for (OpId op : f->ops(f->body())) {
    if (f->def(op).mnemonic != "weft.lane_while") continue;
    EXPECT_EQ(f->attrs(op).integer("num_carries"), 1);
    EXPECT_EQ(f->attrs(op).ints("varies"), (vector<int64_t>{1, 1, 0}));
  }
  Module other;
  other.add(clone_function(*f, "lanes"));
  const auto got = evaluate(other, "lanes",
                            vector<Tensor>{Tensor::of<double>({1, 2, 30}, {3}), Tensor::of<double>({1, 0.5, 2}, {3}),
                                           Tensor::scalar_of(4.0)});
  const double expected[3][3] = {{1, 0.5, 2}, {4, 4, 30}, {4, 4, 4}};
  for (size_t r = 0; r < 3; ++r) {
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(got[r].data<double>()[i], expected[r][i]);
  }
}

std::unique_ptr<Function> simplified(const std::string& text) {
  const auto module = parse_module(text, "test");
  return simplify(module->get("f"), module.get());
}

size_t total_ops(const Function& f) { return f.num_ops(); }

TEST(Simplify, CommonSubexpressions) {
  const auto f = simplified(R"(
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %a = stablehlo.sine %x : tensor<f64>
  %b = stablehlo.sine %x : tensor<f64>
  %c = stablehlo.cosine %a : tensor<f64>
  %d = stablehlo.cosine %b : tensor<f64>
  return %c, %d : tensor<f64>, tensor<f64>
})");
  EXPECT_EQ(total_ops(*f), 3u);
}

TEST(Simplify, LoopInvariantCodeMovesOutOfAllLoops) {
  const auto f = simplified(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %q:2 = stablehlo.while(%k = %zero, %b = %a) : tensor<i32>, tensor<f64>
    cond {
      %go = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %s = stablehlo.sine %y : tensor<f64>
      %t = stablehlo.add %s, %x : tensor<f64>
      %u = stablehlo.multiply %t, %b : tensor<f64>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %k1, %u : tensor<i32>, tensor<f64>
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %q#1 : tensor<i32>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})");
  for (OpId op : f->ops(f->body())) {
    if (f->def(op).mnemonic == "stablehlo.while") break;
    if (f->def(op).mnemonic == "stablehlo.add") return;
  }
  FAIL() << "sin(y) + x stays in the loops:\n" << print_function(*f);
}

TEST(Simplify, BranchOfAConstantAndLoopThatNeverRuns) {
  const auto f = simplified(R"(
func.func @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %k = stablehlo.constant dense<7> : tensor<i32>
  %r = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<f64>
  }, {
    %n = stablehlo.negate %x : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }) : (tensor<i32>) -> tensor<f64>
  %w = stablehlo.while(%a = %x) : tensor<f64>
  cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %b = stablehlo.sine %a : tensor<f64>
    stablehlo.return %b : tensor<f64>
  }
  return %r, %w : tensor<f64>, tensor<f64>
})");
  EXPECT_EQ(total_ops(*f), 2u) << print_function(*f);
  EXPECT_EQ(count_ops(*f, "stablehlo.negate"), 1u);
}

TEST(Simplify, UnusedAndUnchangedCarriesGo) {
  const auto f = simplified(R"(
func.func @f(%x: tensor<f64>, %y: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %a = %x, %keep = %y, %dead = %y) : tensor<i32>, tensor<f64>, tensor<f64>, tensor<f64>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.multiply %a, %keep : tensor<f64>
    %d = stablehlo.sine %dead : tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %b, %keep, %d : tensor<i32>, tensor<f64>, tensor<f64>, tensor<f64>
  }
  return %r#1 : tensor<f64>
})");
  for (OpId op : f->ops(f->body())) {
    if (f->def(op).mnemonic == "stablehlo.while") { EXPECT_EQ(f->operands(op).size(), 2u) << print_function(*f); }
  }
  EXPECT_EQ(count_ops(*f, "stablehlo.while"), 1u);
  EXPECT_EQ(count_ops(*f, "stablehlo.sine"), 0u);
}

TEST(Simplify, ChecksStayInOrderAndStacksStayApart) {
  const auto f = simplified(R"(
func.func @f(%p: tensor<i1>, %x: tensor<f64>) -> tensor<f64> {
  "weft.check"(%p) {message = "first"} : (tensor<i1>) -> ()
  "weft.check"(%p) {message = "first"} : (tensor<i1>) -> ()
  %a = "weft.stack_new"() : () -> !weft.stack<tensor<f64>>
  %b = "weft.stack_new"() : () -> !weft.stack<tensor<f64>>
  %a1 = "weft.stack_push"(%a, %x) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
  %b1 = "weft.stack_push"(%b, %x) : (!weft.stack<tensor<f64>>, tensor<f64>) -> !weft.stack<tensor<f64>>
  %a2, %u = "weft.stack_pop"(%a1) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %b2, %v = "weft.stack_pop"(%b1) : (!weft.stack<tensor<f64>>) -> (!weft.stack<tensor<f64>>, tensor<f64>)
  %r = stablehlo.add %u, %v : tensor<f64>
  return %r : tensor<f64>
})");
  EXPECT_EQ(count_ops(*f, "weft.check"), 2u);
  EXPECT_EQ(count_ops(*f, "weft.stack_new"), 2u);
}

TEST(Simplify, TimeGrowsWithTheSizeOfTheProgram) {
  const auto seconds = [](int size) {
    const auto module = RandomProgram(7).make(size);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      simplify(module->get("f"), module.get());
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                                static_cast<double>(module->get("f").num_ops()));
    }
    return best;
  };
  bool is_near_linear = false;
  for (int attempt = 0; attempt < 5 && !is_near_linear; ++attempt) is_near_linear = seconds(3200) < 8 * seconds(200);
  EXPECT_TRUE(is_near_linear) << seconds(3200) << " s an op of 3200, " << seconds(200) << " of 200";
}

size_t ops_left(const std::string& text, std::string_view mnemonic) {
  const auto module = parse_module(text, "test");
  const auto f = simplify(module->get("main"), nullptr);
  size_t n = 0;
  for (OpId op : f->ops(f->body())) n += f->def(op).mnemonic == mnemonic ? 1 : 0;
  return n;
}

TEST(Simplify, MergesReductionsWithEqualBodies) {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"(func.func @main(%x: tensor<8x8xf64>, %s: tensor<f64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.)" +
           first + R"( across dimensions = [0] : (tensor<8x8xf64>, tensor<f64>) -> tensor<8xf64>
  %1 = stablehlo.reduce(%x init: %s) applies stablehlo.)" +
           second + R"( across dimensions = [0] : (tensor<8x8xf64>, tensor<f64>) -> tensor<8xf64>
  return %0, %1 : tensor<8xf64>, tensor<8xf64>
})";
  };
  EXPECT_EQ(ops_left(two("add", "add"), "stablehlo.reduce"), 1u);
  EXPECT_EQ(ops_left(two("add", "maximum"), "stablehlo.reduce"), 2u);
}

// The bodies differ in the order of their operands only.
TEST(Simplify, KeepsSortsWhoseComparatorsDiffer) {
  const std::string text = R"(
func.func @main(%x: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %2 = stablehlo.compare LT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  %1 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %2 = stablehlo.compare LT, %b, %a : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<8xf64>) -> tensor<8xf64>
  return %0, %1 : tensor<8xf64>, tensor<8xf64>
})";
  EXPECT_EQ(ops_left(text, "stablehlo.sort"), 2u);
}

}  // namespace
}  // namespace weft
