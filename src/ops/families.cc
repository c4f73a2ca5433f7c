#include "ops/families.h"

#include <algorithm>
#include <array>

#include "ops/quantized/quantization.h"
#include "ops/structural/extents.h"

namespace weft {

// ---- types --------------------------------------------------------------------------------------------------------------

std::string describe_class(unsigned classes) {
  struct Row {
    unsigned mask;
    const char* text;
  };
  static constexpr std::array kRows = {Row{kBooleanClass, "boolean"},       Row{kIntegerClass, "integer"},
                                       Row{kSignedClass, "signed integer"}, Row{kUnsignedClass, "unsigned integer"},
                                       Row{kFloatClass, "floating-point"},  Row{kComplexClass, "complex"}};
  std::string out;
  for (const Row& row : kRows) {
    if ((classes & row.mask) != row.mask) continue;
    classes &= ~row.mask;
    out += (out.empty() ? "" : " or ") + std::string(row.text);
  }
  return out;
}

bool is_compatible(Type a, Type b) {
  if (a == b) return true;
  const auto is_tuple = [](Type t) { return t && t.kind() == TypeKind::kTuple; };
  if (is_tuple(a) && is_tuple(b))
    return std::ranges::equal(a.elements(), b.elements(), [](Type x, Type y) { return is_compatible(x, y); });
  if (!a.is_tensor() || !b.is_tensor() || !same_elements(a, b) || a.rank() != b.rank()) return false;
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (!is_compatible(extent_of(a, i), extent_of(b, i))) return false;
  }
  return true;
}

Type merge_types(Type a, Type b) {
  if (a && b && a.kind() == TypeKind::kTuple && b.kind() == TypeKind::kTuple) {
    std::vector<Type> elements;
    for (size_t i = 0; i < a.elements().size(); ++i) elements.push_back(merge_types(a.elements()[i], b.elements()[i]));
    return Type::tuple(elements);
  }
  if (a == b || !a.is_tensor()) return a;
  std::vector<Extent> extents;
  for (int64_t i = 0; i < a.rank(); ++i) extents.push_back(most_specific(extent_of(a, i), extent_of(b, i)));
  return with_extents(a, extents);
}

std::string constraint(const TypeContext& context, int number) {
  const std::string_view mnemonic = context.def.mnemonic;
  return std::string(mnemonic.substr(mnemonic.find('.') + 1)) + "_c" + std::to_string(number);
}

void expect_class(const TypeContext& context, size_t i, unsigned classes) {
  const Type t = context.operands[i];
  const std::string what = "type of operand " + std::to_string(i) + ": got " + t.str() + ", expected a tensor of " +
                           describe_class(classes) + " type";
  if (!t.is_tensor() || (element_class(t.element_type()) & classes) == 0) context.fail("", what);
}

std::vector<Type> type_same(const TypeContext& context, size_t count, unsigned classes) {
  context.expect_operands(count);
  Type result = context.operands[0];
  for (size_t i = 0; i < count; ++i) {
    expect_class(context, i, classes);
    if (!is_compatible(result, context.operands[i])) {
      context.fail(constraint(context, 1), "type of operand " + std::to_string(i) + ": got " +
                                               context.operands[i].str() + ", expected the type of operand 0, " +
                                               context.operands[0].str());
    }
    result = merge_types(result, context.operands[i]);
  }
  return {result};
}

// ---- derivatives ----------------------------------------------------------------------------------------------------------

std::vector<Value> emit_like(OpBuilder& builder, const OpView& op, std::span<const Value> operands) {
  std::vector<Type> declared;
  for (size_t i = 0; i < op.num_results(); ++i) declared.push_back(op.result_type(i));
  return builder.create(op.def(), operands, op.attrs(), declared);
}

Value add_tangents(OpBuilder& builder, Value a, Value b) {
  if (!a) return b;
  if (!b) return a;
  return builder.add(a, b);
}

Linearized linearize_zero(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value>) {
  std::vector<Value> results = context.clone_primal(op, primals);
  std::vector<Value> tangents(results.size());
  return {std::move(results), std::move(tangents)};
}

Linearized linearize_linear(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  std::vector<Value> operands(tangents.begin(), tangents.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    // Zeros are primal values: a constant on the tape would be an op that is not linear in tangents.
    if (!operands[i]) operands[i] = context.primal().zeros(op.operand_type(i));
  }
  return {std::move(results), emit_like(context.linear(), op, operands)};
}

Linearized linearize_multilinear(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                 std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  std::vector<Value> sums(results.size());
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i]) continue;
    std::vector<Value> operands(primals.begin(), primals.end());
    operands[i] = tangents[i];
    const std::vector<Value> terms = emit_like(context.linear(), op, operands);
    for (size_t r = 0; r < sums.size(); ++r) sums[r] = add_tangents(context.linear(), sums[r], terms[r]);
  }
  return {std::move(results), std::move(sums)};
}

// ---- lanes ----------------------------------------------------------------------------------------------------------------

Type with_lanes(Type t, int64_t lanes) {
  if (t.is_future()) {
    std::vector<Type> elements;
    for (Type e : t.elements()) elements.push_back(with_lanes(e, lanes));
    return Type::future(elements);
  }
  if (!t.is_tensor() && !t.is_stack()) throw Unsupported("lanes: a value of type " + t.str() + " has none");
  std::vector<int64_t> shape = {lanes};
  shape.insert(shape.end(), t.shape().begin(), t.shape().end());
  if (t.is_stack()) return Type::stack(t.stacked(), shape);
  std::vector<int64_t> bounds = bounds_of(t);
  bounds.insert(bounds.begin(), kDynamic);
  return t.with_shape(shape).with_bounds(bounds);
}

std::vector<LaneValue> vectorize_elementwise(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(v.varies ? v.value : context.broadcast(v));
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(with_lanes(op.result_type(i), context.lanes()));
  std::vector<LaneValue> out;
  for (Value v : context.builder().create(op.def(), values, op.attrs(), types)) out.push_back({v, true});
  return out;
}

std::vector<bool> uniformity_any(UniformityContext&, const OpView& op, const std::vector<bool>& operands) {
  bool varies = false;
  for (bool v : operands) varies = varies || v;
  return std::vector<bool>(op.num_results(), varies);
}

// ---- the rest ---------------------------------------------------------------------------------------------------------------

std::vector<Value> simplify_none(SimplifyContext&, const OpView&) { return {}; }

namespace {

/// Enough of an evaluator for ops without regions.
class FoldContext : public EvalContext {
 public:
  std::vector<EvalValue> run_region(RegionId, std::span<const EvalValue>) override {
    throw InternalError("folding an op with regions");
  }
  std::vector<EvalValue> call(const std::string&, std::span<const EvalValue>, Loc) override {
    throw InternalError("folding a call");
  }
  void print(const std::string&) override { throw InternalError("folding an op with effects"); }
  const EvalValue& value(Value) override { throw InternalError("folding an op that reads captured values"); }
};

}  // namespace

std::vector<Value> fold_constants(SimplifyContext& context, const OpView& op) {
  constexpr int64_t kMaxElements = 64;
  const OpRecord& r = record(op);
  if (r.eval.refused() || r.effects != Effects::kPure || !op.regions().empty() || op.num_operands() == 0) return {};
  if (touches_quantized(op)) return {};
  int64_t elements = 0;
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    if (!t.is_tensor() || !t.is_static()) return {};
    elements += t.num_elements();
  }
  if (elements > kMaxElements) return {};
  std::vector<EvalValue> values;
  for (Value v : op.operands()) {
    const Literal* literal = context.constant(v);
    if (literal == nullptr || literal->type.num_elements() > kMaxElements) return {};
    values.emplace_back(literal->materialize());
  }
  FoldContext fold;
  std::vector<Value> out;
  for (EvalValue& v : (*r.eval.rule())(fold, op, values))
    out.push_back(context.builder().constant(Literal::dense(std::move(v.tensor))));
  return out;
}

std::vector<Alias> alias_none(const OpView&) { return {}; }

std::vector<Alias> alias_elementwise(const OpView& op) {
  std::vector<Alias> out;
  const Type result = op.result_type();
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type t = op.operand_type(i);
    const bool fits = t.is_tensor() && std::ranges::equal(t.shape(), result.shape()) &&
                      byte_size(t.element_type()) == byte_size(result.element_type());
    if (fits) out.push_back({0, i, AliasKind::kInPlace});
  }
  return out;
}

std::vector<Alias> alias_view(const OpView&) { return {{0, 0, AliasKind::kView}}; }
std::vector<Alias> alias_in_place(const OpView&) { return {{0, 0, AliasKind::kInPlace}}; }

double bytes_of(Type t) { return t.is_tensor() && t.is_static() ? static_cast<double>(t.num_bytes()) : 0; }

double moved_bytes(const OpView& op) {
  double bytes = 0;
  for (size_t i = 0; i < op.num_operands(); ++i) bytes += bytes_of(op.operand_type(i));
  for (size_t i = 0; i < op.num_results(); ++i) bytes += bytes_of(op.result_type(i));
  return bytes;
}

namespace {

double result_elements(const OpView& op) {
  const Type t = op.num_results() > 0 ? op.result_type() : Type();
  return t.is_tensor() && t.is_static() ? static_cast<double>(t.num_elements()) : 0;
}

}  // namespace

Cost cost_elementwise(const OpView& op) { return {result_elements(op), moved_bytes(op)}; }
Cost cost_transcendental(const OpView& op) { return {20 * result_elements(op), moved_bytes(op)}; }
Cost cost_move(const OpView& op) { return {0, moved_bytes(op)}; }
Cost cost_free(const OpView&) { return {}; }

std::vector<Value> portable_as_is(PortableContext&, const OpView&, std::span<const Value>) { return {}; }

}  // namespace weft
