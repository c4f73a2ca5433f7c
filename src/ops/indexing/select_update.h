// A choice between an array and the same with a part overwritten.
#pragma once
#include "ops/record.h"

namespace weft {

/// select(p, update(x, u), x), where update is a dynamic_update_slice or a scatter that overwrites whole rows, and p is the same all over each
/// part that is overwritten: the update with select(p, u, what stood there), so that work is that of the part. Nothing when `op` is
/// not of this form. `op`: a select.
std::vector<Value> select_in_update(SimplifyContext& context, const OpView& op);

/// The same for an update of the function that `b` writes: made only where `mask`, a boolean of rank 0, holds. None when it is not of this
/// form, or when what it writes is as large as the array.
Value masked_update(OpBuilder& b, const OpView& update, Value mask);

}  // namespace weft
