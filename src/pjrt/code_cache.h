// The persistent cache of what plugins compiled, in the folder of native's (base/file_cache.h).
#pragma once
#include <memory>
#include <string>

#include "pjrt/client.h"

namespace weft::pjrt {

/// Compiles a program, or loads what was compiled of the same text with the same settings by the same plugin for the same devices. Where the plugin
/// cannot serialise or load its code it compiles. `options`: the cache's folder, and stages.
std::unique_ptr<LoadedCode> compile_or_load(const Client& client, std::string text, const CompileSettings& settings,
                                            const CompileOptions& options);

}  // namespace weft::pjrt
