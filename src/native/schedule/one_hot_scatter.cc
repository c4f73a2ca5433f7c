#include "native/schedule/one_hot_scatter.h"

#include <algorithm>

#include "native/lower/rewrite.h"
#include "native/schedule/fusion_rules.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/record.h"

namespace weft::native {
namespace {

bool is_splat(const Function& f, Value v) {
  const OpId def = f.defining_op(v);
  if (!def) return false;
  const OpView op{f, def};
  if (is(op, "stablehlo.broadcast_in_dim")) return op.operand_type(0).is_scalar() || is_splat(f, op.operand(0));
  return is(op, "stablehlo.constant") && op.attrs().literal("value").splat;
}

/// The axis along which each line has one update; -1: the scatter is another.
int64_t hot_axis(const OpView& op) {
  if (!is(op, "stablehlo.scatter") || op.num_results() != 1) return -1;
  const Type x = op.operand_type(0), indices = op.operand_type(1), updates = op.operand_type(2);
  if (!x.is_static() || !indices.is_static() || !updates.is_static() || updates.num_elements() == 0) return -1;
  const ElementType t = indices.element_type();
  if (!is_integer(t) || bit_width(t) < 8 || (!is_signed_integer(t) && bit_width(t) >= 32)) return -1;
  if (classify_body(op.function, op.region(0)) == BodyKind::kOther) return -1;
  if (op.function.type(op.function.args(op.region(0))[0]).element_type() != x.element_type()) return -1;
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  if (dims.map.size() != 1) return -1;
  const int64_t axis = dims.map[0];
  const std::vector<int64_t> sizes = dims.slice_sizes(x.rank(), updates.shape());
  for (int64_t d = 0; d < x.rank(); ++d) {
    const bool is_batching = std::ranges::count(dims.batching, d) != 0;
    const int64_t whole = d == axis ? 1 : x.dim(d);
    if (!is_batching && sizes[static_cast<size_t>(d)] != whole) return -1;
  }
  // Batch axes that no axis of the operand goes with would bring several updates.
  const std::vector<int64_t> index_axes = dims.index_axes(indices.rank());
  for (const int64_t a : index_axes) {
    if (std::ranges::count(dims.indices_batching, a) == 0 && indices.dim(a) != 1) return -1;
  }
  return x.dim(axis) <= INT32_MAX ? axis : -1;
}

std::optional<std::vector<Value>> choose(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const int64_t axis = hot_axis(op);
  if (axis < 0 || !is_splat(b.function(), operands[0])) return std::nullopt;
  const Type x = op.operand_type(0), indices = op.operand_type(1), updates = op.operand_type(2);
  const IndexedDims dims = IndexedDims::of_scatter(op.attrs());
  const std::vector<int64_t> index_axes = dims.index_axes(indices.rank()), batch_axes = dims.batch_axes(updates.rank()),
                             window_axes = dims.operand_window_axes(x.rank());

  Value i = operands[1];
  if (bit_width(indices.element_type()) > 32) {
    // What does not fit in 32 bits is outside.
    const auto number = [&](double n) { return b.splat(indices, n); };
    const Value fits =
        b.logical_and(b.compare(i, number(0), "GE"), b.compare(i, number(static_cast<double>(x.dim(axis))), "LT"));
    i = b.select(fits, i, number(-1));
  }
  i = b.convert(i, ElementType::kI32);
  // From axes of extent 1 or of batches to those of the operand: axes that remain, in order of the operand's.
  const auto spread = [&](Value v, const std::vector<std::pair<int64_t, int64_t>>& from_to) {
    std::vector<std::pair<int64_t, int64_t>> order = from_to;
    std::ranges::sort(order);
    std::vector<int64_t> shape, to;
    for (const auto& [from, d] : order) shape.push_back(b.type(v).dim(from)), to.push_back(d);
    return b.broadcast_in_dim(b.reshape(v, shape), to, x.shape());
  };
  std::vector<std::pair<int64_t, int64_t>> of_index, of_update;
  for (size_t k = 0; k < dims.batching.size(); ++k) {
    const auto at = std::ranges::find(index_axes, dims.indices_batching[k]);
    of_index.emplace_back(dims.indices_batching[k], dims.batching[k]);
    of_update.emplace_back(batch_axes[static_cast<size_t>(at - index_axes.begin())], dims.batching[k]);
  }
  for (size_t k = 0; k < window_axes.size(); ++k) {
    if (window_axes[k] != axis) of_update.emplace_back(dims.window[k], window_axes[k]);
  }
  const Type places = Type::tensor(ElementType::kI32, x.shape());
  const Value is_hot = b.compare(b.iota(places, axis), spread(i, of_index), "EQ");
  Value hot = spread(operands[2], of_update);
  const BodyKind body = classify_body(op.function, op.region(0));
  if (body != BodyKind::kSecond) hot = b.make(body_mnemonic(body), {operands[0], hot});
  return std::vector<Value>{b.select(is_hot, hot, operands[0])};
}

}  // namespace

std::unique_ptr<Function> choose_one_hot_scatters(std::unique_ptr<Function> f) {
  bool any = false;
  for (uint32_t i = 0; i < f->num_ops() && !any; ++i) any = hot_axis({*f, OpId{i}}) >= 0;
  return any ? rewrite_ops(*f, choose) : std::move(f);
}

}  // namespace weft::native
