// Ops that take a shape at run time although their results' types are static, for where no evaluator is at hand.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// A module in which dynamic_iota, dynamic_broadcast_in_dim, dynamic_reshape, dynamic_gather and dynamic_pad of static types are the ops without
/// the shape operand, which is checked to say what the type does; null when there are none.
std::unique_ptr<Module> with_static_shapes(const Module& module);

}  // namespace weft::native
