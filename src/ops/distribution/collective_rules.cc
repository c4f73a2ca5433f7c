#include "ops/distribution/collective_rules.h"

#include <algorithm>
#include <numeric>

#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/distribution/process_groups.h"
#include "ops/expansion.h"
#include "ops/foreign/lane_by_lane.h"
#include "ops/reduction/region_body.h"

namespace weft {
namespace {

using Values = std::span<const Value>;

[[noreturn]] void refuse(const OpView& op, const std::string& reason) {
  throw Unsupported("[" + std::string(op.def().mnemonic) + "] derivative: " + reason, op.loc());
}

/// Who takes part, as `op` says.
Attrs groups_of(const OpView& op) {
  Attrs out;
  for (const char* name : {"replica_groups", "handle", "type", "use_global_device_ids"}) {
    if (const Attr* a = op.attrs().find(name)) out.set(name, *a);
  }
  return out;
}

/// The table of groups where it is written in the op and names processes; else null.
const Literal* written_groups(const OpView& op) {
  const Attr* groups = op.attrs().find("replica_groups");
  const Literal* table = groups == nullptr ? nullptr : groups->get_if<Literal>();
  return table == nullptr || table->type.num_elements() == 0 ? nullptr : table;
}

std::vector<std::vector<int64_t>> rows_of(const Literal& table) {
  std::vector<std::vector<int64_t>> out(static_cast<size_t>(table.type.dim(0)));
  for (int64_t r = 0; r < table.type.dim(0); ++r) {
    for (int64_t k = 0; k < table.type.dim(1); ++k) {
      if (const int64_t id = table_at(table, r, k); id >= 0) out[static_cast<size_t>(r)].push_back(id);
    }
  }
  return out;
}

bool has_roots(const OpView& op) { return op.attrs().boolean_or("has_dynamic_root", false); }

/// Values for the operands `which`, followed by their roots where the program computes them.
std::vector<Value> with_roots(OpBuilder& b, const OpView& op, std::vector<Value> values, Value roots,
                              std::span<const size_t> which) {
  if (!has_roots(op)) return values;
  std::vector<Value> parts;
  for (size_t i : which) {
    const int64_t from[] = {static_cast<int64_t>(i)}, to[] = {static_cast<int64_t>(i) + 1};
    parts.push_back(b.slice(roots, from, to));
  }
  values.push_back(parts.size() == 1 ? parts[0] : b.concatenate(parts, 0));
  return values;
}

RegionId addition(OpBuilder& b, Type t) { return b.binary_region(t.element_type(), "stablehlo.add"); }

/// The op on those of its operands that have tangents.
Linearized on_tangents(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  Linearized out{context.clone_primal(op, primals), std::vector<Value>(op.num_results())};
  OpBuilder& b = context.linear();
  std::vector<Value> given;
  std::vector<Type> types;
  std::vector<size_t> which;
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!tangents[i]) continue;
    given.push_back(tangents[i]);
    types.push_back(op.result_type(i));
    which.push_back(i);
  }
  if (given.empty()) return out;
  std::vector<RegionId> body;
  if (!op.regions().empty()) body.push_back(addition(b, types[0]));
  if (has_roots(op)) given = with_roots(context.primal(), op, given, primals.back(), which);
  const std::vector<Value> moved = b.create(op.def(), given, op.attrs(), types, body);
  for (size_t k = 0; k < which.size(); ++k) out.tangents[which[k]] = moved[k];
  return out;
}

/// Cotangents at hand, the operands that they belong to, and the types of these.
struct Given {
  std::vector<size_t> which;
  std::vector<Value> values;
  std::vector<Type> types;
};

Given given_of(TransposeContext& context, const OpView& op, Values cotangents) {
  Given out;
  for (size_t i = 0; i < cotangents.size(); ++i) {
    if (!cotangents[i] || !context.is_linear(i)) continue;
    out.which.push_back(i);
    out.values.push_back(cotangents[i]);
    out.types.push_back(op.operand_type(i));
  }
  return out;
}

std::vector<Value> placed(OpBuilder& b, const OpView& op, const Given& given, Values values) {
  std::vector<Value> out(op.num_operands());
  for (size_t k = 0; k < given.which.size(); ++k)
    out[given.which[k]] = b.convert(values[k], given.types[k].element_type());
  return out;
}

// ---- sums over process groups by permutations ---------------------------------------------------------------------------------

Literal pairs_of(std::span<const std::pair<int64_t, int64_t>> pairs) {
  Tensor table(ElementType::kI64, {static_cast<int64_t>(pairs.size()), 2});
  auto* to = static_cast<int64_t*>(table.raw());
  for (const auto& [from, target] : pairs) {
    *to++ = from;
    *to++ = target;
  }
  return Literal::dense(std::move(table));
}

/// For each place k in the groups a permutation between the k-th process of each and its first one; the sum of what arrives.
std::vector<Value> by_permutations(OpBuilder& b, const OpView& op, const Given& given, const Literal& table,
                                   bool towards_first) {
  std::vector<Value> sums(given.values.size());
  const auto rows = rows_of(table);
  for (size_t k = 0; k < static_cast<size_t>(table.type.dim(1)); ++k) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const auto& row : rows) {
      if (k < row.size()) pairs.emplace_back(towards_first ? row[k] : row[0], towards_first ? row[0] : row[k]);
    }
    if (pairs.empty()) continue;
    Attrs attrs{{"source_target_pairs", pairs_of(pairs)}};
    for (const char* name : {"handle", "type"}) {
      if (const Attr* a = op.attrs().find(name)) attrs.set(name, *a);
    }
    const std::vector<Value> moved = b.create("stablehlo.collective_permute", given.values, attrs);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = add_tangents(b, sums[i], moved[i]);
  }
  return sums;
}

/// Whether each process from 0 on has its place, as reductions ask.
bool is_complete(const Literal& table) {
  std::vector<int64_t> ids;
  for (const auto& row : rows_of(table)) ids.insert(ids.end(), row.begin(), row.end());
  std::ranges::sort(ids);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool is_ragged(const Literal& table) {
  const auto rows = rows_of(table);
  return std::ranges::any_of(rows, [&](const auto& r) { return static_cast<int64_t>(r.size()) != table.type.dim(1); });
}

// ---- reductions by other bodies ---------------------------------------------------------------------------------------------------

/// The reduction as ops: what all processes brought, folded in their order. Each process computes the whole; of n equal values that are then
/// added (reduce_scatter, collective_reduce) an n-th is meant.
std::vector<Value> fold_gathered(OpBuilder& b, const OpView& op, Values operands) {
  const Literal* table = written_groups(op);
  const int64_t n = table->type.dim(1);
  const size_t count = op.num_results();
  std::vector<Value> out;
  for (size_t i = 0; i < count; ++i) {
    const Type t = b.type(operands[i]);
    const ElementType element = op.result_type(i).element_type();
    std::vector<int64_t> one(t.shape().begin(), t.shape().end());
    one.insert(one.begin(), 1);
    Attrs attrs = groups_of(op);
    attrs.set("all_gather_dim", int64_t{0});
    std::vector<int64_t> all = one;
    all[0] = n;
    const Value gathered = b.make("stablehlo.all_gather", {b.reshape(operands[i], one)}, attrs, t.with_shape(all));
    Value folded;
    for (int64_t p = 0; p < n; ++p) {
      std::vector<int64_t> start(one.size(), 0), limit = all;
      start[0] = p;
      limit[0] = p + 1;
      const Value x = b.convert(b.reshape(b.slice(gathered, start, limit), t.shape()), element);
      if (p == 0) {
        folded = x;
        continue;
      }
      ValueMap map(op.function);
      const RegionId body[] = {clone_region(op.function, op.region(0), b.function(), map)};
      std::vector<int64_t> dimensions(static_cast<size_t>(t.rank()));
      std::iota(dimensions.begin(), dimensions.end(), 0);
      const Value pair[] = {folded, x};
      folded = b.create("stablehlo.map", pair, Attrs{{"dimensions", dimensions}}, {}, body)[0];
    }
    out.push_back(folded);
  }
  if (op.def().mnemonic == "stablehlo.all_reduce") return out;
  std::vector<Value> given = out;
  std::vector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    given[i] = b.divide(given[i], b.splat(b.type(given[i]), static_cast<double>(n)));
    types.push_back(op.result_type(i));
  }
  if (has_roots(op)) given.push_back(operands.back());
  const RegionId body[] = {addition(b, types[0])};
  return b.create(op.def(), given, op.attrs(), types, body);
}

}  // namespace

Linearized linearize_movement(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  return on_tangents(context, op, primals, tangents);
}

Linearized linearize_reduction(LinearizeContext& context, const OpView& op, Values primals, Values tangents) {
  if (classify_body(op.function, op.region(0)) == BodyKind::kAdd) return on_tangents(context, op, primals, tangents);
  if (!captures(op.function, op.region(0)).empty())
    refuse(op, "the body uses a value from outside and is no sum; state it without, or all_gather and reduce");
  const Literal* table = written_groups(op);
  const bool knows_size = channel_of(op) <= 0 || op.attrs().boolean_or("use_global_device_ids", false);
  if (table == nullptr || !knows_size || is_ragged(*table)) {
    refuse(op,
           "the body is no sum, and replica_groups does not say how many processes meet; write the groups out, all of "
           "one size");
  }
  Linearized out = expansion_detail::linearize(fold_gathered, context, op, primals, tangents);
  out.results = context.clone_primal(op, primals);
  return out;
}

std::vector<Value> transpose_all_gather(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  const Given given = given_of(context, op, cotangents);
  Attrs attrs = groups_of(op);
  attrs.set("scatter_dimension", op.attrs().integer("all_gather_dim"));
  std::vector<Value> sums;
  for (size_t k = 0; k < given.values.size(); ++k) {
    const RegionId body[] = {addition(b, given.types[k])};
    sums.push_back(b.create("stablehlo.reduce_scatter", std::span(&given.values[k], 1), attrs,
                            std::span(&given.types[k], 1), body)[0]);
  }
  return placed(b, op, given, sums);
}

std::vector<Value> transpose_reduce_scatter(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  Attrs attrs = groups_of(op);
  attrs.set("all_gather_dim", op.attrs().integer("scatter_dimension"));
  const Type t = op.operand_type(0), ct = b.type(cotangents[0]);
  const Value gathered = b.make("stablehlo.all_gather", {cotangents[0]}, attrs, t.with_element(ct.element_type()));
  return {b.convert(gathered, t.element_type())};
}

std::vector<Value> transpose_all_reduce(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  const Given given = given_of(context, op, cotangents);
  std::vector<Type> types;
  for (Value v : given.values) types.push_back(b.type(v));
  std::vector<RegionId> body;
  if (!op.regions().empty()) body.push_back(addition(b, types[0]));  // cross-replica-sum has none
  return placed(b, op, given, b.create(op.def(), given.values, op.attrs(), types, body));
}

std::vector<Value> transpose_all_to_all(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  const Given given = given_of(context, op, cotangents);
  Attrs attrs = op.attrs();
  attrs.set("split_dimension", op.attrs().integer("concat_dimension"));
  attrs.set("concat_dimension", op.attrs().integer("split_dimension"));
  return placed(b, op, given, b.create(op.def(), given.values, attrs, given.types));
}

std::vector<Value> transpose_collective_permute(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  const Given given = given_of(context, op, cotangents);
  const Literal& table = op.attrs().literal("source_target_pairs");
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t r = 0; r < table.type.dim(0); ++r) pairs.emplace_back(table_at(table, r, 1), table_at(table, r, 0));
  Attrs attrs = op.attrs();
  attrs.set("source_target_pairs", pairs_of(pairs));
  return placed(b, op, given, b.create(op.def(), given.values, attrs, given.types));
}

std::vector<Value> transpose_collective_broadcast(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  const Given given = given_of(context, op, cotangents);
  const Literal* table = written_groups(op);
  // Reductions name all processes and meet among replicas.
  if (channel_of(op) <= 0 && (table == nullptr || is_complete(*table))) {
    Attrs attrs = groups_of(op);
    if (has_roots(op)) attrs.set("has_dynamic_root", true);
    const std::vector<Value> operands = with_roots(b, op, given.values, op.operand(op.num_operands() - 1), given.which);
    const RegionId body[] = {addition(b, given.types[0])};
    return placed(b, op, given, b.create("stablehlo.collective_reduce", operands, attrs, given.types, body));
  }
  if (table == nullptr || has_roots(op)) {
    refuse(op,
           "its transpose is a sum over the group, which needs groups that are written out and a root that is known");
  }
  return placed(b, op, given, by_permutations(b, op, given, *table, true));
}

std::vector<Value> transpose_collective_reduce(TransposeContext& context, const OpView& op, Values cotangents) {
  OpBuilder& b = context.builder();
  const Given given = given_of(context, op, cotangents);
  const Literal* table = written_groups(op);
  if (channel_of(op) > 0)
    refuse(op, "its transpose is a broadcast among replicas and partitions, for which there is no op; use all_reduce");
  if (table == nullptr || !is_ragged(*table)) {
    Attrs attrs = groups_of(op);
    if (has_roots(op)) attrs.set("has_dynamic_root", true);
    const std::vector<Value> operands = with_roots(b, op, given.values, op.operand(op.num_operands() - 1), given.which);
    return placed(b, op, given, b.create("stablehlo.collective_broadcast", operands, attrs));
  }
  if (has_roots(op)) refuse(op, "groups of different sizes with roots that the program computes; use all_reduce");
  return placed(b, op, given, by_permutations(b, op, given, *table, false));
}

std::vector<LaneValue> vectorize_collective(VectorizeContext& context, const OpView& op,
                                            std::span<const LaneValue> operands) {
  const bool rooted = has_roots(op);
  if (rooted && operands.back().varies) return vectorize_lane_by_lane(context, op, operands);
  Attrs attrs = op.attrs();
  for (const char* name : {"all_gather_dim", "scatter_dimension", "split_dimension", "concat_dimension"}) {
    if (const Attr* a = attrs.find(name)) attrs.set(name, *a->get_if<int64_t>() + 1);
  }
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_root = rooted && i + 1 == operands.size();
    values.push_back(is_root || operands[i].varies ? operands[i].value : context.broadcast(operands[i]));
  }
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(with_lanes(op.result_type(i), context.lanes()));
  std::vector<RegionId> body;
  for (RegionId r : op.regions()) body.push_back(context.regions().copy_region(r));
  std::vector<LaneValue> out;
  for (Value v : context.builder().create(op.def(), values, attrs, types, body)) out.push_back({v, true});
  return out;
}

}  // namespace weft
