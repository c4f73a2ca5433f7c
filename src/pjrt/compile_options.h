// What a plugin is told besides the program: XLA's CompileOptionsProto, of which a few fields are enough.
#pragma once
#include <map>
#include <string>

#include "pjrt/plugin.h"

namespace weft::pjrt {

struct CompileSettings {
  int replicas = 1;
  int partitions = 1;  // more than one: the program is cut along its shardings
  /// The plugin's own options by name ("xla_cpu_enable_fast_math"), as its flags are called.
  Options overrides;
};

/// Serialised protocol buffer. Plugins abort when the numbers of replicas and partitions are missing, so they are always there.
std::string encode_compile_options(const CompileSettings& settings);

}  // namespace weft::pjrt
