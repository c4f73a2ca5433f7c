// The OpenMP settings under which a library kernel is created and run.
#pragma once
#include <thread>

#include "native/kernels/openmp_abi.h"
#include "native/runtime/parallel.h"

namespace weft::native {

/// Threads that libraries may use for `partitions`: as many, but one under ThreadSanitizer, which cannot see libgomp.
int library_threads(int partitions);

/// Why `partitions` threads cannot be promised to a library, or null. Some of oneDNN's kernels wait for as many threads
/// as they were created for, so a smaller team is not slower but a deadlock.
const char* why_no_team(int partitions);

/// Gives this thread's OpenMP regions exactly `partitions` threads until it is destroyed.
class LibraryTeam {
 public:
  explicit LibraryTeam(int partitions);
  ~LibraryTeam();
  LibraryTeam(const LibraryTeam&) = delete;
  LibraryTeam& operator=(const LibraryTeam&) = delete;

 private:
  int threads_before_, dynamic_before_;
};

/// Runs body() under the section lock with a team of `partitions`. Inside a parallel section, where libgomp would give
/// the library one thread only, the body runs on a thread of its own: slow, but with the same bits and no deadlock.
/// Throws std::system_error when that thread cannot be started.
template <class Body>
void with_library_team(int partitions, Body body) {
  if (weft_rt_in_section() || omp_in_parallel()) {
    std::thread apart([&] {
      LibraryTeam team(partitions);
      body();
    });
    apart.join();
    return;
  }
  rt::SectionLock lock;
  LibraryTeam team(partitions);
  body();
}

}  // namespace weft::native
