// Derivatives of LAPACK's custom calls, held to the laws of every op: forward against central differences, reverse against forward, second
// order, lanes against a loop.
#include "ops/linear_algebra/matrix_algebra.h"
#include "tests/lapack/call_sample.h"

namespace weft::test {
namespace {

/// left · diag(1, 2, …) · right: what no phase of singular or eigenvectors changes.
Value weighted(OpBuilder& b, Value left, Value right) {
  const Type t = b.type(right);
  const Value weights = b.convert(
      b.add(b.iota(t.with_element(ElementType::kF64), t.rank() - 2), b.splat(t.with_element(ElementType::kF64), 1)),
      t.element_type());
  return matrix_algebra::product(b, left, b.multiply(weights, right));
}

TEST(LapackDerivatives, TriangularSolveAndCholesky) {
  expect_laws({"lapack_dtrsm_ffi",
               {{3, 3}, {3, 2}},
               {{3, 2}},
               {0},
               {{"side", 'L'}, {"uplo", 'U'}, {"diag", 'N'}, {"trans_x", 'T'}},
               {},
               2});
  expect_laws({"lapack_dtrsm_ffi",
               {{2, 2}, {3, 2}},
               {{3, 2}},
               {0},
               {{"side", 'R'}, {"uplo", 'L'}, {"diag", 'U'}, {"trans_x", 'N'}}});
  expect_laws({"lapack_dpotrf_ffi", {{3, 3}}, {{3, 3}, {}}, {0, 1}, {{"uplo", 'L'}}, {1}, 6});
  expect_laws({"lapack_dpotrf_ffi", {{2, 3, 3}}, {{2, 3, 3}, {2}}, {0}, {{"uplo", 'U'}}, {1}, 6});
}

TEST(LapackDerivatives, Lu) {
  expect_laws({"lapack_dgetrf_ffi", {{3, 3}}, {{3, 3}, {3}, {}}, {0, 1, 2}, {}, {1, 2}});
  expect_laws({"lapack_dgetrf_ffi", {{4, 2}}, {{4, 2}, {2}, {}}, {0}, {}, {1, 2}});
  expect_laws({"lapack_dgetrf_ffi", {{2, 2, 4}}, {{2, 2, 4}, {2, 2}, {2}}, {0}, {}, {1, 2}});
  expect_laws({"LuDecomposition", {{3, 3}}, {{3, 3}, {3}, {3}}, {0, 1, 2}, {}, {1, 2}});
}

TEST(LapackDerivatives, ReflectorsOfQr) {
  expect_laws({"lapack_dgeqrf_ffi", {{4, 2}}, {{4, 2}, {2}}, {0, 1}});
  expect_laws({"lapack_dgeqrf_ffi", {{3, 3}}, {{3, 3}, {3}}, {0, 1}});
  expect_laws({"Qr", {{2, 2, 4}}, {{2, 2, 4}, {2, 2}}, {0, 1}});
}

TEST(LapackDerivatives, ProductOfReflectors) {
  expect_laws({"lapack_dorgqr_ffi", {{4, 2}, {2}}, {{4, 2}}, {0}});
  expect_laws({"lapack_dorgqr_ffi", {{2, 3, 3}, {2, 2}}, {{2, 3, 3}}, {0}});
  expect_laws({"householder_product", {{3, 3}, {3}}, {{3, 3}}, {0}});
}

TEST(LapackDerivatives, SymmetricEigenvalues) {
  expect_laws({"lapack_dsyevd_ffi", {{3, 3}}, {{3, 3}, {3}, {}}, {0, 1, 2}, {{"mode", 'V'}, {"uplo", 'L'}}, {2}, 1});
  expect_laws({"lapack_dsyevd_ffi", {{3, 3}}, {{3, 3}, {3}, {}}, {1}, {{"mode", 'N'}, {"uplo", 'U'}}, {2}, 1});
  expect_laws({"lapack_dsyevr_ffi", {{3, 3}}, {{3, 3}, {3}, {}}, {0, 1, 2}, {{"mode", 'V'}, {"uplo", 'U'}}, {2}, 1});
  expect_laws({"Eigh", {{2, 3, 3}}, {{2, 3, 3}, {2, 3}}, {1, 0}, {}, {}, 1});
}

TEST(LapackDerivatives, SingularValues) {
  const auto svd = [](char mode, std::vector<int64_t> a, int64_t columns, int64_t rows, std::vector<size_t> kept) {
    const int64_t m = a[0], n = a[1];
    return Call{"lapack_dgesdd_ffi",
                {a},
                {a, {std::min(m, n)}, {m, columns}, {rows, n}, {}},
                std::move(kept),
                {{"mode", mode}},
                {4},
                1};
  };
  expect_laws(svd('S', {3, 2}, 2, 2, {1, 2, 3}));
  expect_laws(svd('S', {2, 3}, 2, 2, {1, 2, 3}));
  expect_laws(svd('A', {3, 3}, 3, 3, {1, 2, 3}));
  expect_laws(svd('A', {3, 2}, 3, 2, {1, 3}));
  expect_laws(svd('N', {3, 2}, 2, 2, {1}));
}

// ---- complex matrices ---------------------------------------------------------------------------------------------------------

TEST(LapackDerivatives, ComplexTriangularSolveAndCholesky) {
  for (const char trans : {'N', 'T', 'C'}) {
    expect_laws({"lapack_ztrsm_ffi",
                 {{3, 3}, {3, 2}},
                 {{3, 2}},
                 {0},
                 {{"side", 'L'}, {"uplo", 'U'}, {"diag", 'N'}, {"trans_x", trans}},
                 {},
                 3,
                 kComplex});
    expect_laws({"lapack_ztrsm_ffi",
                 {{2, 2}, {3, 2}},
                 {{3, 2}},
                 {0},
                 {{"side", 'R'}, {"uplo", 'L'}, {"diag", 'U'}, {"trans_x", trans}},
                 {},
                 0,
                 kComplex});
  }
  expect_laws({"lapack_zpotrf_ffi", {{3, 3}}, {{3, 3}, {}}, {0, 1}, {{"uplo", 'L'}}, {1}, 9, kComplex});
  expect_laws({"lapack_zpotrf_ffi", {{2, 3, 3}}, {{2, 3, 3}, {2}}, {0}, {{"uplo", 'U'}}, {1}, 9, kComplex});
}

TEST(LapackDerivatives, ComplexLu) {
  expect_laws({"lapack_zgetrf_ffi", {{3, 3}}, {{3, 3}, {3}, {}}, {0, 1, 2}, {}, {1, 2}, 0, kComplex});
  expect_laws({"lapack_zgetrf_ffi", {{4, 2}}, {{4, 2}, {2}, {}}, {0}, {}, {1, 2}, 0, kComplex});
  expect_laws({"lapack_zgetrf_ffi", {{2, 4}}, {{2, 4}, {2}, {}}, {0}, {}, {1, 2}, 0, kComplex});
}

TEST(LapackDerivatives, ComplexQr) {
  expect_laws({"lapack_zgeqrf_ffi", {{4, 2}}, {{4, 2}, {2}}, {0, 1}, {}, {}, 0, kComplex});
  expect_laws({"lapack_zgeqrf_ffi", {{3, 3}}, {{3, 3}, {3}}, {0, 1}, {}, {}, 0, kComplex});
  expect_laws({"lapack_zgeqrf_ffi", {{2, 2, 4}}, {{2, 2, 4}, {2, 2}}, {0, 1}, {}, {}, 0, kComplex});
  expect_laws({"lapack_zungqr_ffi", {{4, 2}, {2}}, {{4, 2}}, {0}, {}, {}, 0, kComplex});
  expect_laws({"lapack_zungqr_ffi", {{3, 3}, {2}}, {{3, 3}}, {0}, {}, {}, 0, kComplex});
}

TEST(LapackDerivatives, HermitianEigenvalues) {
  for (const char uplo : {'L', 'U'}) {
    expect_laws({"lapack_zheevd_ffi",
                 {{3, 3}},
                 {{3, 3}, {3}, {}},
                 {},
                 {{"mode", 'V'}, {"uplo", uplo}},
                 {2},
                 1,
                 kComplex,
                 {1},
                 [](OpBuilder& b, std::span<const Value> r) {
                   return std::vector{r[1], weighted(b, r[0], matrix_algebra::adjoint(b, r[0]))};
                 }});
  }
  expect_laws(
      {"lapack_zheevd_ffi", {{3, 3}}, {{3, 3}, {3}, {}}, {1}, {{"mode", 'N'}, {"uplo", 'U'}}, {2}, 1, kComplex, {1}});
}

TEST(LapackDerivatives, ComplexSingularValues) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{3, 2}, {2, 3}, {3, 3}}) {
    const int64_t k = std::min(m, n);
    expect_laws({"lapack_zgesdd_ffi",
                 {{m, n}},
                 {{m, n}, {k}, {m, k}, {k, n}, {}},
                 {},
                 {{"mode", 'S'}},
                 {4},
                 1,
                 kComplex,
                 {1},
                 [](OpBuilder& b, std::span<const Value> r) { return std::vector{r[1], weighted(b, r[2], r[3])}; }});
  }
}

TEST(LapackDerivatives, EqualEigenvaluesLeaveASymmetricFunctionFinite) {
  // The sum of the squares of the eigenvalues of 1 is the squared norm: its gradient is 2 on the diagonal.
  Module module;
  Function& f = module.add(std::make_unique<Function>("f"));
  const Type t = Type::tensor(ElementType::kF64, {2, 2});
  const Value a = f.add_arg(f.body(), t);
  OpBuilder b(f, f.body(), &module);
  const Type types[] = {t, Type::tensor(ElementType::kF64, {2})};
  const std::vector<Value> eigen =
      b.create("stablehlo.custom_call", std::span(&a, 1), Attrs{{"call_target_name", "Eigh"}}, types);
  const int64_t dims[] = {0};
  const Value sum = b.reduce(b.multiply(eigen[1], eigen[1]), dims, "stablehlo.add");
  b.yield(std::span(&sum, 1));
  const size_t where[] = {0};
  gradient(module, "f", where, "g");
  const Tensor got = evaluate(module, "g", std::vector{Tensor::of<double>({1, 0, 0, 1}, {2, 2})})[0];
  const double expected[] = {2, 0, 0, 2};
  for (int64_t i = 0; i < 4; ++i) EXPECT_NEAR(element(got, i), expected[i], 1e-12) << i;
}

TEST(LapackDerivatives, RefusesWhatAResultDoesNotSay) {
  const Sample sample =
      sample_of({"lapack_dgesdd_ffi", {{3, 2}}, {{3, 2}, {2}, {3, 3}, {2, 2}, {}}, {2}, {{"mode", 'A'}}, {4}});
  auto module = sample_module(sample);
  const size_t where[] = {0};
  EXPECT_THROW(jvp(*module, "f", where, "g"), Unsupported);
}

}  // namespace
}  // namespace weft::test
