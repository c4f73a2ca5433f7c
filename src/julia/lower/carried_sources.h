// Sources that this executable carries: `include` reads them in the place of files.
#pragma once
#include <string>

namespace weft::julia {

void carry_source(const std::string& path, std::string text);
/// Null: it is not among them.
const std::string* carried_source(const std::string& path);

}  // namespace weft::julia
