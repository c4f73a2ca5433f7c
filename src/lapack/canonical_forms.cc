// Handlers of the custom calls for what linear algebra reduces matrices to: Schur, Hessenberg and tridiagonal form, QR with
// pivots, products with Q, singular values by QR steps, and systems that may be singular. Operands and results are those of
// jaxlib's handlers; `info` is LAPACK's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lapack/derivatives.h"
#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "lapack/routines.h"
#include "ops/control_flow/check_rules.h"

namespace weft::lapack {
namespace {

using Values = std::vector<EvalValue>;
using Operands = std::span<const EvalValue>;
constexpr ElementType kInt = ElementType::kI32;

/// Throws Unsupported: an operand's or a result's shape is not the one that the routine's sizes ask for.
[[noreturn]] void refuse_shape(const Shape& shape, size_t expected) {
  throw Unsupported("[stablehlo.custom_call] LAPACK: got an operand or result of " +
                    Type::tensor(ElementType::kF32, shape).str() + "'s shape, expected one of " +
                    std::to_string(expected) + " elements for each of the batch");
}

/// Matrix number `batch` of a tensor, column-major.
template <class T>
std::vector<T> read_matrix(const Tensor& x, int64_t batch) {
  const MatrixShape s(x.shape());
  if (batch >= s.count) refuse_shape(x.shape(), s.elements());
  std::vector<T> out;
  read_matrix(View{x.shape(), const_cast<T*>(x.data<T>().data())}, batch, out);  // an operand, which is not written
  return out;
}
template <class T>
void write_matrix(Tensor& x, int64_t batch, const std::vector<T>& values) {
  const MatrixShape s(x.shape());
  if (batch >= s.count || values.size() != s.elements()) refuse_shape(x.shape(), values.size());
  write_matrix(View{x.shape(), x.mutable_data<T>()}, batch, values);
}

/// Vector number `batch` of the last dimension.
template <class T>
std::vector<T> read_vector(const Tensor& x, int64_t batch) {
  const auto n = static_cast<size_t>(x.shape().empty() ? 0 : x.shape().back());
  if (static_cast<size_t>(x.size()) < static_cast<size_t>(batch + 1) * n) refuse_shape(x.shape(), n);
  const T* from = x.data<T>().data() + static_cast<size_t>(batch) * n;
  return {from, from + n};
}
template <class T>
void write_vector(Tensor& x, int64_t batch, const std::vector<T>& values) {
  if (static_cast<size_t>(x.size()) < static_cast<size_t>(batch + 1) * values.size())
    refuse_shape(x.shape(), values.size());
  std::copy(values.begin(), values.end(), x.mutable_data<T>() + static_cast<size_t>(batch) * values.size());
}

/// Tensors of the op's result types, all zero. Throws Unsupported unless these have the element types `expected`.
std::vector<Tensor> results_of(const OpView& op, std::span<const ElementType> expected) {
  std::vector<Tensor> out;
  if (op.num_results() != expected.size())
    refuse(op, "number of results: got " + std::to_string(op.num_results()) + ", expected " +
                   std::to_string(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor() || !t.is_static() || t.element_type() != expected[i])
      refuse(op, "type of result " + std::to_string(i) + ": got " + t.str() + ", expected a static tensor of " +
                     std::string(name(expected[i])));
    out.push_back(Tensor::zeros(expected[i], Shape(t.shape().begin(), t.shape().end())));
  }
  return out;
}

Values values_of(std::vector<Tensor>& tensors) { return {tensors.begin(), tensors.end()}; }

/// As many operands as the routine reads, all of element type T (but those that `integers` counts from).
template <class T>
void expect_operands(const OpView& op, Operands x, size_t count, size_t integer = 9) {
  bool fits = x.size() == count;
  for (size_t i = 0; fits && i < count; ++i)
    fits = x[i].tensor.element_type() == (i == integer ? kInt : element_type_of<T>);
  if (!fits)
    refuse(op, "operands: got others, expected " + std::to_string(count) + " of element type " +
                   std::string(name(element_type_of<T>)));
}
void expect_square(const OpView& op, const MatrixShape& s) {
  if (s.rows == s.columns) return;
  refuse(op,
         "got a matrix of " + std::to_string(s.rows) + " x " + std::to_string(s.columns) + ", expected a square one");
}

// Real: (a) → (schur form, vectors, real parts, imaginary parts, number chosen, info); complex: one result of eigenvalues
template <class T>
Values gees(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  expect_operands<T>(op, x, 1);
  constexpr ElementType e = element_type_of<T>;
  const std::vector<ElementType> types =
      kIsComplex<T> ? std::vector{e, e, e, kInt, kInt} : std::vector{e, e, e, e, kInt, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const char job = letter(op, "mode", 'V'), unsorted = 'N';
  if (letter(op, "sort", 'N') != 'N') refuse(op, "sort: got one, expected eigenvalues as they come (78, the letter N)");
  const MatrixShape s(x[0].tensor.shape());
  expect_square(op, s);
  const int n = s.rows, ld = leading(n);
  const auto k = static_cast<size_t>(n);
  Workspace<T> workspace;
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(x[0].tensor, b), vectors(job == 'V' ? k * k : 1), w(k), w_imaginary(k);
    int info = 0, chosen = 0;
    std::vector<int> selected(std::max<size_t>(k, 1));
    workspace.run([&](T* work, int lwork) {
      if constexpr (kIsComplex<T>) {
        std::vector<R> reals(std::max<size_t>(k, 1));
        Routines<T>::gees(&job, &unsorted, nullptr, &n, m.data(), &ld, &chosen, w.data(), vectors.data(), &ld, work,
                          &lwork, reals.data(), selected.data(), &info);
      } else {
        Routines<T>::gees(&job, &unsorted, nullptr, &n, m.data(), &ld, &chosen, w.data(), w_imaginary.data(),
                          vectors.data(), &ld, work, &lwork, selected.data(), &info);
      }
    });
    write_matrix(out[0], b, m);
    if (job == 'V') write_matrix(out[1], b, vectors);
    write_vector(out[2], b, w);
    if constexpr (!kIsComplex<T>) write_vector(out[3], b, w_imaginary);
    write_vector(out[out.size() - 2], b, std::vector<int32_t>{chosen});
    write_vector(out.back(), b, std::vector<int32_t>{info});
  }
  return values_of(out);
}

// (a) → (Hessenberg form above the reflectors, their factors, info)
template <class T>
Values gehrd(EvalContext&, const OpView& op, Operands x) {
  expect_operands<T>(op, x, 1);
  const ElementType types[] = {element_type_of<T>, element_type_of<T>, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(x[0].tensor.shape());
  expect_square(op, s);
  const int n = s.rows, lda = leading(n);
  const auto low = static_cast<int>(config(op, "low", 1)), high = static_cast<int>(config(op, "high", n));
  if (n > 0 && (low < 1 || low > high || high > n))
    refuse(op, "low, high: got " + std::to_string(low) + ", " + std::to_string(high) +
                   ", expected 1 <= low <= high <= " + std::to_string(n));
  Workspace<T> workspace;
  for (int64_t b = 0; b < s.count && n > 0; ++b) {
    std::vector<T> m = read_matrix<T>(x[0].tensor, b), tau(static_cast<size_t>(n - 1));
    int info = 0;
    workspace.run([&](T* work, int lwork) {
      Routines<T>::gehrd(&n, &low, &high, m.data(), &lda, tau.data(), work, &lwork, &info);
    });
    write_matrix(out[0], b, m);
    write_vector(out[1], b, tau);
    write_vector(out[2], b, std::vector<int32_t>{info});
  }
  return values_of(out);
}

// (a) → (reflectors beside the tridiagonal form, diagonal, the one beside it, factors of the reflectors, info)
template <class T>
Values sytrd(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  expect_operands<T>(op, x, 1);
  const ElementType types[] = {element_type_of<T>, element_type_of<R>, element_type_of<R>, element_type_of<T>, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const char uplo = letter(op, "uplo", 'L');
  const MatrixShape s(x[0].tensor.shape());
  expect_square(op, s);
  const int n = s.rows, lda = leading(n);
  Workspace<T> workspace;
  for (int64_t b = 0; b < s.count && n > 0; ++b) {
    const auto k = static_cast<size_t>(n);
    std::vector<T> m = read_matrix<T>(x[0].tensor, b), tau(k - 1);
    std::vector<R> diagonal(k), beside(k - 1);
    int info = 0;
    workspace.run([&](T* work, int lwork) {
      Routines<T>::sytrd(&uplo, &n, m.data(), &lda, diagonal.data(), beside.data(), tau.data(), work, &lwork, &info);
    });
    write_matrix(out[0], b, m);
    write_vector(out[1], b, diagonal);
    write_vector(out[2], b, beside);
    write_vector(out[3], b, tau);
    write_vector(out[4], b, std::vector<int32_t>{info});
  }
  return values_of(out);
}

// (a, columns to bring forward) → (r and reflectors, order of the columns from 1, factors of the reflectors)
template <class T>
Values geqp3(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  expect_operands<T>(op, x, 2, 1);
  const ElementType types[] = {element_type_of<T>, kInt, element_type_of<T>};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(x[0].tensor.shape());
  const int lda = leading(s.rows);
  Workspace<T> workspace;
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(x[0].tensor, b), tau(static_cast<size_t>(std::min(s.rows, s.columns)));
    std::vector<int32_t> order = read_vector<int32_t>(x[1].tensor, b);
    if (order.size() != static_cast<size_t>(s.columns))
      refuse_shape(x[1].tensor.shape(), static_cast<size_t>(s.columns));
    int info = 0;
    workspace.run([&](T* work, int lwork) {
      if constexpr (kIsComplex<T>) {
        std::vector<R> reals(2 * static_cast<size_t>(leading(s.columns)));
        Routines<T>::geqp3(&s.rows, &s.columns, m.data(), &lda, order.data(), tau.data(), work, &lwork, reals.data(),
                           &info);
      } else {
        Routines<T>::geqp3(&s.rows, &s.columns, m.data(), &lda, order.data(), tau.data(), work, &lwork, &info);
      }
    });
    write_matrix(out[0], b, m);
    write_vector(out[1], b, order);
    write_vector(out[2], b, tau);
  }
  return values_of(out);
}

// (reflectors, their factors, c) → Q c, Qᴴ c, c Q or c Qᴴ
template <class T>
Values ormqr(EvalContext&, const OpView& op, Operands x) {
  expect_operands<T>(op, x, 3);
  const ElementType types[] = {element_type_of<T>};
  std::vector<Tensor> out = results_of(op, types);
  const bool is_left = config(op, "left", 1) != 0;
  const char side = is_left ? 'L' : 'R', plain = 'N', adjoint = kIsComplex<T> ? 'C' : 'T',
             trans = config(op, "transpose", 0) != 0 ? adjoint : plain;
  const MatrixShape a(x[0].tensor.shape()), s(x[2].tensor.shape());
  const int k = x[1].tensor.shape().empty() ? 0 : static_cast<int>(x[1].tensor.shape().back()),
            order = is_left ? s.rows : s.columns;
  if (a.rows != order || k > a.columns || k > order) refuse_shape(x[0].tensor.shape(), a.elements());
  const int lda = leading(a.rows), ldc = leading(s.rows);
  Workspace<T> workspace;
  for (int64_t b = 0; b < s.count && s.elements() != 0; ++b) {
    const std::vector<T> q = read_matrix<T>(x[0].tensor, b), tau = read_vector<T>(x[1].tensor, b);
    std::vector<T> c = read_matrix<T>(x[2].tensor, b);
    int info = 0;
    workspace.run([&](T* work, int lwork) {
      Routines<T>::ormqr(&side, &trans, &s.rows, &s.columns, &k, q.data(), &lda, tau.data(), c.data(), &ldc, work,
                         &lwork, &info);
    });
    write_matrix(out[0], b, c);
  }
  return values_of(out);
}

// (a) → (a destroyed, s, u, vt, info)
template <class T>
Values gesvd(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  expect_operands<T>(op, x, 1);
  const ElementType types[] = {element_type_of<T>, element_type_of<R>, element_type_of<T>, element_type_of<T>, kInt};
  std::vector<Tensor> out = results_of(op, types);
  const char job = letter(op, "mode", 'A');
  if (job != 'A' && job != 'S' && job != 'N')
    refuse(op, "mode: got " + std::to_string(job) + ", expected 65, 83 or 78 (the letters A, S, N)");
  const MatrixShape s(x[0].tensor.shape());
  const int least = std::min(s.rows, s.columns), u_columns = job == 'A' ? s.rows : least,
            vt_rows = job == 'A' ? s.columns : least, lda = leading(s.rows), ldvt = leading(vt_rows);
  Workspace<T> workspace;
  for (int64_t b = 0; b < s.count; ++b) {
    std::vector<T> m = read_matrix<T>(x[0].tensor, b);
    std::vector<T> u(static_cast<size_t>(s.rows) * static_cast<size_t>(u_columns)),
        vt(static_cast<size_t>(vt_rows) * static_cast<size_t>(s.columns));
    std::vector<R> singular(static_cast<size_t>(least));
    int info = 0;
    workspace.run([&](T* work, int lwork) {
      if constexpr (kIsComplex<T>) {
        std::vector<R> reals(5 * static_cast<size_t>(leading(least)));
        Routines<T>::gesvd(&job, &job, &s.rows, &s.columns, m.data(), &lda, singular.data(), u.data(), &lda, vt.data(),
                           &ldvt, work, &lwork, reals.data(), &info);
      } else {
        Routines<T>::gesvd(&job, &job, &s.rows, &s.columns, m.data(), &lda, singular.data(), u.data(), &lda, vt.data(),
                           &ldvt, work, &lwork, &info);
      }
    });
    write_matrix(out[0], b, m);
    write_vector(out[1], b, singular);
    if (job != 'N') {
      write_matrix(out[2], b, u);
      write_matrix(out[3], b, vt);
    }
    write_vector(out[4], b, std::vector<int32_t>{info});
  }
  return values_of(out);
}

// (lower, diagonal, upper, b) → the solution; pivots below eps max |U| are taken to be that, so a singular system has a finite one
template <class T>
Values perturbed(EvalContext&, const OpView& op, Operands x) {
  using R = typename RealOf<T>::type;
  expect_operands<T>(op, x, 4);
  const ElementType types[] = {element_type_of<T>};
  std::vector<Tensor> out = results_of(op, types);
  const MatrixShape s(x[3].tensor.shape());
  const int ldb = leading(s.rows);
  const char plain = 'N';
  for (int64_t b = 0; b < s.count && s.rows > 0; ++b) {
    std::vector<T> lower = read_vector<T>(x[0].tensor, b), diagonal = read_vector<T>(x[1].tensor, b),
                   upper = read_vector<T>(x[2].tensor, b), solution = read_matrix<T>(x[3].tensor, b);
    for (const std::vector<T>* v : {&lower, &diagonal, &upper})
      if (v->size() != static_cast<size_t>(s.rows)) refuse_shape(x[0].tensor.shape(), static_cast<size_t>(s.rows));
    std::vector<T> second(diagonal.size());
    std::vector<int> pivots(diagonal.size());
    int info = 0;
    Routines<T>::gttrf(&s.rows, lower.data() + 1, diagonal.data(), upper.data(), second.data(), pivots.data(), &info);
    R largest = 0;
    for (size_t i = 0; i < diagonal.size(); ++i) {
      largest = std::max(largest, std::abs(diagonal[i]));
      if (i + 1 < diagonal.size()) largest = std::max(largest, std::abs(upper[i]));
      if (i + 2 < diagonal.size()) largest = std::max(largest, std::abs(second[i]));
    }
    const R least = std::max(std::numeric_limits<R>::epsilon() * largest, std::numeric_limits<R>::min());
    for (T& pivot : diagonal) {
      const R size = std::abs(pivot);
      if (size < least) pivot = size == 0 ? T(least) : pivot / size * least;
    }
    Routines<T>::gttrs(&plain, &s.rows, &s.columns, lower.data() + 1, diagonal.data(), upper.data(), second.data(),
                       pivots.data(), solution.data(), &ldb, &info);
    write_matrix(out[0], b, solution);
  }
  return values_of(out);
}

Values perturbed_by_type(EvalContext& context, const OpView& op, Operands x) {
  switch (x.empty() ? ElementType::kI1 : x[0].tensor.element_type()) {
    case ElementType::kF32: return perturbed<float>(context, op, x);
    case ElementType::kF64: return perturbed<double>(context, op, x);
    case ElementType::kC64: return perturbed<std::complex<float>>(context, op, x);
    default: return perturbed<std::complex<double>>(context, op, x);
  }
}

using std::complex;
std::span<const CustomCall> handlers() {
#define WEFT_FOUR(real, complex_name, f)                                   \
  {"lapack_s" real "_ffi", f<float>}, {"lapack_d" real "_ffi", f<double>}, \
      {"lapack_c" complex_name "_ffi", f<complex<float>>}, {               \
    "lapack_z" complex_name "_ffi", f<complex<double>>                     \
  }
  static const std::vector<CustomCall> table = [] {
    std::vector<CustomCall> out = {
        WEFT_FOUR("gees", "gees", gees),
        WEFT_FOUR("gehrd", "gehrd", gehrd),
        WEFT_FOUR("sytrd", "hetrd", sytrd),
        WEFT_FOUR("geqp3", "geqp3", geqp3),
        WEFT_FOUR("ormqr", "unmqr", ormqr),
        WEFT_FOUR("gesvd", "gesvd", gesvd),
        {"tridiagonal_solve_perturbed_ffi", perturbed_by_type},
    };
    for (CustomCall& call : out) {
      call.linearize = linearize_of(call.target);
      call.vectorize = lanes_of_call;
      call.portable = portable_of(call.target);
    }
    return out;
  }();
#undef WEFT_FOUR
  return table;
}

const RegisterCustomCalls kRegistered(handlers());

}  // namespace
}  // namespace weft::lapack
