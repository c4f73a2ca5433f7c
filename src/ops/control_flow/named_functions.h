// Functions that attributes kept as text name: called_computations = [@f] and the like.
#pragma once
#include <string>
#include <vector>

#include "ir/attr.h"

namespace weft {

/// What follows each @ in the attribute, or in the lists and dictionaries in it, in order.
std::vector<std::string> named_functions(const Attr& attr);

}  // namespace weft
