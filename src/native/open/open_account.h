// The account of a program with open extents (ir/account.h) for the extents of a call.
#pragma once
#include <span>

#include "ir/account.h"
#include "native/open/extent_names.h"

namespace weft::native {

/// `account`: of the program whose sizes hold names. Work of steps that have open extents is left out: it is a sum, not a product.
ProgramAccount account_for(const ProgramAccount& account, const ExtentNames& names, std::span<const int64_t> values,
                           const MemoryUse& memory);

}  // namespace weft::native
