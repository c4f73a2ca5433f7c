#include "julia/run/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace weft::julia {
namespace {

constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
constexpr size_t kReserve = size_t{32} << 20;

std::atomic<void*>& reserve() {
  static std::atomic<void*> memory{nullptr};
  return memory;
}

/// The number behind a word of a file.
uint64_t number_behind(const char* file, const std::string& name) {
  std::ifstream in(file);
  std::string word;
  uint64_t found = 0;
  while (in >> word) {
    if (word == name && in >> found) return found;
  }
  return kUnknown;
}

/// A line "name:  123 kB" of a file in /proc, in bytes.
uint64_t bytes_of(const char* file, const std::string& name) {
  const uint64_t kilobytes = number_behind(file, name + ":");
  return kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
}

uint64_t number_in(const char* file) {
  std::ifstream in(file);
  uint64_t bytes = 0;
  return in >> bytes ? bytes : kUnknown;  // "max": no limit
}

/// Of the system, and of the control group that the process may be in.
uint64_t available_bytes() {
  uint64_t available = bytes_of("/proc/meminfo", "MemAvailable");
  const uint64_t swap = bytes_of("/proc/meminfo", "SwapFree");
  if (available != kUnknown && swap != kUnknown) available += swap;
  const uint64_t most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most == kUnknown || used == kUnknown) return available;
  // What files take in memory makes room where it is needed.
  uint64_t bound = used;
  for (const char* cache : {"inactive_file", "active_file"}) {
    const uint64_t bytes = number_behind("/sys/fs/cgroup/memory.stat", cache);
    if (bytes != kUnknown) bound -= std::min(bound, bytes);
  }
  return std::min(available, most - std::min(most, bound));
}

}  // namespace

void release_reserved_memory() { std::free(reserve().exchange(nullptr)); }

void limit_memory() {
  const uint64_t available = available_bytes(), now = bytes_of("/proc/self/status", "VmData");
  rlimit limit = {};
  if (available == kUnknown || now == kUnknown || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  // Something is left for the system itself; where others have nearly all at the moment, it decides.
  constexpr uint64_t kLeast = uint64_t{1} << 30;
  const uint64_t most = now + std::max(available - available / 16, kLeast);
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most) {
    limit.rlim_cur = static_cast<rlim_t>(most);
    setrlimit(RLIMIT_DATA, &limit);
  }
  if (reserve() == nullptr) reserve() = std::malloc(kReserve);
  std::set_new_handler([] {
    const bool is_unwinding = std::uncaught_exceptions() > 0;
    const bool has_more = reserve() != nullptr;
    release_reserved_memory();
    if (!is_unwinding || !has_more) throw std::bad_alloc();
  });
}

}  // namespace weft::julia
