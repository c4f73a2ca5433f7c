// Loops over tensors of few elements: each element becomes a scalar, so that what a loop carries stays in registers and no step of it calls
// a kernel.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// Tensors of at most this many elements, products of at most so many terms, and ops of a loop in all.
inline constexpr int64_t kMostElementsOfSmall = 36, kMostTermsOfSmall = 216, kMostOpsOfSmallLoop = 4000;
/// Inner loops that run at most so often are written out.
inline constexpr int64_t kMostTripsOfSmall = 8;

/// Each outermost loop whose tensors are small, or large ones of which single parts are read and written, on scalars.
std::unique_ptr<Function> small_tensors_as_scalars(std::unique_ptr<Function> f);

}  // namespace weft::native
