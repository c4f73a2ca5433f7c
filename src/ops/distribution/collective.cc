// Ops in which a group of processes takes part together (specification: Distribution). Attribute names, the channel handle's flattened:
//   handle, type, replica_groups (table), use_global_device_ids; all_gather_dim; split_dimension, concat_dimension, split_count;
//   source_target_pairs (table); scatter_dimension; has_dynamic_root
#include <cstring>

#include "ops/distribution/collective_rules.h"
#include "ops/distribution/process_groups.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/quantized/quantization.h"
#include "ops/reduction/region_body.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

// ---- types --------------------------------------------------------------------------------------------------------------

void expect_tensors(const TypeContext& c, size_t count) {
  if (count == 0) c.fail("", "number of operands: got 0, expected at least 1");
  for (size_t i = 0; i < count; ++i) expect_tensor(c, i);
}

void expect_results(const TypeContext& c, std::string_view label, size_t count) {
  expect_count(c, label, "results", c.declared.size(), count);
}

void expect_axis(const TypeContext& c, std::string_view label, std::string_view what, int64_t axis, int64_t rank) {
  const int64_t list[] = {axis};
  expect_in_range(c, label, what, list, rank);
}

/// expected, with what the declared type knows beyond it; throws unless they agree.
Type agreed(const TypeContext& c, std::string_view label, size_t i, Type expected) {
  if (i >= c.declared.size()) return expected;
  const Type got = c.declared[i];
  if (!is_compatible(got, expected)) c.expect_equal(label, "type of result " + std::to_string(i), got, expected);
  return merge_types(got, expected);
}

Type with_extent(Type t, int64_t axis, int64_t extent) {
  std::vector<Extent> extents = extents_of(t);
  extents[static_cast<size_t>(axis)] = {extent, kDynamic};
  return with_extents(t, extents);
}

/// Processes in a group, where the type rule can know it.
int64_t known_group_size(const TypeContext& c, int64_t columns) {
  const bool all_partitions =
      c.attrs.integer_or("handle", 0) > 0 && !c.attrs.boolean_or("use_global_device_ids", false);
  return all_partitions ? kDynamic : columns;
}

std::vector<Type> type_all_gather(const TypeContext& c) {
  expect_tensors(c, c.operands.size());
  const int64_t axis = c.attrs.integer("all_gather_dim");
  for (const Type& t : c.operands) expect_axis(c, "all_gather_c1", "all_gather_dim", axis, t.rank());
  const int64_t columns = check_replica_groups(c, {"all_gather_c2", "all_gather_c3", "all_gather_c4"});
  check_global_ids(c, "all_gather_c5");
  const int64_t size = known_group_size(c, columns);
  if (size == kDynamic || !c.declared.empty()) expect_results(c, "all_gather_c6", c.operands.size());
  std::vector<Type> out;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const Type t = c.operands[i];
    const int64_t from = t.dim(axis);
    if (from == 0) c.fail("all_gather_c1", "extent along all_gather_dim: got 0, expected a positive one");
    if (size != kDynamic && from != kDynamic) {
      out.push_back(agreed(c, "all_gather_c6", i, with_extent(t, axis, from * size)));
      continue;
    }
    out.push_back(agreed(c, "all_gather_c6", i, with_extent(t, axis, kDynamic)));
    const int64_t to = out.back().dim(axis);
    if (from != kDynamic && to != kDynamic && to % from != 0) {
      c.fail("all_gather_c6", "extent of result " + std::to_string(i) + " along all_gather_dim: got " +
                                  std::to_string(to) + ", expected a multiple of " + std::to_string(from));
    }
  }
  return out;
}

/// The element type in which `operand` is combined.
ElementType body_element(const TypeContext& c, std::string_view label, Type operand) {
  if (c.regions.size() != 1)
    c.fail(label, "number of bodies: got " + std::to_string(c.regions.size()) + ", expected 1");
  return check_body(c, c.regions[0], label, std::span(&operand, 1))[0];
}

std::vector<Type> type_all_reduce(const TypeContext& c) {
  expect_tensors(c, c.operands.size());
  check_replica_groups(c, {"all_reduce_c1", "all_reduce_c2", "all_reduce_c3", true});
  check_global_ids(c, "all_reduce_c4");
  if (!c.declared.empty()) expect_results(c, "all_reduce_c6", c.operands.size());
  std::vector<Type> out;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const Type t = c.operands[i];
    const ElementType e = body_element(c, "all_reduce_c5", t);
    const bool wrong_element = i < c.declared.size() && c.declared[i].is_tensor() && c.declared[i].element_type() != e;
    out.push_back(agreed(c, wrong_element ? "all_reduce_c7" : "all_reduce_c6", i, t.with_element(e)));
  }
  return out;
}

std::vector<Type> type_reduce_scatter(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  const Type t = c.operands[0];
  const int64_t axis = c.attrs.integer("scatter_dimension");
  expect_axis(c, "reduce_scatter_c2", "scatter_dimension", axis, t.rank());
  const int64_t columns = check_replica_groups(c, {"reduce_scatter_c3", "reduce_scatter_c4", "reduce_scatter_c5"});
  check_global_ids(c, "reduce_scatter_c6");
  const ElementType e = body_element(c, "reduce_scatter_c7", t);
  const int64_t from = t.dim(axis), size = known_group_size(c, columns);
  if (from == 0) c.fail("reduce_scatter_c1", "extent along scatter_dimension: got 0, expected a positive one");
  int64_t to = kDynamic;
  if (from != kDynamic && size != kDynamic) {
    if (from % size != 0) {
      c.fail("reduce_scatter_c1", "extent along scatter_dimension: got " + std::to_string(from) +
                                      ", expected a multiple of the group's size " + std::to_string(size));
    }
    to = from / size;
  } else {
    expect_results(c, "reduce_scatter_c8", 1);
  }
  const bool wrong_element = !c.declared.empty() && c.declared[0].is_tensor() && c.declared[0].element_type() != e;
  const Type out =
      agreed(c, wrong_element ? "reduce_scatter_c9" : "reduce_scatter_c8", 0, with_extent(t, axis, to).with_element(e));
  const int64_t extent = out.dim(axis);
  if (extent == 0) c.fail("reduce_scatter_c8", "extent of the result along scatter_dimension: got 0");
  if (from != kDynamic && extent != kDynamic && from % extent != 0) {
    c.fail("reduce_scatter_c8", "extent of the result along scatter_dimension: got " + std::to_string(extent) +
                                    ", expected a divisor of " + std::to_string(from));
  }
  return {out};
}

std::vector<Type> type_all_to_all(const TypeContext& c) {
  expect_tensors(c, c.operands.size());
  const int64_t split = c.attrs.integer("split_dimension"), concat = c.attrs.integer("concat_dimension"),
                count = c.attrs.integer("split_count");
  if (count <= 0) c.fail("all_to_all_c4", "split_count: got " + std::to_string(count) + ", expected a positive one");
  int64_t columns = check_replica_groups(c, {"all_to_all_c5", "all_to_all_c6", "all_to_all_c7"});
  if (const auto* groups = c.attrs.find("replica_groups")->get_if<Literal>()) columns = groups->type.dim(1);
  if (columns != kDynamic && columns != count) {
    c.fail("all_to_all_c8",
           "size of the groups: got " + std::to_string(columns) + ", expected split_count " + std::to_string(count));
  }
  if (!c.declared.empty()) expect_results(c, "all_to_all_c9", c.operands.size());
  std::vector<Type> out;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    Type t = c.operands[i];
    expect_axis(c, "all_to_all_c1", "split_dimension", split, t.rank());
    expect_axis(c, "all_to_all_c3", "concat_dimension", concat, t.rank());
    if (t.dim(split) != kDynamic) {
      if (t.dim(split) % count != 0) {
        c.fail("all_to_all_c2", "extent along split_dimension: got " + std::to_string(t.dim(split)) +
                                    ", expected a multiple of split_count " + std::to_string(count));
      }
      t = with_extent(t, split, t.dim(split) / count);
    }
    if (t.dim(concat) != kDynamic) t = with_extent(t, concat, t.dim(concat) * count);
    out.push_back(agreed(c, "all_to_all_c9", i, t));
  }
  return out;
}

/// Operands that carry data: all but the table of roots.
size_t num_data(const Attrs& attrs, size_t operands) {
  return operands - (attrs.boolean_or("has_dynamic_root", false) && operands > 0 ? 1 : 0);
}

/// The last operand of an op with a root that the program computes: one root for each operand.
void check_roots(const TypeContext& c, std::string_view label) {
  const size_t n = num_data(c.attrs, c.operands.size());
  if (n == 0) c.fail(label, "number of operands that carry data: got 0, expected at least 1");
  if (n == c.operands.size()) return;
  const Type roots = c.operands.back();
  if (!roots.is_tensor() || roots.rank() != 1 || roots.element_type() != ElementType::kI32) {
    c.fail(label, "type of the roots (has_dynamic_root): got " + roots.str() + ", expected a rank-1 tensor of i32");
  }
  if (!compatible_extent(roots.dim(0), static_cast<int64_t>(n)))
    c.fail(label, "number of roots: got " + std::to_string(roots.dim(0)) + ", expected " + std::to_string(n));
}

std::vector<Type> type_collective_broadcast(const TypeContext& c) {
  check_roots(c, "collective_broadcast_c4");
  const size_t n = num_data(c.attrs, c.operands.size());
  expect_tensors(c, n);
  check_replica_groups(c, {"collective_broadcast_c1", "", "collective_broadcast_c2"});
  if (!c.declared.empty()) expect_results(c, "collective_broadcast_c5", n);
  std::vector<Type> out;
  for (size_t i = 0; i < n; ++i) out.push_back(agreed(c, "collective_broadcast_c3", i, c.operands[i]));
  return out;
}

std::vector<Type> type_collective_reduce(const TypeContext& c) {
  check_roots(c, "");
  const size_t n = num_data(c.attrs, c.operands.size());
  expect_tensors(c, n);
  check_replica_groups(c, {"collective_reduce_c1", "collective_reduce_c2", "collective_reduce_c2", true});
  check_global_ids(c, "");
  if (!c.declared.empty()) expect_results(c, "collective_reduce_c3", n);
  std::vector<Type> out;
  for (size_t i = 0; i < n; ++i) {
    const Type t = c.operands[i];
    out.push_back(agreed(c, "collective_reduce_c3", i, t.with_element(body_element(c, "collective_reduce_c4", t))));
  }
  return out;
}

std::vector<Type> type_collective_permute(const TypeContext& c) {
  expect_tensors(c, c.operands.size());
  check_source_target_pairs(c);
  if (!c.declared.empty()) expect_results(c, "collective_permute_c5", c.operands.size());
  std::vector<Type> out;
  for (size_t i = 0; i < c.operands.size(); ++i) out.push_back(agreed(c, "collective_permute_c5", i, c.operands[i]));
  return out;
}

// ---- evaluation -----------------------------------------------------------------------------------------------------------

std::vector<Tensor> tensors_of(std::span<const EvalValue> operands) {
  std::vector<Tensor> out;
  for (const EvalValue& v : operands) out.push_back(v.tensor);
  return out;
}

std::vector<EvalValue> values_of(std::vector<Tensor> tensors) {
  std::vector<EvalValue> out;
  for (Tensor& t : tensors) out.emplace_back(std::move(t));
  return out;
}

/// Bytes of the elements behind one index of `axis`, and the number of those before it.
struct Blocks {
  int64_t outer = 1;
  size_t inner = 1;
  Blocks(const Tensor& t, int64_t axis) : inner(byte_size(t.element_type())) {
    for (int64_t d = 0; d < t.rank(); ++d) {
      const int64_t extent = t.shape()[static_cast<size_t>(d)];
      if (d < axis) outer *= extent;
      if (d > axis) inner *= static_cast<size_t>(extent);
    }
  }
};

Tensor concatenated(std::span<const Tensor> parts, int64_t axis) {
  Shape shape = parts[0].shape();
  int64_t& total = shape[static_cast<size_t>(axis)];
  total = 0;
  for (const Tensor& t : parts) total += t.shape()[static_cast<size_t>(axis)];
  Tensor out(parts[0].element_type(), shape);
  const Blocks blocks(out, axis);
  auto* to = static_cast<std::byte*>(out.raw());
  for (int64_t o = 0; o < blocks.outer; ++o) {
    for (const Tensor& t : parts) {
      const size_t bytes = static_cast<size_t>(t.shape()[static_cast<size_t>(axis)]) * blocks.inner;
      if (bytes == 0) continue;
      std::memcpy(to, static_cast<const std::byte*>(t.raw()) + static_cast<size_t>(o) * bytes, bytes);
      to += bytes;
    }
  }
  return out;
}

/// Part `index` of `count` equal parts along `axis`.
Tensor part_of(const Tensor& t, int64_t axis, int64_t count, int64_t index) {
  Shape shape = t.shape();
  shape[static_cast<size_t>(axis)] /= count;
  Tensor out(t.element_type(), shape);
  const Blocks blocks(out, axis);
  const size_t bytes = static_cast<size_t>(shape[static_cast<size_t>(axis)]) * blocks.inner;
  for (int64_t o = 0; o < blocks.outer && bytes != 0; ++o) {
    std::memcpy(static_cast<std::byte*>(out.raw()) + static_cast<size_t>(o) * bytes,
                static_cast<const std::byte*>(t.raw()) + static_cast<size_t>(o * count + index) * bytes, bytes);
  }
  return out;
}

/// A group that is all there, in its order.
struct Meeting {
  std::vector<ProcessId> group;
  std::vector<std::vector<Tensor>> values;  // process, operand
  int64_t self = 0;
  int64_t size() const { return static_cast<int64_t>(group.size()); }
  std::vector<Tensor> of_operand(size_t i) const {
    std::vector<Tensor> out;
    for (const auto& of_process : values) out.push_back(of_process[i]);
    return out;
  }
};

Meeting meet(EvalContext& context, const OpView& op, std::span<const EvalValue> operands, Grouping grouping) {
  Processes& processes = context.processes(op);
  Meeting m;
  m.group = own_group(op, processes, grouping);
  if (m.group.empty()) return m;
  m.self = std::ranges::find(m.group, processes.self()) - m.group.begin();
  m.values = processes.exchange(op, m.group, channel_of(op), tensors_of(operands));
  return m;
}

[[noreturn]] void fail_outside(EvalContext& context, const OpView& op) {
  const ProcessId self = context.processes(op).self();
  throw UserError("[" + std::string(op.def().mnemonic) + "] process (replica " + std::to_string(self.replica) +
                      ", partition " + std::to_string(self.partition) + ") is in no group of replica_groups",
                  op.loc());
}

Meeting meet_inside(EvalContext& context, const OpView& op, std::span<const EvalValue> operands, Grouping grouping) {
  Meeting m = meet(context, op, operands, grouping);
  if (m.group.empty()) fail_outside(context, op);
  return m;
}

/// A result whose extents follow from the number of processes, as the program declares it.
void expect_declared(const OpView& op, size_t i, const Tensor& t) {
  const Type got = Type::tensor(t.element_type(), t.shape());
  const Type expected = storage_type(op.result_type(i));
  if (is_compatible(got, expected)) return;
  throw UserError("[" + std::string(op.def().mnemonic) + "] type of result " + std::to_string(i) +
                      " among these processes: got " + got.str() + ", expected " + expected.str(),
                  op.loc());
}

std::vector<EvalValue> eval_all_gather(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Meeting m = meet_inside(context, op, operands, reduction_grouping(op));
  std::vector<Tensor> out;
  for (size_t i = 0; i < operands.size(); ++i) {
    out.push_back(concatenated(m.of_operand(i), op.attrs().integer("all_gather_dim")));
    expect_declared(op, i, out.back());
  }
  return values_of(std::move(out));
}

/// Operand i of all processes combined by the body, in the group's order.
Tensor combined(EvalContext& context, const OpView& op, const Meeting& m, size_t i, ElementType element) {
  BodyRunner body(context, op.function, op.region(0), {element});
  Tensor acc = convert_tensor(context, m.values[0][i], element).clone();
  for (size_t p = 1; p < m.values.size(); ++p) {
    const Tensor x = convert_tensor(context, m.values[p][i], element);
    if (FoldFn* fold = body.fold()) {
      fold(acc.raw(), 1, x.raw(), 1, acc.size());
      continue;
    }
    const size_t bytes = byte_size(element);
    for (int64_t e = 0; e < acc.size(); ++e) {
      std::byte* const to[] = {static_cast<std::byte*>(acc.raw()) + static_cast<size_t>(e) * bytes};
      const std::byte* const from[] = {static_cast<const std::byte*>(x.raw()) + static_cast<size_t>(e) * bytes};
      body.run(to, from);
    }
  }
  return acc;
}

std::vector<EvalValue> eval_all_reduce(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Meeting m = meet_inside(context, op, operands, reduction_grouping(op));
  std::vector<Tensor> out;
  for (size_t i = 0; i < operands.size(); ++i)
    out.push_back(combined(context, op, m, i, op.result_type(i).element_type()));
  return values_of(std::move(out));
}

std::vector<EvalValue> eval_reduce_scatter(EvalContext& context, const OpView& op,
                                           std::span<const EvalValue> operands) {
  const Meeting m = meet_inside(context, op, operands, reduction_grouping(op));
  const int64_t axis = op.attrs().integer("scatter_dimension");
  const int64_t extent = operands[0].tensor.shape()[static_cast<size_t>(axis)];
  if (extent % m.size() != 0) {
    throw UserError("[stablehlo.reduce_scatter] extent along scatter_dimension: got " + std::to_string(extent) +
                        ", expected a multiple of the group's size " + std::to_string(m.size()),
                    op.loc());
  }
  const Tensor sum = combined(context, op, m, 0, op.result_type(0).element_type());
  Tensor out = part_of(sum, axis, m.size(), m.self);
  expect_declared(op, 0, out);
  return {EvalValue(std::move(out))};
}

std::vector<EvalValue> eval_all_to_all(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Meeting m = meet_inside(context, op, operands, movement_grouping(op));
  const int64_t count = op.attrs().integer("split_count");
  if (m.size() != count) {
    throw UserError("[stablehlo.all_to_all] size of the group: got " + std::to_string(m.size()) +
                        ", expected split_count " + std::to_string(count),
                    op.loc());
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<Tensor> parts;
    for (const Tensor& t : m.of_operand(i))
      parts.push_back(part_of(t, op.attrs().integer("split_dimension"), count, m.self));
    out.push_back(concatenated(parts, op.attrs().integer("concat_dimension")));
  }
  return values_of(std::move(out));
}

/// For each operand that carries data, the place in the group from which it goes out (or to which it comes together).
std::vector<int64_t> roots_of(const OpView& op, const Meeting& m, std::span<const EvalValue> operands) {
  const size_t n = num_data(op.attrs(), operands.size());
  std::vector<int64_t> out(n, 0);
  if (n == operands.size()) return out;
  const auto roots = operands[n].tensor.data<int32_t>();
  for (size_t i = 0; i < n; ++i) {
    out[i] = roots[i];
    if (out[i] < 0 || out[i] >= m.size()) {
      throw UserError("[" + std::string(op.def().mnemonic) + "] root of operand " + std::to_string(i) + ": got " +
                          std::to_string(out[i]) + ", expected a place in the group, in [0, " +
                          std::to_string(m.size()) + ")" +
                          (op.def().mnemonic == "stablehlo.collective_broadcast" ? " (collective_broadcast_c6)" : ""),
                      op.loc());
    }
  }
  return out;
}

std::vector<EvalValue> eval_collective_broadcast(EvalContext& context, const OpView& op,
                                                 std::span<const EvalValue> operands) {
  const Meeting m = meet(context, op, operands, movement_grouping(op));
  const size_t n = num_data(op.attrs(), operands.size());
  std::vector<Tensor> out;
  if (m.group.empty()) {
    for (size_t i = 0; i < n; ++i) out.push_back(zeros_of(op.result_type(i), operands[i].tensor.shape()));
    return values_of(std::move(out));
  }
  const std::vector<int64_t> roots = roots_of(op, m, operands);
  for (size_t i = 0; i < n; ++i) out.push_back(m.values[static_cast<size_t>(roots[i])][i]);
  return values_of(std::move(out));
}

std::vector<EvalValue> eval_collective_reduce(EvalContext& context, const OpView& op,
                                              std::span<const EvalValue> operands) {
  const Meeting m = meet(context, op, operands, reduction_grouping(op));
  const size_t n = num_data(op.attrs(), operands.size());
  const std::vector<int64_t> roots = m.group.empty() ? std::vector<int64_t>(n, -1) : roots_of(op, m, operands);
  std::vector<Tensor> out;
  for (size_t i = 0; i < n; ++i) {
    const ElementType element = op.result_type(i).element_type();
    out.push_back(roots[i] == m.self ? combined(context, op, m, i, element)
                                     : zeros_of(op.result_type(i), operands[i].tensor.shape()));
  }
  return values_of(std::move(out));
}

std::vector<EvalValue> eval_collective_permute(EvalContext& context, const OpView& op,
                                               std::span<const EvalValue> operands) {
  Processes& processes = context.processes(op);
  const ProcessId self = processes.self();
  std::vector<Tensor> out;
  for (size_t i = 0; i < operands.size(); ++i) out.push_back(zeros_of(op.result_type(i), operands[i].tensor.shape()));
  // Every process walks the pairs in one order, so that rings do not wait for each other.
  for (const auto& pair :
       process_groups(op, processes, op.attrs().literal("source_target_pairs"), movement_grouping(op))) {
    if (pair.size() != 2 || (pair[0] != self && pair[1] != self)) continue;
    if (pair[0] == pair[1]) {
      out = tensors_of(operands);
      continue;
    }
    auto values = processes.exchange(op, pair, channel_of(op), tensors_of(operands));
    if (pair[1] == self) out = std::move(values[0]);
  }
  return values_of(std::move(out));
}

// ---- records ----------------------------------------------------------------------------------------------------------------

constexpr Refuse kNoSamples{"it needs more than one process; tests/op/collective.mlir runs it among three"};

constexpr OpFacets collective_facets(std::string_view doc, Schema schema, TypeFn* type, EvalFn* eval,
                                     LinearizeFn* linearize, TransposeFn* transpose) {
  return {.doc = doc,
          .syntax = Syntax::kGeneric,
          .schema = schema,
          .type = type,
          .eval = eval,
          .scalar = kNotElementwise,
          .linearize = linearize,
          .transpose = transpose,
          .vectorize = vectorize_collective,
          .uniformity = uniformity_any,
          .simplify = simplify_none,
          .aliases = alias_none,
          .effects = Effects::kIo,
          .cost = cost_move,
          .to_stablehlo = portable_as_is,
          .samples = kNoSamples};
}

constexpr AttrSpec kGroups{"replica_groups", AttrKind::kAny};
constexpr AttrSpec kHandle{"handle", AttrKind::kInt, false};
constexpr AttrSpec kChannelType{"type", AttrKind::kInt, false};
constexpr AttrSpec kGlobalIds{"use_global_device_ids", AttrKind::kBool, false};
constexpr AttrSpec kDynamicRoot{"has_dynamic_root", AttrKind::kBool, false};

const OpRecord kOps[] = {
    {{"stablehlo.all_gather"},
     collective_facets("The operands of a group's processes, joined along all_gather_dim.",
                       {{"all_gather_dim", AttrKind::kInt}, kGroups, kHandle, kChannelType, kGlobalIds},
                       type_all_gather, eval_all_gather, linearize_movement, transpose_all_gather)},
    {{"stablehlo.all_reduce"},
     collective_facets("The operands of a group's processes, combined by the body in the group's order.",
                       {kGroups, kHandle, kChannelType, kGlobalIds}, type_all_reduce, eval_all_reduce,
                       linearize_reduction, transpose_all_reduce)},
    {{"stablehlo.all_to_all"},
     collective_facets("Splits the operand along split_dimension, gives part i to process i of the group, and joins "
                       "what arrives along concat_dimension.",
                       {{"split_dimension", AttrKind::kInt},
                        {"concat_dimension", AttrKind::kInt},
                        {"split_count", AttrKind::kInt},
                        kGroups,
                        kHandle,
                        kChannelType},
                       type_all_to_all, eval_all_to_all, linearize_movement, transpose_all_to_all)},
    {{"stablehlo.collective_broadcast"},
     collective_facets("The operand of the first process of the group (or of the one that the last operand names by "
                       "its place); zeros in processes of no group.",
                       {kGroups, kHandle, kChannelType, kDynamicRoot}, type_collective_broadcast,
                       eval_collective_broadcast, linearize_movement, transpose_collective_broadcast)},
    {{"stablehlo.collective_permute"},
     collective_facets("The operand of the process from which a pair leads here; zeros where none does.",
                       {{"source_target_pairs", AttrKind::kLiteral}, kHandle, kChannelType}, type_collective_permute,
                       eval_collective_permute, linearize_movement, transpose_collective_permute)},
    {{"stablehlo.collective_reduce"},
     collective_facets("all_reduce in the first process of the group (or in the one that the last operand names by "
                       "its place); zeros elsewhere.",
                       {kGroups, kHandle, kChannelType, kGlobalIds, kDynamicRoot}, type_collective_reduce,
                       eval_collective_reduce, linearize_reduction, transpose_collective_reduce)},
    {{"stablehlo.reduce_scatter"},
     collective_facets("all_reduce, of which each process keeps its part along scatter_dimension.",
                       {{"scatter_dimension", AttrKind::kInt}, kGroups, kHandle, kChannelType, kGlobalIds},
                       type_reduce_scatter, eval_reduce_scatter, linearize_reduction, transpose_reduce_scatter)},
};

}  // namespace

Family collective_ops() { return kOps; }

}  // namespace weft
