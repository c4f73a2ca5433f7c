#include "ops/indexing/index_elements.h"

#include <algorithm>

namespace weft {
namespace {

template <class F>
void visit_integer(ElementType type, F&& f) {
  switch (type) {
    case ElementType::kI1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return f(uint8_t{});
    case ElementType::kI2:
    case ElementType::kI4:
    case ElementType::kI8: return f(int8_t{});
    case ElementType::kI16: return f(int16_t{});
    case ElementType::kU16: return f(uint16_t{});
    case ElementType::kI32: return f(int32_t{});
    case ElementType::kU32: return f(uint32_t{});
    case ElementType::kI64:
    case ElementType::kIndex: return f(int64_t{});
    case ElementType::kU64: return f(uint64_t{});
    default: throw InternalError("indices of type " + std::string(name(type)));
  }
}

}  // namespace

std::vector<int64_t> index_elements(const Tensor& indices) {
  std::vector<int64_t> out(static_cast<size_t>(indices.size()));
  visit_integer(indices.element_type(), [&](auto tag) {
    using T = decltype(tag);
    const T* from = static_cast<const T*>(indices.raw());
    for (size_t i = 0; i < out.size(); ++i) {
      const bool too_large =
          std::is_same_v<T, uint64_t> && static_cast<uint64_t>(from[i]) > static_cast<uint64_t>(INT64_MAX);
      out[i] = too_large ? INT64_MAX : static_cast<int64_t>(from[i]);
    }
  });
  return out;
}

int64_t largest_index(ElementType type) {
  const int bits = bit_width(type) - (is_signed_integer(type) ? 1 : 0);
  return bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
}

Value index_constant(OpBuilder& b, ElementType element, std::span<const int64_t> shape, std::span<const int64_t> values,
                     int64_t axis) {
  std::vector<int64_t> cut;
  for (int64_t v : values) cut.push_back(std::min(v, largest_index(element)));
  const bool equal = std::all_of(cut.begin(), cut.end(), [&](int64_t v) { return v == cut[0]; });
  if (equal && !cut.empty() && cut[0] < (int64_t{1} << 53)) {
    return b.splat(Type::tensor(element, shape), static_cast<double>(cut[0]));
  }
  Tensor line(element, {static_cast<int64_t>(cut.size())});
  visit_integer(element, [&](auto tag) {
    using T = decltype(tag);
    for (size_t i = 0; i < cut.size(); ++i) static_cast<T*>(line.raw())[i] = static_cast<T>(cut[i]);
  });
  const int64_t dims[] = {axis};
  return b.broadcast_in_dim(b.constant(Literal::dense(std::move(line))), dims, shape);
}

Value clamp_indices(OpBuilder& b, Value x, std::span<const int64_t> limits, int64_t axis) {
  const Type t = b.type(x);
  const Value high = index_constant(b, t.element_type(), t.shape(), limits, axis);
  const Value cut = b.minimum(x, high);
  return is_unsigned_integer(t.element_type()) ? cut : b.maximum(cut, b.zeros(t));
}

}  // namespace weft
