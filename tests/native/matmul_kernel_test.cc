// Matrix products against plain sums in double.
#include "native/kernels/matmul.h"

#include <limits>
#include <thread>

#include "tests/native/kernel_check.h"

namespace weft::native::test {
namespace {

Dims with_matrix(Dims batch, int64_t rows, int64_t columns) {
  batch.insert(batch.end(), {rows, columns});
  return batch;
}

struct Operands {
  Operand a, b, c, bias;
  Operands(const MatmulDesc& d, std::mt19937& random)
      : a(d.type, with_matrix(d.batch, d.m, d.k), d.a_strides),
        b(d.type, with_matrix(d.batch, d.k, d.n), d.b_strides),
        c(d.type, with_matrix(d.batch, d.m, d.n), d.c_strides),
        bias(ElementType::kF32, {d.n}, {1}) {
    for (Operand* each : {&a, &b, &c, &bias}) each->fill(random);
  }
};

Sum expected(const MatmulDesc& d, const Operands& o, const Dims& at) {
  Sum sum;
  Dims a = at, b = at;
  for (int64_t k = 0; k < d.k; ++k) {
    a.back() = k;
    b[b.size() - 2] = k;
    sum.add(o.a.get(a) * o.b.get(b));
  }
  if (d.has_bias) sum.add(o.bias.get({at.back()}));
  if (d.has_relu && sum.value < 0) sum.value = 0;
  return sum;
}

std::string describe(const MatmulDesc& d) {
  std::string text = "batch";
  auto list = [&](const Dims& values) {
    for (int64_t value : values) text += " " + std::to_string(value);
  };
  list(d.batch);
  text += " m n k " + std::to_string(d.m) + " " + std::to_string(d.n) + " " + std::to_string(d.k) + " strides";
  list(d.a_strides), text += ",", list(d.b_strides), text += ",", list(d.c_strides);
  return text + (d.has_bias ? " bias" : "") + (d.has_relu ? " relu" : "");
}

void compare(const MatmulDesc& d, Operands& o, const LibraryKernel& kernel) {
  Scratch scratch(kernel.scratch_bytes());
  const void* inputs[] = {o.a.data(), d.constant_b ? nullptr : o.b.data(), o.bias.data()};
  void* outputs[] = {o.c.data()};
  ASSERT_TRUE(kernel.execute(inputs, outputs, scratch.data()));
  int wrong = 0;
  for_each_index(o.c.dims(), [&](const Dims& at) { wrong += !is_close(o.c.get(at), expected(d, o, at), d.type); });
  EXPECT_EQ(wrong, 0) << kernel.implementation() << " " << describe(d);
  EXPECT_TRUE(o.c.is_guard_whole());
}

// Strides of a random order of all dimensions; sometimes the matrix alone is permuted.
Dims layout(const Dims& dims, std::mt19937& random, bool has_gaps) {
  if (pick(random, 0, 2) == 0) return row_major(dims);
  return random_strides(dims, random, has_gaps);
}

MatmulDesc random_desc(std::mt19937& random, ElementType type) {
  MatmulDesc d;
  d.type = type;
  int64_t extents[] = {1, 2, 3, 7, 8, 16, 17, 33, 40};
  for (int64_t count = pick(random, 0, 3); count-- > 0;) d.batch.push_back(pick(random, 1, 3));
  d.m = extents[pick(random, 0, 8)], d.n = extents[pick(random, 0, 8)], d.k = extents[pick(random, 0, 8)];
  bool has_gaps = pick(random, 0, 3) == 0;
  d.a_strides = layout(with_matrix(d.batch, d.m, d.k), random, has_gaps);
  d.b_strides = layout(with_matrix(d.batch, d.k, d.n), random, has_gaps);
  d.c_strides = layout(with_matrix(d.batch, d.m, d.n), random, has_gaps);
  for (auto* strides : {&d.a_strides, &d.b_strides})
    for (size_t axis = 0; axis < d.batch.size(); ++axis)
      if (pick(random, 0, 5) == 0) (*strides)[axis] = 0;
  return d;
}

int check_random(unsigned seed, ElementType type, const std::string& row, bool has_post_ops, int trials,
                 const std::string& allowed_reason) {
  std::mt19937 random(seed);
  int accepted = 0;
  for (int trial = 0; trial < trials; ++trial) {
    MatmulDesc d = random_desc(random, type);
    d.has_bias = has_post_ops && pick(random, 0, 1);
    d.has_relu = has_post_ops && pick(random, 0, 1);
    KernelOptions options;
    options.partitions = 1 + trial % 2;
    options.is_size_ignored = true;
    options.only = row;
    Operands o(d, random);
    if (pick(random, 0, 3) == 0) d.constant_b = o.b.data();
    KernelChoice choice = make_matmul(d, options);
    if (!choice.kernel) {
      std::string why = reason(choice);
      bool is_allowed =
          why.find(allowed_reason) != std::string::npos || why.find("both operands repeat") != std::string::npos;
      EXPECT_TRUE(is_allowed) << why << describe(d);
      continue;
    }
    compare(d, o, *choice.kernel);
    ++accepted;
  }
  return accepted;
}

TEST(MatmulKernel, OneDnnF32IsTheSum) {
  EXPECT_GE(check_random(1, ElementType::kF32, "onednn", true, 300, "only oneDNN's reference"), 270);
}

TEST(MatmulKernel, OpenBlasF64IsTheSum) {
  EXPECT_GE(check_random(2, ElementType::kF64, "openblas", false, 300, "neither of its dimensions"), 100);
}

TEST(MatmulKernel, OpenBlasF32IsTheSum) {
  EXPECT_GE(check_random(3, ElementType::kF32, "openblas", false, 100, "neither of its dimensions"), 30);
}

TEST(MatmulKernel, OneDnnBf16IsTheRoundedSum) {
  if (check_random(4, ElementType::kBF16, "onednn", false, 200, "oneDNN") == 0)
    GTEST_SKIP() << "this CPU has no bf16 kernels in oneDNN";
}

MatmulDesc plain(int64_t m, int64_t n, int64_t k) {
  MatmulDesc d;
  d.m = m, d.n = n, d.k = k;
  d.a_strides = {k, 1}, d.b_strides = {n, 1}, d.c_strides = {n, 1};
  return d;
}

TEST(MatmulKernel, LargerProductsAndAttentionLayouts) {
  std::mt19937 random(5);
  KernelOptions options;
  options.partitions = 2;
  options.is_size_ignored = true;
  MatmulDesc big = plain(150, 170, 300);
  MatmulDesc scores;  // [batch, sequence, heads, features] x the same, transposed, without copies
  scores.batch = {2, 4};
  scores.m = 24, scores.n = 24, scores.k = 16;
  scores.a_strides = {24 * 64, 16, 64, 1};
  scores.b_strides = {24 * 64, 16, 1, 64};
  scores.c_strides = row_major({2, 4, 24, 24});
  for (const MatmulDesc& d : {big, scores}) {
    KernelChoice choice = make_matmul(d, options);
    ASSERT_TRUE(choice.kernel) << reason(choice);
    Operands o(d, random);
    compare(d, o, *choice.kernel);
  }
}

TEST(MatmulKernel, TransposedOperandsNeedNoCopyOfTheirOwn) {
  MatmulDesc d = plain(64, 96, 128);
  d.a_strides = {1, 64}, d.b_strides = {1, 128}, d.c_strides = {1, 64};
  KernelOptions options;
  options.only = "openblas";
  EXPECT_EQ(make_matmul(d, options).kernel->scratch_bytes(), 0u);
}

TEST(MatmulKernel, NanAndInfFollowTheSum) {
  std::mt19937 random(6);
  double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (int64_t extent : {9, 16, 33}) {
    for (bool has_relu : {false, true}) {
      MatmulDesc d = plain(extent, extent, extent);
      d.has_relu = has_relu;
      KernelOptions options;
      options.is_size_ignored = true;
      KernelChoice choice = make_matmul(d, options);
      ASSERT_TRUE(choice.kernel) << reason(choice);
      Operands o(d, random);
      o.a.set({1, 2}, nan);
      o.a.set({3, 0}, inf);
      o.b.set({4, 5}, -inf);
      compare(d, o, *choice.kernel);
    }
  }
}

TEST(MatmulKernel, SaysWhyItDoesNotApply) {
  auto refused = [](const MatmulDesc& d, KernelOptions options = {}) {
    KernelChoice choice = make_matmul(d, options);
    EXPECT_EQ(choice.kernel, nullptr);
    return reason(choice);
  };
  EXPECT_NE(refused(plain(64, 64, 64)).find("too small: 262144"), std::string::npos);
  EXPECT_NE(refused(plain(1, 4096, 4096)).find("matrix-vector"), std::string::npos);
  EXPECT_NE(refused(plain(4096, 4096, 3)).find("too thin"), std::string::npos);
  EXPECT_NE(make_matmul(plain(65, 64, 64), {}).kernel, nullptr);
  EXPECT_NE(refused(plain(0, 8, 8)).find("extent is zero"), std::string::npos);
  EXPECT_NE(refused(plain(8, 8, 0)).find("extent is zero"), std::string::npos);
  MatmulDesc d = plain(64, 64, 64);
  d.a_strides = {1, 1};
  EXPECT_NE(refused(d).find("a strides [1, 1] overlap"), std::string::npos);
  d = plain(64, 64, 64);
  d.batch = {2};
  d.a_strides = d.b_strides = {4096, 64, 1}, d.c_strides = {0, 64, 1};
  EXPECT_NE(refused(d).find("c strides [0, 64, 1] overlap"), std::string::npos);
  d = plain(64, 64, 64);
  d.type = ElementType::kF64;
  d.has_relu = true;
  EXPECT_NE(refused(d).find("not fused"), std::string::npos);
  d = plain(64, 64, 65);
  d.type = ElementType::kI32;
  std::string both = refused(d);
  EXPECT_NE(both.find("onednn: element type i32"), std::string::npos) << both;
  EXPECT_NE(both.find("openblas: element type i32"), std::string::npos) << both;
  d = plain(64, 64, 64);
  d.c_strides = {1};
  EXPECT_NE(refused(d).find("different rank"), std::string::npos);
}

TEST(MatmulKernel, ManyCallersAtOnce) {
  std::mt19937 random(7);
  MatmulDesc d = plain(48, 40, 56);
  d.b_strides = {2, 112};  // copied to scratch first
  d.c_strides = {80, 2};
  KernelOptions options;
  options.is_size_ignored = true;
  options.partitions = 2;
  KernelChoice choice = make_matmul(d, options);
  ASSERT_TRUE(choice.kernel) << reason(choice);
  std::vector<Operands> operands;
  for (int caller = 0; caller < 4; ++caller) operands.emplace_back(d, random);
  std::vector<std::thread> callers;
  for (Operands& o : operands)
    callers.emplace_back([&] {
      for (int round = 0; round < 10; ++round) compare(d, o, *choice.kernel);
    });
  for (auto& caller : callers) caller.join();
}

}  // namespace
}  // namespace weft::native::test
