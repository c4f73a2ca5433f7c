// Triangular solves of right sides that are made of smaller ones.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// A solve is linear in its right side. Where that is made of sums, scaled parts, outer products and copies, the parts that vary along the
/// solved axis are solved alone (vmap of a Hessian: one solve for all lanes where the program asks for one a lane and column), and
/// transposes around a solve go by solving from the other side. The copy, or null when nothing changed.
std::unique_ptr<Function> factor_solves(const Function& f);

}  // namespace weft
