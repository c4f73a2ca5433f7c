// Values of the literals of a source.
#pragma once
#include "julia/host/value.h"
#include "julia/syntax/tree.h"

namespace weft::julia {

/// Of a number, Bool, character, string without interpolation or `:symbol`; undefined for other nodes. Throws Unsupported for
/// integers that only a BigInt holds.
Value literal_value(const Tree& tree, NodeId id);

}  // namespace weft::julia
