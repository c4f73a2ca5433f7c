// Elements at places that are computed.
#include <algorithm>

#include "native/lower/small_tensor_fold.h"
#include "native/lower/small_tensor_parts.h"

namespace weft::native {
namespace {

/// The element at a place of which each dimension is clamped to 0 … most, as an index that is a constant or a value.
Value element_at(OpBuilder& b, const Elements& x, std::span<const int64_t> shape, std::span<const Value> starts,
                 const Ints& most, const Ints& offset, size_t d = 0, Ints place = {}) {
  if (d == shape.size()) return x[flat_of(place, shape)];
  const auto with = [&](int64_t start) {
    Ints next = place;
    next.push_back(start + offset[d]);
    return element_at(b, x, shape, starts, most, offset, d + 1, std::move(next));
  };
  if (most[d] == 0) return with(0);
  if (const auto known = known_integer(b, starts[d])) return with(std::clamp<int64_t>(*known, 0, most[d]));
  Value out = with(most[d]);
  for (int64_t v = most[d]; v-- > 0;) {
    const Value here = with(v);
    const Value is_here =
        b.compare(starts[d], b.scalar(b.type(starts[d]).element_type(), static_cast<double>(v)), "LE");
    if (here != out) out = b.select(is_here, here, out);
  }
  return out;
}

Ints most_starts(std::span<const int64_t> shape, std::span<const int64_t> sizes) {
  Ints out;
  for (size_t d = 0; d < shape.size(); ++d) out.push_back(shape[d] - sizes[d]);
  return out;
}

/// The start in a dimension, and a place behind it; clamped where the places of several elements would be clamped each for itself.
Value start_of_part(OpBuilder& b, Value start, int64_t size, int64_t most) {
  const ElementType e = b.type(start).element_type();
  if (size == 1) return start;
  if (most == 0) return b.scalar(e, 0);
  return b.minimum(b.maximum(start, b.scalar(e, 0)), b.scalar(e, static_cast<double>(most)));
}

struct PartOfLarge {
  std::vector<Value> starts;  // of the part

  PartOfLarge(OpBuilder& b, Type large, Type part, std::span<const Elements> given) {
    for (size_t d = 0; d < given.size(); ++d) {
      const int64_t size = part.shape()[d];
      starts.push_back(start_of_part(b, given[d][0], size, large.shape()[d] - size));
    }
  }
  std::vector<Value> at(OpBuilder& b, const Ints& index) const {
    std::vector<Value> out = starts;
    for (size_t d = 0; d < out.size(); ++d) {
      if (index[d] != 0) out[d] = b.add(out[d], b.scalar(b.type(out[d]).element_type(), static_cast<double>(index[d])));
    }
    return out;
  }
};

}  // namespace

Elements dynamic_slice_of_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  const Type from = op.operand_type(0), t = op.result_type();
  if (is_small_tensor(from)) {
    std::vector<Value> starts;
    for (const Elements& e : operands.subspan(1)) starts.push_back(e[0]);
    const Ints most = most_starts(from.shape(), t.shape());
    return each_element(
        op, [&](const Ints& index) { return element_at(b, operands[0], from.shape(), starts, most, index); });
  }
  const PartOfLarge part(b, from, t, operands.subspan(1));
  const Ints one(t.shape().size(), 1);
  return each_element(op, [&](const Ints& index) {
    return b.reshape(b.dynamic_slice(operands[0][0], part.at(b, index), one), std::span<const int64_t>());
  });
}

Elements dynamic_update_of_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  const Type whole = op.operand_type(0), part = op.operand_type(1);
  const Elements& update = operands[1];
  if (!is_small_tensor(whole)) {
    const PartOfLarge places(b, whole, part, operands.subspan(2));
    const Ints one(part.shape().size(), 1);
    Value out = operands[0][0];
    for (int64_t i = 0; i < part.num_elements(); ++i)
      out = b.dynamic_update_slice(out, b.reshape(update[static_cast<size_t>(i)], one),
                                   places.at(b, index_of(i, part.shape())));
    return {out};
  }
  const Ints most = most_starts(whole.shape(), part.shape());
  return each_element(op, [&](const Ints& index) {
    const Value old = operands[0][flat_of(index, whole.shape())];
    Ints inside(index.size());
    Value is_here;
    for (size_t d = 0; d < index.size(); ++d) {
      const Value start = operands[2 + d][0];
      const auto known = most[d] == 0 ? 0 : known_integer(b, start);
      if (known) {
        inside[d] = index[d] - std::clamp<int64_t>(*known, 0, most[d]);
        if (inside[d] < 0 || inside[d] >= part.shape()[d]) return old;
        continue;
      }
      // One element wide: it is here, or before or behind the ends.
      const Value here = b.scalar(b.type(start).element_type(), static_cast<double>(index[d]));
      const Value matches = b.compare(start, here, index[d] == 0 ? "LE" : index[d] == most[d] ? "GE" : "EQ");
      is_here = is_here ? b.logical_and(is_here, matches) : matches;
    }
    const Value updated = update[flat_of(inside, part.shape())];
    return is_here ? b.select(is_here, updated, old) : updated;
  });
}

Elements gather_of_elements(OpBuilder& b, const OpView& op, std::span<const Elements> operands) {
  const Type from = op.operand_type(0);
  const auto along = static_cast<size_t>(*gathered_dimension(op));
  const Ints offsets = op.attrs().ints_or("offset_dims", 0, 0);
  const Type t = op.result_type();
  Ints counts;  // of indices, as they stand among the dimensions of the result
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (std::ranges::find(offsets, d) == offsets.end()) counts.push_back(t.dim(d));
  }
  Ints most(static_cast<size_t>(from.rank()), 0);
  most[along] = from.shape()[along] - 1;
  return each_element(op, [&](const Ints& index) {
    Ints which, place;
    for (int64_t d = 0; d < t.rank(); ++d)
      (std::ranges::find(offsets, d) == offsets.end() ? which : place).push_back(index[static_cast<size_t>(d)]);
    place.insert(place.begin() + static_cast<std::ptrdiff_t>(along), 0);
    const std::vector<Value> starts(place.size(), operands[1][flat_of(which, counts)]);
    return element_at(b, operands[0], from.shape(), starts, most, place);
  });
}

}  // namespace weft::native
