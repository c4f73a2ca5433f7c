// Scatter with open extents: update by update in order, in parallel along dimensions that indices do not move.
#pragma once
#include "native/open/open_root.h"

namespace weft::native {

std::unique_ptr<OpenRoot> open_scatter(const OpView& op, const ExtentNames& names);

}  // namespace weft::native
