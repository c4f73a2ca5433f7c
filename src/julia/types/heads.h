// Questions about signatures that the declared names of their parameters settle, asked before the search of subtype.h.
#pragma once
#include "julia/types/type.h"

namespace weft::julia {

/// Whether two signatures (tuple types inside their UnionAlls) differ already by these names: then they are not equal.
bool heads_differ(const DataType* a, const DataType* b);
/// Whether a call of these types (each concrete or a Type{T}) misses a signature already by these names.
bool heads_miss(const std::vector<const Type*>& call, const DataType* signature);

}  // namespace weft::julia
