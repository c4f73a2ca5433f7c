// Values that stand for declared types.
#pragma once
#include <optional>

#include "julia/host/value.h"

namespace weft::julia {

/// A value of a type that tells all there is to know but sizes (each extent is 4), or of an abstract type of numbers or arrays; nothing for another.
std::optional<Value> sample_of_type(const Type* type);

}  // namespace weft::julia
