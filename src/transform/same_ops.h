// Whether two ops compute the same.
#pragma once
#include <unordered_map>

#include "ir/function.h"

namespace weft {

/// Values of one side and what they are on the other; a value without an entry stands for itself.
using ValuePairs = std::unordered_map<Value, Value>;

/// Whether `a` and `b` are the same op of the same operands, attributes and types. Their regions may be small, pure bodies, of
/// reductions, sorts and the like, whose arguments and results are entered in `pairs`; effects of the ops themselves are the caller's affair.
bool is_same_op(const Function& f, OpId a, OpId b, ValuePairs& pairs);

}  // namespace weft
