#include "ops/families.h"
#include "ops/indexing/index_elements.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

bool is_sorted_hint(const OpView& op) { return op.attrs().boolean_or("indices_are_sorted", false); }

}  // namespace

std::vector<Type> type_gather(const TypeContext& c) {
  c.expect_operands(2);
  expect_tensor(c, 0);
  expect_tensor(c, 1);
  const Type x = c.operands[0], indices = c.operands[1];
  if (!is_integer(indices.element_type()))
    c.fail("gather_i2", "start_indices: got " + indices.str() + ", expected a tensor of integer type");
  const IndexedDims d = IndexedDims::of_gather(c.attrs);
  const std::vector<int64_t> sizes = c.attrs.ints("slice_sizes");
  const auto number = [](size_t n) { return std::to_string(n); };
  if (static_cast<size_t>(x.rank()) != d.window.size() + d.inserted.size() + d.batching.size()) {
    c.fail("gather_c1", "number of offset_dims, collapsed_slice_dims and operand_batching_dims together: got " +
                            number(d.window.size() + d.inserted.size() + d.batching.size()) +
                            ", expected the operand's rank " + std::to_string(x.rank()));
  }
  if (d.vector_axis < 0 || d.vector_axis > indices.rank()) {
    c.fail("gather_c2", "index_vector_dim is out of range: got " + std::to_string(d.vector_axis) +
                            ", expected a value in [0, " + std::to_string(indices.rank()) + "]");
  }
  const int64_t components = d.vector_axis < indices.rank() ? indices.dim(d.vector_axis) : 1;
  if (!compatible_extent(components, static_cast<int64_t>(d.map.size()))) {
    c.fail("gather_c3", "number of start_index_map: got " + number(d.map.size()) +
                            ", expected the extent of index_vector_dim, " + std::to_string(components));
  }
  const int64_t result_rank =
      indices.rank() - (d.vector_axis < indices.rank() ? 1 : 0) + static_cast<int64_t>(d.window.size());
  expect_sorted(c, "gather_c4", "offset_dims", d.window);
  expect_unique(c, "gather_c4", "offset_dims", d.window);
  expect_in_range(c, "gather_c5", "offset_dims", d.window, result_rank);
  expect_unique(c, "gather_c6", "collapsed_slice_dims with operand_batching_dims", joined({d.inserted, d.batching}));
  expect_sorted(c, "gather_c7", "collapsed_slice_dims", d.inserted);
  expect_in_range(c, "gather_c8", "collapsed_slice_dims", d.inserted, x.rank());
  expect_sorted(c, "gather_c10", "operand_batching_dims", d.batching);
  expect_in_range(c, "gather_c11", "operand_batching_dims", d.batching, x.rank());
  expect_unique(c, "gather_c13", "start_indices_batching_dims", d.indices_batching);
  expect_in_range(c, "gather_c14", "start_indices_batching_dims", d.indices_batching, indices.rank());
  if (contains(d.indices_batching, d.vector_axis)) {
    c.fail("gather_c15",
           "start_indices_batching_dims must not contain index_vector_dim: got " + format_list(d.indices_batching));
  }
  expect_count(c, "gather_c16", "start_indices_batching_dims", d.indices_batching.size(), d.batching.size());
  for (size_t i = 0; i < d.batching.size(); ++i) {
    if (!compatible_extent(x.dim(d.batching[i]), indices.dim(d.indices_batching[i]))) {
      c.fail("gather_c17",
             "extents of start_indices_batching_dims: got " + format_list(pick(indices.shape(), d.indices_batching)) +
                 ", expected those of operand_batching_dims, " + format_list(pick(x.shape(), d.batching)));
    }
  }
  expect_unique(c, "gather_c18", "start_index_map with operand_batching_dims", joined({d.map, d.batching}));
  expect_in_range(c, "gather_c19", "start_index_map", d.map, x.rank());
  expect_count(c, "gather_c20", "slice_sizes", sizes.size(), static_cast<size_t>(x.rank()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || (x.shape()[i] != kDynamic && sizes[i] > x.shape()[i])) {
      c.fail("gather_c21", "slice_sizes: got " + format_list(sizes) +
                               ", expected values from 0 to those of the operand's shape " + format_list(x.shape()));
    }
  }
  for (int64_t axis : d.inserted) {
    if (sizes[static_cast<size_t>(axis)] > 1)
      c.fail("gather_c9", "slice_sizes along collapsed_slice_dims must be at most 1: got " + format_list(sizes));
  }
  for (int64_t axis : d.batching) {
    if (sizes[static_cast<size_t>(axis)] > 1)
      c.fail("gather_c12", "slice_sizes along operand_batching_dims must be at most 1: got " + format_list(sizes));
  }
  std::vector<int64_t> shape(static_cast<size_t>(result_rank)), bounds(static_cast<size_t>(result_rank), kDynamic);
  const std::vector<int64_t> window = pick(sizes, d.operand_window_axes(x.rank())),
                             batch = pick(indices.shape(), d.index_axes(indices.rank())),
                             batch_bounds = pick(bounds_of(indices), d.index_axes(indices.rank()));
  for (size_t i = 0; i < window.size(); ++i) shape[static_cast<size_t>(d.window[i])] = window[i];
  const std::vector<int64_t> axes = d.batch_axes(result_rank);
  for (size_t i = 0; i < axes.size(); ++i) {
    shape[static_cast<size_t>(axes[i])] = batch[i];
    bounds[static_cast<size_t>(axes[i])] = batch_bounds[i];
  }
  const Type result = x.with_shape(shape).with_bounds(bounds);
  if (c.declared.size() == 1 && !is_compatible(c.declared[0], result)) {
    const bool elements = c.declared[0].is_tensor() && c.declared[0].element_type() != x.element_type();
    c.expect_equal(elements ? "gather_c23" : "gather_c22", "result type", c.declared[0], result);
  }
  return {result};
}

std::vector<EvalValue> eval_gather(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor &x = operands[0].tensor, &indices = operands[1].tensor;
  const IndexedDims dims = IndexedDims::of_gather(op.attrs());
  const std::vector<int64_t> sizes = op.attrs().ints("slice_sizes");
  Shape shape;
  {  // the result's extents, from the values at hand: types may leave them open
    const std::vector<int64_t> window = pick(sizes, dims.operand_window_axes(x.rank())),
                               batch = pick(indices.shape(), dims.index_axes(indices.rank()));
    shape.resize(window.size() + batch.size());
    for (size_t i = 0; i < window.size(); ++i) shape[static_cast<size_t>(dims.window[i])] = window[i];
    const std::vector<int64_t> axes = dims.batch_axes(static_cast<int64_t>(shape.size()));
    for (size_t i = 0; i < axes.size(); ++i) shape[static_cast<size_t>(axes[i])] = batch[i];
  }
  SliceWalk walk(dims, indices, x.shape(), shape, sizes);
  if (x.size() == 0) return {EvalValue(Tensor::zeros(x.element_type(), shape))};
  Tensor out(x.element_type(), shape);
  if (walk.empty()) return {EvalValue(std::move(out))};
  const std::vector<int64_t> from = block_offsets(walk.window_shape(), walk.window_operand_strides());
  const std::vector<int64_t> to = block_offsets(walk.window_shape(), walk.window_result_strides());
  visit_size(byte_size(x.element_type()), [&](auto tag) {
    using T = decltype(tag);
    const T* source = static_cast<const T*>(x.raw());
    T* target = static_cast<T*>(out.raw());
    std::vector<int64_t> start(sizes.size());
    do {
      for (size_t d = 0; d < sizes.size(); ++d) {
        start[d] = std::clamp<int64_t>(walk.start()[d], 0, x.shape()[d] - std::max<int64_t>(sizes[d], 1));
      }
      const T* s = source + walk.operand_offset(start);
      T* t = target + walk.result_offset();
      for (size_t i = 0; i < from.size(); ++i) t[to[i]] = s[from[i]];
    } while (walk.next());
  });
  return {EvalValue(std::move(out))};
}

Linearized linearize_gather(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  if (!tangents[0]) return {std::move(results), {Value{}}};
  const Value operands[] = {tangents[0], primals[1]};
  return {std::move(results), emit_like(context.linear(), op, operands)};
}

std::vector<Value> transpose_gather(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Type x = op.operand_type(0);
  const IndexedDims dims = IndexedDims::of_gather(op.attrs());
  const std::vector<int64_t> sizes = op.attrs().ints("slice_sizes");
  const bool sorted = is_sorted_hint(op);
  const Value raw = op.operand(1);
  std::vector<Value> out(2);
  if (x.num_elements() == 0 || b.type(cotangents[0]).num_elements() == 0) {
    out[0] = b.zeros(x);
    return out;
  }
  // Gather clamps where scatter skips.
  std::vector<int64_t> limits;
  for (int64_t d : dims.map) limits.push_back(x.dim(d) - std::max<int64_t>(1, sizes[static_cast<size_t>(d)]));
  const bool vectors = dims.vector_axis < b.type(raw).rank();
  const Value indices = limits.empty() ? raw : clamp_indices(b, raw, limits, vectors ? dims.vector_axis : 0);
  out[0] = emit_scatter(b, dims, b.zeros(x), indices, cotangents[0], BodyKind::kAdd, sorted, false);
  return out;
}

std::vector<LaneValue> vectorize_gather(VectorizeContext& context, const OpView& op,
                                        std::span<const LaneValue> operands) {
  const bool x_varies = operands[0].varies, indices_vary = operands[1].varies;
  const IndexedDims dims = IndexedDims::of_gather(op.attrs()).over_lanes(x_varies, indices_vary);
  std::vector<int64_t> sizes = op.attrs().ints("slice_sizes");
  if (x_varies) sizes.insert(sizes.begin(), indices_vary ? std::min<int64_t>(1, context.lanes()) : context.lanes());
  const Attrs attrs = dims.gather_attrs(std::move(sizes), is_sorted_hint(op) && !indices_vary);
  return {{context.builder().make("stablehlo.gather", {operands[0].value, operands[1].value}, attrs), true}};
}

Cost cost_gather(const OpView& op) { return {0, 2 * bytes_of(op.result_type()) + bytes_of(op.operand_type(1))}; }

std::vector<Sample> samples_gather() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> x, ElementType index,
                       std::vector<int64_t> indices, IndexedDims dims, std::vector<int64_t> sizes) {
    out.push_back(
        {std::move(label),
         {{Type::tensor(e, x), {}}, {Type::tensor(index, indices), {is_unsigned_integer(index) ? 0.0 : -2.0, 5}}},
         [dims, sizes](OpBuilder& b, std::span<const Value> v) {
           return std::vector{b.make("stablehlo.gather", {v[0], v[1]}, dims.gather_attrs(sizes, false))};
         },
         is_float(e)});
  };
  add("rows", ElementType::kF64, {4, 3}, ElementType::kI32, {5, 1}, {{1}, {0}, {}, {}, {0}, 1}, {1, 3});
  add("rows_without_vector", ElementType::kF32, {4, 3}, ElementType::kI64, {5}, {{1}, {0}, {}, {}, {0}, 1}, {1, 3});
  add("points", ElementType::kF64, {4, 3}, ElementType::kI32, {2, 3, 2}, {{}, {0, 1}, {}, {}, {1, 0}, 2}, {1, 1});
  add("vector_first", ElementType::kF64, {4, 3}, ElementType::kI32, {2, 3}, {{}, {0, 1}, {}, {}, {0, 1}, 0}, {1, 1});
  add("windows", ElementType::kF64, {5, 4}, ElementType::kI32, {3, 2}, {{0, 2}, {}, {}, {}, {0, 1}, 1}, {2, 3});
  add("batched", ElementType::kF64, {2, 4, 3}, ElementType::kI32, {5, 2, 1}, {{2}, {1}, {0}, {1}, {1}, 2}, {1, 1, 3});
  add("batched_vector_between", ElementType::kF64, {3, 4, 2}, ElementType::kI32, {2, 1, 3},
      {{}, {1}, {0, 2}, {2, 0}, {1}, 1}, {1, 1, 1});
  add("unsigned", ElementType::kF32, {4}, ElementType::kU8, {3, 1}, {{}, {0}, {}, {}, {0}, 1}, {1});
  add("narrow_indices", ElementType::kF32, {200}, ElementType::kI8, {3, 1}, {{}, {0}, {}, {}, {0}, 1}, {1});
  add("no_indices", ElementType::kF32, {4}, ElementType::kI32, {0, 1}, {{}, {0}, {}, {}, {0}, 1}, {1});
  add("i1", ElementType::kI1, {4}, ElementType::kI32, {3, 1}, {{}, {0}, {}, {}, {0}, 1}, {1});
  add("one_slice", ElementType::kF64, {4, 3}, ElementType::kI32, {2}, {{0, 1}, {}, {}, {}, {0, 1}, 0}, {2, 2});
  add("scalar_index", ElementType::kF64, {4, 3}, ElementType::kI32, {}, {{0}, {0}, {}, {}, {0}, 0}, {1, 3});
  return out;
}

}  // namespace weft
