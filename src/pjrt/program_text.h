// The text of a program as plugins take it.
#pragma once
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft::pjrt {

struct ProgramText {
  std::string text;
  std::vector<Type> arg_types, result_types;
};

/// The entry as @main of a module that holds nothing else but what it needs (transform/portable.h). Refuses before a plugin sees it what
/// plugins abort on or leave unchecked: arguments and results that are no tensors, element types that PJRT lacks, extents
/// that are not static, recursion.
ProgramText program_text(const Module& module, const std::string& entry);

}  // namespace weft::pjrt
