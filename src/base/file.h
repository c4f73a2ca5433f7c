// Whole files in and out.
#pragma once
#include <string>
#include <string_view>

namespace weft {

/// Whole file as bytes. Throws UserError naming the path.
std::string read_file(const std::string& path);
/// Writes to a temporary name beside `path` and renames it, so that a reader never sees half a file.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace weft
