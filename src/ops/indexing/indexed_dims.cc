#include "ops/indexing/indexed_dims.h"

#include "ops/indexing/index_elements.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {

IndexedDims IndexedDims::of_gather(const Attrs& a) {
  return {a.ints_or("offset_dims", 0, 0),           a.ints_or("collapsed_slice_dims", 0, 0),
          a.ints_or("operand_batching_dims", 0, 0), a.ints_or("start_indices_batching_dims", 0, 0),
          a.ints_or("start_index_map", 0, 0),       a.integer_or("index_vector_dim", 0)};
}

IndexedDims IndexedDims::of_scatter(const Attrs& a) {
  return {a.ints_or("update_window_dims", 0, 0),           a.ints_or("inserted_window_dims", 0, 0),
          a.ints_or("input_batching_dims", 0, 0),          a.ints_or("scatter_indices_batching_dims", 0, 0),
          a.ints_or("scatter_dims_to_operand_dims", 0, 0), a.integer_or("index_vector_dim", 0)};
}

Attrs IndexedDims::gather_attrs(std::vector<int64_t> slice_sizes, bool sorted) const {
  return Attrs{{"offset_dims", window},
               {"collapsed_slice_dims", inserted},
               {"operand_batching_dims", batching},
               {"start_indices_batching_dims", indices_batching},
               {"start_index_map", map},
               {"index_vector_dim", vector_axis},
               {"slice_sizes", std::move(slice_sizes)},
               {"indices_are_sorted", sorted}};
}

Attrs IndexedDims::scatter_attrs(bool sorted, bool unique) const {
  return Attrs{{"update_window_dims", window},        {"inserted_window_dims", inserted},
               {"input_batching_dims", batching},     {"scatter_indices_batching_dims", indices_batching},
               {"scatter_dims_to_operand_dims", map}, {"index_vector_dim", vector_axis},
               {"indices_are_sorted", sorted},        {"unique_indices", unique}};
}

std::vector<int64_t> IndexedDims::operand_window_axes(int64_t rank) const {
  return other_axes(rank, {inserted, batching});
}
std::vector<int64_t> IndexedDims::batch_axes(int64_t rank) const { return other_axes(rank, {window}); }
std::vector<int64_t> IndexedDims::index_axes(int64_t rank) const {
  return other_axes(rank, {std::span(&vector_axis, 1)});
}

std::vector<int64_t> IndexedDims::slice_sizes(int64_t rank, std::span<const int64_t> updates_shape) const {
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  const std::vector<int64_t> axes = operand_window_axes(rank);
  for (size_t i = 0; i < axes.size(); ++i)
    sizes[static_cast<size_t>(axes[i])] = updates_shape[static_cast<size_t>(window[i])];
  return sizes;
}

IndexedDims IndexedDims::over_lanes(bool operand_varies, bool indices_vary) const {
  IndexedDims d = *this;
  d.window = shifted(window);
  if (operand_varies) {
    d.inserted = shifted(inserted);
    d.batching = shifted(batching);
    d.map = shifted(map);
  }
  if (!indices_vary) {
    d.window.insert(d.window.begin(), 0);
    return d;
  }
  d.indices_batching = shifted(indices_batching);
  d.vector_axis = vector_axis + 1;
  if (operand_varies) {
    d.batching.insert(d.batching.begin(), 0);
    d.indices_batching.insert(d.indices_batching.begin(), 0);
  }
  return d;
}

SliceWalk::SliceWalk(const IndexedDims& dims, const Tensor& indices, std::span<const int64_t> operand_shape,
                     std::span<const int64_t> result_shape, std::vector<int64_t> sizes)
    : dims_(dims),
      elements_(index_elements(indices)),
      operand_strides_(row_major_strides(operand_shape)),
      start_(operand_shape.size(), 0) {
  const std::vector<int64_t> strides = row_major_strides(indices.shape()),
                             result_strides = row_major_strides(result_shape);
  const std::vector<int64_t> axes = dims.index_axes(indices.rank());
  batch_shape_ = pick(indices.shape(), axes);
  index_strides_ = pick(strides, axes);
  result_strides_ = pick(result_strides, dims.batch_axes(static_cast<int64_t>(result_shape.size())));
  index_.assign(batch_shape_.size(), 0);
  vector_stride_ = dims.vector_axis < indices.rank() ? strides[static_cast<size_t>(dims.vector_axis)] : 0;
  window_axes_ = dims.operand_window_axes(static_cast<int64_t>(operand_shape.size()));
  window_shape_ = pick(sizes, window_axes_);
  window_operand_strides_ = pick(operand_strides_, window_axes_);
  window_result_strides_ = pick(result_strides, dims.window);
  if (!empty()) locate();
}

bool SliceWalk::empty() const { return num_elements(batch_shape_) == 0 || num_elements(window_shape_) == 0; }

bool SliceWalk::next() {
  for (size_t d = batch_shape_.size(); d-- > 0;) {
    if (++index_[d] < batch_shape_[d]) {
      locate();
      return true;
    }
    index_[d] = 0;
  }
  return false;
}

void SliceWalk::locate() {
  int64_t at = 0;
  result_offset_ = 0;
  for (size_t d = 0; d < index_.size(); ++d) {
    at += index_[d] * index_strides_[d];
    result_offset_ += index_[d] * result_strides_[d];
  }
  for (size_t k = 0; k < dims_.map.size(); ++k) {
    start_[static_cast<size_t>(dims_.map[k])] =
        elements_[static_cast<size_t>(at + static_cast<int64_t>(k) * vector_stride_)];
  }
  for (size_t k = 0; k < dims_.batching.size(); ++k) {
    const int64_t axis = dims_.indices_batching[k];
    start_[static_cast<size_t>(dims_.batching[k])] =
        index_[static_cast<size_t>(axis < dims_.vector_axis ? axis : axis - 1)];
  }
}

int64_t SliceWalk::operand_offset(std::span<const int64_t> start) const {
  int64_t offset = 0;
  for (size_t d = 0; d < start.size(); ++d) offset += start[d] * operand_strides_[d];
  return offset;
}

Value emit_scatter(OpBuilder& b, const IndexedDims& dims, Value x, Value indices, Value updates, BodyKind body,
                   bool sorted, bool unique) {
  const Type scalar = Type::scalar(b.type(x).element_type());
  const Type types[] = {scalar, scalar};
  const RegionId region = b.make_region(types, [&](OpBuilder& r, std::span<const Value> a) {
    return std::vector{body == BodyKind::kSecond ? a[1] : r.make(body_mnemonic(body), {a[0], a[1]})};
  });
  const Value operands[] = {x, indices, updates};
  return b.create("stablehlo.scatter", operands, dims.scatter_attrs(sorted, unique), {}, std::span(&region, 1))[0];
}

Value gather_or_zero(OpBuilder& b, const IndexedDims& dims, Value x, Value indices,
                     std::span<const int64_t> updates_shape, bool sorted) {
  const Type type = b.type(x);
  const std::vector<int64_t> sizes = dims.slice_sizes(type.rank(), updates_shape);
  const Type updates = type.with_shape(updates_shape);
  if (type.num_elements() == 0 || updates.num_elements() == 0) return b.zeros(updates);
  std::vector<int64_t> lengths = pick(sizes, dims.map), limits;
  for (int64_t d : dims.map) limits.push_back(type.dim(d) - 1);
  const bool points = std::all_of(lengths.begin(), lengths.end(), [](int64_t n) { return n == 1; });
  if (!points) {
    // A slice may lie partly outside. A margin of zeros as wide as the slice makes clamping harmless.
    std::vector<int64_t> margin(static_cast<size_t>(type.rank()), 0);
    for (int64_t d : dims.map) margin[static_cast<size_t>(d)] = sizes[static_cast<size_t>(d)];
    const Value padded = b.pad(x, b.scalar(type.element_type(), 0), margin, margin);
    const Value wide = b.convert(indices, ElementType::kI64);
    const Value moved = b.add(wide, index_constant(b, ElementType::kI64, b.type(wide).shape(), lengths,
                                                   dims.vector_axis < b.type(wide).rank() ? dims.vector_axis : 0));
    return b.make("stablehlo.gather", {padded, moved}, dims.gather_attrs(sizes, sorted));
  }
  const Value found = b.make("stablehlo.gather", {x, indices}, dims.gather_attrs(sizes, sorted));
  if (dims.map.empty()) return found;
  const Type it = b.type(indices);
  const int64_t axis = dims.vector_axis;
  Value inside =
      b.compare(indices, index_constant(b, it.element_type(), it.shape(), limits, axis < it.rank() ? axis : 0), "LE");
  if (!is_unsigned_integer(it.element_type())) inside = b.logical_and(inside, b.compare(indices, b.zeros(it), "GE"));
  if (axis < it.rank()) {
    const int64_t along[] = {axis};
    inside = b.reduce(inside, along, "stablehlo.and");
  }
  inside = b.broadcast_in_dim(inside, dims.batch_axes(updates.rank()), updates_shape);
  return b.select(inside, found, b.zeros(updates));
}

}  // namespace weft
