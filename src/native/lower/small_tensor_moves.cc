// Ops that put elements into other places.
#include <algorithm>

#include "native/lower/small_tensor_parts.h"
#include "native/schedule/fusion_rules.h"

namespace weft::native {
namespace {

Elements slice(const OpView& op, const Elements& x) {
  const Ints &start = op.attrs().ints("start_indices"), &stride = op.attrs().ints("strides");
  return each_element(op, [&](Ints index) {
    for (size_t d = 0; d < index.size(); ++d) index[d] = start[d] + index[d] * stride[d];
    return x[flat_of(index, op.operand_type(0).shape())];
  });
}

Elements slice_of_large(OpBuilder& b, const OpView& op, Value x) {
  const Ints &start = op.attrs().ints("start_indices"), &stride = op.attrs().ints("strides");
  return each_element(op, [&](Ints index) {
    Ints limit(index.size());
    for (size_t d = 0; d < index.size(); ++d) {
      index[d] = start[d] + index[d] * stride[d];
      limit[d] = index[d] + 1;
    }
    return b.reshape(b.slice(x, index, limit), std::span<const int64_t>());
  });
}

Elements broadcast(const OpView& op, const Elements& x) {
  const Ints& dimensions = op.attrs().ints("broadcast_dimensions");
  const auto shape = op.operand_type(0).shape();
  return each_element(op, [&](const Ints& index) {
    Ints from;
    for (size_t d = 0; d < dimensions.size(); ++d)
      from.push_back(shape[d] == 1 ? 0 : index[static_cast<size_t>(dimensions[d])]);
    return x[flat_of(from, shape)];
  });
}

Elements transpose(const OpView& op, const Elements& x) {
  const Ints& order = op.attrs().ints("permutation");
  return each_element(op, [&](const Ints& index) {
    Ints from(index.size());
    for (size_t d = 0; d < index.size(); ++d) from[static_cast<size_t>(order[d])] = index[d];
    return x[flat_of(from, op.operand_type(0).shape())];
  });
}

Elements reverse(const OpView& op, const Elements& x) {
  const Ints& dimensions = op.attrs().ints("dimensions");
  return each_element(op, [&](Ints index) {
    for (const int64_t d : dimensions) {
      int64_t& i = index[static_cast<size_t>(d)];
      i = op.result_type().dim(d) - 1 - i;
    }
    return x[flat_of(index, op.operand_type(0).shape())];
  });
}

Elements concatenate(const OpView& op, std::span<const Elements> operands) {
  const auto along = static_cast<size_t>(op.attrs().integer("dimension"));
  return each_element(op, [&](Ints index) {
    size_t i = 0;
    for (; index[along] >= op.operand_type(i).shape()[along]; ++i) index[along] -= op.operand_type(i).shape()[along];
    return operands[i][flat_of(index, op.operand_type(i).shape())];
  });
}

}  // namespace

Ints index_of(int64_t flat, std::span<const int64_t> shape) {
  Ints out(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    out[d] = flat % shape[d];
    flat /= shape[d];
  }
  return out;
}
size_t flat_of(std::span<const int64_t> index, std::span<const int64_t> shape) {
  int64_t out = 0;
  for (size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + index[d];
  return static_cast<size_t>(out);
}

Elements moved_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  if (is(op, "stablehlo.slice"))
    return is_small_tensor(op.operand_type(0)) ? slice(op, operands[0]) : slice_of_large(b, op, operands[0][0]);
  if (is(op, "stablehlo.broadcast_in_dim")) return broadcast(op, operands[0]);
  if (is(op, "stablehlo.transpose")) return transpose(op, operands[0]);
  if (is(op, "stablehlo.reverse")) return reverse(op, operands[0]);
  if (is(op, "stablehlo.concatenate")) return concatenate(op, operands);
  return operands[0];
}

Elements elements_of(OpBuilder& b, Value tensor) {
  const int64_t count = b.type(tensor).num_elements(), flat[] = {count};
  const Value all = b.reshape(tensor, flat);
  Elements out;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start[] = {i}, limit[] = {i + 1};
    out.push_back(b.reshape(b.slice(all, start, limit), std::span<const int64_t>()));
  }
  return out;
}

Value joined_elements(OpBuilder& b, const Elements& elements, Type type) {
  const int64_t one[] = {1};
  std::vector<Value> parts;
  for (const Value v : elements) parts.push_back(b.reshape(v, one));
  return b.reshape(parts.size() == 1 ? parts[0] : b.concatenate(parts, 0), type.shape());
}

}  // namespace weft::native
