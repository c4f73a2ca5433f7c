// From a program with open extents to machine code for all of them.
#pragma once
#include "ir/target.h"
#include "native/codegen/kernel.h"
#include "native/open/open_executable.h"

namespace weft::native {

/// `compile_step` compiles single ops that have no form for all extents, for the extents of a call.
std::unique_ptr<Executable> compile_open(const Module& program, const std::string& entry, const CompileOptions& options,
                                         const codegen::KernelOptions& kernels, StepCode::Compile compile_step);

/// The same as an object file for a library, whose entry has the name `symbol`; see CompiledOpenProgram::object.
CompiledOpenProgram compile_open_library(const Module& program, const std::string& entry, const CompileOptions& options,
                                         const codegen::KernelOptions& kernels, const std::string& symbol,
                                         size_t external_constant_bytes);

}  // namespace weft::native
