#include "bench/kernels/julia_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace weft::bench {
namespace {

/// Xoshiro256++ with Julia's ways to numbers and to arrays of them.
struct Xoshiro {
  RandomState s;
  uint64_t next() {
    const uint64_t out = std::rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return out;
  }
  double unit() { return static_cast<double>(static_cast<int64_t>(next() >> 11)) * 0x1p-53; }

  /// Eight generators side by side, then what is left over.
  void fill(uint64_t* out, size_t n) {
    size_t i = 0;
    if (n >= 8) {
      constexpr uint64_t kFactors[] = {0x02011ce34bce797f, 0x5a94851fb48a6e05, 0x3688cf5d48899fa7, 0x867b4bb4c42e5661};
      uint64_t lanes[4][8];
      for (size_t word = 0; word < 4; ++word) {
        for (uint64_t& lane : lanes[word]) lane = kFactors[word] * next();
      }
      auto& [a, b, c, d] = lanes;
      for (; i + 8 <= n; i += 8) {
        for (size_t k = 0; k < 8; ++k) {
          out[i + k] = std::rotl(a[k] + d[k], 23) + a[k];
          const uint64_t t = b[k] << 17;
          c[k] ^= a[k];
          d[k] ^= b[k];
          b[k] ^= c[k];
          a[k] ^= d[k];
          c[k] ^= t;
          d[k] = std::rotl(d[k], 45);
        }
      }
    }
    for (; i < n; ++i) out[i] = next();
  }
};

/// Marsaglia and Tsang's layers of the normal density, as Julia lays them.
struct Layers {
  static constexpr double kTail = 3.654152885361009;
  std::array<int64_t, 256> bound{};
  std::array<double, 256> width{}, density{};
  Layers() {
    using Wide = long double;
    const Wide r = 3.6541528853610088L;
    const auto f = [](Wide x) { return std::exp(-x * x / 2); };
    const Wide area = r * f(r) + std::sqrt(std::acos(-1.0L) / 2) * std::erfc(r / std::sqrt(2.0L));
    constexpr Wide kMantissas = 0x1p51L;
    Wide x = r;
    width[255] = static_cast<double>(x / kMantissas);
    density[255] = static_cast<double>(f(x));
    bound[0] = static_cast<int64_t>(x * f(x) / area * kMantissas);
    width[0] = static_cast<double>(area / f(x) / kMantissas);
    density[0] = 1;
    for (size_t i = 254; i >= 1; --i) {
      const Wide next = std::sqrt(-2 * std::log(area / x + f(x)));
      bound[i + 1] = static_cast<int64_t>(next / x * kMantissas);
      width[i] = static_cast<double>(next / kMantissas);
      density[i] = static_cast<double>(f(next));
      x = next;
    }
  }
};

const Layers& layers() {
  static const Layers l;
  return l;
}

double normal(Xoshiro& g, uint64_t word) {
  const Layers& l = layers();
  for (uint64_t bits = word >> 12;; bits = g.next() >> 12) {
    const auto mantissa = static_cast<int64_t>(bits >> 1);
    const size_t layer = static_cast<size_t>(mantissa) & 255;
    const double x = static_cast<double>((bits & 1) != 0 ? -mantissa : mantissa) * l.width[layer];
    if (mantissa < l.bound[layer]) [[likely]]
      return x;
    if (layer == 0) {
      for (;;) {
        const double along = -std::log1p(-g.unit()) / Layers::kTail, up = -std::log1p(-g.unit());
        if (up + up > along * along) return ((mantissa >> 8) & 1) != 0 ? -Layers::kTail - along : Layers::kTail + along;
      }
    }
    if ((l.density[layer - 1] - l.density[layer]) * g.unit() + l.density[layer] < std::exp(-0.5 * x * x)) return x;
  }
}

using Block = std::array<double, 25>;

Block normal_block(Xoshiro& g) {
  std::array<uint64_t, 25> words{};
  g.fill(words.data(), words.size());
  Block out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = normal(g, words[i]);
  return out;
}

/// c = a' b or a b of n × n results, k products each, column by column.
template <bool transposed>
void product(const double* a, const double* b, double* c, size_t n, size_t k) {
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = 0; i < n; ++i) {
      double s = 0;
      for (size_t l = 0; l < k; ++l) s += (transposed ? a[l + i * k] : a[i + l * n]) * b[l + j * k];
      c[i + j * n] = s;
    }
  }
}

/// The trace of (p' p)^4 of n rows and m columns.
double trace_of_power(const double* p, size_t n, size_t m) {
  double g[400], g2[400], g4[400];
  product<true>(p, p, g, m, n);
  product<false>(g, g, g2, m, m);
  product<false>(g2, g2, g4, m, m);
  double s = 0;
  for (size_t i = 0; i < m; ++i) s += g4[i + i * m];
  return s;
}

double relative_deviation(const std::vector<double>& v) {
  const auto n = static_cast<double>(v.size());
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
  double squares = 0;
  for (const double x : v) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (n - 1)) / mean;
}

LorenzPoint operator+(LorenzPoint a, LorenzPoint b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
LorenzPoint operator*(double s, LorenzPoint p) { return {s * p.x, s * p.y, s * p.z}; }

void advance(Body* bodies, double dt) {
  constexpr size_t n = 5;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      Body &a = bodies[i], &b = bodies[j];
      const double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      const double d2 = dx * dx + dy * dy + dz * dz, mag = dt / (d2 * std::sqrt(d2));
      a.vx -= dx * b.mass * mag;
      a.vy -= dy * b.mass * mag;
      a.vz -= dz * b.mass * mag;
      b.vx += dx * a.mass * mag;
      b.vy += dy * a.mass * mag;
      b.vz += dz * a.mass * mag;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    Body& b = bodies[i];
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }
}

double energy(const Body* bodies) {
  constexpr size_t n = 5;
  double e = 0;
  for (size_t i = 0; i < n; ++i) {
    const Body& b = bodies[i];
    e += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
    for (size_t j = i + 1; j < n; ++j) {
      const Body& c = bodies[j];
      const double dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
      e -= b.mass * c.mass / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}

int64_t mandel(double cr, double ci) {
  constexpr int64_t kMost = 80;
  double zr = cr, zi = ci;
  for (int64_t n = 1; n <= kMost; ++n) {
    if (zr * zr + zi * zi > 4) return n - 1;
    const double r = zr * zr - zi * zi + cr;
    zi = zr * zi + zi * zr + ci;
    zr = r;
  }
  return kMost;
}

}  // namespace

void mandelbrot_of_grid(int64_t* out) {
  for (int64_t j = 0; j < 26; ++j) {
    for (int64_t i = 0; i < 21; ++i)
      out[i + 21 * j] = mandel(static_cast<double>(j - 20) / 10, static_cast<double>(i - 10) / 10);
  }
}

void random_matrices_of_normals(RandomState state, int64_t t, double* out) {
  constexpr size_t n = 5;
  Xoshiro g{state};
  std::vector<double> v(static_cast<size_t>(t)), w(static_cast<size_t>(t));
  for (size_t i = 0; i < v.size(); ++i) {
    double p[n * 4 * n], q[2 * n * 2 * n];
    for (size_t block = 0; block < 4; ++block) {
      const Block a = normal_block(g);
      std::memcpy(p + block * n * n, a.data(), sizeof a);
      const size_t row = block / 2 * n, column = block % 2 * n;
      for (size_t c = 0; c < n; ++c) {
        for (size_t r = 0; r < n; ++r) q[row + r + (column + c) * 2 * n] = a[c * n + r];
      }
    }
    v[i] = trace_of_power(p, n, 4 * n);
    w[i] = trace_of_power(q, 2 * n, 2 * n);
  }
  out[0] = relative_deviation(v);
  out[1] = relative_deviation(w);
}

LorenzPoint lorenz_orbit(int64_t steps) {
  const auto f = [](LorenzPoint p) -> LorenzPoint {
    return {10 * (p.y - p.x), p.x * (28 - p.z) - p.y, p.x * p.y - 8.0 / 3 * p.z};
  };
  constexpr double h = 0.01;
  LorenzPoint p{1, 1, 1};
  for (int64_t s = 0; s < steps; ++s) {
    const LorenzPoint k1 = f(p), k2 = f(p + h / 2 * k1), k3 = f(p + h / 2 * k2), k4 = f(p + h * k3);
    p = p + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return p;
}

double energy_after(const Body* given, int64_t steps) {
  std::array<Body, 5> bodies{};
  std::copy_n(given, 5, bodies.data());
  for (int64_t s = 0; s < steps; ++s) advance(bodies.data(), 0.01);
  return energy(bodies.data());
}

double monte_carlo_of_words(RandomState state, int64_t n) {
  Xoshiro g{state};
  int64_t inside = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double x = g.unit(), y = g.unit();
    if (x * x + y * y <= 1) ++inside;
  }
  return 4.0 * static_cast<double>(inside) / static_cast<double>(n);
}

}  // namespace weft::bench
