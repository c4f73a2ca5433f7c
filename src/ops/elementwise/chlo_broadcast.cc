// chlo.broadcast_*: an elementwise op on operands that are first broadcast to one shape, as numpy does: aligned at their last
// dimensions, extents of 1 repeated. broadcast_dimensions, of two operands of different rank, places the smaller one elsewhere.
// Each op is broadcast_in_dim and the op named by the rest of its mnemonic; all rules are made of theirs.
#include <algorithm>
#include <array>

#include "ops/elementwise/chlo_families.h"
#include "ops/families.h"

namespace weft {
namespace {

constexpr std::string_view kPrefix = "chlo.broadcast_";

/// The op behind "chlo.broadcast_NAME".
const OpRecord& inner_op(const OpDef& def) {
  const std::string rest(def.mnemonic.substr(kPrefix.size()));
  if (const OpRecord* r = find_op("stablehlo." + rest)) return *r;
  if (const OpRecord* r = find_op("chlo." + rest)) return *r;
  throw Unsupported("[" + std::string(def.mnemonic) + "] the op " + rest + " is not known to Weft");
}

/// Dimensions of a result of rank `rank` that an operand's go to.
std::vector<int64_t> placement(const Attrs& attrs, int64_t operand_rank, int64_t rank) {
  const auto* given = attrs.find("broadcast_dimensions");
  if (given != nullptr && operand_rank < rank) {
    if (const auto* ints = given->get_if<Attr::Ints>()) return *ints;
  }
  std::vector<int64_t> out(static_cast<size_t>(operand_rank));
  for (size_t i = 0; i < out.size(); ++i) out[i] = rank - operand_rank + static_cast<int64_t>(i);
  return out;
}

/// What two extents are together; nothing when they do not go together.
std::optional<int64_t> joined(int64_t a, int64_t b) {
  if (a == b) return a;
  if (a == 1) return b;
  if (b == 1) return a;
  if (a == kDynamic) return b;
  if (b == kDynamic) return a;
  return std::nullopt;
}

/// CHLO asks of its shifts nothing about elements, so such programs can be read; they cannot run.
bool is_shift_of_floats(const OpDef& def, Type operand) {
  return def.mnemonic.starts_with("chlo.broadcast_shift_") && operand.is_tensor() && is_float(operand.element_type());
}

std::vector<Type> type_broadcast(const TypeContext& context) {
  const bool is_select = context.def.mnemonic == "chlo.broadcast_select";
  context.expect_operands(is_select ? 3 : 2);
  size_t rank = 0;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    if (!context.operands[i].is_tensor()) {
      context.fail(
          "", "type of operand " + std::to_string(i) + ": got " + context.operands[i].str() + ", expected a tensor");
    }
    rank = std::max(rank, context.operands[i].shape().size());
  }
  std::vector<int64_t> shape(rank, 1);
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const Type t = context.operands[i];
    const std::vector<int64_t> to = placement(context.attrs, t.rank(), static_cast<int64_t>(rank));
    if (to.size() != t.shape().size()) {
      context.fail("", "broadcast_dimensions: got " + std::to_string(to.size()) +
                           " dimensions, expected one for each of " + t.str());
    }
    for (size_t d = 0; d < to.size(); ++d) {
      if (to[d] < 0 || to[d] >= static_cast<int64_t>(rank) || (d > 0 && to[d] <= to[d - 1])) {
        context.fail("", "broadcast_dimensions: got " + std::to_string(to[d]) +
                             ", expected ascending dimensions of a result of rank " + std::to_string(rank));
      }
      int64_t& extent = shape[static_cast<size_t>(to[d])];
      const std::optional<int64_t> both = joined(extent, t.shape()[d]);
      if (!both) {
        context.fail("", "shapes: got " + context.operands[0].str() + " and " + t.str() +
                             ", expected equal extents or 1 in dimension " + std::to_string(to[d]));
      }
      extent = *both;
    }
  }
  std::vector<Type> result;
  if (is_shift_of_floats(context.def, context.operands[0])) {
    result = {context.operands[0].with_shape(shape)};
  } else {
    TypeContext inner{inner_op(context.def), {}, context.attrs,  context.function,
                      context.regions,       {}, context.module, context.loc};
    for (Type t : context.operands) inner.operands.push_back(t.with_shape(shape));
    result = inner_op(context.def).type.rule()(inner);
  }
  if (!context.declared.empty() && !is_compatible(context.declared[0], result[0])) {
    context.fail("", "type of the result: got " + context.declared[0].str() + ", expected " + result[0].str());
  }
  if (!context.declared.empty()) result[0] = merge_types(context.declared[0], result[0]);
  return result;
}

Tensor repeated(const Tensor& x, const std::vector<int64_t>& to, const Shape& shape) {
  if (std::ranges::equal(x.shape(), shape)) return x;
  Tensor out(x.element_type(), shape);
  const size_t bytes = byte_size(x.element_type());
  const auto* source = static_cast<const std::byte*>(x.raw());
  auto* target = static_cast<std::byte*>(out.raw());
  std::vector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (size_t d = to.size(); d-- > 0;) {
    if (x.shape()[d] != 1) strides[static_cast<size_t>(to[d])] = stride;
    stride *= x.shape()[d];
  }
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t rest = i, from = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      from += rest % shape[d] * strides[d];
      rest /= shape[d];
    }
    std::copy_n(source + static_cast<size_t>(from) * bytes, bytes, target + static_cast<size_t>(i) * bytes);
  }
  return out;
}

std::vector<EvalValue> eval_broadcast(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  if (is_shift_of_floats(op.def(), op.operand_type(0))) {
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] floating-point numbers cannot be shifted", op.loc());
  }
  size_t rank = 0;
  for (const EvalValue& v : operands) rank = std::max(rank, v.tensor.shape().size());
  Shape shape(rank, 1);
  std::vector<std::vector<int64_t>> places;
  for (const EvalValue& v : operands) {
    places.push_back(placement(op.attrs(), v.tensor.rank(), static_cast<int64_t>(rank)));
    for (size_t d = 0; d < places.back().size(); ++d) {
      int64_t& extent = shape[static_cast<size_t>(places.back()[d])];
      const std::optional<int64_t> both = joined(extent, v.tensor.shape()[d]);
      if (!both) throw UserError("[" + std::string(op.def().mnemonic) + "] shapes do not broadcast", op.loc());
      extent = *both;
    }
  }
  std::vector<EvalValue> values;
  for (size_t i = 0; i < operands.size(); ++i) values.emplace_back(repeated(operands[i].tensor, places[i], shape));
  return inner_op(op.def()).eval.require(op, "evaluation")(context, op, values);
}

// ---- the op written out -------------------------------------------------------------------------------------------------------

bool is_static(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_static()) return false;
  }
  return op.result_type().is_static();
}

void expect_static(const OpView& op, const char* what) {
  if (!is_static(op)) {
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + what + ": shapes must be static", op.loc());
  }
}

constexpr int64_t kNoLanes = -1;

/// Operand `i`, or its tangent, in the shape of the result; `lanes`, when there are any (kNoLanes: none), stand on an axis in front, which the value has
/// when it varies.
Value spread(OpBuilder& b, const OpView& op, size_t i, Value v, int64_t lanes = kNoLanes, bool varies = false) {
  const Type result = op.result_type();
  std::vector<int64_t> to = placement(op.attrs(), op.operand_type(i).rank(), result.rank());
  std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
  if (lanes != kNoLanes) {
    for (int64_t& d : to) ++d;
    if (varies) to.insert(to.begin(), 0);
    shape.insert(shape.begin(), lanes);
  }
  return b.broadcast_in_dim(v, to, shape);
}

Attrs inner_attrs(const OpView& op) {
  Attrs attrs = op.attrs();
  attrs.erase("broadcast_dimensions");
  return attrs;
}

std::vector<Value> expanded(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) values.push_back(spread(b, op, i, operands[i]));
  return b.create(inner_op(op.def()), values, inner_attrs(op));
}

std::vector<Value> simplify_broadcast(SimplifyContext& context, const OpView& op) {
  if (!is_static(op) || is_shift_of_floats(op.def(), op.operand_type(0))) return {};
  return expanded(context.builder(), op, std::vector<Value>(op.operands().begin(), op.operands().end()));
}

std::vector<Value> portable_broadcast(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  if (!is_static(op) || is_shift_of_floats(op.def(), op.operand_type(0))) return {};
  return expanded(context.builder(), op, operands);
}

/// The rule of the op within, asked about an op of its kind on the operands made large.
Linearized linearize_broadcast(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                               std::span<const Value> tangents) {
  expect_static(op, "derivative");
  std::vector<Value> large, large_tangents;
  for (size_t i = 0; i < primals.size(); ++i) {
    large.push_back(spread(context.primal(), op, i, primals[i]));
    large_tangents.push_back(tangents[i] ? spread(context.linear(), op, i, tangents[i]) : Value{});
  }
  const OpRecord& inner = inner_op(op.def());
  const std::vector<Value> results = context.primal().create(inner, large, inner_attrs(op));
  Function& f = context.primal().function();
  const OpView made{f, f.defining_op(results[0])};
  return inner.linearize.require(made, "derivative")(context, made, large, large_tangents);
}

std::vector<LaneValue> vectorize_broadcast(VectorizeContext& context, const OpView& op,
                                           std::span<const LaneValue> operands) {
  expect_static(op, "lanes");
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    values.push_back(spread(context.builder(), op, i, operands[i].value, context.lanes(), operands[i].varies));
  }
  return {{context.builder().create(inner_op(op.def()), values, inner_attrs(op))[0], true}};
}

// ---- the table ------------------------------------------------------------------------------------------------------------

constexpr Refuse kExpanded{"simplification writes the op as broadcast_in_dim and the elementwise op"};

template <const char* kMnemonic, ElementType kElement, bool kDifferentiable>
std::vector<Sample> samples_broadcast() {
  const std::string_view mnemonic = kMnemonic;
  const bool is_select = mnemonic == "chlo.broadcast_select";
  std::vector<Sample> out;
  const auto add = [&](std::string label, std::vector<int64_t> a, std::vector<int64_t> b, std::vector<int64_t> to) {
    const Domain domain = is_float(kElement) ? Domain{.low = 0.6, .high = 3, .smooth_only = kDifferentiable}
                                             : Domain{0, kElement == ElementType::kI1 ? 1.0 : 6.0};
    Sample s;
    s.label = std::move(label);
    if (is_select) s.operands.push_back({Type::tensor(ElementType::kI1, {3, 1}), {0, 1}});
    s.operands.push_back({Type::tensor(kElement, a), domain});
    s.operands.push_back({Type::tensor(kElement, b), domain});
    s.emit = [mnemonic, to](OpBuilder& builder, std::span<const Value> x) {
      Attrs attrs;
      if (!to.empty()) attrs.set("broadcast_dimensions", to);
      if (mnemonic == "chlo.broadcast_compare") attrs.set("comparison_direction", "LT");
      return builder.create(mnemonic, x, attrs);
    };
    s.differentiable = kDifferentiable;
    out.push_back(std::move(s));
  };
  add("equal shapes", {3, 2}, {3, 2}, {});
  add("a row", {2}, {3, 2}, {});
  add("row and column", {3, 1}, {1, 2}, {});
  if (!is_select) add("a column by dimensions", {3, 2}, {3}, {0});
  if (!is_select) add("a scalar", {}, {3, 2}, {});
  if (mnemonic == "chlo.broadcast_zeta" || mnemonic == "chlo.broadcast_polygamma") {
    out.push_back({"by operand 1",
                   {{Type::tensor(kElement, {3, 1}), {0.6, 3, true}}},
                   [mnemonic](OpBuilder& b, std::span<const Value> x) {
                     return std::vector{b.make(mnemonic, {b.splat(Type::tensor(kElement, {2}), 2), x[0]})};
                   }});
  }
  return out;
}

template <const char* kMnemonic, ElementType kElement = ElementType::kF64, bool kDifferentiable = true,
          LinearizeFn* kLinearize = linearize_broadcast>
constexpr OpRecord broadcast() {
  return {{.mnemonic = kMnemonic},
          {.doc = "The elementwise op of that name on operands broadcast to one shape as in numpy.",
           .syntax = Syntax::kElementwise,
           .schema = {{"broadcast_dimensions", AttrKind::kInts, false},
                      {"comparison_direction", AttrKind::kText, std::string_view(kMnemonic).ends_with("_compare")},
                      {"compare_type", AttrKind::kText, false}},
           .type = type_broadcast,
           .eval = eval_broadcast,
           .scalar = kExpanded,
           .linearize = kLinearize,
           .transpose = kNotLinear,
           .vectorize = vectorize_broadcast,
           .uniformity = uniformity_any,
           .simplify = simplify_broadcast,
           .aliases = alias_none,
           .effects = Effects::kPure,
           .cost = cost_elementwise,
           .to_stablehlo = portable_broadcast,
           .samples = samples_broadcast<kMnemonic, kElement, kDifferentiable>}};
}

constexpr char kAdd[] = "chlo.broadcast_add", kAnd[] = "chlo.broadcast_and", kAtan2[] = "chlo.broadcast_atan2",
               kCompare[] = "chlo.broadcast_compare", kComplex[] = "chlo.broadcast_complex",
               kDivide[] = "chlo.broadcast_divide", kMaximum[] = "chlo.broadcast_maximum",
               kMinimum[] = "chlo.broadcast_minimum", kMultiply[] = "chlo.broadcast_multiply",
               kNextAfter[] = "chlo.broadcast_next_after", kOr[] = "chlo.broadcast_or",
               kPolygamma[] = "chlo.broadcast_polygamma", kPower[] = "chlo.broadcast_power",
               kRemainder[] = "chlo.broadcast_remainder", kSelect[] = "chlo.broadcast_select",
               kShiftLeft[] = "chlo.broadcast_shift_left",
               kShiftRightArithmetic[] = "chlo.broadcast_shift_right_arithmetic",
               kShiftRightLogical[] = "chlo.broadcast_shift_right_logical", kSubtract[] = "chlo.broadcast_subtract",
               kXor[] = "chlo.broadcast_xor", kZeta[] = "chlo.broadcast_zeta";

const OpRecord kRecords[] = {
    broadcast<kAdd>(),
    broadcast<kAnd, ElementType::kI32, false, linearize_zero>(),
    broadcast<kAtan2>(),
    broadcast<kCompare, ElementType::kF64, false, linearize_zero>(),
    broadcast<kComplex>(),
    broadcast<kDivide>(),
    broadcast<kMaximum>(),
    broadcast<kMinimum>(),
    broadcast<kMultiply>(),
    broadcast<kNextAfter, ElementType::kF64, false, linearize_zero>(),
    broadcast<kOr, ElementType::kI1, false, linearize_zero>(),
    broadcast<kPolygamma, ElementType::kF64, false>(),
    broadcast<kPower>(),
    broadcast<kRemainder>(),
    broadcast<kSelect>(),
    broadcast<kShiftLeft, ElementType::kI32, false, linearize_zero>(),
    broadcast<kShiftRightArithmetic, ElementType::kI32, false, linearize_zero>(),
    broadcast<kShiftRightLogical, ElementType::kI32, false, linearize_zero>(),
    broadcast<kSubtract>(),
    broadcast<kXor, ElementType::kI32, false, linearize_zero>(),
    broadcast<kZeta, ElementType::kF64, false>(),
};

}  // namespace

Family chlo_broadcast_ops() { return kRecords; }

}  // namespace weft
