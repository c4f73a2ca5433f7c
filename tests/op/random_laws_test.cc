// Derivatives and lanes of random attributes: finite differences, reverse against forward, lanes against a loop.
#include "tests/op/random_cases.h"
#include "tests/op/sample_laws.h"

namespace weft::test {
namespace {

constexpr int kTrials = 60;

void expect_laws(const Sample& sample, double eps) {
  expect_lane_laws(sample, eps);
  if (!::testing::Test::HasFailure()) expect_derivative_laws(sample);
}
SampleOperand f64(const Shape& shape, Domain domain = {}) { return {Type::tensor(ElementType::kF64, shape), domain}; }

TEST(RandomLaws, Convolution) {
  std::mt19937 random(31);
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const ConvolutionCase c = random_convolution(random);
    expect_laws(
        {"",
         {f64(c.lhs), f64(c.rhs)},
         [c](OpBuilder& b, std::span<const Value> v) { return std::vector{b.convolution(v[0], v[1], c.attrs)}; }},
        1e-13);
  }
}

TEST(RandomLaws, Gather) {
  std::mt19937 random(32);
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const IndexedCase c = random_indexed(random);
    const SampleOperand indices{Type::tensor(ElementType::kI32, c.indices), {-2, 5}};
    expect_laws({"",
                 {f64(c.operand), indices},
                 [c](OpBuilder& b, std::span<const Value> v) {
                   return std::vector{b.make("stablehlo.gather", {v[0], v[1]}, c.dims.gather_attrs(c.sizes, false))};
                 }},
                0);
  }
}

TEST(RandomLaws, Scatter) {
  std::mt19937 random(33);
  const BodyKind bodies[] = {BodyKind::kAdd, BodyKind::kSecond, BodyKind::kMaximum, BodyKind::kMinimum};
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const IndexedCase c = random_indexed(random);
    const BodyKind body = bodies[trial % 4];
    const Domain domain{-3, 3, trial % 4 >= 2, false};
    const SampleOperand indices{Type::tensor(ElementType::kI32, c.indices), {-2, 5}};
    expect_laws({"",
                 {f64(c.operand, domain), indices, f64(c.result, domain)},
                 [c, body](OpBuilder& b, std::span<const Value> v) {
                   return std::vector{emit_scatter(b, c.dims, v[0], v[1], v[2], body, false, false)};
                 }},
                1e-13);
  }
}

TEST(RandomLaws, ReduceWindow) {
  std::mt19937 random(34);
  const char* const bodies[] = {"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum", "stablehlo.multiply"};
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const RandomWindow r = random_window(random, trial % 3 == 0);
    const std::string body = bodies[trial % 4];
    const Domain domain{-3, 3, trial % 4 == 1 || trial % 4 == 2, false};
    expect_laws({"",
                 {f64(r.shape, domain), f64({}, domain)},
                 [r, body](OpBuilder& b, std::span<const Value> v) {
                   return std::vector{b.reduce_window(v[0], v[1], r.w, body)};
                 }},
                1e-13);
  }
}

TEST(RandomLaws, Reduce) {
  std::mt19937 random(35);
  const char* const bodies[] = {"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum", "stablehlo.multiply"};
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    Shape shape(static_cast<size_t>(pick(random, 0, 3)));
    for (int64_t& e : shape) e = pick(random, 1, 4);
    const std::vector<int64_t> dims =
        choose(random, shape.size(), static_cast<size_t>(pick(random, 0, static_cast<int>(shape.size()))));
    const std::string body = bodies[trial % 4];
    const Domain domain{-3, 3, trial % 4 == 1 || trial % 4 == 2, false};
    expect_laws({"",
                 {f64(shape, domain), f64({}, domain)},
                 [dims, body](OpBuilder& b, std::span<const Value> v) {
                   return std::vector{b.reduce(v[0], dims, body, v[1])};
                 }},
                1e-13);
  }
}

}  // namespace
}  // namespace weft::test
