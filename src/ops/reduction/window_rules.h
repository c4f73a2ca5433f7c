// Windows of reduce_window and select_and_scatter.
#pragma once
#include "ops/record.h"
#include "ops/reduction/region_body.h"

namespace weft {

/// Window attributes with every list filled in.
struct Window : WindowAttrs {
  Window(const Attrs& attrs, int64_t rank);
  explicit Window(const OpView& op) : Window(op.attrs(), op.operand_type(0).rank()) {}
  /// With one more axis in front that windows do not reach across.
  Window over_lanes() const;
  bool is_dilated() const;
  /// Number of windows along each axis of an input of `shape`.
  std::vector<int64_t> counts(std::span<const int64_t> shape) const;
  Attrs reduce_attrs() const;
  Attrs select_attrs() const;
};

/// The elements that a window sees, window by window in row-major order.
class WindowWalk {
 public:
  WindowWalk(const Window& window, std::span<const int64_t> shape);
  const std::vector<int64_t>& out_shape() const { return out_shape_; }
  /// Linear offsets into the input of the elements of the window at `index`, in row-major order; -1 where there is padding.
  const std::vector<int64_t>& elements(std::span<const int64_t> index);

 private:
  std::vector<int64_t> shape_, out_shape_;
  Window window_;
  std::vector<std::vector<int64_t>> offsets_;  // per axis: offset of element k of the window at o, at o * extent + k
  std::vector<int64_t> elements_, scratch_;
};

/// Windows laid out: [o0, k0, o1, k1, …], element k of window o. Linear in x and the padding value together.
/// Constants are made by `constants`, so that none lands on a tape.
Value lay_out_windows(OpBuilder& builder, OpBuilder& constants, const Window& window, Value x, Value padding);

/// How a body picks one of two groups of values: a0 DIRECTION b0 ? a : b. Empty when it does something else.
std::string_view selection_direction(const Function& function, RegionId body);
/// reduce_window over several inputs with that body.
std::vector<Value> emit_select_window(OpBuilder& builder, const Window& window, std::span<const Value> inputs,
                                      std::span<const Value> inits, std::string_view direction);
/// select_and_scatter with add as scatter.
Value emit_select_and_scatter(OpBuilder& builder, const Window& window, Value x, Value source, Value init,
                              std::string_view direction);

// Facets (window_eval.cc, window_linearize.cc).
std::vector<EvalValue> eval_reduce_window(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);
std::vector<EvalValue> eval_select_and_scatter(EvalContext& context, const OpView& op,
                                               std::span<const EvalValue> operands);
Linearized linearize_reduce_window(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                   std::span<const Value> tangents);
std::vector<Value> transpose_reduce_window(TransposeContext& context, const OpView& op,
                                           std::span<const Value> cotangents);
Linearized linearize_select_and_scatter(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                        std::span<const Value> tangents);
std::vector<Value> transpose_select_and_scatter(TransposeContext& context, const OpView& op,
                                                std::span<const Value> cotangents);

}  // namespace weft
