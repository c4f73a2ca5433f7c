// Types as text, as Julia prints them.
#pragma once
#include <string>

#include "julia/types/type.h"

namespace weft::julia {

/// `Vector{Int64}`, `Array{T, 3} where T`, `Union{Missing, Float64}`, `Tuple{Int64, Vararg{Float64}}`.
std::string type_text(const Type* t);
/// A name as code writes it: `var"a b"` where it is no identifier.
std::string identifier_text(Symbol name);
/// `:a`, `Symbol("a b")`, `:+`.
std::string symbol_text(Symbol name);
bool is_identifier(std::string_view text);
bool is_operator_name(std::string_view text);

/// Modules that the program uses beside Base: their names are printed short.
void set_module_visible(Symbol module, bool visible);
/// The short or the qualified name of a declaration, without parameters.
std::string type_name_text(const TypeName* name);

}  // namespace weft::julia
