// Complex matrix products by real ones, against plain sums in complex<double>.
#include <gtest/gtest.h>

#include <complex>

#include "native/kernels/matmul.h"
#include "tests/native/kernel_check.h"

namespace weft::native::test {
namespace {

Dims matrix(Dims batch, int64_t rows, int64_t columns) {
  batch.insert(batch.end(), {rows, columns});
  return batch;
}

int64_t offset(const Dims& strides, const Dims& at) {
  int64_t sum = 0;
  for (size_t d = 0; d < at.size(); ++d) sum += strides[d] * at[d];
  return sum;
}

int64_t span(const Dims& dims, const Dims& strides) {
  int64_t last = 0;
  for (size_t d = 0; d < dims.size(); ++d) last += (dims[d] - 1) * strides[d];
  return last + 1;
}

template <class R>
std::vector<std::complex<R>> random_numbers(int64_t n, std::mt19937& random) {
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<std::complex<R>> out(static_cast<size_t>(n));
  for (auto& z : out) z = {static_cast<R>(real(random)), static_cast<R>(real(random))};
  return out;
}

/// Whether a kernel took it.
template <class R>
bool check(const MatmulDesc& d, const KernelOptions& options, bool is_constant, std::mt19937& random) {
  const Dims a_dims = matrix(d.batch, d.m, d.k), b_dims = matrix(d.batch, d.k, d.n), c_dims = matrix(d.batch, d.m, d.n);
  const auto a = random_numbers<R>(span(a_dims, d.a_strides), random),
             b = random_numbers<R>(span(b_dims, d.b_strides), random);
  auto c = random_numbers<R>(span(c_dims, d.c_strides), random);
  MatmulDesc given = d;
  if (is_constant) given.constant_b = b.data();
  const KernelChoice choice = make_matmul(given, options);
  if (!choice.kernel) return false;
  Scratch scratch(choice.kernel->scratch_bytes());
  const void* inputs[] = {a.data(), is_constant ? nullptr : b.data()};
  void* outputs[] = {c.data()};
  EXPECT_TRUE(choice.kernel->execute(inputs, outputs, scratch.data()));
  double worst = 0;
  for_each_index(c_dims, [&](const Dims& at) {
    std::complex<double> sum = 0;
    Dims i = at, j = at;
    for (int64_t k = 0; k < d.k; ++k) {
      i.back() = k, j[j.size() - 2] = k;
      sum += std::complex<double>(a[static_cast<size_t>(offset(d.a_strides, i))]) *
             std::complex<double>(b[static_cast<size_t>(offset(d.b_strides, j))]);
    }
    worst = std::max(worst, std::abs(sum - std::complex<double>(c[static_cast<size_t>(offset(d.c_strides, at))])));
  });
  EXPECT_LE(worst, 4 * std::numeric_limits<R>::epsilon() * static_cast<double>(d.k + 1))
      << choice.kernel->implementation();
  return true;
}

template <class R>
int check_random(ElementType type, const std::vector<std::string>& disabled) {
  std::mt19937 random(7);
  const int64_t extents[] = {1, 2, 3, 7, 8, 16, 17, 33};
  int taken = 0;
  for (int trial = 0; trial < 200; ++trial) {
    MatmulDesc d;
    d.type = type;
    for (int64_t count = pick(random, 0, 2); count-- > 0;) d.batch.push_back(pick(random, 1, 3));
    d.m = extents[pick(random, 0, 7)], d.n = extents[pick(random, 0, 7)], d.k = extents[pick(random, 0, 7)];
    const auto layout = [&](const Dims& dims) {
      return pick(random, 0, 2) == 0 ? row_major(dims) : random_strides(dims, random, false);
    };
    d.a_strides = layout(matrix(d.batch, d.m, d.k));
    d.b_strides = layout(matrix(d.batch, d.k, d.n));
    d.c_strides = layout(matrix(d.batch, d.m, d.n));
    for (auto* strides : {&d.a_strides, &d.b_strides})
      for (size_t axis = 0; axis < d.batch.size(); ++axis)
        if (pick(random, 0, 5) == 0) (*strides)[axis] = 0;
    KernelOptions options;
    options.partitions = 1 + trial % 2;
    options.is_size_ignored = true;
    options.disabled = disabled;
    taken += check<R>(d, options, pick(random, 0, 3) == 0, random) ? 1 : 0;
  }
  return taken;
}

TEST(ComplexMatmul, OfFloatsIsTheSum) { EXPECT_GE(check_random<float>(ElementType::kC64, {}), 120); }
TEST(ComplexMatmul, OfFloatsByBlasIsTheSum) { EXPECT_GE(check_random<float>(ElementType::kC64, {"onednn"}), 100); }
TEST(ComplexMatmul, OfDoublesIsTheSum) { EXPECT_GE(check_random<double>(ElementType::kC128, {}), 100); }

TEST(ComplexMatmul, LargeOnesAreTakenAndSmallOnesAreNot) {
  std::mt19937 random(8);
  for (const int64_t n : {40, 100}) {
    MatmulDesc d;
    d.type = ElementType::kC64;
    d.m = d.n = d.k = n;
    d.a_strides = {1, n}, d.b_strides = {1, n}, d.c_strides = {n, 1};
    KernelOptions options;
    options.partitions = 2;
    EXPECT_EQ(check<float>(d, options, false, random), n == 100);
  }
}

}  // namespace
}  // namespace weft::native::test
