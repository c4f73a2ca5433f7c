// What an iteration of a loop costs does not depend on how large the tensors are of which it touches a part, nor on how many
// iterations there are; tiny bodies cost little more than their arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "native/native_target.h"
#include "tests/scale/stopwatch.h"
#include "text/parse.h"
#include "transform/gradient.h"

namespace weft {
namespace {

using scale::kSlack;

struct Timed {
  double seconds = 0;
  std::vector<Tensor> results;
};

Timed run(const std::shared_ptr<const Module>& module, const std::string& entry, const std::vector<Tensor>& args,
          int runs = 5) {
  CompileOptions options;
  options.partitions = 1;
  const auto executable = native_target().compile(module, entry, options);
  std::vector<const void*> in;
  for (const Tensor& t : args) in.push_back(t.raw());
  Timed out;
  std::vector<void*> places;
  for (const Type t : executable->result_types()) {
    out.results.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    places.push_back(out.results.back().raw());
  }
  out.seconds = scale::seconds_of(runs, [&] { executable->invoke(in.data(), places.data()); });
  return out;
}

std::string number(int64_t n) { return std::to_string(n); }

// P[i] = 1.0001 P[i-1] in a carried buffer; the sum of the last.
std::string recurrence(int64_t n) {
  const std::string whole = "tensor<" + number(n) + "x10x10xf32>";
  return R"(
func.func @main(%x: tensor<10x10xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : )" +
         whole + R"(
  %o = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %x1 = stablehlo.reshape %x : (tensor<10x10xf32>) -> tensor<1x10x10xf32>
  %p0 = stablehlo.dynamic_update_slice %z, %x1, %o, %o, %o : ()" +
         whole + R"(, tensor<1x10x10xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> )" + whole + R"(
  %r:2 = stablehlo.while(%i = %one, %p = %p0) : tensor<i32>, )" +
         whole + R"(
  cond {
    %n = stablehlo.constant dense<)" +
         number(n) + R"(> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %a = stablehlo.dynamic_slice %p, %j, %o, %o, sizes = [1, 10, 10] : ()" +
         whole + R"(, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x10x10xf32>
    %c = stablehlo.constant dense<1.0001> : tensor<1x10x10xf32>
    %b = stablehlo.multiply %c, %a : tensor<1x10x10xf32>
    %q = stablehlo.dynamic_update_slice %p, %b, %i, %o, %o : ()" +
         whole + R"(, tensor<1x10x10xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> )" + whole + R"(
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %q : tensor<i32>, )" +
         whole + R"(
  }
  %l = stablehlo.slice %r#1 [)" +
         number(n - 1) + ":" + number(n) + R"(, 0:10, 0:10] : ()" + whole + R"() -> tensor<1x10x10xf32>
  %s = stablehlo.reduce(%l init: %f0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x10x10xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
})";
}

TEST(LoopsGrowth, GradientOfALoopThatWritesABufferIsLinear) {
  const int64_t sizes[] = {500, 1000, 2000, 4000};
  double seconds[4];
  for (size_t k = 0; k < 4; ++k) {
    const int64_t n = sizes[k];
    std::shared_ptr<Module> module = parse_module(recurrence(n), "recurrence");
    const size_t wrt[] = {0};
    gradient(*module, "main", wrt, "slope");
    Tensor x(ElementType::kF32, {10, 10});
    for (size_t i = 0; i < 100; ++i) x.mutable_data<float>()[i] = 1;
    const Timed t = run(module, "slope", {x}, 15);
    const double want = std::pow(1.0001f, static_cast<double>(n - 1));
    for (float g : t.results[0].data<float>()) ASSERT_NEAR(g, want, 2e-3 * want);
    scale::report(("gradient through " + number(n) + " updates").c_str(), t.seconds);
    seconds[k] = t.seconds;
  }
  // Eight times the work: 8 times the time and as much again for a cache that no longer holds the buffer and for a machine
  // that does other things too. A loop that copied its buffer would take 64 times as long.
  EXPECT_LE(seconds[3], 20 * seconds[0]);
}

TEST(LoopsGrowth, ASmallUpdateCostsTheSameInALargeTensor) {
  double times[2];
  for (size_t k = 0; k < 2; ++k) {
    const std::string n = k == 0 ? "20000" : "640000", whole = "tensor<" + n + "xf32>";
    const std::shared_ptr<const Module> module = parse_module(R"(
func.func @main(%x: )" + whole + R"() -> tensor<f32> {
  %o = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.add %x, %x : )" + whole + R"(
  %r:2 = stablehlo.while(%i = %o, %p = %y) : tensor<i32>, )" + whole +
                                                                  R"(
  cond {
    %n = stablehlo.constant dense<20000> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %m = stablehlo.constant dense<1009> : tensor<i32>
    %at = stablehlo.remainder %i, %m : tensor<i32>
    %to = stablehlo.add %at, %one : tensor<i32>
    %a = stablehlo.dynamic_slice %p, %at, sizes = [8] : ()" + whole +
                                                                  R"(, tensor<i32>) -> tensor<8xf32>
    %q = stablehlo.dynamic_update_slice %p, %a, %to : ()" + whole +
                                                                  R"(, tensor<8xf32>, tensor<i32>) -> )" + whole + R"(
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %q : tensor<i32>, )" + whole + R"(
  }
  %l = stablehlo.slice %r#1 [1000:1001] : ()" + whole + R"() -> tensor<1xf32>
  %s = stablehlo.reshape %l : (tensor<1xf32>) -> tensor<f32>
  return %s : tensor<f32>
})",
                                                              "shift");
    Tensor x(ElementType::kF32, {k == 0 ? 20000 : 640000});
    for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i % 97);
    // By hand, an update after the other.
    std::vector<float> p;
    for (float v : x.data<float>()) p.push_back(v + v);
    for (int i = 0; i < 20000; ++i)
      std::memmove(&p[static_cast<size_t>(i % 1009 + 1)], &p[static_cast<size_t>(i % 1009)], 8 * sizeof(float));
    const Timed t = run(module, "main", {x});
    EXPECT_EQ(t.results[0].data<float>()[0], p[1000]);
    times[k] = t.seconds;
    scale::report(("20000 updates of 8 elements in " + n).c_str(), t.seconds);
  }
  // A copy of the larger one would be 640000 floats an update: seconds.
  EXPECT_LE(times[1], 3 * times[0] + 1e-3 * kSlack);
}

TEST(LoopsGrowth, TinyBodiesHaveNoOverhead) {
  const auto loop = [](const std::string& type, const std::string& body, int steps) {
    return parse_module("func.func @main(%a: " + type + ", %c0: " + type + ") -> " + type + R"( {
  %o = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %o, %c = %c0) : tensor<i32>, )" +
                            type + R"(
  cond {
    %n = stablehlo.constant dense<)" +
                            number(steps) + R"(> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.multiply %a, %c : )" +
                            type + "\n" + body + R"(
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %d : tensor<i32>, )" +
                            type + R"(
  }
  return %r#1 : )" + type + "\n}",
                        "tiny");
  };
  // 2.4 ns and 45 ns an iteration are what XLA took on the machine on which these limits were set.
  const auto affine = run(loop("tensor<f32>", "%d = stablehlo.add %m, %a : tensor<f32>", 1000000), "main",
                          {Tensor::scalar_of(0.5f), Tensor::scalar_of(0.0f)});
  EXPECT_EQ(affine.results[0].data<float>()[0], 1.0f);  // c = 0.5 c + 0.5
  scale::report("affine recurrence, an iteration", affine.seconds / 1e6);
  EXPECT_LE(affine.seconds / 1e6, 2.4e-9 * kSlack);
  Tensor a(ElementType::kF32, {16}), c(ElementType::kF32, {16});
  for (size_t i = 0; i < 16; ++i)
    a.mutable_data<float>()[i] = 2, c.mutable_data<float>()[i] = 0.1f * static_cast<float>(i + 1);
  const auto tanh16 = run(loop("tensor<16xf32>", "%d = stablehlo.tanh %m : tensor<16xf32>", 100000), "main", {a, c});
  for (float v : tanh16.results[0].data<float>()) EXPECT_NEAR(v, 0.957504024, 1e-5);  // the fixed point of tanh(2c)
  scale::report("tanh of 16 carried numbers, an iteration", tanh16.seconds / 1e5);
  EXPECT_LE(tanh16.seconds / 1e5, 45e-9 * kSlack);
}

}  // namespace
}  // namespace weft
