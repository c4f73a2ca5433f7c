// The bytes of strings and of pieces of strings.
#pragma once
#include <optional>
#include <string_view>

#include "julia/host/value.h"

namespace weft::julia {

/// Of a String or a SubString{String}, which must live as long as the view; nothing for other values.
std::optional<std::string_view> text_view(const Value& v);

}  // namespace weft::julia
