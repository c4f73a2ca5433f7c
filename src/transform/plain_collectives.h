// Collectives that few compilers have, by those that all have.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// A copy of a function of `replicas` replicas whose groups are tables (transform/flat_processes.h): collective_broadcast becomes an all_reduce of
/// bits that are zero except in the root, collective_reduce an all_reduce whose result the root alone keeps, and all_to_all of several operands one
/// of each. Null when there are none.
std::unique_ptr<Function> plain_collectives(const Function& f, int64_t replicas);

}  // namespace weft
