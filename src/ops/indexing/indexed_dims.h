// The dimension numbers that gather and scatter share. Scatter's words in brackets:
//   window          result axes that run within a slice: offset_dims [update_window_dims]
//   inserted        operand axes of slice extent 1 without such an axis: collapsed_slice_dims [inserted_window_dims]
//   batching        operand axes that go with axes of the indices: operand_batching_dims [input_batching_dims]
//   indices_batching                               start_indices_batching_dims [scatter_indices_batching_dims]
//   map             operand axis of each component of an index vector: start_index_map [scatter_dims_to_operand_dims]
//   vector_axis     axis of the indices along which index vectors lie; their rank when they are single indices: index_vector_dim
#pragma once
#include "ops/record.h"
#include "ops/reduction/region_body.h"

namespace weft {

struct IndexedDims {
  std::vector<int64_t> window, inserted, batching, indices_batching, map;
  int64_t vector_axis = 0;

  static IndexedDims of_gather(const Attrs& attrs);
  static IndexedDims of_scatter(const Attrs& attrs);
  Attrs gather_attrs(std::vector<int64_t> slice_sizes, bool sorted) const;
  Attrs scatter_attrs(bool sorted, bool unique) const;

  /// Operand axes that a window runs along, ascending; they go with `window`.
  std::vector<int64_t> operand_window_axes(int64_t operand_rank) const;
  /// Axes of the result (updates) that are no window axes, ascending; they go with the axes of the indices but vector_axis.
  std::vector<int64_t> batch_axes(int64_t result_rank) const;
  /// Axes of the indices but vector_axis.
  std::vector<int64_t> index_axes(int64_t indices_rank) const;
  /// Extent of a slice along each operand axis, from the shape of the updates.
  std::vector<int64_t> slice_sizes(int64_t operand_rank, std::span<const int64_t> updates_shape) const;

  /// Dimension numbers over lanes (axis 0). Indices the same for all lanes: the lane axis is one more window axis;
  /// otherwise one more pair of batching axes, or of the indices alone when the operand has no lane axis.
  IndexedDims over_lanes(bool operand_varies, bool indices_vary) const;
};

/// Where the slices of gather and scatter lie, walked index vector by index vector.
class SliceWalk {
 public:
  /// operand_shape: of the operand; result_shape: of the result or the updates; sizes: extent of a slice along each operand axis.
  SliceWalk(const IndexedDims& dims, const Tensor& indices, std::span<const int64_t> operand_shape,
            std::span<const int64_t> result_shape, std::vector<int64_t> sizes);
  bool empty() const;
  bool next();
  /// Start along each operand axis as the indices say, batching axes included.
  const std::vector<int64_t>& start() const { return start_; }
  /// Linear offset of the slice's first element in the result (updates).
  int64_t result_offset() const { return result_offset_; }
  /// Linear offset in the operand of a slice at `start`.
  int64_t operand_offset(std::span<const int64_t> start) const;

  // Elements of a slice: extents, and strides into operand and result.
  const std::vector<int64_t>& window_shape() const { return window_shape_; }
  const std::vector<int64_t>& window_operand_strides() const { return window_operand_strides_; }
  const std::vector<int64_t>& window_result_strides() const { return window_result_strides_; }
  /// Operand axes of the window's axes.
  const std::vector<int64_t>& window_axes() const { return window_axes_; }

 private:
  void locate();
  IndexedDims dims_;
  std::vector<int64_t> elements_, batch_shape_, index_, index_strides_, result_strides_, operand_strides_, start_;
  std::vector<int64_t> window_shape_, window_operand_strides_, window_result_strides_, window_axes_;
  int64_t vector_stride_ = 0, result_offset_ = 0;
};

/// A scatter of one operand with a known body.
Value emit_scatter(OpBuilder& builder, const IndexedDims& dims, Value x, Value indices, Value updates, BodyKind body,
                   bool sorted, bool unique);
/// What scatter would have read from x for each element of updates of shape `updates_shape`: x there, 0 where scatter skips.
Value gather_or_zero(OpBuilder& builder, const IndexedDims& dims, Value x, Value indices,
                     std::span<const int64_t> updates_shape, bool sorted);

// Facets of gather (gather.cc) and scatter (scatter.cc).
std::vector<Type> type_gather(const TypeContext& context);
std::vector<EvalValue> eval_gather(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);
Linearized linearize_gather(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents);
std::vector<Value> transpose_gather(TransposeContext& context, const OpView& op, std::span<const Value> cotangents);
std::vector<LaneValue> vectorize_gather(VectorizeContext& context, const OpView& op,
                                        std::span<const LaneValue> operands);
Cost cost_gather(const OpView& op);
std::vector<Sample> samples_gather();
std::vector<Type> type_scatter(const TypeContext& context);
std::vector<EvalValue> eval_scatter(EvalContext& context, const OpView& op, std::span<const EvalValue> operands);
Linearized linearize_scatter(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                             std::span<const Value> tangents);
std::vector<Value> transpose_scatter(TransposeContext& context, const OpView& op, std::span<const Value> cotangents);
std::vector<LaneValue> vectorize_scatter(VectorizeContext& context, const OpView& op,
                                         std::span<const LaneValue> operands);
std::vector<Alias> alias_scatter(const OpView& op);
Cost cost_scatter(const OpView& op);
std::vector<Sample> samples_scatter();

}  // namespace weft
