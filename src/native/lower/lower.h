// Ops without code of their own become ops that have it. Two steps, since what stands between transforms must outlast them.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft::native {

/// Before simplification: random numbers, ragged products and bits of other widths become plain arithmetic, futures the values of
/// ops that run at their start, matrix ops that no library takes loops.
std::unique_ptr<Function> lower(std::unique_ptr<Function> f, bool has_libraries = false);
/// After it: barriers that have done their part, and the tuples that passed them, go.
std::unique_ptr<Function> lower_barriers(std::unique_ptr<Function> f);

}  // namespace weft::native
