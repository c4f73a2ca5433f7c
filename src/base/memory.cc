#include "base/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/error.h"

namespace weft {
namespace {

/// "4.0 TiB"; exact bytes where that is short.
std::string in_units(size_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  auto n = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; n >= 1024 && unit + 1 < std::size(kUnits); ++unit) n /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", n, kUnits[unit]);
  return text;
}

/// The number after a word at the beginning of a line, as /proc/meminfo has it; SIZE_MAX when there is none.
size_t number_of(const char* file, const char* word) {
  FILE* f = std::fopen(file, "r");
  if (f == nullptr) return SIZE_MAX;
  size_t out = SIZE_MAX;
  char line[256];
  while (std::fgets(line, sizeof line, f) != nullptr) {
    if (std::strncmp(line, word, std::strlen(word)) != 0) continue;
    char* end = nullptr;
    const unsigned long long n = std::strtoull(line + std::strlen(word), &end, 10);
    if (end != line + std::strlen(word)) out = n;
    break;
  }
  std::fclose(f);
  return out;
}

/// Bytes that this process can still fill before the system would end some process for lack of memory; SIZE_MAX: unknown.
size_t available_bytes() {
  size_t available = number_of("/proc/meminfo", "MemAvailable:");
  if (available != SIZE_MAX) {
    const size_t swap = number_of("/proc/meminfo", "SwapFree:");
    available = (available + (swap == SIZE_MAX ? 0 : swap)) * 1024;
  }
  // A container may allow less than the machine has. What it uses includes caches that would give way, so it is not subtracted.
  available = std::min(available, number_of("/sys/fs/cgroup/memory.max", ""));
  return available;
}

}  // namespace

void expect_memory(size_t bytes, const std::string& what) {
  constexpr size_t kAskFrom = size_t{1} << 28;
  if (bytes < kAskFrom) return;
  const size_t available = available_bytes();
  if (bytes > available)
    throw UserError("out of memory: " + what + " needs " + in_units(bytes) + ", " + in_units(available) +
                    " are available");
}

}  // namespace weft
