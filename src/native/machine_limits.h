// What this machine can do at most, measured: what times are compared with.
#pragma once

namespace weft {

struct MachineLimits {
  int threads = 1;
  double f32_gflops = 0;  // fused multiply-adds in registers, two operations each, in the widest vectors of this CPU
  double f64_gflops = 0;
  double read_gbs = 0;  // sum of an array much larger than the caches
  double copy_gbs = 0;  // bytes read and written
};

/// Takes about a second; the best of several runs each. `threads`: as parallel sections use.
MachineLimits measure_limits(int threads);

}  // namespace weft
