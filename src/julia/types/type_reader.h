// Reads type expressions of Julia's syntax: for the table of builtin types, for the C++ side and for tests. Programs are read by syntax/.
#pragma once
#include <functional>
#include <string_view>

#include "julia/types/type.h"

namespace weft::julia {

/// Finds a name that is no variable of the expression; null: unknown.
using TypeLookup = std::function<const Type*(std::string_view)>;

/// "Tuple{Int, Vararg{T}} where T<:Real". Throws UserError for what is no type expression.
const Type* read_type(std::string_view text, const TypeLookup& lookup = {});

/// Declares the types of `text`, one a line, in order:
///   abstract NAME{VARS} <: SUPER      primitive NAME BITS <: SUPER      alias NAME{VARS} = TYPE
///   struct NAME{VARS} <: SUPER; FIELD::TYPE; …      mutable …
/// A name "Module.Name" is not exported. `define` is told each name with its wrapper.
void read_declarations(std::string_view text, Symbol module, const TypeLookup& lookup,
                       const std::function<void(std::string_view, const Type*)>& define);

}  // namespace weft::julia
