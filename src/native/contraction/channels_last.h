// The layout of activations: every region of convolutions and of the ops between them is computed channels-last.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// A copy of `f` in which the images that convolutions read and write have their channels as last dimension, together with what
/// elementwise ops, pools, pads, slices, concatenations and reductions connect with them; transposes stand where a region ends. Null
/// when all are so already. The values of @main are unchanged.
std::unique_ptr<Function> channels_last(const Function& f);

}  // namespace weft::native
