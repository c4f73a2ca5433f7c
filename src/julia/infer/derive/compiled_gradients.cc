#include "julia/infer/derive/compiled_gradients.h"

#include <algorithm>

#include "julia/host/number_ops.h"
#include "julia/infer/kept.h"
#include "julia/infer/state.h"

namespace weft::julia {
namespace {

using How = Abstract::Kind;

bool is_nothing(const Value& v) { return v.is(core().nothing); }

/// What Zygote makes of the parts of a tuple or struct.
Value together(const DataType* type, std::vector<Value> parts) {
  if (std::ranges::all_of(parts, is_nothing)) return nothing();
  if (type->is_tuple) return make_tuple(std::move(parts));
  return make_named_tuple(type->field_names(), std::move(parts));
}

/// Of one element of plain bits: `arrays` has the gradients by its leaves, undefined where there are none.
Value of_element(const DataType* type, const std::vector<Value>& arrays, size_t& next, int64_t at) {
  if (element_type(type)) {
    const Value& array = arrays[next++];
    return array.is_defined() ? get_element(array_of(array), at) : nothing();
  }
  std::vector<Value> parts;
  for (const Type* t : type->field_types()) parts.push_back(of_element(as<DataType>(t), arrays, next, at));
  return together(type, std::move(parts));
}

}  // namespace

const DataType* gradient_type(const DataType* type, const std::vector<bool>& has, size_t& next) {
  if (element_type(type)) return has[next++] ? type : core().nothing;
  std::vector<const Type*> parts;
  for (const Type* t : type->field_types()) parts.push_back(gradient_type(as<DataType>(t), has, next));
  if (std::ranges::all_of(parts, [](const Type* t) { return t == core().nothing; })) return core().nothing;
  const DataType* tuple = make_tuple_type(parts);
  return type->is_tuple ? tuple : make_named_tuple_type(type->field_names(), tuple);
}

Value value_of_tensor(const Tensor& t, const DataType* type) {
  if (type != nullptr && number_kind(type)) return Value::from_bits(type, t.raw());
  return array_of_tensor(t);
}

void conjugate(const Tensor& t) {
  const auto negate = [&]<class T>(T) {
    auto* parts = static_cast<T*>(t.raw());
    for (int64_t i = 0; i < t.size(); ++i) parts[2 * i + 1] = -parts[2 * i + 1];
  };
  if (t.element_type() == ElementType::kC128) negate(double{});
  else if (t.element_type() == ElementType::kC64) negate(float{});
}

const Tensor* CompiledGradients::leaf(IrValue v) const { return by_leaf_[v.index - kPlaceholders]; }

Value CompiledGradients::of(const Abstract& a) const {
  switch (a.kind) {
    case How::kScalar: {
      const Tensor* t = leaf(a.ir);
      return t == nullptr ? nothing() : value_of_tensor(*t, a.type);
    }
    case How::kFields: return element_type(a.type) ? complex_of(a) : of_fields(a.type, a.fields);
    case How::kObject: {
      const HeapObject& o = call_.objects[a.object];
      return o.is_array ? of_array(o) : of_fields(o.type, o.fields);
    }
    default: return nothing();
  }
}

Value CompiledGradients::of_fields(const DataType* type, const std::vector<Abstract>& fields) const {
  std::vector<Value> parts;
  for (const Abstract& f : fields) parts.push_back(of(f));
  return together(type, std::move(parts));
}

Value CompiledGradients::complex_of(const Abstract& a) const {
  std::vector<Value> parts;
  for (const Abstract& f : a.fields) parts.push_back(of(f));
  if (std::ranges::all_of(parts, is_nothing)) return nothing();
  // A part that the result does not depend on.
  const NumberKind part_kind = *number_kind(static_cast<const DataType*>(a.type->parameters[0]));
  std::ranges::replace_if(parts, is_nothing, convert_number(part_kind, number(0.0)));
  return make_struct(a.type, std::move(parts));
}

Value CompiledGradients::of_array(const HeapObject& o) const {
  const auto* element = as<DataType>(o.element);
  if (element_type(element)) {
    const Tensor* t = leaf(o.leaves[0]);
    return t == nullptr ? nothing() : array_of_tensor(*t);
  }
  std::vector<Value> arrays;
  std::vector<bool> has;
  int64_t count = 0;
  for (const IrValue v : o.leaves) {
    const Tensor* t = leaf(v);
    arrays.push_back(t == nullptr ? Value() : array_of_tensor(*t));
    has.push_back(t != nullptr);
    if (t != nullptr) count = t->size();
  }
  size_t next = 0;
  const DataType* type = gradient_type(element, has, next);
  if (type == core().nothing) return nothing();
  std::vector<Value> elements;
  for (int64_t i = 0; i < count; ++i) {
    next = 0;
    elements.push_back(of_element(element, arrays, next, i));
  }
  const Shape extents = o.dims.shape();
  return make_array(type, {extents.rbegin(), extents.rend()}, std::move(elements));
}

}  // namespace weft::julia
