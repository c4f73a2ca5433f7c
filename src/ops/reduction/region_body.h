// What the scalar regions of reduce, reduce_window, scatter and select_and_scatter do: recognised bodies run as typed loops
// and have derivative rules; any other body runs through the evaluator element by element.
#pragma once
#include <vector>

#include "ops/record.h"

namespace weft {

enum class BodyKind : uint8_t {
  kAdd,
  kMultiply,
  kMaximum,
  kMinimum,
  kAnd,
  kOr,
  kXor,
  kSecond,  // returns its second argument (scatter that overwrites)
  kOther,
};

/// The body of one operand: (arg, arg) → value.
BodyKind classify_body(const Function& function, RegionId region);
/// "stablehlo.add" and so on; empty for kSecond and kOther.
std::string_view body_mnemonic(BodyKind kind);

/// A comparison of a region's arguments a and b: the region yields (or selects by) `a DIRECTION b`.
struct ArgCompare {
  std::string_view direction;  // GE GT LE LT EQ NE; empty when the region is something else
};
/// The region (a, b) → compare(a, b): select_and_scatter's select.
ArgCompare classify_select(const Function& function, RegionId region);
/// The direction of the compare op that makes `value`, when it compares argument i of the region with argument j
/// (swapped operands are turned round); empty otherwise.
std::string_view compared(const Function& function, RegionId region, Value value, size_t i, size_t j);

/// How result i of a body over n values (arguments a0 … an-1, b0 … bn-1) comes about.
struct BodyResult {
  BodyKind kind = BodyKind::kOther;  // own arguments only: a_i op b_i
  Value predicate;                   // kOther with a predicate: predicate ? a_i : b_i …
  bool swapped = false;              // … or predicate ? b_i : a_i
};
std::vector<BodyResult> classify_results(const Function& function, RegionId region);

/// Element types E_i of the results of a body (E0, …, En-1, E0, …) → (E0, …, En-1) on rank-0 tensors, each promotable from
/// inputs[i]; throws with `label` otherwise.
std::vector<ElementType> check_body(const TypeContext& context, RegionId region, std::string_view label,
                                    std::span<const Type> inputs);

/// Folds n elements into accumulators: acc[i*acc_step] = body(acc[i*acc_step], x[i*x_step]).
using FoldFn = void(void* acc, int64_t acc_step, const void* x, int64_t x_step, int64_t n);
/// The typed loop of a recognised body; null when there is none for the element type.
FoldFn* fold_function(BodyKind kind, ElementType type);
/// a DIRECTION b on two elements; null when there is none for the element type.
using SelectFn = bool(const void* a, const void* b);
SelectFn* select_function(std::string_view direction, ElementType type);

/// x with each element converted to another element type (the convert op's rule).
Tensor convert_tensor(EvalContext& context, const Tensor& x, ElementType to);

/// Runs a scalar body on single elements: by a typed loop when there is one, else by the evaluator.
class BodyRunner {
 public:
  /// elements: the types E0 … En-1 of the body's values.
  BodyRunner(EvalContext& context, const Function& function, RegionId region, std::vector<ElementType> elements);
  size_t count() const { return elements_.size(); }
  ElementType element(size_t i) const { return elements_[i]; }
  /// The typed loop of a one-value body, or null.
  FoldFn* fold() const { return fold_; }
  /// acc[i] = body(acc..., x...)[i]; acc and x point to one element each.
  void run(std::span<std::byte* const> acc, std::span<const std::byte* const> x);

 private:
  EvalContext* context_;
  RegionId region_;
  std::vector<ElementType> elements_;
  FoldFn* fold_ = nullptr;
  std::vector<EvalValue> args_;
};

}  // namespace weft
