// Orthogonal factorizations: QR, LQ, least squares, singular values.
#include "julia/intrinsics/linear.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// (A, block size) → T of the compact form; A holds R and the reflectors.
Value qr_compact(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    const int nb = static_cast<int>(a[1].get<int64_t>()), stride = m.stride();
    const int least = std::min(m.rows, m.columns);
    out = make_columns<T>(nb, least);
    std::vector<T> work(static_cast<size_t>(nb) * static_cast<size_t>(m.columns) + 1);
    const int t_stride = std::max(nb, 1);
    int info = 0;
    if (least > 0)
      Linear<T>::geqrt(&m.rows, &m.columns, &nb, m.data, &stride, data_of<T>(out), &t_stride, work.data(), &info);
    check_arguments(info);
  });
  return out;
}

/// (side, trans, factors, T, C): C becomes Q C, Q' C, C Q or C Q'.
Value qr_compact_apply(Evaluator&, Args a) {
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto v = columns_of<T>(a[2]), t = columns_of<T>(a[3]), c = columns_of<T>(a[4]);
    const char side = letter(a[0]), trans = transposition<T>(a[1]);
    const int k = t.columns, stride = v.stride(), t_stride = t.stride(), c_stride = c.stride();
    const auto other = static_cast<size_t>(side == 'L' ? c.columns : c.rows);
    std::vector<T> work(static_cast<size_t>(t.rows) * other + 1);
    int info = 0;
    if (k > 0 && c.rows > 0 && c.columns > 0)
      Linear<T>::gemqrt(&side, &trans, &c.rows, &c.columns, &k, &t.rows, v.data, &stride, t.data, &t_stride, c.data,
                        &c_stride, work.data(), &info);
    check_arguments(info);
  });
  return a[4];
}

/// (A) → tau, by geqrf or gelqf.
template <class Routine>
Value factorize(const Value& matrix, Routine routine) {
  Value out;
  visit_linear(array_of(matrix).element, [&]<class T>(T zero) {
    const auto m = columns_of<T>(matrix);
    out = make_column<T>(std::min(m.rows, m.columns));
    const int stride = m.stride();
    int info = 0;
    with_workspace<T>(
        [&](T* work, int n) { routine(zero)(&m.rows, &m.columns, m.data, &stride, data_of<T>(out), work, &n, &info); });
    check_arguments(info);
  });
  return out;
}
Value qr(Evaluator&, Args a) {
  return factorize(a[0], []<class T>(T) { return Linear<T>::geqrf; });
}
Value lq(Evaluator&, Args a) {
  return factorize(a[0], []<class T>(T) { return Linear<T>::gelqf; });
}

/// (A) → (columns in the order taken, tau)
Value qr_pivoted(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]);
    Value tau = make_column<T>(std::min(m.rows, m.columns));
    std::vector<int> pivots(static_cast<size_t>(m.columns));
    const int stride = m.stride();
    int info = 0;
    std::vector<Real<T>> real_work(2 * static_cast<size_t>(m.columns) + 1);
    with_workspace<T>([&](T* work, int n) {
      if constexpr (kIsComplex<T>)
        Linear<T>::geqp3(&m.rows, &m.columns, m.data, &stride, pivots.data(), data_of<T>(tau), work, &n,
                         real_work.data(), &info);
      else Linear<T>::geqp3(&m.rows, &m.columns, m.data, &stride, pivots.data(), data_of<T>(tau), work, &n, &info);
    });
    check_arguments(info);
    out = make_tuple({indices(pivots), std::move(tau)});
  });
  return out;
}

/// (side, trans, reflectors, tau, C, by rows): products with the Q of qr or lq.
Value apply_reflectors(Evaluator&, Args a) {
  visit_linear(array_of(a[2]).element, [&]<class T>(T) {
    const auto v = columns_of<T>(a[2]), tau = columns_of<T>(a[3]), c = columns_of<T>(a[4]);
    const char side = letter(a[0]), trans = transposition<T>(a[1]);
    const auto routine = a[5].get<bool>() ? Linear<T>::ormlq : Linear<T>::ormqr;
    const int stride = v.stride(), c_stride = c.stride();
    int info = 0;
    with_workspace<T>([&](T* work, int n) {
      routine(&side, &trans, &c.rows, &c.columns, &tau.rows, v.data, &stride, tau.data, c.data, &c_stride, work, &n,
              &info);
    });
    check_arguments(info);
  });
  return a[4];
}

/// (A, B, rcond) → rank; B, of max(m, n) rows, begins with the least-squares solution of least norm.
Value least_squares(Evaluator&, Args a) {
  int rank = 0;
  visit_linear(array_of(a[0]).element, [&]<class T>(T) {
    const auto m = columns_of<T>(a[0]), b = columns_of<T>(a[1]);
    const auto rcond = a[2].get<Real<T>>();
    std::vector<int> pivots(static_cast<size_t>(m.columns));
    std::vector<Real<T>> real_work(2 * static_cast<size_t>(m.columns) + 1);
    const int stride = m.stride(), b_stride = b.stride();
    int info = 0;
    with_workspace<T>([&](T* work, int n) {
      if constexpr (kIsComplex<T>)
        Linear<T>::gelsy(&m.rows, &m.columns, &b.columns, m.data, &stride, b.data, &b_stride, pivots.data(), &rcond,
                         &rank, work, &n, real_work.data(), &info);
      else
        Linear<T>::gelsy(&m.rows, &m.columns, &b.columns, m.data, &stride, b.data, &b_stride, pivots.data(), &rcond,
                         &rank, work, &n, &info);
    });
    check_arguments(info);
  });
  return integer(rank);
}

/// (job, A) → (U, values, Vt, info). Jobs: N values only, S thin, A full.
Value singular_values(Evaluator&, Args a) {
  Value out;
  visit_linear(array_of(a[1]).element, [&]<class T>(T) {
    using R = Real<T>;
    const auto m = columns_of<T>(a[1]);
    const char job = letter(a[0]);
    const int least = std::min(m.rows, m.columns), most = std::max(m.rows, m.columns);
    const int u_columns = job == 'N' ? 0 : job == 'S' ? least : m.rows;
    const int v_rows = job == 'N' ? 0 : job == 'S' ? least : m.columns;
    Value u = make_columns<T>(job == 'N' ? 0 : m.rows, u_columns);
    Value vt = make_columns<T>(v_rows, job == 'N' ? 0 : m.columns);
    Value s = make_column<R>(least);
    const int stride = m.stride(), u_stride = std::max(1, m.rows), v_stride = std::max(1, v_rows);
    std::vector<int> integer_work(8 * static_cast<size_t>(least) + 1);
    const auto l = static_cast<size_t>(least), g = static_cast<size_t>(most);
    std::vector<R> real_work(std::max(5 * l * l + 7 * l, 2 * g * l + 2 * l * l + l) + 1);
    int info = 0;
    if (least > 0) {
      with_workspace<T>([&](T* work, int n) {
        if constexpr (kIsComplex<T>)
          Linear<T>::gesdd(&job, &m.rows, &m.columns, m.data, &stride, data_of<R>(s), data_of<T>(u), &u_stride,
                           data_of<T>(vt), &v_stride, work, &n, real_work.data(), integer_work.data(), &info);
        else
          Linear<T>::gesdd(&job, &m.rows, &m.columns, m.data, &stride, data_of<R>(s), data_of<T>(u), &u_stride,
                           data_of<T>(vt), &v_stride, work, &n, integer_work.data(), &info);
      });
    }
    check_arguments(info);
    out = make_tuple({std::move(u), std::move(s), std::move(vt), integer(info)});
  });
  return out;
}

constexpr IntrinsicEntry kEntries[] = {
    {"_qr_compact", qr_compact, 2, 2},
    {"_qr_compact_apply", qr_compact_apply, 5, 5},
    {"_qr", qr, 1, 1},
    {"_qr_pivoted", qr_pivoted, 1, 1},
    {"_lq", lq, 1, 1},
    {"_apply_reflectors", apply_reflectors, 6, 6},
    {"_least_squares", least_squares, 3, 3},
    {"_singular_values", singular_values, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> linear_orthogonal_intrinsics() { return kEntries; }

}  // namespace weft::julia
