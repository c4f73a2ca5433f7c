// Products of matrices and vectors, inner products and norms.
#include <cmath>

#include "julia/intrinsics/linear.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// (trans a, trans b, alpha, A, B, beta, C): C becomes alpha op(A) op(B) + beta C.
Value multiply_matrices(Evaluator&, Args a) {
  visit_linear(array_of(a[3]).element, [&]<class T>(T) {
    const auto x = columns_of<T>(a[3]), y = columns_of<T>(a[4]), c = columns_of<T>(a[6]);
    const char tx = transposition<T>(a[0]), ty = transposition<T>(a[1]);
    const T alpha = a[2].get<T>(), beta = a[5].get<T>();
    const int inner = tx == 'N' ? x.columns : x.rows;
    const int x_stride = x.stride(), y_stride = y.stride(), c_stride = c.stride();
    Linear<T>::gemm(&tx, &ty, &c.rows, &c.columns, &inner, &alpha, x.data, &x_stride, y.data, &y_stride, &beta, c.data,
                    &c_stride);
  });
  return a[6];
}

/// (trans, alpha, A, x, beta, y): y becomes alpha op(A) x + beta y.
Value multiply_vector(Evaluator&, Args a) {
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[2]), x = columns_of<T>(a[3]), y = columns_of<T>(a[5]);
    const char trans = transposition<T>(a[0]);
    const T alpha = a[1].get<T>(), beta = a[4].get<T>();
    const int stride = m.stride(), one = 1;
    if (m.rows == 0 || m.columns == 0) {
      for (int i = 0; i < y.rows; ++i) y.data[i] = beta == T{} ? T{} : beta * y.data[i];
      return;
    }
    Linear<T>::gemv(&trans, &m.rows, &m.columns, &alpha, m.data, &stride, x.data, &one, &beta, y.data, &one);
  });
  return a[5];
}

/// (trans, A, C): C becomes A A' (N) or A' A (else), both triangles.
Value rank_update(Evaluator&, Args a) {
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]), c = columns_of<T>(a[2]);
    const char uplo = 'U';
    char trans = letter(a[0]);
    if (trans != 'N') trans = kIsComplex<T> ? 'C' : 'T';
    const int inner = trans == 'N' ? m.columns : m.rows;
    const int stride = m.stride(), c_stride = c.stride();
    const Real<T> one = 1, zero = 0;
    Linear<T>::rank_update(&uplo, &trans, &c.rows, &inner, &one, m.data, &stride, &zero, c.data, &c_stride);
    const auto n = static_cast<size_t>(c.rows);
    for (size_t j = 0; j < n; ++j) {
      for (size_t i = 0; i < j; ++i) {
        if constexpr (kIsComplex<T>) c.data[j + i * n] = std::conj(c.data[i + j * n]);
        else c.data[j + i * n] = c.data[i + j * n];
      }
    }
  });
  return a[2];
}

/// (transposed a, transposed b, A, B, C) of machine integers of one type.
Value multiply_integers(Evaluator&, Args a) {
  const ArrayObject &x = array_of(a[2]), &y = array_of(a[3]);
  ArrayObject& c = array_of(a[4]);
  const bool tx = a[0].get<bool>(), ty = a[1].get<bool>();
  const auto extent = [](const ArrayObject& m, size_t d) {
    return static_cast<size_t>(d < m.dims.size() ? m.dims[d] : 1);
  };
  const size_t rows = extent(c, 0), columns = extent(c, 1), inner = extent(x, tx ? 0 : 1);
  const size_t x_rows = extent(x, 0), y_rows = extent(y, 0);
  const auto kind = number_kind(c.element);
  if (!kind) throw InternalError("integers expected");
  visit_number(*kind, [&]<class T>(T) {
    if constexpr (is_integer(kKindOf<T>) && !std::is_same_v<T, bool>) {
      using Word = std::conditional_t<sizeof(T) == 16, UInt128, uint64_t>;  // overflow wraps
      const T *p = x.data_as<T>(), *q = y.data_as<T>();
      T* out = c.data_as<T>();
      std::vector<Word> column(rows);
      for (size_t j = 0; j < columns; ++j) {
        std::ranges::fill(column, Word{});
        for (size_t k = 0; k < inner; ++k) {
          const auto factor = static_cast<Word>(ty ? q[j + k * y_rows] : q[k + j * y_rows]);
          for (size_t i = 0; i < rows; ++i)
            column[i] += static_cast<Word>(tx ? p[k + i * x_rows] : p[i + k * x_rows]) * factor;
        }
        for (size_t i = 0; i < rows; ++i) out[i + j * rows] = static_cast<T>(column[i]);
      }
    } else {
      throw InternalError("integers expected");
    }
  });
  return a[4];
}

/// (x, y) of one element type, the same length: Σ conj(x) y.
Value dot(Evaluator&, Args a) {
  const ArrayObject &x = array_of(a[0]), &y = array_of(a[1]);
  const int n = checked_size(x.length), one = 1;
  if (x.element == core().float64)
    return number(Linear<double>::dot(&n, x.data_as<double>(), &one, y.data_as<double>(), &one));
  if (x.element == core().float32)
    return number(Linear<float>::dot(&n, x.data_as<float>(), &one, y.data_as<float>(), &one));
  Value out;
  if (const auto kind = number_kind(x.element)) {
    visit_number(*kind, [&]<class T>(T) {
      if constexpr (is_integer(kKindOf<T>) && !std::is_same_v<T, bool>) {
        using Word = std::conditional_t<sizeof(T) == 16, UInt128, uint64_t>;
        Word sum = 0;
        for (int64_t i = 0; i < x.length; ++i)
          sum += static_cast<Word>(x.data_as<T>()[i]) * static_cast<Word>(y.data_as<T>()[i]);
        out = number(static_cast<T>(sum));
      } else {
        throw InternalError("dot of these numbers");
      }
    });
    return out;
  }
  visit_linear(x.element, [&]<class T>(T) {
    if constexpr (kIsComplex<T>) {
      // A product of one row: the function itself returns complex numbers, which compilers do in several ways.
      const char conjugate = 'C', none = 'N';
      const T unit = 1, zero{};
      T sum{};
      const int stride = n > 1 ? n : 1;
      if (n > 0)
        Linear<T>::gemm(&conjugate, &none, &one, &one, &n, &unit, x.data_as<T>(), &stride, y.data_as<T>(), &stride,
                        &zero, &sum, &one);
      out = Value::from_bits(linear_type<T>(), &sum);
    }
  });
  return out;
}

/// The Euclidean norm of floating-point and complex elements: BLAS's for long arrays, Julia's own for short ones.
Value norm2(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  Value out;
  visit_linear(x.element, [&]<class T>(T) {
    using R = Real<T>;
    const T* data = x.data_as<T>();
    constexpr int64_t kShort = 32;
    if (x.length >= kShort) {
      const int n = checked_size(x.length), one = 1;
      out = number(static_cast<R>(Linear<T>::nrm2(&n, data, &one)));
      return;
    }
    R largest = 0;
    for (int64_t i = 0; i < x.length; ++i) {
      const R size = std::abs(data[i]);
      if (std::isnan(size)) largest = size;
      else if (!(size <= largest)) largest = std::isnan(largest) ? largest : size;
    }
    if (largest == 0 || std::isinf(largest)) {
      out = number(largest);
      return;
    }
    const bool is_safe = std::isfinite(static_cast<R>(x.length) * largest * largest) && largest * largest != 0;
    double sum = 0;
    for (int64_t i = 0; i < x.length; ++i) {
      if (is_safe) {
        sum += static_cast<double>(std::norm(data[i]));
      } else {
        const R scaled = std::abs(data[i]) / largest;
        sum += static_cast<double>(scaled * scaled);
      }
    }
    out = number(is_safe ? static_cast<R>(std::sqrt(sum))
                         : static_cast<R>(static_cast<double>(largest) * std::sqrt(sum)));
  });
  return out;
}

/// A builtin type by its qualified name.
Value builtin_type_of(Evaluator&, Args a) {
  const Type* t = builtin_type(string_of(a[0]));
  if (t == nullptr) throw InternalError("no builtin type " + string_of(a[0]));
  return Value::of_type(t);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_builtin_type", builtin_type_of, 1, 1},
    {"_multiply_matrices", multiply_matrices, 7, 7},
    {"_multiply_vector", multiply_vector, 6, 6},
    {"_rank_update", rank_update, 3, 3},
    {"_multiply_integers", multiply_integers, 5, 5},
    {"_dot", dot, 2, 2},
    {"_norm2", norm2, 1, 1},
};

}  // namespace

int checked_size(int64_t n) {
  if (n > std::numeric_limits<int>::max()) throw Unsupported("linear algebra on more than 2^31 elements in a row");
  return static_cast<int>(n);
}

Value indices(const std::vector<int>& v) {
  Value out = make_array(core().int64, {static_cast<int64_t>(v.size())});
  std::ranges::copy(v, data_of<int64_t>(out));
  return out;
}

std::vector<int> indices_of(const Value& v) {
  const ArrayObject& a = array_of(v);
  std::vector<int> out(static_cast<size_t>(a.length));
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(a.data_as<int64_t>()[i]);
  return out;
}

void check_arguments(int info) {
  if (info < 0) throw InternalError("argument " + std::to_string(-info) + " of a LAPACK routine is wrong");
}

std::span<const IntrinsicEntry> linear_product_intrinsics() { return kEntries; }

std::span<const IntrinsicEntry> algebra_intrinsics() {
  static const std::vector<IntrinsicEntry> all = [] {
    std::vector<IntrinsicEntry> out;
    for (const auto list : {linear_product_intrinsics(), linear_solve_intrinsics(), linear_orthogonal_intrinsics(),
                            linear_eigen_intrinsics(), linear_parts_intrinsics()})
      out.insert(out.end(), list.begin(), list.end());
    return out;
  }();
  return all;
}

}  // namespace weft::julia
