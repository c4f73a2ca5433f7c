// What the arguments and results of a transformed function are.
#pragma once
#include <string>
#include <vector>

#include "cli/commands.h"

namespace weft::cli {

/// Positions that a step differentiates by, in the order given; without any those that it takes by default.
std::vector<size_t> differentiated_arguments(const Module& module, const TransformStep& step);
/// Comment lines that say what each argument and result of `made` is, which a step made of a function with these types.
std::string meaning_of(const TransformStep& step, const std::vector<size_t>& by, const std::vector<Type>& arg_types,
                       const std::vector<Type>& result_types, const Function& made);

}  // namespace weft::cli
