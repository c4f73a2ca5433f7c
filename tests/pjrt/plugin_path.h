// The plugin for this CPU that tests run on.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace weft {

/// A plugin's path: WEFT_PJRT_PLUGIN, or what lies in build/plugins; "" when there is none.
inline std::string plugin_path() {
  if (const char* given = std::getenv("WEFT_PJRT_PLUGIN")) return given;
  std::error_code error;
  for (const auto& e : std::filesystem::recursive_directory_iterator(WEFT_BINARY_DIR "/plugins", error)) {
    if (e.path().filename() == "pjrt_c_api_cpu_plugin.so") return e.path();
  }
  return "";
}

}  // namespace weft
