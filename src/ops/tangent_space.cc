#include "ops/tangent_space.h"

#include <algorithm>

#include "ops/record.h"

namespace weft {

bool has_tangent(Type t) {
  if (t.is_stack()) return has_tangent(t.stacked());
  return t.is_tensor() && (is_float(t.element_type()) || is_complex(t.element_type()));
}

Value zero_tangent(OpBuilder& builder, Type t) {
  if (t.is_stack()) return builder.make("weft.stack_new", {}, {}, t);
  if (!t.is_static()) {
    throw Unsupported("derivative with zeros of type " + t.str() +
                          ": got extents that are not known, expected static ones (refine the shapes first)",
                      builder.loc);
  }
  return builder.zeros(t);
}

namespace {

bool is_zero(const Function& f, Value v) {
  const OpId op = f.defining_op(v);
  if (!op || f.def(op).mnemonic != "stablehlo.constant") return false;
  const Literal& literal = f.attrs(op).literal("value");
  if (!literal.splat && literal.elements.size() != 1) return false;
  const size_t bytes = byte_size(literal.type.element_type());
  return std::all_of(literal.element(0), literal.element(0) + bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// `sum` with what `update` adds to zeros at one place added there; none when `update` is not of that kind.
Value update_in_place(OpBuilder& b, Value sum, Value update) {
  const Function& f = b.function();
  const OpId id = f.defining_op(update);
  if (!id) return {};
  const OpView op{f, id};
  const std::string_view mnemonic = op.def().mnemonic;
  if (mnemonic == "stablehlo.dynamic_update_slice" && is_zero(f, op.operand(0))) {
    const std::vector<Value> starts(op.operands().begin() + 2, op.operands().end());
    const Value part = op.operand(1);
    const std::vector<int64_t> sizes(b.type(part).shape().begin(), b.type(part).shape().end());
    return b.dynamic_update_slice(sum, b.add(b.dynamic_slice(sum, starts, sizes), part), starts);
  }
  if (mnemonic == "stablehlo.pad" && is_zero(f, op.operand(1))) {
    const std::vector<int64_t> low = op.attrs().ints("edge_padding_low"), high = op.attrs().ints("edge_padding_high"),
                               interior = op.attrs().ints("interior_padding");
    const auto negative = [](int64_t n) { return n < 0; };
    if (std::ranges::any_of(low, negative) || std::ranges::any_of(high, negative) ||
        std::ranges::any_of(interior, [](int64_t n) { return n != 0; })) {
      return {};
    }
    const Value part = op.operand(0);
    std::vector<int64_t> limit = low;
    std::vector<Value> starts;
    for (size_t i = 0; i < low.size(); ++i) {
      limit[i] += b.type(part).dim(static_cast<int64_t>(i));
      starts.push_back(b.scalar(ElementType::kI64, static_cast<double>(low[i])));
    }
    return b.dynamic_update_slice(sum, b.add(b.slice(sum, low, limit), part), starts);
  }
  return {};
}

}  // namespace

Value accumulate_tangent(OpBuilder& builder, Value a, Value b) {
  if (!a) return b;
  if (!b) return a;
  if (builder.type(a).is_stack()) throw InternalError("two cotangents for one stack: a stack was used twice");
  if (const Value v = update_in_place(builder, a, b)) return v;
  if (const Value v = update_in_place(builder, b, a)) return v;
  return builder.add(a, b);
}

}  // namespace weft
