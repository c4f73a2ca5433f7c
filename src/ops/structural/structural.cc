// Ops that move elements without computing: broadcast_in_dim, reshape, transpose, reverse. slice, pad and concatenate stand in
// structural_parts.cc.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "ops/families_list.h"
#include "ops/indexing/index_space.h"
#include "ops/structural/extents.h"
#include "ops/structural/structural.h"

namespace weft {

using Ints = std::vector<int64_t>;

Ints with_lane_axis(std::span<const int64_t> axes) {
  Ints out = {0};
  for (int64_t a : axes) out.push_back(a + 1);
  return out;
}

Ints prepend(int64_t first, std::span<const int64_t> rest) {
  Ints out = {first};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

Value lane_operand(VectorizeContext& context, const LaneValue& v) { return v.varies ? v.value : context.broadcast(v); }

Value operand_of_same_op(const OpView& op) {
  const OpId inner = op.function.defining_op(op.operand(0));
  return inner && &op.function.def(inner) == &op.def() ? op.function.operand(inner, 0) : Value{};
}

std::optional<std::vector<Value>> resized_splat(SimplifyContext& context, const OpView& op) {
  const Literal* literal = context.constant(op.operand(0));
  const Type t = op.result_type();
  if (literal == nullptr || !t.is_static() || literal->elements.size() != 1) return std::nullopt;
  return std::vector<Value>{
      context.builder().constant(Literal::splat_of(t, Tensor(t.element_type(), {}, literal->elements.buffer())))};
}

void expect_tensor_operand(const TypeContext& context, size_t i) {
  if (!context.operands[i].is_tensor()) {
    context.fail("",
                 "type of operand " + std::to_string(i) + ": got " + context.operands[i].str() + ", expected a tensor");
  }
}

Sample structural_sample(std::string label, Type operand, std::function<Value(OpBuilder&, Value)> emit) {
  return {std::move(label),
          {{operand, Domain{}}},
          [emit](OpBuilder& b, std::span<const Value> x) { return std::vector<Value>{emit(b, x[0])}; },
          is_float(operand.element_type())};
}

namespace {

std::string range_text(int64_t rank) { return "[0, " + std::to_string(rank) + ")"; }

void expect_unique_axes(const TypeContext& context, std::string_view unique_label, std::string_view range_label,
                        std::string_view name, std::span<const int64_t> axes, int64_t rank) {
  for (int64_t a : axes) {
    if (a < 0 || a >= rank)
      context.fail(range_label,
                   std::string(name) + ": got " + format_list(axes) + ", expected values in " + range_text(rank));
  }
  Ints sorted(axes.begin(), axes.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    context.fail(unique_label, std::string(name) + ": got " + format_list(axes) + ", expected no value twice");
  }
}

/// The ops say their results' extents in the type alone: at most one may be open, and that one only up to a bound.
void expect_said_extents(const TypeContext& context, std::string_view label, Type result) {
  if (is_static_or_single_bounded(result)) return;
  context.fail(label, "type of the result: got " + result.str() +
                          ", expected a tensor of known extents or of one unknown, bounded extent");
}

// ---- broadcast_in_dim -------------------------------------------------------------------------------------------------------

std::vector<Type> type_broadcast(const TypeContext& context) {
  context.expect_operands(1);
  expect_tensor_operand(context, 0);
  const Type x = context.operands[0], result = context.declared_result();
  if (!result.is_tensor() || result.element_type() != x.element_type()) {
    context.fail("broadcast_in_dim_c1",
                 "element type of the result: got " + result.str() + ", expected that of " + x.str());
  }
  expect_said_extents(context, "broadcast_in_dim_o1", result);
  const Ints& dimensions = context.attrs.ints("broadcast_dimensions");
  if (static_cast<int64_t>(dimensions.size()) != x.rank()) {
    context.fail("broadcast_in_dim_c2", "broadcast_dimensions: got " + format_list(dimensions) +
                                            ", expected one for each dimension of " + x.str());
  }
  expect_unique_axes(context, "broadcast_in_dim_c4", "broadcast_in_dim_c3", "broadcast_dimensions", dimensions,
                     result.rank());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Extent from = extent_of(x, static_cast<int64_t>(i)), to = extent_of(result, dimensions[i]);
    // A known extent must be said of the result, too.
    const bool is_open = from.is_static() && !to.is_static();
    if (from.size != 1 && (is_open || !is_compatible(from, to))) {
      context.fail("broadcast_in_dim_c5", "extent of result dimension " + std::to_string(dimensions[i]) + ": got " +
                                              describe(to) + ", expected " + describe(from) +
                                              ", that of operand dimension " + std::to_string(i));
    }
  }
  return {result};
}

std::vector<EvalValue> eval_broadcast(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const Ints& dimensions = op.attrs().ints("broadcast_dimensions");
  const Ints strides = strides_of(x.shape());
  const Type t = op.result_type();
  if (!t.is_static())
    throw Unsupported("[stablehlo.broadcast_in_dim] the extents of " + t.str() + " are not known", op.loc());
  return {gather_elements(x, Shape(t.shape().begin(), t.shape().end()), [&](const Ints& index) {
    int64_t at = 0;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (x.shape()[i] != 1) at += index[static_cast<size_t>(dimensions[i])] * strides[i];
    }
    return at;
  })};
}

/// The sum over all copies of each element.
std::vector<Value> transpose_broadcast(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Ints& dimensions = op.attrs().ints("broadcast_dimensions");
  const Type x = op.operand_type(0), result = op.result_type();
  std::vector<bool> is_summed(static_cast<size_t>(result.rank()), true);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    is_summed[static_cast<size_t>(d)] = x.shape()[i] == 1 && result.dim(d) != 1;
  }
  Ints summed, kept;  // kept: in the order of the operand's dimensions
  for (size_t d = 0; d < is_summed.size(); ++d) {
    if (is_summed[d]) summed.push_back(static_cast<int64_t>(d));
  }
  for (int64_t d : dimensions) {
    if (!is_summed[static_cast<size_t>(d)]) kept.push_back(d);
  }
  Value v = summed.empty() ? cotangents[0] : b.reduce(cotangents[0], summed, "stablehlo.add");
  Ints order(kept.begin(), kept.end());
  std::ranges::sort(order);
  Ints permutation;  // axis of the reduced value for each kept operand dimension
  for (int64_t d : kept) permutation.push_back(std::ranges::find(order, d) - order.begin());
  return {b.reshape(b.transpose(v, permutation), x.shape())};
}

std::vector<LaneValue> vectorize_broadcast(VectorizeContext& context, const OpView& op,
                                           std::span<const LaneValue> operands) {
  const Ints dimensions = with_lane_axis(op.attrs().ints("broadcast_dimensions"));
  return {{context.builder().broadcast_in_dim(operands[0].value, dimensions,
                                              with_lanes(op.result_type(), context.lanes()).shape()),
           true}};
}

std::vector<Value> simplify_broadcast(SimplifyContext& context, const OpView& op) {
  const Ints& dimensions = op.attrs().ints("broadcast_dimensions");
  if (op.operand_type(0) == op.result_type() && std::ranges::is_sorted(dimensions)) return {op.operand(0)};
  if (auto splat = resized_splat(context, op)) return *splat;
  if (const Value x = operand_of_same_op(op)) {
    Ints composed;
    for (int64_t d : op.function.attrs(op.function.defining_op(op.operand(0))).ints("broadcast_dimensions")) {
      composed.push_back(dimensions[static_cast<size_t>(d)]);
    }
    return {context.builder().broadcast_in_dim(x, composed, op.result_type().shape())};
  }
  return fold_constants(context, op);
}

std::vector<Sample> samples_broadcast() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type x, Ints dimensions, Ints shape) {
    out.push_back(structural_sample(std::move(label), x,
                                    [=](OpBuilder& b, Value v) { return b.broadcast_in_dim(v, dimensions, shape); }));
  };
  add("scalar", Type::scalar(kF32), {}, {2, 3});
  add("new leading axis", Type::tensor(kF64, {3}), {1}, {2, 3});
  add("new trailing axis", Type::tensor(kF64, {2}), {0}, {2, 3});
  add("stretched", Type::tensor(kF64, {2, 1}), {0, 1}, {2, 3});
  add("stretched and moved", Type::tensor(kF64, {1, 3}), {2, 0}, {3, 2, 4});
  add("axes swapped", Type::tensor(kF64, {2, 3}), {1, 0}, {3, 2});
  add("i1", Type::tensor(kI1, {2}), {0}, {2, 2});
  add("bf16", Type::tensor(kBF16, {2}), {1}, {3, 2});
  add("complex", Type::tensor(kC64, {2}), {1}, {3, 2});
  add("no elements", Type::tensor(kF64, {0}), {1}, {2, 0});
  add("to no elements", Type::tensor(kF64, {1}), {0}, {0});
  return out;
}

// ---- reshape ----------------------------------------------------------------------------------------------------------------

/// Product of extents, INT64_MAX when it does not fit.
int64_t saturated_count(Type t) {
  int64_t n = 1;
  for (int64_t d : t.shape()) {
    if (d == 0) return 0;
  }
  for (int64_t d : t.shape()) {
    if (__builtin_mul_overflow(n, d, &n)) return INT64_MAX;
  }
  return n;
}

std::vector<Type> type_reshape(const TypeContext& context) {
  context.expect_operands(1);
  expect_tensor_operand(context, 0);
  const Type x = context.operands[0], result = context.declared_result();
  if (!result.is_tensor() || result.element_type() != x.element_type()) {
    context.fail("reshape_c1", "element type of the result: got " + result.str() + ", expected that of " + x.str());
  }
  expect_said_extents(context, "reshape_o1", result);
  if (x.is_static() && result.is_static() && saturated_count(x) != saturated_count(result)) {
    context.fail("reshape_c2",
                 "number of elements of the result: got " + result.str() + ", expected as many as in " + x.str());
  }
  return {result};
}

std::vector<EvalValue> eval_reshape(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Type t = op.result_type();
  if (!t.is_static()) throw Unsupported("[stablehlo.reshape] the extents of " + t.str() + " are not known", op.loc());
  return {Tensor(t.element_type(), Shape(t.shape().begin(), t.shape().end()), operands[0].tensor.buffer())};
}

std::vector<Value> transpose_reshape(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  return {context.builder().reshape(cotangents[0], op.operand_type(0).shape())};
}

std::vector<LaneValue> vectorize_reshape(VectorizeContext& context, const OpView& op,
                                         std::span<const LaneValue> operands) {
  return {{context.builder().reshape(operands[0].value, with_lanes(op.result_type(), context.lanes()).shape()), true}};
}

std::vector<Value> simplify_reshape(SimplifyContext& context, const OpView& op) {
  const Type t = op.result_type();
  if (op.operand_type(0) == t) return {op.operand(0)};
  if (const Value x = operand_of_same_op(op)) return {context.builder().reshape(x, t.shape())};
  const Literal* literal = context.constant(op.operand(0));
  if (literal == nullptr || !t.is_static()) return {};
  if (literal->splat) return {context.builder().constant(Literal::splat_of(t, literal->elements))};
  return {context.builder().constant(
      Literal::dense(Tensor(t.element_type(), Shape(t.shape().begin(), t.shape().end()), literal->elements.buffer())))};
}

std::vector<Sample> samples_reshape() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type x, Ints shape) {
    out.push_back(structural_sample(std::move(label), x, [=](OpBuilder& b, Value v) { return b.reshape(v, shape); }));
  };
  add("flatten", Type::tensor(kF64, {2, 3}), {6});
  add("split", Type::tensor(kF32, {6}), {3, 1, 2});
  add("to scalar", Type::tensor(kF64, {1, 1}), {});
  add("from scalar", Type::scalar(kF64), {1, 1});
  add("i64", Type::tensor(kI64, {2, 2}), {4});
  add("no elements", Type::tensor(kF64, {2, 0}), {0, 5});
  return out;
}

// ---- transpose --------------------------------------------------------------------------------------------------------------

std::vector<Type> type_transpose(const TypeContext& context) {
  context.expect_operands(1);
  expect_tensor_operand(context, 0);
  const Type x = context.operands[0];
  const Ints& permutation = context.attrs.ints("permutation");
  if (static_cast<int64_t>(permutation.size()) != x.rank()) {
    context.fail("transpose_c2", "permutation: got " + format_list(permutation) +
                                     ", expected one value for each dimension of " + x.str());
  }
  expect_unique_axes(context, "transpose_c2", "transpose_c2", "permutation", permutation, x.rank());
  std::vector<Extent> extents;
  for (int64_t d : permutation) extents.push_back(extent_of(x, d));
  return {with_extents(x, extents)};
}

std::vector<EvalValue> eval_transpose(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const Ints& permutation = op.attrs().ints("permutation");
  const Ints strides = strides_of(x.shape());
  Shape shape;
  for (int64_t d : permutation) shape.push_back(x.shape()[static_cast<size_t>(d)]);
  return {gather_elements(x, shape, [&](const Ints& index) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at += index[i] * strides[static_cast<size_t>(permutation[i])];
    return at;
  })};
}

std::vector<Value> transpose_transpose(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  const Ints& permutation = op.attrs().ints("permutation");
  Ints inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return {context.builder().transpose(cotangents[0], inverse)};
}

std::vector<LaneValue> vectorize_transpose(VectorizeContext& context, const OpView& op,
                                           std::span<const LaneValue> operands) {
  return {{context.builder().transpose(operands[0].value, with_lane_axis(op.attrs().ints("permutation"))), true}};
}

std::vector<Value> simplify_transpose(SimplifyContext& context, const OpView& op) {
  const Ints& permutation = op.attrs().ints("permutation");
  if (std::ranges::is_sorted(permutation)) return {op.operand(0)};
  if (auto splat = resized_splat(context, op)) return *splat;
  if (const Value x = operand_of_same_op(op)) {
    const Ints& first = op.function.attrs(op.function.defining_op(op.operand(0))).ints("permutation");
    Ints composed;
    for (int64_t d : permutation) composed.push_back(first[static_cast<size_t>(d)]);
    return {context.builder().transpose(x, composed)};
  }
  return fold_constants(context, op);
}

std::vector<Sample> samples_transpose() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type x, Ints permutation) {
    out.push_back(
        structural_sample(std::move(label), x, [=](OpBuilder& b, Value v) { return b.transpose(v, permutation); }));
  };
  add("matrix", Type::tensor(kF64, {2, 3}), {1, 0});
  add("rotation", Type::tensor(kF32, {2, 3, 4}), {2, 0, 1});
  add("other rotation", Type::tensor(kF64, {2, 3, 4}), {1, 2, 0});
  add("ui8", Type::tensor(kU8, {2, 3}), {1, 0});
  add("no elements", Type::tensor(kF64, {2, 0}), {1, 0});
  return out;
}

// ---- reverse ----------------------------------------------------------------------------------------------------------------

std::vector<Type> type_reverse(const TypeContext& context) {
  context.expect_operands(1);
  expect_tensor_operand(context, 0);
  expect_unique_axes(context, "reverse_c2", "reverse_c3", "dimensions", context.attrs.ints("dimensions"),
                     context.operands[0].rank());
  return {context.operands[0]};
}

std::vector<EvalValue> eval_reverse(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const Ints strides = strides_of(x.shape());
  std::vector<bool> flipped(x.shape().size());
  for (int64_t d : op.attrs().ints("dimensions")) flipped[static_cast<size_t>(d)] = true;
  return {gather_elements(x, x.shape(), [&](const Ints& index) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at += (flipped[i] ? x.shape()[i] - 1 - index[i] : index[i]) * strides[i];
    return at;
  })};
}

std::vector<Value> transpose_reverse(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  return {context.builder().reverse(cotangents[0], op.attrs().ints("dimensions"))};
}

std::vector<LaneValue> vectorize_reverse(VectorizeContext& context, const OpView& op,
                                         std::span<const LaneValue> operands) {
  Ints dimensions;
  for (int64_t d : op.attrs().ints("dimensions")) dimensions.push_back(d + 1);
  return {{context.builder().reverse(operands[0].value, dimensions), true}};
}

std::vector<Value> simplify_reverse(SimplifyContext& context, const OpView& op) {
  const Ints& dimensions = op.attrs().ints("dimensions");
  const Type x = op.operand_type(0);
  if (std::ranges::all_of(dimensions, [&](int64_t d) { return x.dim(d) == 0 || x.dim(d) == 1; }))
    return {op.operand(0)};
  if (const Literal* literal = context.constant(op.operand(0)); literal != nullptr && literal->splat)
    return {op.operand(0)};
  if (const Value inner = operand_of_same_op(op)) {
    if (op.function.attrs(op.function.defining_op(op.operand(0))).ints("dimensions") == dimensions) return {inner};
  }
  return fold_constants(context, op);
}

std::vector<Sample> samples_reverse() {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type x, Ints dimensions) {
    out.push_back(
        structural_sample(std::move(label), x, [=](OpBuilder& b, Value v) { return b.reverse(v, dimensions); }));
  };
  add("one axis", Type::tensor(kF64, {2, 3}), {1});
  add("both axes", Type::tensor(kF32, {2, 3}), {1, 0});
  add("i16", Type::tensor(kI16, {5}), {0});
  add("no elements", Type::tensor(kF64, {2, 0}), {0});
  return out;
}

// ---- the table --------------------------------------------------------------------------------------------------------------

const OpRecord kRecords[] = {
    structural_record("stablehlo.broadcast_in_dim",
                      "The operand repeated: operand dimension i becomes result dimension broadcast_dimensions[i], "
                      "extents 1 are stretched.",
                      {{"broadcast_dimensions", AttrKind::kInts}},
                      {.type = type_broadcast,
                       .eval = eval_broadcast,
                       .transpose = transpose_broadcast,
                       .vectorize = vectorize_broadcast,
                       .simplify = simplify_broadcast,
                       .aliases = alias_none,
                       .samples = samples_broadcast}),
    structural_record("stablehlo.reshape", "The same elements in row-major order under another shape.", {},
                      {.type = type_reshape,
                       .eval = eval_reshape,
                       .transpose = transpose_reshape,
                       .vectorize = vectorize_reshape,
                       .simplify = simplify_reshape,
                       .aliases = alias_view,
                       .samples = samples_reshape},
                      cost_free),
    structural_record("stablehlo.transpose", "Result dimension i is operand dimension permutation[i].",
                      {{"permutation", AttrKind::kInts}},
                      {.type = type_transpose,
                       .eval = eval_transpose,
                       .transpose = transpose_transpose,
                       .vectorize = vectorize_transpose,
                       .simplify = simplify_transpose,
                       .aliases = alias_none,
                       .samples = samples_transpose}),
    structural_record("stablehlo.reverse", "The elements in opposite order along `dimensions`.",
                      {{"dimensions", AttrKind::kInts}},
                      {.type = type_reverse,
                       .eval = eval_reverse,
                       .transpose = transpose_reverse,
                       .vectorize = vectorize_reverse,
                       .simplify = simplify_reverse,
                       .aliases = alias_none,
                       .samples = samples_reverse}),
};

}  // namespace

Family structural_ops() { return kRecords; }

}  // namespace weft
