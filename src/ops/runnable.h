// What programs may hold that no target runs: it is read, checked, transformed and printed all the same.
#pragma once
#include <string>

#include "ir/function.h"

namespace weft {

/// Unsupported, at its place, for arguments and results of the entry that are no values of Weft (unranked tensors, futures), for
/// the first value of `index` that the entry or what it calls computes with, and for the first reduction whose body works on
/// tensors.
void expect_runnable(const Module& module, const std::string& entry);

}  // namespace weft
