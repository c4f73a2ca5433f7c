// Hand-written references of the loop benchmarks: what an engineer would write in C++ for each, on one thread.
#pragma once
#include <cstdint>

namespace weft::bench {

/// `steps` steps of Lorenz's equations by Runge and Kutta's fourth order, h = 0.01, from and into state[3]. Every operation rounds.
void lorenz(float* state, int64_t steps);
/// As above with products and sums contracted to fused multiply-adds, as g++ does by default.
void lorenz_contracted(float* state, int64_t steps);
/// Collatz steps of 1 … n together, in 32-bit numbers.
int32_t collatz(int32_t n);
/// c = a * c + b, `steps` times.
float affine(float a, float b, float c, int64_t steps);
/// Gradient descent of a linear regression: in step s the rows x[index[s*batch …]] of length d. Sums in any order.
void sgd(const float* x, const float* y, const int32_t* index, float* w, int d, int batch, int steps, float rate);
/// y[n] = a[k] b[k,n] and y[k] = b[k,n] a[n], row-major.
void vector_matrix(const float* a, const float* b, float* y, int64_t k, int64_t n);
void matrix_vector(const float* b, const float* a, float* y, int64_t k, int64_t n);
/// c[m,3] = a[m,3] b[3,3].
void thin_product(const float* a, const float* b, float* c, int64_t m);
/// c[count,4,4] = a b, a product each.
void small_products(const float* a, const float* b, float* c, int64_t count);
/// Newton's iteration for e - ecc sin e = mean, until the step is at most 1e-5, at most 100 steps.
void kepler(const float* eccentricity, const float* mean, float* e, int64_t n);

}  // namespace weft::bench
