// The rectifier as StableHLO's maximum(x, 0). oneDNN's own post-op turns NaN into 0 in some of its kernels and negative
// numbers into -0 in others, so it is run as a pass of our own after the primitive.
#pragma once
#include <cstddef>

namespace weft::native {

/// x[i] = max(x[i], 0), NaN kept. Split over `partitions` threads where it is worth it.
void relu_in_place(float* x, size_t count, int partitions);

}  // namespace weft::native
