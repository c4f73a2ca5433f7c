// The programs of bench/loops by hand: the same loops in the same order, arrays column by column as Julia keeps them.
#pragma once
#include <cstdint>

namespace weft::bench {

int64_t fib(int64_t n);
void quicksort(double* a, int64_t lo, int64_t hi);  // from 0
void mandelbrot_counts(int64_t* out, int64_t rows, int64_t columns);
double pi_sum(int64_t rounds, int64_t terms);
void random_matrix_statistics(double* out, int64_t t);
void matrix_product(const double* a, const double* b, double* c, int64_t n);
void lorenz_f64(double* state, int64_t steps);
void nbody(int64_t steps, double* x, double* v, const double* mass);
double spectral_norm(int64_t n);
void heat(int64_t steps, double* u, double* w, int64_t n);  // the result is in u
void life(int64_t steps, int64_t* g, int64_t* w, int64_t n);
double monte_carlo_pi(int64_t n);
void kalman(const double* z, const double* a, const double* q, const double* h, const double* r, double* x, double* p,
            int64_t t);
int64_t conjugate_gradient(const double* a, const double* b, double* x, int64_t n);
int64_t sieve(int64_t n);
void lu(double* a, int64_t n);
void shortest_paths(int64_t* d, int64_t n);
int64_t tak(int64_t x, int64_t y, int64_t z);
void axpy(int64_t n, double a, const double* x, double* y);
int64_t queens(int64_t n);
int64_t longest_collatz(int64_t n);

}  // namespace weft::bench
