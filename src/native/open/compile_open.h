// From a program with open extents to machine code for all of them.
#pragma once
#include "ir/target.h"
#include "native/codegen/kernel.h"

namespace weft::native {

std::unique_ptr<Executable> compile_open(const Module& program, const std::string& entry, const CompileOptions& options,
                                         const codegen::KernelOptions& kernels);

}  // namespace weft::native
