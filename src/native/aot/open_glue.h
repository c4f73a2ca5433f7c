// The tables of a library with open extents (aot_runtime/weft_rt_open.h), in C.
#pragma once
#include <string>

#include "native/aot/glue.h"
#include "native/open/open_executable.h"

namespace weft::native {

struct OpenParts {
  const CompiledOpenProgram& open;
  const CompiledProgram& extents;  // @extents (aot/extents_function.h)
  std::string extents_symbol;
  size_t num_given = 0;
  int partitions = 1;
};

/// Definitions of `open` (weft_rt_open), for `library` of the same source. Unsupported, with op and place, for steps that need this process.
std::string open_source(const OpenParts& parts, std::vector<DataBlob>& blobs);

/// The first argument, and its dimension, that each of the extents of a call is that of.
std::vector<std::pair<size_t, int64_t>> given_extents(const OpenParts& parts);

/// What the numbers of the program's types are in terms of what callers give: "tensor<e0x4xf32>".
std::string open_type(const OpenParts& parts, Type t);

}  // namespace weft::native
