// map. Attribute names: dimensions (ints).
#include "ops/elementwise/map.h"
#include "ir/clone.h"

#include "ops/control_flow/control_flow_rules.h"
#include "ops/expansion.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/reduction/fold.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

std::vector<Type> type_map(const TypeContext& c) {
  if (c.operands.empty()) c.fail("map_c2", "number of inputs: got 0, expected at least one");
  for (size_t i = 0; i < c.operands.size(); ++i) expect_tensor(c, i);
  Type shape = c.operands[0];
  for (size_t i = 1; i < c.operands.size(); ++i) {
    const Type t = c.operands[i].with_element(shape.element_type());
    if (!is_compatible(shape, t)) {
      c.fail("map_c1", "shape of input " + std::to_string(i) + ": got " + format_list(t.shape()) +
                           ", expected that of input 0, " + format_list(shape.shape()));
    }
    shape = merge_types(shape, t);
  }
  const auto& dims = c.attrs.ints("dimensions");
  const std::vector<int64_t> all = axis_range(0, shape.rank());
  if (dims != all) c.fail("map_c3", "dimensions: got " + format_list(dims) + ", expected " + format_list(all));
  if (c.regions.size() != 1)
    c.fail("map_c4", "number of computations: got " + std::to_string(c.regions.size()) + ", expected 1");
  const Function& f = c.function;
  const auto args = f.args(c.regions[0]);
  expect_count(c, "map_c4", "arguments of the computation", args.size(), c.operands.size());
  for (size_t i = 0; i < args.size(); ++i) {
    c.expect_equal("map_c4", "type of argument " + std::to_string(i) + " of the computation", f.type(args[i]),
                   Type::scalar(c.operands[i].element_type()));
  }
  const OpId last = f.terminator(c.regions[0]);
  expect_count(c, "map_c4", "values that the computation returns", last ? f.operands(last).size() : 0, 1);
  const Type result = f.type(f.operands(last)[0]);
  if (!result.is_scalar())
    c.fail("map_c4", "type of what the computation returns: got " + result.str() + ", expected a rank-0 tensor");
  return {shape.with_element(result.element_type())};
}

std::vector<EvalValue> eval_map(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  Tensor out(op.result_type().element_type(), operands[0].tensor.shape());
  const size_t bytes = byte_size(out.element_type());
  for (int64_t i = 0; i < out.size(); ++i) {
    std::vector<EvalValue> args;
    for (const EvalValue& v : operands) {
      Tensor one(v.tensor.element_type(), {});
      const size_t width = byte_size(one.element_type());
      std::memcpy(one.raw(), static_cast<const std::byte*>(v.tensor.raw()) + static_cast<size_t>(i) * width, width);
      args.emplace_back(std::move(one));
    }
    const Tensor result = context.run_region(op.region(0), std::move(args))[0].tensor;
    std::memcpy(static_cast<std::byte*>(out.raw()) + static_cast<size_t>(i) * bytes, result.raw(), bytes);
  }
  return {out};
}

bool is_elementwise(const OpView& op) {
  return op.result_type().is_static() && works_on_arrays(op.function, op.region(0));
}

/// The computation's ops on whole arrays.
std::vector<Value> expand_map(OpBuilder& b, const OpView& op, std::span<const Value> given) {
  return body_on_arrays(b, op.function, op.region(0), given, op.result_type().shape());
}

std::vector<Value> simplify_map(SimplifyContext& context, const OpView& op) {
  if (!is_elementwise(op)) return {};
  return expand_map(context.builder(), op, std::vector<Value>(op.operands().begin(), op.operands().end()));
}

/// That of the computation on whole arrays.
Linearized linearize_map(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                         std::span<const Value> tangents) {
  if (!is_elementwise(op))
    throw Unsupported("[stablehlo.map] derivative: the computation has an op that does not work element by element",
                      op.loc());
  if (!captures(op.function, op.region(0)).empty())
    throw Unsupported("[stablehlo.map] derivative: the computation uses a value from outside; pass it as an operand",
                      op.loc());
  return expansion_detail::linearize(expand_map, context, op, primals, tangents);
}

std::vector<LaneValue> vectorize_map(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(over_lanes(context, v));
  const RegionId body = copy_uniform_body(context, op, op.region(0));
  Attrs attrs = op.attrs();
  attrs.set("dimensions", axis_range(0, op.result_type().rank() + 1));
  return {{context.builder().create(op.def(), values, attrs, {}, std::span(&body, 1))[0], true}};
}

Cost cost_map(const OpView& op) {
  const Type t = op.result_type();
  const double n = t.is_static() ? static_cast<double>(t.num_elements()) : 0;
  return {n * static_cast<double>(op.function.ops(op.region(0)).size()), moved_bytes(op)};
}

std::vector<Sample> samples_map() {
  const auto add = [](std::string label, ElementType e, std::vector<int64_t> shape) {
    const SampleOperand x{Type::tensor(e, shape), {}};
    return Sample{std::move(label), {x, x}, [=](OpBuilder& b, std::span<const Value> v) {
                    const Type types[] = {Type::scalar(e), Type::scalar(e)};
                    // a·b + 3
                    const RegionId body = b.make_region(types, [&](OpBuilder& r, std::span<const Value> a) {
                      return std::vector{r.add(r.multiply(a[0], a[1]), r.scalar(e, 3))};
                    });
                    return b.create("stablehlo.map", v,
                                    Attrs{{"dimensions", axis_range(0, static_cast<int64_t>(shape.size()))}}, {},
                                    std::span(&body, 1));
                  }};
  };
  return {add("f64", ElementType::kF64, {2, 3}), add("i32", ElementType::kI32, {4}),
          add("scalar", ElementType::kF32, {})};
}

const OpRecord kOps[] = {
    {{"stablehlo.map"},
     {.doc = "computation(x0[i], x1[i], …) for each index i of the inputs.",
      .syntax = Syntax::kGeneric,
      .schema = {{"dimensions", AttrKind::kInts}},
      .type = type_map,
      .eval = eval_map,
      .scalar = kNotElementwise,
      .linearize = linearize_map,
      .transpose = kNotLinear,
      .vectorize = vectorize_map,
      .uniformity = uniformity_with_bodies,
      .simplify = simplify_map,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_map,
      .to_stablehlo = portable_as_is,
      .samples = samples_map}},
};

}  // namespace

std::optional<std::vector<Value>> map_in_ops(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  if (!is_elementwise(op)) return std::nullopt;
  return expand_map(b, op, operands);
}

Family map_ops() { return kOps; }

}  // namespace weft
