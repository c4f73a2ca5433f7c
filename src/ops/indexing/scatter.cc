#include "ops/expansion.h"
#include "ops/families.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/reduction/fold.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

bool is_sorted_hint(const OpView& op) { return op.attrs().boolean_or("indices_are_sorted", false); }
/// No two updates meet: said so, or but one index vector for each part of the operand that batching axes keep apart.
bool is_unique(const OpView& op) {
  if (op.attrs().boolean_or("unique_indices", false)) return true;
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const Type indices = op.operand_type(op.num_results());
  for (int64_t axis : dims.index_axes(indices.rank())) {
    if (indices.dim(axis) != 1 && !contains(dims.indices_batching, axis)) return false;
  }
  return true;
}

}  // namespace

// Operands: N inputs, scatter_indices, N updates.
std::vector<Type> type_scatter(const TypeContext& c) {
  const size_t n = c.operands.size() / 2;
  if (c.operands.size() < 3 || c.operands.size() != 2 * n + 1) {
    c.fail("scatter_c5", "number of operands: got " + std::to_string(c.operands.size()) +
                             ", expected inputs, indices and as many updates as inputs");
  }
  for (size_t i = 0; i < c.operands.size(); ++i) expect_tensor(c, i);
  const Type x = c.operands[0], indices = c.operands[n], updates = c.operands[n + 1];
  const IndexedDims d = IndexedDims::of_scatter(c.attrs);
  if (!is_integer(indices.element_type()))
    c.fail("scatter_i2", "scatter_indices: got " + indices.str() + ", expected a tensor of integer type");
  for (size_t i = 0; i < n; ++i) {
    const Type xi = c.operands[i], ui = c.operands[n + 1 + i];
    if (!is_compatible(xi.with_element(x.element_type()), x)) {
      c.fail("scatter_c1", "shape of input " + std::to_string(i) + ": got " + format_list(xi.shape()) +
                               ", expected that of input 0, " + format_list(x.shape()));
    }
    if (!is_compatible(ui.with_element(updates.element_type()), updates)) {
      c.fail("scatter_c3", "shape of updates " + std::to_string(i) + ": got " + format_list(ui.shape()) +
                               ", expected that of updates 0, " + format_list(updates.shape()));
    }
    if (ui.element_type() != xi.element_type()) {
      c.fail("scatter_c6", "element type of updates " + std::to_string(i) + ": got " +
                               std::string(name(ui.element_type())) + ", expected " +
                               std::string(name(xi.element_type())));
    }
  }
  if (d.vector_axis < 0 || d.vector_axis > indices.rank()) {
    c.fail("scatter_c22", "index_vector_dim is out of range: got " + std::to_string(d.vector_axis) +
                              ", expected a value in [0, " + std::to_string(indices.rank()) + "]");
  }
  const bool has_vectors = d.vector_axis < indices.rank();
  const int64_t components = has_vectors ? indices.dim(d.vector_axis) : 1;
  const int64_t updates_rank = indices.rank() - (has_vectors ? 1 : 0) + static_cast<int64_t>(d.window.size());
  if (updates.rank() != updates_rank) {
    c.fail("scatter_c4",
           "rank of updates: got " + std::to_string(updates.rank()) + ", expected " + std::to_string(updates_rank));
  }
  if (static_cast<size_t>(x.rank()) != d.window.size() + d.inserted.size() + d.batching.size()) {
    c.fail("scatter_c2", "number of update_window_dims, inserted_window_dims and input_batching_dims together: got " +
                             std::to_string(d.window.size() + d.inserted.size() + d.batching.size()) +
                             ", expected the rank of the inputs, " + std::to_string(x.rank()));
  }
  expect_sorted(c, "scatter_c7", "update_window_dims", d.window);
  expect_unique(c, "scatter_c7", "update_window_dims", d.window);
  expect_in_range(c, "scatter_c8", "update_window_dims", d.window, updates_rank);
  expect_unique(c, "scatter_c9", "inserted_window_dims with input_batching_dims", joined({d.inserted, d.batching}));
  expect_sorted(c, "scatter_c10", "inserted_window_dims", d.inserted);
  expect_in_range(c, "scatter_c11", "inserted_window_dims", d.inserted, x.rank());
  expect_sorted(c, "scatter_c12", "input_batching_dims", d.batching);
  expect_in_range(c, "scatter_c13", "input_batching_dims", d.batching, x.rank());
  expect_unique(c, "scatter_c14", "scatter_indices_batching_dims", d.indices_batching);
  expect_in_range(c, "scatter_c15", "scatter_indices_batching_dims", d.indices_batching, indices.rank());
  if (contains(d.indices_batching, d.vector_axis)) {
    c.fail("scatter_c16",
           "scatter_indices_batching_dims must not contain index_vector_dim: got " + format_list(d.indices_batching));
  }
  expect_count(c, "scatter_c17", "scatter_indices_batching_dims", d.indices_batching.size(), d.batching.size());
  for (size_t i = 0; i < d.batching.size(); ++i) {
    if (!compatible_extent(x.dim(d.batching[i]), indices.dim(d.indices_batching[i]))) {
      c.fail("scatter_c18", "extents of scatter_indices_batching_dims: got " +
                                format_list(pick(indices.shape(), d.indices_batching)) +
                                ", expected those of input_batching_dims, " + format_list(pick(x.shape(), d.batching)));
    }
  }
  if (!compatible_extent(components, static_cast<int64_t>(d.map.size()))) {
    c.fail("scatter_c19", "number of scatter_dims_to_operand_dims: got " + std::to_string(d.map.size()) +
                              ", expected the extent of index_vector_dim, " + std::to_string(components));
  }
  expect_unique(c, "scatter_c20", "scatter_dims_to_operand_dims with input_batching_dims", joined({d.map, d.batching}));
  expect_in_range(c, "scatter_c21", "scatter_dims_to_operand_dims", d.map, x.rank());
  const std::vector<int64_t> window_axes = d.operand_window_axes(x.rank()),
                             batch = pick(indices.shape(), d.index_axes(indices.rank()));
  const std::vector<int64_t> batch_axes = d.batch_axes(updates_rank);
  for (size_t i = 0; i < window_axes.size(); ++i) {
    const int64_t extent = updates.dim(d.window[i]), limit = x.dim(window_axes[i]);
    if (extent != kDynamic && limit != kDynamic && extent > limit) {
      c.fail("scatter_c4", "extent of updates along dimension " + std::to_string(d.window[i]) + ": got " +
                               std::to_string(extent) + ", expected at most " + std::to_string(limit) +
                               ", that of the inputs");
    }
  }
  for (size_t i = 0; i < batch_axes.size(); ++i) {
    if (!compatible_extent(updates.dim(batch_axes[i]), batch[i])) {
      c.fail("scatter_c4", "extent of updates along dimension " + std::to_string(batch_axes[i]) + ": got " +
                               std::to_string(updates.dim(batch_axes[i])) + ", expected " + std::to_string(batch[i]) +
                               ", that of the indices");
    }
  }
  if (c.regions.size() != 1)
    c.fail("scatter_c23", "number of bodies: got " + std::to_string(c.regions.size()) + ", expected 1");
  const std::vector<ElementType> elements = check_body(c, c.regions[0], "scatter_c23", std::span(c.operands).first(n));
  std::vector<Type> out;
  for (size_t i = 0; i < n; ++i) {
    out.push_back(c.operands[i].with_element(elements[i]));
    if (c.declared.size() != n || is_compatible(c.declared[i], out[i])) continue;
    const bool same_shape = c.declared[i].is_tensor() && is_compatible(c.declared[i].with_element(elements[i]), out[i]);
    c.expect_equal(same_shape ? "scatter_c25" : "scatter_c24", "type of result " + std::to_string(i), c.declared[i],
                   out[i]);
  }
  return out;
}

std::vector<EvalValue> eval_scatter(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const size_t n = op.num_results();
  const Tensor& indices = operands[n].tensor;
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  std::vector<ElementType> elements;
  std::vector<Tensor> results, updates;
  for (size_t i = 0; i < n; ++i) {
    elements.push_back(op.result_type(i).element_type());
    const Tensor& x = operands[i].tensor;
    results.push_back(x.element_type() == elements[i] ? x.clone() : convert_tensor(context, x, elements[i]));
    updates.push_back(convert_tensor(context, operands[n + 1 + i].tensor, elements[i]));
  }
  BodyRunner body(context, op.function, op.region(0), elements);
  const Shape shape = results[0].shape();
  const int64_t rank = results[0].rank();
  const std::vector<int64_t> sizes = dims.slice_sizes(rank, updates[0].shape());
  SliceWalk walk(dims, indices, shape, updates[0].shape(), sizes);
  if (walk.empty()) {
    std::vector<EvalValue> out(results.begin(), results.end());
    return out;
  }

  // A slice is handled row by row (its last axis) when it lies inside, element by element when part of it does not.
  std::vector<int64_t> outer = walk.window_shape(), to = walk.window_operand_strides(),
                       from = walk.window_result_strides();
  const int64_t row = outer.empty() ? 1 : outer.back(), row_to = outer.empty() ? 1 : to.back(),
                row_from = outer.empty() ? 1 : from.back();
  if (!outer.empty()) {
    outer.pop_back();
    to.pop_back();
    from.pop_back();
  }
  const std::vector<int64_t> rows_to = block_offsets(outer, to), rows_from = block_offsets(outer, from);
  const std::vector<int64_t> axes = walk.window_axes();
  const auto at = [](const Tensor& t, int64_t i) {
    return static_cast<std::byte*>(t.raw()) + i * static_cast<int64_t>(byte_size(t.element_type()));
  };
  std::vector<std::byte*> acc(n);
  std::vector<const std::byte*> x(n);
  const auto run = [&](int64_t target, int64_t source) {
    for (size_t i = 0; i < n; ++i) {
      acc[i] = at(results[i], target);
      x[i] = at(updates[i], source);
    }
    body.run(acc, x);
  };
  do {
    const std::vector<int64_t>& start = walk.start();
    bool inside = true, outside = false;
    for (size_t d = 0; d < start.size(); ++d) {
      inside = inside && start[d] >= 0 && start[d] <= shape[d] - sizes[d];
      outside = outside || start[d] >= shape[d] || start[d] <= -sizes[d];
    }
    if (outside) continue;
    const int64_t target = walk.operand_offset(start), source = walk.result_offset();
    if (inside) {
      for (size_t r = 0; r < rows_to.size(); ++r) {
        if (body.fold() != nullptr) {
          body.fold()(at(results[0], target + rows_to[r]), row_to, at(updates[0], source + rows_from[r]), row_from,
                      row);
        } else {
          for (int64_t i = 0; i < row; ++i) run(target + rows_to[r] + i * row_to, source + rows_from[r] + i * row_from);
        }
      }
      continue;
    }
    StridedWalk<2> window(walk.window_shape(), {walk.window_operand_strides(), walk.window_result_strides()});
    do {
      bool here = true;
      for (size_t d = 0; d < axes.size(); ++d) {
        const size_t axis = static_cast<size_t>(axes[d]);
        const int64_t position = start[axis] + window.index()[d];
        here = here && position >= 0 && position < shape[axis];
      }
      if (here) run(target + window.offset(0), source + window.offset(1));
    } while (window.next());
  } while (walk.next());
  return {results.begin(), results.end()};
}

// ---- derivatives --------------------------------------------------------------------------------------------------------

namespace {

/// One operand of a scatter about to be differentiated: everything in the element type of the body.
struct ScatterParts {
  Value x, indices, updates, result;
  Value x_tangent, updates_tangent;  // missing = zero
};

Value tangent_of(LinearizeContext& context, const OpView& op, BodyKind kind, const ScatterParts& p) {
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const bool sorted = is_sorted_hint(op), unique = is_unique(op);
  const Type type = primal.type(p.x), block = primal.type(p.updates);
  const auto or_zero = [&](Value v, Type t) { return v ? v : primal.zeros(t); };
  const auto scatter_add = [&](Value x, Value updates) {
    return emit_scatter(linear, dims, or_zero(x, type), p.indices, or_zero(updates, block), BodyKind::kAdd, sorted,
                        unique);
  };
  switch (kind) {
    case BodyKind::kAdd: return scatter_add(p.x_tangent, p.updates_tangent);
    case BodyKind::kSecond: {
      if (unique) {
        return emit_scatter(linear, dims, or_zero(p.x_tangent, type), p.indices, or_zero(p.updates_tangent, block),
                            kind, sorted, unique);
      }
      // Several updates may meet at one element: scatter their numbers in the same way, and let only those that won through.
      const int64_t count = block.num_elements();
      const ElementType element = count < INT32_MAX ? ElementType::kI32 : ElementType::kI64;
      const Type numbers = block.with_element(element);
      const Value line = primal.iota(Type::tensor(element, {count}), 0);
      const Value number = primal.add(primal.reshape(line, block.shape()), primal.splat(numbers, 1));
      const Value winner =
          emit_scatter(primal, dims, primal.zeros(type.with_element(element)), p.indices, number, kind, sorted, unique);
      Value x_tangent, updates_tangent;
      if (p.x_tangent) {
        const Value untouched = primal.compare(winner, primal.zeros(type.with_element(element)), "EQ");
        x_tangent = linear.select(untouched, p.x_tangent, primal.zeros(type));
      }
      if (!p.updates_tangent) return x_tangent;
      const Value won =
          primal.compare(gather_or_zero(primal, dims, winner, p.indices, block.shape(), sorted), number, "EQ");
      updates_tangent = linear.select(won, p.updates_tangent, primal.zeros(block));
      return scatter_add(x_tangent, updates_tangent);
    }
    case BodyKind::kMultiply: {
      Value out;
      if (p.x_tangent) {
        const Value factor =
            emit_scatter(primal, dims, primal.splat(type, 1), p.indices, p.updates, kind, sorted, unique);
        out = linear.multiply(p.x_tangent, factor);
      }
      if (!p.updates_tangent) return out;
      if (!unique)
        refuse_body(op, "derivative",
                    "with respect to updates that are multiplied in, indices must be unique (unique_indices = true)");
      const Value old = gather_or_zero(primal, dims, p.x, p.indices, block.shape(), sorted);
      return scatter_add(out, linear.multiply(p.updates_tangent, old));
    }
    case BodyKind::kMaximum:
    case BodyKind::kMinimum: {
      // The candidates that equal the result share its tangent equally.
      const ElementType element = type.element_type();
      const Value x_hit = primal.convert(primal.compare(p.x, p.result, "EQ"), element);
      const Value seen = gather_or_zero(primal, dims, p.result, p.indices, block.shape(), sorted);
      const Value hit = primal.convert(primal.compare(p.updates, seen, "EQ"), element);
      const Value count = emit_scatter(primal, dims, x_hit, p.indices, hit, BodyKind::kAdd, sorted, unique);
      const Value x_tangent = p.x_tangent ? linear.multiply(p.x_tangent, x_hit) : Value{};
      const Value sum = p.updates_tangent ? scatter_add(x_tangent, linear.multiply(p.updates_tangent, hit)) : x_tangent;
      return linear.divide(sum, count);
    }
    default: throw InternalError("[stablehlo.scatter] a body without a rule");
  }
}

/// Where no two updates meet: what stands there is read, the body works on whole arrays, and its results overwrite.
std::vector<Value> scatter_by_gather(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const size_t n = op.num_results();
  const Value indices = operands[n];
  std::vector<Value> xs, given(2 * n);
  for (size_t i = 0; i < n; ++i) {
    const ElementType e = op.result_type(i).element_type();
    const Value updates = b.convert(operands[n + 1 + i], e);
    xs.push_back(b.convert(operands[i], e));
    given[i] = gather_or_zero(b, dims, xs[i], indices, b.type(updates).shape(), is_sorted_hint(op));
    given[n + i] = updates;
  }
  std::vector<Value> out = body_on_arrays(b, op.function, op.region(0), given, b.type(given[0]).shape());
  for (size_t i = 0; i < n; ++i)
    out[i] = emit_scatter(b, dims, xs[i], indices, out[i], BodyKind::kSecond, is_sorted_hint(op), true);
  return out;
}

}  // namespace

Linearized linearize_scatter(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                             std::span<const Value> tangents) {
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const size_t n = op.num_results();
  Linearized out;
  out.results = context.clone_primal(op, primals);
  const std::vector<BodyResult> body = classify_results(op.function, op.region(0));
  for (size_t i = 0; i < n; ++i) {
    if ((!tangents[i] && !tangents[n + 1 + i]) || !is_differentiable(op.result_type(i))) continue;
    if (!has_no_rule(body[i].kind) || body[i].kind == BodyKind::kSecond) continue;
    if (!is_unique(op)) {
      refuse_body(
          op, "derivative",
          "the body is neither add, multiply, maximum, minimum nor an overwrite; with any other, indices must be "
          "unique (unique_indices = true)");
    }
    expect_foldable(op, "derivative");
    out.tangents = expansion_detail::linearize(scatter_by_gather, context, op, primals, tangents).tangents;
    return out;
  }
  for (size_t i = 0; i < n; ++i) {
    const Value x_tangent = tangents[i], updates_tangent = tangents[n + 1 + i];
    const Type result = op.result_type(i);
    if ((!x_tangent && !updates_tangent) || !is_differentiable(result)) {
      out.tangents.push_back({});
      continue;
    }
    const ElementType e = result.element_type();
    const ScatterParts parts{promoted(primal, primals[i], e),         primals[n],
                             promoted(primal, primals[n + 1 + i], e), out.results[i],
                             promoted(linear, x_tangent, e),          promoted(linear, updates_tangent, e)};
    out.tangents.push_back(tangent_of(context, op, body[i].kind, parts));
  }
  return out;
}

std::vector<Value> transpose_scatter(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const BodyKind kind = classify_body(op.function, op.region(0));
  const bool unique = is_unique(op), sorted = is_sorted_hint(op);
  // Linearization leaves only sums and unique overwrites of one operand on the tape.
  if (op.num_results() != 1 || (kind != BodyKind::kAdd && !(kind == BodyKind::kSecond && unique))) {
    refuse_body(op, "transposition", "only sums and overwrites at unique indices are linear");
  }
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const Value indices = op.operand(1);
  const Type block = op.operand_type(2);
  std::vector<Value> out(3);
  if (context.is_linear(0)) {
    out[0] = kind == BodyKind::kAdd
                 ? cotangents[0]
                 : emit_scatter(b, dims, cotangents[0], indices, b.zeros(block), kind, sorted, unique);
  }
  if (context.is_linear(2)) out[2] = gather_or_zero(b, dims, cotangents[0], indices, block.shape(), sorted);
  return out;
}

// ---- lanes ----------------------------------------------------------------------------------------------------------------

std::vector<LaneValue> vectorize_scatter(VectorizeContext& context, const OpView& op,
                                         std::span<const LaneValue> operands) {
  const size_t n = op.num_results();
  const bool indices_vary = operands[n].varies;
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs()).over_lanes(true, indices_vary);
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i)
    values.push_back(i == n ? operands[i].value : over_lanes(context, operands[i]));
  const RegionId body = copy_uniform_body(context, op, op.region(0));
  const Attrs attrs = dims.scatter_attrs(is_sorted_hint(op) && !indices_vary, is_unique(op));
  std::vector<LaneValue> out;
  for (Value v : context.builder().create("stablehlo.scatter", values, attrs, {}, std::span(&body, 1)))
    out.push_back({v, true});
  return out;
}

// ---- the rest ---------------------------------------------------------------------------------------------------------------

std::vector<Alias> alias_scatter(const OpView& op) {
  std::vector<Alias> out;
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (op.operand_type(i) == op.result_type(i)) out.push_back({i, i, AliasKind::kInPlace});
  }
  return out;
}

Cost cost_scatter(const OpView& op) {
  Cost cost;
  const size_t n = op.num_results();
  cost.bytes = bytes_of(op.operand_type(n));
  for (size_t i = 0; i < n; ++i) {
    const Type updates = op.operand_type(n + 1 + i);
    cost.bytes += 3 * bytes_of(updates);
    if (updates.is_static()) cost.flops += static_cast<double>(updates.num_elements());
  }
  return cost;
}

std::vector<Sample> samples_scatter() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> x, ElementType index,
                       std::vector<int64_t> indices, std::vector<int64_t> updates, IndexedDims dims, BodyKind body,
                       Domain domain = {}) {
    out.push_back({std::move(label),
                   {{Type::tensor(e, x), domain},
                    {Type::tensor(index, indices), {is_unsigned_integer(index) ? 0.0 : -2.0, 5}},
                    {Type::tensor(e, updates), domain}},
                   [dims, body](OpBuilder& b, std::span<const Value> v) {
                     return std::vector{emit_scatter(b, dims, v[0], v[1], v[2], body, false, false)};
                   },
                   is_float(e)});
  };
  // Indices that are unique, one of them outside.
  const auto add_unique = [&](std::string label, BodyKind body) {
    out.push_back({std::move(label),
                   {{Type::tensor(ElementType::kF64, {5, 2}), {}}, {Type::tensor(ElementType::kF64, {4, 2}), {}}},
                   [body](OpBuilder& b, std::span<const Value> v) {
                     const Value indices = b.constant(Literal::dense(Tensor::of<int32_t>({3, 0, 7, 1}, {4, 1})));
                     return std::vector{
                         emit_scatter(b, {{1}, {0}, {}, {}, {0}, 1}, v[0], indices, v[1], body, false, true)};
                   }});
  };
  const IndexedDims rows{{1}, {0}, {}, {}, {0}, 1}, points{{}, {0, 1}, {}, {}, {1, 0}, 2},
      windows{{0, 2}, {}, {}, {}, {0, 1}, 1}, batched{{2}, {1}, {0}, {1}, {1}, 2},
      between{{}, {1}, {0, 2}, {2, 0}, {1}, 1};
  const Domain smooth{-2, 2, true, false};
  add("add_rows", ElementType::kF64, {4, 3}, ElementType::kI32, {5, 1}, {5, 3}, rows, BodyKind::kAdd);
  add("add_part_of_rows", ElementType::kF64, {4, 3}, ElementType::kI32, {5, 1}, {5, 2}, rows, BodyKind::kAdd);
  add("add_without_vector", ElementType::kF32, {4, 3}, ElementType::kI64, {5}, {5, 3}, rows, BodyKind::kAdd);
  add("add_points", ElementType::kF64, {4, 3}, ElementType::kI32, {2, 3, 2}, {2, 3}, points, BodyKind::kAdd);
  add("add_windows", ElementType::kF64, {5, 4}, ElementType::kI32, {3, 2}, {2, 3, 3}, windows, BodyKind::kAdd);
  add("add_batched", ElementType::kF64, {2, 4, 3}, ElementType::kI32, {5, 2, 1}, {5, 2, 3}, batched, BodyKind::kAdd);
  add("add_batched_vector_between", ElementType::kF64, {3, 4, 2}, ElementType::kI32, {2, 1, 3}, {2, 3}, between,
      BodyKind::kAdd);
  add("add_one_slice", ElementType::kF64, {4, 3}, ElementType::kI32, {2}, {2, 2}, {{0, 1}, {}, {}, {}, {0, 1}, 0},
      BodyKind::kAdd);
  add("add_narrow_indices", ElementType::kF32, {200}, ElementType::kI8, {3, 1}, {3}, {{}, {0}, {}, {}, {0}, 1},
      BodyKind::kAdd);
  add("add_unsigned", ElementType::kF32, {4}, ElementType::kU8, {3, 1}, {3}, {{}, {0}, {}, {}, {0}, 1}, BodyKind::kAdd);
  add("add_nothing", ElementType::kF32, {4}, ElementType::kI32, {0, 1}, {0}, {{}, {0}, {}, {}, {0}, 1}, BodyKind::kAdd);
  add("add_i32", ElementType::kI32, {4, 3}, ElementType::kI32, {5, 1}, {5, 3}, rows, BodyKind::kAdd);
  add("overwrite_rows", ElementType::kF64, {4, 3}, ElementType::kI32, {3, 1}, {3, 3}, rows, BodyKind::kSecond);
  add("overwrite_windows", ElementType::kF64, {5, 4}, ElementType::kI32, {3, 2}, {2, 3, 3}, windows, BodyKind::kSecond);
  add("maximum_points", ElementType::kF64, {4, 3}, ElementType::kI32, {2, 3, 2}, {2, 3}, points, BodyKind::kMaximum,
      smooth);
  add("minimum_windows", ElementType::kF64, {5, 4}, ElementType::kI32, {3, 2}, {2, 3, 3}, windows, BodyKind::kMinimum,
      smooth);
  add("multiply_i32", ElementType::kI32, {4, 3}, ElementType::kI32, {5, 1}, {5, 3}, rows, BodyKind::kMultiply);
  add_unique("multiply_unique", BodyKind::kMultiply);
  add_unique("overwrite_unique", BodyKind::kSecond);
  add_unique("add_unique", BodyKind::kAdd);
  // A body of several ops: x·u + sin u.
  out.push_back({"body_unique",
                 {{Type::tensor(ElementType::kF64, {5, 2}), {}}, {Type::tensor(ElementType::kF64, {4, 2}), {}}},
                 [](OpBuilder& b, std::span<const Value> v) {
                   const Type one = Type::scalar(b.type(v[0]).element_type());
                   const Type types[] = {one, one};
                   const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
                     const Val x{&r, a[0]}, u{&r, a[1]};
                     return std::vector{(x * u + u.unary("stablehlo.sine")).value};
                   });
                   const Value indices = b.constant(Literal::dense(Tensor::of<int32_t>({3, 0, 7, 1}, {4, 1})));
                   const Value operands[] = {v[0], indices, v[1]};
                   const IndexedDims dims{{1}, {0}, {}, {}, {0}, 1};
                   return b.create("stablehlo.scatter", operands, dims.scatter_attrs(false, true), {},
                                   std::span(&body, 1));
                 }});
  return out;
}

}  // namespace weft
