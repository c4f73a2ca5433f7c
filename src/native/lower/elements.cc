#include "native/lower/elements.h"

#include <cstring>
#include <optional>
#include <unordered_map>
#include <vector>

#include "native/lower/rewrite.h"

namespace weft::native {
namespace {

bool is_one_element(Type t) { return t.is_tensor() && t.is_static() && !t.is_scalar() && t.num_elements() == 1; }

bool is_element_slice(const OpView& op) {
  const std::string_view m = op.def().mnemonic;
  return (m == "stablehlo.slice" || m == "stablehlo.dynamic_slice") && is_one_element(op.result_type());
}

/// Update by one element.
bool is_element_update(const OpView& op) {
  return op.def().mnemonic == "stablehlo.dynamic_update_slice" && is_one_element(op.operand_type(1));
}

/// The scalar of which v is another shape, if it is.
std::optional<Value> scalar_of(const Function& f, Value v) {
  const OpId def = f.defining_op(v);
  if (!def) return std::nullopt;
  const OpView op{f, def};
  const std::string_view m = op.def().mnemonic;
  if ((m != "stablehlo.reshape" && m != "stablehlo.broadcast_in_dim") || !op.operand_type(0).is_scalar())
    return std::nullopt;
  return op.operand(0);
}

const Literal* literal_of(const Function& f, Value v) {
  const OpId def = f.defining_op(v);
  return def && f.def(def).mnemonic == "stablehlo.constant" ? &f.attrs(def).literal("value") : nullptr;
}

/// The same number without a shape.
Literal as_scalar(const Literal& literal) {
  const ElementType e = literal.type.element_type();
  Tensor one(e, {});
  std::memcpy(one.raw(), literal.element(0), byte_size(e));
  return Literal::dense(one);
}

/// Whether an update has a constant, an element as it is sliced, or a shaped scalar that others have as well.
bool needs_scalars(const Function& f) {
  std::unordered_map<Value, size_t> uses;
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    for (Value v : f.operands(OpId{i})) ++uses[v];
  }
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const OpView op{f, OpId{i}};
    if (!is_element_update(op)) continue;
    const Value update = op.operand(1);
    const OpId def = f.defining_op(update);
    if (!def) continue;
    if (is_element_slice(OpView{f, def}) || literal_of(f, update) != nullptr) return true;
    if (scalar_of(f, update) && (uses[update] > 1 || f.parent(def) != f.parent(op.id))) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Function> elements_as_scalars(std::unique_ptr<Function> f) {
  if (!needs_scalars(*f)) return f;
  return rewrite_ops(
      *f, [](OpBuilder& b, const OpView& op, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
        const auto same_op = [&](std::span<const Value> given) {
          return b.create(op.def().mnemonic, given, op.attrs(), std::vector<Type>{op.result_type()})[0];
        };
        if (is_element_slice(op))
          return std::vector{
              b.reshape(b.reshape(same_op(operands), std::span<const int64_t>{}), op.result_type().shape())};
        if (op.def().mnemonic == "stablehlo.reshape" && op.result_type().is_scalar()) {
          if (const auto scalar = scalar_of(b.function(), operands[0])) return std::vector{*scalar};
        }
        if (!is_element_update(op)) return std::nullopt;
        std::optional<Value> scalar = scalar_of(b.function(), operands[1]);
        if (const Literal* literal = literal_of(b.function(), operands[1])) scalar = b.constant(as_scalar(*literal));
        if (!scalar) return std::nullopt;
        std::vector<Value> given(operands.begin(), operands.end());
        given[1] = b.reshape(*scalar, op.operand_type(1).shape());
        return std::vector{same_op(given)};
      });
}

}  // namespace weft::native
