// The account of a compiled program (ir/account.h), from its schedule and memory plan.
#pragma once
#include <functional>
#include <string>

#include "ir/account.h"
#include "native/schedule/memory.h"
#include "native/schedule/schedule.h"

namespace weft::native {

/// Gives every step its index in ProgramAccount::steps.
void number_steps(Block& schedule);

/// `kernel_name`: the symbol of a kernel step. The schedule must be numbered; sizes of scratch memory are left to the caller.
ProgramAccount account_of(const Function& function, const Block& schedule, const MemoryPlan& memory,
                          const std::function<std::string(const Step&)>& kernel_name);

}  // namespace weft::native
