// From a module's entry to machine code: inline, simplify, schedule, plan memory, emit. What JIT and AOT share.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "native/codegen/kernel.h"
#include "native/executable.h"

namespace weft::native {

/// Bytes of a constant from which on it stays where it is, beside the code: LLVM copies what it is given several times over.
inline constexpr size_t kExternalConstant = size_t{1} << 16;

/// Library calls that someone else makes than this process: a kernel that describes the call of an op, or null with the reason.
using DescribeLibraryCall = std::function<std::unique_ptr<LibraryKernel>(const OpView&, std::string&)>;

/// The program as object files, with the entry `symbol` (see codegen/entry.h). With `describe` it decides alone which ops go to libraries.
CompiledProgram compile_program(const Module& program, const std::string& entry, const CompileOptions& options,
                                const codegen::KernelOptions& kernels, const std::string& symbol,
                                size_t external_constant_bytes = kExternalConstant,
                                const DescribeLibraryCall& describe = {});

}  // namespace weft::native
