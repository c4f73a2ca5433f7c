#include "native/kernels/relu.h"

#include "native/kernels/openmp_abi.h"

namespace weft::native {

namespace {

void relu_range(float* x, size_t count) {
  for (size_t i = 0; i < count; ++i) x[i] = x[i] <= 0.0f ? 0.0f : x[i];  // a comparison with NaN is false
}

struct Work {
  float* x;
  size_t count;
};

constexpr size_t kSerialBelow = size_t{1} << 15;

}  // namespace

void relu_in_place(float* x, size_t count, int partitions) {
  if (partitions < 2 || count < kSerialBelow) return relu_range(x, count);
  Work work{x, count};
  // Not rt::parallel: the caller holds the section lock already, inside which that would run serially.
  GOMP_parallel(
      [](void* data) {
        auto& all = *static_cast<Work*>(data);
        size_t me = omp_get_thread_num(), team = omp_get_num_threads();
        size_t first = all.count / 16 * me / team * 16;
        size_t last = me + 1 == team ? all.count : all.count / 16 * (me + 1) / team * 16;
        relu_range(all.x + first, last - first);
      },
      &work, static_cast<unsigned>(partitions), 0);
}

}  // namespace weft::native
