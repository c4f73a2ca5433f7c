#include "julia/infer/border/rebuilt.h"

#include <cstring>

#include "julia/host/array.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/texts.h"

namespace weft::julia {

using How = Abstract::Kind;

void join_elements(const Value& array, const HeapObject& o, std::span<const void* const> leaves) {
  ArrayObject& a = array_of(array);
  std::vector<LeafPlace> places;
  leaf_places(a.flat, 0, places);
  const size_t size = a.flat->layout().size;
  for (size_t k = 0; k < places.size(); ++k) {
    const auto* from = static_cast<const std::byte*>(leaves[o.leaves[k].index - kPlaceholders]);
    for (int64_t i = 0; i < a.length; ++i)
      std::memcpy(a.data() + static_cast<size_t>(i) * size + places[k].offset,
                  from + static_cast<size_t>(i) * places[k].size, places[k].size);
  }
}

Rebuilt::Rebuilt(Evaluator& evaluator, const Packed& from, std::span<const void* const> leaves)
    : evaluator_(evaluator), from_(from), leaves_(leaves), objects_(from.objects.size()) {}

Value Rebuilt::array(const HeapObject& o) const {
  const bool is_bits = o.type->name->name == Symbol("BitArray");
  const Value v = is_bits ? make_bit_array(o.dims) : make_array(o.element, o.dims);
  join_elements(v, o, leaves_);
  return v;
}

Value Rebuilt::value(const Abstract& a) {
  switch (a.kind) {
    case How::kConstant: return a.constant;
    case How::kScalar: return Value::from_bits(a.type, leaves_[a.ir.index - kPlaceholders]);
    case How::kFields: {
      std::vector<Value> fields;
      for (const Abstract& f : a.fields) fields.push_back(value(f));
      return is_text(a) ? text_value(evaluator_, fields) : make_struct(a.type, std::move(fields));
    }
    case How::kObject: {
      if (objects_[a.object].is_defined()) return objects_[a.object];
      const HeapObject& o = from_.objects[a.object];
      if (o.is_array) return objects_[a.object] = array(o);
      objects_[a.object] = Value::of_object(o.type, new FieldsObject(std::vector<Value>(o.fields.size())));
      for (size_t i = 0; i < o.fields.size(); ++i) set_field(objects_[a.object], i, value(o.fields[i]));
      return objects_[a.object];
    }
    case How::kUnknown:
    case How::kUndefined: break;
  }
  return nothing();
}

}  // namespace weft::julia
