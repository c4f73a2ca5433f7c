#include "native/kernels/library_threads.h"

namespace weft::native {

int library_threads(int partitions) {
#ifdef WEFT_RT_OPENMP
  return partitions;
#else
  return 1;
#endif
}

const char* why_no_team(int partitions) {
  return omp_get_thread_limit() < library_threads(partitions) ? "OMP_THREAD_LIMIT is below the number of partitions"
                                                              : nullptr;
}

LibraryTeam::LibraryTeam(int partitions) : threads_before_(omp_get_max_threads()), dynamic_before_(omp_get_dynamic()) {
  int threads = library_threads(partitions);
  if (threads_before_ != threads) omp_set_num_threads(threads);
  if (dynamic_before_) omp_set_dynamic(0);
}

LibraryTeam::~LibraryTeam() {
  if (omp_get_max_threads() != threads_before_) omp_set_num_threads(threads_before_);
  if (dynamic_before_) omp_set_dynamic(1);
}

}  // namespace weft::native
