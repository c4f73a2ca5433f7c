// General matrices' eigenvalues, Schur and Hessenberg form written out in StableHLO's ops.
#include "tests/lapack/portable_sample.h"

namespace weft::test::portable {
namespace {

ElementType complex_of(ElementType e) { return real_of(e) == kF32 ? kC64 : kC128; }

/// Each of `got` is near one of `want` that no other is near.
void expect_same_set(Numbers got, Numbers want, double bound, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (const Complex g : got) {
    const auto nearest = std::min_element(want.begin(), want.end(),
                                          [&](Complex x, Complex y) { return std::abs(x - g) < std::abs(y - g); });
    EXPECT_LE(std::abs(*nearest - g), bound) << what;
    want.erase(nearest);
  }
}

TEST(PortableGeneral, HessenbergFormIsLapacks) {
  for (const ElementType e : kElements) {
    for (const int64_t n : {1, 2, 5}) {
      const std::vector<int64_t> beside = {2, n - 1};
      const Both r =
          run(lapack(e, "gehrd"), {random(e, {2, n, n}, 20)}, {of(e, {2, n, n}), of(e, beside), of(kI32, {2})});
      for (size_t i = 0; i < 3; ++i) expect_near(r.ours[i], r.lapacks[i], 60 * eps(e), "result " + std::to_string(i));
    }
    const Config part = {{"low", "2 : i32"}, {"high", "4 : i32"}};
    // Outside of these rows and columns it is triangular.
    Matrix x = matrix(random(e, {5, 5}, 21), 0);
    for (int64_t i = 1; i < 5; ++i) x.at(i, 0) = x.at(4, i - 1) = 0;
    const Tensor a = tensor(e, {5, 5}, x.values);
    const Both r = run(lapack(e, "gehrd"), {a}, {of(e, {5, 5}), of(e, {4}), of(kI32, {})}, part);
    for (size_t i = 0; i < 2; ++i) expect_near(r.ours[i], r.lapacks[i], 60 * eps(e), "rows 2 to 4");
  }
}

/// z·t·zᴴ = a, zᴴ·z = 1, and t is what its eigenvalues say.
void expect_schur(ElementType e, const Tensor& a, double size) {
  const int64_t b = a.shape()[0], n = a.shape()[1];
  std::vector<Type> types = {of(e, {b, n, n}), of(e, {b, n, n}), of(e, {b, n}), of(kI32, {b}), of(kI32, {b})};
  if (!is_complex(e)) types.insert(types.begin() + 3, of(e, {b, n}));
  const Both r = run(lapack(e, "gees"), {a}, types, {{"mode", letter('V')}, {"sort", letter('N')}});
  const double bound = 30 * static_cast<double>(n) * eps(e) * size;
  expect_near(r.ours.back(), r.lapacks.back(), 0, "info");
  for (int64_t i = 0; i < b; ++i) {
    const Matrix t = matrix(r.ours[0], i), z = matrix(r.ours[1], i);
    expect_near(z * t * adjoint(z), matrix(a, i), bound, lapack(e, "gees") + ": z·t·zᴴ");
    expect_near(adjoint(z) * z, identity(n), bound / size, "zᴴ·z");
    for (int64_t j = 0; j < n; ++j) {
      const Complex w = numbers(r.ours[2])[static_cast<size_t>(i * n + j)];
      EXPECT_EQ(t.at(j, j), w) << "the diagonal holds the eigenvalues";
      for (int64_t k = j + 1; k < n; ++k) {
        const bool is_pair =
            !is_complex(e) && k == j + 1 && numbers(r.ours[3])[static_cast<size_t>(i * n + j)].real() > 0;
        if (!is_pair) EXPECT_EQ(t.at(k, j), Complex(0)) << k << ", " << j;
        else EXPECT_EQ(t.at(k, k), w);
      }
    }
  }
}

TEST(PortableGeneral, SchurForm) {
  for (const ElementType e : kElements) {
    for (const int64_t n : {1, 2, 3, 4, 9}) expect_schur(e, random(e, {2, n, n}, 22), 1);
  }
}

TEST(PortableGeneral, SchurFormOfSpecialMatrices) {
  const auto square = [](const Numbers& values) {
    const auto n = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(values.size()))));
    return tensor(kF64, {1, n, n}, values);
  };
  expect_schur(kF64, square(Numbers(9)), 1);
  expect_schur(kF64, square({1, 0, 0, 0, 1, 0, 0, 0, 1}), 1);
  // Cyclic: eigenvalues of one size, where the usual shifts lead nowhere.
  expect_schur(kF64, square({0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}), 1);
  expect_schur(kF64, square({0, 1, 0, 0, 0, 1, 1, 0, 0}), 1);
  // Defective; a rotation; triangular; far apart.
  expect_schur(kF64, square({2, 1, 0, 0, 2, 1, 0, 0, 2}), 2);
  expect_schur(kF64, square({0, -1, 1, 0}), 1);
  expect_schur(kF64, square({2, 0, 3, 2}), 3);
  expect_schur(kF64, square({1, 2, 3, 0, 4, 5, 0, 0, 6}), 6);
  expect_schur(kF64, square({1e200, 2e200, 3e199, 1, 4e-200, 5, 7e100, 1e-100, 6e200}), 1e200);
}

/// Eigenvalues as complex numbers.
Numbers values_of(ElementType e, const std::vector<Tensor>& results) {
  Numbers out = numbers(results[0]);
  if (is_complex(e)) return out;
  const Numbers imaginary = numbers(results[1]);
  for (size_t i = 0; i < out.size(); ++i) out[i] += Complex(0, imaginary[i].real());
  return out;
}

TEST(PortableGeneral, EigenvaluesAndVectors) {
  for (const ElementType e : kElements) {
    for (const int64_t n : {1, 2, 3, 6}) {
      const Tensor a = random(e, {2, n, n}, 23);
      for (const std::string jobs : {"NN", "VV", "NV", "VN"}) {
        std::vector<Type> types = {of(e, {2, n}), of(complex_of(e), {2, n, n}), of(complex_of(e), {2, n, n}),
                                   of(kI32, {2})};
        if (!is_complex(e)) types.insert(types.begin(), of(e, {2, n}));
        const Both r =
            run(lapack(e, "geev"), {a}, types, {{"compute_left", letter(jobs[0])}, {"compute_right", letter(jobs[1])}});
        expect_near(r.ours.back(), r.lapacks.back(), 0, "info");
        const double bound = 300 * static_cast<double>(n) * eps(e);
        const Numbers all = values_of(e, r.ours), want = values_of(e, r.lapacks);
        for (const int64_t b : {0, 1}) {
          const Numbers w(all.begin() + b * n, all.begin() + (b + 1) * n);
          expect_same_set(w, {want.begin() + b * n, want.begin() + (b + 1) * n}, bound, lapack(e, "geev"));
          for (size_t j = 0; !is_complex(e) && j < w.size(); ++j) {
            if (w[j].imag() <= 0) continue;
            EXPECT_EQ(w[j + 1], std::conj(w[j])) << "a pair, the positive one first";
          }
          Matrix d = zeros(n, n);
          for (int64_t j = 0; j < n; ++j) d.at(j, j) = w[static_cast<size_t>(j)];
          const size_t first = is_complex(e) ? 1 : 2;
          const Matrix x = matrix(a, b), left = matrix(r.ours[first], b), right = matrix(r.ours[first + 1], b);
          const auto expect_unit = [&](const Matrix& v) {
            for (int64_t j = 0; j < n; ++j) {
              double sum = 0;
              Complex top = 0;
              for (int64_t i = 0; i < n; ++i) {
                sum += std::norm(v.at(i, j));
                if (std::abs(v.at(i, j)) > std::abs(top) * (1 + 10 * eps(e))) top = v.at(i, j);
              }
              EXPECT_NEAR(sum, 1, 20 * eps(e));
              EXPECT_NEAR(top.imag(), 0, 20 * eps(e)) << "the largest number is real";
            }
          };
          if (jobs[1] == 'V') {
            expect_near(x * right, right * d, bound, "a·v = v·w");
            expect_unit(right);
          }
          if (jobs[0] == 'V') {
            expect_near(adjoint(left) * x, d * adjoint(left), bound, "uᴴ·a = w·uᴴ");
            expect_unit(left);
          }
        }
      }
    }
  }
}

TEST(PortableGeneral, EigenvaluesOfNanAreSaidToFail) {
  Numbers values(9, 1);
  values[4] = NAN;
  const Both r = run("lapack_dgeev_ffi", {tensor(kF64, {3, 3}, values)},
                     {of(kF64, {3}), of(kF64, {3}), of(kC128, {3, 3}), of(kC128, {3, 3}), of(kI32, {})});
  EXPECT_GT(numbers(r.ours.back())[0].real(), 0);
}

}  // namespace
}  // namespace weft::test::portable
