// From a module's entry to machine code: inline, simplify, schedule, plan memory, emit. What JIT and AOT share.
#pragma once
#include <memory>
#include <string>

#include "native/codegen/kernel.h"
#include "native/executable.h"

namespace weft::native {

/// Bytes of a constant from which on it stays where it is, beside the code: LLVM copies what it is given several times over.
inline constexpr size_t kExternalConstant = size_t{1} << 16;

/// The program as object files, with the entry `symbol` (see codegen/entry.h).
CompiledProgram compile_program(const Module& program, const std::string& entry, const CompileOptions& options,
                                const codegen::KernelOptions& kernels, const std::string& symbol,
                                size_t external_constant_bytes = kExternalConstant);

}  // namespace weft::native
