// The C header of an ahead-of-time library: its documentation as well as its declarations.
#pragma once
#include <string>

#include "native/aot/glue.h"

namespace weft::native {

std::string library_header(const CompiledProgram& program, const LibraryNames& names);

}  // namespace weft::native
