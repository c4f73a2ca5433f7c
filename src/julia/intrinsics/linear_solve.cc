// Factorizations by elimination, and what they solve.
#include "julia/intrinsics/linear.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// lu!(A) → (pivots, info)
Value lu(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    std::vector<int> pivots(static_cast<size_t>(std::min(m.rows, m.columns)));
    const int stride = m.stride();
    int info = 0;
    Linear<T>::getrf(&m.rows, &m.columns, m.data, &stride, pivots.data(), &info);
    check_arguments(info);
    out = make_tuple({indices(pivots), integer(info)});
  });
  return out;
}

/// (trans, LU, pivots, B): B becomes the solution.
Value lu_solve(Evaluator&, Args a) {
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]), b = columns_of<T>(a[3]);
    const std::vector<int> pivots = indices_of(a[2]);
    const char trans = transposition<T>(a[0]);
    const int stride = m.stride(), b_stride = b.stride();
    int info = 0;
    Linear<T>::getrs(&trans, &m.rows, &b.columns, m.data, &stride, pivots.data(), b.data, &b_stride, &info);
    check_arguments(info);
  });
  return a[3];
}

/// (LU, pivots): the inverse in its place.
Value lu_inverse(Evaluator&, Args a) {
  int info = 0;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const std::vector<int> pivots = indices_of(a[1]);
    const int stride = m.stride();
    with_workspace<T>(
        [&](T* work, int n) { Linear<T>::getri(&m.rows, m.data, &stride, pivots.data(), work, &n, &info); });
    check_arguments(info);
  });
  return integer(info);
}

/// (norm, LU, norm of the matrix) → the reciprocal of the condition number, estimated.
Value reciprocal_condition(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]);
    const char kind = letter(a[0]);
    const auto norm = a[2].get<Real<T>>();
    const int stride = m.stride();
    Real<T> rcond = 0;
    int info = 0;
    const auto n = static_cast<size_t>(m.rows);
    if constexpr (kIsComplex<T>) {
      std::vector<T> work(2 * n + 1);
      std::vector<Real<T>> real_work(2 * n + 1);
      Linear<T>::gecon(&kind, &m.rows, m.data, &stride, &norm, &rcond, work.data(), real_work.data(), &info);
    } else {
      std::vector<T> work(4 * n + 1);
      std::vector<int> integer_work(n + 1);
      Linear<T>::gecon(&kind, &m.rows, m.data, &stride, &norm, &rcond, work.data(), integer_work.data(), &info);
    }
    out = number(rcond);
  });
  return out;
}

/// (uplo, A) → info
Value cholesky(Evaluator&, Args a) {
  int info = 0;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]);
    const char uplo = letter(a[0]);
    const int stride = m.stride();
    Linear<T>::potrf(&uplo, &m.rows, m.data, &stride, &info);
    check_arguments(info);
  });
  return integer(info);
}

/// (uplo, factor, B)
Value cholesky_solve(Evaluator&, Args a) {
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]), b = columns_of<T>(a[2]);
    const char uplo = letter(a[0]);
    const int stride = m.stride(), b_stride = b.stride();
    int info = 0;
    Linear<T>::potrs(&uplo, &m.rows, &b.columns, m.data, &stride, b.data, &b_stride, &info);
    check_arguments(info);
  });
  return a[2];
}

/// (uplo, factor): one triangle of the inverse in its place.
Value cholesky_inverse(Evaluator&, Args a) {
  int info = 0;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]);
    const char uplo = letter(a[0]);
    const int stride = m.stride();
    Linear<T>::potri(&uplo, &m.rows, m.data, &stride, &info);
    check_arguments(info);
  });
  return integer(info);
}

/// (uplo, A, tolerance) → (pivots, rank, info)
Value cholesky_pivoted(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]);
    const char uplo = letter(a[0]);
    const auto tolerance = a[2].get<Real<T>>();
    const auto n = static_cast<size_t>(m.rows);
    std::vector<int> pivots(n);
    std::vector<Real<T>> work(2 * n + 1);
    const int stride = m.stride();
    int rank = 0, info = 0;
    Linear<T>::pstrf(&uplo, &m.rows, m.data, &stride, pivots.data(), &rank, &tolerance, work.data(), &info);
    check_arguments(info);
    out = make_tuple({indices(pivots), integer(rank), integer(info)});
  });
  return out;
}

/// (uplo, is Hermitian, A) → (pivots, info)
Value bunch_kaufman(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[2]);
    const char uplo = letter(a[0]);
    const auto routine = a[1].get<bool>() ? Linear<T>::hetrf : Linear<T>::sytrf;
    std::vector<int> pivots(static_cast<size_t>(m.rows));
    const int stride = m.stride();
    int info = 0;
    with_workspace<T>(
        [&](T* work, int n) { routine(&uplo, &m.rows, m.data, &stride, pivots.data(), work, &n, &info); });
    check_arguments(info);
    out = make_tuple({indices(pivots), integer(info)});
  });
  return out;
}

/// (uplo, is Hermitian, factor, pivots, B)
Value bunch_kaufman_solve(Evaluator&, Args a) {
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[2]), b = columns_of<T>(a[4]);
    const char uplo = letter(a[0]);
    const auto routine = a[1].get<bool>() ? Linear<T>::hetrs : Linear<T>::sytrs;
    const std::vector<int> pivots = indices_of(a[3]);
    const int stride = m.stride(), b_stride = b.stride();
    int info = 0;
    routine(&uplo, &m.rows, &b.columns, m.data, &stride, pivots.data(), b.data, &b_stride, &info);
    check_arguments(info);
  });
  return a[4];
}

/// (uplo, trans, diag, A, B): B becomes A \ B. → info: the first zero of the diagonal
Value triangular_solve(Evaluator&, Args a) {
  int info = 0;
  visit_linear(array_of(a[3]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[3]), b = columns_of<T>(a[4]);
    const char uplo = letter(a[0]), trans = transposition<T>(a[1]), diag = letter(a[2]);
    const int stride = m.stride(), b_stride = b.stride();
    Linear<T>::trtrs(&uplo, &trans, &diag, &m.rows, &b.columns, m.data, &stride, b.data, &b_stride, &info);
    check_arguments(info);
  });
  return integer(info);
}

/// (uplo, trans, diag, A, B): B becomes B / A.
Value triangular_solve_right(Evaluator&, Args a) {
  visit_linear(array_of(a[3]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[3]), b = columns_of<T>(a[4]);
    const char side = 'R', uplo = letter(a[0]), trans = transposition<T>(a[1]), diag = letter(a[2]);
    const int stride = m.stride(), b_stride = b.stride();
    const T one = 1;
    Linear<T>::trsm(&side, &uplo, &trans, &diag, &b.rows, &b.columns, &one, m.data, &stride, b.data, &b_stride);
  });
  return a[4];
}

/// (side, uplo, trans, diag, A, B): B becomes A B or B A.
Value triangular_multiply(Evaluator&, Args a) {
  visit_linear(array_of(a[4]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[4]), b = columns_of<T>(a[5]);
    const char side = letter(a[0]), uplo = letter(a[1]), trans = transposition<T>(a[2]), diag = letter(a[3]);
    const int stride = m.stride(), b_stride = b.stride();
    const T one = 1;
    Linear<T>::trmm(&side, &uplo, &trans, &diag, &b.rows, &b.columns, &one, m.data, &stride, b.data, &b_stride);
  });
  return a[5];
}

/// (uplo, diag, A) → info
Value triangular_inverse(Evaluator&, Args a) {
  int info = 0;
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[2]);
    const char uplo = letter(a[0]), diag = letter(a[1]);
    const int stride = m.stride();
    Linear<T>::trtri(&uplo, &diag, &m.rows, m.data, &stride, &info);
    check_arguments(info);
  });
  return integer(info);
}

/// (lower, diagonal, upper, B), all overwritten → info
Value tridiagonal_solve(Evaluator&, Args a) {
  int info = 0;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto d = columns_of<T>(a[1]), b = columns_of<T>(a[3]);
    const int b_stride = b.stride();
    Linear<T>::gtsv(&d.rows, &b.columns, data_of<T>(a[0]), d.data, data_of<T>(a[2]), b.data, &b_stride, &info);
    check_arguments(info);
  });
  return integer(info);
}

/// (trans a, trans b, A, B, C) of triangular factors by Schur: C becomes X of A X + X B = scale C. → scale
Value sylvester(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[2]), b = columns_of<T>(a[3]), c = columns_of<T>(a[4]);
    const char ta = transposition<T>(a[0]), tb = transposition<T>(a[1]);
    const int sign = 1, m_stride = m.stride(), b_stride = b.stride(), c_stride = c.stride();
    Real<T> scale = 1;
    int info = 0;
    Linear<T>::trsyl(&ta, &tb, &sign, &m.rows, &b.rows, m.data, &m_stride, b.data, &b_stride, c.data, &c_stride, &scale,
                     &info);
    check_arguments(info);
    out = number(scale);
  });
  return out;
}

constexpr IntrinsicEntry kEntries[] = {
    {"_lu", lu, 1, 1},
    {"_lu_solve", lu_solve, 4, 4},
    {"_lu_inverse", lu_inverse, 2, 2},
    {"_reciprocal_condition", reciprocal_condition, 3, 3},
    {"_cholesky", cholesky, 2, 2},
    {"_cholesky_solve", cholesky_solve, 3, 3},
    {"_cholesky_inverse", cholesky_inverse, 2, 2},
    {"_cholesky_pivoted", cholesky_pivoted, 3, 3},
    {"_bunch_kaufman", bunch_kaufman, 3, 3},
    {"_bunch_kaufman_solve", bunch_kaufman_solve, 5, 5},
    {"_triangular_solve", triangular_solve, 5, 5},
    {"_triangular_solve_right", triangular_solve_right, 5, 5},
    {"_triangular_multiply", triangular_multiply, 6, 6},
    {"_triangular_inverse", triangular_inverse, 3, 3},
    {"_tridiagonal_solve", tridiagonal_solve, 4, 4},
    {"_sylvester", sylvester, 5, 5},
};

}  // namespace

std::span<const IntrinsicEntry> linear_solve_intrinsics() { return kEntries; }

}  // namespace weft::julia
