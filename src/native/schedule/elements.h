// Single elements of tensors in memory: read into a register of the entry, or written where their tensor lies.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "ops/record.h"

namespace weft::native {

/// An op that takes one element out of a tensor, or puts one in, together with the op between it and the scalar.
struct ElementAccess {
  OpId reshape;  // from or to the scalar; it runs with the access
  Value scalar;  // read: what comes out; written: what goes in
  bool is_update = false;
};

/// Who reads a value: ops of its own region, each once; none where the region's terminator or an inner region does as well.
using UsersOf = std::function<std::optional<std::vector<OpId>>(Value)>;

/// `op` as such: slice or dynamic_slice of one element whose only reader makes it a scalar; dynamic_update_slice by a scalar. None where
/// the tensor or the scalar is better computed in one kernel with its only reader.
std::optional<ElementAccess> element_access(const OpView& op, const UsersOf& users_of);

}  // namespace weft::native
