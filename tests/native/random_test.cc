// Random numbers natively: published vectors of the algorithms, and the evaluator's bits for every type and kind of shape.
#include "tests/native/on_both.h"

namespace weft::test {
namespace {

std::string bits_program(const std::string& algorithm, int words, const std::string& type) {
  const std::string state = "tensor<" + std::to_string(words) + "xui64>";
  return "func.func @main(%s: " + state + ") -> (" + state + ", " + type +
         ") {\n  %0:2 = stablehlo.rng_bit_generator %s, algorithm = " + algorithm + " : (" + state + ") -> (" + state +
         ", " + type + ")\n  return %0#0, %0#1 : " + state + ", " + type + "\n}";
}

OnBoth draw(const std::string& algorithm, const std::vector<uint64_t>& state, const std::string& type) {
  const auto n = static_cast<int64_t>(state.size());
  return on_both(bits_program(algorithm, static_cast<int>(n), type), {Tensor::of(state, {n})});
}

std::vector<uint32_t> words(const Tensor& t) { return {t.data<uint32_t>().begin(), t.data<uint32_t>().end()}; }

// Random123's known answers: threefry2x32 of 20 rounds, philox4x32 of 10 rounds.
TEST(NativeRandom, KnownAnswers) {
  EXPECT_EQ(words(draw("THREE_FRY", {0, 0}, "tensor<2xui32>").native[1]),
            (std::vector<uint32_t>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(words(draw("THREE_FRY", {~0ull, ~0ull}, "tensor<2xui32>").native[1]),
            (std::vector<uint32_t>{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(words(draw("PHILOX", {0, 0, 0}, "tensor<4xui32>").native[1]),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(draw("PHILOX", {~0ull, ~0ull, ~0ull}, "tensor<4xui32>").native[1]),
            (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(NativeRandom, BitsOfEveryTypeAndShape) {
  const auto check = [](const std::string& algorithm, const std::string& type) {
    const OnBoth r = draw(algorithm, {7, 0xfffffffffffffffd}, type);  // the counter carries
    expect_same_bits(r.native[0], r.eval[0], algorithm + " state of " + type);
    expect_same_bits(r.native[1], r.eval[1], algorithm + " " + type);
  };
  for (const std::string algorithm : {"THREE_FRY", "PHILOX"}) {
    for (const std::string shape : {"", "7x", "3x4x5x", "5x3x2x", "3x0x", "33x31x"}) {
      check(algorithm, "tensor<" + shape + "ui32>");
    }
    for (const std::string element : {"ui8", "i16", "i32", "ui64", "f16", "f32", "f64"})
      check(algorithm, "tensor<3x5x" + element + ">");
  }
  check("DEFAULT", "tensor<5xui32>");
  const OnBoth r = draw("PHILOX", {7, ~0ull, 3}, "tensor<40xui32>");
  expect_same_bits(r.native[0], r.eval[0], "state of three words");
  expect_same_bits(r.native[1], r.eval[1], "a counter of 128 bits");
}

// A function's numbers are keyed by its own op, wherever it is called.
TEST(NativeRandom, UniformAndNormalAsTheEvaluatorDraws) {
  const std::string text = R"(
    func.func @draw(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
      %s = stablehlo.constant dense<[5, 7]> : tensor<2xi64>
      %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<5x7xf32>
      %1 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<5x7xf32>
      return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
    }
    func.func @main(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>)
        -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<9xi32>) {
      %s = stablehlo.constant dense<[9]> : tensor<1xi64>
      %0:2 = func.call @draw(%a, %b) : (tensor<f32>, tensor<f32>) -> (tensor<5x7xf32>, tensor<5x7xf32>)
      %1 = stablehlo.rng %i, %j, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<9xi32>
      return %0#0, %0#1, %1 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<9xi32>
    })";
  const OnBoth r =
      on_both(text, {Tensor::scalar_of(-1.5f), Tensor::scalar_of(2.25f), Tensor::scalar_of(-3), Tensor::scalar_of(11)});
  expect_same_bits(r.native[0], r.eval[0], "uniform");
  expect_same_bits(r.native[2], r.eval[2], "integers");
  for (size_t i = 0; i < 35; ++i)
    EXPECT_NEAR(r.native[1].data<float>()[i], r.eval[1].data<float>()[i], 1e-6) << "normal, element " << i;
}

TEST(NativeRandom, ShapeGivenOtherwiseIsAnError) {
  const std::string text = R"(func.func @main(%s: tensor<1xi64>) -> tensor<9xf32> {
      %a = stablehlo.constant dense<0.0> : tensor<f32>
      %b = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<9xf32>
      return %0 : tensor<9xf32>
    })";
  EXPECT_THROW(get_target("native")
                   .compile(parse_module(text, "test"), "main")
                   ->run(std::vector<Tensor>{Tensor::of<int64_t>({8}, {1})}),
               UserError);
}

}  // namespace
}  // namespace weft::test
