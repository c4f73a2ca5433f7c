#include "native/schedule/offsets.h"

#include <algorithm>
#include <map>
#include <set>

namespace weft::native {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kPage = 4096;

size_t rounded(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Free parts of the arena, neighbours joined; by place and by size.
class Gaps {
 public:
  void release(size_t offset, size_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + size == next->first) {
      size += next->second;
      next = erase(next);
    }
    if (next != by_offset_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        erase(before);
      }
    }
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }

  /// The first of the smallest gaps that hold `size` bytes, which is then taken from it.
  bool take(size_t size, size_t& offset) {
    const auto best = by_size_.lower_bound({size, 0});
    if (best == by_size_.end()) return false;
    offset = best->second;
    const size_t rest = best->first - size;
    erase(by_offset_.find(offset));
    if (rest > 0) {
      by_offset_.emplace(offset + size, rest);
      by_size_.emplace(rest, offset + size);
    }
    return true;
  }

 private:
  using Place = std::map<size_t, size_t>::iterator;
  Place erase(Place gap) {
    by_size_.erase({gap->second, gap->first});
    return by_offset_.erase(gap);
  }

  std::map<size_t, size_t> by_offset_;
  std::set<std::pair<size_t, size_t>> by_size_;
};

std::vector<BufferPlan*> arena_buffers(MemoryPlan& plan) {
  std::vector<BufferPlan*> out;
  for (BufferPlan& b : plan.buffers) {
    if (b.home == Home::kArena) out.push_back(&b);
  }
  return out;
}

}  // namespace

void pack_guarded(MemoryPlan& plan) {
  size_t at = 0;
  const auto guard = [&] {
    plan.guards.emplace_back(at, kPage);
    at += kPage;
  };
  guard();
  for (BufferPlan* b : arena_buffers(plan)) {
    at += rounded(std::max<size_t>(b->bytes, 1), kPage);
    b->offset = at - b->bytes;
    guard();
  }
  plan.arena_bytes = at;
}

void pack(MemoryPlan& plan) {
  std::vector<BufferPlan*> order = arena_buffers(plan);
  std::ranges::stable_sort(order, {}, &BufferPlan::begin);
  Gaps gaps;
  std::multimap<int64_t, const BufferPlan*> live;  // by the end
  const auto size_of = [](const BufferPlan& b) { return std::max(kAlignment, rounded(b.bytes, kAlignment)); };
  for (BufferPlan* b : order) {
    while (!live.empty() && live.begin()->first < b->begin) {
      const BufferPlan& dead = *live.begin()->second;
      gaps.release(dead.offset, size_of(dead));
      live.erase(live.begin());
    }
    if (!gaps.take(size_of(*b), b->offset)) {
      b->offset = plan.arena_bytes;
      plan.arena_bytes += size_of(*b);
    }
    live.emplace(b->end, b);
  }
}

}  // namespace weft::native
