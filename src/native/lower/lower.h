// Ops without code of their own become ops that have it. Two steps, since what stands between transforms must outlast them.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// Before simplification: futures become the values of ops that run at their start.
std::unique_ptr<Function> lower(std::unique_ptr<Function> f);
/// After it: barriers that have done their part, and the tuples that passed them, go.
std::unique_ptr<Function> lower_barriers(std::unique_ptr<Function> f);

}  // namespace weft::native
