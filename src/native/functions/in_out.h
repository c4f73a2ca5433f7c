// Which result of a function is an argument brought up to date: both then share the caller's buffer.
#pragma once
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/function.h"

namespace weft::native {

/// (argument, result) pairs; each argument and each result is in one pair at most.
using InOutPairs = std::vector<std::pair<size_t, size_t>>;

/// For each function that is called. Such a result is what updates, loops, branches and calls make of the argument step by
/// step, so that writing over the argument saves copying it.
std::unordered_map<std::string, InOutPairs> find_in_out(const Module& module);

}  // namespace weft::native
