// fft, cholesky and triangular_solve against their definitions.
#include <cmath>
#include <complex>

#include "tests/op/run_op.h"

namespace weft::test {
namespace {

using C = std::complex<double>;

Tensor transform(const Tensor& x, const std::string& kind, std::vector<int64_t> length) {
  return run_op({x}, [&](OpBuilder& b, std::span<const Value> v) {
    return b.create("stablehlo.fft", v, Attrs{{"fft_type", kind}, {"fft_length", length}});
  })[0];
}

/// The sum of the definition, in extended precision.
std::vector<C> sums(const std::vector<C>& x, double sign) {
  const size_t n = x.size();
  std::vector<C> out;
  for (size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (size_t j = 0; j < n; ++j) {
      const long double angle = sign * 2 * 3.14159265358979323846264338327950288L *
                                static_cast<long double>(j * k % n) / static_cast<long double>(n);
      sum += std::complex<long double>(x[j]) * std::complex<long double>(std::cos(angle), std::sin(angle));
    }
    out.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
  }
  return out;
}

TEST(Fft, LengthsOfAllKinds) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 64, 97, 100}) {
    std::vector<C> x;
    std::vector<double> real;
    for (int64_t i = 0; i < n; ++i) {
      x.emplace_back(normal(random), normal(random));
      real.push_back(x.back().real());
    }
    const auto expected = sums(x, -1), inverse = sums(x, 1);
    const Tensor f = transform(Tensor::of(x, {n}), "FFT", {n}), g = transform(Tensor::of(x, {n}), "IFFT", {n});
    const auto of_real = sums(std::vector<C>(real.begin(), real.end()), -1);
    const Tensor h = transform(Tensor::of(real, {n}), "RFFT", {n});
    const Tensor back = transform(h, "IRFFT", {n});
    ASSERT_EQ(h.shape(), Shape({n / 2 + 1}));
    for (size_t k = 0; k < static_cast<size_t>(n); ++k) {
      EXPECT_LT(std::abs(f.data<C>()[k] - expected[k]), 1e-13) << n;
      EXPECT_LT(std::abs(g.data<C>()[k] - inverse[k] / static_cast<double>(n)), 1e-14) << n;
      EXPECT_NEAR(back.data<double>()[k], real[k], 1e-14) << n;
      if (k <= static_cast<size_t>(n / 2)) EXPECT_LT(std::abs(h.data<C>()[k] - of_real[k]), 1e-13) << n;
    }
  }
}

TEST(Fft, TwoDimensions) {
  // A single one at (1, 2) of a 3x4 array: exp(-2πi(u/3 + 2v/4)).
  std::vector<C> x(12, 0);
  x[1 * 4 + 2] = 1;
  const Tensor f = transform(Tensor::of(x, {3, 4}), "FFT", {3, 4});
  for (size_t u = 0; u < 3; ++u) {
    for (size_t v = 0; v < 4; ++v) {
      const C expected = std::polar(1.0, -2 * M_PI * (static_cast<double>(u) / 3 + 2 * static_cast<double>(v) / 4));
      EXPECT_LT(std::abs(f.data<C>()[u * 4 + v] - expected), 1e-14);
    }
  }
}

TEST(Cholesky, FactorsOfKnownMatrices) {
  // l = [[2, 0, 0], [1, 3, 0], [-1, 2, 1]]; the triangle that is not read holds other numbers.
  const std::vector<double> lower = {4, 99, 99, 2, 10, 99, -2, 5, 6}, upper = {4, 2, -2, 99, 10, 5, 99, 99, 6};
  const auto factor = [](const std::vector<double>& a, bool is_lower) {
    const Tensor t = run_op({Tensor::of(a, {3, 3})}, [&](OpBuilder& b, std::span<const Value> x) {
      return b.create("stablehlo.cholesky", x, Attrs{{"lower", is_lower}});
    })[0];
    return values(t);
  };
  EXPECT_EQ(factor(lower, true), (std::vector<double>{2, 0, 0, 1, 3, 0, -1, 2, 1}));
  EXPECT_EQ(factor(upper, false), (std::vector<double>{2, 1, -1, 0, 3, 2, 0, 0, 1}));
  EXPECT_TRUE(std::isnan(factor({-1, 0, 0, 0, 1, 0, 0, 0, 1}, true)[0]));
}

TEST(TriangularSolve, SolutionsOfAllForms) {
  const std::vector<double> a = {2, 5, -1, 1, 4, 3, -2, 6, 8};  // both triangles in use
  const std::vector<double> x = {1, -2, 3, 4, 0, -1};           // 3x2, or 2x3
  for (int form = 0; form < 16; ++form) {
    const bool left = form & 1, lower = form & 2, unit = form & 4, transposed = form & 8;
    const auto op = [&](size_t i, size_t j) {
      if (transposed) std::swap(i, j);
      if (i == j && unit) return 1.0;
      return (lower ? i >= j : i <= j) ? a[i * 3 + j] : 0.0;
    };
    std::vector<double> b(6, 0);
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) {
        for (size_t c = 0; c < 2; ++c) {
          if (left) b[i * 2 + c] += op(i, j) * x[j * 2 + c];
          else b[c * 3 + j] += x[c * 3 + i] * op(i, j);
        }
      }
    }
    const Shape shape = left ? Shape{3, 2} : Shape{2, 3};
    const Tensor got =
        run_op({Tensor::of(a, {3, 3}), Tensor::of(b, shape)}, [&](OpBuilder& builder, std::span<const Value> v) {
          return builder.create("stablehlo.triangular_solve", v,
                                Attrs{{"left_side", left},
                                      {"lower", lower},
                                      {"unit_diagonal", unit},
                                      {"transpose_a", transposed ? "TRANSPOSE" : "NO_TRANSPOSE"}});
        })[0];
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(got.data<double>()[i], x[i], 1e-13) << "form " << form;
  }
}

}  // namespace
}  // namespace weft::test
