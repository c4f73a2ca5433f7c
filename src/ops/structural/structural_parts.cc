// slice, pad and concatenate: parts of arrays taken and put together.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "ops/families_list.h"
#include "ops/indexing/index_space.h"
#include "ops/structural/extents.h"
#include "ops/structural/structural.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

void expect_size(const TypeContext& context, std::string_view label, std::string_view name, const Ints& values,
                 int64_t rank) {
  if (static_cast<int64_t>(values.size()) == rank) return;
  context.fail(label, std::string(name) + ": got " + format_list(values) + ", expected " + std::to_string(rank) +
                          " values, one for each dimension");
}

// ---- slice ------------------------------------------------------------------------------------------------------------------

int64_t slice_extent(int64_t start, int64_t limit, int64_t stride) {
  return limit == start ? 0 : (limit - start - 1) / stride + 1;
}

std::vector<Type> type_slice(const TypeContext& context) {
  context.expect_operands(1);
  expect_tensor_operand(context, 0);
  const Type x = context.operands[0];
  const Ints &start = context.attrs.ints("start_indices"), &limit = context.attrs.ints("limit_indices"),
             &strides = context.attrs.ints("strides");
  expect_size(context, "slice_c2", "start_indices", start, x.rank());
  expect_size(context, "slice_c2", "limit_indices", limit, x.rank());
  expect_size(context, "slice_c2", "strides", strides, x.rank());
  Ints shape;
  for (size_t i = 0; i < start.size(); ++i) {
    const int64_t extent = extent_of(x, static_cast<int64_t>(i)).largest();
    if (start[i] < 0 || start[i] > limit[i] || (extent != kDynamic && limit[i] > extent)) {
      context.fail("slice_c3", "range of dimension " + std::to_string(i) + ": got [" + std::to_string(start[i]) + ", " +
                                   std::to_string(limit[i]) + "), expected 0 <= start <= limit <= " +
                                   (extent == kDynamic ? "extent" : std::to_string(extent)));
    }
    if (strides[i] <= 0)
      context.fail("slice_c4", "strides: got " + format_list(strides) + ", expected positive values");
    shape.push_back(slice_extent(start[i], limit[i], strides[i]));
  }
  return {x.with_shape(shape)};
}

std::vector<EvalValue> eval_slice(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const Ints &start = op.attrs().ints("start_indices"), &step = op.attrs().ints("strides");
  const Ints strides = strides_of(x.shape());
  const Type t = op.result_type();
  return {gather_elements(x, Shape(t.shape().begin(), t.shape().end()), [&](const Ints& index) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at += (start[i] + index[i] * step[i]) * strides[i];
    return at;
  })};
}

std::vector<Value> transpose_slice(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Ints &start = op.attrs().ints("start_indices"), &step = op.attrs().ints("strides");
  const Type x = op.operand_type(0), result = op.result_type();
  if (!x.is_static())
    throw Unsupported("[stablehlo.slice] transpose: the extents of " + x.str() + " are not known", op.loc());
  Ints high, interior;
  for (size_t i = 0; i < start.size(); ++i) {
    const int64_t n = result.shape()[i];
    interior.push_back(n > 1 ? step[i] - 1 : 0);
    high.push_back(x.shape()[i] - start[i] - (n == 0 ? 0 : (n - 1) * (interior[i] + 1) + 1));
  }
  return {b.pad(cotangents[0], b.scalar(x.element_type(), 0), start, high, interior)};
}

std::vector<LaneValue> vectorize_slice(VectorizeContext& context, const OpView& op,
                                       std::span<const LaneValue> operands) {
  const Attrs& a = op.attrs();
  return {{context.builder().slice(operands[0].value, prepend(0, a.ints("start_indices")),
                                   prepend(context.lanes(), a.ints("limit_indices")), prepend(1, a.ints("strides"))),
           true}};
}

std::vector<Value> simplify_slice(SimplifyContext& context, const OpView& op) {
  if (op.operand_type(0) == op.result_type() && op.result_type().is_static()) return {op.operand(0)};
  if (auto splat = resized_splat(context, op)) return *splat;
  if (const Value x = operand_of_same_op(op)) {
    const Attrs &outer = op.attrs(), &inner = op.function.attrs(op.function.defining_op(op.operand(0)));
    const Type result = op.result_type();
    Ints start, limit, strides;
    for (size_t i = 0; i < result.shape().size(); ++i) {
      const int64_t step = inner.ints("strides")[i], n = result.shape()[i];
      start.push_back(inner.ints("start_indices")[i] + outer.ints("start_indices")[i] * step);
      if (n > 1 && __builtin_mul_overflow(step, outer.ints("strides")[i], &strides.emplace_back())) return {};
      if (n <= 1) strides.push_back(1);
      limit.push_back(n == 0 ? start[i] : start[i] + (n - 1) * strides[i] + 1);
    }
    // An empty slice may start at or past the end after composition.
    if (op.result_type().num_elements() > 0) return {context.builder().slice(x, start, limit, strides)};
  }
  return fold_constants(context, op);
}

std::vector<Sample> samples_slice() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type x, Ints start, Ints limit, Ints strides) {
    out.push_back(structural_sample(std::move(label), x,
                                    [=](OpBuilder& b, Value v) { return b.slice(v, start, limit, strides); }));
  };
  add("rows", Type::tensor(kF64, {4, 3}), {1, 0}, {3, 3}, {1, 1});
  add("strided", Type::tensor(kF64, {7, 5}), {1, 0}, {7, 5}, {3, 2});
  add("stride past the end", Type::tensor(kF32, {5}), {2}, {5}, {4});
  add("huge stride", Type::tensor(kF64, {5}), {1}, {4}, {INT64_MAX});
  add("i32", Type::tensor(kI32, {6}), {0}, {6}, {2});
  add("empty range", Type::tensor(kF64, {4, 2}), {2, 0}, {2, 2}, {1, 1});
  add("of no elements", Type::tensor(kF64, {0, 3}), {0, 1}, {0, 2}, {1, 1});
  return out;
}

// ---- pad --------------------------------------------------------------------------------------------------------------------

std::vector<Type> type_pad(const TypeContext& context) {
  context.expect_operands(2);
  expect_tensor_operand(context, 0);
  const Type x = context.operands[0], value = context.operands[1];
  if (!value.is_scalar() || value.element_type() != x.element_type()) {
    context.fail("pad_c1", "type of the padding value: got " + value.str() + ", expected " +
                               Type::scalar(x.element_type()).str());
  }
  const Ints &low = context.attrs.ints("edge_padding_low"), &high = context.attrs.ints("edge_padding_high"),
             &interior = context.attrs.ints("interior_padding");
  expect_size(context, "pad_c2", "edge_padding_low", low, x.rank());
  expect_size(context, "pad_c2", "edge_padding_high", high, x.rank());
  expect_size(context, "pad_c2", "interior_padding", interior, x.rank());
  std::vector<Extent> extents;
  for (size_t i = 0; i < low.size(); ++i) {
    if (interior[i] < 0)
      context.fail("pad_c3", "interior_padding: got " + format_list(interior) + ", expected no negative value");
    const Extent from = extent_of(x, static_cast<int64_t>(i));
    const int64_t n = from.largest();
    if (n == kDynamic) {
      extents.emplace_back();
      continue;
    }
    int64_t extent = 0;
    const bool overflow = __builtin_mul_overflow(std::max<int64_t>(n - 1, 0), interior[i], &extent) ||
                          __builtin_add_overflow(extent, n, &extent) ||
                          __builtin_add_overflow(extent, low[i], &extent) ||
                          __builtin_add_overflow(extent, high[i], &extent);
    if (overflow || extent < 0) {
      context.fail("pad_c4", std::string(from.is_static() ? "extent" : "bound") + " of result dimension " +
                                 std::to_string(i) + ": got " + (overflow ? "more than 2^63" : std::to_string(extent)) +
                                 ", expected at least 0");
    }
    extents.push_back(from.is_static() ? Extent{extent, kDynamic} : Extent{kDynamic, extent});
  }
  return {with_extents(x, extents)};
}

std::vector<EvalValue> eval_pad(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor &x = operands[0].tensor, &value = operands[1].tensor;
  const Ints &low = op.attrs().ints("edge_padding_low"), &interior = op.attrs().ints("interior_padding");
  const Type t = op.result_type();
  Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  const size_t bytes = byte_size(t.element_type());
  const Ints strides = strides_of(x.shape());
  auto* to = static_cast<std::byte*>(out.raw());
  for_each_index(out.shape(), [&](const Ints& index) {
    int64_t at = 0;
    bool inside = true;
    for (size_t i = 0; i < index.size() && inside; ++i) {
      const int64_t shifted = index[i] - low[i];
      const int64_t position = shifted < 0                   ? -1
                               : interior[i] == INT64_MAX    ? (shifted == 0 ? 0 : -1)
                               : shifted % (interior[i] + 1) ? -1
                                                             : shifted / (interior[i] + 1);
      inside = position >= 0 && position < x.shape()[i];
      at += inside ? position * strides[i] : 0;
    }
    std::memcpy(to,
                inside ? static_cast<const std::byte*>(x.raw()) + static_cast<size_t>(at) * bytes
                       : static_cast<const std::byte*>(value.raw()),
                bytes);
    to += bytes;
  });
  return {out};
}

Ints negated(std::span<const int64_t> v) {
  Ints out;
  for (int64_t x : v) out.push_back(-x);
  return out;
}

/// i1 of the result's shape: true where the padding value shows. `shape` and paddings may carry a lane axis.
Value padding_mask(OpBuilder& b, std::span<const int64_t> operand_shape, const Ints& low, const Ints& high,
                   const Ints& interior) {
  const Value inside = b.splat(Type::tensor(ElementType::kI1, operand_shape), 0);
  return b.pad(inside, b.scalar(ElementType::kI1, 1), low, high, interior);
}

std::vector<Value> transpose_pad(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Ints &low = op.attrs().ints("edge_padding_low"), &high = op.attrs().ints("edge_padding_high"),
             &interior = op.attrs().ints("interior_padding");
  const Type x = op.operand_type(0), result = op.result_type();
  Value of_operand, of_value;
  const Value zero = b.scalar(x.element_type(), 0);
  if (context.is_linear(0)) {
    // Taking the edges off is padding by their negatives; the interior then goes by strides.
    const Value inner = b.pad(cotangents[0], zero, negated(low), negated(high));
    Ints strides;
    for (int64_t i : interior) strides.push_back(i == INT64_MAX ? i : i + 1);
    of_operand = b.slice(inner, Ints(low.size(), 0), b.type(inner).shape(), strides);
  }
  if (context.is_linear(1)) {
    Ints all;
    for (int64_t i = 0; i < result.rank(); ++i) all.push_back(i);
    const Value shown = b.select(padding_mask(b, x.shape(), low, high, interior), cotangents[0], b.zeros(result));
    of_value = b.reduce(shown, all, "stablehlo.add");
  }
  return {of_operand, of_value};
}

std::vector<LaneValue> vectorize_pad(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const Ints low = prepend(0, op.attrs().ints("edge_padding_low")),
             high = prepend(0, op.attrs().ints("edge_padding_high")),
             interior = prepend(0, op.attrs().ints("interior_padding"));
  const Value x = lane_operand(context, operands[0]);
  if (!operands[1].varies) return {{b.pad(x, operands[1].value, low, high, interior), true}};
  const Value padded = b.pad(x, b.scalar(op.result_type().element_type(), 0), low, high, interior);
  const Type t = b.type(padded);
  const Value mask = padding_mask(b, b.type(x).shape(), low, high, interior);
  return {{b.select(mask, b.broadcast_in_dim(operands[1].value, std::array<int64_t, 1>{0}, t.shape()), padded), true}};
}

std::vector<Value> simplify_pad(SimplifyContext& context, const OpView& op) {
  const auto all_zero = [&](std::string_view name) {
    return std::ranges::all_of(op.attrs().ints(name), [](int64_t v) { return v == 0; });
  };
  if (all_zero("edge_padding_low") && all_zero("edge_padding_high") && all_zero("interior_padding"))
    return {op.operand(0)};
  const Literal *x = context.constant(op.operand(0)), *value = context.constant(op.operand(1));
  const bool same_element =
      x != nullptr && value != nullptr && x->elements.size() == 1 &&
      std::memcmp(x->elements.raw(), value->elements.raw(), byte_size(x->type.element_type())) == 0;
  if (same_element && op.result_type().is_static()) return *resized_splat(context, op);
  return fold_constants(context, op);
}

std::vector<Sample> samples_pad() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type x, Ints low, Ints high, Ints interior) {
    Sample s;
    s.label = std::move(label);
    s.operands = {{x, Domain{}}, {Type::scalar(x.element_type()), Domain{}}};
    s.emit = [=](OpBuilder& b, std::span<const Value> v) {
      // Not b.pad, which leaves out a pad by nothing.
      return b.create("stablehlo.pad", v,
                      {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
    };
    s.differentiable = is_float(x.element_type());
    out.push_back(std::move(s));
  };
  add("edges", Type::tensor(kF64, {2, 3}), {1, 0}, {0, 2}, {0, 0});
  add("interior", Type::tensor(kF64, {3, 2}), {0, 1}, {1, 0}, {2, 1});
  add("negative edges", Type::tensor(kF64, {5, 4}), {-1, -2}, {-2, 1}, {0, 0});
  add("negative edges cut the interior", Type::tensor(kF64, {3}), {-1}, {-2}, {2});
  add("nothing left", Type::tensor(kF64, {2}), {-1}, {-1}, {0});
  add("all cut, then padded", Type::tensor(kF64, {2}), {-2}, {3}, {0});
  add("of no elements", Type::tensor(kF64, {0, 2}), {1, 0}, {1, 0}, {3, 0});
  add("rank 0", Type::scalar(kF64), {}, {}, {});
  add("f32", Type::tensor(kF32, {2}), {1}, {1}, {1});
  add("i8", Type::tensor(kI8, {2}), {1}, {1}, {1});
  return out;
}

// ---- concatenate ------------------------------------------------------------------------------------------------------------

std::vector<Type> type_concatenate(const TypeContext& context) {
  if (context.operands.empty()) context.fail("concatenate_c3", "number of operands: got 0, expected at least 1");
  expect_tensor_operand(context, 0);
  const Type first = context.operands[0];
  const int64_t dimension = context.attrs.integer("dimension");
  if (dimension < 0 || dimension >= first.rank()) {
    context.fail("concatenate_c4",
                 "dimension: got " + std::to_string(dimension) + ", expected a dimension of " + first.str());
  }
  std::vector<Extent> extents = extents_of(first);
  Extent& total = extents[static_cast<size_t>(dimension)];
  total = {0, kDynamic};
  for (size_t i = 0; i < context.operands.size(); ++i) {
    expect_tensor_operand(context, i);
    const Type t = context.operands[i];
    if (t.element_type() != first.element_type()) {
      context.fail("concatenate_c1", "element type of operand " + std::to_string(i) + ": got " + t.str() +
                                         ", expected that of operand 0, " + first.str());
    }
    bool fits = t.rank() == first.rank();
    for (int64_t d = 0; fits && d < t.rank(); ++d) {
      if (d == dimension) continue;
      Extent& known = extents[static_cast<size_t>(d)];
      fits = is_compatible(known, extent_of(t, d));
      known = most_specific(known, extent_of(t, d));
    }
    if (!fits) {
      context.fail("concatenate_c2", "shape of operand " + std::to_string(i) + ": got " + t.str() +
                                         ", expected that of operand 0, " + first.str() + ", except in dimension " +
                                         std::to_string(dimension));
    }
    const std::optional<Extent> longer = sum(total, extent_of(t, dimension));
    if (!longer)
      context.fail("concatenate_c6", "extent of the result: got more than 2^63, expected a number that fits");
    total = *longer;
  }
  return {with_extents(first, extents)};
}

std::vector<EvalValue> eval_concatenate(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const size_t dimension = static_cast<size_t>(op.attrs().integer("dimension"));
  Shape shape = operands[0].tensor.shape();
  for (size_t i = 1; i < operands.size(); ++i) shape[dimension] += operands[i].tensor.shape()[dimension];
  const ElementType type = operands[0].tensor.element_type();
  Tensor out(type, shape);
  size_t rows = 1, inner = byte_size(type);
  for (size_t i = 0; i < shape.size(); ++i)
    (i < dimension ? rows : inner) *= i == dimension ? 1 : static_cast<size_t>(shape[i]);
  auto* to = static_cast<std::byte*>(out.raw());
  for (size_t row = 0; row < rows; ++row) {
    for (const EvalValue& v : operands) {
      const size_t bytes = static_cast<size_t>(v.tensor.shape()[dimension]) * inner;
      if (bytes != 0) std::memcpy(to, static_cast<const std::byte*>(v.tensor.raw()) + row * bytes, bytes);
      to += bytes;
    }
  }
  return {out};
}

std::vector<Value> transpose_concatenate(TransposeContext& context, const OpView& op,
                                         std::span<const Value> cotangents) {
  const size_t dimension = static_cast<size_t>(op.attrs().integer("dimension"));
  const Type result = op.result_type();
  Ints start(result.shape().size(), 0), limit(result.shape().begin(), result.shape().end());
  std::vector<Value> out;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    limit[dimension] = start[dimension] + op.operand_type(i).shape()[dimension];
    out.push_back(context.is_linear(i) ? context.builder().slice(cotangents[0], start, limit) : Value{});
    start[dimension] = limit[dimension];
  }
  return out;
}

std::vector<LaneValue> vectorize_concatenate(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(lane_operand(context, v));
  return {{context.builder().concatenate(values, op.attrs().integer("dimension") + 1), true}};
}

std::vector<Value> simplify_concatenate(SimplifyContext& context, const OpView& op) {
  const int64_t dimension = op.attrs().integer("dimension");
  std::vector<Value> kept;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (op.operand_type(i).dim(dimension) != 0) kept.push_back(op.operand(i));
  }
  if (kept.size() == 1 && op.function.type(kept[0]) == op.result_type()) return kept;
  if (op.num_operands() == 1) return {op.operand(0)};
  if (!kept.empty() && kept.size() < op.num_operands()) return {context.builder().concatenate(kept, dimension)};
  return fold_constants(context, op);
}

std::vector<Sample> samples_concatenate() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, std::vector<Type> types, int64_t dimension) {
    Sample s;
    s.label = std::move(label);
    for (Type t : types) s.operands.push_back({t, Domain{}});
    s.emit = [=](OpBuilder& b, std::span<const Value> v) {
      return b.create("stablehlo.concatenate", v, {{"dimension", dimension}});
    };
    s.differentiable = is_float(types[0].element_type());
    out.push_back(std::move(s));
  };
  add("rows", {Type::tensor(kF64, {2, 3}), Type::tensor(kF64, {1, 3})}, 0);
  add("columns", {Type::tensor(kF64, {2, 1}), Type::tensor(kF64, {2, 3}), Type::tensor(kF64, {2, 2})}, 1);
  add("one operand", {Type::tensor(kF32, {2, 2})}, 0);
  add("i1", {Type::tensor(kI1, {2}), Type::tensor(kI1, {3})}, 0);
  add("with an empty part", {Type::tensor(kF64, {2, 0}), Type::tensor(kF64, {2, 3})}, 1);
  add("no elements", {Type::tensor(kF64, {0, 2}), Type::tensor(kF64, {0, 3})}, 1);
  return out;
}

// ---- the table --------------------------------------------------------------------------------------------------------------

const OpRecord kRecords[] = {
    structural_record(
        "stablehlo.slice", "Elements start, start + stride, … below limit along each dimension.",
        {{"start_indices", AttrKind::kInts}, {"limit_indices", AttrKind::kInts}, {"strides", AttrKind::kInts}},
        {.type = type_slice,
         .eval = eval_slice,
         .transpose = transpose_slice,
         .vectorize = vectorize_slice,
         .simplify = simplify_slice,
         .aliases = alias_none,
         .samples = samples_slice}),
    structural_record("stablehlo.pad",
                      "Elements put between (interior_padding) and around (edge_padding_low, edge_padding_high); "
                      "negative edges cut off.",
                      {{"edge_padding_low", AttrKind::kInts},
                       {"edge_padding_high", AttrKind::kInts},
                       {"interior_padding", AttrKind::kInts}},
                      {.type = type_pad,
                       .eval = eval_pad,
                       .transpose = transpose_pad,
                       .vectorize = vectorize_pad,
                       .simplify = simplify_pad,
                       .aliases = alias_none,
                       .samples = samples_pad}),
    structural_record("stablehlo.concatenate", "The operands one after the other along `dimension`.",
                      {{"dimension", AttrKind::kInt}},
                      {.type = type_concatenate,
                       .eval = eval_concatenate,
                       .transpose = transpose_concatenate,
                       .vectorize = vectorize_concatenate,
                       .simplify = simplify_concatenate,
                       .aliases = alias_none,
                       .samples = samples_concatenate}),
};

}  // namespace

Family structural_parts_ops() { return kRecords; }

}  // namespace weft
