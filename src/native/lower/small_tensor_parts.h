// What the forms on elements share: places in tensors, and what an op is.
#pragma once
#include <algorithm>
#include <vector>

#include "native/lower/small_tensor_ops.h"

namespace weft::native {

using Ints = std::vector<int64_t>;

Ints index_of(int64_t flat, std::span<const int64_t> shape);
size_t flat_of(std::span<const int64_t> index, std::span<const int64_t> shape);

/// Each element of a result by its index.
template <class F>
Elements each_element(const OpView& op, F&& element_at) {
  Elements out;
  const Type t = op.result_type();
  for (int64_t i = 0; i < t.num_elements(); ++i) out.push_back(element_at(index_of(i, t.shape())));
  return out;
}

bool is_small_or_scalar(Type t);
bool is_elementwise(const OpView& op);
bool moves_elements(const OpView& op);
/// Ops of a reduction's body are on scalars and see nothing else.
bool has_plain_body(const OpView& op);
/// Of a gather by one index along one dimension: which.
std::optional<int64_t> gathered_dimension(const OpView& op);

/// The extents of a dot_general.
struct SmallProduct {
  DotDims dims;
  Ints lhs_shape, rhs_shape, shape, contracted, lhs_free, rhs_free;

  explicit SmallProduct(const OpView& op);
  int64_t terms_of_each() const;
  int64_t terms() const;
};

// The results of single ops.
Elements dynamic_slice_of_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands);
Elements dynamic_update_of_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands);
Elements gather_of_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands);
/// Of slice, broadcast_in_dim, transpose, reverse, concatenate and reshape.
Elements moved_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands);

}  // namespace weft::native
