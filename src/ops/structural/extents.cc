#include "ops/structural/extents.h"

#include <algorithm>

namespace weft {

std::string describe(Extent e) {
  if (e.is_static()) return std::to_string(e.size);
  return e.bound == kDynamic ? "?" : "? (at most " + std::to_string(e.bound) + ")";
}

Extent extent_of(Type t, int64_t axis) {
  const std::span<const int64_t> bounds = t.bounds();
  return {t.dim(axis), bounds.empty() ? kDynamic : bounds[static_cast<size_t>(axis)]};
}

std::vector<Extent> extents_of(Type t) {
  std::vector<Extent> out;
  for (int64_t axis = 0; axis < t.rank(); ++axis) out.push_back(extent_of(t, axis));
  return out;
}

std::vector<int64_t> bounds_of(Type t) {
  const std::span<const int64_t> bounds = t.bounds();
  if (bounds.empty()) return std::vector<int64_t>(t.shape().size(), kDynamic);
  return {bounds.begin(), bounds.end()};
}

Type with_extents(Type like, std::span<const Extent> extents) {
  std::vector<int64_t> shape, bounds;
  for (const Extent& e : extents) {
    shape.push_back(e.size);
    bounds.push_back(e.is_static() ? kDynamic : e.bound);
  }
  return like.with_shape(shape).with_bounds(bounds);
}

bool is_compatible(Extent a, Extent b) {
  if (a.is_static() && b.is_static()) return a.size == b.size;
  if (a.is_static()) return b.bound == kDynamic || a.size <= b.bound;
  return !b.is_static() || a.bound == kDynamic || b.size <= a.bound;
}

Extent most_specific(Extent a, Extent b) {
  if (a.is_static()) return {a.size, kDynamic};
  if (b.is_static()) return {b.size, kDynamic};
  if (a.bound == kDynamic) return b;
  return b.bound == kDynamic ? a : Extent{kDynamic, std::min(a.bound, b.bound)};
}

Extent least_specific(Extent a, Extent b) {
  if (a.is_static() && b.is_static() && a.size == b.size) return a;
  const int64_t p = a.largest(), q = b.largest();
  // Two different sizes share no bound that a front end has asked for.
  if ((a.is_static() && b.is_static()) || p == kDynamic || q == kDynamic) return {};
  return {kDynamic, std::max(p, q)};
}

std::optional<Extent> sum(Extent a, Extent b) {
  const int64_t p = a.largest(), q = b.largest();
  if (p == kDynamic || q == kDynamic) return Extent{};
  int64_t total = 0;
  const bool overflow = __builtin_add_overflow(p, q, &total);
  if (a.is_static() && b.is_static()) return overflow ? std::nullopt : std::optional(Extent{total, kDynamic});
  return Extent{kDynamic, overflow ? kDynamic : total};
}

Type join_types(Type a, Type b) {
  if (a == b || !a.is_tensor() || !b.is_tensor() || a.rank() != b.rank()) return a;
  std::vector<Extent> extents;
  for (int64_t d = 0; d < a.rank(); ++d) extents.push_back(least_specific(extent_of(a, d), extent_of(b, d)));
  return with_extents(a, extents);
}

bool is_static_or_single_bounded(Type t) {
  const std::ptrdiff_t open = std::ranges::count(t.shape(), kDynamic);
  return open == 0 || (open == 1 && std::ranges::any_of(t.bounds(), [](int64_t b) { return b != kDynamic; }));
}

}  // namespace weft
