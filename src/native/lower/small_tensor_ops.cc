#include "native/lower/small_tensor_ops.h"

#include <algorithm>
#include <cstring>

#include "native/lower/small_tensor_fold.h"
#include "native/lower/small_tensor_parts.h"
#include "native/schedule/fusion_rules.h"

namespace weft::native {
namespace {

// ---- elementwise ----

Value write_element(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const Type t = Type::scalar(op.result_type().element_type());
  if (const auto constant = folded(b, op, operands)) return *constant;
  return b.create(op.def(), operands, op.attrs(), std::span(&t, 1))[0];
}

Elements elementwise(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  Elements out;
  const Type t = op.result_type();
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    std::vector<Value> given;
    for (const Elements& e : operands) given.push_back(e.size() == 1 ? e[0] : e[static_cast<size_t>(i)]);
    out.push_back(write_element(b, op, given));
  }
  return out;
}

// ---- products and reductions ----

Elements products(OpBuilder& b, const OpView& op, const Elements& lhs, const Elements& rhs) {
  const SmallProduct p(op);
  const int64_t count = p.terms_of_each();
  return each_element(op, [&](const Ints& index) {
    Ints l(p.lhs_shape.size()), r(p.rhs_shape.size());
    size_t next = 0;
    const auto put = [&](Ints& to, int64_t d, int64_t i) { to[static_cast<size_t>(d)] = i; };
    for (size_t i = 0; i < p.dims.lhs_batching.size(); ++i, ++next) {
      put(l, p.dims.lhs_batching[i], index[next]);
      put(r, p.dims.rhs_batching[i], index[next]);
    }
    for (const int64_t d : p.lhs_free) put(l, d, index[next++]);
    for (const int64_t d : p.rhs_free) put(r, d, index[next++]);
    Value sum;
    for (int64_t k = 0; k < count; ++k) {
      const Ints inner = index_of(k, p.contracted);
      for (size_t i = 0; i < inner.size(); ++i) {
        put(l, p.dims.lhs_contracting[i], inner[i]);
        put(r, p.dims.rhs_contracting[i], inner[i]);
      }
      const Value term = b.multiply(lhs[flat_of(l, p.lhs_shape)], rhs[flat_of(r, p.rhs_shape)]);
      sum = sum ? b.add(sum, term) : term;
    }
    return sum;
  });
}

std::vector<Value> apply_body(OpBuilder& b, const OpView& op, std::span<const Value> arguments) {
  const Function& f = op.function;
  std::vector<std::pair<Value, Value>> known;
  const auto args = f.args(op.region(0));
  for (size_t i = 0; i < args.size(); ++i) known.emplace_back(args[i], arguments[i]);
  for (const OpId id : f.ops(op.region(0))) {
    const OpView inner{f, id};
    std::vector<Value> operands;
    for (const Value v : inner.operands())
      operands.push_back(std::ranges::find(known, v, &std::pair<Value, Value>::first)->second);
    if (inner.def().is_terminator) return operands;
    known.emplace_back(inner.result(), is(inner, "stablehlo.constant") ? b.constant(inner.attrs().literal("value"))
                                                                       : write_element(b, inner, operands));
  }
  return {};
}

std::vector<Elements> reductions(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  const size_t count = op.num_results();
  const Type from = op.operand_type(0), to = op.result_type();
  const Ints& dimensions = op.attrs().ints("dimensions");
  const auto places = static_cast<size_t>(to.num_elements());
  std::vector<Elements> out(count);
  for (size_t i = 0; i < count; ++i) out[i].assign(places, operands[count + i][0]);
  for (int64_t flat = 0; flat < from.num_elements(); ++flat) {
    const Ints index = index_of(flat, from.shape());
    Ints kept;
    for (size_t d = 0; d < index.size(); ++d) {
      if (std::ranges::find(dimensions, static_cast<int64_t>(d)) == dimensions.end()) kept.push_back(index[d]);
    }
    const size_t place = flat_of(kept, to.shape());
    std::vector<Value> arguments;
    for (size_t i = 0; i < count; ++i) arguments.push_back(out[i][place]);
    for (size_t i = 0; i < count; ++i) arguments.push_back(operands[i][static_cast<size_t>(flat)]);
    const std::vector<Value> next = apply_body(b, op, arguments);
    for (size_t i = 0; i < count; ++i) out[i][place] = next[i];
  }
  return out;
}

Elements iota(OpBuilder& b, const OpView& op) {
  const auto along = static_cast<size_t>(op.attrs().integer("iota_dimension"));
  return each_element(op, [&](const Ints& index) {
    return b.scalar(op.result_type().element_type(), static_cast<double>(index[along]));
  });
}

Elements constants(OpBuilder& b, const Literal& literal) {
  Elements out;
  const ElementType e = literal.type.element_type();
  for (int64_t i = 0; i < literal.type.num_elements(); ++i) {
    Tensor one(e, {});
    std::memcpy(one.raw(), literal.element(i), byte_size(e));
    out.push_back(b.constant(Literal::dense(one)));
  }
  return out;
}

}  // namespace

std::vector<Elements> write_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  if (is(op, "stablehlo.dynamic_slice")) return {dynamic_slice_of_elements(b, op, operands)};
  if (is(op, "stablehlo.dynamic_update_slice")) return {dynamic_update_of_elements(b, op, operands)};
  if (is(op, "stablehlo.reduce")) return reductions(b, op, operands);
  if (is(op, "weft.check")) {
    std::vector<Value> given;
    for (const Elements& e : operands) given.push_back(e[0]);
    for (const Value v : std::span(operands[0]).subspan(1)) given[0] = b.logical_and(given[0], v);
    if (known_integer(b, given[0]) != 1) b.create(op.def(), given, op.attrs());
    return {};
  }
  if (op.num_results() == 1) {
    const Type t = op.result_type();
    if (is(op, "stablehlo.constant") && is_small_tensor(t)) return {constants(b, op.attrs().literal("value"))};
    if (is(op, "stablehlo.dot_general")) return {products(b, op, operands[0], operands[1])};
    if (is(op, "stablehlo.gather")) return {gather_of_elements(b, op, operands)};
    if (is(op, "stablehlo.iota")) return {iota(b, op)};
    if (moves_elements(op) && is_small_or_scalar(t)) return {moved_elements(b, op, operands)};
    if (is_small_or_scalar(t) && is_elementwise(op)) return {elementwise(b, op, operands)};
  }
  // On scalars and tensors that are not small, as it is.
  std::vector<Value> given;
  std::vector<Type> types;
  for (const Elements& e : operands) given.push_back(e[0]);
  for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
  const OpId made = b.function().append(b.region(), op.def(), given, op.function.shared_attrs(op.id), types, {}, b.loc);
  std::vector<Elements> out;
  for (size_t i = 0; i < types.size(); ++i) out.push_back({b.function().result(made, i)});
  return out;
}

}  // namespace weft::native
