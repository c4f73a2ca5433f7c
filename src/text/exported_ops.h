// How exporters other than StableHLO's own printer write ops that the IR has: names of the dialect that they come from, calls that stand for such
// ops, calls with one tuple as their result.
#pragma once
#include <string_view>

#include "text/parser.h"

namespace weft::text {

/// The mnemonic of the IR's op for that of another dialect (mhlo.erf is chlo.erf), or the same mnemonic.
std::string_view known_mnemonic(std::string_view mnemonic);

/// Turns a custom_call @mhlo.NAME, which is how StableHLO carries ops that it lacks (their attributes are in `mhlo.attributes`), into
/// the op itself where the IR has it.
void replace_carrying_call(OpParts& op);

/// The elements of the tuple that a custom_call gives as its only result: the call then gives them themselves and a tuple is made of
/// them. Empty for other ops.
std::vector<Type> tuple_elements_of_call(const OpParts& op);

}  // namespace weft::text
