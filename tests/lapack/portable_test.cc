// LAPACK's calls written out in StableHLO's ops: what LAPACK's contract fixes equals LAPACK's own values, and factors multiply to the
// matrix that was given.
#include "tests/lapack/portable_sample.h"

namespace weft::test::portable {
namespace {

TEST(PortableLapack, LuIsLapacks) {
  for (const ElementType e : kElements) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {5, 5}, {7, 4}, {4, 7}}) {
      const int64_t k = std::min(m, n);
      const Both r =
          run(lapack(e, "getrf"), {random(e, {2, m, n}, 1)}, {of(e, {2, m, n}), of(kI32, {2, k}), of(kI32, {2})});
      expect_near(r.ours[0], r.lapacks[0], 60 * eps(e), lapack(e, "getrf"));
      expect_near(r.ours[1], r.lapacks[1], 0, "pivots");
      expect_near(r.ours[2], r.lapacks[2], 0, "info");
      const Both d =
          run("LuDecomposition", {random(e, {2, m, n}, 1)}, {of(e, {2, m, n}), of(kI32, {2, k}), of(kI32, {2, m})});
      expect_near(d.ours[1], d.lapacks[1], 0, "pivots from 0");
      expect_near(d.ours[2], d.lapacks[2], 0, "order");
    }
  }
}

TEST(PortableLapack, LuOfPanelsIsLapacks) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{110, 130}, {130, 110}, {101, 101}}) {
    const Both r = run("LuDecomposition", {random(kF64, {m, n}, 2)},
                       {of(kF64, {m, n}), of(kI32, {std::min(m, n)}), of(kI32, {m})});
    expect_near(r.ours[0], r.lapacks[0], 1e-11, "lu");
    expect_near(r.ours[1], r.lapacks[1], 0, "pivots");
    expect_near(r.ours[2], r.lapacks[2], 0, "order");
  }
}

TEST(PortableLapack, LuSaysWhichPivotIsZero) {
  // Rank 1; zeros; a first column of zeros.
  const Tensor a =
      tensor(kF64, {3, 3, 3}, {1, 2, 3, 2, 4, 6, 3, 6, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 3, 4, 0, 5, 7});
  const Both r = run("lapack_dgetrf_ffi", {a}, {of(kF64, {3, 3, 3}), of(kI32, {3, 3}), of(kI32, {3})});
  expect_near(r.ours[2], r.lapacks[2], 0, "info");
  expect_near(r.ours[0], r.lapacks[0], 1e-15, "lu");
  EXPECT_EQ(numbers(r.ours[2])[1], Complex(1));
}

TEST(PortableLapack, PivotsMakeAPermutation) {
  const Tensor pivots = tensor(kI32, {2, 3}, {2, 4, 2, 0, 1, 3});
  const Both r = run("lu_pivots_to_permutation", {pivots}, {of(kI32, {2, 5})});
  expect_near(r.ours[0], r.lapacks[0], 0, "permutation");
}

TEST(PortableLapack, ReflectorsAreLapacks) {
  for (const ElementType e : kElements) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {5, 5}, {7, 4}, {4, 7}}) {
      const int64_t k = std::min(m, n);
      const Tensor a = random(e, {2, m, n}, 3);
      const Both r = run(lapack(e, "geqrf"), {a}, {of(e, {2, m, n}), of(e, {2, k})});
      expect_near(r.ours[0], r.lapacks[0], 40 * eps(e), "packed");
      expect_near(r.ours[1], r.lapacks[1], 40 * eps(e), "tau");
      if (m >= n) {
        const Both q = run(lapack(e, "orgqr", "ungqr"), {r.lapacks[0], r.lapacks[1]}, {of(e, {2, m, n})});
        expect_near(q.ours[0], q.lapacks[0], 40 * eps(e), "q");
      }
      for (const int64_t left : {0, 1}) {
        for (const std::string transpose : {"0", "1"}) {
          const Shape shape = left != 0 ? Shape{2, m, 3} : Shape{2, 3, m};
          const Config config = {{"left", std::to_string(left) + " : i1"}, {"transpose", transpose + " : i1"}};
          const Both c = run(lapack(e, "ormqr", "unmqr"), {r.lapacks[0], r.lapacks[1], random(e, shape, 4)},
                             {of(e, {shape.begin(), shape.end()})}, config);
          expect_near(c.ours[0], c.lapacks[0], 40 * eps(e), "product with q");
        }
      }
    }
  }
}

TEST(PortableLapack, ReflectorsOfPanelsAreLapacks) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{75, 90}, {90, 75}}) {
    const Both r = run("Qr", {random(kC128, {m, n}, 5)}, {of(kC128, {m, n}), of(kC128, {std::min(m, n)})});
    expect_near(r.ours[0], r.lapacks[0], 1e-12, "packed");
    expect_near(r.ours[1], r.lapacks[1], 1e-13, "tau");
  }
}

TEST(PortableLapack, ReflectorsOfColumnsWithNothingBelowAreLapacks) {
  const Tensor a = tensor(kF64, {3, 3}, {-2, 1, 0, 0, 3, 4, 0, 0, -5});
  const Both r = run("lapack_dgeqrf_ffi", {a}, {of(kF64, {3, 3}), of(kF64, {3})});
  expect_near(r.ours[0], r.lapacks[0], 0, "packed");
  expect_near(r.ours[1], r.lapacks[1], 0, "tau");
  // Numbers whose squares overflow, and whose squares are 0.
  for (const double size : {1e200, 1e-200}) {
    const Tensor b = tensor(kF64, {2, 2}, {3 * size, size, 4 * size, 2 * size});
    const Both s = run("lapack_dgeqrf_ffi", {b}, {of(kF64, {2, 2}), of(kF64, {2})});
    expect_near(s.ours[0], s.lapacks[0], 1e-15 * std::max(size, 1.0), "packed");
    EXPECT_NEAR(numbers(s.ours[0])[0].real() / size, -5, 1e-14);
  }
}

TEST(PortableLapack, QrWithPivotsIsLapacks) {
  for (const ElementType e : kElements) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 5}, {7, 4}, {4, 7}}) {
      const int64_t k = std::min(m, n);
      Numbers forward(static_cast<size_t>(2 * n));
      forward[2] = 1;  // of the first matrix
      const Both r = run(lapack(e, "geqp3"), {random(e, {2, m, n}, 6), tensor(kI32, {2, n}, forward)},
                         {of(e, {2, m, n}), of(kI32, {2, n}), of(e, {2, k})});
      expect_near(r.ours[1], r.lapacks[1], 0, "order");
      expect_near(r.ours[0], r.lapacks[0], 60 * eps(e), "packed");
      expect_near(r.ours[2], r.lapacks[2], 40 * eps(e), "tau");
    }
  }
}

Tensor hermitian(ElementType e, int64_t n, unsigned seed) {
  const Tensor a = random(e, {2, n, n}, seed);
  Numbers all;
  for (const int64_t b : {0, 1}) {
    const Matrix x = matrix(a, b), y = adjoint(x);
    for (size_t i = 0; i < x.values.size(); ++i) all.push_back(x.values[i] + y.values[i]);
  }
  return tensor(e, {2, n, n}, all);
}

/// v·diag(w)·vᴴ = a, and vᴴ·v = 1.
void expect_eigen(const Matrix& a, const Matrix& v, const Numbers& w, double bound, const std::string& what) {
  Matrix scaled = v;
  for (int64_t i = 0; i < v.rows; ++i)
    for (int64_t j = 0; j < v.columns; ++j) scaled.at(i, j) *= w[static_cast<size_t>(j)];
  expect_near(scaled * adjoint(v), a, bound, what + ": v·w·vᴴ");
  expect_near(adjoint(v) * v, identity(v.columns), bound, what + ": vᴴ·v");
}

TEST(PortableLapack, HermitianEigenvalues) {
  for (const ElementType e : kElements) {
    for (const int64_t n : {1, 2, 3, 6}) {
      const Tensor a = hermitian(e, n, 7);
      for (const auto& [robust, uplo] :
           std::initializer_list<std::pair<bool, char>>{{false, 'L'}, {false, 'U'}, {true, 'L'}, {true, 'U'}}) {
        const std::string target = robust ? lapack(e, "syevr", "heevr") : lapack(e, "syevd", "heevd");
        const Both r = run(target, {a}, {of(e, {2, n, n}), of(real_of(e), {2, n}), of(kI32, {2})},
                           {{"mode", letter('V')}, {"uplo", letter(uplo)}});
        const double bound = 20 * static_cast<double>(n) * eps(e);
        expect_near(r.ours[1], r.lapacks[1], bound, "values");
        expect_near(r.ours[2], r.lapacks[2], 0, "info");
        const Numbers w = numbers(r.ours[1]);
        for (const int64_t b : {0, 1})
          expect_eigen(matrix(a, b), matrix(r.ours[0], b), {w.begin() + b * n, w.begin() + (b + 1) * n}, bound, target);
      }
      const Both eigh = run("Eigh", {a}, {of(e, {2, n, n}), of(real_of(e), {2, n})});
      expect_near(eigh.ours[1], eigh.lapacks[1], 20 * static_cast<double>(n) * eps(e), "values of Eigh");
    }
  }
}

TEST(PortableLapack, HermitianEigenvaluesThatAreEqualZeroOrFarApart) {
  const int64_t n = 4;
  const auto run_on = [&](const Numbers& values, double size) {
    const Tensor a = tensor(kF64, {n, n}, values);
    const Both r = run("lapack_dsyevd_ffi", {a}, {of(kF64, {n, n}), of(kF64, {n}), of(kI32, {})},
                       {{"mode", letter('V')}, {"uplo", letter('L')}});
    expect_near(r.ours[1], r.lapacks[1], 1e-14 * size, "values");
    expect_near(r.ours[2], r.lapacks[2], 0, "info");
    Matrix scaled = matrix(a, 0), v = matrix(r.ours[0], 0);
    expect_near(adjoint(v) * v, identity(n), 1e-14, "vᴴ·v");
  };
  run_on(Numbers(16), 1);
  run_on({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 1);
  run_on({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4);
  run_on({1e200, 1e199, 0, 0, 1e199, 1, 1, 0, 0, 1, 1e-200, 0, 0, 0, 0, 5}, 1e200);
  run_on({1e-200, 1e-201, 0, 0, 1e-201, 1e-200, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1e-200}, 1e-200);
}

TEST(PortableLapack, SingularValues) {
  for (const ElementType e : kElements) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {5, 5}, {7, 3}, {3, 7}, {2, 1}}) {
      const int64_t k = std::min(m, n);
      const Tensor a = random(e, {2, m, n}, 8);
      for (const char mode : {'A', 'S', 'N'}) {
        for (const std::string name : {"gesdd", "gesvd"}) {
          const int64_t u = mode == 'S' ? k : m, v = mode == 'S' ? k : n;
          const Both r =
              run(lapack(e, name), {a},
                  {of(e, {2, m, n}), of(real_of(e), {2, k}), of(e, {2, m, u}), of(e, {2, v, n}), of(kI32, {2})},
                  {{"mode", letter(mode)}});
          const double bound = 30 * static_cast<double>(m + n) * eps(e);
          expect_near(r.ours[1], r.lapacks[1], bound, "singular values");
          expect_near(r.ours[4], r.lapacks[4], 0, "info");
          if (mode == 'N') continue;
          const Numbers s = numbers(r.ours[1]);
          for (const int64_t b : {0, 1}) {
            const Matrix left = matrix(r.ours[2], b), right = matrix(r.ours[3], b);
            expect_near(adjoint(left) * left, identity(u), bound, "uᴴ·u");
            expect_near(right * adjoint(right), identity(v), bound, "v·vᴴ");
            Matrix sigma = zeros(u, v);
            for (int64_t i = 0; i < k; ++i) sigma.at(i, i) = s[static_cast<size_t>(b * k + i)];
            expect_near(left * sigma * right, matrix(a, b), bound, "u·s·v");
          }
        }
      }
    }
  }
}

TEST(PortableLapack, SingularValuesOfLowRank) {
  const int64_t m = 5, n = 4;
  const auto check = [&](const Matrix& a, double size) {
    const Both r = run("lapack_dgesdd_ffi", {tensor(kF64, {m, n}, a.values)},
                       {of(kF64, {m, n}), of(kF64, {n}), of(kF64, {m, m}), of(kF64, {n, n}), of(kI32, {})},
                       {{"mode", letter('A')}});
    expect_near(r.ours[1], r.lapacks[1], 1e-14 * size, "singular values");
    const Matrix u = matrix(r.ours[2], 0), v = matrix(r.ours[3], 0);
    expect_near(adjoint(u) * u, identity(m), 1e-14, "uᴴ·u");
    expect_near(v * adjoint(v), identity(n), 1e-14, "v·vᴴ");
    Matrix sigma = zeros(m, n);
    for (int64_t i = 0; i < n; ++i) sigma.at(i, i) = numbers(r.ours[1])[static_cast<size_t>(i)];
    expect_near(u * sigma * v, a, 1e-14 * size, "u·s·v");
  };
  check(zeros(m, n), 1);
  Matrix ones = zeros(m, n);
  for (Complex& v : ones.values) v = 1;
  check(ones, 5);
  // Rank 2, columns that are equal; and sizes at both ends.
  Matrix two = zeros(m, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      two.at(i, j) = static_cast<double>(i + 1) + (j % 2 == 0 ? 3.0 : -static_cast<double>(i));
  check(two, 20);
  for (Complex& v : two.values) v *= 1e200;
  check(two, 2e201);
}

TEST(PortableLapack, TridiagonalSystems) {
  for (const ElementType e : kElements) {
    for (const int64_t n : {1, 2, 3, 8}) {
      const std::vector<Tensor> x = {random(e, {2, n}, 9), random(e, {2, n}, 10), random(e, {2, n}, 11),
                                     random(e, {2, n, 3}, 12)};
      const Both r =
          run(lapack(e, "gtsv"), x, {of(e, {2, n}), of(e, {2, n}), of(e, {2, n}), of(e, {2, n, 3}), of(kI32, {2})});
      for (size_t i = 0; i < 4; ++i) {
        double scale = 1;
        for (const Complex v : numbers(r.lapacks[i])) scale = std::max(scale, std::abs(v));
        expect_near(r.ours[i], r.lapacks[i], 200 * scale * eps(e), "result " + std::to_string(i) + " of gtsv");
      }
      expect_near(r.ours[4], r.lapacks[4], 0, "info");
      const Both p = run("tridiagonal_solve_perturbed_ffi", x, {of(e, {2, n, 3})});
      double scale = 1;
      for (const Complex v : numbers(p.lapacks[0])) scale = std::max(scale, std::abs(v));
      expect_near(p.ours[0], p.lapacks[0], 200 * scale * eps(e), "perturbed");
    }
  }
}

TEST(PortableLapack, SingularTridiagonalSystemsSaySo) {
  const Tensor zero = Tensor::zeros(kF64, {3}), one = tensor(kF64, {3}, {1, 1, 1});
  const std::vector<Type> types = {of(kF64, {3}), of(kF64, {3}), of(kF64, {3}), of(kF64, {3, 1}), of(kI32, {})};
  const Tensor right = tensor(kF64, {3, 1}, {1, 2, 3});
  for (const Tensor& diagonal :
       {tensor(kF64, {3}, {0, 1, 1}), tensor(kF64, {3}, {1, 0, 1}), tensor(kF64, {3}, {1, 1, 0})}) {
    const Both r = run("lapack_dgtsv_ffi", {zero, diagonal, zero, right}, types);
    expect_near(r.ours[4], r.lapacks[4], 0, "info");
  }
  const Both p = run("tridiagonal_solve_perturbed_ffi", {zero, zero, one, right}, {of(kF64, {3, 1})});
  for (size_t i = 0; i < 3; ++i) {
    const double want = numbers(p.lapacks[0])[i].real();
    EXPECT_NEAR(numbers(p.ours[0])[i].real() / want, 1, 1e-12) << i;
  }
}

TEST(PortableLapack, TridiagonalFormIsLapacks) {
  for (const ElementType e : kElements) {
    for (const int64_t n : {1, 2, 5}) {
      for (const char uplo : {'L', 'U'}) {
        const std::vector<int64_t> beside = {2, n - 1};
        const Both r =
            run(lapack(e, "sytrd", "hetrd"), {hermitian(e, n, 13)},
                {of(e, {2, n, n}), of(real_of(e), {2, n}), of(real_of(e), beside), of(e, beside), of(kI32, {2})},
                {{"uplo", letter(uplo)}});
        for (size_t i = 0; i < 5; ++i)
          expect_near(r.ours[i], r.lapacks[i], 60 * eps(e), "result " + std::to_string(i) + " of sytrd");
      }
    }
  }
}

TEST(PortableLapack, NanIsNotLost) {
  Numbers values(9, 1);
  values[4] = NAN;
  const Tensor a = tensor(kF64, {3, 3}, values);
  const auto all_nan = [](const Tensor& t) {
    return std::ranges::all_of(numbers(t), [](Complex v) { return std::isnan(v.real()); });
  };
  const Both eigen = run("lapack_dsyevd_ffi", {a}, {of(kF64, {3, 3}), of(kF64, {3}), of(kI32, {})});
  EXPECT_TRUE(all_nan(eigen.ours[1]) || numbers(eigen.ours[2])[0].real() > 0);
  const Both eigh = run("Eigh", {a}, {of(kF64, {3, 3}), of(kF64, {3})});
  EXPECT_TRUE(all_nan(eigh.ours[0]) && all_nan(eigh.ours[1]));
  const Both svd = run("lapack_dgesdd_ffi", {a},
                       {of(kF64, {3, 3}), of(kF64, {3}), of(kF64, {3, 3}), of(kF64, {3, 3}), of(kI32, {})});
  EXPECT_NE(numbers(svd.ours[4])[0], Complex(0));
  const Both lu = run("lapack_dgetrf_ffi", {a}, {of(kF64, {3, 3}), of(kI32, {3}), of(kI32, {})});
  EXPECT_FALSE(std::isfinite(numbers(lu.ours[0])[8].real()));
}

TEST(PortableLapack, OfNothingIsNothing) {
  for (const Shape& shape : {Shape{0, 3, 3}, Shape{2, 0, 0}}) {
    const int64_t b = shape[0], n = shape[1];
    const Both lu =
        run("lapack_dgetrf_ffi", {Tensor::zeros(kF64, shape)}, {of(kF64, {b, n, n}), of(kI32, {b, n}), of(kI32, {b})});
    const Both svd =
        run("lapack_dgesdd_ffi", {Tensor::zeros(kF64, shape)},
            {of(kF64, {b, n, n}), of(kF64, {b, n}), of(kF64, {b, n, n}), of(kF64, {b, n, n}), of(kI32, {b})});
    const Both eigen =
        run("lapack_dsyevd_ffi", {Tensor::zeros(kF64, shape)}, {of(kF64, {b, n, n}), of(kF64, {b, n}), of(kI32, {b})});
    for (const Both& r : {lu, svd, eigen}) {
      for (size_t i = 0; i < r.ours.size(); ++i) expect_near(r.ours[i], r.lapacks[i], 0, "of nothing");
    }
  }
}

TEST(PortableLapack, FormsThatNoRuleTakesAreRefused) {
  const auto refused = [](const std::string& target, std::vector<Type> operands,
                          const std::vector<Type>& results) -> std::string {
    std::vector<Tensor> tensors;
    for (const Type t : operands)
      tensors.push_back(Tensor::zeros(t.element_type(), {t.shape().begin(), t.shape().end()}));
    try {
      portable_program(*program(target, tensors, results, {}), "main");
    } catch (const Unsupported& error) { return error.what(); }
    return "";
  };
  EXPECT_NE(refused("lapack_dgetrf_ffi", {of(kF64, {3, 3})}, {of(kF64, {3, 3}), of(kI32, {2}), of(kI32, {})})
                .find("type of result 1: got tensor<2xi32>, expected tensor<3xi32>"),
            std::string::npos);
  EXPECT_NE(refused("lapack_dgeqp3_ffi", {of(kF64, {3, 3})}, {of(kF64, {3, 3}), of(kI32, {3}), of(kF64, {3})})
                .find("got 1 operands, expected 2"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::test::portable
