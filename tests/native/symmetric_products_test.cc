// A product that is read at (i, j) and at (j, i), as covariances are that are made symmetric, is computed once and not for each reading.
#include <algorithm>

#include "ir/account.h"
#include "tests/native/on_both.h"

namespace weft::test {
namespace {

/// Checks the values; whether the product is a kernel without ops that read it elsewhere.
bool stands_alone(const std::string& text) {
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  const auto f = get_target("native").compile(module, "main", {});
  Tensor a(ElementType::kF32, {24, 24});
  for (int64_t i = 0; i < a.size(); ++i)
    a.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * i % 17 - 8);
  const auto got = f->run(std::vector{a, a}), want = evaluate(*module, "main", std::vector{a, a});
  for (size_t r = 0; r < want.size(); ++r) expect_same_bits(got[r], want[r], text);  // small integers: exact
  bool alone = false;
  for (const StepAccount& step : f->account()->steps) {
    const auto has = [&](const char* name) {
      return std::ranges::any_of(step.ops, [&](const OpAccount& op) { return op.name == name; });
    };
    if (has("stablehlo.dot_general")) alone = !has("stablehlo.transpose");
  }
  return alone;
}

constexpr const char* kProduct = R"(
func.func @main(%a: tensor<24x24xf32>, %b: tensor<24x24xf32>) -> RESULTS {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %q = stablehlo.add %p, %b : tensor<24x24xf32>
  %t = stablehlo.transpose %q, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
  %s = stablehlo.add %q, %t : tensor<24x24xf32>
  return VALUES
})";

std::string program(const std::string& results, const std::string& values) {
  std::string text = kProduct;
  text.replace(text.find("RESULTS"), 7, results);
  text.replace(text.find("VALUES"), 6, values);
  return text;
}

TEST(SymmetricProducts, OfWhichOnlyTheSumIsWanted) {
  EXPECT_TRUE(stands_alone(program("tensor<24x24xf32>", "%s : tensor<24x24xf32>")));
}

TEST(SymmetricProducts, OfWhichTheProductIsWantedToo) {
  const std::string two = "tensor<24x24xf32>, tensor<24x24xf32>";
  EXPECT_TRUE(stands_alone(program("(" + two + ")", "%p, %s : " + two)));
}

TEST(SymmetricProducts, OfWhichWhatIsMadeOfTheProductIsWantedToo) {
  const std::string two = "tensor<24x24xf32>, tensor<24x24xf32>";
  EXPECT_TRUE(stands_alone(program("(" + two + ")", "%q, %s : " + two)));
}

}  // namespace
}  // namespace weft::test
