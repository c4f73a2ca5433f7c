// Handlers of the custom calls that JAX exports for linear algebra: lapack_{s,d,c,z}NAME_ffi on the CPU, and the names of its
// portable lowering (LuDecomposition, Qr, Eigh, …). Operands and results are those of jaxlib's handlers; `info` is LAPACK's.
#include <algorithm>
#include <limits>

#include "lapack/matrix.h"
#include "lapack/routines.h"
#include "ops/check_rules.h"

namespace weft::lapack {
namespace {

using Values = std::vector<EvalValue>;
using Operands = std::span<const EvalValue>;
constexpr ElementType kInt = ElementType::kI32;

Values values_of(std::vector<Tensor>& tensors) { return {tensors.begin(), tensors.end()}; }

/// Leading extent that LAPACK accepts.
int leading(int rows) { return std::max(rows, 1); }

/// A workspace query, then the call: call(work, lwork) runs the routine.
template <class T, class F>
void with_workspace(F&& call) {
  T size{};
  call(&size, -1);
  const int n = std::max(static_cast<int>(std::real(size)), 1);
  std::vector<T> work(static_cast<size_t>(n));
  call(work.data(), n);
}

// (a) → (lu, pivots from 1, info)
template <class T>
Values getrf(EvalContext&, const OpView& op, Operands x) {
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, kInt, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    std::vector<int> pivots(static_cast<size_t>(std::min(s.rows, s.columns)));
    const int lda = leading(s.rows);
    int info = 0;
    Routines<T>::getrf(&s.rows, &s.columns, m.data(), &lda, pivots.data(), &info);
    write_matrix(out[0], b, m);
    write_vector<int32_t>(out[1], b, pivots);
    out[2].mutable_data<int32_t>()[b] = info;
  }
  return values_of(out);
}

// (a) → (lu, pivots from 0, permutation)
template <class T>
Values lu_decomposition(EvalContext&, const OpView& op, Operands x) {
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, kInt, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    std::vector<int> pivots(static_cast<size_t>(std::min(s.rows, s.columns))), order(static_cast<size_t>(s.rows));
    const int lda = leading(s.rows);
    int info = 0;
    Routines<T>::getrf(&s.rows, &s.columns, m.data(), &lda, pivots.data(), &info);
    for (int i = 0; i < s.rows; ++i) order[static_cast<size_t>(i)] = i;
    for (size_t i = 0; i < pivots.size(); ++i) std::swap(order[i], order[static_cast<size_t>(--pivots[i])]);
    write_matrix(out[0], b, m);
    write_vector<int32_t>(out[1], b, pivots);
    write_vector<int32_t>(out[2], b, order);
  }
  return values_of(out);
}

// (a) → (factor in the triangle uplo, the other as given; info)
template <class T>
Values potrf(EvalContext&, const OpView& op, Operands x) {
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const char uplo = letter(op, "uplo", 'L');
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    const int lda = leading(s.rows);
    int info = 0;
    Routines<T>::potrf(&uplo, &s.rows, m.data(), &lda, &info);
    write_matrix(out[0], b, m);
    out[1].mutable_data<int32_t>()[b] = info;
  }
  return values_of(out);
}

// (a) → (r and reflectors, their factors)
template <class T>
Values geqrf(EvalContext&, const OpView& op, Operands x) {
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, element_type_of<T>};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b), tau(static_cast<size_t>(std::min(s.rows, s.columns)));
    const int lda = leading(s.rows);
    int info = 0;
    with_workspace<T>([&](T* work, int lwork) {
      Routines<T>::geqrf(&s.rows, &s.columns, m.data(), &lda, tau.data(), work, &lwork, &info);
    });
    write_matrix(out[0], b, m);
    write_vector(out[1], b, tau);
  }
  return values_of(out);
}

// (reflectors, their factors) → their product's first columns
template <class T>
Values orgqr(EvalContext&, const OpView& op, Operands x) {
  const Tensor &a = x[0].tensor, &factors = x[1].tensor;
  const ElementType types[] = {element_type_of<T>};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    const std::vector<T> tau = read_vector<T>(factors, b);
    const int lda = leading(s.rows), k = static_cast<int>(tau.size());
    int info = 0;
    with_workspace<T>([&](T* work, int lwork) {
      Routines<T>::orgqr(&s.rows, &s.columns, &k, m.data(), &lda, tau.data(), work, &lwork, &info);
    });
    write_matrix(out[0], b, m);
  }
  return values_of(out);
}

// (a) → (a destroyed, s, u, vt, info)
template <class T>
Values gesdd(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, element_type_of<R>, element_type_of<T>, element_type_of<T>, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const char job = letter(op, "mode", 'A');
  const MatrixShape s(a.shape());
  const int least = std::min(s.rows, s.columns), most = std::max(s.rows, s.columns);
  const int u_columns = job == 'N'   ? 0
                        : job == 'A' ? s.rows
                                     : least,
            vt_rows = job == 'N'   ? 0
                      : job == 'A' ? s.columns
                                   : least;
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    std::vector<T> u(static_cast<size_t>(s.rows) * static_cast<size_t>(u_columns)),
        vt(static_cast<size_t>(vt_rows) * static_cast<size_t>(s.columns));
    std::vector<R> singular(static_cast<size_t>(least));
    std::vector<int> integers(8 * static_cast<size_t>(leading(least)));
    const int lda = leading(s.rows), ldvt = leading(vt_rows);
    int info = 0;
    with_workspace<T>([&](T* work, int lwork) {
      if constexpr (kIsComplex<T>) {
        const auto p = static_cast<size_t>(least), q = static_cast<size_t>(most);
        std::vector<R> reals(std::max<size_t>(1, p * std::max(5 * p + 7, 2 * q + 2 * p + 1)));
        Routines<T>::gesdd(&job, &s.rows, &s.columns, m.data(), &lda, singular.data(), u.data(), &lda, vt.data(), &ldvt,
                           work, &lwork, reals.data(), integers.data(), &info);
      } else {
        Routines<T>::gesdd(&job, &s.rows, &s.columns, m.data(), &lda, singular.data(), u.data(), &lda, vt.data(), &ldvt,
                           work, &lwork, integers.data(), &info);
      }
    });
    write_matrix(out[0], b, m);
    write_vector(out[1], b, singular);
    if (job != 'N') {
      write_matrix(out[2], b, u);
      write_matrix(out[3], b, vt);
    }
    out[4].mutable_data<int32_t>()[b] = info;
  }
  return values_of(out);
}

/// Eigenvalues of a Hermitian matrix, ascending; the vectors overwrite it when `job` is V.
template <class T>
int hermitian_eigen(char job, char uplo, int n, std::vector<T>& m, std::vector<typename RealOf<T>::type>& w) {
  using R = typename RealOf<T>::type;
  const int lda = leading(n);
  const auto k = static_cast<size_t>(n);
  std::vector<int> integers(5 * k + 3);
  const int liwork = static_cast<int>(integers.size());
  int info = 0;
  with_workspace<T>([&](T* work, int lwork) {
    if constexpr (kIsComplex<T>) {
      std::vector<R> reals(1 + 5 * k + 2 * k * k);
      const int lrwork = static_cast<int>(reals.size());
      const auto routine = [] {
        if constexpr (std::is_same_v<R, float>) return cheevd_;
        else return zheevd_;
      }();
      routine(&job, &uplo, &n, m.data(), &lda, w.data(), work, &lwork, reals.data(), &lrwork, integers.data(), &liwork,
              &info);
    } else {
      const auto routine = [] {
        if constexpr (std::is_same_v<T, float>) return ssyevd_;
        else return dsyevd_;
      }();
      routine(&job, &uplo, &n, m.data(), &lda, w.data(), work, &lwork, integers.data(), &liwork, &info);
    }
  });
  return info;
}

// (a) → (vectors, eigenvalues ascending, info)
template <class T>
Values syevd(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, element_type_of<R>, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    std::vector<R> w(static_cast<size_t>(s.rows));
    out[2].mutable_data<int32_t>()[b] =
        hermitian_eigen<T>(letter(op, "mode", 'V'), letter(op, "uplo", 'L'), s.rows, m, w);
    write_matrix(out[0], b, m);
    write_vector(out[1], b, w);
  }
  return values_of(out);
}

// (a) → (vectors, eigenvalues ascending); backend_config "lower,sort,iterations,tolerance"
template <class T>
Values eigh(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  const Tensor& a = x[0].tensor;
  const ElementType types[] = {element_type_of<T>, element_type_of<R>};
  std::vector<Tensor> out = results_of(op, types);
  const char uplo = op.attrs().text_or("backend_config", "1").starts_with("0") ? 'U' : 'L';
  const MatrixShape s(a.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b);
    std::vector<R> w(static_cast<size_t>(s.rows));
    // No `info` says that it failed: NaN does.
    if (hermitian_eigen<T>('V', uplo, s.rows, m, w) != 0) {
      std::fill(w.begin(), w.end(), std::numeric_limits<R>::quiet_NaN());
      std::fill(m.begin(), m.end(), std::numeric_limits<R>::quiet_NaN());
    }
    write_matrix(out[0], b, m);
    write_vector(out[1], b, w);
  }
  return values_of(out);
}

// Real: (a) → (real parts, imaginary parts, left vectors, right vectors, info); complex: (a) → (eigenvalues, left, right, info)
template <class T>
Values geev(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  using C = std::complex<R>;
  constexpr ElementType kComplex = element_type_of<C>, kReal = element_type_of<R>;
  const Tensor& a = x[0].tensor;
  const std::vector<ElementType> types = kIsComplex<T> ? std::vector{kComplex, kComplex, kComplex, kInt}
                                                       : std::vector{kReal, kReal, kComplex, kComplex, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const char left = letter(op, "compute_left", 'N'), right = letter(op, "compute_right", 'N');
  const MatrixShape s(a.shape());
  const int n = s.rows, ld = leading(n);
  const auto k = static_cast<size_t>(n);
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(a, b), vl(k * k), vr(k * k);
    int info = 0;
    if constexpr (kIsComplex<T>) {
      std::vector<C> w(k);
      std::vector<R> reals(std::max<size_t>(1, 2 * k));
      with_workspace<T>([&](T* work, int lwork) {
        Routines<T>::geev(&left, &right, &n, m.data(), &ld, w.data(), vl.data(), &ld, vr.data(), &ld, work, &lwork,
                          reals.data(), &info);
      });
      write_vector(out[0], b, w);
      write_matrix(out[1], b, vl);
      write_matrix(out[2], b, vr);
    } else {
      std::vector<R> real(k), imaginary(k);
      with_workspace<T>([&](T* work, int lwork) {
        Routines<T>::geev(&left, &right, &n, m.data(), &ld, real.data(), imaginary.data(), vl.data(), &ld, vr.data(),
                          &ld, work, &lwork, &info);
      });
      write_vector(out[0], b, real);
      write_vector(out[1], b, imaginary);
      // A pair of conjugate eigenvalues shares two columns: real and imaginary part of the first one's vector.
      const auto unpacked = [&](const std::vector<R>& packed) {
        std::vector<C> v(k * k);
        for (size_t j = 0; j < k; ++j) {
          const bool is_pair = imaginary[j] != 0 && j + 1 < k;
          for (size_t i = 0; i < k; ++i) {
            v[j * k + i] = is_pair ? C(packed[j * k + i], packed[(j + 1) * k + i]) : C(packed[j * k + i]);
            if (is_pair) v[(j + 1) * k + i] = std::conj(v[j * k + i]);
          }
          if (is_pair) ++j;
        }
        return v;
      };
      write_matrix(out[2], b, unpacked(vl));
      write_matrix(out[3], b, unpacked(vr));
    }
    out.back().mutable_data<int32_t>()[b] = info;
  }
  return values_of(out);
}

// (a, b) → solution in place of b
template <class T>
Values trsm(EvalContext&, const OpView& op, Operands x) {
  const Tensor &a = x[0].tensor, &given = x[1].tensor;
  const ElementType types[] = {element_type_of<T>};
  std::vector<Tensor> out = results_of(op, types);
  const char side = letter(op, "side", 'L'), uplo = letter(op, "uplo", 'L'), trans = letter(op, "trans_x", 'N'),
             diag = letter(op, "diag", 'N');
  const MatrixShape s(given.shape());
  for (int64_t b = 0; b < s.count; ++b) {
    const std::vector<T> m = read_matrix<T>(a, b);
    std::vector<T> solution = read_matrix<T>(given, b);
    const T one(1);
    const int lda = leading(side == 'L' ? s.rows : s.columns), ldb = leading(s.rows);
    if (s.elements() != 0)
      Routines<T>::trsm(&side, &uplo, &trans, &diag, &s.rows, &s.columns, &one, m.data(), &lda, solution.data(), &ldb);
    write_matrix(out[0], b, solution);
  }
  return values_of(out);
}

// (lower, diagonal, upper, b) of n elements each, the first of lower and the last of upper unused → (…, solution, info)
template <class T>
Values gtsv(EvalContext&, const OpView& op, Operands x) {
  constexpr ElementType e = element_type_of<T>;
  const ElementType types[] = {e, e, e, e, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(x[3].tensor.shape());
  for (int64_t b = 0; b < s.count && s.rows > 0; ++b) {
    std::vector<T> lower = read_vector<T>(x[0].tensor, b), diagonal = read_vector<T>(x[1].tensor, b),
                   upper = read_vector<T>(x[2].tensor, b), solution = read_matrix<T>(x[3].tensor, b);
    const int ldb = leading(s.rows);
    int info = 0;
    Routines<T>::gtsv(&s.rows, &s.columns, lower.data() + 1, diagonal.data(), upper.data(), solution.data(), &ldb,
                      &info);
    write_vector(out[0], b, lower);
    write_vector(out[1], b, diagonal);
    write_vector(out[2], b, upper);
    write_matrix(out[3], b, solution);
    out[4].mutable_data<int32_t>()[b] = info;
  }
  return values_of(out);
}

// (pivots from 0) → permutation of as many rows as the result has
Values pivots_to_permutation(EvalContext&, const OpView& op, Operands x) {
  const ElementType types[] = {kInt};
  std::vector<Tensor> out = results_of(op, types);
  const auto rows = static_cast<size_t>(out[0].shape().back());
  const int64_t count = rows == 0 ? 0 : out[0].size() / static_cast<int64_t>(rows);
  for (int64_t b = 0; b < count; ++b) {
    const std::vector<int32_t> pivots = read_vector<int32_t>(x[0].tensor, b);
    std::vector<int32_t> order(rows);
    for (size_t i = 0; i < rows; ++i) order[i] = static_cast<int32_t>(i);
    for (size_t i = 0; i < pivots.size() && i < rows; ++i) {
      if (pivots[i] < 0 || static_cast<size_t>(pivots[i]) >= rows)
        throw UserError("[stablehlo.custom_call] pivot: got " + std::to_string(pivots[i]) + ", expected a row below " +
                            std::to_string(rows),
                        op.loc());
      std::swap(order[i], order[static_cast<size_t>(pivots[i])]);
    }
    write_vector(out[0], b, order);
  }
  return values_of(out);
}

/// Calls the handler of the first operand's element type.
template <EvalFn* kF32, EvalFn* kF64, EvalFn* kC64, EvalFn* kC128>
Values by_type(EvalContext& context, const OpView& op, Operands x) {
  switch (x.empty() ? ElementType::kI1 : x[0].tensor.element_type()) {
    case ElementType::kF32: return kF32(context, op, x);
    case ElementType::kF64: return kF64(context, op, x);
    case ElementType::kC64: return kC64(context, op, x);
    case ElementType::kC128: return kC128(context, op, x);
    default: break;
  }
  throw Unsupported("[stablehlo.custom_call] @" + op.attrs().text("call_target_name") + ": element type " +
                        std::string(x.empty() ? "none" : name(x[0].tensor.element_type())) + " has no routine",
                    op.loc());
}

using std::complex;
#define WEFT_BY_TYPE(f) by_type<f<float>, f<double>, f<complex<float>>, f<complex<double>>>
// The names of one routine for real and for complex matrices, in both widths.
#define WEFT_FOUR(real, complex_name, f)                                   \
  {"lapack_s" real "_ffi", f<float>}, {"lapack_d" real "_ffi", f<double>}, \
      {"lapack_c" complex_name "_ffi", f<complex<float>>}, {               \
    "lapack_z" complex_name "_ffi", f<complex<double>>                     \
  }
constexpr CustomCall kHandlers[] = {
    WEFT_FOUR("getrf", "getrf", getrf),
    WEFT_FOUR("potrf", "potrf", potrf),
    WEFT_FOUR("geqrf", "geqrf", geqrf),
    WEFT_FOUR("orgqr", "ungqr", orgqr),
    WEFT_FOUR("gesdd", "gesdd", gesdd),
    WEFT_FOUR("syevd", "heevd", syevd),
    WEFT_FOUR("geev", "geev", geev),
    WEFT_FOUR("trsm", "trsm", trsm),
    WEFT_FOUR("gtsv", "gtsv", gtsv),
    {"LuDecomposition", WEFT_BY_TYPE(lu_decomposition)},
    {"Qr", WEFT_BY_TYPE(geqrf)},
    {"ProductOfElementaryHouseholderReflectors", WEFT_BY_TYPE(orgqr)},
    {"householder_product", WEFT_BY_TYPE(orgqr)},
    {"Eigh", WEFT_BY_TYPE(eigh)},
    {"lu_pivots_to_permutation", pivots_to_permutation},
};
#undef WEFT_BY_TYPE
#undef WEFT_FOUR

const RegisterCustomCalls kRegistered(kHandlers);

}  // namespace
}  // namespace weft::lapack
