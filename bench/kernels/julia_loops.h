// Those programs of bench/julia/loops.jl that bench/kernels/scalar_loops.h does not have, in C++: the same work in the same order.
#pragma once
#include <array>
#include <cstdint>

namespace weft::bench {

using RandomState = std::array<uint64_t, 4>;

void mandelbrot_of_grid(int64_t* out);  // 21 × 26, column by column
void random_matrices_of_normals(RandomState state, int64_t t, double* out);
struct LorenzPoint {
  double x, y, z;
};
LorenzPoint lorenz_orbit(int64_t steps);
struct Body {
  double x, y, z, vx, vy, vz, mass;
};
double energy_after(const Body* given, int64_t steps);
double monte_carlo_of_words(RandomState state, int64_t n);

}  // namespace weft::bench
