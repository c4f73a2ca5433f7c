// One op on tensors of few elements, as ops on their elements.
#pragma once
#include <optional>
#include <vector>

#include "ops/builder.h"

namespace weft::native {

/// The elements of a small tensor in row-major order; a scalar or a tensor that is not small, as it is.
using Elements = std::vector<Value>;

/// A tensor of static extents with 1 to kMostElementsOfSmall elements that is not a scalar.
bool is_small_tensor(Type t);

/// What an op of a loop costs as ops on elements, and in kernels.
struct CostOfElements {
  int64_t ops = 0;
  double nanoseconds = 0, nanoseconds_in_kernels = 0;
};
/// What is known of the loops inside the outermost one that an op stands in.
struct InnerLoops {
  bool are_written_out = false;  // the counters are constants
  bool are_short = true;         // none has more than kMostTripsOfSmall turns
};
/// Nothing: there is no such form.
std::optional<CostOfElements> cost_of_elements(const OpView& op, InnerLoops around);

/// The results of such an op.
std::vector<Elements> write_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands);

Elements elements_of(OpBuilder& b, Value tensor);
Value joined_elements(OpBuilder& b, const Elements& elements, Type type);

}  // namespace weft::native
