#include "cli/io/outputs.h"

#include <filesystem>

#include "base/file.h"
#include "cli/io/npy.h"
#include "cli/io/npz.h"

namespace weft::cli {

std::vector<std::string> write_results(const std::string& out, const std::vector<Tensor>& results) {
  const bool is_archive = out.ends_with(".npz");
  std::vector<std::string> paths;
  std::vector<std::pair<std::string, std::string>> files;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string name = "result" + std::to_string(i);
    paths.push_back(is_archive ? out + ":" + name : (std::filesystem::path(out) / (name + ".npy")).string());
    files.emplace_back(is_archive ? name : paths.back(), format_npy(results[i]));
  }
  if (is_archive) {
    write_file(out, format_npz(files));
    return paths;
  }
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) throw UserError("cannot make the folder " + out + ": " + error.message());
  write_files(files);
  return paths;
}

}  // namespace weft::cli
