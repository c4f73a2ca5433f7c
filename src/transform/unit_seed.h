// A linear function of a unit vector, as a function of the place of its one.
#pragma once
#include <string>

#include "ir/function.h"

namespace weft {

/// Adds to the module a function that takes argument `seed` of `f` (a real tensor) as a unit vector, by the row-major place of its one, a scalar of
/// type i32 or, for 2³¹ elements and more, i64. Through elementwise products, changes of sign and shape and contractions the vector stays a place and a
/// factor, so that a contraction reads a row of its other operand instead of multiplying by zeros; what needs its elements
/// compares places. Returns the function's name.
std::string of_unit_seed(Module& module, const std::string& f, size_t seed);

}  // namespace weft
