#include "julia/infer/border/reader.h"

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/wide.h"
#include "julia/run/module.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

[[noreturn]] void refuse(Cause cause, std::string message, std::string fix = {}) {
  throw NotCompiled{cause, std::move(message), std::move(fix), {}};
}

/// What floats_for gives for a tuple or named tuple.
const DataType* floats_for_parts(const DataType* t) {
  std::vector<const Type*> parts;
  bool changes = false;
  for (const Type* part : t->field_types()) {
    const DataType* to = floats_for(part);
    changes = changes || to != nullptr;
    parts.push_back(to == nullptr ? part : to);
  }
  if (!changes) return nullptr;
  const DataType* tuple = make_tuple_type(parts);
  return t->is_tuple ? tuple : make_named_tuple_type(t->field_names(), tuple);
}

/// A value of a type that floats_for changes.
Value as_float(const DataType* to, const Value& v) {
  if (to == core().float64) return convert_number(NumberKind::kFloat64, v);
  std::vector<Value> parts;
  for (size_t i = 0; i < field_count(v); ++i) parts.push_back(as_floats(get_field(v, i)));
  return make_struct(to, std::move(parts));
}

}  // namespace

const DataType* floats_for(const Type* t) {
  const auto is_plain_integer = [](const Type* n) {
    const auto kind = number_kind(n);
    return kind && is_integer(*kind) && *kind != NumberKind::kBool;
  };
  if (is_plain_integer(t)) return core().float64;
  const auto* d = as<DataType>(t);
  if (d == nullptr || !d->is_concrete) return nullptr;
  if (d->is_tuple || d->name == core().named_tuple_name) return floats_for_parts(d);
  if (d->name->wrapper == core().array) {
    const DataType* to = floats_for(d->parameters[0]);
    return to == nullptr ? nullptr : applied(core().array, {to, d->parameters[1]});
  }
  if (d->name->name != Symbol("Complex") || d->parameters.size() != 1) return nullptr;
  return is_plain_integer(d->parameters[0]) ? applied(core().complex, {core().float64}) : nullptr;
}

Value as_floats(const Value& v) {
  const DataType* to = v.is_defined() ? floats_for(v.type()) : nullptr;
  if (to == nullptr) return v;
  if (!is_array(v)) return as_float(to, v);
  const ArrayObject& a = array_of(v);
  const auto* element = as<DataType>(to->parameters[0]);
  std::vector<Value> elements;
  for (int64_t i = 0; i < a.length; ++i) elements.push_back(as_floats(get_element(a, i)));
  return make_array(element, a.dims, std::move(elements));
}

bool is_machine_float(const Type* t) {
  const auto kind = number_kind(t);
  return kind && is_float(*kind);
}

void leaf_places(const DataType* type, size_t offset, std::vector<LeafPlace>& out) {
  const Layout& layout = type->layout();
  if (element_type(type)) {
    out.push_back({type, offset, layout.size});
    return;
  }
  if (!layout.is_bits || type->is_primitive())
    refuse(Cause::kUnsupported, "an array with elements of type " + type_text(type) + ", which only the host holds");
  for (size_t i = 0; i < type->field_count(); ++i)
    leaf_places(static_cast<const DataType*>(type->field_types()[i]), offset + layout.offsets[i], out);
}

IrValue ArgumentReader::leaf(ElementType element, const Extents& dims, const void* data) {
  if (heap != nullptr || wants_types) types.push_back(weft::Type::tensor(element, dims.shape()));
  bytes.push_back(data);
  return placeholder(bytes.size() - 1);
}

Abstract ArgumentReader::read(const Value& given) {
  if (fixed_integers && given.is(core().int64)) return Abstract::of_constant(given);
  if (fixed_characters && given.is(core().char_)) return Abstract::of_constant(given);
  if (fixed_floats && is_machine_float(given.type())) return Abstract::of_constant(given);
  const bool is_number = number_kind(given.type()) || element_type(given.type());
  const Value v = float_integers && is_number ? as_floats(given) : given;
  const DataType* t = v.type();
  if (number_kind(t)) {
    const auto element = element_type(t);
    held.push_front(v);
    if (is_wide_integer(t)) {
      std::vector<Abstract> words;
      for (const size_t at : {0, 8})
        words.push_back(Abstract::of_scalar(number_type(NumberKind::kUInt64),
                                            leaf(ElementType::kU64, {}, held.front().bits() + at)));
      return Abstract::of_fields(t, std::move(words));
    }
    if (!element) refuse(Cause::kUnsupported, "an argument of type " + type_text(t));
    Abstract out = Abstract::of_scalar(t, leaf(*element, {}, held.front().bits()));
    if (open_extents && t == core().int64) out.extent = ++last_open;
    return out;
  }
  if (v.is_type() || t == core().symbol || t == core().string || t->is_singleton() || module_of(v) != nullptr)
    return Abstract::of_constant(v);
  if (is_array(v)) return read_array(v);
  const bool is_object = v.is_reference() && t->is_mutable();
  if (t->name->is_opaque || (v.is_reference() && v.object()->kind == ObjectKind::kHost) || t->is_primitive())
    refuse(Cause::kUnsupported, "an argument of type " + type_text(t));
  if (!is_object) {
    std::vector<Abstract> fields;
    for (size_t i = 0; i < field_count(v); ++i) {
      const Value f = get_field(v, i);
      if (!f.is_defined()) refuse(Cause::kUnsupported, "an argument with a field that has no value");
      fields.push_back(read(f));
    }
    const DataType* floats = float_integers ? floats_for(t) : nullptr;
    return Abstract::of_fields(floats == nullptr ? t : floats, std::move(fields));
  }
  const auto known = places.find(v.object());
  if (known != places.end()) return Abstract::of_object(t, known->second);
  const uint32_t place = new_place(v);
  std::vector<Abstract> fields;
  for (size_t i = 0; i < field_count(v); ++i) {
    // A box that gets its value later has none yet.
    const Value f = get_field(v, i);
    fields.push_back(f.is_defined() ? read(f) : Abstract());
  }
  if (heap != nullptr) {
    heap->objects[place].type = t;
    heap->objects[place].fields = std::move(fields);
  }
  return Abstract::of_object(t, place);
}

uint32_t ArgumentReader::new_place(const Value& v) {
  const auto place = static_cast<uint32_t>(objects.size());
  places[v.object()] = place;
  objects.push_back(v);
  if (heap != nullptr) heap->objects.emplace_back();
  return place;
}

Extents ArgumentReader::extents_of(const std::vector<int64_t>& dims) {
  if (!open_extents) return dims;
  Extents out;
  for (const int64_t d : dims) {
    const bool is_asked = open_names == nullptr || open_names->empty() || open_names->contains(d);
    if (d <= 1 || !is_asked) {
      out.push_back(d);
      continue;
    }
    const auto [it, is_new] = open_numbers.emplace(d, last_open + 1);
    if (is_new) ++last_open;
    out.push_open(it->second);
  }
  return out;
}

Abstract ArgumentReader::read_array(const Value& given) {
  const auto known = places.find(given.object());
  if (known != places.end()) return Abstract::of_object(objects[known->second].type(), known->second);
  Value v = given;
  if (float_integers && floats_for(array_of(given).element) != nullptr) {
    held.push_front(as_floats(given));
    v = held.front();
  }
  const ArrayObject& a = array_of(v);
  if (a.flat == nullptr && is_concrete(a.element))
    refuse(Cause::kUnsupported,
           "an array with elements of type " + type_text(a.element) + ", which only the host holds");
  if (a.flat == nullptr)
    refuse(Cause::kContainer, "an array with elements of type " + type_text(a.element),
           "give it a concrete number type, for example Float64[…]");
  const uint32_t place = new_place(v);
  places[given.object()] = place;
  const Extents extents = heap != nullptr || wants_types ? extents_of(a.dims) : Extents();
  std::vector<LeafPlace> leaf_list;
  leaf_places(a.flat, 0, leaf_list);
  std::vector<IrValue> leaves;
  for (const LeafPlace& p : leaf_list) {
    const void* data = a.data();
    if (leaf_list.size() > 1 || p.size != a.flat->layout().size) {
      parts.emplace_front(static_cast<size_t>(a.length) * p.size);
      for (int64_t i = 0; i < a.length; ++i)
        std::memcpy(parts.front().data() + static_cast<size_t>(i) * p.size,
                    a.data() + static_cast<size_t>(i) * a.flat->layout().size + p.offset, p.size);
      data = parts.front().data();
    }
    leaves.push_back(leaf(*element_type(p.type), extents, data));
  }
  if (heap != nullptr) {
    HeapObject& o = heap->objects[place];
    o.type = v.type();
    o.is_array = true;
    o.element = a.element;
    o.dims = extents;
    o.leaves = std::move(leaves);
  }
  return Abstract::of_object(v.type(), place);
}

}  // namespace weft::julia
