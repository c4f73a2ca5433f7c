// Arrays: making them, reading and writing single elements, whole copies.
#include "julia/intrinsics/array.h"

#include <algorithm>

#include "julia/host/array_look.h"
#include "julia/host/hash.h"
#include "julia/host/number_ops.h"
#include "julia/host/tracked.h"
#include "julia/run/impl.h"

namespace weft::julia {

int64_t integer_of(const Value& v) {
  if (v.is(core().int64)) return v.get<int64_t>();
  if (!number_kind(v)) throw_type_error("an index", "", core().integer, v);
  return convert_number(NumberKind::kInt64, v).get<int64_t>();
}

std::vector<int64_t> integers_of(const Value& tuple) {
  std::vector<int64_t> out;
  if (!tuple.type()->is_tuple) return {integer_of(tuple)};
  for (size_t i = 0; i < field_count(tuple); ++i) out.push_back(integer_of(get_field(tuple, i)));
  return out;
}

Value tuple_of(std::span<const int64_t> integers) {
  std::vector<Value> out;
  for (const int64_t i : integers) out.push_back(number(i));
  return make_tuple(std::move(out));
}

bool is_of(const Value& v, const Type* wrapper) {
  return v.type()->name == as<DataType>(unwrap_union_all(wrapper))->name;
}

bool is_bit_array(const Value& v) { return is_of(v, core().bit_array); }

Value similar_to(const Value& like, const Type* element, std::vector<int64_t> dims) {
  if (element == core().bool_ && is_bit_array(like)) return make_bit_array(std::move(dims));
  return make_array(element, std::move(dims));
}

void throw_index_error(const Value& array, const std::vector<int64_t>& dims, Args indices) {
  std::vector<Value> list;
  int64_t length = 1;
  for (const int64_t d : dims) length *= d;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i].is(as<DataType>(builtin_type("Colon")))) {
      list.push_back(indices[i]);
      continue;
    }
    const int64_t n = indices.size() == 1 ? length : i < dims.size() ? dims[i] : 1;
    list.push_back(make_struct(applied(core().unit_range, {core().int64}), {number(int64_t{1}), number(n)}));
  }
  throw_bounds_error(array, make_tuple(std::move(list)));
}

namespace {

/// The linear position of indices that are all integers; -1: out of bounds. Dimensions without an index must have one element,
/// indices beyond the dimensions must be 1.
int64_t position(const ArrayObject& x, Args indices) {
  if (indices.size() == 1) {
    const int64_t i = integer_of(indices[0]) - 1;
    return i >= 0 && i < x.length ? i : -1;
  }
  int64_t at = 0, stride = 1;
  const size_t n = std::max(indices.size(), x.dims.size());
  for (size_t k = 0; k < n; ++k) {
    const int64_t extent = k < x.dims.size() ? x.dims[k] : 1;
    if (k >= indices.size()) {
      if (extent != 1) return -1;
      continue;
    }
    const int64_t i = integer_of(indices[k]) - 1;
    if (i < 0 || i >= extent) return -1;
    at += i * stride;
    stride *= extent;
  }
  return at;
}

Value get(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  const int64_t at = position(x, a.subspan(1));
  if (at < 0) throw_index_error(a[0], x.dims, a.subspan(1));
  Value v = get_element(x, at);
  if (!v.is_defined()) throw_undef_ref_error();
  return v;
}

Value set(Evaluator& e, Args a) {
  ArrayObject& x = array_of(a[0]);
  if (x.flat != nullptr && a[1].type() == x.flat) {
    const int64_t at = position(x, a.subspan(2));
    if (at < 0) throw_index_error(a[0], x.dims, a.subspan(2));
    set_element(x, at, a[1]);
    return a[0];
  }
  const Value v = e.convert(x.element, a[1]);
  const int64_t at = position(x, a.subspan(2));
  if (at < 0) throw_index_error(a[0], x.dims, a.subspan(2));
  set_element(x, at, v);
  return a[0];
}

Value is_in_bounds(Evaluator&, Args a) { return boolean(position(array_of(a[0]), a.subspan(1)) >= 0); }

Value is_assigned(Evaluator&, Args a) {
  const int64_t at = position(array_of(a[0]), a.subspan(1));
  return boolean(at >= 0 && get_element(array_of(a[0]), at).is_defined());
}

/// Elements of a union of plain bits are never undefined: the first member without contents stands there.
void define_elements(ArrayObject& x) {
  const auto* u = as<UnionType>(x.element);
  if (u == nullptr || x.boxes == nullptr) return;
  const DataType* singleton = nullptr;
  for (const Type* t : u->members) {
    const auto* d = as<DataType>(t);
    if (d == nullptr || !d->is_concrete || !d->is_bits()) return;
    if (d->is_singleton()) singleton = d;
  }
  if (singleton == nullptr) return;
  std::ranges::fill(*x.boxes, Value::singleton(singleton));
}

/// What Julia checks before it asks for memory: extents and the bytes of all elements are integers from 0 on.
std::vector<int64_t> checked(std::vector<int64_t> dims, size_t element_size) {
  constexpr const char* kSize =
      "invalid GenericMemory size: the number of elements is either negative or too large for system address width";
  const bool is_vector = dims.size() == 1;
  int64_t count = 1, bytes = 0;
  bool overflows = false;
  for (const int64_t d : dims) {
    if (d < 0) throw_argument_error(is_vector ? kSize : "invalid Array dimensions");
    overflows = __builtin_mul_overflow(count, d, &count) || overflows;
  }
  if (std::ranges::find(dims, 0) != dims.end()) return dims;
  if (overflows) throw_argument_error("invalid Array dimensions");
  if (__builtin_mul_overflow(count, static_cast<int64_t>(element_size), &bytes)) throw_argument_error(kSize);
  return dims;
}

/// Bytes of an element of an array in Julia: what is no plain bits is a pointer.
size_t element_size(const Type* element) {
  const auto* d = as<DataType>(element);
  return d != nullptr && d->is_concrete && d->is_bits() ? d->layout().size : sizeof(void*);
}

Value make(Evaluator& e, Args a) {
  std::vector<int64_t> dims;
  if (a.size() == 2) {
    dims = integers_of(a[1]);
  } else {
    for (const Value& v : a.subspan(1)) dims.push_back(integer_of(v));
  }
  const Type* element = e.impl().type_of_value(a[0]);
  Value v = make_array(element, checked(std::move(dims), element_size(element)));
  define_elements(array_of(v));
  return v;
}

Value make_bits(Evaluator&, Args a) { return make_bit_array(checked(integers_of(a[0]), 0)); }

Value length(Evaluator&, Args a) { return number(array_of(a[0]).length); }

Value size(Evaluator&, Args a) {
  const std::vector<int64_t>& dims = array_of(a[0]).dims;
  if (a.size() == 1) return tuple_of(dims);
  const int64_t d = integer_of(a[1]);
  if (d < 1) throw_error("arraysize: dimension out of range");
  return number(d <= static_cast<int64_t>(dims.size()) ? dims[static_cast<size_t>(d - 1)] : int64_t{1});
}

Value iterate(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  const int64_t i = a.size() > 1 ? integer_of(a[1]) : 1;
  if (i < 1 || i > x.length) return nothing();
  Value v = get_element(x, i - 1);
  if (!v.is_defined()) throw_undef_ref_error();
  return make_tuple({std::move(v), number(i + 1)});
}

Value fill(Evaluator& e, Args a) {
  ArrayObject& x = array_of(a[0]);
  if (x.length == 0) return a[0];
  const Value v = e.convert(x.element, a[1]);
  if (tracked::is_tracked(v)) tracked::box(x);
  if (x.flat == nullptr) {
    std::fill_n(x.boxes->begin() + x.first, x.length, v);
    return a[0];
  }
  const size_t size = x.flat->layout().size;
  std::byte* data = x.data();
  for (int64_t i = 0; i < x.length; ++i) std::memcpy(data + static_cast<size_t>(i) * size, v.bits(), size);
  return a[0];
}

/// A new array of one value: (element type, value, extents).
Value filled(Evaluator& e, Args a) {
  const Type* element = e.impl().type_of_value(a[0]);
  const Value out = make_array(element, checked(integers_of(a[2]), element_size(element)));
  const Value arguments[] = {out, a[1]};
  return fill(e, arguments);
}

Value copy(Evaluator&, Args a) { return copied(a[0]); }

Value linear_indices(int64_t n) {
  const DataType* one_to = applied(core().one_to, {core().int64});
  const Value axes = make_tuple({make_struct(one_to, {number(n)})});
  return make_struct(applied(builtin_type("LinearIndices"), {make_int(1), axes.type()}), {axes});
}

/// copyto!(to, first, from, first, count) between arrays in memory; they may be the same.
Value copy_to(Evaluator& e, Args a) {
  ArrayObject& to = array_of(a[0]);
  const ArrayObject& from = array_of(a[2]);
  const int64_t at = integer_of(a[1]) - 1, start = integer_of(a[3]) - 1, n = integer_of(a[4]);
  if (n == 0) return a[0];
  if (n < 0) throw_argument_error("tried to copy n=" + std::to_string(n) + " elements, but n should be non-negative");
  const auto range = [](int64_t first, int64_t count) {
    return make_struct(applied(core().unit_range, {core().int64}), {number(first + 1), number(first + count)});
  };
  if (at < 0 || n > to.length - at) throw_bounds_error(a[0], make_tuple({range(at, n)}));
  if (start < 0 || n > from.length - start) throw_bounds_error(a[2], make_tuple({range(start, n)}));
  if (to.flat != nullptr && to.flat == from.flat) {
    const size_t size = to.flat->layout().size;
    std::memmove(to.data() + static_cast<size_t>(at) * size, from.data() + static_cast<size_t>(start) * size,
                 static_cast<size_t>(n) * size);
    return a[0];
  }
  const bool backward = to.boxes != nullptr && to.boxes == from.boxes && at > start;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = backward ? n - 1 - k : k;
    const Value v = get_element(from, start + i);
    set_element(to, at + i, v.is_defined() ? e.convert(to.element, v) : v);
  }
  return a[0];
}

/// copyto!(to, from) of all elements.
Value copy_whole(Evaluator& e, Args a) {
  const int64_t n = array_of(a[1]).length;
  if (n > array_of(a[0]).length) throw_bounds_error(a[0], make_tuple({linear_indices(n)}));
  const Value one = number(int64_t{1});
  const Value arguments[] = {a[0], one, a[1], one, number(n)};
  return copy_to(e, arguments);
}

Value reshape(Evaluator&, Args a) {
  std::vector<int64_t> dims = integers_of(a[1]);
  int64_t n = 1;
  for (const int64_t d : dims) {
    if (d < 0) throw_argument_error("invalid Array dimensions");
    n *= d;
  }
  if (n != array_of(a[0]).length) {
    std::string text;
    for (const int64_t d : dims) text += (text.empty() ? "" : ", ") + std::to_string(d);
    if (dims.size() == 1) text += ",";
    throw_dimension_mismatch("new dimensions (" + text + ") must be consistent with array length " +
                             std::to_string(array_of(a[0]).length));
  }
  return reshaped(a[0], std::move(dims));
}

/// A value of a builtin type from its fields, without its constructors.
Value construct(Evaluator& e, Args a) {
  const auto* type = a[0].is_type() ? as<DataType>(a[0].as_type()) : nullptr;
  if (type == nullptr) throw_type_error("new", "", core().data_type, a[0]);
  return e.impl().construct(type, {a.begin() + 1, a.end()});
}

/// Whether two arrays of numbers have the same extents and equal elements; nothing when elements are no machine numbers.
Value arrays_equal(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  const ArrayObject& y = array_of(a[1]);
  if (x.dims != y.dims) return boolean(false);
  const auto kind = x.flat == nullptr ? std::nullopt : number_kind(x.flat);
  if (!kind || y.flat == nullptr || !number_kind(y.flat)) return nothing();
  if (x.flat != y.flat) {
    for (int64_t i = 0; i < x.length; ++i) {
      if (!numbers_equal(get_element(x, i), get_element(y, i))) return boolean(false);
    }
    return boolean(true);
  }
  return visit_number(*kind, [&](auto zero) {
    using T = decltype(zero);
    const T* p = x.data_as<T>();
    return boolean(std::equal(p, p + x.length, y.data_as<T>()));
  });
}

/// As arrays_equal with isequal: NaN equals itself, 0.0 does not equal -0.0.
Value arrays_isequal(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  const ArrayObject& y = array_of(a[1]);
  if (x.dims != y.dims) return boolean(false);
  if (x.flat == nullptr || !number_kind(x.flat) || y.flat == nullptr || !number_kind(y.flat)) return nothing();
  for (int64_t i = 0; i < x.length; ++i) {
    if (!is_equal(get_element(x, i), get_element(y, i))) return boolean(false);
  }
  return boolean(true);
}

Value dense(Evaluator& e, Args a) { return dense_of(e, a[0]); }
Value same_memory(Evaluator&, Args a) {
  if (!is_array(a[0]) || !is_array(a[1])) return boolean(is_identical(a[0], a[1]));
  const ArrayObject& x = array_of(a[0]);
  const ArrayObject& y = array_of(a[1]);
  if (x.flat != nullptr && y.flat != nullptr) return boolean(x.length > 0 && x.buffer.data() == y.buffer.data());
  return boolean(x.boxes != nullptr && x.boxes == y.boxes);
}

/// The bytes of an array under another plain-bits type; the memory stays shared. `dims` are those of the result.
Value reinterpreted(Evaluator& e, Args a) {
  const ArrayObject& x = array_of(a[1]);
  const auto* type = as<DataType>(e.impl().type_of_value(a[0]));
  if (type == nullptr || !type->is_concrete || !type->is_bits() || x.flat == nullptr)
    throw_argument_error("cannot reinterpret: both element types must be plain bits");
  auto* out = new ArrayObject;
  out->element = out->flat = type;
  out->dims = integers_of(a[2]);
  out->length = 1;
  for (const int64_t d : out->dims) out->length *= d;
  out->buffer = x.buffer;
  const size_t size = type->layout().size;
  out->first = size == 0 ? 0 : x.first * static_cast<int64_t>(x.flat->layout().size / size);
  return Value::of_object(array_type(type, static_cast<int64_t>(out->dims.size())), out);
}

Value bit_size(Evaluator& e, Args a) {
  const auto* type = as<DataType>(e.impl().type_of_value(a[0]));
  if (type == nullptr || !type->is_concrete || !type->is_bits()) return number(int64_t{-1});
  return number(static_cast<int64_t>(type->layout().size));
}

constexpr IntrinsicEntry kEntries[] = {
    {"_new", construct, 1, -1},
    {"_array_get", get, 1, -1},
    {"_array_set", set, 2, -1},
    {"_array_in_bounds", is_in_bounds, 1, -1},
    {"_array_is_assigned", is_assigned, 1, -1},
    {"_array_new", make, 1, -1},
    {"_bit_array_new", make_bits, 1, 1},
    {"_array_length", length, 1, 1},
    {"_array_size", size, 1, 2},
    {"_array_iterate", iterate, 1, 2},
    {"_array_fill!", fill, 2, 2},
    {"_filled", filled, 3, 3},
    {"_copy_whole", copy_whole, 2, 2},
    {"_array_copy", copy, 1, 1},
    {"_array_copyto!", copy_to, 5, 5},
    {"_array_reshape", reshape, 2, 2},
    {"_array_equal", arrays_equal, 2, 2},
    {"_array_isequal", arrays_isequal, 2, 2},
    {"_array_same_memory", same_memory, 2, 2},
    {"_array_reinterpret", reinterpreted, 3, 3},
    {"_bits_size", bit_size, 1, 1},
    {"_dense", dense, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> array_access_intrinsics() { return kEntries; }

std::span<const IntrinsicEntry> array_intrinsics() {
  static const std::vector<IntrinsicEntry> all = [] {
    std::vector<IntrinsicEntry> out;
    for (const auto part :
         {array_access_intrinsics(), array_vector_intrinsics(), array_index_intrinsics(), array_range_intrinsics(),
          array_shape_intrinsics(), array_collect_intrinsics(), array_tuple_intrinsics()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

}  // namespace weft::julia
