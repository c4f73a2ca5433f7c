// Rows whose complaint is time or memory that grows faster than the work.
#include <cmath>
#include <cstring>

#include "ir/account.h"
#include "tests/pains/pains.h"

namespace weft::pains {
namespace {

std::string counted_loop(const std::string& type, int64_t trips, const std::string& body) {
  return "func.func @main(%x: " + type + ") -> " + type + R"( {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, )" +
         type + R"(
  cond {
    %n = stablehlo.constant dense<)" +
         std::to_string(trips) + R"(> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
)" + body +
         "    stablehlo.return %j, %w : tensor<i32>, " + type + "\n  }\n  return %r#1 : " + type + "\n}\n";
}

// P16: a small update of a carried array copies the whole of it.
TEST(Pains, P16_SmallUpdateOfALargeCarry) {
  const auto per_step = [](int64_t n) {
    const std::string t = "tensor<" + std::to_string(n) + "xf32>";
    const auto loop = [&](int64_t trips) {
      // Eight elements move down by one: what is read and what is written overlap.
      return counted_loop(
          t, trips,
          "    %s = stablehlo.dynamic_slice %v, %j, sizes = [8] : (" + t +
              ", tensor<i32>) -> tensor<8xf32>\n    %w = stablehlo.dynamic_update_slice %v, %s, %i : (" + t +
              ", tensor<8xf32>, tensor<i32>) -> " + t + "\n");
    };
    const auto few = compiled(loop(100)), many = compiled(loop(4100));
    std::vector<float> given(static_cast<size_t>(n)), out(static_cast<size_t>(n));
    for (size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i * i % 97);
    const void* in[] = {given.data()};
    void* results[] = {out.data()};
    const auto time = [&](const Executable& f) { return best_thread_seconds(7, [&] { f.invoke(in, results); }); };
    const double difference = time(*many) - time(*few);
    many->invoke(in, results);
    for (size_t i = 0; i < 4100; ++i) std::memmove(&given[i], &given[i + 1], 8 * sizeof(float));
    EXPECT_EQ(out, given);
    return difference / 4000;
  };
  const double small = per_step(20'000), large = per_step(320'000);
  EXPECT_LT(large, 3 * std::max(small, 5e-9))
      << "seconds a step, 20,000 and 320,000 elements: " << small << ", " << large;
}

// P15: the gradient of a loop that writes a buffer is quadratic.
TEST(Pains, P15_GradientOfALoopThatWritesABuffer) {
  const auto seconds = [](int64_t n) {
    const std::string b = "tensor<" + std::to_string(n) + "x10x10xf64>", count = std::to_string(n);
    const auto module = gradient_of(
        "func.func @main(%x: tensor<1x10x10xf64>) -> tensor<f64> {\n  %zero = stablehlo.constant dense<0> : "
        "tensor<i64>\n"
        "  %first = stablehlo.constant dense<1> : tensor<i64>\n  %empty = stablehlo.constant dense<0.0> : " +
        b + "\n  %P0 = stablehlo.dynamic_update_slice %empty, %x, %zero, %zero, %zero : (" + b +
        ", tensor<1x10x10xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> " + b +
        "\n  %r:2 = stablehlo.while(%i = %first, %P = %P0) : tensor<i64>, " + b + R"(
  cond {
    %n = stablehlo.constant dense<)" +
        count + R"(> : tensor<i64>
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %j = stablehlo.add %i, %one : tensor<i64>
    %k = stablehlo.subtract %i, %one : tensor<i64>
    %c = stablehlo.constant dense<1.0001> : tensor<1x10x10xf64>
    %s = stablehlo.dynamic_slice %P, %k, %zero, %zero, sizes = [1, 10, 10] : ()" +
        b + R"(, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x10x10xf64>
    %t = stablehlo.multiply %s, %c : tensor<1x10x10xf64>
    %Q = stablehlo.dynamic_update_slice %P, %t, %i, %zero, %zero : ()" +
        b + ", tensor<1x10x10xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> " + b +
        "\n    stablehlo.return %j, %Q : tensor<i64>, " + b + "\n  }\n  %last = stablehlo.constant dense<" +
        std::to_string(n - 1) +
        "> : tensor<i64>\n  %l = stablehlo.dynamic_slice %r#1, %last, %zero, %zero, sizes = [1, 10, 10] : (" + b +
        R"(, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x10x10xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %sum = stablehlo.reduce(%l init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x10x10xf64>, tensor<f64>) -> tensor<f64>
  return %sum : tensor<f64>
})");
    CompileOptions serial;  // threads that wait for each other would be timed too
    serial.partitions = 1;
    const auto f = get_target("native").compile(module, "main", serial);
    const std::vector<Tensor> x = {Tensor::of(std::vector<double>(100, 1.0), {1, 10, 10})};
    const auto gradient = values<double>(f->run(x)[0]);
    // Each element reaches the sum through n - 1 multiplications.
    EXPECT_NEAR(gradient[0], std::pow(1.0001, static_cast<double>(n - 1)), 1e-9);
    return best_thread_seconds(9, [&] { f->run(x); });
  };
  // At most 2.3 times for twice the trips, four times over: 28; copies would cost 256 times as much.
  EXPECT_LT(least_ratio(27, [&] { return seconds(8000) / seconds(500); }), 28);
  // Beyond the caches, where a trip costs the same at every length: four times the trips; copies would cost 16 times as much.
  EXPECT_LT(least_ratio(7.9, [&] { return seconds(16000) / seconds(4000); }), 8);
}

// P13: the backward pass of a loop keeps what it can compute again.
TEST(Pains, P13_GradientKeepsNothingThatIsRecomputable) {
  const auto peak = [](int64_t trips) {
    const std::string t = "tensor<300x300xf32>";
    auto module = parsed("func.func @main(%x: " + t + ", %y: " + t + ", %z: " + t + R"() -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %e = stablehlo.constant dense<0.0> : )" +
                         t + R"(
  %r:2 = stablehlo.while(%i = %zero, %v = %e) : tensor<i32>, )" +
                         t + R"(
  cond {
    %n = stablehlo.constant dense<)" +
                         std::to_string(trips) + R"(> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %y, %z : )" +
                         t + R"(
    %m = stablehlo.multiply %x, %s : )" +
                         t + R"(
    %w = stablehlo.add %v, %m : )" +
                         t + R"(
    stablehlo.return %j, %w : tensor<i32>, )" +
                         t + R"(
  }
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%r#1 init: %f) applies stablehlo.add across dimensions = [0, 1] : ()" +
                         t + R"(, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
})");
    const size_t all[] = {0, 1, 2};
    gradient(*module, "main", all, "main", false);
    const auto f = get_target("native").compile(module, "main");
    const std::vector<Tensor> x(3, Tensor::of(std::vector<float>(90000, 0.5f), {300, 300}));
    // d/dx = trips · (y + z), d/dy = trips · x.
    const auto out = f->run(x);
    EXPECT_FLOAT_EQ(out[0].data<float>()[7], static_cast<float>(trips));
    EXPECT_FLOAT_EQ(out[1].data<float>()[7], static_cast<float>(trips) * 0.5f);
    for (const StepAccount& step : f->account()->steps) EXPECT_NE(step.kind, "stack_push") << "nothing is kept a trip";
    return f->account()->memory.total();
  };
  EXPECT_EQ(peak(5), peak(10));
}

// P32: loops with many carries take for ever to compile.
TEST(Pains, P32_RingOfCarries) {
  const auto seconds = [](int m) {
    std::string types, carries, given, returned, body, names;
    for (int k = 0; k < m; ++k) {
      const std::string n = std::to_string(k);
      types += ", tensor<4xf64>";
      carries += ", %c" + n + " = %x";
      body += "    %t" + n + " = stablehlo.tanh %c" + std::to_string((k + m - 1) % m) + " : tensor<4xf64>\n";
      returned += ", %t" + n;
    }
    const std::string text =
        "func.func @main(%x: tensor<4xf64>) -> tensor<f64> {\n  %zero = stablehlo.constant dense<0> : tensor<i32>\n  "
        "%r:" +
        std::to_string(m + 1) + " = stablehlo.while(%i = %zero" + carries + ") : tensor<i32>" + types + R"(
  cond {
    %n = stablehlo.constant dense<50> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
)" + body +
        "    stablehlo.return %j" + returned + " : tensor<i32>" + types + R"(
  }
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %s = stablehlo.reduce(%r#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %s : tensor<f64>
})";
    return best_thread_seconds(2, [&] {
      const auto f = get_target("native").compile(gradient_of(text), "main");
      const std::vector<double> start = {0.1, 0.5, -0.3, 1.0};
      const auto got = values<double>(f->run(std::vector{Tensor::of(start, {4})})[0]);
      for (size_t e = 0; e < 4; ++e) {
        double x = start[e], derivative = 1;
        for (int trip = 0; trip < 50; ++trip) x = std::tanh(x), derivative *= 1 - x * x;
        EXPECT_NEAR(got[e], derivative, 1e-12);
      }
    });
  };
  const double few = seconds(10), many = seconds(40);
  EXPECT_LT(many, 1.0);
  EXPECT_LT(many, 8 * few) << few << ", " << many;
}

// P28: compile time of unrolled code is superlinear.
TEST(Pains, P28_CompileTimeOfUnrolledLayers) {
  const auto seconds = [](int n) {
    const std::string t = "tensor<8x64xf32>", w = "tensor<64x64xf32>";
    std::string body, last = "%x";
    for (int i = 0; i < n; ++i) {
      const std::string k = std::to_string(i);
      body += "  %d" + k + " = stablehlo.dot_general " + last + ", %w, contracting_dims = [1] x [0] : (" + t + ", " +
              w + ") -> " + t + "\n  %s" + k + " = stablehlo.sine %d" + k + " : " + t + "\n  %g" + k +
              " = stablehlo.multiply " + last + ", %half : " + t + "\n  %y" + k + " = stablehlo.add %s" + k + ", %g" +
              k + " : " + t + "\n";
      last = "%y" + k;
    }
    const auto module = gradient_of("func.func @main(%x: " + t + ", %w: " + w +
                                    ") -> tensor<f32> {\n  %half = stablehlo.constant dense<0.5> : " + t + "\n" + body +
                                    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.reduce(" +
                                    last + " init: %z) applies stablehlo.add across dimensions = [0, 1] : (" + t +
                                    ", tensor<f32>) -> tensor<f32>\n  return %r : tensor<f32>\n}\n");
    return best_thread_seconds(2, [&] { get_target("native").compile(module, "main"); });
  };
  double ratio = 1e300, long_one = 1e300;
  for (int attempt = 0; attempt < 5 && (ratio > 5 || long_one > 10); ++attempt) {
    const double short_one = seconds(128), now = seconds(512);
    ratio = std::min(ratio, now / short_one);
    long_one = std::min(long_one, now);
  }
  EXPECT_LT(long_one, 10);
  EXPECT_LT(ratio, 5);
}

// P30: constants that a program captured make compiling slow.
TEST(Pains, P30_LargeCapturedConstant) {
  const std::string t = "tensor<200000x10x10xf32>", sum = R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : ()" +
                                                          t + R"(, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
})";
  const auto passed = parsed("func.func @main(%x: " + t + ") -> tensor<f32> {" + sum);
  const auto captured = parsed("func.func @main() -> tensor<f32> {\n  %x = stablehlo.constant dense<0.0> : " + t + sum);
  const auto seconds = [](const std::shared_ptr<Module>& m) {
    return best_thread_seconds(5, [&] { get_target("native").compile(m, "main"); });
  };
  bool is_alike = false;
  for (int attempt = 0; attempt < 5 && !is_alike; ++attempt) is_alike = seconds(captured) < 2 * seconds(passed) + 0.002;
  EXPECT_TRUE(is_alike) << seconds(captured) << " s to compile, and " << seconds(passed) << " s without the constant";
  EXPECT_EQ(get_target("native").compile(captured, "main")->run({})[0].scalar<float>(), 0.0f);
}

// P37: the overhead of a tiny loop body.
TEST(Pains, P37_ScalarLoopBesideTheSameLoopInC) {
  const auto f =
      compiled(counted_loop("tensor<f64>", 1'000'000, R"(    %a = stablehlo.constant dense<0.999> : tensor<f64>
    %b = stablehlo.constant dense<0.5> : tensor<f64>
    %m = stablehlo.multiply %v, %a : tensor<f64>
    %w = stablehlo.add %m, %b : tensor<f64>
)"));
  double in = 1, out = 0;
  const void* args[] = {&in};
  void* results[] = {&out};
  const double ours = best_thread_seconds(7, [&] { f->invoke(args, results); });
  volatile double start = 1, sink = 0;
  const double by_hand = best_thread_seconds(7, [&] {
    double v = start;
    for (int i = 0; i < 1'000'000; ++i) v = v * 0.999 + 0.5;
    sink = v;
  });
  EXPECT_EQ(out, sink);
  EXPECT_LT(ours, 1.3 * by_hand);
}

TEST(Pains, P37_TanhOfSixteenCarriedNumbers) {
  const auto f = compiled(counted_loop("tensor<16xf32>", 100'000,
                                       R"(    %a = stablehlo.constant dense<2.0> : tensor<16xf32>
    %m = stablehlo.multiply %v, %a : tensor<16xf32>
    %w = stablehlo.tanh %m : tensor<16xf32>
)"));
  std::vector<float> start(16), out(16), v(16);
  for (size_t i = 0; i < 16; ++i) start[i] = 0.1f * static_cast<float>(i + 1);
  const void* args[] = {start.data()};
  void* results[] = {out.data()};
  const double ours = best_thread_seconds(7, [&] { f->invoke(args, results); });
  // One after the other, as C's library has it.
  const double by_hand = best_thread_seconds(3, [&] {
    v = start;
    for (int i = 0; i < 100'000; ++i) {
      for (float& x : v) x = std::tanh(2 * x);
    }
  });
  for (float x : out) EXPECT_NEAR(x, 0.957504024, 1e-5);  // the fixed point of tanh(2x)
  EXPECT_LT(ours, by_hand);
}

// P40: training state is kept twice and its buffers move.
TEST(Pains, P40_DonatedStateIsUpdatedInPlace) {
  const std::string t = "tensor<25000000xf32>";
  CompileOptions options;
  options.donations = {{0, 0}};
  const auto f = compiled("func.func @main(%w: " + t + ", %g: tensor<f32>) -> " + t +
                              " {\n  %b = stablehlo.broadcast_in_dim %g, dims = [] : (tensor<f32>) -> " + t +
                              "\n  %d = stablehlo.multiply %w, %b : " + t +
                              "\n  %n = stablehlo.subtract %w, %d : " + t + "\n  return %n : " + t + "\n}\n",
                          options);
  std::vector<float> state(25'000'000, 1.0f);
  const float rate = 0.25f;
  const void* args[] = {state.data(), &rate};
  void* results[] = {state.data()};
  f->invoke(args, results);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < 3; ++i) f->invoke(args, results);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_FLOAT_EQ(state[12'345'678], std::pow(0.75f, 4.0f));
  EXPECT_LE(f->account()->memory.arena + f->account()->memory.scratch, 10'000'000u) << "a tenth of the state";
  EXPECT_LE(after.ru_maxrss - before.ru_maxrss, 10'000) << "KiB";
}

}  // namespace
}  // namespace weft::pains
