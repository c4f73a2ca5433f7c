// Eigenvalues and the forms on the way to them.
#include <algorithm>

#include "julia/intrinsics/linear.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// Eigenvalues of a real matrix as real numbers where all are.
template <class T>
Value joined(const std::vector<T>& re, const std::vector<T>& im) {
  const auto n = static_cast<int64_t>(re.size());
  if (std::ranges::all_of(im, [](T x) { return x == 0; })) {
    Value out = make_column<T>(n);
    std::ranges::copy(re, data_of<T>(out));
    return out;
  }
  Value out = make_column<std::complex<T>>(n);
  for (size_t i = 0; i < re.size(); ++i) data_of<std::complex<T>>(out)[i] = {re[i], im[i]};
  return out;
}

/// LAPACK's columns of real and imaginary parts as complex vectors, unless all values are real.
template <class T>
Value unpacked(const std::vector<T>& v, const std::vector<T>& im) {
  const size_t n = im.size();
  if (std::ranges::all_of(im, [](T x) { return x == 0; })) {
    Value out = make_columns<T>(static_cast<int64_t>(n), static_cast<int64_t>(n));
    std::copy_n(v.begin(), n * n, data_of<T>(out));
    return out;
  }
  Value out = make_columns<std::complex<T>>(static_cast<int64_t>(n), static_cast<int64_t>(n));
  auto* to = data_of<std::complex<T>>(out);
  for (size_t j = 0; j < n; ++j) {
    const bool is_pair = im[j] != 0;
    for (size_t i = 0; i < n; ++i) {
      if (!is_pair) {
        to[i + j * n] = v[i + j * n];
        continue;
      }
      to[i + j * n] = {v[i + j * n], v[i + (j + 1) * n]};
      to[i + (j + 1) * n] = {v[i + j * n], -v[i + (j + 1) * n]};
    }
    j += is_pair ? 1 : 0;
  }
  return out;
}

/// (balance, job of right vectors, A) → (values, vectors, info)
Value eigen_general(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    using R = Real<T>;
    const auto m = columns_of<T>(a[2]);
    const char balance = letter(a[0]), left = 'N', right = letter(a[1]), sense = 'N';
    const auto n = static_cast<size_t>(m.rows);
    const int stride = m.stride();
    int low = 0, high = 0, info = 0;
    R norm = 0, unused = 0;
    std::vector<R> scale(n + 1), re(n), im(n), real_work(2 * n + 1);
    std::vector<T> values(n), vectors(n * n + 1);
    std::vector<int> integer_work(2 * n + 1);
    const int v_stride = std::max(1, m.rows);
    T none{};
    with_workspace<T>([&](T* work, int size) {
      if constexpr (kIsComplex<T>)
        Linear<T>::geevx(&balance, &left, &right, &sense, &m.rows, m.data, &stride, values.data(), &none, &v_stride,
                         vectors.data(), &v_stride, &low, &high, scale.data(), &norm, &unused, &unused, work, &size,
                         real_work.data(), &info);
      else
        Linear<T>::geevx(&balance, &left, &right, &sense, &m.rows, m.data, &stride, re.data(), im.data(), &none,
                         &v_stride, vectors.data(), &v_stride, &low, &high, scale.data(), &norm, &unused, &unused, work,
                         &size, integer_work.data(), &info);
    });
    check_arguments(info);
    if constexpr (kIsComplex<T>) {
      Value w = make_column<T>(m.rows), v = make_columns<T>(m.rows, right == 'V' ? m.rows : 0);
      std::ranges::copy(values, data_of<T>(w));
      if (right == 'V') std::copy_n(vectors.begin(), n * n, data_of<T>(v));
      out = make_tuple({std::move(w), std::move(v), integer(info)});
    } else {
      Value v = right == 'V' ? unpacked(vectors, im) : make_columns<T>(0, 0);
      out = make_tuple({joined(re, im), std::move(v), integer(info)});
    }
  });
  return out;
}

/// (job, range, uplo, A, lower, upper, first, last) → (values, vectors, info)
Value eigen_symmetric(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[3]).element, [&]<class T>(T) {
    using R = Real<T>;
    const auto m = columns_of<T>(a[3]);
    const char job = letter(a[0]), range = letter(a[1]), uplo = letter(a[2]);
    const R lower = a[4].get<R>(), upper = a[5].get<R>(), tolerance = -1;
    const int first = static_cast<int>(a[6].get<int64_t>()), last = static_cast<int>(a[7].get<int64_t>());
    const auto n = static_cast<size_t>(m.rows);
    const int stride = m.stride(), z_stride = std::max(1, m.rows);
    std::vector<R> values(n + 1);
    std::vector<T> vectors(job == 'V' ? n * n + 1 : 1);
    std::vector<int> support(2 * n + 2);
    int found = 0, info = 0;
    R real_wanted = 0;
    int integer_wanted = 0;
    std::vector<R> real_work;
    std::vector<int> integer_work;
    with_workspace<T>([&](T* work, int size) {
      int real_size = size < 0 ? -1 : static_cast<int>(real_work.size());
      int integer_size = size < 0 ? -1 : static_cast<int>(integer_work.size());
      R* real = size < 0 ? &real_wanted : real_work.data();
      int* integers = size < 0 ? &integer_wanted : integer_work.data();
      if constexpr (kIsComplex<T>)
        Linear<T>::syevr(&job, &range, &uplo, &m.rows, m.data, &stride, &lower, &upper, &first, &last, &tolerance,
                         &found, values.data(), vectors.data(), &z_stride, support.data(), work, &size, real,
                         &real_size, integers, &integer_size, &info);
      else
        Linear<T>::syevr(&job, &range, &uplo, &m.rows, m.data, &stride, &lower, &upper, &first, &last, &tolerance,
                         &found, values.data(), vectors.data(), &z_stride, support.data(), work, &size, integers,
                         &integer_size, &info);
      if (size < 0) {
        real_work.resize(static_cast<size_t>(std::max(real_wanted, R(1))));
        integer_work.resize(static_cast<size_t>(std::max(integer_wanted, 1)));
      }
    });
    check_arguments(info);
    Value w = make_column<R>(found), z = make_columns<T>(job == 'V' ? m.rows : 0, job == 'V' ? found : 0);
    std::copy_n(values.begin(), found, data_of<R>(w));
    if (job == 'V') std::copy_n(vectors.begin(), n * static_cast<size_t>(found), data_of<T>(z));
    out = make_tuple({std::move(w), std::move(z), integer(info)});
  });
  return out;
}

/// (with vectors, diagonal, off-diagonal), both overwritten → (values, vectors, info)
Value eigen_tridiagonal(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    if constexpr (kIsComplex<T>) {
      throw InternalError("a symmetric tridiagonal matrix of real numbers expected");
    } else {
      const auto d = columns_of<T>(a[1]);
      const auto n = static_cast<size_t>(d.rows);
      const char job = a[0].get<bool>() ? 'V' : 'N', range = 'A';
      int info = 0;
      std::vector<T> off(n + 1);
      const ArrayObject& e = array_of(a[2]);
      std::copy_n(e.data_as<T>(), std::min(n, static_cast<size_t>(e.length)), off.begin());
      if (job == 'N') {
        const int one = 1;
        T unused{};
        Linear<T>::stev(&job, &d.rows, d.data, off.data(), &unused, &one, &unused, &info);
        out = make_tuple({a[1], make_columns<T>(0, 0), integer(info)});
        return;
      }
      const T zero = 0;
      const int none = 0, stride = std::max(1, d.rows);
      int found = 0;
      Value w = make_column<T>(d.rows), z = make_columns<T>(d.rows, d.rows);
      std::vector<int> support(2 * n + 2), integer_work(10 * n + 1);
      std::vector<T> work(18 * n + 1);
      const int work_size = static_cast<int>(work.size()), integer_size = static_cast<int>(integer_work.size());
      Linear<T>::stegr(&job, &range, &d.rows, d.data, off.data(), &zero, &zero, &none, &none, &zero, &found,
                       data_of<T>(w), data_of<T>(z), &stride, support.data(), work.data(), &work_size,
                       integer_work.data(), &integer_size, &info);
      check_arguments(info);
      out = make_tuple({std::move(w), std::move(z), integer(info)});
    }
  });
  return out;
}

/// (diagonal, off-diagonal, values) → (vectors by inverse iteration, info)
Value eigen_tridiagonal_vectors(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    if constexpr (kIsComplex<T>) {
      throw InternalError("a symmetric tridiagonal matrix of real numbers expected");
    } else {
      const auto d = columns_of<T>(a[0]), w = columns_of<T>(a[2]);
      const auto n = static_cast<size_t>(d.rows);
      std::vector<T> off(n + 1), work(5 * n + 1), values(n + 1);
      const ArrayObject& e = array_of(a[1]);
      std::copy_n(e.data_as<T>(), std::min(n, static_cast<size_t>(e.length)), off.begin());
      std::copy_n(w.data, std::min(n, static_cast<size_t>(w.rows)), values.begin());
      const std::vector<int> block(n + 1, 1), end(n + 1, d.rows);
      std::vector<int> integer_work(n + 1), failed(n + 1);
      Value z = make_columns<T>(d.rows, w.rows);
      const int stride = std::max(1, d.rows);
      int info = 0;
      Linear<T>::stein(&d.rows, d.data, off.data(), &w.rows, values.data(), block.data(), end.data(), data_of<T>(z),
                       &stride, work.data(), integer_work.data(), failed.data(), &info);
      check_arguments(info);
      out = make_tuple({std::move(z), integer(info)});
    }
  });
  return out;
}

/// (job of vectors, A, B) → (alpha, beta, vectors, info)
Value eigen_generalized(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[1]), b = columns_of<T>(a[2]);
    const char left = 'N', right = letter(a[0]);
    const auto n = static_cast<size_t>(m.rows);
    const int stride = m.stride(), b_stride = b.stride(), v_stride = std::max(1, m.rows);
    std::vector<T> re(n), im(n), vectors(n * n + 1);
    std::vector<Real<T>> real_work(8 * n + 1);
    Value beta = make_column<T>(m.rows);
    T none{};
    int info = 0;
    with_workspace<T>([&](T* work, int size) {
      if constexpr (kIsComplex<T>)
        Linear<T>::ggev3(&left, &right, &m.rows, m.data, &stride, b.data, &b_stride, re.data(), data_of<T>(beta), &none,
                         &v_stride, vectors.data(), &v_stride, work, &size, real_work.data(), &info);
      else
        Linear<T>::ggev3(&left, &right, &m.rows, m.data, &stride, b.data, &b_stride, re.data(), im.data(),
                         data_of<T>(beta), &none, &v_stride, vectors.data(), &v_stride, work, &size, &info);
    });
    check_arguments(info);
    if constexpr (kIsComplex<T>) {
      Value w = make_column<T>(m.rows), v = make_columns<T>(m.rows, m.rows);
      std::ranges::copy(re, data_of<T>(w));
      std::copy_n(vectors.begin(), n * n, data_of<T>(v));
      out = make_tuple({std::move(w), std::move(beta), std::move(v), integer(info)});
    } else {
      out = make_tuple({joined(re, im), std::move(beta), unpacked(vectors, im), integer(info)});
    }
  });
  return out;
}

/// (job, uplo, A, B): A becomes the vectors, B its factor → (values, info)
Value eigen_generalized_symmetric(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    using R = Real<T>;
    const auto m = columns_of<T>(a[2]), b = columns_of<T>(a[3]);
    const char job = letter(a[0]), uplo = letter(a[1]);
    const auto n = static_cast<size_t>(m.rows);
    const int type = 1, stride = m.stride(), b_stride = b.stride();
    Value w = make_column<R>(m.rows);
    int info = 0;
    const size_t square = 1 + 6 * n + 2 * n * n;
    std::vector<T> work(square);
    std::vector<R> real_work(square);
    std::vector<int> integer_work(3 + 5 * n);
    const int size = static_cast<int>(square), integer_size = static_cast<int>(integer_work.size());
    if constexpr (kIsComplex<T>)
      Linear<T>::sygvd(&type, &job, &uplo, &m.rows, m.data, &stride, b.data, &b_stride, data_of<R>(w), work.data(),
                       &size, real_work.data(), &size, integer_work.data(), &integer_size, &info);
    else
      Linear<T>::sygvd(&type, &job, &uplo, &m.rows, m.data, &stride, b.data, &b_stride, data_of<R>(w), work.data(),
                       &size, integer_work.data(), &integer_size, &info);
    check_arguments(info);
    out = make_tuple({std::move(w), integer(info)});
  });
  return out;
}

/// (A): A becomes the Schur form → (vectors, values, info)
Value schur(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const char job = 'V', sort = 'N';
    const auto n = static_cast<size_t>(m.rows);
    const int stride = m.stride(), v_stride = std::max(1, m.rows);
    std::vector<T> re(n), im(n);
    std::vector<Real<T>> real_work(n + 1);
    Value v = make_columns<T>(m.rows, m.rows);
    int selected = 0, chosen = 0, info = 0;
    with_workspace<T>([&](T* work, int size) {
      if constexpr (kIsComplex<T>)
        Linear<T>::gees(&job, &sort, nullptr, &m.rows, m.data, &stride, &selected, re.data(), data_of<T>(v), &v_stride,
                        work, &size, real_work.data(), &chosen, &info);
      else
        Linear<T>::gees(&job, &sort, nullptr, &m.rows, m.data, &stride, &selected, re.data(), im.data(), data_of<T>(v),
                        &v_stride, work, &size, &chosen, &info);
    });
    check_arguments(info);
    Value w;
    if constexpr (kIsComplex<T>) {
      w = make_column<T>(m.rows);
      std::ranges::copy(re, data_of<T>(w));
    } else {
      w = joined(re, im);
    }
    out = make_tuple({std::move(v), std::move(w), integer(info)});
  });
  return out;
}

/// (A) → tau of the reflectors that make it an upper Hessenberg matrix.
Value hessenberg(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const int low = 1, stride = m.stride();
    out = make_column<T>(std::max(0, m.rows - 1));
    int info = 0;
    with_workspace<T>([&](T* work, int size) {
      Linear<T>::gehrd(&m.rows, &low, &m.rows, m.data, &stride, data_of<T>(out), work, &size, &info);
    });
    check_arguments(info);
  });
  return out;
}

/// (factors, tau): the orthogonal matrix in their place.
Value hessenberg_vectors(Evaluator&, Args a) {
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const int low = 1, stride = m.stride();
    int info = 0;
    with_workspace<T>([&](T* work, int size) {
      Linear<T>::orghr(&m.rows, &low, &m.rows, m.data, &stride, data_of<T>(a[1]), work, &size, &info);
    });
    check_arguments(info);
  });
  return a[0];
}

constexpr IntrinsicEntry kEntries[] = {
    {"_eigen_general", eigen_general, 3, 3},
    {"_eigen_symmetric", eigen_symmetric, 8, 8},
    {"_eigen_tridiagonal", eigen_tridiagonal, 3, 3},
    {"_eigen_tridiagonal_vectors", eigen_tridiagonal_vectors, 3, 3},
    {"_eigen_generalized", eigen_generalized, 3, 3},
    {"_eigen_generalized_symmetric", eigen_generalized_symmetric, 4, 4},
    {"_schur", schur, 1, 1},
    {"_hessenberg", hessenberg, 1, 1},
    {"_hessenberg_vectors", hessenberg_vectors, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> linear_eigen_intrinsics() { return kEntries; }

}  // namespace weft::julia
