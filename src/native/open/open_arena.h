// The memory plan's arena when sizes are known only in a call. Buffers whose sizes are the same product of open extents up to a
// factor share a pool, in which they are packed by lifetime when the program is compiled; pools lie one behind the other.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "native/open/extent_names.h"
#include "native/schedule/memory.h"

namespace weft::native {

struct OpenArena {
  struct Pool {
    int64_t unit;       // bytes of one unit, may hold names; rounded up to 64 in a call
    int64_t count = 0;  // units
  };
  struct Spot {
    size_t pool = 0;
    int64_t first = 0;  // unit
  };
  std::vector<Pool> pools;
  std::vector<Spot> spots;  // per buffer; of those in the arena

  /// Bytes of the symbols' values, which stand at the beginning of the workspace.
  size_t header_bytes = 0;
  /// CompileOptions::guard_pages: each buffer is a pool of its own, on pages whose end is the pool's, and a page that must not be
  /// touched follows these and the header.
  bool is_guarded = false;
  static constexpr int64_t kPage = 4096;
  /// What a pool without elements has all the same: reads that are masked may touch its first.
  static constexpr int64_t kLeast = 64;

  /// Bytes of header and pools when the symbols have these values. Throws UserError when they are more than any memory has.
  size_t bytes(const ExtentNames& names, std::span<const int64_t> values) const;
  /// Parts (offset, bytes) that must not be touched.
  std::vector<std::pair<size_t, size_t>> guards(const ExtentNames& names, std::span<const int64_t> values) const;
  /// Where the buffer's first byte is.
  size_t offset(size_t buffer, const ExtentNames& names, std::span<const int64_t> values) const;

 private:
  size_t pool_bytes(const Pool& pool, const ExtentNames& names, std::span<const int64_t> values) const;
};

OpenArena plan_open_arena(const MemoryPlan& plan, const ExtentNames& names, bool is_guarded);

}  // namespace weft::native
