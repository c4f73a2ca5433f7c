// The text of a program as plugins take it.
#pragma once
#include <span>
#include <string>
#include <utility>
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
/// The same where the caller decides which arguments' memory results take over ((argument, result) pairs), whatever the program says of it.
ProgramText program_text(const Module& module, const std::string& entry,
                         std::span<const std::pair<size_t, size_t>> donations);

}  // namespace weft::pjrt
