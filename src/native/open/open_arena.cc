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

OpenArena plan_open_arena(const MemoryPlan& plan, const ExtentNames& names) {
  OpenArena arena;
  arena.header_bytes = (8 * names.count() + kAlignment - 1) / kAlignment * kAlignment;
  arena.spots.resize(plan.buffers.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].home == Home::kArena) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return plan.buffers[i].begin; });
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

size_t OpenArena::bytes(const ExtentNames& names, std::span<const int64_t> values) const {
  constexpr __int128 kMost = __int128{1} << 46;
  __int128 total = static_cast<__int128>(header_bytes);
  for (const Pool& pool : pools) {
    const ExtentNames::Product p = names.decode(pool.unit);
    __int128 unit = p.coefficient;
    for (size_t s : p.symbols) unit = std::min(unit * values[s], kMost);
    total += (unit + kAlignment - 1) / kAlignment * kAlignment * pool.count;
    if (total > kMost)
      throw UserError("out of memory: the program needs more than the address space for these extents");
  }
  return static_cast<size_t>(total);
}

}  // namespace weft::native
