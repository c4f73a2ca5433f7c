// Single elements on their way from one tensor into another.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// What is sliced out of a tensor as one element and put into another becomes a scalar in between, and each update by a scalar has the op
/// that gives it the update's shape beside it: so that the schedule sees accesses to elements (schedule/elements.h).
std::unique_ptr<Function> elements_as_scalars(std::unique_ptr<Function> f);

}  // namespace weft::native
