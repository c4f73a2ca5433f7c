// Whole programs: native against the evaluator, with passes switched off one at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "eval/evaluator.h"
#include "native/native_target.h"
#include "ops/builder.h"
#include "text/parse.h"
#include "transform/gradient.h"
#include "transform/inline.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

Tensor random_tensor(Type type, std::mt19937& rng) {
  Tensor t(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
  std::uniform_real_distribution<double> real(-2, 2);
  std::uniform_int_distribution<int> small(0, 3);
  for (int64_t i = 0; i < t.size(); ++i) {
    switch (type.element_type()) {
      case ElementType::kF32: t.mutable_data<float>()[i] = static_cast<float>(real(rng)); break;
      case ElementType::kF64: t.mutable_data<double>()[i] = real(rng); break;
      case ElementType::kI32: t.mutable_data<int32_t>()[i] = small(rng); break;
      case ElementType::kI64: t.mutable_data<int64_t>()[i] = small(rng); break;
      case ElementType::kI1: t.mutable_data<bool>()[i] = small(rng) > 1; break;
      default: ADD_FAILURE() << "no random values for " << type.str();
    }
  }
  return t;
}

void expect_equal(const Tensor& got, const Tensor& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  ASSERT_EQ(got.element_type(), want.element_type()) << what;
  const auto compare = [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < got.size(); ++i) {
      const double a = static_cast<double>(got.data<T>()[static_cast<size_t>(i)]);
      const double b = static_cast<double>(want.data<T>()[static_cast<size_t>(i)]);
      if (std::isnan(a) && std::isnan(b)) continue;
      if (a == b) continue;
      ASSERT_LE(std::fabs(a - b), tolerance * std::max(1.0, std::fabs(b))) << what << " element " << i;
    }
  };
  switch (got.element_type()) {
    case ElementType::kF32: return compare(float{});
    case ElementType::kF64: return compare(double{});
    default: ASSERT_EQ(0, std::memcmp(got.raw(), want.raw(), got.size_bytes())) << what;
  }
}

/// Runs @main on both targets, plain and with each pass disabled, and on donated arguments.
void check_module(const std::shared_ptr<const Module>& module, double tolerance = 1e-6, std::vector<Tensor> args = {},
                  int calls = 2) {
  std::mt19937 rng(7);
  if (args.empty()) {
    for (Type t : module->get("main").arg_types()) args.push_back(random_tensor(t, rng));
  }
  const auto want = evaluate(*module, "main", args);
  for (const char* disabled : {"", "fuse", "in_place", "simplify"}) {
    for (int partitions : {1, 3}) {
      CompileOptions options;
      options.partitions = partitions;
      if (*disabled != 0) options.disabled = {disabled};
      const auto executable = native_target().compile(module, "main", options);
      for (int call = 0; call < calls; ++call) {
        const auto got = executable->run(args);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < got.size(); ++i) {
          expect_equal(got[i], want[i], tolerance, std::string("without ") + disabled + " result " + std::to_string(i));
          if (testing::Test::HasFailure()) {
            std::fprintf(stderr, "%s", executable->explain().c_str());
            return;
          }
        }
      }
    }
  }
}

void check(const std::string& text, double tolerance = 1e-6, std::vector<Tensor> args = {}, int calls = 2) {
  check_module(parse_module(text, "test.mlir"), tolerance, std::move(args), calls);
}

TEST(Program, Elementwise) {
  check(R"(
func.func @main(%a: tensor<37x5xf32>, %b: tensor<37x5xf32>) -> (tensor<37x5xf32>, tensor<37x5xf32>) {
  %0 = stablehlo.add %a, %b : tensor<37x5xf32>
  %1 = stablehlo.multiply %0, %a : tensor<37x5xf32>
  %2 = stablehlo.tanh %1 : tensor<37x5xf32>
  return %0, %2 : tensor<37x5xf32>, tensor<37x5xf32>
})");
}

const char* const kNewton = R"(
func.func @main(%a: tensor<f64>) -> tensor<f64> {
  %eps = stablehlo.constant dense<1.0e-12> : tensor<f64>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0:2 = stablehlo.while(%x = %a, %y = %zero) : tensor<f64>, tensor<f64>
  cond {
    %d = stablehlo.subtract %y, %x : tensor<f64>
    %m = stablehlo.abs %d : tensor<f64>
    %p = stablehlo.compare GE, %m, %eps : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %q = stablehlo.divide %a, %x : tensor<f64>
    %s = stablehlo.add %x, %q : tensor<f64>
    %n = stablehlo.multiply %s, %half : tensor<f64>
    stablehlo.return %n, %x : tensor<f64>, tensor<f64>
  }
  return %0#0 : tensor<f64>
})";

TEST(Program, NewtonSquareRoot) { check(kNewton, 0, {Tensor::scalar_of(2.0)}); }

TEST(Program, GradientOfNewtonSquareRoot) {
  std::shared_ptr<Module> module = parse_module(kNewton, "newton.mlir");
  const size_t args[] = {0};
  gradient(*module, "main", args, "main");
  check_module(module, 0, {Tensor::scalar_of(2.0)});
  const auto got = native_target().compile(module, "main")->run(std::vector<Tensor>{Tensor::scalar_of(2.0)});
  EXPECT_NEAR(got[0].scalar<double>(), 0.5 / std::sqrt(2.0), 1e-10);
}

TEST(Program, LanesOfNewtonSquareRootAndTheirGradient) {
  std::shared_ptr<Module> module = parse_module(kNewton, "newton.mlir");
  const std::vector<double> a = {2, 3, 0.25, 1e6, 1, 1e-3, 7};
  vectorize(*module, "main", std::vector<int64_t>{0}, 7, {.name = "lanes"});
  const size_t args[] = {0};
  gradient(*module, "main", args, "slope");
  vectorize(*module, "slope", std::vector<int64_t>{0}, 7, {.name = "slopes"});
  for (const char* entry : {"lanes", "slopes"}) {
    const auto got = native_target().compile(module, entry)->run(std::vector<Tensor>{Tensor::of(a, {7})});
    for (size_t i = 0; i < a.size(); ++i) {
      const double want = std::string(entry) == "lanes" ? std::sqrt(a[i]) : 0.5 / std::sqrt(a[i]);
      EXPECT_NEAR(got[0].data<double>()[i], want, 1e-9 * want) << entry << " lane " << i;
    }
  }
}

/// x → x² , n times, by a loop; with a branch and a buffer on the way.
const char* const kSquares = R"(
func.func @main(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f64>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.multiply %y, %y : tensor<f64>
    stablehlo.return %j, %s : tensor<i32>, tensor<f64>
  }
  return %0#1 : tensor<f64>
})";

TEST(Program, SecondDerivativesThroughALoopInAllOrders) {
  for (const char* order : {"FF", "FR", "RF", "RR"}) {
    std::shared_ptr<Module> module = parse_module(kSquares, "squares.mlir");
    const size_t wrt[] = {0};
    // Derivatives as functions of (x, n): the tangent in direction 1 is bound by a wrapper.
    const auto differentiate = [&](char mode) {
      if (mode == 'R') {
        gradient(*module, "main", wrt, "main");
        return;
      }
      jvp(*module, "main", wrt, "main_jvp");
      const Function& inner = module->get("main_jvp");
      auto outer = std::make_unique<Function>("main");
      OpBuilder b(*outer, outer->body(), module.get());
      const Value x = outer->add_arg(outer->body(), Type::scalar(ElementType::kF64));
      const Value n = outer->add_arg(outer->body(), Type::scalar(ElementType::kI32));
      const std::vector<Value> operands = {x, n, b.scalar(ElementType::kF64, 1)};
      const auto results = b.create("func.call", operands, {{"callee", inner.name()}}, inner.result_types());
      const std::vector<Value> tangent = {results[1]};
      b.yield(tangent);
      module->replace(inline_calls(*module, *outer));
    };
    differentiate(order[1]);
    differentiate(order[0]);
    const std::vector<Tensor> args = {Tensor::scalar_of(1.1), Tensor::scalar_of(int32_t{4})};
    check_module(module, 1e-12, args);
    const auto got = native_target().compile(module, "main")->run(args);
    EXPECT_NEAR(got[0].scalar<double>(), 16 * 15 * std::pow(1.1, 14), 1e-8) << order;
    vectorize(*module, "main", std::vector<int64_t>{kUniform, 0}, 5, {.name = "lanes"});  // trip counts by lane
    const auto lanes =
        native_target()
            .compile(module, "lanes")
            ->run(std::vector<Tensor>{Tensor::scalar_of(1.1), Tensor::of(std::vector<int32_t>{0, 3, 1, 4, 2}, {5})});
    for (size_t i = 0; i < 5; ++i) {
      const double power = std::pow(2.0, std::vector<int>{0, 3, 1, 4, 2}[i]);
      EXPECT_NEAR(lanes[0].data<double>()[i], power * (power - 1) * std::pow(1.1, power - 2), 1e-8)
          << order << " lane " << i;
    }
  }
}

TEST(Program, FibonacciOfArrays) {  // carries change places
  check(R"(
func.func @main(%a: tensor<9xf32>, %b: tensor<9xf32>, %n: tensor<i32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<9xf32>, tensor<9xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %x, %y : tensor<9xf32>
    stablehlo.return %j, %y, %s : tensor<i32>, tensor<9xf32>, tensor<9xf32>
  }
  return %0#1, %0#2 : tensor<9xf32>, tensor<9xf32>
})");
}

TEST(Program, SwapAndKeep) {
  check(R"(
func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>, %n: tensor<i32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %z = %c, %k = %a) : tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %z, %x, %b : tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  return %0#1, %0#2, %0#3, %0#4 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
})");
}

TEST(Program, Reductions) {
  check(R"(
func.func @main(%a: tensor<13x70xf32>) -> (tensor<13xf32>, tensor<70xf32>, tensor<f32>, tensor<13x70xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<13x70xf32>, tensor<f32>) -> tensor<13xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<13xf32>) -> tensor<13x70xf32>
  %d = stablehlo.subtract %a, %mb : tensor<13x70xf32>
  %e = stablehlo.exponential %d : tensor<13x70xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<13x70xf32>, tensor<f32>) -> tensor<13xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<13xf32>) -> tensor<13x70xf32>
  %r = stablehlo.divide %e, %sb : tensor<13x70xf32>
  %c = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<13x70xf32>, tensor<f32>) -> tensor<70xf32>
  %t = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<13x70xf32>, tensor<f32>) -> tensor<f32>
  return %s, %c, %t, %r : tensor<13xf32>, tensor<70xf32>, tensor<f32>, tensor<13x70xf32>
})",
        1e-5);
}

TEST(Program, Case) {
  const char* text = R"(
func.func @main(%k: tensor<i32>, %a: tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>) {
  %0:2 = "stablehlo.case"(%k) ({
    %1 = stablehlo.add %a, %a : tensor<6xf32>
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1, %c : tensor<6xf32>, tensor<f32>
  }, {
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %a, %c : tensor<6xf32>, tensor<f32>
  }, {
    %1 = stablehlo.negate %a : tensor<6xf32>
    %2 = stablehlo.exponential %1 : tensor<6xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %2, %s : tensor<6xf32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<6xf32>, tensor<f32>)
  %3 = stablehlo.multiply %0#0, %a : tensor<6xf32>
  return %3, %0#1 : tensor<6xf32>, tensor<f32>
})";
  for (int k : {-1, 0, 1, 2, 9}) {
    std::mt19937 rng(3);
    check(text, 1e-6, {Tensor::scalar_of(k), random_tensor(Type::tensor(ElementType::kF32, {6}), rng)});
  }
}

TEST(Program, DonatedArgumentsAreUpdatedAtOnce) {
  const char* text = R"(
func.func @main(%a: tensor<100xf32>, %b: tensor<100xf32>, %c: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) {
  %0 = stablehlo.add %c, %a : tensor<100xf32>
  return %b, %a, %0 : tensor<100xf32>, tensor<100xf32>, tensor<100xf32>
})";
  std::shared_ptr<const Module> module = parse_module(text, "test.mlir");
  std::mt19937 rng(5);
  std::vector<Tensor> args;
  for (Type t : module->get("main").arg_types()) args.push_back(random_tensor(t, rng));
  const auto want = evaluate(*module, "main", args);
  for (const char* disabled : {"", "fuse", "in_place"}) {
    CompileOptions options;
    options.donations = {{0, 0}, {1, 1}, {2, 2}};
    if (*disabled != 0) options.disabled = {disabled};
    const auto executable = native_target().compile(module, "main", options);
    std::vector<Tensor> state;
    for (const Tensor& t : args) state.push_back(t.clone());
    const void* in[] = {state[0].raw(), state[1].raw(), state[2].raw()};
    void* out[] = {state[0].raw(), state[1].raw(), state[2].raw()};
    executable->invoke(in, out);
    for (size_t i = 0; i < 3; ++i)
      expect_equal(state[i], want[i], 0, std::string(disabled) + " state " + std::to_string(i));
  }
}

// The rows that are written and those that are read overlap.
TEST(Program, UpdateByWhatItReplaces) {
  check(R"(
func.func @main(%x0: tensor<1x400x2xf32>, %x1: tensor<1x400x2xf32>) -> tensor<1x400x2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.constant dense<3> : tensor<i32>
  %j = stablehlo.constant dense<4> : tensor<i32>
  %x = stablehlo.multiply %x0, %x1 : tensor<1x400x2xf32>
  %s = stablehlo.dynamic_slice %x, %zero, %i, %zero, sizes = [1, 200, 2] : (tensor<1x400x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x200x2xf32>
  %r = stablehlo.reshape %s : (tensor<1x200x2xf32>) -> tensor<200x2xf32>
  %n = stablehlo.negate %r : tensor<200x2xf32>
  %b = stablehlo.broadcast_in_dim %n, dims = [1, 2] : (tensor<200x2xf32>) -> tensor<1x200x2xf32>
  %u = stablehlo.dynamic_update_slice %x, %b, %zero, %j, %zero : (tensor<1x400x2xf32>, tensor<1x200x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x400x2xf32>
  return %u : tensor<1x400x2xf32>
})");
}

TEST(Program, UpdateOfACarriedBuffer) {
  check(R"(
func.func @main(%a: tensor<40xf32>, %n: tensor<i32>) -> tensor<40xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<40xf32>
  cond {
    %p = stablehlo.compare LE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %v = stablehlo.dynamic_slice %x, %i, sizes = [8] : (tensor<40xf32>, tensor<i32>) -> tensor<8xf32>
    %w = stablehlo.multiply %v, %v : tensor<8xf32>
    %u = stablehlo.dynamic_update_slice %x, %w, %j : (tensor<40xf32>, tensor<8xf32>, tensor<i32>) -> tensor<40xf32>
    stablehlo.return %j, %u : tensor<i32>, tensor<40xf32>
  }
  return %0#1 : tensor<40xf32>
})");
}

}  // namespace
}  // namespace weft
