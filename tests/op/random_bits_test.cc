// rng_bit_generator against the published test vectors of its algorithms, and the statistics of rng.
#include <cmath>

#include "tests/op/run_op.h"

namespace weft::test {
namespace {

std::vector<Tensor> draw_bits(std::string algorithm, std::vector<uint64_t> state, Type type) {
  const auto n = static_cast<int64_t>(state.size());
  return run_op({Tensor::of(state, {n})}, [&](OpBuilder& b, std::span<const Value> x) {
    const Type types[] = {b.type(x[0]), type};
    return b.create("stablehlo.rng_bit_generator", x, Attrs{{"rng_algorithm", algorithm}}, types);
  });
}

template <class T>
std::vector<T> list(const Tensor& t) {
  return {t.data<T>().begin(), t.data<T>().end()};
}

// Random123's known answers: threefry2x32 of 20 rounds, philox4x32 of 10 rounds.
TEST(RandomBits, KnownAnswers) {
  const Type pair = Type::tensor(ElementType::kU32, {2}), four = Type::tensor(ElementType::kU32, {4});
  EXPECT_EQ(list<uint32_t>(draw_bits("THREE_FRY", {0, 0}, pair)[1]), (std::vector<uint32_t>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(list<uint32_t>(draw_bits("THREE_FRY", {~0ull, ~0ull}, pair)[1]),
            (std::vector<uint32_t>{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(list<uint32_t>(draw_bits("PHILOX", {0, 0, 0}, four)[1]),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(list<uint32_t>(draw_bits("PHILOX", {~0ull, ~0ull, ~0ull}, four)[1]),
            (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(RandomBits, StateGoesOn) {
  // Two draws of four blocks each are one of eight.
  for (const std::string algorithm : {"THREE_FRY", "PHILOX"}) {
    const Type four = Type::tensor(ElementType::kU64, {4}), eight = Type::tensor(ElementType::kU64, {8});
    const auto first = draw_bits(algorithm, {5, 6}, four);
    const auto second = draw_bits(algorithm, list<uint64_t>(first[0]), four);
    std::vector<uint64_t> both = list<uint64_t>(first[1]);
    for (uint64_t v : list<uint64_t>(second[1])) both.push_back(v);
    EXPECT_EQ(list<uint64_t>(draw_bits(algorithm, {5, 6}, eight)[1]), both) << algorithm;
  }
}

TEST(Random, MeanAndDeviation) {
  for (const std::string distribution : {"UNIFORM", "NORMAL"}) {
    const int64_t n = 20000;
    const auto r = run_op({}, [&](OpBuilder& b, std::span<const Value>) {
      const Type t = Type::tensor(ElementType::kF64, {n});
      const Value operands[] = {b.scalar(ElementType::kF64, 1), b.scalar(ElementType::kF64, 3),
                                b.constant(Literal::dense(Tensor::of<int64_t>({n}, {1})))};
      return b.create("stablehlo.rng", operands, Attrs{{"rng_distribution", distribution}}, std::span(&t, 1));
    });
    double sum = 0, squares = 0;
    for (double x : r[0].data<double>()) {
      sum += x;
      squares += x * x;
      if (distribution == "UNIFORM") EXPECT_TRUE(x >= 1 && x < 3);
    }
    const double mean = sum / n, variance = squares / n - mean * mean;
    // Uniform in [1, 3): mean 2, variance 1/3. Normal: mean 1, variance 9. Within four standard errors.
    const bool is_uniform = distribution == "UNIFORM";
    EXPECT_NEAR(mean, is_uniform ? 2 : 1, 4 * std::sqrt((is_uniform ? 1 / 3.0 : 9) / n));
    EXPECT_NEAR(variance, is_uniform ? 1 / 3.0 : 9, (is_uniform ? 1 / 3.0 : 9) * 0.06);
  }
}

}  // namespace
}  // namespace weft::test
