#include "base/temporary_folder.h"

#include <cstdlib>
#include <string>

#include "weft/error.h"

namespace weft {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw UserError("cannot make a temporary folder " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft
