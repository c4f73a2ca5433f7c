// Source files and the rendering of errors with the line at fault and a caret.
#pragma once
#include <string>
#include <string_view>

#include "weft/error.h"

namespace weft {

/// Interns a file name; when `text` is not empty it is kept so that diagnostics can quote lines. The pointer lives forever.
const std::string* intern_file(std::string_view name, std::string_view text = {});

/// "file:line:col: error: message\n  source line\n  ^~~~\n". Without a known place only "error: message\n".
std::string render(const Error& error);
std::string render(std::string_view severity, std::string_view message, const Loc& loc);

}  // namespace weft
