// Ops that have no form for all extents: code of theirs is compiled when a call brings new extents, once for each set, and kept.
#include <atomic>
#include <thread>

#include "native/open/step_code.h"
#include "tests/open/open_check.h"

namespace weft {
namespace {

/// As check_open, where an op must be compiled for each set of extents.
void check_step_code(const std::string& text, const std::vector<std::vector<Shape>>& shapes, double tolerance = 1e-5,
                     const CompileOptions& options = {}) {
  const auto executable = native_target().compile(parse_module(text, "open"), "main", options);
  EXPECT_NE(executable->explain().find("compiled for each set of extents"), std::string::npos) << executable->explain();
  check_open(text, shapes, tolerance, options);
}

TEST(OpenStepCode, SortsByAComparatorThatIsNoOrderOfKeys) {
  check_step_code(R"(
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %r:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.multiply %a, %a : tensor<f32>
    %q = stablehlo.multiply %b, %b : tensor<f32>
    %less = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?x?xf32>, tensor<?x?xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi32>
})",
                  {{{7, 3}, {7, 3}}, {{1, 1}, {1, 1}}, {{0, 5}, {0, 5}}, {{5, 0}, {5, 0}}, {{300, 2}, {300, 2}}});
}

/// The function x + n of one f32.
std::unique_ptr<Function> plus(int64_t n) {
  const auto module = parse_module("func.func @op(%x: tensor<f32>) -> tensor<f32> {\n  %n = stablehlo.constant dense<" +
                                       std::to_string(n) +
                                       ".0> : tensor<f32>\n  %r = stablehlo.add %x, %n : tensor<f32>\n  return %r : "
                                       "tensor<f32>\n}",
                                   "plus");
  return clone_function(module->get("op"), "op");
}

TEST(OpenStepCode, IsMadeOnceForEachStepAndSetOfExtents) {
  std::atomic<int> compiled = 0;
  native::StepCode code([&](std::shared_ptr<const Module> module, const std::string& entry) {
    ++compiled;
    return native_target().compile(std::move(module), entry, {});
  });
  const auto value = [&](int64_t step, int64_t extent) {
    const std::vector<int64_t> values = {extent};
    const auto made = code.get(step, values, [&] { return plus(100 * step + extent); });
    const Tensor x = Tensor::scalar_of(0.5F);
    return made->run(std::vector<Tensor>{x})[0].data<float>()[0];
  };
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int64_t n = 0; n < 24; ++n) {
        if (value(n % 2, n % 8) != static_cast<float>(100 * (n % 2) + n % 8) + 0.5F) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiled, 8);  // n % 2 follows from n % 8
}

TEST(OpenStepCode, KeepsWhatWasUsedLast) {
  int compiled = 0;
  native::StepCode code([&](std::shared_ptr<const Module> module, const std::string& entry) {
    ++compiled;
    return native_target().compile(std::move(module), entry, {});
  });
  const auto use = [&](int64_t extent) {
    const std::vector<int64_t> values = {extent};
    code.get(0, values, [&] { return plus(extent); });
  };
  for (size_t n = 0; n < native::StepCode::kMost; ++n) use(static_cast<int64_t>(n));
  use(0);
  use(1000);  // in the place of 1
  const int before = compiled;
  use(0);
  EXPECT_EQ(compiled, before);
  use(1);
  EXPECT_EQ(compiled, before + 1);
}

TEST(OpenStepCode, IsAskedForAgainAfterItFailed) {
  int calls = 0;
  native::StepCode code([&](std::shared_ptr<const Module> module, const std::string& entry) {
    if (++calls == 1) throw UserError("no memory");
    return native_target().compile(std::move(module), entry, {});
  });
  const std::vector<int64_t> values = {4};
  EXPECT_THROW(code.get(0, values, [] { return plus(4); }), UserError);
  EXPECT_NE(code.get(0, values, [] { return plus(4); }), nullptr);
}

}  // namespace
}  // namespace weft
