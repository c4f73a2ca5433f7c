#include "julia/host/value.h"

#include <algorithm>
#include <array>
#include <new>

#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/host/tracked.h"
#include "julia/types/subtype.h"
#include "weft/error.h"

namespace weft::julia {

Value Value::from_bits(const DataType* type, const void* bytes) {
  const Layout& layout = type->layout();
  if (layout.size > kInlineBytes) return of_object(type, new BitsObject(bytes, layout.size));
  Value v = singleton(type);
  std::memcpy(v.payload_, bytes, layout.size);
  return v;
}

const std::byte* Value::bits() const {
  if (!is_reference()) {
    if (tracked::is_recording() && tracked::place_of(*this) != 0) tracked::throw_tracked_bits();
    return payload_;
  }
  if (object()->kind == ObjectKind::kFields) return tracked::bytes_of_fields(*this);
  return static_cast<const BitsObject*>(object())->bytes.get();
}

namespace {

void free_object(Object* o) {
  switch (o->kind) {
    case ObjectKind::kBits: delete static_cast<BitsObject*>(o); break;
    case ObjectKind::kFields: delete static_cast<FieldsObject*>(o); break;
    case ObjectKind::kString: delete static_cast<StringObject*>(o); break;
    case ObjectKind::kArray: delete static_cast<ArrayObject*>(o); break;
    case ObjectKind::kDict: delete static_cast<DictObject*>(o); break;
    case ObjectKind::kHost: delete static_cast<HostObject*>(o); break;
  }
}

/// Objects that nothing refers to any longer. A few need no memory: it may have run out.
class Unused {
 public:
  void add(Object* o) {
    if (count_ < few_.size()) {
      few_[count_++] = o;
      return;
    }
    try {
      more_.push_back(o);
    } catch (const std::bad_alloc&) { free_object(o); }
  }
  Object* take() {
    if (!more_.empty()) {
      Object* o = more_.back();
      more_.pop_back();
      return o;
    }
    return count_ > 0 ? few_[--count_] : nullptr;
  }

 private:
  std::array<Object*, 16> few_ = {};
  size_t count_ = 0;
  std::vector<Object*> more_;
};

}  // namespace

void Value::destroy(Object* object) {
  // What the object alone referred to goes with it; through a list, since a chain of objects may be longer than the stack.
  static thread_local Unused* unused = nullptr;
  if (unused != nullptr) return unused->add(object);
  Unused list;
  unused = &list;
  for (Object* o = object; o != nullptr; o = list.take()) free_object(o);
  unused = nullptr;
}

Value make_string(std::string text) { return Value::of_object(core().string, new StringObject(std::move(text))); }

const std::string& string_of(const Value& v) {
  if (!v.is_reference() || v.object()->kind != ObjectKind::kString) throw InternalError("a String was expected");
  return static_cast<const StringObject*>(v.object())->text;
}

Value make_struct(const DataType* type, std::vector<Value> fields) {
  if (type->is_bits() && tracked::is_recording() && std::ranges::any_of(fields, tracked::is_tracked))
    return Value::of_object(type, new FieldsObject(std::move(fields)));
  if (type->is_bits()) {
    const Layout& layout = type->layout();
    if (fields.size() != layout.offsets.size()) throw InternalError("too few fields for " + type->name->name.text());
    std::byte small[64] = {};
    std::unique_ptr<std::byte[]> large;
    std::byte* bytes = small;
    if (layout.size > sizeof small) {
      large = std::make_unique<std::byte[]>(layout.size);
      bytes = large.get();
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const DataType* field = static_cast<const DataType*>(type->field_types()[i]);
      if (!fields[i].is_defined() || fields[i].type() != field)
        throw InternalError("field " + std::to_string(i + 1) + " of " + type->name->name.text() +
                            " is of another type");
      std::memcpy(bytes + layout.offsets[i], fields[i].bits(), field->layout().size);
    }
    return Value::from_bits(type, bytes);
  }
  if (type->is_singleton()) return Value::singleton(type);
  fields.resize(type->field_count());
  return Value::of_object(type, new FieldsObject(std::move(fields)));
}

Value make_tuple(std::vector<Value> elements) {
  std::vector<const Type*> types;
  types.reserve(elements.size());
  for (const Value& v : elements) types.push_back(v.type());
  return make_struct(make_tuple_type(types), std::move(elements));
}

Value make_named_tuple(std::span<const Symbol> names, std::vector<Value> elements) {
  std::vector<const Type*> types;
  for (const Value& v : elements) types.push_back(v.type());
  return make_struct(make_named_tuple_type(names, make_tuple_type(types)), std::move(elements));
}

size_t field_count(const Value& v) { return v.type()->field_count(); }

Value get_field(const Value& v, size_t index) {
  const DataType* type = v.type();
  if (v.is_reference() && v.object()->kind == ObjectKind::kFields)
    return static_cast<const FieldsObject*>(v.object())->fields.at(index);
  const DataType* field = as<DataType>(type->field_types().at(index));
  return Value::from_bits(field, v.bits() + type->layout().offsets.at(index));
}

Value get_field(const Value& v, Symbol name) {
  const int index = v.type()->field_index(name);
  return index < 0 ? Value() : get_field(v, static_cast<size_t>(index));
}

void set_field(const Value& v, size_t index, Value field) {
  if (!v.is_reference() || v.object()->kind != ObjectKind::kFields)
    throw InternalError("set_field of a value without places");
  static_cast<FieldsObject*>(v.object())->fields.at(index) = std::move(field);
}

const Type* dispatch_type(const Value& v) { return v.is_type() ? make_type_type(v.as_type()) : v.type(); }

bool is_a(const Value& v, const Type* t) {
  if (v.type() == t || t == core().any) return true;
  return subtype(dispatch_type(v), t);
}

bool is_identical(const Value& a, const Value& b) {
  if (a.is_type() && b.is_type())
    return a.as_type() == b.as_type() || (types_equal(a.as_type(), b.as_type()) && a.type() == b.type());
  if (!a.is_defined() || !b.is_defined()) return a.is_defined() == b.is_defined();
  if (a.type() != b.type()) return false;
  if (a.is_reference() && a.object() == b.object()) return true;
  const DataType* type = a.type();
  if (type->is_bits() && !type->is_primitive()) {
    for (size_t i = 0; i < type->field_count(); ++i) {  // padding does not count
      if (!is_identical(get_field(a, i), get_field(b, i))) return false;
    }
    return true;
  }
  if (!a.is_reference()) {
    using Bytes = std::array<std::byte, Value::kInlineBytes>;
    const auto x = a.get<Bytes>(), y = b.get<Bytes>();
    return std::memcmp(x.data(), y.data(), type->layout().is_bits ? type->layout().size : sizeof(void*)) == 0;
  }
  if (a.object()->kind == ObjectKind::kString) return string_of(a) == string_of(b);
  if (type->is_mutable() || a.object()->kind != ObjectKind::kFields) return false;
  const auto& x = static_cast<const FieldsObject*>(a.object())->fields;
  const auto& y = static_cast<const FieldsObject*>(b.object())->fields;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!is_identical(x[i], y[i])) return false;
  }
  return true;
}

}  // namespace weft::julia
