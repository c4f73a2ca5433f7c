// Subtyping as Julia defines it, and what follows from it: equality, intersection and join of types.
#pragma once
#include <utility>
#include <vector>

#include "julia/types/type.h"

namespace weft::julia {

/// `a <: b`.
bool subtype(const Type* a, const Type* b);

/// The value that each outermost variable of a signature takes: its type where the arguments fix it, else the variable itself.
using Bindings = std::vector<std::pair<const TypeVar*, const Type*>>;
/// `a <: b`, and if so the values of b's outermost variables.
bool subtype_with_bindings(const Type* a, const Type* b, Bindings& bindings);

/// Each a subtype of the other.
bool types_equal(const Type* a, const Type* b);

/// A type that holds every value of both: exact where one contains the other and where parameters decide, an upper bound
/// otherwise. `Union{}` only when no value can be in both.
const Type* intersect(const Type* a, const Type* b);

/// Julia's typejoin: the closest type in the hierarchy that contains both.
const Type* type_join(const Type* a, const Type* b);
/// As typejoin, but Missing and Nothing are kept apart in a union.
const Type* promote_type_join(const Type* a, const Type* b);

}  // namespace weft::julia
