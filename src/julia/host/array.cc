#include "julia/host/array.h"

#include <algorithm>

#include "julia/host/number.h"
#include "julia/host/tracked.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

int64_t product(const std::vector<int64_t>& dims) {
  for (const int64_t d : dims) {
    if (d < 0) throw UserError("ArgumentError: invalid Array dimensions");
  }
  return num_elements(dims);
}

ArrayObject* fresh(const Type* element, std::vector<int64_t> dims) {
  auto a = std::make_unique<ArrayObject>();
  a->element = element;
  const auto* d = as<DataType>(element);
  if (d != nullptr && d->is_concrete && d->is_bits()) a->flat = d;
  a->length = product(dims);
  a->dims = std::move(dims);
  const auto n = static_cast<size_t>(a->length);
  if (a->flat != nullptr) {
    a->buffer = Buffer::allocate(n * a->flat->layout().size);
    std::memset(a->buffer.data(), 0, a->buffer.size());
  } else {
    a->boxes = std::make_shared<std::vector<Value>>(n);
  }
  return a.release();
}

/// What a place without an element holds: zeros, of an array of plain bits.
Value empty_place(const ArrayObject& a) {
  const auto* d = as<DataType>(a.element);
  if (d == nullptr || !d->is_concrete || !d->is_bits()) return {};
  return Value::from_bits(d, std::vector<std::byte>(d->layout().size).data());
}

/// Room for `length` elements from `first` on, in memory that nothing else uses when it must grow.
void reserve(ArrayObject& a, int64_t length) {
  if (a.flat == nullptr) {
    a.boxes->resize(static_cast<size_t>(a.first + length), empty_place(a));
    return;
  }
  const size_t size = a.flat->layout().size;
  const size_t needed = static_cast<size_t>(a.first + length) * size;
  if (needed <= a.buffer.size()) return;
  const size_t grown = std::max(static_cast<size_t>(length) * size, static_cast<size_t>(a.length) * size * 2);
  Buffer buffer = Buffer::allocate(std::max(grown, size_t{64}));
  std::memset(buffer.data(), 0, buffer.size());
  if (a.length > 0) std::memcpy(buffer.data(), a.data(), static_cast<size_t>(std::min(a.length, length)) * size);
  a.buffer = std::move(buffer);
  a.first = 0;
}

}  // namespace

Value make_array(const Type* element, std::vector<int64_t> dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  return Value::of_object(array_type(element, rank), fresh(element, std::move(dims)));
}

Value make_bit_array(std::vector<int64_t> dims) {
  const DataType* type = applied(core().bit_array, {make_int(static_cast<int64_t>(dims.size()))});
  return Value::of_object(type, fresh(core().bool_, std::move(dims)));
}

Value make_array(const Type* element, std::vector<int64_t> dims, std::vector<Value> elements) {
  Value v = make_array(element, std::move(dims));
  ArrayObject& a = array_of(v);
  if (a.length != static_cast<int64_t>(elements.size()))
    throw InternalError("an array's elements do not fill its extents");
  for (size_t i = 0; i < elements.size(); ++i) set_element(a, static_cast<int64_t>(i), elements[i]);
  return v;
}

Value make_vector(const Type* element, std::vector<Value> elements) {
  const auto n = static_cast<int64_t>(elements.size());
  return make_array(element, {n}, std::move(elements));
}

bool is_array(const Value& v) { return v.is_reference() && v.object()->kind == ObjectKind::kArray; }

ArrayObject& array_of(const Value& v) {
  if (!is_array(v)) throw InternalError("an Array was expected");
  return *static_cast<ArrayObject*>(v.object());
}

Value get_element(const ArrayObject& a, int64_t index) {
  if (a.flat == nullptr) return (*a.boxes)[static_cast<size_t>(a.first + index)];
  return Value::from_bits(a.flat, a.data() + static_cast<size_t>(index) * a.flat->layout().size);
}

void set_element(ArrayObject& a, int64_t index, const Value& v) {
  if (a.flat != nullptr && tracked::is_tracked(v)) tracked::box(a);
  if (a.flat == nullptr) {
    (*a.boxes)[static_cast<size_t>(a.first + index)] = v;
    return;
  }
  if (!v.is_defined() || v.type() != a.flat)
    throw InternalError("an element of another type: " + type_text(v.type()) + " in an array of " + type_text(a.flat));
  const size_t size = a.flat->layout().size;
  std::memcpy(a.data() + static_cast<size_t>(index) * size, v.bits(), size);
}

/// By value: it may be an element of the array itself.
void push_back(ArrayObject& a, Value v) {
  resize(a, a.length + 1);
  set_element(a, a.length - 1, v);
}

void resize(ArrayObject& a, int64_t length) {
  if (length > a.length) {
    reserve(a, length);
  } else if (a.flat == nullptr) {
    for (int64_t i = length; i < a.length; ++i) (*a.boxes)[static_cast<size_t>(a.first + i)] = Value();
  }
  a.length = length;
  a.dims = {length};
}

void erase(ArrayObject& a, int64_t index, int64_t count) {
  const int64_t after = a.length - index - count;
  if (index == 0) {
    if (a.flat == nullptr) {
      for (int64_t i = 0; i < count; ++i) (*a.boxes)[static_cast<size_t>(a.first + i)] = Value();
    }
    a.first += count;
    a.length -= count;
    a.dims = {a.length};
    return;
  }
  if (a.flat != nullptr) {
    const size_t size = a.flat->layout().size;
    std::byte* at = a.data() + static_cast<size_t>(index) * size;
    std::memmove(at, at + static_cast<size_t>(count) * size, static_cast<size_t>(after) * size);
  } else {
    const auto begin = a.boxes->begin() + a.first + index;
    std::move(begin + count, begin + count + after, begin);
  }
  resize(a, a.length - count);
}

void insert(ArrayObject& a, int64_t index, Value v) {
  if (index == 0 && a.first > 0) {
    --a.first;
    ++a.length;
    a.dims = {a.length};
  } else {
    const int64_t after = a.length - index;
    resize(a, a.length + 1);
    if (a.flat != nullptr) {
      const size_t size = a.flat->layout().size;
      std::byte* at = a.data() + static_cast<size_t>(index) * size;
      std::memmove(at + size, at, static_cast<size_t>(after) * size);
    } else {
      const auto begin = a.boxes->begin() + a.first + index;
      std::move_backward(begin, begin + after, begin + after + 1);
    }
  }
  set_element(a, index, v);
}

Value reshaped(const Value& v, std::vector<int64_t> dims) {
  const ArrayObject& a = array_of(v);
  auto* out = new ArrayObject;
  out->element = a.element;
  out->flat = a.flat;
  out->length = a.length;
  out->first = a.first;
  out->buffer = a.buffer;
  out->boxes = a.boxes;
  out->dims = std::move(dims);
  const auto* element = as<DataType>(a.element);
  if (a.flat == nullptr && element != nullptr && element->is_concrete && element->is_bits()) tracked::remember(*out);
  const auto rank = make_int(static_cast<int64_t>(out->dims.size()));
  const bool is_bit_array = v.type()->name == as<DataType>(unwrap_union_all(core().bit_array))->name;
  return Value::of_object(is_bit_array ? applied(core().bit_array, {rank}) : applied(core().array, {a.element, rank}),
                          out);
}

Value copied(const Value& v) {
  const ArrayObject& a = array_of(v);
  Value out = Value::of_object(v.type(), fresh(a.element, a.dims));
  ArrayObject& b = array_of(out);
  tracked::box_like(b, a);
  if (a.flat != nullptr) {
    if (a.length > 0) std::memcpy(b.data(), a.data(), static_cast<size_t>(a.length) * a.flat->layout().size);
  } else {
    std::copy_n(a.boxes->begin() + a.first, a.length, b.boxes->begin());
  }
  return out;
}

std::optional<ElementType> element_type(const Type* t) {
  const CoreTypes& c = core();
  static const DataType* const c64 = applied(c.complex, {c.float32});
  static const DataType* const c128 = applied(c.complex, {c.float64});
  using enum ElementType;
  for (const auto& [type, element] : {std::pair{c.bool_, kI1},
                                      {c.int8, kI8},
                                      {c.int16, kI16},
                                      {c.int32, kI32},
                                      {c.int64, kI64},
                                      {c.uint8, kU8},
                                      {c.uint16, kU16},
                                      {c.uint32, kU32},
                                      {c.uint64, kU64},
                                      {c.float16, kF16},
                                      {c.float32, kF32},
                                      {c.float64, kF64},
                                      {c64, kC64},
                                      {c128, kC128}}) {
    if (type == t) return element;
  }
  return std::nullopt;
}

const DataType* julia_type(ElementType t) {
  const CoreTypes& c = core();
  using enum ElementType;
  switch (t) {
    case kI1: return c.bool_;
    case kI8: return c.int8;
    case kI16: return c.int16;
    case kI32: return c.int32;
    case kI64:
    case kIndex: return c.int64;
    case kU8: return c.uint8;
    case kU16: return c.uint16;
    case kU32: return c.uint32;
    case kU64: return c.uint64;
    case kF16: return c.float16;
    case kF32: return c.float32;
    case kF64: return c.float64;
    case kC64: return applied(c.complex, {c.float32});
    case kC128: return applied(c.complex, {c.float64});
    default: throw Unsupported("Julia has no type for elements of type " + std::string(name(t)));
  }
}

Tensor tensor_of(const ArrayObject& a) {
  const std::optional<ElementType> element = element_type(a.element);
  if (!element || a.flat == nullptr) throw Unsupported("an array of " + type_text(a.element) + " is no tensor");
  Shape shape(a.dims.rbegin(), a.dims.rend());
  if (a.first == 0) return Tensor(*element, std::move(shape), a.buffer);
  // Past elements that popfirst! left, the memory no longer begins at a cache line.
  Tensor t(*element, std::move(shape));
  std::memcpy(t.raw(), a.data(), t.size_bytes());
  return t;
}

Value array_of_tensor(const Tensor& t) {
  auto a = std::make_unique<ArrayObject>();
  a->flat = julia_type(t.element_type());
  a->element = a->flat;
  a->dims.assign(t.shape().rbegin(), t.shape().rend());
  a->length = t.size();
  a->buffer = t.buffer();
  const DataType* type = array_type(a->flat, static_cast<int64_t>(a->dims.size()));
  return Value::of_object(type, a.release());
}

}  // namespace weft::julia
