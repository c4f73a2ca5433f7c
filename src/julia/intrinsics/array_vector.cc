// Vectors that grow and shrink.
#include <algorithm>

#include "julia/intrinsics/array.h"

namespace weft::julia {
namespace {

ArrayObject& vector_of(const Value& v) {
  ArrayObject& x = array_of(v);
  if (x.dims.size() != 1) throw_argument_error("only vectors change their length");
  return x;
}

Value push(Evaluator& e, Args a) {
  ArrayObject& x = vector_of(a[0]);
  for (const Value& given : a.subspan(1)) push_back(x, e.convert(x.element, given));
  return a[0];
}

Value pop(Evaluator&, Args a) {
  ArrayObject& x = vector_of(a[0]);
  if (x.length == 0) throw_argument_error("array must be non-empty");
  Value v = get_element(x, x.length - 1);
  if (!v.is_defined()) throw_undef_ref_error();
  resize(x, x.length - 1);
  return v;
}

/// Room for `count` elements before the 0-based place; what is there is zero or undefined.
void open_gap(ArrayObject& x, int64_t place, int64_t count) {
  const int64_t after = x.length - place;
  resize(x, x.length + count);
  if (x.flat != nullptr) {
    const size_t size = x.flat->layout().size;
    std::byte* at = x.data() + static_cast<size_t>(place) * size;
    std::memmove(at + static_cast<size_t>(count) * size, at, static_cast<size_t>(after) * size);
    std::memset(at, 0, static_cast<size_t>(count) * size);
    return;
  }
  const auto begin = x.boxes->begin() + x.first + place;
  std::move_backward(begin, begin + after, begin + after + count);
  std::fill_n(begin, count, Value());
}

Value push_first(Evaluator& e, Args a) {
  ArrayObject& x = vector_of(a[0]);
  std::vector<Value> given;
  for (const Value& v : a.subspan(1)) given.push_back(e.convert(x.element, v));
  for (size_t i = given.size(); i-- > 0;) insert(x, 0, given[i]);
  return a[0];
}

Value pop_first(Evaluator&, Args a) {
  ArrayObject& x = vector_of(a[0]);
  if (x.length == 0) throw_argument_error("array must be non-empty");
  Value v = get_element(x, 0);
  if (!v.is_defined()) throw_undef_ref_error();
  erase(x, 0, 1);
  return v;
}

Value insert_at(Evaluator& e, Args a) {
  ArrayObject& x = vector_of(a[0]);
  const Value v = e.convert(x.element, a[2]);
  const int64_t i = integer_of(a[1]);
  if (i < 1 || i > x.length + 1) throw_bounds_error(a[0], make_tuple({a[1]}));
  insert(x, i - 1, v);
  return a[0];
}

/// deleteat! of `count` elements from a place on.
Value erase_at(Evaluator&, Args a) {
  ArrayObject& x = vector_of(a[0]);
  const int64_t i = integer_of(a[1]), count = integer_of(a[2]);
  if (count == 0) return a[0];
  if (i < 1 || i + count - 1 > x.length) {
    if (count == 1) throw_bounds_error(a[0], make_tuple({a[1]}));
    throw_bounds_error(
        a[0],
        make_tuple({make_struct(applied(core().unit_range, {core().int64}), {number(i), number(i + count - 1)})}));
  }
  erase(x, i - 1, count);
  return a[0];
}

/// Keeps the elements whose mark is true: the other ones are deleted.
Value keep(Evaluator&, Args a) {
  ArrayObject& x = vector_of(a[0]);
  const ArrayObject& marks = array_of(a[1]);
  int64_t n = 0;
  for (int64_t i = 0; i < x.length; ++i) {
    if (!marks.data_as<bool>()[i]) continue;
    if (n != i) set_element(x, n, get_element(x, i));
    ++n;
  }
  resize(x, n);
  return a[0];
}

Value change_length(Evaluator&, Args a) {
  ArrayObject& x = vector_of(a[0]);
  const int64_t n = integer_of(a[1]);
  if (n < 0) throw_argument_error("new length must be ≥ 0");
  resize(x, n);
  return a[0];
}

Value gap(Evaluator&, Args a) {
  ArrayObject& x = vector_of(a[0]);
  const int64_t i = integer_of(a[1]);
  if (i < 1 || i > x.length + 1) throw_bounds_error(a[0], make_tuple({a[1]}));
  open_gap(x, i - 1, integer_of(a[2]));
  return a[0];
}

/// append!(a, b) of an array in memory.
Value append(Evaluator& e, Args a) {
  ArrayObject& x = vector_of(a[0]);
  const Value other = &array_of(a[1]) == &x ? copied(a[1]) : a[1];
  const ArrayObject& y = array_of(other);
  const int64_t before = x.length;
  if (x.flat != nullptr && x.flat == y.flat) {
    resize(x, before + y.length);
    const size_t size = x.flat->layout().size;
    std::memcpy(x.data() + static_cast<size_t>(before) * size, y.data(), static_cast<size_t>(y.length) * size);
    return a[0];
  }
  for (int64_t i = 0; i < y.length; ++i) {
    const Value v = get_element(y, i);
    push_back(x, v.is_defined() ? e.convert(x.element, v) : v);
  }
  return a[0];
}

/// (vector, vector): the first takes the contents of the second.
Value take_contents(Evaluator& e, Args a) {
  ArrayObject& to = vector_of(a[0]);
  const ArrayObject& from = array_of(a[1]);
  resize(to, from.length);
  for (int64_t i = 0; i < from.length; ++i) set_element(to, i, e.convert(to.element, get_element(from, i)));
  return a[0];
}

constexpr IntrinsicEntry kEntries[] = {
    {"_take_contents!", take_contents, 2, 2},
    {"_push!", push, 1, -1},
    {"_pop!", pop, 1, 1},
    {"_pushfirst!", push_first, 1, -1},
    {"_popfirst!", pop_first, 1, 1},
    {"_insert!", insert_at, 3, 3},
    {"_erase!", erase_at, 3, 3},
    {"_keep!", keep, 2, 2},
    {"_resize!", change_length, 2, 2},
    {"_gap!", gap, 3, 3},
    {"_append!", append, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> array_vector_intrinsics() { return kEntries; }

}  // namespace weft::julia
