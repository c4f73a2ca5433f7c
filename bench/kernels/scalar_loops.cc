#include "bench/kernels/scalar_loops.h"

#include <cmath>
#include <utility>
#include <vector>

namespace weft::bench {
namespace {

struct Xoshiro {
  uint64_t s0 = 0x9e3779b97f4a7c15, s1 = 0xbf58476d1ce4e5b9, s2 = 0x94d049bb133111eb, s3 = 0x2545f4914f6cdd1d;
  static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  double operator()() {
    const uint64_t out = rotl(s0 + s3, 23) + s0, u = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= u;
    s3 = rotl(s3, 45);
    return static_cast<double>(out >> 11) * 0x1p-53;
  }
};

int64_t mandel(double cr, double ci) {
  double zr = cr, zi = ci;
  for (int64_t n = 1; n <= 80; ++n) {
    if (zr * zr + zi * zi > 4) return n - 1;
    const double r = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = r;
  }
  return 80;
}

/// c = a b of n × k and k × m, or a' b where a is k × n, or a b' where b is m × k; column by column.
enum class Form { kPlain, kLeft, kRight };
template <Form form>
void product(const double* a, const double* b, double* c, int64_t n, int64_t k, int64_t m) {
  for (int64_t j = 0; j < m; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      double s = 0;
      for (int64_t l = 0; l < k; ++l)
        s += (form == Form::kLeft ? a[l + i * k] : a[i + l * n]) * (form == Form::kRight ? b[j + l * m] : b[l + j * k]);
      c[i + j * n] = s;
    }
  }
}

double trace4(const double* p, int64_t n, int64_t m) {
  double g[400], g2[400], g4[400];
  product<Form::kLeft>(p, p, g, m, n, m);
  product<Form::kPlain>(g, g, g2, m, m, m);
  product<Form::kPlain>(g2, g2, g4, m, m, m);
  double s = 0;
  for (int64_t i = 0; i < m; ++i) s += g4[i + i * m];
  return s;
}

double relative_deviation(const std::vector<double>& v) {
  double mean = 0, square = 0;
  for (double x : v) mean += x;
  mean /= static_cast<double>(v.size());
  for (double x : v) square += (x - mean) * (x - mean);
  return std::sqrt(square / static_cast<double>(v.size() - 1)) / mean;
}

double entry(int64_t i, int64_t j) {
  const int64_t s = i + j;
  return 1.0 / static_cast<double>(s * (s + 1) / 2 + i + 1);
}

int64_t place(int64_t* columns, int64_t row, int64_t n) {
  if (row == n) return 1;
  int64_t count = 0;
  for (int64_t c = 0; c < n; ++c) {
    bool ok = true;
    for (int64_t r = 0; r < row && ok; ++r) {
      const int64_t d = row - r;
      ok = columns[r] != c && columns[r] - c != d && c - columns[r] != d;
    }
    if (!ok) continue;
    columns[row] = c;
    count += place(columns, row + 1, n);
  }
  return count;
}

}  // namespace

int64_t fib(int64_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

void quicksort(double* a, int64_t lo, int64_t hi) {
  int64_t i = lo, j = hi;
  while (i < hi) {
    const double pivot = a[(lo + hi) >> 1];
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i <= j) std::swap(a[i++], a[j--]);
    }
    if (lo < j) quicksort(a, lo, j);
    lo = i;
    j = hi;
  }
}

void mandelbrot_counts(int64_t* out, int64_t rows, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i)
      out[i + j * rows] = mandel(-2 + 0.1 * static_cast<double>(j), -1 + 0.1 * static_cast<double>(i));
  }
}

double pi_sum(int64_t rounds, int64_t terms) {
  double s = 0;
  for (int64_t j = 1; j <= rounds; ++j) {
    s = 0;
    for (int64_t k = 1; k <= terms; ++k) s += 1.0 / static_cast<double>(k * k);
  }
  return s;
}

void random_matrix_statistics(double* out, int64_t t) {
  constexpr int64_t n = 5;
  std::vector<double> v(static_cast<size_t>(t)), w(static_cast<size_t>(t));
  Xoshiro next;
  for (size_t i = 0; i < v.size(); ++i) {
    double p[n * 4 * n], q[2 * n * 2 * n];
    for (double& x : p) x = next() - 0.5;
    for (int64_t block = 0; block < 4; ++block) {
      const int64_t row = block / 2 * n, column = block % 2 * n;
      for (int64_t c = 0; c < n; ++c) {
        for (int64_t r = 0; r < n; ++r) q[row + r + (column + c) * 2 * n] = p[block * n * n + c * n + r];
      }
    }
    v[i] = trace4(p, n, 4 * n);
    w[i] = trace4(q, 2 * n, 2 * n);
  }
  out[0] = relative_deviation(v);
  out[1] = relative_deviation(w);
}

void matrix_product(const double* a, const double* b, double* c, int64_t n) {
  for (int64_t i = 0; i < n * n; ++i) c[i] = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < n; ++k) {
      const double f = b[k + j * n];
      for (int64_t i = 0; i < n; ++i) c[i + j * n] += a[i + k * n] * f;
    }
  }
}

void lorenz_f64(double* state, int64_t steps) {
  struct Point {
    double x, y, z;
  };
  const auto slope = [](Point p) -> Point {
    return {10 * (p.y - p.x), p.x * (28 - p.z) - p.y, p.x * p.y - (8.0 / 3) * p.z};
  };
  const auto moved = [](Point p, double h, Point k) -> Point { return {p.x + h * k.x, p.y + h * k.y, p.z + h * k.z}; };
  constexpr double h = 0.01;
  Point p = {state[0], state[1], state[2]};
  for (int64_t s = 0; s < steps; ++s) {
    const Point k1 = slope(p), k2 = slope(moved(p, h / 2, k1)), k3 = slope(moved(p, h / 2, k2)),
                k4 = slope(moved(p, h, k3));
    p = {p.x + (h / 6) * (k1.x + 2 * k2.x + 2 * k3.x + k4.x), p.y + (h / 6) * (k1.y + 2 * k2.y + 2 * k3.y + k4.y),
         p.z + (h / 6) * (k1.z + 2 * k2.z + 2 * k3.z + k4.z)};
  }
  state[0] = p.x;
  state[1] = p.y;
  state[2] = p.z;
}

void nbody(int64_t steps, double* x, double* v, const double* mass) {
  constexpr double dt = 0.01;
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = i + 1; j < 5; ++j) {
        double d[3];
        for (int64_t k = 0; k < 3; ++k) d[k] = x[k + 3 * i] - x[k + 3 * j];
        const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], mag = dt / (d2 * std::sqrt(d2));
        for (int64_t k = 0; k < 3; ++k) v[k + 3 * i] -= d[k] * (mass[j] * mag);
        for (int64_t k = 0; k < 3; ++k) v[k + 3 * j] += d[k] * (mass[i] * mag);
      }
    }
    for (int64_t i = 0; i < 15; ++i) x[i] += dt * v[i];
  }
}

double spectral_norm(int64_t n) {
  const auto size = static_cast<size_t>(n);
  std::vector<double> u(size, 1), v(size), w(size);
  const auto times = [&](const std::vector<double>& x, std::vector<double>& y, bool transposed) {
    for (int64_t i = 0; i < n; ++i) {
      double s = 0;
      for (int64_t j = 0; j < n; ++j) s += (transposed ? entry(j, i) : entry(i, j)) * x[static_cast<size_t>(j)];
      y[static_cast<size_t>(i)] = s;
    }
  };
  for (int k = 0; k < 10; ++k) {
    times(u, w, false);
    times(w, v, true);
    times(v, w, false);
    times(w, u, true);
  }
  double a = 0, b = 0;
  for (size_t i = 0; i < size; ++i) {
    a += u[i] * v[i];
    b += v[i] * v[i];
  }
  return std::sqrt(a / b);
}

void heat(int64_t steps, double* u, double* w, int64_t n) {
  double* result = u;
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t j = 1; j + 1 < n; ++j) {
      for (int64_t i = 1; i + 1 < n; ++i) {
        const double c = u[i + j * n];
        w[i + j * n] =
            c + 0.1 * (u[i - 1 + j * n] + u[i + 1 + j * n] + u[i + (j - 1) * n] + u[i + (j + 1) * n] - 4 * c);
      }
    }
    std::swap(u, w);
  }
  if (u != result) std::swap_ranges(u, u + n * n, result);
}

void life(int64_t steps, int64_t* g, int64_t* w, int64_t n) {
  int64_t* result = g;
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t j = 0; j < n; ++j) {
      const int64_t left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t up = i == 0 ? n - 1 : i - 1, down = i == n - 1 ? 0 : i + 1;
        const int64_t c = g[up + left * n] + g[i + left * n] + g[down + left * n] + g[up + j * n] + g[down + j * n] +
                          g[up + right * n] + g[i + right * n] + g[down + right * n];
        w[i + j * n] = c == 3 || (c == 2 && g[i + j * n] == 1) ? 1 : 0;
      }
    }
    std::swap(g, w);
  }
  if (g != result) std::swap_ranges(g, g + n * n, result);
}

double monte_carlo_pi(int64_t n) {
  Xoshiro next;
  int64_t hits = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double x = next(), y = next();
    if (x * x + y * y <= 1) ++hits;
  }
  return 4.0 * static_cast<double>(hits) / static_cast<double>(n);
}

void kalman(const double* z, const double* a, const double* q, const double* h, const double* r, double* x, double* p,
            int64_t t) {
  for (int64_t i = 0; i < 4; ++i) x[i] = 0;
  for (int64_t i = 0; i < 16; ++i) p[i] = i % 5 == 0 ? 1 : 0;
  for (int64_t k = 0; k < t; ++k) {
    double x1[4], ap[16], hp[8], s[4], ph[8], gain[8], hx[2], y[2], change[4], less[16];
    product<Form::kPlain>(a, x, x1, 4, 4, 1);
    product<Form::kPlain>(a, p, ap, 4, 4, 4);
    product<Form::kRight>(ap, a, p, 4, 4, 4);
    for (int64_t i = 0; i < 16; ++i) p[i] += q[i];
    product<Form::kPlain>(h, p, hp, 2, 4, 4);
    product<Form::kRight>(hp, h, s, 2, 4, 2);
    for (int64_t i = 0; i < 4; ++i) s[i] += r[i];
    const double det = s[0] * s[3] - s[2] * s[1];
    const double inverse[4] = {s[3] / det, -s[1] / det, -s[2] / det, s[0] / det};
    product<Form::kRight>(p, h, ph, 4, 4, 2);
    product<Form::kPlain>(ph, inverse, gain, 4, 2, 2);
    product<Form::kPlain>(h, x1, hx, 2, 4, 1);
    for (int64_t i = 0; i < 2; ++i) y[i] = z[i + 2 * k] - hx[i];
    product<Form::kPlain>(gain, y, change, 4, 2, 1);
    for (int64_t i = 0; i < 4; ++i) x[i] = x1[i] + change[i];
    product<Form::kPlain>(gain, hp, less, 4, 2, 4);
    for (int64_t i = 0; i < 16; ++i) p[i] -= less[i];
  }
}

int64_t conjugate_gradient(const double* a, const double* b, double* x, int64_t n) {
  const auto size = static_cast<size_t>(n);
  std::vector<double> r(b, b + n), p(b, b + n), ap(size);
  const auto dot = [&](const std::vector<double>& u, const std::vector<double>& v) {
    double s = 0;
    for (size_t i = 0; i < size; ++i) s += u[i] * v[i];
    return s;
  };
  for (int64_t i = 0; i < n; ++i) x[i] = 0;
  double rs = dot(r, r);
  int64_t k = 0;
  for (; k < n && std::sqrt(rs) > 1e-10; ++k) {
    for (double& v : ap) v = 0;
    for (size_t j = 0; j < size; ++j) {
      for (size_t i = 0; i < size; ++i) ap[i] += a[i + j * size] * p[j];
    }
    const double alpha = rs / dot(p, ap);
    for (size_t i = 0; i < size; ++i) x[i] += alpha * p[i];
    for (size_t i = 0; i < size; ++i) r[i] -= alpha * ap[i];
    const double next = dot(r, r), beta = next / rs;
    for (size_t i = 0; i < size; ++i) p[i] = r[i] + beta * p[i];
    rs = next;
  }
  return k;
}

int64_t sieve(int64_t n) {
  std::vector<unsigned char> flags(static_cast<size_t>(n), 1);
  unsigned char* f = flags.data();
  f[0] = 0;
  for (int64_t i = 2; i * i <= n; ++i) {
    if (f[i - 1] == 0) continue;
    for (int64_t j = i * i; j <= n; j += i) f[j - 1] = 0;
  }
  int64_t count = 0;
  for (unsigned char x : flags) count += x;
  return count;
}

void lu(double* a, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t i = k + 1; i < n; ++i) a[i + k * n] /= a[k + k * n];
    for (int64_t j = k + 1; j < n; ++j) {
      const double f = a[k + j * n];
      for (int64_t i = k + 1; i < n; ++i) a[i + j * n] -= a[i + k * n] * f;
    }
  }
}

void shortest_paths(int64_t* d, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < n; ++i) {
        const int64_t via = d[i + k * n] + d[k + j * n];
        if (via < d[i + j * n]) d[i + j * n] = via;
      }
    }
  }
}

int64_t tak(int64_t x, int64_t y, int64_t z) {
  return y < x ? tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)) : z;
}

void axpy(int64_t n, double a, const double* x, double* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

int64_t queens(int64_t n) {
  std::vector<int64_t> columns(static_cast<size_t>(n));
  return place(columns.data(), 0, n);
}

int64_t longest_collatz(int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i <= n; ++i) {
    int64_t length = 1;
    for (int64_t v = i; v > 1; ++length) v = (v & 1) == 0 ? v >> 1 : 3 * v + 1;
    if (length > best) best = length;
  }
  return best;
}

}  // namespace weft::bench
