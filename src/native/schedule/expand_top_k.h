// The custom call ApproxTopK as what it stands for: a sort by its comparator and a slice, of which the schedule makes a selection.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// `f`, or a copy of it in which every ApproxTopK is a stable sort whose region is the comparator. Exact: an approximation may be.
/// A comparator that is not in the module, or extents that are not static, leave the custom call as it is.
std::unique_ptr<Function> expand_approx_top_k(const Module& module, std::unique_ptr<Function> f);
/// The module with all its functions so, what lanes call among them; null where there is nothing to do.
std::shared_ptr<Module> with_approx_top_k_expanded(const Module& module);

}  // namespace weft::native
