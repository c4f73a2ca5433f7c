// reduce_window and select_and_scatter. Attribute names:
//   reduce_window       window_dimensions, window_strides, base_dilations, window_dilations, padding (low, high per dimension): ints
//   select_and_scatter  window_dimensions, window_strides, padding (low, high per dimension): ints
#include <cmath>

#include "ops/expansion.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/reduction/fold.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/window_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

void check_lists(const TypeContext& c, std::string_view label_prefix, size_t rank,
                 std::initializer_list<std::pair<const char*, int>> lists) {
  // Each list's count carries constraint number `first`, its sign the next one.
  for (const auto& [attr, first] : lists) {
    const auto label = [&](int number) { return std::string(label_prefix) + "_c" + std::to_string(number); };
    if (!c.attrs.has(attr)) continue;
    expect_count(c, label(first), attr, c.attrs.ints(attr).size(), rank);
    expect_positive(c, label(first + 1), attr, c.attrs.ints(attr));
  }
}

void check_padding(const TypeContext& c, std::string_view label, size_t rank) {
  if (c.attrs.has("padding"))
    expect_count(c, label, "padding (low and high per dimension)", c.attrs.ints("padding").size(), 2 * rank);
}

std::vector<Type> type_reduce_window(const TypeContext& c) {
  const ReductionInputs in = check_reduction_inputs(c, "reduce_window_c1", "reduce_window_c2", "reduce_window_c3",
                                                    c.attrs.ints("window_dimensions"));
  const size_t rank = static_cast<size_t>(in.inputs[0].rank());
  check_lists(c, "reduce_window", rank,
              {{"window_dimensions", 4}, {"window_strides", 6}, {"base_dilations", 8}, {"window_dilations", 10}});
  check_padding(c, "reduce_window_c12", rank);
  if (c.regions.size() != 1)
    c.fail("reduce_window_c13", "number of bodies: got " + std::to_string(c.regions.size()) + ", expected 1");
  const std::vector<ElementType> elements = check_body(c, c.regions[0], "reduce_window_c13", in.inputs);
  Type shape = in.inputs[0];
  for (const Type& t : in.inputs) shape = merge_types(shape, t.with_element(shape.element_type()));
  const Window window(c.attrs, shape.rank());
  const std::vector<int64_t> counts = window.counts(shape.shape()), bounds = window.counts(bounds_of(shape));
  std::vector<Type> out;
  for (size_t i = 0; i < elements.size(); ++i) {
    out.push_back(Type::tensor(elements[i], counts).with_bounds(bounds));
    if (c.declared.size() != elements.size() || is_compatible(c.declared[i], out[i])) continue;
    const bool same_shape = c.declared[i].is_tensor() && is_compatible(c.declared[i].with_element(elements[i]), out[i]);
    c.expect_equal(same_shape ? "reduce_window_c16" : "reduce_window_c15", "type of result " + std::to_string(i),
                   c.declared[i], out[i]);
  }
  return out;
}

std::vector<Type> type_select_and_scatter(const TypeContext& c) {
  c.expect_operands(3);
  for (size_t i = 0; i < 3; ++i) expect_tensor(c, i);
  const Type x = c.operands[0], source = c.operands[1], init = c.operands[2];
  const auto expect_element = [&](std::string_view label, std::string_view what, Type t) {
    if (t.element_type() != x.element_type()) {
      c.fail(label, "element type of " + std::string(what) + ": got " + std::string(name(t.element_type())) +
                        ", expected " + std::string(name(x.element_type())));
    }
  };
  expect_element("select_and_scatter_c1", "source", source);
  expect_element("select_and_scatter_c3", "init_value", init);
  if (!init.is_scalar())
    c.fail("select_and_scatter_i3", "init_value: got " + init.str() + ", expected a rank-0 tensor");
  const size_t rank = static_cast<size_t>(x.rank());
  check_lists(c, "select_and_scatter", rank, {{"window_dimensions", 4}, {"window_strides", 6}});
  check_padding(c, "select_and_scatter_c8", rank);
  if (!c.attrs.has("window_dimensions")) c.fail("select_and_scatter_c4", "attribute window_dimensions is missing");
  const Window window(c.attrs, x.rank());
  const Type windows = source.with_shape(window.counts(x.shape())).with_bounds(window.counts(bounds_of(x)));
  if (!is_compatible(source, windows)) c.expect_equal("select_and_scatter_c2", "source", source, windows);
  if (c.regions.size() != 2)
    c.fail("select_and_scatter_c9",
           "number of regions: got " + std::to_string(c.regions.size()) + ", expected select and scatter");
  const Function& f = c.function;
  const RegionId select = c.regions[0];
  const Type scalar = Type::scalar(x.element_type());
  if (f.args(select).size() != 2) {
    c.fail("select_and_scatter_c9",
           "number of arguments of select: got " + std::to_string(f.args(select).size()) + ", expected 2");
  }
  for (Value v : f.args(select)) c.expect_equal("select_and_scatter_c9", "argument of select", f.type(v), scalar);
  const OpId last = f.terminator(select);
  if (!last || f.operands(last).size() != 1) c.fail("select_and_scatter_c9", "select must return one value");
  c.expect_equal("select_and_scatter_c9", "value that select returns", f.type(f.operand(last, 0)),
                 Type::scalar(ElementType::kI1));
  const std::vector<ElementType> elements = check_body(c, c.regions[1], "select_and_scatter_c10", std::span(&x, 1));
  const Type result = x.with_element(elements[0]);
  if (c.declared.size() == 1 && !is_compatible(c.declared[0], result)) {
    const bool same_shape = c.declared[0].is_tensor() && is_compatible(c.declared[0].with_element(elements[0]), result);
    c.expect_equal(same_shape ? "select_and_scatter_c12" : "select_and_scatter_c11", "result type", c.declared[0],
                   result);
  }
  return {result};
}

// ---- lanes ----------------------------------------------------------------------------------------------------------------

/// x with the window's padding and base dilation in place, filled with init[lane].
Value pad_with_lanes(OpBuilder& b, const Window& w, Value x, Value init) {
  std::vector<int64_t> low, high, interior;
  for (size_t d = 0; d < w.dimensions.size(); ++d) {
    low.push_back(w.padding[2 * d]);
    high.push_back(w.padding[2 * d + 1]);
    interior.push_back(w.base_dilations[d] - 1);
  }
  const Type type = b.type(x);
  const Value padded = b.pad(x, b.scalar(type.element_type(), 0), low, high, interior);
  if (padded == x) return x;
  const Type flags = type.with_element(ElementType::kI1);
  const Value inside = b.pad(b.splat(flags, 1), b.scalar(ElementType::kI1, 0), low, high, interior);
  const int64_t lane[] = {0};
  return b.select(inside, padded, b.broadcast_in_dim(init, lane, b.type(padded).shape()));
}

std::vector<LaneValue> vectorize_reduce_window(VectorizeContext& context, const OpView& op,
                                               std::span<const LaneValue> operands) {
  expect_scalar_body(op, "vectorization");
  OpBuilder& b = context.builder();
  const size_t n = op.num_results();
  const Window window = Window(op).over_lanes();
  bool init_varies = false;
  for (size_t i = n; i < 2 * n; ++i) init_varies = init_varies || operands[i].varies;
  if (init_varies) {
    // Init values of an op are single elements. With a known neutral element they can be combined in afterwards; the padding,
    // which is made of them, is put in place first.
    const BodyKind kind = classify_body(op.function, op.region(0));
    if (body_mnemonic(kind).empty()) {
      expect_foldable(op, "vectorization with an init value that differs by lane");
      return expansion_detail::vectorize(reduce_window_by_halves, context, op, operands);
    }
    const Type result = op.result_type();
    if (result.is_static() && result.num_elements() == 0) return {{b.zeros(with_lanes(result, context.lanes())), true}};
    const ElementType e = result.element_type();
    const int64_t lane[] = {0};
    const Value init = promoted(b, operands[1].value, e);
    const Value x = pad_with_lanes(b, window, promoted(b, over_lanes(context, operands[0]), e), init);
    Window bare = window;
    std::fill(bare.padding.begin(), bare.padding.end(), 0);
    std::fill(bare.base_dilations.begin(), bare.base_dilations.end(), 1);
    // A reduction over nothing gives the body's neutral element.
    const Value neutral = b.reduce(b.zeros(Type::tensor(e, {0})), lane, body_mnemonic(kind));
    const Value reduced = b.reduce_window(x, neutral, bare, body_mnemonic(kind));
    return {{b.make(body_mnemonic(kind), {b.broadcast_in_dim(init, lane, b.type(reduced).shape()), reduced}), true}};
  }
  std::vector<Value> values;
  for (size_t i = 0; i < n; ++i) values.push_back(over_lanes(context, operands[i]));
  for (size_t i = n; i < 2 * n; ++i) values.push_back(operands[i].value);
  const RegionId body = copy_uniform_body(context, op, op.region(0));
  std::vector<LaneValue> out;
  for (Value v : b.create("stablehlo.reduce_window", values, window.reduce_attrs(), {}, std::span(&body, 1)))
    out.push_back({v, true});
  return out;
}

std::vector<LaneValue> vectorize_select_and_scatter(VectorizeContext& context, const OpView& op,
                                                    std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const Window window = Window(op).over_lanes();
  Value init = operands[2].value;
  if (operands[2].varies) {
    if (classify_body(op.function, op.region(1)) != BodyKind::kAdd) {
      refuse_body(op, "vectorization", "the init value differs by lane, and scatter is not add");
    }
    init = b.scalar(op.operand_type(2).element_type(), 0);
  }
  const RegionId regions[] = {copy_uniform_body(context, op, op.region(0)),
                              copy_uniform_body(context, op, op.region(1))};
  const Value values[] = {over_lanes(context, operands[0]), over_lanes(context, operands[1]), init};
  Value out = b.create("stablehlo.select_and_scatter", values, window.select_attrs(), {}, regions)[0];
  if (operands[2].varies) {
    const Type t = b.type(out);
    const int64_t lane[] = {0};
    out = b.add(out, b.broadcast_in_dim(b.convert(operands[2].value, t.element_type()), lane, t.shape()));
  }
  return {{out, true}};
}

// ---- cost, samples ----------------------------------------------------------------------------------------------------------

Cost cost_windows(const OpView& op, Type windows) {
  double taps = windows.is_static() ? static_cast<double>(windows.num_elements()) : 0;
  for (int64_t k : op.attrs().ints("window_dimensions")) taps *= static_cast<double>(k);
  return {taps, moved_bytes(op)};
}
Cost cost_reduce_window(const OpView& op) { return cost_windows(op, op.result_type()); }
Cost cost_select_and_scatter(const OpView& op) { return cost_windows(op, op.operand_type(1)); }

std::vector<Sample> samples_reduce_window() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> shape, WindowAttrs w,
                       std::string_view body, Domain domain = {}, bool differentiable = true) {
    out.push_back({std::move(label),
                   {{Type::tensor(e, shape), domain}, {Type::scalar(e), domain}},
                   [w, body](OpBuilder& b, std::span<const Value> x) {
                     return std::vector{b.reduce_window(x[0], x[1], w, body)};
                   },
                   differentiable && is_float(e)});
  };
  // Pooling as it is met: the init value is the body's neutral element, a constant.
  const auto add_pool = [&](std::string label, ElementType e, std::vector<int64_t> shape, WindowAttrs w,
                            std::string_view body, double init) {
    out.push_back({std::move(label),
                   {{Type::tensor(e, shape), {-2, 2, true, false}}},
                   [w, body, init, e](OpBuilder& b, std::span<const Value> x) {
                     return std::vector{b.reduce_window(x[0], b.scalar(e, init), w, body)};
                   }});
  };
  const Domain smooth{-2, 2, true, false}, special{-2, 2, false, true};
  add("sum", ElementType::kF64, {5, 4}, {{2, 3}, {}, {}, {}, {}}, "stablehlo.add");
  add("sum_strides_padding", ElementType::kF64, {5, 6}, {{3, 2}, {2, 3}, {}, {}, {1, 2, 0, 1}}, "stablehlo.add");
  add("sum_negative_padding", ElementType::kF64, {7, 6}, {{2, 2}, {1, 2}, {}, {}, {-1, 2, 1, -2}}, "stablehlo.add");
  add("sum_dilated", ElementType::kF64, {4, 6}, {{3, 2}, {2, 1}, {2, 1}, {1, 3}, {2, 1, 1, 0}}, "stablehlo.add");
  add("sum_f32", ElementType::kF32, {6}, {{6}, {1}, {}, {}, {5, 0}}, "stablehlo.add");
  add("sum_bf16", ElementType::kBF16, {6}, {{3}, {1}, {}, {}, {}}, "stablehlo.add");
  add("sum_i32", ElementType::kI32, {6}, {{3}, {2}, {}, {}, {1, 1}}, "stablehlo.add");
  add("no_window_fits", ElementType::kF64, {2}, {{3}, {1}, {}, {}, {}}, "stablehlo.add");
  add("rank_0", ElementType::kF64, {}, {{}, {}, {}, {}, {}}, "stablehlo.add");
  add("product", ElementType::kF64, {5, 3}, {{3, 2}, {2, 1}, {}, {}, {1, 1, 0, 0}}, "stablehlo.multiply");
  add("maximum", ElementType::kF64, {5, 4}, {{2, 3}, {2, 1}, {}, {}, {1, 0, 0, 1}}, "stablehlo.maximum", smooth);
  add("maximum_special", ElementType::kF32, {5, 4}, {{2, 3}, {1, 1}, {}, {}, {}}, "stablehlo.maximum", special, false);
  add("or", ElementType::kI1, {5}, {{2}, {1}, {}, {}, {}}, "stablehlo.or");
  add_pool("max_pool", ElementType::kF64, {1, 4, 6, 2}, {{1, 2, 2, 1}, {1, 2, 2, 1}, {}, {}, {}}, "stablehlo.maximum",
           -HUGE_VAL);
  add_pool("max_pool_overlapping", ElementType::kF64, {1, 5, 5, 1},
           {{1, 3, 3, 1}, {1, 2, 2, 1}, {}, {}, {0, 0, 1, 1, 1, 1, 0, 0}}, "stablehlo.maximum", -HUGE_VAL);
  add_pool("min_pool_f32", ElementType::kF32, {6}, {{3}, {1}, {}, {}, {1, 1}}, "stablehlo.minimum", HUGE_VAL);
  add_pool("max_pool_dilated", ElementType::kF64, {7}, {{3}, {1}, {1}, {2}, {1, 1}}, "stablehlo.maximum", -HUGE_VAL);
  // The value carried along is the one beside the largest key.
  out.push_back({"selected_pairs",
                 {{Type::tensor(ElementType::kF64, {6}), smooth}, {Type::tensor(ElementType::kF64, {6}), {}}},
                 [](OpBuilder& b, std::span<const Value> x) {
                   const Window w(Attrs{{"window_dimensions", Attr::Ints{3}},
                                        {"window_strides", Attr::Ints{2}},
                                        {"padding", Attr::Ints{1, 1}}},
                                  1);
                   const Value inits[] = {b.scalar(ElementType::kF64, -HUGE_VAL), b.scalar(ElementType::kF64, 0)};
                   return emit_select_window(b, w, x, inits, "GE");
                 }});
  // A body of several ops.
  out.push_back(
      {"log_add_exp",
       {{Type::tensor(ElementType::kF64, {6}), {}}, {Type::scalar(ElementType::kF64), {}}},
       [](OpBuilder& b, std::span<const Value> x) {
         const Window w(Attrs{{"window_dimensions", Attr::Ints{3}},
                              {"window_strides", Attr::Ints{2}},
                              {"base_dilations", Attr::Ints{2}},
                              {"padding", Attr::Ints{1, 0}}},
                        1);
         const Type e = Type::scalar(ElementType::kF64);
         const Type types[] = {e, e};
         const RegionId body = b.make_region(types, [](OpBuilder& r, std::span<const Value> a) {
           const Val p{&r, a[0]}, q{&r, a[1]};
           return std::vector{
               (p.unary("stablehlo.exponential") + q.unary("stablehlo.exponential")).unary("stablehlo.log").value};
         });
         return b.create("stablehlo.reduce_window", x, w.reduce_attrs(), {}, std::span(&body, 1));
       }});
  return out;
}

std::vector<Sample> samples_select_and_scatter() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> shape, Attrs window,
                       std::string_view direction) {
    const Window w(window, static_cast<int64_t>(shape.size()));
    out.push_back({std::move(label),
                   {{Type::tensor(e, shape), {-2, 2, true, false}},
                    {Type::tensor(e, w.counts(shape)), {}},
                    {Type::scalar(e), {}}},
                   [w, direction](OpBuilder& b, std::span<const Value> x) {
                     return std::vector{emit_select_and_scatter(b, w, x[0], x[1], x[2], direction)};
                   },
                   is_float(e)});
  };
  add("max", ElementType::kF64, {4, 6}, {{"window_dimensions", Attr::Ints{2, 2}}, {"window_strides", Attr::Ints{2, 2}}},
      "GE");
  add("overlapping", ElementType::kF64, {5, 4},
      {{"window_dimensions", Attr::Ints{3, 2}},
       {"window_strides", Attr::Ints{1, 2}},
       {"padding", Attr::Ints{1, 1, 0, 1}}},
      "GE");
  add("min_f32", ElementType::kF32, {6}, {{"window_dimensions", Attr::Ints{3}}, {"window_strides", Attr::Ints{2}}},
      "LE");
  add("last_of_ties_i32", ElementType::kI32, {6},
      {{"window_dimensions", Attr::Ints{3}}, {"window_strides", Attr::Ints{1}}}, "GT");
  add("no_window_fits", ElementType::kF64, {2},
      {{"window_dimensions", Attr::Ints{3}}, {"window_strides", Attr::Ints{1}}}, "GE");
  return out;
}

const OpRecord kOps[] = {
    {{.mnemonic = "stablehlo.reduce_window"},
     {.doc = "Folds the elements of each window with the body, in row-major order, starting from the init values; "
             "padding counts as init "
             "values. Derivatives: the first maximum (minimum) of a window gets the cotangent; products lay their "
             "windows out.",
      .syntax = Syntax::kGeneric,
      .schema = {{"window_dimensions", AttrKind::kInts},
                 {"window_strides", AttrKind::kInts, false},
                 {"base_dilations", AttrKind::kInts, false},
                 {"window_dilations", AttrKind::kInts, false},
                 {"padding", AttrKind::kInts, false}},
      .type = type_reduce_window,
      .eval = eval_reduce_window,
      .scalar = kNotElementwise,
      .linearize = linearize_reduce_window,
      .transpose = transpose_reduce_window,
      .vectorize = vectorize_reduce_window,
      .uniformity = uniformity_with_bodies,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_reduce_window,
      .to_stablehlo = portable_as_is,
      .samples = samples_reduce_window}},
    {{.mnemonic = "stablehlo.select_and_scatter"},
     {.doc = "Each window of the operand selects one element; the source's elements are scattered there, onto the init "
             "value. A window of "
             "padding only selects nothing. The selection counts as constant in derivatives.",
      .syntax = Syntax::kGeneric,
      .schema = {{"window_dimensions", AttrKind::kInts, false},
                 {"window_strides", AttrKind::kInts, false},
                 {"padding", AttrKind::kInts, false}},
      .type = type_select_and_scatter,
      .eval = eval_select_and_scatter,
      .scalar = kNotElementwise,
      .linearize = linearize_select_and_scatter,
      .transpose = transpose_select_and_scatter,
      .vectorize = vectorize_select_and_scatter,
      .uniformity = uniformity_with_bodies,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = cost_select_and_scatter,
      .to_stablehlo = portable_as_is,
      .samples = samples_select_and_scatter}},
};

}  // namespace

Family window_ops() { return kOps; }

}  // namespace weft
