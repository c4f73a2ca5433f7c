#include "bench/kernels/julia_small.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace weft::bench {
namespace {

template <size_t M, size_t N>
struct Matrix {
  double v[M * N];
  double& operator()(size_t i, size_t j) { return v[i + j * M]; }
  double operator()(size_t i, size_t j) const { return v[i + j * M]; }
};
template <size_t N>
using Vector = Matrix<N, 1>;

template <size_t M, size_t N>
Matrix<M, N> loaded(const double* p) {
  Matrix<M, N> out;
  for (size_t i = 0; i < M * N; ++i) out.v[i] = p[i];
  return out;
}
template <size_t M, size_t N>
void store(const Matrix<M, N>& a, double* p) {
  for (size_t i = 0; i < M * N; ++i) p[i] = a.v[i];
}
template <size_t M, size_t K, size_t N>
Matrix<M, N> operator*(const Matrix<M, K>& a, const Matrix<K, N>& b) {
  Matrix<M, N> out{};
  for (size_t j = 0; j < N; ++j) {
    for (size_t k = 0; k < K; ++k) {
      for (size_t i = 0; i < M; ++i) out(i, j) += a(i, k) * b(k, j);
    }
  }
  return out;
}
template <size_t M, size_t N>
Matrix<M, N> operator*(double s, Matrix<M, N> a) {
  for (double& x : a.v) x *= s;
  return a;
}
template <size_t M, size_t N>
Matrix<M, N> operator+(Matrix<M, N> a, const Matrix<M, N>& b) {
  for (size_t i = 0; i < M * N; ++i) a.v[i] += b.v[i];
  return a;
}
template <size_t M, size_t N>
Matrix<M, N> operator-(Matrix<M, N> a, const Matrix<M, N>& b) {
  for (size_t i = 0; i < M * N; ++i) a.v[i] -= b.v[i];
  return a;
}
template <size_t M, size_t N>
Matrix<N, M> transposed(const Matrix<M, N>& a) {
  Matrix<N, M> out;
  for (size_t j = 0; j < N; ++j) {
    for (size_t i = 0; i < M; ++i) out(j, i) = a(i, j);
  }
  return out;
}
template <size_t N>
Matrix<N, N> identity() {
  Matrix<N, N> out{};
  for (size_t i = 0; i < N; ++i) out(i, i) = 1;
  return out;
}
template <size_t N>
double dot(const Vector<N>& a, const Vector<N>& b) {
  double s = 0;
  for (size_t i = 0; i < N; ++i) s += a.v[i] * b.v[i];
  return s;
}
Vector<3> cross(const Vector<3>& a, const Vector<3>& b) {
  return {{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

/// a⁻¹·b by elimination with partial pivoting.
template <size_t N, size_t K>
Matrix<N, K> solved(Matrix<N, N> a, Matrix<N, K> b) {
  for (size_t j = 0; j < N; ++j) {
    size_t pivot = j;
    for (size_t i = j + 1; i < N; ++i) {
      if (std::fabs(a(i, j)) > std::fabs(a(pivot, j))) pivot = i;
    }
    if (pivot != j) {
      for (size_t c = 0; c < N; ++c) std::swap(a(j, c), a(pivot, c));
      for (size_t c = 0; c < K; ++c) std::swap(b(j, c), b(pivot, c));
    }
    for (size_t i = j + 1; i < N; ++i) {
      const double factor = a(i, j) / a(j, j);
      for (size_t c = j + 1; c < N; ++c) a(i, c) -= factor * a(j, c);
      for (size_t c = 0; c < K; ++c) b(i, c) -= factor * b(j, c);
    }
  }
  for (size_t c = 0; c < K; ++c) {
    for (size_t i = N; i-- > 0;) {
      for (size_t j = i + 1; j < N; ++j) b(i, c) -= a(i, j) * b(j, c);
      b(i, c) /= a(i, i);
    }
  }
  return b;
}

Matrix<3, 3> turn(const Vector<3>& w, double t) {
  const double angle = std::sqrt(dot(w, w)), x = w.v[0] / angle, y = w.v[1] / angle, z = w.v[2] / angle;
  const double s = std::sin(angle * t), c = std::cos(angle * t);
  const Matrix<3, 3> k = {{0, z, -y, -z, 0, x, y, -x, 0}};
  return identity<3>() + s * k + (1 - c) * (k * k);
}

/// x where f is 0; f gives its values and derivatives.
template <size_t N, class F>
Vector<N> newton(F f, Vector<N> x) {
  for (int i = 0; i < 20; ++i) {
    Vector<N> value;
    Matrix<N, N> slopes;
    f(x, value, slopes);
    const Vector<N> step = solved(slopes, value);
    x = x - step;
    if (std::sqrt(dot(step, step)) < 1e-12) break;
  }
  return x;
}

}  // namespace

void attitude(const double* given, const double* inertia, double dt, int64_t steps, double* out) {
  const auto mass = loaded<3, 3>(inertia);
  auto w = loaded<3, 1>(given);
  auto r = identity<3>();
  for (int64_t i = 0; i < steps; ++i) {
    w = w + dt * solved(mass, -1.0 * cross(w, mass * w));
    r = r * turn(w, dt);
  }
  store(r, out);
  store(w, out + 9);
}

void track(const double* seen, const double* q_given, const double* noise, double dt, int64_t t, double* out) {
  const auto q = loaded<4, 4>(q_given);
  const auto error = loaded<2, 2>(noise);
  Vector<4> x = {{0, 0, 0.1, 1}};
  auto p = identity<4>();
  for (int64_t k = 0; k < t; ++k) {
    const double s = std::sin(x.v[2]), c = std::cos(x.v[2]), v = x.v[3];
    const Matrix<4, 4> f = {{1, 0, 0, 0, 0, 1, 0, 0, -dt * v * s, dt * v * c, 1, 0, dt * c, dt * s, 0, 1}};
    x = x + dt * Vector<4>{{v * c, v * s, 0.1, 0}};
    p = f * p * transposed(f) + q;
    const double dx = x.v[0] - 20, dy = x.v[1] - 30, r2 = dx * dx + dy * dy, r = std::sqrt(r2);
    const Matrix<2, 4> h = {{dx / r, -dy / r2, dy / r, dx / r2, 0, -1, 0, 0}};
    const Matrix<2, 2> spread = h * p * transposed(h) + error;
    const Matrix<4, 2> gain = transposed(solved(transposed(spread), transposed(p * transposed(h))));
    const Vector<2> missed = {{seen[2 * k] - r, seen[2 * k + 1] - (std::atan2(dy, dx) - x.v[2])}};
    x = x + gain * missed;
    p = (identity<4>() - gain * h) * p;
  }
  store(x, out);
  store(p, out + 4);
}

void circles(const double* starts, int64_t n, double* found) {
  const auto f = [](const Vector<2>& x, Vector<2>& value, Matrix<2, 2>& slopes) {
    const double a = x.v[0], b = x.v[1];
    value = {{a * a + b * b - 4, a * b - 1}};
    slopes = {{2 * a, b, 2 * b, a}};
  };
  for (int64_t k = 0; k < n; ++k) store(newton(f, loaded<2, 1>(starts + 2 * k)), found + 2 * k);
}

void meeting_points(const double* starts, int64_t n, double* total) {
  const auto f = [](const Vector<3>& x, Vector<3>& value, Matrix<3, 3>& slopes) {
    const double a = x.v[0], b = x.v[1], c = x.v[2];
    value = {{a * a + b * b + c * c - 3, a * b - c, a - b + c * c - 1}};
    slopes = {{2 * a, b, 1, 2 * b, a, -1, 2 * c, -1, 2 * c}};
  };
  Vector<3> sum{};
  for (int64_t k = 0; k < n; ++k) sum = sum + newton(f, loaded<3, 1>(starts + 3 * k));
  store(sum, total);
}

void spiral(const double* given, const double* start, double dt, int64_t steps, double* out) {
  const auto a = loaded<3, 3>(given);
  auto x = loaded<3, 1>(start);
  for (int64_t i = 0; i < steps; ++i) {
    const auto k1 = a * x, k2 = a * (x + dt / 2 * k1), k3 = a * (x + dt / 2 * k2), k4 = a * (x + dt * k3);
    x = x + dt / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  store(x, out);
}

double log_likelihood(const double* points, const double* mean, const double* covariance, int64_t n) {
  double total = 0;
  for (int64_t point = 0; point < n; ++point) {
    const auto a = loaded<3, 3>(covariance) + 0.001 * static_cast<double>(point + 1) * identity<3>();
    const Vector<3> d = loaded<3, 1>(points + 3 * point) - loaded<3, 1>(mean);
    Matrix<3, 3> l{};
    double log_of_determinant = 0;
    for (size_t j = 0; j < 3; ++j) {
      for (size_t i = j; i < 3; ++i) {
        double rest = a(j, i);
        for (size_t k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
        l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
      }
      log_of_determinant += std::log(l(j, j));
    }
    Vector<3> x = d;
    for (size_t i = 0; i < 3; ++i) {
      for (size_t k = 0; k < i; ++k) x.v[i] -= l(i, k) * x.v[k];
      x.v[i] /= l(i, i);
    }
    for (size_t i = 3; i-- > 0;) {
      for (size_t k = i + 1; k < 3; ++k) x.v[i] -= l(k, i) * x.v[k];
      x.v[i] /= l(i, i);
    }
    total -= (dot(d, x) + 2 * log_of_determinant + 3 * std::log(2 * M_PI)) / 2;
  }
  return total;
}

double stiffness(const double* points, const int64_t* triangles, int64_t n) {
  double total = 0;
  const Matrix<2, 3> reference = {{-1, -1, 1, 0, 0, 1}};
  for (int64_t k = 0; k < n; ++k) {
    const auto corner = [&](int64_t i) { return loaded<2, 1>(points + 2 * (triangles[3 * k + i] - 1)); };
    const Vector<2> a = corner(0), b = corner(1) - a, c = corner(2) - a;
    const double det = b.v[0] * c.v[1] - c.v[0] * b.v[1];
    const Matrix<2, 2> inverse = {{c.v[1] / det, -b.v[1] / det, -c.v[0] / det, b.v[0] / det}};
    const Matrix<2, 3> g = transposed(inverse) * reference;
    const Matrix<3, 3> e = std::fabs(det) / 2 * (transposed(g) * g);
    total += e(0, 0) + e(1, 1) + e(2, 2) + e(0, 1) * e(1, 2);
  }
  return total;
}

}  // namespace weft::bench
