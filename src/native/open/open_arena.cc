#include "native/open/open_arena.h"

#include <algorithm>
#include <map>

#include "weft/error.h"

namespace weft::native {
namespace {

constexpr int64_t kAlignment = 64;
/// Buffers of fewer bytes per product of extents get units of their own: rounding the factor up would multiply them.
constexpr int64_t kFine = 1024;

/// Units in use over time: the smallest gap that fits, as MemoryPlan packs static buffers.
class Packing {
 public:
  int64_t place(int64_t size, int64_t begin, int64_t end) {
    while (!live_.empty() && live_.begin()->first < begin) {
      const auto [first, count] = live_.begin()->second;
      release(first, count);
      live_.erase(live_.begin());
    }
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second >= size && (best == gaps_.end() || gap->second < best->second)) best = gap;
    }
    int64_t at = count_;
    if (best != gaps_.end()) {
      at = best->first;
      const int64_t rest = best->second - size;
      gaps_.erase(best);
      if (rest > 0) gaps_.emplace(at + size, rest);
    } else {
      count_ += size;
    }
    live_.emplace(end, std::pair(at, size));
    return at;
  }
  int64_t count() const { return count_; }

 private:
  void release(int64_t at, int64_t size) {
    auto next = gaps_.lower_bound(at);
    if (next != gaps_.end() && at + size == next->first) {
      size += next->second;
      next = gaps_.erase(next);
    }
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += size;
        return;
      }
    }
    gaps_.emplace(at, size);
  }

  std::map<int64_t, int64_t> gaps_;
  std::multimap<int64_t, std::pair<int64_t, int64_t>> live_;
  int64_t count_ = 0;
};

}  // namespace

OpenArena plan_open_arena(const MemoryPlan& plan, const ExtentNames& names, bool is_guarded) {
  OpenArena arena;
  arena.is_guarded = is_guarded;
  const int64_t header = is_guarded ? OpenArena::kPage : kAlignment;
  arena.header_bytes = static_cast<size_t>((8 * static_cast<int64_t>(names.count()) + header - 1) / header * header);
  if (is_guarded) arena.header_bytes += OpenArena::kPage;
  arena.spots.resize(plan.buffers.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].home == Home::kArena) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return plan.buffers[i].begin; });
  if (is_guarded) {
    for (size_t i : order) {
      arena.spots[i] = {arena.pools.size(), 0};
      arena.pools.push_back({static_cast<int64_t>(plan.buffers[i].bytes), 1});
    }
    return arena;
  }
  std::map<int64_t, size_t> pool_of;
  std::vector<Packing> packings;
  for (size_t i : order) {
    const auto bytes = static_cast<int64_t>(plan.buffers[i].bytes);
    const int64_t factor = names.decode(bytes).coefficient;
    const int64_t product = factor == 0 ? 1 : bytes / factor;
    const bool is_fine = product != 1 && factor % kAlignment != 0 && factor < kFine;
    const int64_t unit = is_fine ? bytes : kAlignment * product;
    const int64_t size = is_fine ? 1 : std::max<int64_t>((factor + kAlignment - 1) / kAlignment, 1);
    const auto [it, is_new] = pool_of.try_emplace(unit, arena.pools.size());
    if (is_new) {
      arena.pools.push_back({unit});
      packings.emplace_back();
    }
    arena.spots[i] = {it->second, packings[it->second].place(size, plan.buffers[i].begin, plan.buffers[i].end)};
  }
  for (size_t p = 0; p < packings.size(); ++p) arena.pools[p].count = packings[p].count();
  return arena;
}

size_t OpenArena::pool_bytes(const Pool& pool, const ExtentNames& names, std::span<const int64_t> values) const {
  constexpr __int128 kMost = __int128{1} << 46;
  const ExtentNames::Product p = names.decode(pool.unit);
  __int128 unit = p.coefficient;
  for (size_t s : p.symbols) unit = std::min(unit * values[s], kMost);
  const __int128 bytes = is_guarded ? (std::max<__int128>(unit, 1) + kPage - 1) / kPage * kPage + kPage
                                    : (unit + kAlignment - 1) / kAlignment * kAlignment * pool.count;
  if (bytes > kMost) throw UserError("out of memory: the program needs more than the address space for these extents");
  return static_cast<size_t>(bytes);
}

size_t OpenArena::bytes(const ExtentNames& names, std::span<const int64_t> values) const {
  size_t total = header_bytes;
  for (const Pool& pool : pools) {
    total += pool_bytes(pool, names, values);
    if (total > size_t{1} << 46)
      throw UserError("out of memory: the program needs more than the address space for these extents");
  }
  return total;
}

std::vector<std::pair<size_t, size_t>> OpenArena::guards(const ExtentNames& names,
                                                         std::span<const int64_t> values) const {
  std::vector<std::pair<size_t, size_t>> out;
  if (!is_guarded) return out;
  size_t at = header_bytes;
  out.emplace_back(at - kPage, kPage);
  for (const Pool& pool : pools) {
    at += pool_bytes(pool, names, values);
    out.emplace_back(at - kPage, kPage);
  }
  return out;
}

size_t OpenArena::offset(size_t buffer, const ExtentNames& names, std::span<const int64_t> values) const {
  const Spot& spot = spots[buffer];
  size_t at = header_bytes;
  for (size_t p = 0; p < spot.pool; ++p) at += pool_bytes(pools[p], names, values);
  const int64_t unit = names.value(pools[spot.pool].unit, values);
  if (is_guarded) {
    const int64_t least = unit == 0 ? kLeast : unit;
    return at + static_cast<size_t>((least + kPage - 1) / kPage * kPage - least);
  }
  return at + static_cast<size_t>((unit + kAlignment - 1) / kAlignment * kAlignment * spot.first);
}

}  // namespace weft::native
