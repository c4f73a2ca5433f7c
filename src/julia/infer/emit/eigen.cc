// Singular values and eigenvalues by LAPACK's custom calls.
#include <algorithm>

#include "julia/infer/emit/lapack_calls.h"
#include "julia/run/impl.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::julia {
namespace {

namespace ma = matrix_algebra;
using Args = std::span<const Abstract>;
constexpr ElementType kInt = ElementType::kI32;

/// (job, A) → (U, values, Vt, info). Jobs: N values only, S thin, A full.
Abstract singular_values(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[1]);
  const char job = letter_of(c, a[0]);
  const int64_t k = std::min(m.rows, m.columns);
  const int64_t u = job == 'A' ? m.rows : k, v = job == 'A' ? m.columns : k;
  const ElementType e = m.element;
  const std::vector<IrValue> out = lapack(c, {"gesdd"}, e, {by_rows(c, m)},
                                          {shaped(e, {m.rows, m.columns}), shaped(real_of(e), {k}),
                                           shaped(e, {m.rows, u}), shaped(e, {v, m.columns}), shaped(kInt, {})},
                                          {{"mode", job}});
  return c.tuple({matrix_of_rows(c, out[2]), vector_of(c, out[1]), matrix_of_rows(c, out[3]), info_of(c, out[4])});
}

/// (job, range, uplo, A, lower, upper, first, last) → (values, vectors, info)
Abstract eigen_symmetric(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[3]);
  if (letter_of(c, a[1]) != 'A') c.fail(Cause::kUnsupported, "some of the eigenvalues of a matrix");
  const std::vector<IrValue> out =
      lapack(c, {"syevr", "heevr"}, m.element, {by_rows(c, m)},
             {shaped(m.element, {m.rows, m.rows}), shaped(real_of(m.element), {m.rows}), shaped(kInt, {})},
             {{"mode", letter_of(c, a[0])}, {"uplo", letter_of(c, a[2])}});
  return c.tuple({vector_of(c, out[1]), matrix_of_rows(c, out[0]), info_of(c, out[2])});
}

/// (with vectors, diagonal, off-diagonal) → (values, vectors, info)
Abstract eigen_tridiagonal(Compiler& c, Args a) {
  const MatrixArgument d = matrix_argument(c, a[1]), off = matrix_argument(c, a[2]);
  if (d.rows == 0 || !a[0].is_constant()) c.fail(Cause::kUnsupported, "eigenvalues of an empty matrix");
  OpBuilder& b = c.b();
  const int64_t n = d.rows;
  const auto on_diagonal = [&](const MatrixArgument& x, int64_t size) {
    const weft::Type square = shaped(d.element, {size, size});
    const int64_t flat[] = {x.rows}, start[] = {0}, limit[] = {size};
    const IrValue v = b.slice(b.reshape(x.leaf, flat), start, limit);
    return ma::part(b, ma::spread(b, v, square, 0), "EQ");
  };
  IrValue matrix = on_diagonal(d, n);
  if (n > 1) {
    const int64_t low[] = {1, 0}, high[] = {0, 1};
    matrix = b.add(matrix, b.pad(on_diagonal(off, n - 1), b.zeros(shaped(d.element, {})), low, high));
  }
  const bool with_vectors = a[0].constant.get<bool>();
  const std::vector<IrValue> out =
      lapack(c, {"syevr"}, d.element, {matrix}, {b.type(matrix), shaped(d.element, {n}), shaped(kInt, {})},
             {{"mode", with_vectors ? 'V' : 'N'}, {"uplo", 'L'}});
  const Abstract vectors = matrix_of_rows(c, with_vectors ? out[0] : b.zeros(shaped(d.element, {0, 0})));
  return c.tuple({vector_of(c, out[1]), vectors, info_of(c, out[2])});
}

/// (balance, job of right vectors, A) → (values, vectors, info). Whether a real matrix has real eigenvalues only the program's run can tell: compiled
/// code is for those that have.
Abstract eigen_general(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[2]);
  if (letter_of(c, a[0]) != 'B') c.fail(Cause::kUnsupported, "eigenvalues of a matrix that is not balanced");
  OpBuilder& b = c.b();
  const char job = letter_of(c, a[1]);
  const ElementType e = m.element;
  const bool is_real = !is_complex(e);
  const ElementType complex_type = is_real ? (e == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128) : e;
  const weft::Type values = shaped(e, {m.rows}), vectors = shaped(complex_type, {m.rows, m.rows});
  const auto letters = {std::pair<std::string_view, char>{"compute_left", 'N'}, {"compute_right", job}};
  if (!is_real) {
    const std::vector<IrValue> out =
        lapack(c, {"geev"}, e, {by_rows(c, m)}, {values, vectors, vectors, shaped(kInt, {})}, letters);
    return c.tuple({vector_of(c, out[0]), matrix_of_rows(c, out[2]), info_of(c, out[3])});
  }
  const std::vector<IrValue> out =
      lapack(c, {"geev"}, e, {by_rows(c, m)}, {values, values, vectors, vectors, shaped(kInt, {})}, letters);
  check_all(c, b.compare(out[1], b.zeros(values), "EQ"), "a real matrix with complex eigenvalues");
  return c.tuple({vector_of(c, out[0]), matrix_of_rows(c, op1(c, "stablehlo.real", out[3])), info_of(c, out[4])});
}

/// (A): A becomes the Schur form → (vectors, values, info)
Abstract schur(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  if (m.rows == 0) c.fail(Cause::kUnsupported, "the Schur form of an empty matrix");
  OpBuilder& b = c.b();
  const ElementType e = m.element;
  const weft::Type square = shaped(e, {m.rows, m.rows}), values = shaped(e, {m.rows});
  const auto letters = {std::pair<std::string_view, char>{"mode", 'V'}, {"sort", 'N'}};
  std::vector<IrValue> out;
  if (is_complex(e)) {
    out =
        lapack(c, {"gees"}, e, {by_rows(c, m)}, {square, square, values, shaped(kInt, {}), shaped(kInt, {})}, letters);
  } else {
    out = lapack(c, {"gees"}, e, {by_rows(c, m)}, {square, square, values, values, shaped(kInt, {}), shaped(kInt, {})},
                 letters);
    check_all(c, b.compare(out[3], b.zeros(values), "EQ"), "a real matrix with complex eigenvalues");
  }
  store_rows(c, m, out[0]);
  return c.tuple({matrix_of_rows(c, out[1]), vector_of(c, out[2]), info_of(c, out.back())});
}

/// (job, uplo, A, B): A becomes the vectors of A x = λ B x, B its Cholesky factor → (values, info)
Abstract eigen_generalized_symmetric(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[2]), by = matrix_argument(c, a[3]);
  if (m.rows == 0) c.fail(Cause::kUnsupported, "eigenvalues of an empty matrix");
  OpBuilder& b = c.b();
  const char job = letter_of(c, a[0]), uplo = letter_of(c, a[1]);
  const bool lower = uplo == 'L';
  const weft::Type square = shaped(m.element, {m.rows, m.rows});
  const std::vector<IrValue> factor =
      lapack(c, {"potrf"}, m.element, {by_rows(c, by)}, {square, shaped(kInt, {})}, {{"uplo", uplo}});
  // With B = F Fᴴ or Fᴴ F: the eigenvalues of F⁻¹ A F⁻ᴴ, whose vectors F takes back.
  const IrValue f = lower ? factor[0] : ma::adjoint(b, factor[0]);
  const ma::Triangle whole{.left = true, .lower = true};
  const IrValue half = ma::solve(b, f, ma::hermitian(b, by_rows(c, m), lower), whole);
  const IrValue moved = ma::solve(b, f, ma::adjoint(b, half), whole);
  const std::vector<IrValue> out =
      lapack(c, {"syevd", "heevd"}, m.element, {moved},
             {square, shaped(real_of(m.element), {m.rows}), shaped(kInt, {})}, {{"mode", job}, {"uplo", uplo}});
  if (job == 'V') store_rows(c, m, ma::solve(b, ma::adjoint(b, f), out[0], {.left = true, .lower = false}));
  store_rows(c, by, factor[0]);
  const IrValue count = b.splat(shaped(kInt, {}), static_cast<double>(m.rows));
  const IrValue is_definite = b.compare(factor[1], b.zeros(shaped(kInt, {})), "EQ");
  return c.tuple({vector_of(c, out[1]), info_of(c, b.select(is_definite, out[2], b.add(factor[1], count)))});
}

constexpr Emission kEmissions[] = {
    {"_singular_values", singular_values},
    {"_eigen_symmetric", eigen_symmetric},
    {"_eigen_tridiagonal", eigen_tridiagonal},
    {"_eigen_general", eigen_general},
    {"_eigen_generalized_symmetric", eigen_generalized_symmetric},
    {"_schur", schur},
};

}  // namespace

std::span<const Emission> eigen_emissions() { return kEmissions; }

}  // namespace weft::julia
