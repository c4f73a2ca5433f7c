#include "native/contraction/epilogue.h"

#include <algorithm>
#include <cstring>

#include "ops/builder.h"

namespace weft::native {

namespace {

constexpr size_t kMostChannelOps = 6;

bool is(const Function& f, OpId op, std::string_view mnemonic) { return op && f.def(op).mnemonic == mnemonic; }

// Positive zero in every element.
bool is_zero(const Function& f, Value v) {
  OpId op = f.defining_op(v);
  while (is(f, op, "stablehlo.broadcast_in_dim") || is(f, op, "stablehlo.reshape"))
    op = f.defining_op(f.operand(op, 0));
  if (!is(f, op, "stablehlo.constant")) return false;
  const Literal& literal = f.attrs(op).literal("value");
  if (!literal.splat && literal.type.num_elements() != 1) return false;
  const std::byte* element = literal.element(0);
  const size_t width = byte_size(literal.type.element_type());
  return std::all_of(element, element + width, [](std::byte b) { return b == std::byte{0}; });
}

// The operand of a broadcast along the feature dimension, or none.
Value by_channel(const Function& f, Value v, int64_t feature) {
  const OpId op = f.defining_op(v);
  if (!is(f, op, "stablehlo.broadcast_in_dim")) return {};
  const Value source = f.operand(op, 0);
  const Type from = f.type(source), to = f.type(v);
  const std::vector<int64_t>& dims = f.attrs(op).ints("broadcast_dimensions");
  if (!from.is_static() || from.num_elements() != to.dim(feature)) return {};
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] == feature && from.dim(static_cast<int64_t>(d)) == to.dim(feature)) return source;
  return {};
}

}  // namespace

std::vector<Value> Epilogue::inputs() const {
  std::vector<Value> list;
  for (const OnChannels& each : channels) list.push_back(each.operand);
  if (addend) list.push_back(addend);
  return list;
}

std::optional<Epilogue> find_epilogue(const Function& f, OpId contraction,
                                      const std::function<OpId(Value)>& only_user) {
  if (!is(f, contraction, "stablehlo.convolution")) return std::nullopt;
  const Type type = f.type(f.result(contraction));
  if (!type.is_tensor() || !type.is_static() || type.rank() < 3) return std::nullopt;
  if (type.element_type() != ElementType::kF32 && type.element_type() != ElementType::kBF16) return std::nullopt;
  const int64_t feature = ConvolutionAttrs::from(f.attrs(contraction)).output_feature;
  Epilogue e;
  e.members = {contraction};
  while (!e.has_relu) {
    const Value v = f.result(e.members.back());
    const OpId user = only_user(v);
    if (!user || f.num_results(user) != 1 || !(f.type(f.result(user)) == type) || f.operands(user).size() != 2) break;
    const Value lhs = f.operand(user, 0), rhs = f.operand(user, 1);
    if (lhs == rhs) break;
    const Value other = lhs == v ? rhs : lhs;
    if (is(f, user, "stablehlo.maximum") && is_zero(f, other)) {
      e.has_relu = true;
    } else {
      const bool is_add = is(f, user, "stablehlo.add"), is_product = is(f, user, "stablehlo.multiply");
      const bool is_difference = is(f, user, "stablehlo.subtract") && lhs == v;
      if (!is_add && !is_product && !is_difference) break;
      const Value operand = by_channel(f, other, feature);
      if (e.addend) break;
      if (operand) {
        if (e.channels.size() == kMostChannelOps) break;
        e.channels.push_back({is_add       ? ChannelOp::kAdd
                              : is_product ? ChannelOp::kMultiply
                                           : ChannelOp::kSubtract,
                              operand});
      } else if (is_add) {
        // A broadcast costs nothing where it is read and much in memory.
        if (is(f, f.defining_op(other), "stablehlo.broadcast_in_dim") || is(f, f.defining_op(other), "stablehlo.iota"))
          break;
        e.addend = other;
      } else {
        break;
      }
    }
    e.members.push_back(user);
  }
  if (e.members.size() == 1) return std::nullopt;
  return e;
}

}  // namespace weft::native
