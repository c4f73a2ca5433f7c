#include "ops/indexing/select_update.h"

#include <algorithm>
#include <map>

#include "ir/clone.h"
#include "ops/indexing/indexed_dims.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

bool contains(const Ints& list, int64_t v) { return std::ranges::find(list, v) != list.end(); }

/// The predicate of a select as a smaller value along some axes of the array; rank 0 has none.
struct Predicate {
  Value value;
  Ints axes;
};

std::optional<Predicate> predicate_of(const Function& f, Value p) {
  if (f.type(p).rank() == 0) return Predicate{p, {}};
  const OpId op = f.defining_op(p);
  if (!op || f.def(op).mnemonic != "stablehlo.broadcast_in_dim") return std::nullopt;
  const Value from = f.operand(op, 0);
  const Ints& axes = f.attrs(op).ints("broadcast_dimensions");
  for (size_t i = 0; i < axes.size(); ++i) {
    // An extent of one that is spread would need a reshape.
    if (f.type(from).dim(static_cast<int64_t>(i)) != f.type(p).dim(axes[i])) return std::nullopt;
  }
  return Predicate{from, axes};
}

/// The predicate for a part, whose axis of each of the array's axes `axis_of` tells.
Value spread(OpBuilder& b, const Predicate& p, const std::map<int64_t, int64_t>& axis_of, Type part) {
  if (p.axes.empty()) return p.value;
  std::vector<std::pair<int64_t, int64_t>> order;  // axis of the part, axis of the predicate
  for (size_t i = 0; i < p.axes.size(); ++i) order.emplace_back(axis_of.at(p.axes[i]), static_cast<int64_t>(i));
  std::ranges::sort(order);
  Ints axes, permutation;
  for (const auto& [to, from] : order) {
    axes.push_back(to);
    permutation.push_back(from);
  }
  return b.broadcast_in_dim(b.transpose(p.value, permutation), axes, part.shape());
}

std::vector<Value> select_in_slice(OpBuilder& b, const OpView& update, const Predicate& p) {
  const Type whole = update.operand_type(0), part = update.operand_type(1);
  std::map<int64_t, int64_t> axes;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (part.dim(d) == whole.dim(d)) axes[d] = d;
  }
  for (int64_t d : p.axes) {
    if (!axes.contains(d)) return {};
  }
  // A copy: what is written here may move the function's own.
  const std::vector<Value> starts(update.operands().begin() + 2, update.operands().end());
  const Value before = b.dynamic_slice(update.operand(0), starts, part.shape());
  const Value chosen = b.select(spread(b, p, axes, part), update.operand(1), before);
  return {b.dynamic_update_slice(update.operand(0), chosen, starts)};
}

bool overwrites(const OpView& scatter) {
  return scatter.num_results() == 1 && classify_body(scatter.function, scatter.region(0)) == BodyKind::kSecond;
}

std::vector<Value> select_in_scatter(OpBuilder& b, const OpView& scatter, const Predicate& p) {
  const Type whole = scatter.operand_type(0), indices = scatter.operand_type(1), part = scatter.operand_type(2);
  const IndexedDims dims = IndexedDims::of_scatter(scatter.attrs());
  // A window that is one element wide wherever it is placed lies inside or outside, never across the edge.
  for (int64_t d : dims.map) {
    if (!contains(dims.inserted, d)) return {};
  }
  std::map<int64_t, int64_t> axes;  // of the array → of the updates
  const Ints windows = dims.operand_window_axes(whole.rank());
  for (size_t i = 0; i < windows.size(); ++i) {
    if (part.dim(dims.window[i]) != whole.dim(windows[i])) return {};
    axes[windows[i]] = dims.window[i];
  }
  const Ints of_indices = dims.index_axes(indices.rank()), of_updates = dims.batch_axes(part.rank());
  for (size_t i = 0; i < dims.batching.size(); ++i) {
    const auto at = std::ranges::find(of_indices, dims.indices_batching[i]) - of_indices.begin();
    axes[dims.batching[i]] = of_updates[static_cast<size_t>(at)];
  }
  for (int64_t d : p.axes) {
    if (!axes.contains(d)) return {};
  }
  const Value before = b.make("stablehlo.gather", {scatter.operand(0), scatter.operand(1)},
                              dims.gather_attrs(dims.slice_sizes(whole.rank(), part.shape()), false));
  if (b.type(before) != part) return {};
  const Value chosen = b.select(spread(b, p, axes, part), scatter.operand(2), before);
  ValueMap same(b.function());
  const Value operands[] = {scatter.operand(0), scatter.operand(1), chosen};
  const OpId made = clone_op(b.function(), scatter.id, operands, b.function(), b.region(), same);
  return {b.function().result(made)};
}

std::vector<Value> select_in(OpBuilder& b, const OpView& update, const Predicate& p) {
  const std::string_view name = update.def().mnemonic;
  const bool is_slice = name == "stablehlo.dynamic_update_slice", is_scatter = name == "stablehlo.scatter";
  if (!is_slice && !(is_scatter && overwrites(update))) return {};
  // Nothing is won where the part is the whole.
  const Type part = update.operand_type(is_slice ? 1 : 2), whole = update.operand_type(0);
  if (!whole.is_static() || whole.is_quantized() || part.num_elements() * 2 > whole.num_elements()) return {};
  return is_slice ? select_in_slice(b, update, p) : select_in_scatter(b, update, p);
}

}  // namespace

std::vector<Value> select_in_update(SimplifyContext& context, const OpView& op) {
  const Function& f = op.function;
  const OpId made = f.defining_op(op.operand(1));
  if (!made || !context.has_one_use(op.operand(1)) || f.operands(made).empty() || f.operand(made, 0) != op.operand(2))
    return {};
  const std::optional<Predicate> p = predicate_of(f, op.operand(0));
  return p ? select_in(context.builder(), {f, made}, *p) : std::vector<Value>{};
}

Value masked_update(OpBuilder& b, const OpView& update, Value mask) {
  const std::vector<Value> out = select_in(b, update, {mask, {}});
  return out.empty() ? Value{} : out[0];
}

}  // namespace weft
