// reduce. Attribute names:
//   reduce  dimensions (ints)
#include "ops/control_flow/control_flow_rules.h"
#include "ops/expansion.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/reduction/fold.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

std::vector<Type> type_reduce(const TypeContext& c) {
  const auto& dims = c.attrs.ints("dimensions");
  std::vector<int64_t> slice;
  if (!c.operands.empty() && c.operands[0].is_tensor())
    slice = pick(c.operands[0].shape(), kept_axes(c.operands[0].rank(), dims));
  const ReductionInputs in = check_reduction_inputs(c, "reduce_c3", "reduce_c1", "reduce_c2", slice);
  expect_in_range(c, "reduce_c4", "dimensions", dims, in.inputs[0].rank());
  expect_unique(c, "reduce_c5", "dimensions", dims);
  if (c.regions.size() != 1)
    c.fail("reduce_c6", "number of bodies: got " + std::to_string(c.regions.size()) + ", expected 1");
  const std::vector<ElementType> elements = check_body(c, c.regions[0], "reduce_c6", in.inputs);
  Type shape = in.inputs[0];
  for (const Type& t : in.inputs) shape = merge_types(shape, t.with_element(shape.element_type()));
  const std::vector<int64_t> kept = pick(shape.shape(), kept_axes(shape.rank(), dims)),
                             bounds = pick(bounds_of(shape), kept_axes(shape.rank(), dims));
  std::vector<Type> out;
  for (size_t i = 0; i < elements.size(); ++i) {
    out.push_back(Type::tensor(elements[i], kept).with_bounds(bounds));
    if (c.declared.size() != elements.size() || is_compatible(c.declared[i], out[i])) continue;
    const bool same_shape = c.declared[i].is_tensor() && is_compatible(c.declared[i].with_element(elements[i]), out[i]);
    c.expect_equal(same_shape ? "reduce_c8" : "reduce_c7", "type of result " + std::to_string(i), c.declared[i],
                   out[i]);
  }
  return out;
}

std::vector<EvalValue> eval_reduce(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const auto& dims = op.attrs().ints("dimensions");
  const size_t n = op.num_results();
  std::vector<ElementType> elements;
  for (size_t i = 0; i < n; ++i) elements.push_back(op.result_type(i).element_type());
  const BodyKind kind = classify_body(op.function, op.region(0));
  // Sums and products of floats of 16 bits and less keep their running value in f32: rounded at each step they would stall.
  const bool widen = n == 1 && (kind == BodyKind::kAdd || kind == BodyKind::kMultiply) && is_float(elements[0]) &&
                     byte_size(elements[0]) <= 2;
  if (widen) elements[0] = ElementType::kF32;
  BodyRunner body(context, op.function, op.region(0), elements);

  std::vector<Tensor> inputs, results;
  const Shape in_shape = operands[0].tensor.shape();
  const std::vector<int64_t> kept = kept_axes(static_cast<int64_t>(in_shape.size()), dims);
  const Shape out_shape = pick(in_shape, kept);
  for (size_t i = 0; i < n; ++i) {
    inputs.push_back(convert_tensor(context, operands[i].tensor, elements[i]));
    const Tensor init = convert_tensor(context, operands[n + i].tensor, elements[i]);
    Tensor result(elements[i], out_shape);
    const size_t bytes = byte_size(elements[i]);
    for (int64_t e = 0; e < result.size(); ++e) {
      std::memcpy(static_cast<std::byte*>(result.raw()) + static_cast<size_t>(e) * bytes, init.raw(), bytes);
    }
    results.push_back(std::move(result));
  }

  // Strides into the results: 0 along reduced dimensions.
  const std::vector<int64_t> out_strides = row_major_strides(out_shape);
  std::vector<int64_t> strides(in_shape.size(), 0);
  for (size_t i = 0; i < kept.size(); ++i) strides[static_cast<size_t>(kept[i])] = out_strides[i];
  const auto at = [](const Tensor& t, int64_t i) {
    return static_cast<std::byte*>(t.raw()) + static_cast<size_t>(i) * byte_size(t.element_type());
  };
  if (FoldFn* fold = body.fold()) {
    std::vector<int64_t> outer = in_shape, outer_strides = strides;
    const int64_t row = outer.empty() ? 1 : outer.back(), step = outer.empty() ? 0 : strides.back();
    if (!outer.empty()) {
      outer.pop_back();
      outer_strides.pop_back();
    }
    StridedWalk<1> walk(outer, {outer_strides});
    if (inputs[0].size() > 0) {
      int64_t from = 0;
      do {
        fold(at(results[0], walk.offset()), step, at(inputs[0], from), 1, row);
        from += row;
      } while (walk.next());
    }
  } else if (inputs[0].size() > 0) {
    std::vector<std::byte*> acc(n);
    std::vector<const std::byte*> x(n);
    StridedWalk<1> walk(in_shape, {strides});
    int64_t from = 0;
    do {
      for (size_t i = 0; i < n; ++i) {
        acc[i] = at(results[i], walk.offset());
        x[i] = at(inputs[i], from);
      }
      body.run(acc, x);
      ++from;
    } while (walk.next());
  }
  std::vector<EvalValue> out;
  for (size_t i = 0; i < n; ++i)
    out.emplace_back(convert_tensor(context, results[i], op.result_type(i).element_type()));
  return out;
}

// ---- derivatives ------------------------------------------------------------------------------------------------------

/// Position of each element among those reduced together, in the order of the reduction.
Value positions(OpBuilder& b, Type type, std::vector<int64_t> dims) {
  std::sort(dims.begin(), dims.end());
  const std::vector<int64_t> reduced = pick(type.shape(), dims);
  const int64_t count = num_elements(reduced);
  const ElementType element = count <= INT32_MAX ? ElementType::kI32 : ElementType::kI64;
  return b.broadcast_in_dim(b.reshape(b.iota(Type::tensor(element, {count}), 0), reduced), dims, type.shape());
}

Linearized linearize_reduce(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  expect_scalar_body(op, "derivative");
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const std::vector<int64_t> dims = op.attrs().ints("dimensions");
  const size_t n = op.num_results();
  const std::vector<BodyResult> body = classify_results(op.function, op.region(0));
  std::vector<size_t> selected;  // results whose tangent follows a selection
  for (size_t i = 0; i < n; ++i) {
    if ((tangents[i] || tangents[n + i]) && body[i].predicate && is_differentiable(op.result_type(i)))
      selected.push_back(i);
  }

  for (size_t i = 0; i < n; ++i) {
    if ((!tangents[i] && !tangents[n + i]) || body[i].predicate || !has_no_rule(body[i].kind)) continue;
    if (!is_differentiable(op.result_type(i))) continue;
    expect_foldable(op, "derivative");
    return {context.clone_primal(op, primals),
            expansion_detail::linearize(reduce_by_halves, context, op, primals, tangents).tangents};
  }

  Linearized out;
  std::vector<Value> chosen;  // for each of `selected`: the position that won, -1 for the init value
  if (selected.empty()) {
    out.results = context.clone_primal(op, primals);
  } else {
    const Value position = positions(primal, op.operand_type(0), dims);
    const Type scalar = Type::scalar(primal.type(position).element_type());
    std::vector<Value> operands(primals.begin(), primals.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<Followed> followed;
    for (size_t i : selected) {
      operands.push_back(position);
      followed.push_back({i, scalar});
    }
    operands.insert(operands.end(), primals.begin() + static_cast<std::ptrdiff_t>(n), primals.end());
    for (size_t i = 0; i < selected.size(); ++i) operands.push_back(primal.splat(scalar, -1));
    const RegionId region = following_body(primal, op, op.region(0), body, followed);
    std::vector<Value> all =
        primal.create("stablehlo.reduce", operands, Attrs{{"dimensions", dims}}, {}, std::span(&region, 1));
    chosen.assign(all.begin() + static_cast<std::ptrdiff_t>(n), all.end());
    all.resize(n);
    out.results = std::move(all);
  }

  const std::vector<int64_t> kept = kept_axes(op.operand_type(0).rank(), dims);
  for (size_t i = 0; i < n; ++i) {
    const Type result = op.result_type(i);
    if ((!tangents[i] && !tangents[n + i]) || !is_differentiable(result)) {
      out.tangents.push_back({});
      continue;
    }
    const ElementType element = result.element_type();
    const Value x_tangent = promoted(linear, tangents[i], element),
                init_tangent = promoted(linear, tangents[n + i], element);
    const auto at = std::find(selected.begin(), selected.end(), i);
    if (at == selected.end()) {
      const ReduceParts parts{promoted(primal, primals[i], element), promoted(primal, primals[n + i], element),
                              out.results[i], x_tangent, init_tangent};
      out.tangents.push_back(reduce_tangent(context, op, body[i].kind, dims, parts));
      continue;
    }
    const Value winner = chosen[static_cast<size_t>(at - selected.begin())];
    Value tangent;
    if (x_tangent) {
      const Type type = op.operand_type(i).with_element(element);
      const Value position = positions(primal, type, dims);
      const Value hit = primal.compare(position, primal.broadcast_in_dim(winner, kept, type.shape()), "EQ");
      tangent = linear.reduce(linear.select(hit, x_tangent, primal.zeros(type)), dims, "stablehlo.add",
                              primal.zeros(Type::scalar(element)));
    }
    if (init_tangent) {
      const Value hit = primal.compare(winner, primal.splat(primal.type(winner), -1), "EQ");
      tangent =
          add_tangents(linear, tangent,
                       linear.select(hit, linear.broadcast_scalar(init_tangent, result.shape()), primal.zeros(result)));
    }
    out.tangents.push_back(tangent);
  }
  return out;
}

std::vector<Value> transpose_reduce(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  // Linearization leaves only sums of one operand on the tape.
  OpBuilder& b = context.builder();
  if (op.num_results() != 1 || classify_body(op.function, op.region(0)) != BodyKind::kAdd) {
    refuse_body(op, "transposition", "only a sum of one operand is linear");
  }
  const Type x = op.operand_type(0), ct = b.type(cotangents[0]);
  const std::vector<int64_t> kept = kept_axes(x.rank(), op.attrs().ints("dimensions"));
  std::vector<Value> out(2);
  if (context.is_linear(0)) out[0] = b.convert(b.broadcast_in_dim(cotangents[0], kept, x.shape()), x.element_type());
  if (context.is_linear(1))
    out[1] = b.convert(b.reduce(cotangents[0], axis_range(0, ct.rank()), "stablehlo.add"), x.element_type());
  return out;
}

std::vector<LaneValue> vectorize_reduce(VectorizeContext& context, const OpView& op,
                                        std::span<const LaneValue> operands) {
  expect_scalar_body(op, "vectorization");
  OpBuilder& b = context.builder();
  const size_t n = op.num_results();
  const std::vector<int64_t> dims = shifted(op.attrs().ints("dimensions"));
  const bool init_varies = std::any_of(operands.begin() + static_cast<std::ptrdiff_t>(n), operands.end(),
                                       [](const LaneValue& v) { return v.varies; });
  if (init_varies) {
    // Init values of an op are single elements. With a known neutral element they can be combined in afterwards.
    const BodyKind kind = classify_body(op.function, op.region(0));
    if (body_mnemonic(kind).empty()) {
      expect_foldable(op, "vectorization with an init value that differs by lane");
      return expansion_detail::vectorize(reduce_by_halves, context, op, operands);
    }
    const ElementType element = op.result_type().element_type();
    const Value x = promoted(b, over_lanes(context, operands[0]), element),
                init = promoted(b, operands[1].value, element);
    const Value reduced = b.reduce(x, dims, body_mnemonic(kind));
    const Type t = b.type(reduced);
    const int64_t lane[] = {0};
    return {{b.make(body_mnemonic(kind), {b.broadcast_in_dim(init, lane, t.shape()), reduced}), true}};
  }
  std::vector<Value> values;
  for (size_t i = 0; i < n; ++i) values.push_back(over_lanes(context, operands[i]));
  for (size_t i = n; i < 2 * n; ++i) values.push_back(operands[i].value);
  const RegionId body = copy_uniform_body(context, op, op.region(0));
  std::vector<LaneValue> out;
  for (Value v : b.create("stablehlo.reduce", values, Attrs{{"dimensions", dims}}, {}, std::span(&body, 1)))
    out.push_back({v, true});
  return out;
}

Cost cost_reduce(const OpView& op) {
  const Type x = op.operand_type(0);
  return {x.is_static() ? static_cast<double>(x.num_elements()) : 0, moved_bytes(op)};
}

// ---- samples --------------------------------------------------------------------------------------------------------------

/// The larger of two values with its position, ties to the lower position: what argmax lowers to.
std::vector<Value> argmax(OpBuilder& b, std::span<const Value> x, std::vector<int64_t> dims) {
  const Type value = Type::scalar(b.type(x[0]).element_type()), index = Type::scalar(ElementType::kI32);
  const Type types[] = {value, index, value, index};
  const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
    const Value larger = r.logical_or(r.compare(a[0], a[2], "GT"), r.compare(a[0], a[0], "NE"));
    const Value tie = r.logical_and(r.compare(a[0], a[2], "EQ"), r.compare(a[1], a[3], "LT"));
    return std::vector{r.select(larger, a[0], a[2]), r.select(r.logical_or(larger, tie), a[1], a[3])};
  });
  const Type xt = b.type(x[0]);
  const Value operands[] = {x[0], b.iota(xt.with_element(ElementType::kI32), dims[0]), b.splat(value, -100),
                            b.scalar(ElementType::kI32, 0)};
  return b.create("stablehlo.reduce", operands, Attrs{{"dimensions", dims}}, {}, std::span(&body, 1));
}

std::vector<Sample> samples_reduce() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> shape, std::vector<int64_t> dims,
                       std::string_view body, Domain domain = {}, bool differentiable = true) {
    out.push_back(
        {std::move(label),
         {{Type::tensor(e, shape), domain}, {Type::scalar(e), domain}},
         [dims, body](OpBuilder& b, std::span<const Value> x) { return std::vector{b.reduce(x[0], dims, body, x[1])}; },
         differentiable && is_float(e)});
  };
  const Domain smooth{-2, 2, true, false}, special{-2, 2, false, true};
  add("sum", ElementType::kF64, {3, 4, 2}, {1}, "stablehlo.add");
  add("sum_crossed", ElementType::kF64, {3, 4, 2}, {2, 0}, "stablehlo.add");
  add("sum_all", ElementType::kF32, {3, 4}, {0, 1}, "stablehlo.add");
  add("sum_none", ElementType::kF64, {3, 2}, {}, "stablehlo.add");
  add("sum_rank_0", ElementType::kF64, {}, {}, "stablehlo.add");
  add("sum_empty", ElementType::kF64, {0, 3}, {0}, "stablehlo.add");
  add("sum_bf16", ElementType::kBF16, {4, 3}, {0}, "stablehlo.add");
  add("sum_special", ElementType::kF32, {4, 5}, {1}, "stablehlo.add", special, false);
  add("sum_i32", ElementType::kI32, {4, 3}, {1}, "stablehlo.add");
  add("product", ElementType::kF64, {7, 3}, {0}, "stablehlo.multiply");
  add("product_two", ElementType::kF64, {2, 3, 2}, {0, 2}, "stablehlo.multiply");
  add("product_f16", ElementType::kF16, {3, 2}, {1}, "stablehlo.multiply");
  add("maximum", ElementType::kF64, {4, 5}, {1}, "stablehlo.maximum", smooth);
  add("minimum", ElementType::kF32, {4, 5}, {0}, "stablehlo.minimum", smooth);
  add("maximum_special", ElementType::kF32, {4, 5}, {0}, "stablehlo.maximum", special, false);
  add("and", ElementType::kI1, {4, 3}, {0}, "stablehlo.and");
  add("or_i32", ElementType::kI32, {4, 3}, {0}, "stablehlo.or");
  out.push_back({"argmax",
                 {{Type::tensor(ElementType::kF64, {3, 5}), smooth}},
                 [](OpBuilder& b, std::span<const Value> x) { return argmax(b, x, {1}); }});
  // Bodies of several ops.
  out.push_back(
      {"log_add_exp",
       {{Type::tensor(ElementType::kF64, {5, 3}), {}}, {Type::scalar(ElementType::kF64), {}}},
       [](OpBuilder& b, std::span<const Value> x) {
         const Type e = Type::scalar(ElementType::kF64);
         const Type types[] = {e, e};
         const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
           const Val p{&r, a[0]}, q{&r, a[1]};
           return std::vector{
               (p.unary("stablehlo.exponential") + q.unary("stablehlo.exponential")).unary("stablehlo.log").value};
         });
         return b.create("stablehlo.reduce", x, Attrs{{"dimensions", Attr::Ints{0}}}, {}, std::span(&body, 1));
       }});
  out.push_back({"products of affine maps",
                 {{Type::tensor(ElementType::kF64, {2, 4}), {}},
                  {Type::tensor(ElementType::kF64, {2, 4}), {}},
                  {Type::scalar(ElementType::kF64), {}},
                  {Type::scalar(ElementType::kF64), {}}},
                 [](OpBuilder& b, std::span<const Value> x) {
                   const Type e = Type::scalar(b.type(x[0]).element_type());
                   const Type types[] = {e, e, e, e};
                   const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
                     return std::vector{r.multiply(a[2], a[0]), r.add(r.multiply(a[2], a[1]), a[3])};
                   });
                   return b.create("stablehlo.reduce", x, Attrs{{"dimensions", Attr::Ints{1, 0}}}, {},
                                   std::span(&body, 1));
                 }});
  return out;
}

const OpRecord kOps[] = {
    {{.mnemonic = "stablehlo.reduce"},
     {.doc = "Folds the elements along `dimensions` with the body, in row-major order, starting from the init values. "
             "Sums and products of "
             "16-bit floats keep their running value in f32. Derivatives: ties of maximum and minimum share the "
             "cotangent equally; "
             "bodies that select between their arguments (argmax) pass it to the element that won; "
             "others are differentiated as a fold in halves.",
      .syntax = Syntax::kCustom,
      .schema = {{"dimensions", AttrKind::kInts}},
      .type = type_reduce,
      .eval = eval_reduce,
      .scalar = kNotElementwise,
      .linearize = linearize_reduce,
      .transpose = transpose_reduce,
      .vectorize = vectorize_reduce,
      .uniformity = uniformity_with_bodies,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_reduce,
      .to_stablehlo = portable_as_is,
      .samples = samples_reduce}},
};

}  // namespace

Family reduction_ops() { return kOps; }

}  // namespace weft
