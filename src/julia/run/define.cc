// Definitions: methods, local functions, types.
#include <algorithm>
#include <map>

#include "julia/host/number.h"
#include "julia/run/impl.h"
#include "julia/types/roots.h"
#include "julia/types/subtype.h"

namespace weft::julia {

Value value_of_parameter(const Type* t) {
  const auto* c = as<Constant>(t);
  if (c == nullptr) return Value::of_type(t);
  if (c->of == core().symbol) return Value::of_symbol(c->symbol);
  if (c->of->is_tuple) {
    std::vector<Value> elements;
    for (const Type* e : c->elements) elements.push_back(value_of_parameter(e));
    return make_tuple(std::move(elements));
  }
  if (c->of->is_singleton()) return Value::singleton(c->of);
  return Value::from_bits(c->of, &c->bits);
}

const Type* Evaluator::Impl::type_of_value(const Value& v) {
  if (v.is_type()) {
    if (v.as_type() == roots().vararg_name->wrapper) return make_vararg(core().any);
    return v.as_type();
  }
  if (v.is(core().type_var) || v.is(core().any)) return v.as_type();  // Any: a Vararg, which is no type of its own
  if (v.is(core().symbol)) return make_symbol_constant(v.as_symbol());
  if (v.type()->is_tuple) {
    std::vector<const Type*> elements;
    for (size_t i = 0; i < field_count(v); ++i) elements.push_back(type_of_value(get_field(v, i)));
    return make_tuple_constant(elements);
  }
  if (v.type()->is_singleton()) return make_constant(v.type(), 0);
  if (!v.is_reference() && v.type()->is_primitive() && v.type()->layout().size <= sizeof(int64_t)) {
    int64_t bits = 0;
    const auto kind = number_kind(v);
    if (kind && *kind <= NumberKind::kInt64)
      visit_number(*kind, [&](auto zero) { bits = static_cast<int64_t>(v.get<decltype(zero)>()); });
    else std::memcpy(&bits, v.bits(), v.type()->layout().size);
    return make_constant(v.type(), bits);
  }
  throw_type_error("Type{...} expression", "", core().data_type, v);
}

std::vector<const TypeVar*> Evaluator::Impl::type_variables(const std::vector<FormId>& forms, Frame& f) {
  std::vector<const TypeVar*> out;
  for (const FormId id : forms) out.push_back(as<TypeVar>(eval(id, f).as_type()));
  return out;
}

// ---- methods -----------------------------------------------------------------------------------------------------------

namespace {

/// What a method form's types are, evaluated.
struct Signature {
  std::vector<const TypeVar*> variables;
  std::vector<const Type*> arguments;
};

Signature signature_of(Evaluator::Impl& impl, const MethodForm& form, Frame& f) {
  Signature out;
  out.variables = impl.type_variables(form.type_variables, f);
  for (const FormId id : form.argument_types) {
    const Value v = impl.eval(id, f);
    const Type* t = impl.type_of_value(v);
    if (t->kind == TypeKind::kConstant)
      throw_error("invalid type for argument " + form.argument_names[out.arguments.size()].text() +
                  " in method definition for " + form.name.text());
    out.arguments.push_back(t);
  }
  if (form.has_vararg && out.arguments.back()->kind != TypeKind::kVararg) {
    const Type* count = form.vararg_count == kNoForm ? nullptr : impl.type_of_value(impl.eval(form.vararg_count, f));
    out.arguments.back() = make_vararg(out.arguments.back(), count);
  }
  return out;
}

Method make_method(const MethodForm& form, const Signature& s, const Type* callee, Module& module) {
  std::vector<const Type*> types = {callee};
  types.insert(types.end(), s.arguments.begin(), s.arguments.end());
  Method m;
  m.signature = wrap_free(make_tuple_type(types), s.variables);
  m.name = form.name;
  m.argument_names = form.argument_names;
  m.keywords = form.keywords;
  m.module = module.name;
  m.file = form.body->source->name;
  m.line = form.body->source->line_of(form.body->node);
  auto body = std::make_shared<MethodBody>();
  body->body = form.body;
  body->module = &module;
  // A variable that the signature does not mention has no value.
  const std::vector<const TypeVar*> kept = m.variables();
  for (const TypeVar* v : s.variables) {
    const auto it = std::ranges::find(kept, v);
    body->parameter_index.push_back(it == kept.end() ? -1 : static_cast<int>(it - kept.begin()));
  }
  m.body = std::move(body);
  return m;
}

}  // namespace

Value Evaluator::Impl::define_method(const MethodForm& form, Frame& f, const DataType* closure_type) {
  Value function;
  const Type* callee = closure_type;
  const auto find_callee = [&] {
    switch (form.how) {
      case MethodForm::Callee::kName: {
        const Symbol name = f.code.globals[f.code.forms[form.callee].a].name;
        Binding& b = own_binding(f.module, name);
        if (!b.value.is_defined()) {
          b.value = function_value(name, f.module);
          b.is_const = true;
        }
        function = b.value;
        callee = dispatch_type(function);
        break;
      }
      case MethodForm::Callee::kValue:
        function = eval(form.callee, f);
        callee = function.is(core().type_var) ? make_type_type(function.as_type()) : dispatch_type(function);
        break;
      case MethodForm::Callee::kType: callee = type_of_value(eval(form.callee, f)); break;
      case MethodForm::Callee::kClosure: break;
    }
  };
  if (!form.body) {  // function f end
    find_callee();
    return function;
  }
  // Type variables may stand in the callee too.
  const Signature s = [&] {
    if (form.how == MethodForm::Callee::kName) {
      find_callee();
      return signature_of(*this, form, f);
    }
    Signature out = signature_of(*this, form, f);
    find_callee();
    return out;
  }();
  if (function.is_defined() && !function.is_type() && !function.is(core().type_var) &&
      !function.type()->name->function && form.how != MethodForm::Callee::kType)
    throw_error("cannot define function " + form.name.text() + "; it already has a value");
  if (!form.body) return function;  // `function f end`: without a method
  Method method = make_method(form, s, callee, f.module);
  auto* body = static_cast<MethodBody*>(const_cast<void*>(method.body.get()));
  for (const SlotId slot : form.captures) {
    if (f.code.slots[slot].is_boxed) slot_place(slot, f);
    body->captured.push_back(f.slots[slot]);
  }
  add_method(std::move(method), callee);
  return function.is_defined() ? function : nothing();
}

void Evaluator::Impl::add_method(Method method, const Type* callee) {
  // A definition that has waited changes no choice: nobody has asked for the function's methods before.
  if (defining.empty()) ++generation;
  const Type* inner = unwrap_union_all(callee);
  if (const Type* constructed = type_of_type(inner)) {
    const Type* t = unwrap_union_all(constructed);
    if (const auto* d = as<DataType>(t)) {
      table_of_name(d->name, true).add(std::move(method));
    } else if (t->kind == TypeKind::kVar) {
      for (auto& [name, table] : constructors) table->add(method);
      open_constructors.push_back(std::move(method));
    } else {
      table_of_name(nullptr, true).add(std::move(method));
    }
    return;
  }
  const auto* d = as<DataType>(inner);
  if (d != nullptr && d->name == core().type_name) {
    // (::Type)(x): the constructors of every type
    for (auto& [name, table] : constructors) table->add(method);
    open_constructors.push_back(std::move(method));
    return;
  }
  if (d != nullptr && !d->is_abstract()) {
    table_of_name(d->name, false).add(std::move(method));
    return;
  }
  for (auto& [name, table] : functions) table->add(method);
  open_functions.push_back(std::move(method));
}

// ---- local functions ---------------------------------------------------------------------------------------------------

namespace {

struct ClosureTypes {
  std::map<std::vector<const Type*>, TypeName*> by_signature;
  std::vector<const Type*> last_types;  // of captures, of the last object
  const DataType* last = nullptr;
  TypeName* only = nullptr;  // when no signature depends on the code around
};

}  // namespace

TypeName* Evaluator::Impl::closure_name(const ClosureForm& form, Frame& f) {
  if (!form.cache) form.cache = std::make_shared<ClosureTypes>();
  auto& types = *static_cast<ClosureTypes*>(form.cache.get());
  if (types.only != nullptr) return types.only;
  std::vector<Signature> signatures;
  std::vector<const Type*> key;
  for (const MethodForm& m : form.methods) {
    signatures.push_back(signature_of(*this, m, f));
    key.insert(key.end(), signatures.back().arguments.begin(), signatures.back().arguments.end());
  }
  const auto it = types.by_signature.find(key);
  if (it != types.by_signature.end()) return it->second;
  std::vector<const TypeVar*> vars;
  std::vector<Symbol> fields;
  for (const SlotId s : form.captures) {
    vars.push_back(make_type_var("T" + std::to_string(vars.size() + 1)));
    fields.push_back(f.code.slots[s].name);
  }
  TypeName* name = declare_type(form.name, f.module.name, Flavour::kStruct, vars);
  set_super(name, core().function);
  set_fields(name, std::move(fields), {vars.begin(), vars.end()});
  types.by_signature.emplace(key, name);
  for (size_t i = 0; i < form.methods.size(); ++i)
    add_method(make_method(form.methods[i], signatures[i], name->wrapper, f.module), name->primary);
  if (!form.varies) types.only = name;
  return name;
}

Value Evaluator::Impl::make_closure(const ClosureForm& form, Frame& f) {
  TypeName* name = closure_name(form, f);
  auto& types = *static_cast<ClosureTypes*>(form.cache.get());
  if (form.captures.empty()) return Value::singleton(name->primary);
  std::vector<Value> captured;
  std::vector<const Type*> field_types;
  captured.reserve(form.captures.size());
  for (const SlotId s : form.captures) {
    if (f.code.slots[s].is_boxed) slot_place(s, f);
    const Value& v = f.slots[s];
    captured.push_back(v);
    field_types.push_back(v.is_defined() ? v.type() : core().any);  // one without a value is missed where it is used
  }
  if (types.last == nullptr || types.last->name != name || types.last_types != field_types) {
    types.last = make_data_type(name, field_types);
    types.last_types = std::move(field_types);
  }
  return make_struct(types.last, std::move(captured));
}

const DataType* Evaluator::Impl::closure_type(const ClosureForm& form, const Code& code, Module& module,
                                              const std::vector<const Type*>& captured) {
  if (form.varies) return nullptr;
  const size_t at = top;
  const Mark mark(*this);
  if (at + code.slots.size() > stack_size) throw_stack_overflow();
  top = at + code.slots.size();
  Frame f{code, module, stack + at};
  TypeName* name = closure_name(form, f);
  return captured.empty() ? name->primary : make_data_type(name, captured);
}

// ---- types -------------------------------------------------------------------------------------------------------------

void Evaluator::Impl::define_struct(const StructForm& form, Frame& f, Flavour flavour) {
  const std::vector<const TypeVar*> vars = type_variables(form.type_variables, f);
  TypeName* name = declare_type(form.name, f.module.name, flavour, vars, form.bits);
  name->is_exported = true;
  Binding& b = own_binding(f.module, form.name);
  if (b.owner != &f.module)
    throw_error("cannot declare " + form.name.text() + " constant; it was already declared as an import");
  if (b.value.is_defined() && !b.value.is_type())
    throw_error("invalid redefinition of constant " + f.module.qualified_name() + "." + form.name.text());
  const Value before = b.value;
  b.value = Value::of_type(name->wrapper);
  b.is_const = true;
  try {
    if (form.super != kNoForm) {
      const Type* super = type_of_value(eval(form.super, f));
      const auto* d = as<DataType>(super);
      if (d == nullptr || !d->is_abstract())
        throw_error("invalid subtyping in definition of " + form.name.text() + ": can only subtype abstract types.");
      set_super(name, super);
    }
    std::vector<const Type*> types;
    for (const FormId id : form.field_types) types.push_back(id == kNoForm ? core().any : type_of_value(eval(id, f)));
    set_fields(name, form.field_names, std::move(types));
    name->uninitialized_fields = form.fields_left_out;
    name->const_fields = form.field_is_const;
  } catch (...) {
    b.value = before;
    throw;
  }
  ++generation;
  if (flavour == Flavour::kAbstract || flavour == Flavour::kPrimitive) return;
  if (!form.has_constructors) add_default_constructors(name, f.module, f, kNoNode);
  if (form.inner != kNoForm) eval(form.inner, f);
}

void Evaluator::Impl::add_default_constructors(TypeName* name, Module& module, Frame& f, NodeId node) {
  const std::vector<const Type*> fields = name->field_types;
  const auto add = [&](const Type* callee, const std::vector<const Type*>& arguments, MethodBody::Native native) {
    std::vector<const Type*> types = {callee};
    types.insert(types.end(), arguments.begin(), arguments.end());
    Method m;
    m.signature = wrap_free(make_tuple_type(types), name->vars);
    m.name = name->name;
    m.argument_names = name->field_names;
    m.module = module.name;
    m.file = f.code.source->name;
    m.line = f.code.source->line_of(node == kNoNode ? f.node : node);
    auto body = std::make_shared<MethodBody>();
    body->module = &module;
    body->native = std::move(native);
    m.body = std::move(body);
    add_method(std::move(m), callee);
  };
  const std::vector<const Type*> any(fields.size(), core().any);
  const auto construct_callee = [](Evaluator& e, const Target&, std::span<const Value> a) {
    const auto* type = as<DataType>(a[0].as_type());
    return e.impl().construct(type, {a.begin() + 1, a.end()});
  };
  if (name->vars.empty()) {
    add(make_type_type(name->primary), any, construct_callee);
    if (any != fields) add(make_type_type(name->primary), fields, construct_callee);
    return;
  }
  add(make_type_type(name->primary), any, construct_callee);
  const bool all_known = std::ranges::all_of(name->vars, [&](const TypeVar* v) {
    return std::ranges::any_of(fields, [&](const Type* t) { return mentions(t, v); });
  });
  if (!all_known) return;
  add(make_type_type(name->wrapper), fields, [name](Evaluator& e, const Target& target, std::span<const Value> a) {
    std::vector<const Type*> parameters;
    for (const Value& v : target.parameters) {
      if (!v.is_defined()) {
        throw JuliaError(
            make_exception("MethodError", {a[0], make_tuple({a.begin() + 1, a.end()}), number(uint64_t{1})}));
      }
      parameters.push_back(e.impl().type_of_value(v));
    }
    return e.impl().construct(as<DataType>(apply_type(name->wrapper, parameters)), {a.begin() + 1, a.end()});
  });
}

Value Evaluator::Impl::construct(const DataType* type, std::vector<Value> fields) {
  if (type->is_abstract() || !type->is_concrete)
    throw_error("new: cannot instantiate " + type->name->name.text() + ", which is no concrete type");
  const auto& types = type->field_types();
  if (fields.size() > types.size())
    throw_argument_error("new: too many arguments (expected " + std::to_string(types.size()) + ")");
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].type() != types[i]) fields[i] = evaluator.convert(types[i], fields[i]);
  }
  // Left-out fields of plain bits are whatever is there in Julia; zeros here.
  for (size_t i = fields.size(); i < types.size(); ++i) {
    const auto* d = as<DataType>(types[i]);
    if (d != nullptr && d->is_concrete && d->is_bits()) {
      const std::vector<std::byte> zeros(std::max<size_t>(d->layout().size, 1));
      fields.push_back(d->is_singleton() ? Value::singleton(d) : Value::from_bits(d, zeros.data()));
    } else {
      fields.emplace_back();
    }
  }
  return make_struct(type, std::move(fields));
}

}  // namespace weft::julia
