#include "julia/intrinsics/strided.h"

#include <algorithm>
#include <cstring>

#include "julia/host/array.h"
#include "julia/host/array_look.h"

namespace weft::julia {
namespace {

const TypeName* name_of(const char* type) { return as<DataType>(unwrap_union_all(builtin_type(type)))->name; }

std::vector<int64_t> dense_strides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> out(dims.size());
  int64_t step = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    out[d] = step;
    step *= dims[d];
  }
  return out;
}

std::optional<Strided> strided_view(const Value& v) {
  std::optional<Strided> parent = strided_of(get_field(v, 0));
  if (!parent) return std::nullopt;
  const Value indices = get_field(v, 1);
  const size_t count = field_count(indices);
  if (count != parent->dims.size()) {
    // One index over all elements in order.
    if (count != 1 || !parent->is_contiguous()) return std::nullopt;
    parent->dims = {parent->length()};
    parent->strides = {1};
  }
  Strided out;
  out.kind = parent->kind;
  out.owner = parent->owner;
  int64_t offset = 0;
  for (size_t d = 0; d < count; ++d) {
    const Value index = get_field(indices, d);
    const int64_t stride = parent->strides[d];
    static const TypeName* const slice = name_of("Slice");
    if (index.is(core().int64)) {
      offset += (index.get<int64_t>() - 1) * stride;
    } else if (index.type()->name == slice) {
      out.dims.push_back(parent->dims[d]);
      out.strides.push_back(stride);
    } else if (is_range(index)) {
      const int64_t n = range_length(index);
      if (n > 0 && !range_element(index, 0).is(core().int64)) return std::nullopt;
      const int64_t first = n > 0 ? range_element(index, 0).get<int64_t>() : 1;
      const int64_t step = n > 1 ? range_element(index, 1).get<int64_t>() - first : 1;
      offset += n > 0 ? (first - 1) * stride : 0;
      out.dims.push_back(n);
      out.strides.push_back(step * stride);
    } else {
      return std::nullopt;
    }
  }
  out.data = parent->data + offset * static_cast<int64_t>(size_of(out.kind));
  return out;
}

}  // namespace

size_t size_of(NumberKind k) { return number_type(k)->layout().size; }

int64_t Strided::length() const {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

bool Strided::is_contiguous() const { return strides == dense_strides(dims); }

std::optional<Strided> strided_of(const Value& v) {
  if (!v.is_defined()) return std::nullopt;
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    const std::optional<NumberKind> kind = a.flat == nullptr ? std::nullopt : number_kind(a.flat);
    if (!kind) return std::nullopt;
    Strided out;
    out.kind = *kind;
    out.data = a.length == 0 ? nullptr : a.data();
    out.dims = a.dims;
    out.strides = dense_strides(a.dims);
    out.owner = v;
    return out;
  }
  static const TypeName* const view = name_of("SubArray");
  static const TypeName* const reshaped = name_of("ReshapedArray");
  static const TypeName* const adjoint = name_of("Adjoint");
  static const TypeName* const transpose = name_of("Transpose");
  const TypeName* name = v.type()->name;
  if (name == view) return strided_view(v);
  if (name == adjoint || name == transpose) {
    std::optional<Strided> out = strided_of(get_field(v, 0));
    if (!out || out->dims.empty() || out->dims.size() > 2) return std::nullopt;
    if (out->dims.size() == 1) {
      out->dims.push_back(1);
      out->strides.push_back(out->dims[0]);
    }
    std::swap(out->dims[0], out->dims[1]);
    std::swap(out->strides[0], out->strides[1]);
    return out;
  }
  if (name == reshaped) {
    std::optional<Strided> out = strided_of(get_field(v, 0));
    if (!out || !out->is_contiguous()) return std::nullopt;
    const Value dims = get_field(v, 1);
    out->dims.clear();
    for (size_t i = 0; i < field_count(dims); ++i) out->dims.push_back(get_field(dims, i).get<int64_t>());
    out->strides = dense_strides(out->dims);
    return out;
  }
  return std::nullopt;
}

RunWalker::RunWalker(std::vector<int64_t> dims, int64_t start) : dims_(std::move(dims)), index_(dims_.size(), 0) {
  for (size_t d = 0; d < dims_.size() && start > 0; ++d) {
    const bool is_last = d + 1 == dims_.size();
    index_[d] = is_last ? start : start % dims_[d];
    start = is_last ? 0 : start / dims_[d];
  }
}

int64_t RunWalker::run(int64_t most) const {
  return dims_.empty() ? std::min<int64_t>(1, most) : std::min(most, dims_[0] - index_[0]);
}

int64_t RunWalker::offset(const std::vector<int64_t>& strides) const {
  int64_t out = 0;
  for (size_t d = 0; d < index_.size(); ++d) out += index_[d] * strides[d];
  return out;
}

void RunWalker::advance(int64_t n) {
  if (dims_.empty()) return;
  index_[0] += n;
  for (size_t d = 0; d + 1 < dims_.size() && index_[d] == dims_[d]; ++d) {
    index_[d] = 0;
    ++index_[d + 1];
  }
}

namespace {

template <class T>
void copy_run(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t n) {
  const auto* a = reinterpret_cast<const T*>(from);
  auto* b = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) b[i * to_stride] = a[i * from_stride];
}

void copy_run(size_t size, const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t n) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, size * static_cast<size_t>(n));
    return;
  }
  switch (size) {
    case 1: copy_run<uint8_t>(from, from_stride, to, to_stride, n); break;
    case 2: copy_run<uint16_t>(from, from_stride, to, to_stride, n); break;
    case 4: copy_run<uint32_t>(from, from_stride, to, to_stride, n); break;
    case 8: copy_run<uint64_t>(from, from_stride, to, to_stride, n); break;
    default: copy_run<UInt128>(from, from_stride, to, to_stride, n); break;
  }
}

}  // namespace

void gather(const std::byte* data, size_t size, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
            int64_t start, int64_t n, std::byte* out) {
  RunWalker at(dims, start);
  const int64_t step = strides.empty() ? 1 : strides[0];
  const auto bytes = static_cast<int64_t>(size);
  for (int64_t done = 0; done < n;) {
    const int64_t run = at.run(n - done);
    copy_run(size, data + at.offset(strides) * bytes, step, out + done * bytes, 1, run);
    at.advance(run);
    done += run;
  }
}

void scatter(std::byte* data, size_t size, const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
             int64_t start, int64_t n, const std::byte* in) {
  RunWalker at(dims, start);
  const int64_t step = strides.empty() ? 1 : strides[0];
  const auto bytes = static_cast<int64_t>(size);
  for (int64_t done = 0; done < n;) {
    const int64_t run = at.run(n - done);
    copy_run(size, in + done * bytes, 1, data + at.offset(strides) * bytes, step, run);
    at.advance(run);
    done += run;
  }
}

}  // namespace weft::julia
