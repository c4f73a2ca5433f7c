// sort and chlo.top_k. Attribute names:
//   sort   dimension (int, default -1), is_stable (bool)
//   top_k  k (int)
#include <cmath>

#include "ops/control_flow/control_flow_rules.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/sort_order.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

int64_t sorted_dimension(const OpView& op) {
  const int64_t d = op.attrs().integer_or("dimension", -1);
  return d < 0 ? d + op.operand_type(0).rank() : d;
}

// ---- sort -----------------------------------------------------------------------------------------------------------

std::vector<Type> type_sort(const TypeContext& c) {
  if (c.operands.empty()) c.fail("sort_c1", "number of inputs: got 0, expected at least one");
  for (size_t i = 0; i < c.operands.size(); ++i) expect_tensor(c, i);
  Type shape = c.operands[0];
  for (size_t i = 1; i < c.operands.size(); ++i) {
    const Type t = c.operands[i].with_element(shape.element_type());
    if (!is_compatible(shape, t)) {
      c.fail("sort_c3", "shape of input " + std::to_string(i) + ": got " + format_list(t.shape()) +
                            ", expected that of input 0, " + format_list(shape.shape()));
    }
    shape = merge_types(shape, t);
  }
  const int64_t rank = shape.rank(), d = c.attrs.integer_or("dimension", -1);
  // A rank of 0 has no dimension; verifiers of others let the default pass.
  if (!(rank == 0 && d == -1) && (d < -rank || d >= rank)) {
    c.fail("sort_c4", "dimension: got " + std::to_string(d) + ", expected a value in [" + std::to_string(-rank) + ", " +
                          std::to_string(rank) + ")");
  }
  if (c.regions.size() != 1)
    c.fail("sort_c5", "number of comparators: got " + std::to_string(c.regions.size()) + ", expected 1");
  const Function& f = c.function;
  const auto args = f.args(c.regions[0]);
  expect_count(c, "sort_c5", "arguments of the comparator", args.size(), 2 * c.operands.size());
  for (size_t i = 0; i < args.size(); ++i) {
    c.expect_equal("sort_c5", "type of argument " + std::to_string(i) + " of the comparator", f.type(args[i]),
                   Type::scalar(c.operands[i / 2].element_type()));
  }
  const OpId last = f.terminator(c.regions[0]);
  const size_t results = last ? f.operands(last).size() : 0;
  expect_count(c, "sort_c5", "values that the comparator returns", results, 1);
  c.expect_equal("sort_c5", "type of what the comparator returns", f.type(f.operands(last)[0]),
                 Type::scalar(ElementType::kI1));
  std::vector<Type> out;
  for (const Type& t : c.operands) out.push_back(merge_types(t, shape.with_element(t.element_type())));
  return out;
}

/// The elements of one slice, contiguous.
Tensor read_slice(const Tensor& x, const Slices& slices, int64_t slice) {
  Tensor out(x.element_type(), {slices.length});
  visit_size(byte_size(x.element_type()), [&](auto tag) {
    using T = decltype(tag);
    const T* from = static_cast<const T*>(x.raw()) + slices.first(slice);
    T* to = static_cast<T*>(out.raw());
    for (int64_t j = 0; j < slices.length; ++j) to[j] = from[j * slices.step];
  });
  return out;
}

/// Elements `order` of a slice into another array's slice.
void write_slice(Tensor& out, const Slices& to, int64_t slice, const Tensor& from, std::span<const int64_t> order) {
  visit_size(byte_size(out.element_type()), [&](auto tag) {
    using T = decltype(tag);
    const T* source = static_cast<const T*>(from.raw());
    T* target = static_cast<T*>(out.raw()) + to.first(slice);
    for (int64_t j = 0; j < to.length; ++j) target[j * to.step] = source[order[static_cast<size_t>(j)]];
  });
}

std::vector<int64_t> positions(int64_t n) {
  std::vector<int64_t> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = i;
  return out;
}

std::vector<EvalValue> eval_sort(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Slices slices(operands[0].tensor.shape(), sorted_dimension(op));
  const RegionId comparator = op.region(0);
  const auto keys = sort_keys(op.function, comparator);
  std::vector<Tensor> out;
  for (const EvalValue& v : operands) out.emplace_back(v.tensor.element_type(), v.tensor.shape());
  if (out[0].size() == 0) return {out.begin(), out.end()};
  for (int64_t s = 0; s < slices.count; ++s) {
    std::vector<Tensor> slice;
    for (const EvalValue& v : operands) slice.push_back(read_slice(v.tensor, slices, s));
    std::vector<int64_t> order = positions(slices.length);
    if (keys) {
      const KeyOrder less(*keys, slice);
      stable_order(order, less);
    } else {
      const auto element = [&](size_t operand, int64_t i) {
        const Tensor& t = slice[operand];
        const size_t bytes = byte_size(t.element_type());
        const auto owner = std::make_shared<Buffer>(t.buffer());
        return EvalValue(Tensor(t.element_type(), {},
                                Buffer::wrap(t.buffer().data() + static_cast<size_t>(i) * bytes, bytes, owner)));
      };
      std::vector<std::vector<EvalValue>> elements(slice.size());
      for (size_t k = 0; k < slice.size(); ++k) {
        for (int64_t i = 0; i < slices.length; ++i) elements[k].push_back(element(k, i));
      }
      stable_order(order, [&](int64_t a, int64_t b) {
        std::vector<EvalValue> args;
        for (const auto& e : elements) {
          args.push_back(e[static_cast<size_t>(a)]);
          args.push_back(e[static_cast<size_t>(b)]);
        }
        return context.run_region(comparator, std::span<const EvalValue>(args))[0].tensor.scalar<bool>();
      });
    }
    for (size_t k = 0; k < out.size(); ++k) write_slice(out[k], slices, s, slice[k], order);
  }
  return {out.begin(), out.end()};
}

/// The sort carries positions along; tangents follow them.
Linearized linearize_sort(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  OpBuilder& b = context.primal();
  const int64_t d = sorted_dimension(op);
  const size_t n = primals.size();
  const Type index = Type::scalar(ElementType::kI32);
  std::vector<Type> types;
  for (Value v : op.function.args(op.region(0))) types.push_back(op.function.type(v));
  types.insert(types.end(), {index, index});
  const RegionId comparator = b.make_region(types, [&](OpBuilder& inner, std::span<const Value> args) {
    return context.regions().copy_region(op.region(0), inner, args.first(2 * n));
  });
  std::vector<Value> operands(primals.begin(), primals.end());
  operands.push_back(b.iota(op.operand_type(0).with_element(ElementType::kI32), d));
  Linearized out;
  out.results = b.create(op.def(), operands, op.attrs(), {}, std::span(&comparator, 1));
  const Value order = out.results.back();
  out.results.pop_back();
  for (size_t i = 0; i < n; ++i)
    out.tangents.push_back(tangents[i] ? take_along(context.linear(), tangents[i], order, d) : Value{});
  return out;
}

std::vector<LaneValue> vectorize_sort(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(over_lanes(context, v));
  const RegionId comparator = copy_uniform_body(context, op, op.region(0));
  Attrs attrs = op.attrs();
  // Without a dimension there is one element, and the lanes must not be sorted.
  if (op.operand_type(0).rank() == 0) return {operands.begin(), operands.end()};
  attrs.set("dimension", sorted_dimension(op) + 1);
  std::vector<LaneValue> out;
  for (Value v : context.builder().create(op.def(), values, attrs, {}, std::span(&comparator, 1)))
    out.push_back({v, true});
  return out;
}

Cost cost_sort(const OpView& op) {
  const Type x = op.operand_type(0);
  const double n = x.is_static() ? static_cast<double>(x.num_elements()) : 0;
  return {n * std::log2(n + 2) * static_cast<double>(op.num_operands()), moved_bytes(op)};
}

/// Sorts by the first of the operands.
std::vector<Value> emit_sort(OpBuilder& b, std::span<const Value> x, int64_t dimension, std::string_view direction) {
  std::vector<Type> types;
  for (Value v : x) types.insert(types.end(), 2, Type::scalar(b.type(v).element_type()));
  const RegionId comparator = b.make_region(types, [&](OpBuilder& c, std::span<const Value> args) {
    return std::vector{c.compare(args[0], args[1], direction)};
  });
  return b.create("stablehlo.sort", x, Attrs{{"dimension", dimension}, {"is_stable", true}}, {},
                  std::span(&comparator, 1));
}

std::vector<Sample> samples_sort() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, std::vector<SampleOperand> operands, int64_t dimension,
                       std::string_view direction, bool differentiable) {
    out.push_back({std::move(label), std::move(operands),
                   [=](OpBuilder& b, std::span<const Value> x) { return emit_sort(b, x, dimension, direction); },
                   differentiable});
  };
  using enum ElementType;
  const Domain distinct{-2, 2, true, false}, small{0, 4}, special{-2, 2, false, true};
  add("f64", {{Type::tensor(kF64, {5}), distinct}}, 0, "LT", true);
  add("with a payload", {{Type::tensor(kF64, {3, 4}), distinct}, {Type::tensor(kF64, {3, 4}), {}}}, 1, "GT", true);
  add("columns", {{Type::tensor(kF64, {4, 3}), distinct}}, 0, "LT", true);
  add("ties", {{Type::tensor(kI32, {9}), small}, {Type::tensor(kI64, {9}), {}}}, -1, "LT", false);
  add("special", {{Type::tensor(kF32, {2, 9}), special}}, 1, "LT", false);
  add("no elements", {{Type::tensor(kF32, {0, 3}), {}}}, 1, "LT", false);
  for (ElementType e : {kI1, kI8, kU8, kU32, kF16, kBF16})
    add(std::string(name(e)), {{Type::tensor(e, {6}), small}}, 0, "GT", false);
  return out;
}

// ---- top_k ------------------------------------------------------------------------------------------------------------

std::vector<Type> type_top_k(const TypeContext& c) {
  c.expect_operands(1);
  expect_class(c, 0, kRealClass);
  const Type x = c.operands[0];
  const int64_t k = c.attrs.integer("k");
  if (x.rank() < 1) c.fail("", "rank of the operand: got 0, expected at least 1");
  if (k < 0) c.fail("", "k: got " + std::to_string(k) + ", expected a value that is not negative");
  const int64_t extent = x.shape().back();
  if (extent != kDynamic && extent < k) {
    c.fail("", "extent of the operand's last dimension: got " + std::to_string(extent) +
                   ", expected at least k = " + std::to_string(k));
  }
  std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  shape.back() = k;
  return {x.with_shape(shape), Type::tensor(ElementType::kI32, shape)};
}

std::vector<EvalValue> eval_top_k(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  Shape shape = x.shape();
  shape.back() = op.attrs().integer("k");
  const Slices from(x.shape(), x.rank() - 1), to(shape, x.rank() - 1);
  Tensor values(x.element_type(), shape), indices(ElementType::kI32, shape);
  const SortKey keys[] = {{0, true, is_float(x.element_type()), false, false}};
  for (int64_t s = 0; s < from.count && to.length > 0; ++s) {
    const Tensor slice[] = {read_slice(x, from, s)};
    std::vector<int64_t> order = positions(from.length);
    const KeyOrder less(keys, slice);
    stable_order(order, less);
    write_slice(values, to, s, slice[0], order);
    int32_t* at = indices.mutable_data<int32_t>() + to.first(s);
    for (int64_t j = 0; j < to.length; ++j) at[j] = static_cast<int32_t>(order[static_cast<size_t>(j)]);
  }
  return {values, indices};
}

Linearized linearize_top_k(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                           std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  return {results, {take_along(context.linear(), tangents[0], results[1], op.operand_type(0).rank() - 1), Value{}}};
}

std::vector<LaneValue> vectorize_top_k(VectorizeContext& context, const OpView& op,
                                       std::span<const LaneValue> operands) {
  const Value x[] = {over_lanes(context, operands[0])};
  const std::vector<Value> r = context.builder().create(op.def(), x, op.attrs());
  return {{r[0], true}, {r[1], true}};
}

/// The sort that top_k stands for: descending in the total order, ties by position.
std::vector<Value> portable_top_k(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  OpBuilder& b = context.builder();
  const Type x = b.type(operands[0]);
  const Type element = Type::scalar(x.element_type()), index = Type::scalar(ElementType::kI32);
  const Type types[] = {element, element, index, index};
  const RegionId comparator = b.make_region(types, [&](OpBuilder& c, std::span<const Value> args) {
    Attrs attrs{{"comparison_direction", "GT"}};
    if (is_float(x.element_type())) attrs.set("compare_type", "TOTALORDER");
    return std::vector{c.make("stablehlo.compare", {args[0], args[1]}, attrs)};
  });
  const Value inputs[] = {operands[0], b.iota(x.with_element(ElementType::kI32), x.rank() - 1)};
  std::vector<Value> sorted = b.create(
      "stablehlo.sort", inputs, Attrs{{"dimension", x.rank() - 1}, {"is_stable", true}}, {}, std::span(&comparator, 1));
  const std::vector<int64_t> start(static_cast<size_t>(x.rank()), 0);
  std::vector<int64_t> limit(x.shape().begin(), x.shape().end());
  limit.back() = op.attrs().integer("k");
  for (Value& v : sorted) v = b.slice(v, start, limit);
  return sorted;
}

std::vector<Sample> samples_top_k() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, Type t, Domain domain, int64_t k, bool differentiable) {
    out.push_back({std::move(label),
                   {{t, domain}},
                   [k](OpBuilder& b, std::span<const Value> x) { return b.create("chlo.top_k", x, Attrs{{"k", k}}); },
                   differentiable});
  };
  using enum ElementType;
  add("f64", Type::tensor(kF64, {5}), {-2, 2, true, false}, 2, true);
  add("rows", Type::tensor(kF64, {3, 4}), {-2, 2, true, false}, 3, true);
  add("ties", Type::tensor(kI32, {2, 9}), {0, 4}, 5, false);
  add("special", Type::tensor(kF32, {12}), {-2, 2, false, true}, 12, false);
  add("none", Type::tensor(kF32, {3}), {}, 0, false);
  return out;
}

const OpRecord kOps[] = {
    {{"stablehlo.sort"},
     {.doc = "Slices along `dimension` of all inputs together, sorted by comparator(a0, b0, a1, b1, …), which says "
             "whether element a comes before b; equal elements keep their order.",
      .syntax = Syntax::kGeneric,
      .schema = {{"dimension", AttrKind::kInt, false}, {"is_stable", AttrKind::kBool, false}},
      .type = type_sort,
      .eval = eval_sort,
      .scalar = kNotElementwise,
      .linearize = linearize_sort,
      .transpose = kNotLinear,
      .vectorize = vectorize_sort,
      .uniformity = uniformity_with_bodies,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_sort,
      .to_stablehlo = portable_as_is,
      .samples = samples_sort}},
    {{"chlo.top_k"},
     {.doc = "The k largest elements along the last dimension, largest first, and their positions. Floats compare in "
             "their total order (NaN largest); equal elements by position.",
      .syntax = Syntax::kCustom,
      .schema = {{"k", AttrKind::kInt}},
      .type = type_top_k,
      .eval = eval_top_k,
      .scalar = kNotElementwise,
      .linearize = linearize_top_k,
      .transpose = kNotLinear,
      .vectorize = vectorize_top_k,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_sort,
      .to_stablehlo = portable_top_k,
      .samples = samples_top_k}},
};

}  // namespace

Family sort_ops() { return kOps; }

}  // namespace weft
