// Names of Julia's that Weft does not have.
#pragma once
#include "julia/types/symbol.h"

namespace weft::julia {

/// Throws Unsupported with what there is instead, if the name is one that Julia has and Weft leaves out.
void refuse_out_of_scope(Symbol name);

}  // namespace weft::julia
