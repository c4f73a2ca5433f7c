// What programs ask about types, methods and modules.
#include <algorithm>
#include <map>

#include "julia/host/array.h"
#include "julia/host/method_error.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/intrinsics/text_io.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

const Type* type_arg(const Value& v) {
  if (!v.is_type()) throw_type_error("typeassert", "", core().type, v);
  return v.as_type();
}

/// The declared type behind T, through UnionAlls; null for unions and the like.
const DataType* declared(const Type* t) { return as<DataType>(unwrap_union_all(t)); }

std::vector<const TypeVar*> variables_of(const Type* t) {
  std::vector<const TypeVar*> out;
  for (const auto* u = as<UnionAll>(t); u != nullptr; u = as<UnionAll>(u->body)) out.push_back(u->var);
  return out;
}

Value super_of(Evaluator&, Args a) {
  const Type* t = type_arg(a[0]);
  const DataType* d = declared(t);
  if (d == nullptr)
    throw JuliaError(
        make_exception("MethodError", {Value::of_type(core().type), make_tuple({a[0]}), number(uint64_t{0})}));
  return Value::of_type(wrap_free(d->super(), variables_of(t)));
}

/// The declared types whose supertype is declared as T is, by name.
Value subtypes_of(Evaluator& e, Args a) {
  const Type* t = type_arg(a[0]);
  const DataType* d = declared(t);
  std::map<std::string, Value> found;
  std::unordered_set<const TypeName*> seen;
  const auto visit = [&](const Module& m) {
    for (const auto& [name, binding] : m.bindings) {
      if (!binding->value.is_defined() || !binding->value.is_type()) continue;
      const DataType* s = declared(binding->value.as_type());
      if (s == nullptr || s->is_tuple || s->name->super == nullptr || s->name->function || !seen.insert(s->name).second)
        continue;
      const auto* super = as<DataType>(unwrap_union_all(s->name->super));
      if (d == nullptr || super == nullptr || super->name != d->name || s->name == d->name) continue;
      if (is_bottom(intersect(s->name->wrapper, t))) continue;
      found.emplace(type_text(s->name->wrapper), Value::of_type(s->name->wrapper));
    }
  };
  visit(e.base());
  visit(e.main());
  std::vector<Value> out;
  for (auto& [text, v] : found) out.push_back(std::move(v));
  return make_vector(core().any, std::move(out));
}

const DataType* with_fields(const Value& v) {
  const DataType* d = declared(type_arg(v));
  if (d == nullptr) throw_argument_error("type does not have definite fields");
  return d;
}

Value field_names(Evaluator&, Args a) {
  const DataType* d = with_fields(a[0]);
  if (d->is_abstract() && !d->is_tuple) throw_argument_error("type does not have definite fields");
  std::vector<Value> out;
  if (d->is_tuple) {
    for (size_t i = 0; i < d->field_count(); ++i) out.push_back(integer(static_cast<int64_t>(i) + 1));
  } else {
    for (const Symbol s : d->field_names()) out.push_back(Value::of_symbol(s));
  }
  return make_tuple(std::move(out));
}

Value field_count_of(Evaluator&, Args a) {
  const DataType* d = with_fields(a[0]);
  if (d->is_abstract()) throw_argument_error("type does not have a definite number of fields");
  return integer(static_cast<int64_t>(d->field_count()));
}

Value field_type(Evaluator&, Args a) {
  const Type* t = type_arg(a[0]);
  const DataType* d = with_fields(a[0]);
  size_t index = 0;
  if (a[1].is(core().symbol)) {
    const int i = d->field_index(a[1].as_symbol());
    if (i < 0) throw JuliaError(make_exception("FieldError", {Value::of_type(d), a[1]}));
    index = static_cast<size_t>(i);
  } else {
    const int64_t i = int_of(a[1]);
    if (i < 1 || i > static_cast<int64_t>(d->field_count())) throw_bounds_error(a[0], a[1]);
    index = static_cast<size_t>(i - 1);
  }
  return Value::of_type(wrap_free(d->field_types()[index], variables_of(t)));
}

Value has_field(Evaluator&, Args a) {
  const DataType* d = with_fields(a[0]);
  return boolean(a[1].is(core().symbol) && d->field_index(a[1].as_symbol()) >= 0);
}

Value number_of_fields(Evaluator&, Args a) { return integer(static_cast<int64_t>(field_count(a[0]))); }

/// _type_is(T, property letter).
Value type_is(Evaluator&, Args a) {
  const Type* t = a[0].is_type() ? a[0].as_type() : nullptr;
  const auto* d = t == nullptr ? nullptr : as<DataType>(t);
  const DataType* inner = t == nullptr ? nullptr : declared(t);
  switch (static_cast<char>(code_point(char_of_value(a[1])))) {
    case 'c': return boolean(d != nullptr && d->is_concrete);
    case 'a': return boolean(inner != nullptr && inner->is_abstract() && !inner->is_tuple);
    case 'p': return boolean(inner != nullptr && inner->is_primitive());
    case 'm': return boolean(inner != nullptr && inner->is_mutable());
    case 'b': return boolean(d != nullptr && d->is_concrete && d->is_bits());
    case 's': return boolean(inner != nullptr && !inner->is_primitive() && (inner->is_tuple || !inner->is_abstract()));
    case '1': return boolean(d != nullptr && d->is_concrete && d->is_singleton());
    default: throw InternalError("no such property of types");
  }
}

Value size_of_type(Evaluator&, Args a) {
  const Type* t = type_arg(a[0]);
  const auto* d = as<DataType>(t);
  if (d == nullptr || !d->is_concrete)
    throw_argument_error("Abstract type " + type_text(t) + " does not have a definite size.");
  if (d->is_bits()) return integer(d->layout().size);
  return integer(8 * static_cast<int64_t>(d->field_count()));
}

Value join(Evaluator&, Args a) {
  const Type* t = core().bottom;
  for (const Value& v : a) t = type_join(t, type_arg(v));
  return Value::of_type(t);
}
Value promote_join(Evaluator&, Args a) { return Value::of_type(promote_type_join(type_arg(a[0]), type_arg(a[1]))); }
Value intersection(Evaluator&, Args a) { return Value::of_type(intersect(type_arg(a[0]), type_arg(a[1]))); }

/// T without Missing or Nothing.
Value without(Evaluator&, Args a) {
  const Type* t = type_arg(a[0]);
  const Type* out = type_arg(a[1]);
  if (const auto* u = as<UnionType>(t)) {
    std::vector<const Type*> rest;
    for (const Type* m : u->members) {
      if (m != out) rest.push_back(m);
    }
    return Value::of_type(make_union(rest));
  }
  return Value::of_type(t == out ? core().bottom : t);
}

Value name_of_value(Evaluator&, Args a) {
  if (a[0].is_type()) {
    const DataType* d = declared(a[0].as_type());
    if (d == nullptr) throw_argument_error("union and bottom types have no name");
    return Value::of_symbol(d->name->name);
  }
  if (Module* m = module_of(a[0])) return Value::of_symbol(m->name);
  const Symbol f = a[0].type()->name->function;
  return Value::of_symbol(f ? f : a[0].type()->name->name);
}

/// How many methods f has, or has for arguments of a tuple type.
Value method_count(Evaluator& e, Args a) {
  const MethodTable* table = e.methods_of(a[0]);
  if (table == nullptr) return integer(0);
  if (a.size() == 1) return integer(static_cast<int64_t>(table->methods().size()));
  std::vector<const Type*> types = {dispatch_type(a[0])};
  const auto* tuple = as<DataType>(type_arg(a[1]));
  if (tuple == nullptr || !tuple->is_tuple) throw_argument_error("argument types must be a tuple type");
  types.insert(types.end(), tuple->parameters.begin(), tuple->parameters.end());
  return integer(static_cast<int64_t>(table->reachable(make_tuple_type(types)).size()));
}

/// Whether a method takes all values of a tuple type.
Value has_method_for(Evaluator& e, Args a) {
  MethodTable* table = e.methods_of(a[0]);
  const auto* tuple = as<DataType>(type_arg(a[1]));
  if (table == nullptr || tuple == nullptr) return boolean(false);
  std::vector<const Type*> types = {dispatch_type(a[0])};
  types.insert(types.end(), tuple->parameters.begin(), tuple->parameters.end());
  const Type* wanted = make_tuple_type(types);
  return boolean(std::ranges::any_of(table->methods(), [&](const Method* m) { return subtype(wanted, m->signature); }));
}

Value method_signatures(Evaluator& e, Args a) {
  std::vector<Value> out;
  if (const MethodTable* table = e.methods_of(a[0])) {
    for (const Method* m : table->methods()) out.push_back(Value::of_type(m->signature));
  }
  return make_vector(core().any, std::move(out));
}

/// Names that a module exports, or all its own.
Value names_of(Evaluator&, Args a) {
  const Module* m = module_of(a[0]);
  if (m == nullptr) throw_type_error("names", "", core().module, a[0]);
  std::vector<std::string> all;
  for (const auto& [name, binding] : m->bindings) {
    const bool is_exported = m->exported.contains(name);
    if (is_exported || (bool_of(a[1]) && binding->owner == m)) all.push_back(name.text());
  }
  std::ranges::sort(all);
  std::vector<Value> out;
  for (const std::string& s : all) out.push_back(Value::of_symbol(Symbol(s)));
  return make_vector(core().symbol, std::move(out));
}

Value parent_of(Evaluator& e, Args a) {
  if (Module* m = module_of(a[0])) return m->parent == nullptr ? m->value : m->parent->value;
  const TypeName* name = a[0].is_type() ? declared(a[0].as_type())->name : a[0].type()->name;
  if (name->module == Symbol("Base")) return e.base().value;
  return e.main().value;
}

Value bind(Evaluator&, Args a) {
  Module* m = module_of(a[0]);
  if (m == nullptr) throw_type_error("getglobal", "", core().module, a[0]);
  const Binding* b = find_binding(*m, a[1].as_symbol());
  if (b == nullptr || !b->value.is_defined())
    throw JuliaError(make_exception("UndefVarError", {a[1], number(uint64_t{0}), a[0]}));
  return b->value;
}

/// From now on types that the module declares but does not export print with the module's name.
Value qualify_types(Evaluator&, Args a) {
  const Module* m = module_of(a[0]);
  if (m == nullptr) throw_type_error("names", "", core().module, a[0]);
  for (const auto& [name, binding] : m->bindings) {
    if (!binding->value.is_defined() || !binding->value.is_type()) continue;
    const DataType* d = declared(binding->value.as_type());
    if (d != nullptr && d->name->name == name && d->name->module == m->name && builtin_type(name.text()) == nullptr)
      d->name->is_exported = m->exported.contains(name);
  }
  return nothing();
}

Value is_identifier_name(Evaluator&, Args a) {
  return boolean(is_identifier(a[0].is(core().symbol) ? a[0].as_symbol().text() : std::string(text_of(a[0]))));
}
Value is_operator(Evaluator&, Args a) {
  return boolean(is_operator_name(a[0].is(core().symbol) ? a[0].as_symbol().text() : std::string(text_of(a[0]))));
}

Value exit_with(Evaluator&, Args a) { throw ExitRequest{static_cast<int>(int_of(a[0]))}; }

/// A value of a primitive type from an integer's bits, and back.
Value primitive_from(Evaluator&, Args a) {
  const auto* d = as<DataType>(type_arg(a[0]));
  const Int128 bits = convert_number(NumberKind::kInt128, a[1]).get<Int128>();
  if (d == nullptr || !d->is_primitive()) throw_argument_error("a primitive type was expected");
  return Value::from_bits(d, &bits);
}
Value primitive_bits(Evaluator&, Args a) {
  int64_t bits = 0;
  const size_t n = std::min<size_t>(a[0].type()->layout().size, sizeof bits);
  std::memcpy(&bits, a[0].bits(), n);
  if (n < sizeof bits) bits = bits << (64 - 8 * n) >> (64 - 8 * n);
  return integer(bits);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_supertype", super_of, 1, 1},
    {"_subtypes", subtypes_of, 1, 1},
    {"_fieldnames", field_names, 1, 1},
    {"_fieldcount", field_count_of, 1, 1},
    {"_fieldtype", field_type, 2, 2},
    {"_hasfield", has_field, 2, 2},
    {"_nfields", number_of_fields, 1, 1},
    {"_type_is", type_is, 2, 2},
    {"_sizeof_type", size_of_type, 1, 1},
    {"_typejoin", join, 0, -1},
    {"_promote_typejoin", promote_join, 2, 2},
    {"_typeintersect", intersection, 2, 2},
    {"_type_without", without, 2, 2},
    {"_nameof", name_of_value, 1, 1},
    {"_method_count", method_count, 1, 2},
    {"_hasmethod", has_method_for, 2, 2},
    {"_method_signatures", method_signatures, 1, 1},
    {"_module_names", names_of, 2, 2},
    {"_parentmodule", parent_of, 1, 1},
    {"_getglobal", bind, 2, 2},
    {"_qualify_types", qualify_types, 1, 1},
    {"_is_identifier", is_identifier_name, 1, 1},
    {"_is_operator", is_operator, 1, 1},
    {"_exit", exit_with, 1, 1},
    {"_primitive_from", primitive_from, 2, 2},
    {"_primitive_bits", primitive_bits, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> reflection_intrinsics() { return kEntries; }

}  // namespace weft::julia
