// Whole files in and out.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/// Whole file as bytes. Throws UserError naming the path.
std::string read_file(const std::string& path);
/// Writes to a temporary name beside `path` and renames it, so that a reader never sees half a file and a failure leaves what
/// was there. A symbolic link is followed, an existing file keeps its permissions; what is no plain file (a pipe, /dev/stdout)
/// is written as it is. Throws UserError naming the path.
void write_file(const std::string& path, std::string_view bytes);
/// Several files, path and contents: none is renamed before all are written.
void write_files(std::span<const std::pair<std::string, std::string>> files);
void write_files(std::span<const std::pair<std::string, std::string_view>> files);

}  // namespace weft
