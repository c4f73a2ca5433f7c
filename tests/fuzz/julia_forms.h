// Laws of lowered Julia code.
#pragma once
#include <string>

#include "julia/syntax/tree.h"

namespace weft::fuzz {

/// What is wrong with the lowered code of a text without syntax errors, the bodies of its functions included; empty: nothing.
std::string fault_of_lowering(const std::string& text);
/// Whether the nodes under each node lie together, which lowering relies on.
std::string fault_of_order(const julia::Tree& tree);

}  // namespace weft::fuzz
