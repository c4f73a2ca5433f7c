// Fields and properties: object.name.
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/subtype.h"

namespace weft::julia {

bool Evaluator::Impl::has_property_method(const DataType* type, bool setting) {
  if (property_generation != generation) {
    property_methods.clear();
    property_generation = generation;
  }
  const auto known = property_methods.find(type);
  if (known != property_methods.end()) return setting ? known->second.second : known->second.first;
  const auto own = [&](const char* function, std::vector<const Type*> types) {
    Binding* b = find_binding(evaluator.base(), function);
    if (b == nullptr || !b->value.is_defined()) return false;
    MethodTable* table = evaluator.methods_of(b->value);
    if (table == nullptr) return false;
    types.insert(types.begin(), dispatch_type(b->value));
    const Dispatch& found = table->find(types);
    // The one for every object reads and sets fields, as this file does.
    return found.method != nullptr && found.method->tuple()->parameters.at(1) != core().any;
  };
  const bool get = own("getproperty", {type, core().symbol});
  const bool set = own("setproperty!", {type, core().symbol, core().any});
  property_methods[type] = {get, set};
  return setting ? set : get;
}

Value Evaluator::Impl::get_property(const Value& object, Symbol name) {
  if (Module* m = module_of(object)) {
    Binding* b = find_binding(*m, name);
    if (b == nullptr || !b->value.is_defined()) {
      if (m->is_library && name.text().starts_with('_') && find_intrinsic(name.text()) != nullptr)
        return intrinsic_value(name.text());
      if (m->is_library) refuse_out_of_scope(name);
      throw JuliaError(make_exception("UndefVarError", {Value::of_symbol(name), number(uint64_t{1}), m->value}));
    }
    return b->value;
  }
  if (has_property_method(object.type(), false))
    return evaluator.call_base("getproperty", {object, Value::of_symbol(name)});
  return field_of(object, name);
}

Value Evaluator::Impl::field_of(const Value& object, Symbol name) {
  if (object.is_type())
    return find_intrinsic("_type_property")->function(evaluator, std::vector{object, Value::of_symbol(name)});
  const int index = object.type()->field_index(name);
  if (index < 0)
    throw JuliaError(make_exception("FieldError", {Value::of_type(object.type()), Value::of_symbol(name)}));
  Value v = get_field(object, static_cast<size_t>(index));
  if (!v.is_defined()) throw_undef_ref_error();
  return v;
}

void Evaluator::Impl::set_property(const Value& object, Symbol name, Value value) {
  if (Module* m = module_of(object)) {
    Binding& b = own_binding(*m, name);
    if (b.is_const) throw_error("invalid assignment to constant " + m->qualified_name() + "." + name.text());
    b.value = b.declared == nullptr ? std::move(value) : evaluator.convert(b.declared, value);
    return;
  }
  if (has_property_method(object.type(), true)) {
    evaluator.call_base("setproperty!", {object, Value::of_symbol(name), std::move(value)});
    return;
  }
  const DataType* type = object.type();
  const int index = type->field_index(name);
  if (index < 0) throw JuliaError(make_exception("FieldError", {Value::of_type(type), Value::of_symbol(name)}));
  set_field_checked(object, static_cast<size_t>(index), std::move(value), true);
}

void Evaluator::Impl::set_field_checked(const Value& object, size_t index, Value value, bool converting) {
  const DataType* type = object.type();
  const Symbol field = type->field_names().at(index);
  if (!type->is_mutable())
    throw_error("setfield!: immutable struct of type " + type->name->name.text() + " cannot be changed");
  const bool is_const = index < type->name->const_fields.size() && type->name->const_fields[index];
  if (is_const)
    throw_error("setfield!: const field ." + field.text() + " of type " + type->name->name.text() +
                " cannot be changed");
  const Type* wanted = type->field_types().at(index);
  if (!is_a(value, wanted)) {
    if (!converting) throw_type_error("setfield!", "", wanted, value);
    value = evaluator.convert(wanted, value);
  }
  set_field(object, index, std::move(value));
}

}  // namespace weft::julia
