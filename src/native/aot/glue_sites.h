// The table of a library's sites in C: what its program does outside of itself, and the messages of what may fail.
#pragma once
#include <string>

#include "native/aot/data_object.h"
#include "native/executable.h"

namespace weft::native {

/// Definitions of the table `name` (weft_rt_site, aot_runtime/weft_rt_host.h); what they compare with goes to `blobs`. Unsupported for ops that
/// need the processes of the evaluator.
/// `with_lapack`: calls of LAPACK's names go to weft_rt_lapack unless a handler is registered.
std::string sites_source(const CompiledProgram& program, bool with_lapack, std::vector<DataBlob>& blobs,
                         const std::string& name = "sites");

/// Whether weft_rt_lapack has the name.
bool is_lapack_name(std::string_view target);

/// Whether the program calls LAPACK by one of the names that weft_rt_lapack has.
bool calls_lapack(const CompiledProgram& program);

/// A string literal of C.
std::string c_string(const std::string& text);

}  // namespace weft::native
