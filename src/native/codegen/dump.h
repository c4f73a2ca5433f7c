// Generated code as text, for people.
#pragma once
#include <functional>
#include <string>

#include "native/codegen/isa.h"

namespace llvm {
class Module;
}

namespace weft::codegen {

/// Hands out ("llvm", symbol, LLVM IR) and ("asm", symbol, assembly) of every function with a body. The module is not changed.
using DumpFn = std::function<void(const std::string& stage, const std::string& name, const std::string& text)>;
void dump_code(const llvm::Module& module, const Isa& isa, const DumpFn& dump);

}  // namespace weft::codegen
