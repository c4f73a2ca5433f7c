#include "lapack/routines.h"

#include <algorithm>
#include <limits>

#include "lapack/matrix.h"

namespace weft::lapack {
namespace {

constexpr ElementType kInt = ElementType::kI32;

// Each routine: the element types of its results, the shapes of operands and results (Routine::shapes), and run().

// (a) → (lu, pivots from 1, info)
template <class T>
struct Getrf {
  static constexpr ElementType kResults[] = {element_type_of<T>, kInt, kInt};
  static constexpr const char* kShapes[] = {"mn", nullptr, "mn", "k", ""};
  static void run(const BatchCall& c) {
    const MatrixShape s(c.in[0].shape);
    std::vector<T> m;
    const int lda = leading(s.rows);
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      Routines<T>::getrf(&s.rows, &s.columns, m.data(), &lda, vector_at<int>(c.out[1], b),
                         &number_at<int>(c.out[2], b));
      write_matrix(c.out[0], b, m);
    }
  }
};

// (a) → (lu, pivots from 0, permutation)
template <class T>
struct LuDecomposition {
  static constexpr ElementType kResults[] = {element_type_of<T>, kInt, kInt};
  static constexpr const char* kShapes[] = {"mn", nullptr, "mn", "k", "m"};
  static void run(const BatchCall& c) {
    const MatrixShape s(c.in[0].shape);
    std::vector<T> m;
    const int lda = leading(s.rows);
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      int *const pivots = vector_at<int>(c.out[1], b), *const order = vector_at<int>(c.out[2], b);
      int info = 0;
      Routines<T>::getrf(&s.rows, &s.columns, m.data(), &lda, pivots, &info);
      for (int i = 0; i < s.rows; ++i) order[i] = i;
      for (int i = 0; i < std::min(s.rows, s.columns); ++i) std::swap(order[i], order[--pivots[i]]);
      write_matrix(c.out[0], b, m);
    }
  }
};

// (a) → (factor in the triangle uplo, the other as given; info)
template <class T>
struct Potrf {
  static constexpr ElementType kResults[] = {element_type_of<T>, kInt};
  static constexpr const char* kShapes[] = {"mm", nullptr, "mm", ""};
  static void run(const BatchCall& c) {
    const MatrixShape s(c.in[0].shape);
    const char uplo = letter(c.op, "uplo", 'L');
    std::vector<T> m;
    const int lda = leading(s.rows);
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      Routines<T>::potrf(&uplo, &s.rows, m.data(), &lda, &number_at<int>(c.out[1], b));
      write_matrix(c.out[0], b, m);
    }
  }
};

// (a) → (r and reflectors, their factors)
template <class T>
struct Geqrf {
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<T>};
  static constexpr const char* kShapes[] = {"mn", nullptr, "mn", "k"};
  static void run(const BatchCall& c) {
    const MatrixShape s(c.in[0].shape);
    std::vector<T> m;
    Workspace<T> workspace;
    const int lda = leading(s.rows);
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      int info = 0;
      workspace.run([&](T* work, int lwork) {
        Routines<T>::geqrf(&s.rows, &s.columns, m.data(), &lda, vector_at<T>(c.out[1], b), work, &lwork, &info);
      });
      write_matrix(c.out[0], b, m);
    }
  }
};

// (reflectors, their factors) → their product's first columns
template <class T>
struct Orgqr {
  static constexpr ElementType kResults[] = {element_type_of<T>};
  static constexpr const char* kShapes[] = {"mn", "t", nullptr, "mn"};
  static void run(const BatchCall& c) {
    const MatrixShape s(c.in[0].shape);
    std::vector<T> m;
    Workspace<T> workspace;
    const int lda = leading(s.rows), k = static_cast<int>(c.in[1].shape.back());
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      int info = 0;
      workspace.run([&](T* work, int lwork) {
        Routines<T>::orgqr(&s.rows, &s.columns, &k, m.data(), &lda, vector_at<T>(c.in[1], b), work, &lwork, &info);
      });
      write_matrix(c.out[0], b, m);
    }
  }
};

// (a) → (a destroyed, s, u, vt, info)
template <class T>
struct Gesdd {
  using R = typename RealOf<T>::type;
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<R>, element_type_of<T>,
                                             element_type_of<T>, kInt};
  static constexpr const char* kShapes[] = {"mn", nullptr, "mn", "k", "mu", "vn", ""};
  static void run(const BatchCall& c) {
    const char job = letter(c.op, "mode", 'A');
    const MatrixShape s(c.in[0].shape);
    const int least = std::min(s.rows, s.columns), most = std::max(s.rows, s.columns);
    const int u_columns = job == 'N'   ? 0
                          : job == 'A' ? s.rows
                                       : least,
              vt_rows = job == 'N'   ? 0
                        : job == 'A' ? s.columns
                                     : least;
    std::vector<T> m, u(static_cast<size_t>(s.rows) * static_cast<size_t>(u_columns)),
        vt(static_cast<size_t>(vt_rows) * static_cast<size_t>(s.columns));
    std::vector<int> integers(8 * static_cast<size_t>(leading(least)));
    std::vector<R> reals;
    if constexpr (kIsComplex<T>) {
      const auto p = static_cast<size_t>(least), q = static_cast<size_t>(most);
      reals.resize(std::max<size_t>(1, p * std::max(5 * p + 7, 2 * q + 2 * p + 1)));
    }
    Workspace<T> workspace;
    const int lda = leading(s.rows), ldvt = leading(vt_rows);
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      int& info = number_at<int>(c.out[4], b);
      R* const singular = vector_at<R>(c.out[1], b);
      workspace.run([&](T* work, int lwork) {
        if constexpr (kIsComplex<T>) {
          Routines<T>::gesdd(&job, &s.rows, &s.columns, m.data(), &lda, singular, u.data(), &lda, vt.data(), &ldvt,
                             work, &lwork, reals.data(), integers.data(), &info);
        } else {
          Routines<T>::gesdd(&job, &s.rows, &s.columns, m.data(), &lda, singular, u.data(), &lda, vt.data(), &ldvt,
                             work, &lwork, integers.data(), &info);
        }
      });
      write_matrix(c.out[0], b, m);
      if (job == 'N') continue;
      write_matrix(c.out[2], b, u);
      write_matrix(c.out[3], b, vt);
    }
  }
};

/// Eigenvalues of Hermitian matrices of order n, ascending; the vectors overwrite a matrix when `job` is V.
template <class T>
class HermitianEigen {
 public:
  using R = typename RealOf<T>::type;
  explicit HermitianEigen(int n) : n_(n) {
    const auto k = static_cast<size_t>(n);
    integers_.resize(5 * k + 3);
    if constexpr (kIsComplex<T>) reals_.resize(1 + 5 * k + 2 * k * k);
  }
  int run(char job, char uplo, std::vector<T>& m, R* w) {
    const int lda = leading(n_), liwork = static_cast<int>(integers_.size());
    int info = 0;
    workspace_.run([&](T* work, int lwork) {
      if constexpr (kIsComplex<T>) {
        const int lrwork = static_cast<int>(reals_.size());
        Routines<T>::eigen(&job, &uplo, &n_, m.data(), &lda, w, work, &lwork, reals_.data(), &lrwork, integers_.data(),
                           &liwork, &info);
      } else {
        Routines<T>::eigen(&job, &uplo, &n_, m.data(), &lda, w, work, &lwork, integers_.data(), &liwork, &info);
      }
    });
    return info;
  }

 private:
  int n_;
  std::vector<int> integers_;
  std::vector<R> reals_;
  Workspace<T> workspace_;
};

// (a) → (vectors, eigenvalues ascending, info)
template <class T>
struct Syevd {
  using R = typename RealOf<T>::type;
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<R>, kInt};
  static constexpr const char* kShapes[] = {"mm", nullptr, "mm", "m", ""};
  static void run(const BatchCall& c) {
    const char job = letter(c.op, "mode", 'V'), uplo = letter(c.op, "uplo", 'L');
    HermitianEigen<T> eigen(MatrixShape(c.in[0].shape).rows);
    std::vector<T> m;
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      number_at<int>(c.out[2], b) = eigen.run(job, uplo, m, vector_at<R>(c.out[1], b));
      write_matrix(c.out[0], b, m);
    }
  }
};

// As Syevd, by the method of relatively robust representations.
template <class T>
struct Syevr {
  using R = typename RealOf<T>::type;
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<R>, kInt};
  static constexpr const char* kShapes[] = {"mm", nullptr, "mm", "m", ""};
  static void run(const BatchCall& c) {
    const char job = letter(c.op, "mode", 'V'), uplo = letter(c.op, "uplo", 'L'), range = 'A';
    const int n = MatrixShape(c.in[0].shape).rows, lda = leading(n);
    const auto k = static_cast<size_t>(n);
    std::vector<T> m, vectors(k * k);
    std::vector<R> values(std::max<size_t>(k, 1)), reals(kIsComplex<T> ? std::max<size_t>(24 * k, 1) : 0);
    std::vector<int> support(2 * k + 2), integers(std::max<size_t>(10 * k, 1));
    Workspace<T> workspace;
    const int integer_size = static_cast<int>(integers.size()), one = 1;
    const R zero = 0, tolerance = -1;
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      int found = 0;
      int& info = number_at<int>(c.out[2], b);
      workspace.run([&](T* work, int lwork) {
        if constexpr (kIsComplex<T>) {
          const int real_size = static_cast<int>(reals.size());
          Routines<T>::robust_eigen(&job, &range, &uplo, &n, m.data(), &lda, &zero, &zero, &one, &n, &tolerance, &found,
                                    values.data(), vectors.data(), &lda, support.data(), work, &lwork, reals.data(),
                                    &real_size, integers.data(), &integer_size, &info);
        } else {
          Routines<T>::robust_eigen(&job, &range, &uplo, &n, m.data(), &lda, &zero, &zero, &one, &n, &tolerance, &found,
                                    values.data(), vectors.data(), &lda, support.data(), work, &lwork, integers.data(),
                                    &integer_size, &info);
        }
      });
      std::copy_n(values.begin(), n, vector_at<R>(c.out[1], b));
      write_matrix(c.out[0], b, vectors);
    }
  }
};

// (a) → (vectors, eigenvalues ascending); backend_config "lower,sort,iterations,tolerance"
template <class T>
struct Eigh {
  using R = typename RealOf<T>::type;
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<R>};
  static constexpr const char* kShapes[] = {"mm", nullptr, "mm", "m"};
  static void run(const BatchCall& c) {
    const char uplo = c.op.attrs().text_or("backend_config", "1").starts_with("0") ? 'U' : 'L';
    const int n = MatrixShape(c.in[0].shape).rows;
    HermitianEigen<T> eigen(n);
    std::vector<T> m;
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      R* const w = vector_at<R>(c.out[1], b);
      // No `info` says that it failed: NaN does.
      if (eigen.run('V', uplo, m, w) != 0) {
        std::fill_n(w, n, std::numeric_limits<R>::quiet_NaN());
        std::fill(m.begin(), m.end(), std::numeric_limits<R>::quiet_NaN());
      }
      write_matrix(c.out[0], b, m);
    }
  }
};

// (a) → (eigenvalues, left vectors, right vectors, info)
template <class T>
struct ComplexGeev {
  using R = typename RealOf<T>::type;
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<T>, element_type_of<T>, kInt};
  static constexpr const char* kShapes[] = {"mm", nullptr, "m", "mm", "mm", ""};
  static void run(const BatchCall& c) {
    const char left = letter(c.op, "compute_left", 'N'), right = letter(c.op, "compute_right", 'N');
    const int n = MatrixShape(c.in[0].shape).rows, ld = leading(n);
    const auto k = static_cast<size_t>(n);
    std::vector<T> m, vl(k * k), vr(k * k);
    std::vector<R> reals(std::max<size_t>(1, 2 * k));
    Workspace<T> workspace;
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      workspace.run([&](T* work, int lwork) {
        Routines<T>::geev(&left, &right, &n, m.data(), &ld, vector_at<T>(c.out[0], b), vl.data(), &ld, vr.data(), &ld,
                          work, &lwork, reals.data(), &number_at<int>(c.out[3], b));
      });
      write_matrix(c.out[1], b, vl);
      write_matrix(c.out[2], b, vr);
    }
  }
};

// (a) → (real parts, imaginary parts, left vectors, right vectors, info)
template <class T>
struct RealGeev {
  using C = std::complex<T>;
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<T>, element_type_of<C>,
                                             element_type_of<C>, kInt};
  static constexpr const char* kShapes[] = {"mm", nullptr, "m", "m", "mm", "mm", ""};
  static void run(const BatchCall& c) {
    const char left = letter(c.op, "compute_left", 'N'), right = letter(c.op, "compute_right", 'N');
    const int n = MatrixShape(c.in[0].shape).rows, ld = leading(n);
    const auto k = static_cast<size_t>(n);
    std::vector<T> m, vl(k * k), vr(k * k);
    std::vector<C> vectors(k * k);
    Workspace<T> workspace;
    for (int64_t b = c.first; b < c.last; ++b) {
      read_matrix(c.in[0], b, m);
      T* const imaginary = vector_at<T>(c.out[1], b);
      workspace.run([&](T* work, int lwork) {
        Routines<T>::geev(&left, &right, &n, m.data(), &ld, vector_at<T>(c.out[0], b), imaginary, vl.data(), &ld,
                          vr.data(), &ld, work, &lwork, &number_at<int>(c.out[4], b));
      });
      // A pair of conjugate eigenvalues shares two columns: real and imaginary part of the first one's vector.
      const auto write = [&](const std::vector<T>& packed, const View& to) {
        for (size_t j = 0; j < k; ++j) {
          const bool is_pair = imaginary[j] != 0 && j + 1 < k;
          for (size_t i = 0; i < k; ++i) {
            vectors[j * k + i] = is_pair ? C(packed[j * k + i], packed[(j + 1) * k + i]) : C(packed[j * k + i]);
            if (is_pair) vectors[(j + 1) * k + i] = std::conj(vectors[j * k + i]);
          }
          if (is_pair) ++j;
        }
        write_matrix(to, b, vectors);
      };
      write(vl, c.out[2]);
      write(vr, c.out[3]);
    }
  }
};
template <class T>
struct Geev : std::conditional_t<kIsComplex<T>, ComplexGeev<T>, RealGeev<T>> {};

// (a, b) → solution in place of b. By columns a row-major tensor is its transpose: the transposed problem needs no copy.
template <class T>
struct Trsm {
  static constexpr ElementType kResults[] = {element_type_of<T>};
  static constexpr const char* kShapes[] = {"ss", "mn", nullptr, "mn"};
  static void run(const BatchCall& c) {
    const char side = letter(c.op, "side", 'L') == 'L' ? 'R' : 'L', uplo = letter(c.op, "uplo", 'L') == 'L' ? 'U' : 'L',
               trans = letter(c.op, "trans_x", 'N'), diag = letter(c.op, "diag", 'N');
    const MatrixShape s(c.in[1].shape), square(c.in[0].shape);
    const T one(1);
    for (int64_t b = c.first; b < c.last && s.elements() != 0; ++b) {
      const auto at = static_cast<size_t>(b);
      const T* const a = static_cast<const T*>(c.in[0].data) + at * square.elements();
      const T* const given = static_cast<const T*>(c.in[1].data) + at * s.elements();
      T* const x = static_cast<T*>(c.out[0].data) + at * s.elements();
      if (x != given) std::copy_n(given, s.elements(), x);
      Routines<T>::trsm(&side, &uplo, &trans, &diag, &s.columns, &s.rows, &one, a, &square.columns, x, &s.columns);
    }
  }
};

// (lower, diagonal, upper, b) of n elements each, the first of lower and the last of upper unused → (…, solution, info)
template <class T>
struct Gtsv {
  static constexpr ElementType kResults[] = {element_type_of<T>, element_type_of<T>, element_type_of<T>,
                                             element_type_of<T>, kInt};
  static constexpr const char* kShapes[] = {"m", "m", "m", "mn", nullptr, "m", "m", "m", "mn", ""};
  static void run(const BatchCall& c) {
    const MatrixShape s(c.in[3].shape);
    std::vector<T> solution;
    const int ldb = leading(s.rows);
    for (int64_t b = c.first; b < c.last && s.rows > 0; ++b) {
      for (size_t i = 0; i < 3; ++i) std::copy_n(vector_at<T>(c.in[i], b), s.rows, vector_at<T>(c.out[i], b));
      read_matrix(c.in[3], b, solution);
      Routines<T>::gtsv(&s.rows, &s.columns, vector_at<T>(c.out[0], b) + 1, vector_at<T>(c.out[1], b),
                        vector_at<T>(c.out[2], b), solution.data(), &ldb, &number_at<int>(c.out[4], b));
      write_matrix(c.out[3], b, solution);
    }
  }
};

template <template <class> class R, class T>
void add(std::vector<Routine>& table, std::string_view target, size_t matrix) {
  const auto& results = R<T>::kResults;
  table.push_back(
      {target, element_type_of<T>, {std::begin(results), std::end(results)}, R<T>::kShapes, matrix, R<T>::run});
}

using std::complex;

/// The same name for all element types.
template <template <class> class R>
void add_named(std::vector<Routine>& table, std::string_view target) {
  add<R, float>(table, target, 0);
  add<R, double>(table, target, 0);
  add<R, complex<float>>(table, target, 0);
  add<R, complex<double>>(table, target, 0);
}

// LAPACK's names: a letter for the type, and for complex matrices sometimes another word.
#define WEFT_ADD(R, real, complex_name, matrix)                          \
  add<R, float>(table, "lapack_s" real "_ffi", matrix);                  \
  add<R, double>(table, "lapack_d" real "_ffi", matrix);                 \
  add<R, complex<float>>(table, "lapack_c" complex_name "_ffi", matrix); \
  add<R, complex<double>>(table, "lapack_z" complex_name "_ffi", matrix)

std::vector<Routine> make_table() {
  std::vector<Routine> table;
  WEFT_ADD(Getrf, "getrf", "getrf", 0);
  WEFT_ADD(Potrf, "potrf", "potrf", 0);
  WEFT_ADD(Geqrf, "geqrf", "geqrf", 0);
  WEFT_ADD(Orgqr, "orgqr", "ungqr", 0);
  WEFT_ADD(Gesdd, "gesdd", "gesdd", 0);
  WEFT_ADD(Syevd, "syevd", "heevd", 0);
  WEFT_ADD(Syevr, "syevr", "heevr", 0);
  WEFT_ADD(Geev, "geev", "geev", 0);
  WEFT_ADD(Trsm, "trsm", "trsm", 1);
  WEFT_ADD(Gtsv, "gtsv", "gtsv", 3);
  add_named<LuDecomposition>(table, "LuDecomposition");
  add_named<Geqrf>(table, "Qr");
  add_named<Orgqr>(table, "ProductOfElementaryHouseholderReflectors");
  add_named<Orgqr>(table, "householder_product");
  add_named<Eigh>(table, "Eigh");
  return table;
}
#undef WEFT_ADD

}  // namespace

std::span<const Routine> all_routines() {
  static const std::vector<Routine> table = make_table();
  return table;
}

}  // namespace weft::lapack
