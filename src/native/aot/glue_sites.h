// The table of a library's sites in C: what its program does outside of itself, and the messages of what may fail.
#pragma once
#include <string>

#include "native/aot/data_object.h"
#include "native/executable.h"

namespace weft::native {

/// Definitions of `sites` (weft_rt_site, aot_runtime/weft_rt_host.h); what they compare with goes to `blobs`. Unsupported for ops that
/// need the processes of the evaluator.
std::string sites_source(const CompiledProgram& program, std::vector<DataBlob>& blobs);

/// A string literal of C.
std::string c_string(const std::string& text);

}  // namespace weft::native
