// What the native target does to a program before it is scheduled, for one with open extents.
#pragma once
#include "ir/target.h"
#include "native/open/open_program.h"

namespace weft::native {

/// Runs the rewrites of compile.cc that are right for all extents; a rewrite that is not leaves the program as it is.
void rewrite_open(OpenProgram& program, const CompileOptions& options);

}  // namespace weft::native
