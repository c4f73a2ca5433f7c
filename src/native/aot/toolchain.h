// The programs that make libraries of object files: the C compiler as a linker, objcopy and ar.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_folder.h"

namespace weft::native {

/// A file in memory as it is on disk.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

/// Runs a program in a folder, so that no path of this machine gets into what it writes. Throws UserError with what it said when it fails.
void run_tool(const std::vector<std::string>& command, const TemporaryFolder& folder);

/// libweft_rt.a: where WEFT_RT_LIBRARY says, or beside this library or program. Throws UserError when there is none.
std::filesystem::path find_runtime();

/// The environment variable's value, or `otherwise`.
std::string tool_name(const char* variable, const char* otherwise);

}  // namespace weft::native
