// Collecting: comprehensions, generators, literals of arrays.
#include <algorithm>
#include <unordered_map>

#include "base/memory.h"
#include "julia/host/array_look.h"
#include "julia/host/dict.h"
#include "julia/host/number_ops.h"
#include "julia/host/tracked.h"
#include "julia/intrinsics/array.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"

namespace weft::julia {

void ElementCollector::add(const Value& v) {
  const DataType* type = v.type();
  if (count_ == 0) {
    element_ = type;
    flat_ = type->is_bits() ? type : nullptr;
    if (tracked::is_tracked(v)) flat_ = nullptr;
  } else if (type != element_ || (flat_ != nullptr && tracked::is_tracked(v))) {
    const Type* joined = type == element_ ? type
                         : element_->kind == TypeKind::kUnion || as<DataType>(element_) != nullptr
                             ? promote_type_join(element_, type)
                             : core().any;
    if (flat_ != nullptr) {
      const size_t size = flat_->layout().size;
      for (int64_t i = 0; i < count_; ++i)
        boxes_.push_back(Value::from_bits(flat_, bytes_.data() + static_cast<size_t>(i) * size));
      bytes_.clear();
      flat_ = nullptr;
    }
    element_ = joined;
  }
  ++count_;
  if (flat_ != nullptr) bytes_.insert(bytes_.end(), v.bits(), v.bits() + flat_->layout().size);
  else boxes_.push_back(v);
}

Value ElementCollector::array(std::vector<int64_t> dims, const Type* empty) const {
  Value out = make_array(count_ == 0 ? empty : element_, std::move(dims));
  ArrayObject& x = array_of(out);
  if (x.length != count_) throw InternalError("collected elements do not fill the array");
  if (count_ == 0) return out;
  if (flat_ != nullptr) {
    if (!bytes_.empty()) std::memcpy(x.data(), bytes_.data(), bytes_.size());
  } else {
    for (int64_t i = 0; i < count_; ++i) set_element(x, i, boxes_[static_cast<size_t>(i)]);
  }
  return out;
}

Value ElementCollector::vector(const Type* empty) const { return array({count_}, empty); }

namespace {

bool is_product(const Value& v) { return is_of(v, builtin_type("Base.Iterators.ProductIterator")); }

/// The extents of what knows them without being asked: arrays and ranges; nothing for others.
std::optional<std::vector<int64_t>> known_shape(const Value& iterable) {
  if (is_array(iterable)) return array_of(iterable).dims;
  if (is_range(iterable)) {
    const int64_t n = range_length(iterable);
    if (n >= 0) return std::vector<int64_t>{n};
  }
  return std::nullopt;
}

/// The iterable's elements in order; those of a product as tuples, the first iterator fastest.
void visit_all(Evaluator& e, const Value& iterable, const std::function<void(const Value&)>& visit) {
  if (!is_product(iterable)) {
    e.for_each(iterable, [&](const Value& v) {
      visit(v);
      return true;
    });
    return;
  }
  const Value iterators = get_field(iterable, 0);
  std::vector<std::vector<Value>> all(field_count(iterators));
  for (size_t k = 0; k < all.size(); ++k) {
    visit_all(e, get_field(iterators, k), [&](const Value& v) { all[k].push_back(v); });
    if (all[k].empty()) return;
  }
  std::vector<size_t> at(all.size(), 0);
  for (;;) {
    std::vector<Value> elements;
    for (size_t k = 0; k < all.size(); ++k) elements.push_back(all[k][at[k]]);
    visit(make_tuple(std::move(elements)));
    size_t k = 0;
    while (k < all.size() && ++at[k] == all[k].size()) at[k++] = 0;
    if (k == all.size()) return;
  }
}

/// Memory for a result of known extents is asked for before its elements are computed, as Julia does.
void expect_elements(const Value& shape, size_t element_size) {
  if (shape.is(core().nothing)) return;
  auto bytes = static_cast<int64_t>(element_size);
  bool overflows = false;
  const std::vector<int64_t> dims = integers_of(shape);
  for (const int64_t d : dims) overflows = __builtin_mul_overflow(bytes, d, &bytes) || overflows;
  if (std::ranges::find(dims, 0) != dims.end()) return;
  if (overflows) throw_argument_error("invalid Array dimensions");
  expect_memory(static_cast<size_t>(bytes), "an array");
}

/// collect of f over an iterable: (f, iterable, extents or nothing, element type when it is empty).
Value collect_mapped(Evaluator& e, Args a) {
  ElementCollector out;
  const bool is_mapped = !a[0].is(core().nothing);
  expect_elements(a[2], 1);  // what the elements are is not known yet
  visit_all(e, a[1], [&](const Value& v) { out.add(is_mapped ? e.call(a[0], {v}) : v); });
  const Type* empty = e.impl().type_of_value(a[3]);
  if (a[2].is(core().nothing)) return out.vector(empty);
  std::vector<int64_t> dims = integers_of(a[2]);
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  if (n != out.count()) {  // the iterator's size was not what it said
    if (dims.size() == 1) return out.vector(empty);
    throw_dimension_mismatch("an iterator of " + std::to_string(n) + " elements gave " + std::to_string(out.count()));
  }
  return out.array(std::move(dims), empty);
}

/// collect(T, iterable): (T, f or nothing, iterable, extents or nothing).
Value collect_typed(Evaluator& e, Args a) {
  const Type* type = e.impl().type_of_value(a[0]);
  const bool is_mapped = !a[1].is(core().nothing);
  Value out = make_array(type, {0});
  ArrayObject& x = array_of(out);
  expect_elements(a[3], x.flat != nullptr ? x.flat->layout().size : sizeof(void*));
  visit_all(e, a[2], [&](const Value& v) {
    Value element = e.convert(type, is_mapped ? e.call(a[1], {v}) : v);
    push_back(x, std::move(element));
  });
  if (a[3].is(core().nothing)) return out;
  std::vector<int64_t> dims = integers_of(a[3]);
  return dims.size() == 1 ? out : reshaped(out, std::move(dims));
}

/// The extents of an iterable of a builtin kind, products included; nothing() for others.
Value builtin_shape(Evaluator&, Args a) {
  std::vector<int64_t> dims;
  if (is_product(a[0])) {
    const Value iterators = get_field(a[0], 0);
    for (size_t k = 0; k < field_count(iterators); ++k) {
      const auto part = known_shape(get_field(iterators, k));
      if (!part) return nothing();
      dims.insert(dims.end(), part->begin(), part->end());
    }
    return tuple_of(dims);
  }
  const auto known = known_shape(a[0]);
  return known ? tuple_of(*known) : nothing();
}

/// [a, b, …]: numbers are promoted, other types by promote_type.
Value literal(Evaluator& e, Args a) {
  if (a.empty()) return make_array(core().any, {0});
  const DataType* first = a[0].type();
  bool same = true, numbers = true;
  for (const Value& v : a) {
    same &= v.type() == first;
    numbers &= number_kind(v).has_value();
  }
  const Type* type = first;
  if (!same && numbers) {
    NumberKind kind = *number_kind(a[0]);
    for (const Value& v : a) kind = promote_kind(kind, *number_kind(v));
    type = number_type(kind);
  } else if (!same) {
    Value joined = Value::of_type(first);
    const DataType* last = first;
    for (const Value& v : a) {
      if (v.type() == last) continue;
      last = v.type();
      joined = e.call_base("promote_type", {joined, Value::of_type(v.type())});
    }
    type = e.impl().type_of_value(joined);
  }
  Value out = make_array(type, {static_cast<int64_t>(a.size())});
  ArrayObject& x = array_of(out);
  for (size_t i = 0; i < a.size(); ++i) set_element(x, static_cast<int64_t>(i), e.convert(type, a[i]));
  return out;
}

/// T[a, b, …].
Value typed_literal(Evaluator& e, Args a) {
  const Type* type = e.impl().type_of_value(a[0]);
  Value out = make_array(type, {static_cast<int64_t>(a.size()) - 1});
  ArrayObject& x = array_of(out);
  for (size_t i = 1; i < a.size(); ++i) set_element(x, static_cast<int64_t>(i) - 1, e.convert(type, a[i]));
  return out;
}

/// The smallest union of the types' join that typejoin gives for the elements: what collecting them one by one finds.
Value narrowed(Evaluator&, Args a) {
  const ArrayObject& x = array_of(a[0]);
  ElementCollector out;
  for (int64_t i = 0; i < x.length; ++i) {
    const Value v = get_element(x, i);
    if (!v.is_defined()) throw_undef_ref_error();
    out.add(v);
  }
  return out.array(x.dims, x.element);
}

/// deepcopy: mutable objects are copied once, wherever they are found again.
Value copied_deeply(const Value& v, std::unordered_map<const Object*, Value>& known) {
  if (!v.is_defined() || !v.is_reference()) return v;
  const auto it = known.find(v.object());
  if (it != known.end()) return it->second;
  if (is_array(v)) {
    Value out = copied(v);
    known.emplace(v.object(), out);
    ArrayObject& x = array_of(out);
    if (x.boxes != nullptr) {
      for (Value& e : *x.boxes) e = copied_deeply(e, known);
    }
    return out;
  }
  if (v.object()->kind == ObjectKind::kDict) {
    auto* d = new DictObject(*static_cast<const DictObject*>(v.object()));
    d->references = 1;
    Value out = Value::of_object(v.type(), d);
    known.emplace(v.object(), out);
    for (Value& e : d->keys) e = copied_deeply(e, known);
    for (Value& e : d->values) e = copied_deeply(e, known);
    return out;
  }
  if (v.object()->kind != ObjectKind::kFields) return v;
  const auto& fields = static_cast<const FieldsObject*>(v.object())->fields;
  Value out = Value::of_object(v.type(), new FieldsObject(fields));
  known.emplace(v.object(), out);
  for (Value& e : static_cast<FieldsObject*>(out.object())->fields) e = copied_deeply(e, known);
  return out;
}

Value deep_copy(Evaluator&, Args a) {
  std::unordered_map<const Object*, Value> known;
  return copied_deeply(a[0], known);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_deepcopy", deep_copy, 1, 1},
    {"_collect_mapped", collect_mapped, 4, 4},
    {"_collect_typed", collect_typed, 4, 4},
    {"_builtin_shape", builtin_shape, 1, 1},
    {"_vect", literal, 0, -1},
    {"_typed_vect", typed_literal, 1, -1},
    {"_narrowed", narrowed, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> array_collect_intrinsics() { return kEntries; }

}  // namespace weft::julia
