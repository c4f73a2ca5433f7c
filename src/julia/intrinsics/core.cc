// What the language itself needs: types, fields, identity, exceptions.
#include "julia/run/evaluated.h"
#include "julia/run/impl.h"
#include "julia/types/roots.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// `T{parameters…}`.
Value apply_parameters(Evaluator& e, Args a) {
  std::vector<const Type*> parameters;
  for (const Value& v : a.subspan(1)) parameters.push_back(e.impl().type_of_value(v));
  const Value& t = a[0];
  if (!t.is_type()) throw_type_error("Type{...} expression", "", core().union_all, t);
  if (t.as_type() == core().union_type) return Value::of_type(make_union(parameters));
  if (t.as_type() == roots().vararg_name->wrapper) {
    if (parameters.empty()) return t;
    return Value::of_type(make_vararg(parameters[0], parameters.size() > 1 ? parameters[1] : nullptr));
  }
  if (t.as_type() == core().tuple && parameters.empty()) return Value::of_type(core().tuple0);
  return Value::of_type(apply_type(t.as_type(), parameters));
}

Value type_of(Evaluator&, Args a) { return Value::of_type(a[0].type()); }

Value isa(Evaluator& e, Args a) { return boolean(is_a(a[0], e.impl().type_of_value(a[1]))); }

Value identical(Evaluator&, Args a) { return boolean(is_identical(a[0], a[1])); }

Value is_subtype(Evaluator& e, Args a) {
  for (const Value& v : a) {
    if (!v.is_type() && !v.is(core().type_var)) throw_type_error("<:", "", core().type, v);
  }
  return boolean(subtype(e.impl().type_of_value(a[0]), e.impl().type_of_value(a[1])));
}

size_t field_position(const Value& object, const Value& field) {
  const DataType* type = object.type();
  if (field.is(core().symbol)) {
    const int index = type->field_index(field.as_symbol());
    if (index < 0) throw JuliaError(make_exception("FieldError", {Value::of_type(type), field}));
    return static_cast<size_t>(index);
  }
  const auto kind = number_kind(field);
  if (!kind || *kind != NumberKind::kInt64) throw_type_error("getfield", "", core().symbol, field);
  const auto i = field.get<int64_t>();
  if (i < 1 || static_cast<size_t>(i) > field_count(object)) throw_bounds_error(object, field);
  return static_cast<size_t>(i - 1);
}

Value get_field_of(Evaluator& e, Args a) {
  if (module_of(a[0]) != nullptr && a[1].is(core().symbol)) return e.impl().get_property(a[0], a[1].as_symbol());
  if (a[0].is_type() && a[1].is(core().symbol)) return e.impl().field_of(a[0], a[1].as_symbol());
  Value v = get_field(a[0], field_position(a[0], a[1]));
  if (!v.is_defined()) throw_undef_ref_error();
  return v;
}

Value set_field_of(Evaluator& e, Args a) {
  e.impl().set_field_checked(a[0], field_position(a[0], a[1]), a[2], false);
  return a[2];
}

Value is_field_defined(Evaluator&, Args a) {
  if (Module* m = module_of(a[0])) {
    Binding* b = find_binding(*m, a[1].as_symbol());
    return boolean(b != nullptr && b->value.is_defined());
  }
  if (a[1].is(core().symbol) && a[0].type()->field_index(a[1].as_symbol()) < 0) return boolean(false);
  if (number_kind(a[1]) == NumberKind::kInt64 &&
      (a[1].get<int64_t>() < 1 || a[1].get<int64_t>() > static_cast<int64_t>(field_count(a[0]))))
    return boolean(false);
  return boolean(get_field(a[0], field_position(a[0], a[1])).is_defined());
}

Value tuple(Evaluator&, Args a) { return make_tuple({a.begin(), a.end()}); }

Value throw_value(Evaluator&, Args a) { throw JuliaError(a[0]); }

Value rethrow(Evaluator& e, Args a) {
  if (!a.empty()) throw JuliaError(a[0]);
  if (e.impl().exceptions.empty()) throw_error("rethrow() not allowed outside a catch block");
  throw JuliaError(e.impl().exceptions.back());
}

/// T.name, T.parameters and what else a type shows of itself.
Value type_property(Evaluator&, Args a) {
  const Symbol name = a[1].as_symbol();
  const auto* d = as<DataType>(a[0].as_type());
  if (d != nullptr && name == Symbol("parameters")) {
    std::vector<Value> out;
    for (const Type* p : d->parameters) out.push_back(value_of_parameter(p));
    return make_tuple(std::move(out));
  }
  if (d != nullptr && name == Symbol("super")) return Value::of_type(d->super());
  if (d != nullptr && name == Symbol("types")) {
    std::vector<Value> out;
    for (const Type* p : d->field_types()) out.push_back(value_of_parameter(p));
    return make_tuple(std::move(out));
  }
  const auto* u = as<UnionAll>(a[0].as_type());
  if (u != nullptr && name == Symbol("body")) return Value::of_type(u->body);
  if (u != nullptr && name == Symbol("var")) return Value::of_type(u->var);
  const auto* members = as<UnionType>(a[0].as_type());
  if (members != nullptr && members->members.size() == 2 && (name == Symbol("a") || name == Symbol("b")))
    return Value::of_type(members->members[name == Symbol("b") ? 1 : 0]);
  throw JuliaError(make_exception("FieldError", {Value::of_type(a[0].type()), a[1]}));
}

/// How many methods a call of these arguments could mean: one or none.
Value is_applicable(Evaluator& e, Args a) { return boolean(e.has_method(a[0], a.subspan(1))); }

/// invoke(f, argument types, arguments…): the method for these types, which the arguments must be of.
Value invoke_method(Evaluator& e, Args a) {
  const auto* tuple = a[1].is_type() ? as<DataType>(unwrap_union_all(a[1].as_type())) : nullptr;
  if (tuple == nullptr || !tuple->is_tuple) throw_type_error("invoke", "", core().type, a[1]);
  const Args arguments = a.subspan(2);
  std::vector<const Type*> types = {dispatch_type(a[0])};
  types.insert(types.end(), tuple->parameters.begin(), tuple->parameters.end());
  if (tuple->parameters.size() != arguments.size()) throw_error("invoke: argument type error");
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is_a(arguments[i], tuple->parameters[i])) throw_error("invoke: argument type error");
  }
  Evaluator::Impl& impl = e.impl();
  const auto target = impl.target_of_types(&a[0], a[0].type(), types, false);
  if (!target)
    throw JuliaError(
        make_exception("MethodError", {a[0], make_tuple({arguments.begin(), arguments.end()}), number(uint64_t{1})}));
  const size_t at = impl.top;
  const Evaluator::Impl::Mark mark(impl);
  impl.push(a[0]);
  for (const Value& v : arguments) impl.push(v);
  return impl.invoke(*target, at, {});
}

/// (module, file, line, texts, kinds, values…): see evaluated_code.
Value eval_code(Evaluator& e, Args a) {
  EvaluatedCode code = evaluated_code(e, a);
  return e.impl().run_text(std::move(code.text), code.file, *code.module, 1);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_eval_code", eval_code, 5, -1},
    {"_apply_type", apply_parameters, 1, -1},
    {"_typeof", type_of, 1, 1},
    {"_isa", isa, 2, 2},
    {"_is", identical, 2, 2},
    {"_subtype", is_subtype, 2, 2},
    {"_getfield", get_field_of, 2, 2},
    {"_setfield", set_field_of, 3, 3},
    {"_isdefined", is_field_defined, 2, 2},
    {"_tuple", tuple, 0, -1},
    {"_throw", throw_value, 1, 1},
    {"_rethrow", rethrow, 0, 1},
    {"_type_property", type_property, 2, 2},
    {"_invoke", invoke_method, 2, -1},
    {"_applicable", is_applicable, 1, -1},
};

}  // namespace

std::span<const IntrinsicEntry> core_intrinsics() { return kEntries; }

}  // namespace weft::julia
