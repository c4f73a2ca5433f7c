// Which functions of a program are compiled as functions, and which are written out where they are called.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft::native {

/// The entry and the functions that it calls by machine calls.
struct Partition {
  std::shared_ptr<Module> module;
  std::string entry;
};

/// Functions that call themselves stay, as do those that would make the program much longer: called several times and not
/// short. A call of constants, or from what computes elements (the body of a reduction), is written out in any case, so that it
/// folds or fuses. Where the entry calls itself, the new entry is a function that calls it. Throws Unsupported for recursion that
/// cannot be compiled, naming its chain of calls.
Partition partition_functions(const Module& program, const std::string& entry);

/// The functions that are reached from `entry` by calls, each after those that it calls as far as recursion allows; `entry` last.
std::vector<const Function*> callees_first(const Module& module, const std::string& entry);

}  // namespace weft::native
