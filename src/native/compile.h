// From a module's entry to machine code: inline, simplify, schedule, plan memory, emit. What JIT and AOT share.
#pragma once
#include <memory>
#include <string>

#include "native/codegen/kernel.h"
#include "native/executable.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace weft::native {

/// Bytes of a constant from which on it stays where it is, beside the code: LLVM copies what it is given several times over.
inline constexpr size_t kExternalConstant = size_t{1} << 16;

/// Emits kernels and the entry `symbol` (see codegen/entry.h) into `module`, whose triple, layout and features are set.
CompiledProgram compile_into(llvm::Module& module, const Module& program, const std::string& entry,
                             const CompileOptions& options, const codegen::KernelOptions& kernels,
                             const std::string& symbol, size_t external_constant_bytes = kExternalConstant);

}  // namespace weft::native
