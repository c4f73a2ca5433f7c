// dynamic_slice and dynamic_update_slice. Attribute names:
//   dynamic_slice  slice_sizes (ints)
#include <algorithm>

#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/indexing/index_elements.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

/// Operands from `first` on are the starts: rank-0 integers of one type.
void check_starts(const TypeContext& c, std::string_view label, size_t first) {
  for (size_t i = first; i < c.operands.size(); ++i) {
    const Type t = c.operands[i];
    if (!t.is_scalar() || !is_integer(t.element_type())) {
      c.fail("", "start index " + std::to_string(i - first) + ": got " + t.str() +
                     ", expected a rank-0 tensor of integer type");
    }
    if (t != c.operands[first]) {
      c.fail(label, "type of start index " + std::to_string(i - first) + ": got " + t.str() + ", expected " +
                        c.operands[first].str());
    }
  }
}

std::vector<Type> type_dynamic_slice(const TypeContext& c) {
  if (c.operands.empty()) c.expect_operands(1);
  expect_tensor(c, 0);
  const Type x = c.operands[0];
  const auto& sizes = c.attrs.ints("slice_sizes");
  expect_count(c, "dynamic_slice_c2", "start indices", c.operands.size() - 1, static_cast<size_t>(x.rank()));
  expect_count(c, "dynamic_slice_c2", "slice_sizes", sizes.size(), static_cast<size_t>(x.rank()));
  check_starts(c, "dynamic_slice_c3", 1);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || (x.shape()[d] != kDynamic && sizes[d] > x.shape()[d])) {
      c.fail("dynamic_slice_c4", "slice_sizes: got " + format_list(sizes) +
                                     ", expected values from 0 to those of the operand's shape " +
                                     format_list(x.shape()));
    }
  }
  const Type result = x.with_shape(sizes);
  if (!c.declared.empty()) {
    const Type declared = c.declared_result();
    if (declared.is_tensor() && declared.element_type() != x.element_type())
      c.expect_equal("dynamic_slice_c1", "result type", declared, result);
    if (!is_compatible(declared, result)) c.expect_equal("dynamic_slice_c5", "result type", declared, result);
  }
  return {result};
}

std::vector<Type> type_dynamic_update_slice(const TypeContext& c) {
  if (c.operands.size() < 2) c.expect_operands(2);
  expect_tensor(c, 0);
  expect_tensor(c, 1);
  const Type x = c.operands[0], update = c.operands[1];
  if (update.element_type() != x.element_type()) {
    c.fail("dynamic_update_slice_c2", "element type of the update: got " + std::string(name(update.element_type())) +
                                          ", expected " + std::string(name(x.element_type())));
  }
  if (update.rank() != x.rank()) {
    c.fail("dynamic_update_slice_c3",
           "rank of the update: got " + std::to_string(update.rank()) + ", expected " + std::to_string(x.rank()));
  }
  expect_count(c, "dynamic_update_slice_c4", "start indices", c.operands.size() - 2, static_cast<size_t>(x.rank()));
  check_starts(c, "dynamic_update_slice_c5", 2);
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (update.dim(d) != kDynamic && x.dim(d) != kDynamic && update.dim(d) > x.dim(d)) {
      c.fail("dynamic_update_slice_c6", "shape of the update: got " + format_list(update.shape()) +
                                            ", expected at most the operand's " + format_list(x.shape()));
    }
  }
  if (!c.declared.empty() && !is_compatible(c.declared_result(), x)) {
    c.expect_equal("dynamic_update_slice_c1", "result type", c.declared_result(), x);
  }
  return {x};
}

/// min(max(start, 0), extent - size) per dimension, as a linear offset into an array of `shape`.
int64_t clamped_offset(std::span<const int64_t> shape, std::span<const int64_t> sizes,
                       std::span<const EvalValue> starts) {
  const std::vector<int64_t> strides = row_major_strides(shape);
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    offset += std::clamp<int64_t>(index_elements(starts[d].tensor)[0], 0, shape[d] - sizes[d]) * strides[d];
  }
  return offset;
}

/// Copies a block of `sizes` between dense memory and a place in an array with `strides`, row by row.
template <bool kIntoBlock>
void copy_block(std::byte* array, std::vector<int64_t> strides, std::vector<int64_t> sizes, std::byte* block,
                size_t element_bytes) {
  if (num_elements(sizes) == 0) return;
  size_t row = element_bytes;
  if (!sizes.empty()) {  // the last dimension is contiguous
    row *= static_cast<size_t>(sizes.back());
    sizes.pop_back();
    strides.pop_back();
  }
  StridedWalk<1> walk(std::move(sizes), {std::move(strides)});
  do {
    std::byte* at = array + walk.offset() * static_cast<int64_t>(element_bytes);
    kIntoBlock ? std::memcpy(block, at, row) : std::memcpy(at, block, row);
    block += row;
  } while (walk.next());
}

std::vector<EvalValue> eval_dynamic_slice(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const auto& sizes = op.attrs().ints("slice_sizes");
  Tensor out(x.element_type(), sizes);
  const size_t bytes = byte_size(x.element_type());
  const int64_t offset = clamped_offset(x.shape(), sizes, operands.subspan(1));
  copy_block<true>(static_cast<std::byte*>(x.raw()) + offset * static_cast<int64_t>(bytes),
                   row_major_strides(x.shape()), sizes, static_cast<std::byte*>(out.raw()), bytes);
  return {EvalValue(std::move(out))};
}

std::vector<EvalValue> eval_dynamic_update_slice(EvalContext&, const OpView&, std::span<const EvalValue> operands) {
  const Tensor &x = operands[0].tensor, &update = operands[1].tensor;
  Tensor out = x.clone();
  const size_t bytes = byte_size(x.element_type());
  const int64_t offset = clamped_offset(x.shape(), update.shape(), operands.subspan(2));
  copy_block<false>(static_cast<std::byte*>(out.raw()) + offset * static_cast<int64_t>(bytes),
                    row_major_strides(x.shape()), update.shape(), static_cast<std::byte*>(update.raw()), bytes);
  return {EvalValue(std::move(out))};
}

// ---- derivatives ------------------------------------------------------------------------------------------------------

Linearized linearize_dynamic_slice(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                   std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  if (!tangents[0]) return {std::move(results), {Value{}}};
  const Value tangent = context.linear().dynamic_slice(tangents[0], primals.subspan(1), op.attrs().ints("slice_sizes"));
  return {std::move(results), {tangent}};
}

std::vector<Value> transpose_dynamic_slice(TransposeContext& context, const OpView& op,
                                           std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  std::vector<Value> out(operands.size());
  out[0] = b.dynamic_update_slice(b.zeros(op.operand_type(0)), cotangents[0], std::span(operands).subspan(1));
  return out;
}

Linearized linearize_dynamic_update_slice(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                          std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  if (!tangents[0] && !tangents[1]) return {std::move(results), {Value{}}};
  const auto or_zero = [&](size_t i) { return tangents[i] ? tangents[i] : context.primal().zeros(op.operand_type(i)); };
  const Value x = or_zero(0), update = or_zero(1);
  return {std::move(results), {context.linear().dynamic_update_slice(x, update, primals.subspan(2))}};
}

std::vector<Value> transpose_dynamic_update_slice(TransposeContext& context, const OpView& op,
                                                  std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  const auto starts = std::span(operands).subspan(2);
  const Type update = op.operand_type(1);
  std::vector<Value> out(operands.size());
  // Read before written, so that the update can be made in place.
  if (context.is_linear(1)) out[1] = b.dynamic_slice(cotangents[0], starts, update.shape());
  if (context.is_linear(0)) out[0] = b.dynamic_update_slice(cotangents[0], b.zeros(update), starts);
  return out;
}

// ---- lanes ------------------------------------------------------------------------------------------------------------

bool any_varies(std::span<const LaneValue> values) {
  return std::any_of(values.begin(), values.end(), [](const LaneValue& v) { return v.varies; });
}

/// [lanes, rank] of rank-0 starts over lanes.
Value stack_starts(VectorizeContext& context, std::span<const LaneValue> starts) {
  OpBuilder& b = context.builder();
  const std::vector<int64_t> column = {context.lanes(), 1};
  std::vector<Value> columns;
  for (const LaneValue& s : starts) columns.push_back(b.reshape(s.varies ? s.value : context.broadcast(s), column));
  return columns.size() == 1 ? columns[0] : b.concatenate(columns, 1);
}

/// The uniform starts with a start 0 for the lane axis in front.
std::vector<Value> starts_with_lane(OpBuilder& b, std::span<const LaneValue> starts) {
  // Without dimensions there are no starts whose type the new one could take.
  const ElementType element = starts.empty() ? ElementType::kI32 : b.type(starts[0].value).element_type();
  std::vector<Value> out = {b.scalar(element, 0)};
  for (const LaneValue& s : starts) out.push_back(s.value);
  return out;
}

std::vector<LaneValue> vectorize_dynamic_slice(VectorizeContext& context, const OpView& op,
                                               std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const auto& sizes = op.attrs().ints("slice_sizes");
  const auto starts = operands.subspan(1);
  const LaneValue x = operands[0];
  if (!any_varies(starts)) {
    std::vector<int64_t> lane_sizes = sizes;
    lane_sizes.insert(lane_sizes.begin(), context.lanes());
    return {{b.dynamic_slice(x.value, starts_with_lane(b, starts), lane_sizes), true}};
  }
  // Starts that differ by lane: one gather, which clamps in the same way.
  const int64_t rank = static_cast<int64_t>(sizes.size());
  std::vector<int64_t> gather_sizes = sizes;
  if (x.varies) gather_sizes.insert(gather_sizes.begin(), std::min<int64_t>(1, context.lanes()));
  const std::vector<int64_t> lane = x.varies ? std::vector<int64_t>{0} : std::vector<int64_t>{};
  const Attrs attrs{{"offset_dims", axis_range(1, rank)},
                    {"collapsed_slice_dims", Attr::Ints{}},
                    {"operand_batching_dims", lane},
                    {"start_indices_batching_dims", lane},
                    {"start_index_map", axis_range(x.varies ? 1 : 0, rank)},
                    {"index_vector_dim", int64_t{1}},
                    {"slice_sizes", gather_sizes},
                    {"indices_are_sorted", false}};
  return {{b.make("stablehlo.gather", {x.value, stack_starts(context, starts)}, attrs), true}};
}

std::vector<LaneValue> vectorize_dynamic_update_slice(VectorizeContext& context, const OpView& op,
                                                      std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const auto starts = operands.subspan(2);
  const Value x = operands[0].varies ? operands[0].value : context.broadcast(operands[0]);
  const Value update = operands[1].varies ? operands[1].value : context.broadcast(operands[1]);
  if (!any_varies(starts)) return {{b.dynamic_update_slice(x, update, starts_with_lane(b, starts)), true}};
  // Starts that differ by lane: one scatter. It skips what lies outside where the op clamps, so the starts are clamped first.
  const Type own = op.operand_type(0), block = op.operand_type(1);
  const int64_t rank = own.rank();
  std::vector<int64_t> limits;
  for (int64_t d = 0; d < rank; ++d) limits.push_back(own.dim(d) - block.dim(d));
  const Value indices = clamp_indices(b, stack_starts(context, starts), limits, 1);
  const Attrs attrs{{"update_window_dims", axis_range(1, rank)},
                    {"inserted_window_dims", Attr::Ints{}},
                    {"input_batching_dims", Attr::Ints{0}},
                    {"scatter_indices_batching_dims", Attr::Ints{0}},
                    {"scatter_dims_to_operand_dims", axis_range(1, rank)},
                    {"index_vector_dim", int64_t{1}},
                    {"indices_are_sorted", false},
                    {"unique_indices", true}};
  const Type scalar = Type::scalar(own.element_type());
  const Type types[] = {scalar, scalar};
  const RegionId body =
      b.make_region(types, [](OpBuilder&, std::span<const Value> args) { return std::vector{args[1]}; });
  const Value values[] = {x, indices, update};
  return {{b.create("stablehlo.scatter", values, attrs, {}, std::span(&body, 1))[0], true}};
}

// ---- simplification, samples --------------------------------------------------------------------------------------------

std::vector<Value> simplify_dynamic_slice(SimplifyContext& context, const OpView& op) {
  if (std::vector<Value> folded = fold_constants(context, op); !folded.empty()) return folded;
  const Type x = op.operand_type(0);
  if (!x.is_static()) return {};
  const std::vector<int64_t> sizes = op.attrs().ints("slice_sizes");
  if (std::ranges::equal(sizes, x.shape())) return {op.operand(0)};
  std::vector<int64_t> starts, limits;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const Literal* literal = context.constant(op.operand(d + 1));
    if (literal == nullptr) return {};
    starts.push_back(std::clamp<int64_t>(index_elements(literal->materialize())[0], 0, x.shape()[d] - sizes[d]));
    limits.push_back(starts.back() + sizes[d]);
  }
  return {context.builder().slice(op.operand(0), starts, limits)};
}

std::vector<Value> simplify_dynamic_update_slice(SimplifyContext& context, const OpView& op) {
  if (std::vector<Value> folded = fold_constants(context, op); !folded.empty()) return folded;
  const Type x = op.operand_type(0), update = op.operand_type(1);
  if (!x.is_static() || !update.is_static()) return {};
  if (x == update) return {op.operand(1)};
  if (update.num_elements() == 0) return {op.operand(0)};
  return {};
}

Cost cost_dynamic_slice(const OpView& op) { return {0, 2 * bytes_of(op.result_type())}; }
/// In place: the update is read and written, the rest stays.
Cost cost_dynamic_update_slice(const OpView& op) { return {0, 2 * bytes_of(op.operand_type(1))}; }

std::vector<Sample> samples_dynamic_slice() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> shape, std::vector<int64_t> sizes,
                       ElementType index) {
    Sample s{std::move(label),
             {{Type::tensor(e, shape), {}}},
             [sizes](OpBuilder& b, std::span<const Value> x) {
               return std::vector{b.dynamic_slice(x[0], x.subspan(1), sizes)};
             },
             is_float(e)};
    // Starts before the first element and beyond the last are part of the meaning.
    for (size_t d = 0; d < shape.size(); ++d)
      s.operands.push_back({Type::scalar(index), {is_unsigned_integer(index) ? 0.0 : -3.0, 6}});
    out.push_back(std::move(s));
  };
  add("matrix", ElementType::kF64, {4, 5}, {2, 3}, ElementType::kI32);
  add("matrix_f32", ElementType::kF32, {4, 5}, {2, 3}, ElementType::kI64);
  add("unsigned_starts", ElementType::kF32, {4, 5}, {2, 3}, ElementType::kU8);
  add("narrow_starts", ElementType::kF32, {300}, {7}, ElementType::kI8);
  add("whole", ElementType::kBF16, {3}, {3}, ElementType::kI32);
  add("empty", ElementType::kF32, {3, 2}, {0, 2}, ElementType::kI32);
  add("rank_0", ElementType::kF64, {}, {}, ElementType::kI32);
  add("i32", ElementType::kI32, {6}, {2}, ElementType::kI32);
  return out;
}

std::vector<Sample> samples_dynamic_update_slice() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> shape, std::vector<int64_t> update,
                       ElementType index) {
    Sample s{std::move(label),
             {{Type::tensor(e, shape), {}}, {Type::tensor(e, update), {}}},
             [](OpBuilder& b, std::span<const Value> x) {
               return std::vector{b.dynamic_update_slice(x[0], x[1], x.subspan(2))};
             },
             is_float(e)};
    for (size_t d = 0; d < shape.size(); ++d)
      s.operands.push_back({Type::scalar(index), {is_unsigned_integer(index) ? 0.0 : -3.0, 6}});
    out.push_back(std::move(s));
  };
  add("matrix", ElementType::kF64, {4, 5}, {2, 3}, ElementType::kI32);
  add("matrix_f16", ElementType::kF16, {4, 5}, {2, 3}, ElementType::kI64);
  add("unsigned_starts", ElementType::kF32, {4, 5}, {2, 3}, ElementType::kU8);
  add("narrow_starts", ElementType::kF32, {300}, {7}, ElementType::kI8);
  add("whole", ElementType::kF32, {3}, {3}, ElementType::kI32);
  add("empty", ElementType::kF32, {3, 2}, {0, 2}, ElementType::kI32);
  add("rank_0", ElementType::kF64, {}, {}, ElementType::kI32);
  add("i32", ElementType::kI32, {6}, {2}, ElementType::kI32);
  return out;
}

const OpRecord kOps[] = {
    {{.mnemonic = "stablehlo.dynamic_slice"},
     {.doc = "A block of slice_sizes at starts known only at run time; starts are clamped so that the block lies "
             "within the operand.",
      .syntax = Syntax::kCustom,
      .schema = {{"slice_sizes", AttrKind::kInts}},
      .type = type_dynamic_slice,
      .eval = eval_dynamic_slice,
      .scalar = kNotElementwise,
      .linearize = linearize_dynamic_slice,
      .transpose = transpose_dynamic_slice,
      .vectorize = vectorize_dynamic_slice,
      .uniformity = uniformity_any,
      .simplify = simplify_dynamic_slice,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_dynamic_slice,
      .to_stablehlo = portable_as_is,
      .samples = samples_dynamic_slice}},
    {{.mnemonic = "stablehlo.dynamic_update_slice"},
     {.doc = "The operand with a block replaced by the update, at starts clamped so that the block lies within the "
             "operand.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_dynamic_update_slice,
      .eval = eval_dynamic_update_slice,
      .scalar = kNotElementwise,
      .linearize = linearize_dynamic_update_slice,
      .transpose = transpose_dynamic_update_slice,
      .vectorize = vectorize_dynamic_update_slice,
      .uniformity = uniformity_any,
      .simplify = simplify_dynamic_update_slice,
      .aliases = alias_in_place,
      .effects = Effects::kPure,
      .cost = cost_dynamic_update_slice,
      .to_stablehlo = portable_as_is,
      .samples = samples_dynamic_update_slice}},
};

}  // namespace

Family indexing_ops() { return kOps; }

}  // namespace weft
