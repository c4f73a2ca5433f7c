// The lists of intrinsics that functional.cc joins.
#pragma once
#include <span>

#include "julia/run/intrinsics.h"

namespace weft::julia {

std::span<const IntrinsicEntry> broadcast_intrinsics();
std::span<const IntrinsicEntry> map_intrinsics();
std::span<const IntrinsicEntry> reduce_intrinsics();
std::span<const IntrinsicEntry> reducedim_intrinsics();
std::span<const IntrinsicEntry> sort_intrinsics();
std::span<const IntrinsicEntry> set_intrinsics();

}  // namespace weft::julia
