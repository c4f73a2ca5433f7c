// The hand-written reference of the Mandelbrot benchmark: what an engineer would write for this one loop.
#pragma once
#include <cstdint>

namespace weft::bench {

/// For each of `n` points c = cx + i cy: the number of steps z <- z*z + c from z = 0, at most `max_iter`, that are taken while
/// |z|^2 <= 4. Every operation rounds to float32 and no multiply-add is fused. AVX-512, OpenMP threads; any n.
void mandelbrot_avx512(const float* cx, const float* cy, int32_t* counts, int64_t n, int max_iter);

/// The same loop as plain scalar code on one thread; its counts are the meaning of the other.
void mandelbrot_scalar(const float* cx, const float* cy, int32_t* counts, int64_t n, int max_iter);

/// The benchmark's points: a side x side raster of [-2, 0.6] x [-1.3, 1.3], x fastest; both arrays hold side * side elements.
void mandelbrot_raster(float* cx, float* cy, int64_t side);

}  // namespace weft::bench
