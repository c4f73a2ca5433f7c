// A scatter that changes at most one element of each line of a constant: a comparison and a choice for every element, which fuse with what
// reads them, where a scatter would write the constant first.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// scatter(splat, i, u) with one update for each line along the axis that the indices place (the gradient of take_along_axis in a
/// cross entropy) becomes select(iota = i, body(splat, u), splat).
std::unique_ptr<Function> choose_one_hot_scatters(std::unique_ptr<Function> f);

}  // namespace weft::native
