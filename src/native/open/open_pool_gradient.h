// select_and_scatter with open extents: window by window in order, in parallel along dimensions in which windows do not move.
#pragma once
#include "native/open/open_root.h"

namespace weft::native {

std::unique_ptr<OpenRoot> open_pool_gradient(const OpView& op, const ExtentNames& names);
bool can_open_pool_gradient(const OpView& op, const ExtentNames& names, std::string* reason);

}  // namespace weft::native
