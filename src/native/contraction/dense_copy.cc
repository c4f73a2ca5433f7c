#include "native/contraction/dense_copy.h"

#include <algorithm>
#include <array>

#include "native/runtime/parallel.h"

namespace weft::native {

namespace {

template <class Element>
Element* copy(const DenseCopy& c, size_t dimension, const Element* source, Element* target) {
  const int64_t extent = c.dims[dimension], stride = c.strides[dimension];
  if (dimension + 1 == c.dims.size()) {
    for (int64_t i = 0; i < extent; ++i) target[i] = source[i * stride];
    return target + extent;
  }
  for (int64_t i = 0; i < extent; ++i) target = copy(c, dimension + 1, source + i * stride, target);
  return target;
}

template <class Element>
void run_as(const DenseCopy& c, const void* source, void* target, int partitions) {
  const auto* from = static_cast<const Element*>(source) + c.offset;
  auto* to = static_cast<Element*>(target);
  if (c.dims.empty()) {
    *to = *from;
    return;
  }
  constexpr size_t kSerialBelow = size_t{1} << 16;
  const int64_t slowest = c.dims[0];
  const int64_t parts = c.bytes() < kSerialBelow ? 1 : std::min<int64_t>(partitions, slowest);
  const int64_t row = static_cast<int64_t>(c.bytes() / sizeof(Element)) / slowest;
  auto body = [&](int64_t part, int64_t of) {
    const int64_t first = slowest * part / of, last = slowest * (part + 1) / of;
    for (int64_t i = first; i < last; ++i) {
      if (c.dims.size() == 1) to[i] = from[i * c.strides[0]];
      else copy(c, 1, from + i * c.strides[0], to + i * row);
    }
  };
  rt::parallel(parts, body);
}

}  // namespace

DenseCopy DenseCopy::permuted(std::span<const int64_t> shape, std::span<const int64_t> strides,
                              const std::vector<int64_t>& order, size_t element_bytes) {
  DenseCopy c;
  c.element_bytes = element_bytes;
  for (int64_t d : order) {
    c.dims.push_back(shape[d]);
    c.strides.push_back(strides[d]);
  }
  return c;
}

DenseCopy DenseCopy::reversed(std::span<const int64_t> shape, std::span<const int64_t> strides,
                              const std::vector<int64_t>& reversed_dims, size_t element_bytes) {
  DenseCopy c;
  c.element_bytes = element_bytes;
  c.dims.assign(shape.begin(), shape.end());
  c.strides.assign(strides.begin(), strides.end());
  for (int64_t d : reversed_dims) {
    c.offset += (shape[d] - 1) * strides[d];
    c.strides[d] = -strides[d];
  }
  return c;
}

size_t DenseCopy::bytes() const {
  size_t all = element_bytes;
  for (int64_t extent : dims) all *= static_cast<size_t>(extent);
  return all;
}

void DenseCopy::run(const void* source, void* target, int partitions) const {
  if (bytes() == 0) return;
  switch (element_bytes) {
    case 1: return run_as<uint8_t>(*this, source, target, partitions);
    case 2: return run_as<uint16_t>(*this, source, target, partitions);
    case 4: return run_as<uint32_t>(*this, source, target, partitions);
    case 16: return run_as<std::array<uint64_t, 2>>(*this, source, target, partitions);
    default: return run_as<uint64_t>(*this, source, target, partitions);
  }
}

}  // namespace weft::native
