#include "base/memory.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/error.h"

namespace weft {
namespace {

/// The number after a word at the beginning of a line, as /proc/meminfo has it; SIZE_MAX when there is none.
size_t number_of(const std::string& file, const char* word) {
  FILE* f = std::fopen(file.c_str(), "r");
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

/// What a group of version 2 leaves: its limit without what it uses and could not drop (file pages give way).
size_t left_in_group(const std::string& folder) {
  const size_t limit = number_of(folder + "/memory.max", "");
  if (limit == SIZE_MAX) return SIZE_MAX;
  const size_t used = number_of(folder + "/memory.current", "");
  const size_t files = number_of(folder + "/memory.stat", "file ");
  const size_t kept = used == SIZE_MAX ? 0 : used - std::min(used, files == SIZE_MAX ? 0 : files);
  return limit - std::min(limit, kept);
}

/// The least that the process's group and those above it leave. Inside a container the path may not exist below the mount; the
/// mount itself is then the container's own group.
size_t left_in_groups() {
  const std::string mount = "/sys/fs/cgroup";
  size_t left = left_in_group(mount);
  FILE* f = std::fopen("/proc/self/cgroup", "r");
  if (f == nullptr) return left;
  char line[4096];
  while (std::fgets(line, sizeof line, f) != nullptr) {
    if (std::strncmp(line, "0::/", 4) != 0) continue;
    std::string path(line + 3);
    while (!path.empty() && path.back() == '\n') path.pop_back();
    for (; path.size() > 1; path.resize(path.rfind('/'))) left = std::min(left, left_in_group(mount + path));
  }
  std::fclose(f);
  return left;
}

/// Bytes that this process can still fill before the system would end some process for lack of memory; SIZE_MAX: unknown.
size_t available_bytes() {
  size_t available = number_of("/proc/meminfo", "MemAvailable:");
  if (available != SIZE_MAX) {
    const size_t swap = number_of("/proc/meminfo", "SwapFree:");
    available = (available + (swap == SIZE_MAX ? 0 : swap)) * 1024;
  }
  return std::min(available, left_in_groups());
}

}  // namespace

std::string memory_text(size_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  auto n = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; n >= 1024 && unit + 1 < std::size(kUnits); ++unit) n /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", n, kUnits[unit]);
  return text;
}

void expect_memory(size_t bytes, const std::string& what) {
  constexpr size_t kAskFrom = size_t{1} << 28;
  if (bytes < kAskFrom) return;
  const size_t available = available_bytes();
  if (bytes > available)
    throw UserError("out of memory: " + what + " needs " + memory_text(bytes) + ", " + memory_text(available) +
                    " are available");
}

size_t parse_memory_size(std::string_view text, const std::string& what) {
  size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const size_t shift =
      unit.empty()
          ? 0
          : std::string_view("BKMGT").find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
  if (!unit.empty()) unit.remove_prefix(1);
  const bool is_unit =
      shift != std::string_view::npos && (unit.empty() || (shift > 0 && (unit == "B" || unit == "iB")));
  if (error != std::errc() || !is_unit || n > (SIZE_MAX >> (10 * shift)))
    throw UserError(what + ": got \"" + std::string(text) +
                    "\", expected a number of bytes such as 1000, 64K, 500M or 2G");
  return n << (10 * shift);
}

size_t memory_limit(size_t given) {
  if (given != 0) return given;
  const char* text = std::getenv("WEFT_MEMORY_LIMIT");
  return text == nullptr || *text == 0 ? 0 : parse_memory_size(text, "WEFT_MEMORY_LIMIT");
}

}  // namespace weft
