// The account of a compiled program (ir/account.h), from its schedule and memory plan.
#pragma once
#include <functional>
#include <string>

#include "ir/account.h"
#include "native/schedule/memory.h"
#include "native/schedule/schedule.h"

namespace weft::native {

/// Gives every step its index in ProgramAccount::steps, from that of the first; returns the next one. Another function than the
/// entry is a step itself, which takes the first index.
int number_steps(Block& schedule, int first, bool is_entry);

/// Adds a function to a program's account; the functions in the order of their numbers. `kernel_name`: the symbol of a kernel
/// step. The schedule must be numbered; sizes of scratch memory are left to the caller.
void add_account(const Function& function, const Block& schedule, const MemoryPlan& memory,
                 const std::function<std::string(const Step&)>& kernel_name, bool is_entry, ProgramAccount& out);

}  // namespace weft::native
