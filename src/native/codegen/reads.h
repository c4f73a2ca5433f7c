// Which element of its operand a structural op reads for an element of its result.
#pragma once
#include "ir/function.h"
#include "native/codegen/index.h"

namespace weft::codegen {

/// low <= expr < high.
struct Bound {
  Expr expr;
  int64_t low, high;
};
/// The element of the operand, and where there is one: all bounds hold (bounds that always hold are left out; `never`: none does).
struct Read {
  Index index;
  std::vector<Bound> bounds;
  bool never = false;
};

/// Gives positions that are known only at run time.
class DynamicIndices {
 public:
  virtual ~DynamicIndices() = default;
  /// The integer value `v` at `index`, clamped to [0, max].
  virtual Expr clamped(Value v, const Index& index, int64_t max) = 0;
};

enum class Structural {
  kNone,
  kBroadcast,
  kReshape,
  kTranspose,
  kSlice,
  kReverse,
  kPad,
  kConcatenate,
  kDynamicSlice,
  kDynamicUpdateSlice,
  kGather,
};
Structural structural_kind(const OpDef& def);

/// What operand `operand` contributes to element `index` of the result. Operands: the data operand(s) of the op; for pad
/// operand 0; for concatenate each; for dynamic_update_slice operand 1 (the update).
Read read_of(const OpView& op, Structural kind, size_t operand, const Index& index, IndexSpace& space,
             DynamicIndices& dynamic);

/// Where in the operand dynamic_update_slice writes element `index` of the update.
Index update_place(const OpView& op, const Index& index, IndexSpace& space, DynamicIndices& dynamic);

}  // namespace weft::codegen
