// Which instruction set a program is compiled for, and what that asks of the machine it runs on.
#pragma once
#include <string>
#include <vector>

#include "native/codegen/isa.h"

namespace weft::codegen {

/// For the JIT: the CPU that `cpu` names, or the environment variable WEFT_CPU where it is empty, or all that this machine has. Throws
/// UserError that names the first feature which this machine lacks.
Isa isa_for_this_machine(const std::string& cpu);

/// The features that code for the ISA may use and a CPU may lack, by LLVM's names.
std::vector<std::string> required_features(const Isa& isa);

}  // namespace weft::codegen
