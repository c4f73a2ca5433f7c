// The programs of bench/julia/small.jl in C++: the same work in the same order. Matrices are column-major.
#pragma once
#include <cstdint>

namespace weft::bench {

void attitude(const double* w, const double* inertia, double dt, int64_t steps, double* out);             // 3 × 3 and 3
void track(const double* seen, const double* q, const double* noise, double dt, int64_t t, double* out);  // 4 and 4 × 4
void circles(const double* starts, int64_t n, double* found);
void meeting_points(const double* starts, int64_t n, double* total);
void spiral(const double* a, const double* x, double dt, int64_t steps, double* out);
double log_likelihood(const double* points, const double* mean, const double* covariance, int64_t n);
double stiffness(const double* points, const int64_t* triangles, int64_t n);

}  // namespace weft::bench
