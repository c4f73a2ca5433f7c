#include "bench/kernels/loops.h"

#include <cmath>
#include <vector>

namespace weft::bench {
namespace {

[[gnu::always_inline]] inline void lorenz_steps(float* state, int64_t steps) {
  float x = state[0], y = state[1], z = state[2];
  const float h = 0.01f, half = 0.005f, sixth = 0.01f / 6, sigma = 10, rho = 28, beta = 8.0f / 3;
  for (int64_t k = 0; k < steps; ++k) {
    const float a1 = sigma * (y - x), b1 = x * (rho - z) - y, c1 = x * y - beta * z;
    const float x2 = x + half * a1, y2 = y + half * b1, z2 = z + half * c1;
    const float a2 = sigma * (y2 - x2), b2 = x2 * (rho - z2) - y2, c2 = x2 * y2 - beta * z2;
    const float x3 = x + half * a2, y3 = y + half * b2, z3 = z + half * c2;
    const float a3 = sigma * (y3 - x3), b3 = x3 * (rho - z3) - y3, c3 = x3 * y3 - beta * z3;
    const float x4 = x + h * a3, y4 = y + h * b3, z4 = z + h * c3;
    const float a4 = sigma * (y4 - x4), b4 = x4 * (rho - z4) - y4, c4 = x4 * y4 - beta * z4;
    x += sixth * (a1 + 2 * a2 + 2 * a3 + a4);
    y += sixth * (b1 + 2 * b2 + 2 * b3 + b4);
    z += sixth * (c1 + 2 * c2 + 2 * c3 + c4);
  }
  state[0] = x;
  state[1] = y;
  state[2] = z;
}

}  // namespace

void lorenz(float* state, int64_t steps) { lorenz_steps(state, steps); }

int32_t collatz(int32_t n) {
  int32_t total = 0;
  for (int32_t i = 1; i <= n; ++i) {
    for (int32_t v = i; v != 1; ++total) v = (v & 1) != 0 ? 3 * v + 1 : v >> 1;
  }
  return total;
}

float affine(float a, float b, float c, int64_t steps) {
  for (int64_t k = 0; k < steps; ++k) c = a * c + b;
  return c;
}

void kepler(const float* eccentricity, const float* mean, float* e, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float x = mean[i], step = 1;
    for (int k = 0; std::fabs(step) > 1e-5f && k < 100; ++k) {
      step = (x - eccentricity[i] * std::sin(x) - mean[i]) / (1 - eccentricity[i] * std::cos(x));
      x -= step;
    }
    e[i] = x;
  }
}

void vector_matrix(const float* a, const float* b, float* y, int64_t k, int64_t n) {
  for (int64_t j = 0; j < n; ++j) y[j] = 0;
  for (int64_t i = 0; i < k; i += 4) {
    const float* r = b + i * n;
    for (int64_t j = 0; j < n; ++j)
      y[j] += a[i] * r[j] + a[i + 1] * r[j + n] + a[i + 2] * r[j + 2 * n] + a[i + 3] * r[j + 3 * n];
  }
}

void thin_product(const float* a, const float* b, float* c, int64_t m) {
  for (int64_t i = 0; i < m; ++i) {
    for (int j = 0; j < 3; ++j) c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  }
}

void small_products(const float* a, const float* b, float* c, int64_t count) {
  for (int64_t p = 0; p < count; ++p, a += 16, b += 16, c += 16) {
    for (int i = 0; i < 4; ++i) {
      float row[4] = {0, 0, 0, 0};
      for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 4; ++j) row[j] += a[4 * i + k] * b[4 * k + j];
      }
      for (int j = 0; j < 4; ++j) c[4 * i + j] = row[j];
    }
  }
}

// What follows adds in the order that is fastest and fuses products with sums.
#pragma GCC optimize("fast-math", "fp-contract=fast")

void lorenz_contracted(float* state, int64_t steps) {
  float x = state[0], y = state[1], z = state[2];
  const float h = 0.01f, half = 0.005f, sixth = 0.01f / 6, sigma = 10, rho = 28, beta = 8.0f / 3;
  const auto fma = [](float p, float q, float r) { return __builtin_fmaf(p, q, r); };
  for (int64_t k = 0; k < steps; ++k) {
    const float a1 = sigma * (y - x), b1 = fma(x, rho - z, -y), c1 = fma(x, y, -(beta * z));
    const float x2 = fma(half, a1, x), y2 = fma(half, b1, y), z2 = fma(half, c1, z);
    const float a2 = sigma * (y2 - x2), b2 = fma(x2, rho - z2, -y2), c2 = fma(x2, y2, -(beta * z2));
    const float x3 = fma(half, a2, x), y3 = fma(half, b2, y), z3 = fma(half, c2, z);
    const float a3 = sigma * (y3 - x3), b3 = fma(x3, rho - z3, -y3), c3 = fma(x3, y3, -(beta * z3));
    const float x4 = fma(h, a3, x), y4 = fma(h, b3, y), z4 = fma(h, c3, z);
    const float a4 = sigma * (y4 - x4), b4 = fma(x4, rho - z4, -y4), c4 = fma(x4, y4, -(beta * z4));
    x = fma(sixth, fma(2, a3, fma(2, a2, a1)) + a4, x);
    y = fma(sixth, fma(2, b3, fma(2, b2, b1)) + b4, y);
    z = fma(sixth, fma(2, c3, fma(2, c2, c1)) + c4, z);
  }
  state[0] = x;
  state[1] = y;
  state[2] = z;
}

void sgd(const float* x, const float* y, const int32_t* index, float* w, int d, int batch, int steps, float rate) {
  std::vector<float> sum(static_cast<size_t>(d));
  float* g = sum.data();
  for (int s = 0; s < steps; ++s) {
    for (int j = 0; j < d; ++j) g[j] = 0;
    const int32_t* at = index + s * batch;
    for (int k = 0; k < batch; ++k) {
      const float* r = x + at[k] * d;
      float e = -y[at[k]];
      for (int j = 0; j < d; ++j) e += r[j] * w[j];
      e *= 2.0f / static_cast<float>(batch);
      for (int j = 0; j < d; ++j) g[j] += e * r[j];
    }
    for (int j = 0; j < d; ++j) w[j] -= rate * g[j];
  }
}

void matrix_vector(const float* b, const float* a, float* y, int64_t k, int64_t n) {
  for (int64_t i = 0; i < k; ++i) {
    float s = 0;
    for (int64_t j = 0; j < n; ++j) s += b[i * n + j] * a[j];
    y[i] = s;
  }
}

}  // namespace weft::bench
