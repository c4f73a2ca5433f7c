// The tree as text: one line of nested parentheses, as Julia's own parser tests write it.
#pragma once
#include <string>

#include "julia/syntax/tree.h"

namespace weft::julia {

/// "(call-i a + b)". The head's suffixes: -i, -pre, -post how an operator is written; -p parentheses; -s triple-quoted; -r raw;
/// -, a trailing comma; -= a short function; -: a colon quote; -; one line; -mut; -bare; -t an error that was passed over.
std::string sexpr(const Tree& tree, NodeId id, bool with_kinds = false);
/// The same over several lines, two spaces deeper each level, for people.
std::string sexpr_lines(const Tree& tree, NodeId id);

}  // namespace weft::julia
