// Lanes in chunks: a loop over them, so that memory is that of one chunk.
#pragma once
#include "transform/vectorize.h"

namespace weft {

/// What `vectorize` makes with options.chunk, 0 < chunk < lanes, its arguments checked. What lanes ask of all lanes is found first, in
/// a loop over the chunks of its own for each round of such questions; lanes that it takes are computed again.
Function& vectorize_in_chunks(Module& module, const std::string& function, std::span<const int64_t> lane_axes,
                              int64_t lanes, const VectorizeOptions& options);

}  // namespace weft
