// Extents with upper bounds. An extent is a number, or unknown (kDynamic) and then possibly bounded: `tensor<?xf32, #stablehlo.bounds<8>>`.
// Type rules that combine extents of several operands do it here, so that all ops agree.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/type.h"

namespace weft {

struct Extent {
  int64_t size = kDynamic;
  int64_t bound = kDynamic;  // of an unknown size; kDynamic: none
  bool is_static() const { return size != kDynamic; }
  /// The largest that it can be; kDynamic when nothing is known.
  int64_t largest() const { return is_static() ? size : bound; }
  bool operator==(const Extent&) const = default;
};

/// "4", "?", "? (at most 4)".
std::string describe(Extent e);

Extent extent_of(Type t, int64_t axis);
std::vector<Extent> extents_of(Type t);
/// One bound for each dimension of a tensor, kDynamic where there is none.
std::vector<int64_t> bounds_of(Type t);
/// The elements of `like` with these extents.
Type with_extents(Type like, std::span<const Extent> extents);

/// One value can have both: equal sizes, or an unknown one whose bound the other's size keeps.
bool is_compatible(Extent a, Extent b);
/// What is known of a value that has both extents: the size, else the smaller bound. `a` and `b` are compatible.
Extent most_specific(Extent a, Extent b);
/// What is known of a value that has one extent or the other: a size only where both say it, the larger bound where both have one.
Extent least_specific(Extent a, Extent b);
/// Laid one behind the other; none when the size overflows.
std::optional<Extent> sum(Extent a, Extent b);

/// The least specific type of two compatible ones: that of a value which comes from one branch or the other.
Type join_types(Type a, Type b);
/// All extents known, or exactly one unknown and that one bounded: what reshape and broadcast_in_dim can make.
bool is_static_or_single_bounded(Type t);

}  // namespace weft
