// The C header of an ahead-of-time library: its documentation as well as its declarations.
#pragma once
#include <string>

#include "native/aot/glue.h"

namespace weft::native {

/// `open`: what a program with open extents has beside.
std::string library_header(const CompiledProgram& program, const LibraryNames& names, const OpenParts* open = nullptr);

}  // namespace weft::native
