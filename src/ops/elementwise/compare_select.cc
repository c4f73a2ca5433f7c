// compare, select and clamp: elementwise ops whose operands differ in type or may be scalars among tensors.
#include <array>
#include <bit>

#include "ops/elementwise/compare_type.h"
#include "ops/elementwise/elementwise.h"
#include "ops/families_list.h"
#include "ops/indexing/select_update.h"

namespace weft {
namespace {

// ---- compare --------------------------------------------------------------------------------------------------------------

enum class Direction { kEq, kNe, kLt, kLe, kGt, kGe };
constexpr std::array<std::string_view, 6> kDirections = {"EQ", "NE", "LT", "LE", "GT", "GE"};

std::optional<Direction> find_direction(std::string_view text) {
  for (size_t i = 0; i < kDirections.size(); ++i) {
    if (kDirections[i] == text) return static_cast<Direction>(i);
  }
  return std::nullopt;
}

template <class T>
T compare_numbers(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::kEq: return equal(a, b);
    case Direction::kNe: return not_equal(a, b);
    case Direction::kLt: return a < b;
    case Direction::kLe: return a <= b;
    case Direction::kGt: return a > b;
    case Direction::kGe: break;
  }
  return a >= b;
}

/// A number whose order is the total order of the floats: -NaN < -inf < … < -0 < +0 < … < inf < NaN.
Num total_order_key(Num a) {
  const auto bits = std::bit_cast<int64_t>(a.real);
  return Num::of_bits(ElementType::kI64, bits ^ ((bits >> 63) & INT64_MAX));
}
SExpr total_order_key(SExpr a) {
  const bool is_wide = a.type() == ElementType::kF64;
  const SExpr bits = a.bitcast(is_wide ? ElementType::kI64 : ElementType::kI32);
  const auto word = [&](uint64_t v) { return SExpr::constant_bits(a.program(), bits.type(), v); };
  const SExpr sign = shift_right_arithmetic(bits, word(is_wide ? 63 : 31));
  return bit_xor(bits, bit_and(sign, word(is_wide ? INT64_MAX : INT32_MAX)));
}

std::string compare_type(const OpView& op) { return op.attrs().text_or("compare_type", ""); }

bool is_total_order(const OpView& op) { return is_total_order(op.operand_type(0).element_type(), compare_type(op)); }

std::vector<Type> type_compare(const TypeContext& context) {
  context.expect_operands(2);
  expect_class(context, 0, kAnyClass);
  expect_class(context, 1, kAnyClass);
  const Type lhs = context.operands[0], rhs = context.operands[1];
  if (lhs.element_type() == rhs.element_type() && !is_compatible(lhs, rhs)) {
    context.fail("compare_c2", "shape of operand 1: got " + rhs.str() + ", expected that of operand 0, " + lhs.str());
  }
  const Type t = type_same(context, 2, kAnyClass)[0];
  const std::string& direction = context.attrs.text("comparison_direction");
  if (!find_direction(direction)) {
    context.fail("compare_i3", "comparison_direction: got " + direction + ", expected EQ, NE, GE, GT, LE or LT");
  }
  const std::string kind = context.attrs.text_or("compare_type", "");
  const ElementType e = t.element_type();
  // NOTYPE and absence mean the type that follows from the elements. i1 compares as unsigned.
  const bool is_number = is_integer(e) || is_boolean(e);
  const bool fits = kind.empty() || kind == "NOTYPE" || (kind == "FLOAT" && (is_float(e) || is_complex(e))) ||
                    (kind == "TOTALORDER" && !is_complex(e)) || (kind == "UNSIGNED" && is_number) ||
                    (kind == "SIGNED" && is_integer(e));
  if (!fits) {
    const std::string_view expected = is_float(e)     ? "FLOAT or TOTALORDER"
                                      : is_complex(e) ? "FLOAT"
                                      : is_boolean(e) ? "UNSIGNED"
                                                      : "SIGNED or UNSIGNED";
    context.fail("compare_c3", "compare_type: got " + kind + ", expected " + std::string(expected) + " for " + t.str());
  }
  return {t.with_element(ElementType::kI1)};
}

std::vector<EvalValue> eval_compare(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Direction direction = *find_direction(op.attrs().text("comparison_direction"));
  if (is_total_order(op)) {
    return map_elements(op, operands, [direction](const Num* x) {
      return compare_numbers(direction, total_order_key(x[0]), total_order_key(x[1]));
    });
  }
  const ElementType own = op.operand_type(0).element_type(), as = compared_as(own, compare_type(op));
  if (as != own) {
    return map_elements(op, operands, [direction, as](const Num* x) {
      return compare_numbers(direction, convert(x[0], as), convert(x[1], as));
    });
  }
  return map_elements(op, operands, [direction](const Num* x) { return compare_numbers(direction, x[0], x[1]); });
}

SExpr scalar_compare(const OpView& op, std::span<const SExpr> x) {
  const Direction direction = *find_direction(op.attrs().text("comparison_direction"));
  if (is_total_order(op)) return compare_numbers(direction, total_order_key(x[0]), total_order_key(x[1]));
  const ElementType as = compared_as(x[0].type(), compare_type(op));
  return compare_numbers(direction, x[0].convert(as), x[1].convert(as));
}

std::vector<Sample> samples_compare() {
  std::vector<Sample> out;
  for (std::string_view direction : kDirections) {
    for (Sample s : elementwise_samples("stablehlo.compare", 2, kRealClass, {}, false)) {
      s.label = std::string(direction) + " " + s.label;
      s.emit = [direction](OpBuilder& b, std::span<const Value> x) {
        return std::vector<Value>{b.compare(x[0], x[1], direction)};
      };
      out.push_back(std::move(s));
    }
  }
  return out;
}

// ---- select ---------------------------------------------------------------------------------------------------------------

bool is_scalar_or_shape_of(Type scalar, Type tensor) {
  return scalar.is_scalar() || is_compatible(scalar, tensor.with_element(scalar.element_type()));
}

std::vector<Type> type_select(const TypeContext& context) {
  context.expect_operands(3);
  expect_class(context, 0, kBooleanClass);
  expect_class(context, 1, kAnyClass);
  const Type on_true = context.operands[1], on_false = context.operands[2];
  if (!is_compatible(on_true, on_false)) {
    context.fail("select_c2",
                 "type of operand 2: got " + on_false.str() + ", expected the type of operand 1, " + on_true.str());
  }
  if (!is_scalar_or_shape_of(context.operands[0], on_true)) {
    context.fail("select_c1", "shape of the predicate: got " + context.operands[0].str() +
                                  ", expected a scalar or the shape of " + on_true.str());
  }
  return {merge_types(on_true, on_false)};
}

std::vector<EvalValue> eval_select(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  return map_elements(op, operands, [](const Num* x) { return select(x[0], x[1], x[2]); });
}

SExpr scalar_select(const OpView&, std::span<const SExpr> x) { return select(x[0], x[1], x[2]); }

Linearized linearize_select(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  const auto or_zero = [&](Value t) { return t ? t : context.primal().zeros(op.result_type()); };
  return {results, {context.linear().select(primals[0], or_zero(tangents[1]), or_zero(tangents[2]))}};
}

std::vector<Value> transpose_select(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Value zero = b.zeros(b.type(cotangents[0]));
  return {Value{}, context.is_linear(1) ? b.select(op.operand(0), cotangents[0], zero) : Value{},
          context.is_linear(2) ? b.select(op.operand(0), zero, cotangents[0]) : Value{}};
}

/// `v` over lanes in the shape of `like` (which has the lane axis): a scalar per lane is repeated along the other axes.
Value spread(VectorizeContext& context, const LaneValue& v, Type like) {
  OpBuilder& b = context.builder();
  const Type t = b.type(v.value);
  if (!v.varies || t.rank() == like.rank()) return v.value;
  const std::array<int64_t, 1> lane_axis = {0};
  return b.broadcast_in_dim(v.value, lane_axis, like.shape());
}

/// Where the op takes scalars among tensors, a uniform scalar stays one and a scalar that varies is spread.
template <bool kScalar0, bool kScalar1, bool kScalar2>
std::vector<LaneValue> vectorize_with_scalars(VectorizeContext& context, const OpView& op,
                                              std::span<const LaneValue> operands) {
  constexpr bool kMayBeScalar[] = {kScalar0, kScalar1, kScalar2};
  const Type result = with_lanes(op.result_type(), context.lanes());
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (kMayBeScalar[i] && op.operand_type(i).is_scalar()) {
      values.push_back(spread(context, operands[i], result));
    } else {
      values.push_back(operands[i].varies ? operands[i].value : context.broadcast(operands[i]));
    }
  }
  return {{context.builder().create(op.def(), values, op.attrs(), std::array{result})[0], true}};
}

std::vector<Value> simplify_select(SimplifyContext& context, const OpView& op) {
  if (op.operand(1) == op.operand(2)) return {op.operand(1)};
  if (const std::optional<Num> pred = splat_value(context, op.operand(0))) return {op.operand(pred->truth() ? 1 : 2)};
  if (auto smaller = select_in_update(context, op); !smaller.empty()) return smaller;
  return fold_constants(context, op);
}

Sample sample(std::string label, std::vector<SampleOperand> operands, std::string_view mnemonic, bool differentiable) {
  return {std::move(label), std::move(operands),
          [mnemonic](OpBuilder& b, std::span<const Value> x) { return b.create(mnemonic, x); }, differentiable};
}

std::vector<Sample> samples_select() {
  using enum ElementType;
  std::vector<Sample> out;
  for (ElementType t : {kI1, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64}) {
    const Domain domain{t == kI1 || is_unsigned_integer(t) ? 0.0 : -2.0, t == kI1 ? 1.0 : 2.0};
    const auto add = [&](std::string label, std::initializer_list<int64_t> pred, std::initializer_list<int64_t> shape,
                         bool special) {
      Domain d = domain;
      d.special = special;
      out.push_back(
          sample(std::string(name(t)) + label,
                 {{Type::tensor(kI1, pred), {0, 1}}, {Type::tensor(t, shape), d}, {Type::tensor(t, shape), d}},
                 "stablehlo.select", !special && (t == kF32 || t == kF64)));
    };
    add("", {3, 2}, {3, 2}, false);
    add(" scalar predicate", {}, {3, 2}, false);
    add(" special", {40}, {40}, true);
    if (t == kF32 || t == kF64) {
      add(" rank 0", {}, {}, false);
      add(" no elements", {0, 2}, {0, 2}, false);
    }
  }
  return out;
}

// ---- clamp ----------------------------------------------------------------------------------------------------------------

std::vector<Type> type_clamp(const TypeContext& context) {
  context.expect_operands(3);
  for (size_t i = 0; i < 3; ++i) expect_class(context, i, kAnyClass);
  const Type operand = context.operands[1];
  for (size_t i : {0, 2}) {
    const Type bound = context.operands[i];
    if (bound.element_type() != operand.element_type()) {
      context.fail("clamp_c3", "element type of operand " + std::to_string(i) + ": got " + bound.str() +
                                   ", expected that of " + operand.str());
    }
    if (!is_scalar_or_shape_of(bound, operand)) {
      context.fail(i == 0 ? "clamp_c1" : "clamp_c2", "shape of operand " + std::to_string(i) + ": got " + bound.str() +
                                                         ", expected a scalar or the shape of " + operand.str());
    }
  }
  return {operand};
}

// minimum(maximum(operand, min), max), as the specification says; NaN in any of the three gives NaN.
std::vector<EvalValue> eval_clamp(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  return map_elements(op, operands, [](const Num* x) { return minimum(maximum(x[1], x[0]), x[2]); });
}

SExpr scalar_clamp(const OpView&, std::span<const SExpr> x) { return minimum(maximum(x[1], x[0]), x[2]); }

/// As minimum(maximum(operand, min), max), written out of those ops so that ties and bounds have their derivatives.
Linearized linearize_clamp(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                           std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder& p = context.primal();
  OpBuilder& linear = context.linear();
  const Type t = op.result_type();
  const auto full = [&](OpBuilder& b, Value v) {
    return b.type(v).rank() == t.rank() ? v : b.broadcast_scalar(v, t.shape());
  };
  const Value low = full(p, primals[0]), x = primals[1], high = full(p, primals[2]);
  const Value raised = p.maximum(x, low), zero = p.zeros(t), half = p.splat(t, 0.5);
  // The share of each operand in an extremum of (a, b): all, half at a tie, none.
  const auto share = [&](Value tangent, Value a, Value b, std::string_view direction) {
    if (!tangent) return Value{};
    const Value tied = linear.select(p.compare(a, b, "EQ"), linear.multiply(tangent, half), zero);
    return linear.select(p.compare(a, b, direction), tangent, tied);
  };
  Value inner;
  if (tangents[1]) inner = share(tangents[1], x, low, "GT");
  if (tangents[0]) inner = add_tangents(linear, inner, share(full(linear, tangents[0]), low, x, "GT"));
  Value sum = share(inner, raised, high, "LT");
  if (tangents[2]) sum = add_tangents(linear, sum, share(full(linear, tangents[2]), high, raised, "LT"));
  return {results, {sum}};
}

std::vector<Sample> samples_clamp() {
  using enum ElementType;
  std::vector<Sample> out;
  for (ElementType t : {kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64}) {
    const bool is_unsigned = is_unsigned_integer(t);
    const auto add = [&](std::string label, std::initializer_list<int64_t> bound, std::initializer_list<int64_t> shape,
                         bool special) {
      // Domains that touch only rarely: bounds on either side of the middle of the operand's.
      const double shift = is_unsigned ? 6 : 0;
      Domain low{shift - 3, shift - 1.5}, x{shift - 6, shift + 6}, high{shift + 1.5, shift + 3};
      low.special = x.special = high.special = special;
      low.smooth_only = x.smooth_only = high.smooth_only = !special;
      out.push_back(sample(std::string(name(t)) + label,
                           {{Type::tensor(t, bound), low}, {Type::tensor(t, shape), x}, {Type::tensor(t, bound), high}},
                           "stablehlo.clamp", !special && (t == kF32 || t == kF64)));
    };
    add("", {4, 3}, {4, 3}, false);
    add(" scalar bounds", {}, {4, 3}, false);
    add(" special", {40}, {40}, true);
    if (t == kF32 || t == kF64) {
      add(" rank 0", {}, {}, false);
      add(" no elements", {}, {0}, false);
    }
  }
  return out;
}

// ---- the table ------------------------------------------------------------------------------------------------------------

constexpr OpRecord kRecords[] = {
    {{.mnemonic = "stablehlo.compare"},
     {.doc = "Elementwise comparison by comparison_direction (EQ NE GE GT LE LT). Comparisons with NaN are false, NE "
             "true.",
      .syntax = Syntax::kCustom,
      .schema = {{"comparison_direction", AttrKind::kText}, {"compare_type", AttrKind::kText, false}},
      .type = type_compare,
      .eval = eval_compare,
      .scalar = scalar_compare,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = samples_compare}},
    {{.mnemonic = "stablehlo.select"},
     {.doc = "on_true where pred holds, else on_false. pred may be a scalar. Derivatives flow by select, so NaN in the "
             "operand that is not taken does no harm.",
      .syntax = Syntax::kCustom,
      .schema = {},
      .type = type_select,
      .eval = eval_select,
      .scalar = scalar_select,
      .linearize = linearize_select,
      .transpose = transpose_select,
      .vectorize = vectorize_with_scalars<true, false, false>,
      .uniformity = uniformity_any,
      .simplify = simplify_select,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = samples_select}},
    {{.mnemonic = "stablehlo.clamp"},
     {.doc = "minimum(maximum(operand, min), max); min and max may be scalars. Derivative at a tie: half of each.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_clamp,
      .eval = eval_clamp,
      .scalar = scalar_clamp,
      .linearize = linearize_clamp,
      .transpose = kNotLinear,
      .vectorize = vectorize_with_scalars<true, false, true>,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = samples_clamp}},
};

}  // namespace

Family compare_select_ops() { return kRecords; }

}  // namespace weft
