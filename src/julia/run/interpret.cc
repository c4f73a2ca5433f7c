// The meaning of each form.
#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/number_ops.h"
#include "julia/run/cursor.h"
#include "julia/run/impl.h"
#include "julia/run/interrupts.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/subtype.h"

namespace weft::julia {

using Jump = Frame::Jump;

std::atomic<bool>& Evaluator::interrupted() {
  static std::atomic<bool> flag{false};
  return flag;
}

namespace {

[[noreturn]] void throw_undefined(Symbol name, Value scope) {
  throw JuliaError(make_exception("UndefVarError", {Value::of_symbol(name), number(uint64_t{1}), std::move(scope)}));
}

}  // namespace

Value Evaluator::Impl::make_box() { return Value::of_object(box_type, new FieldsObject(std::vector<Value>(1))); }

bool Evaluator::Impl::truth(const Value& v) {
  if (!v.is(core().bool_)) {
    if (v.is(core().missing))
      throw JuliaError(
          make_exception("TypeError", {Value::of_symbol("if"), make_string(""), Value::of_type(core().bool_), v}));
    throw_type_error("if", "", core().bool_, v);
  }
  return v.get<bool>();
}

Value& Evaluator::Impl::slot_place(SlotId slot, Frame& f) {
  Value& v = f.slots[slot];
  if (!f.code.slots[slot].is_boxed) return v;
  if (!v.is_defined() || !v.is(box_type)) v = make_box();
  return static_cast<FieldsObject*>(v.object())->fields[0];
}

Binding& Evaluator::Impl::global(const GlobalName& name, Frame& f) {
  if (name.binding != nullptr) return *static_cast<Binding*>(name.binding);
  Module& m = name.in_base ? evaluator.base() : f.module;
  Binding* b = find_binding(m, name.name);
  if (b == nullptr && m.is_library && name.name.text().starts_with('_') &&
      find_intrinsic(name.name.text()) != nullptr) {
    b = &own_binding(m, name.name);
    b->value = intrinsic_value(name.name.text());
    b->is_const = true;
  }
  if (b == nullptr && name.in_base) {
    // Macros call functions of their package, whatever the program has imported.
    if (const Module* p = package(name.name, false)) {
      b = &own_binding(m, name.name);
      b->value = p->value;
      b->is_const = true;
    }
  }
  if (b == nullptr) {
    refuse_out_of_scope(name.name);
    throw_undefined(name.name, m.value);
  }
  if (!b->value.is_defined()) throw_undefined(name.name, m.value);
  name.binding = b;
  return *b;
}

Value Evaluator::Impl::eval(FormId id, Frame& f) {
  const Code& code = f.code;
  const Form& form = code.forms[id];
  const FormId* child = code.children.data() + form.first;
  switch (form.kind) {
    case FormKind::kNothing: return nothing();
    case FormKind::kConstant: return code.constants[form.a];
    case FormKind::kLocal: {
      const Value& v = code.slots[form.a].is_boxed ? slot_place(form.a, f) : f.slots[form.a];
      if (!v.is_defined()) throw_undefined(code.slots[form.a].name, Value::of_symbol("local"));
      return v;
    }
    case FormKind::kGlobal: {
      const Binding& b = global(code.globals[form.a], f);
      if (!b.value.is_defined()) throw_undefined(code.globals[form.a].name, f.module.value);
      return b.value;
    }
    case FormKind::kSetLocal: {
      Value v = eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      slot_place(form.a, f) = v;
      return v;
    }
    case FormKind::kUnpack: return eval_unpack(form, f);
    case FormKind::kSetGlobal: {
      const bool only_declares = code.forms[child[0]].has(Form::kMissing);
      Value v = only_declares ? nothing() : eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      const Symbol name = code.globals[form.a].name;
      Binding& b = own_binding(f.module, name);
      if (b.owner != &f.module)
        throw_error("cannot assign a value to imported variable " + b.owner->name.text() + "." + name.text() +
                    " from module " + f.module.name.text());
      if (form.count > 1 && !code.forms[child[1]].has(Form::kMissing)) b.declared = type_of_value(eval(child[1], f));
      if (only_declares) return v;
      if (b.is_const && !form.has(Form::kConst) && b.value.is_defined() && !is_identical(b.value, v))
        throw_error("invalid assignment to constant " + f.module.qualified_name() + "." + name.text() +
                    ". This redefinition may be permitted using the `const` keyword.");
      if (form.has(Form::kConst)) b.is_const = true;
      b.value = b.declared == nullptr ? v : evaluator.convert(b.declared, v);
      return v;
    }
    case FormKind::kNewLocal: f.slots[form.a] = code.slots[form.a].is_boxed ? make_box() : Value(); return nothing();
    case FormKind::kIsDefined: {
      const Form& what = code.forms[child[0]];
      if (what.kind == FormKind::kLocal) return boolean(slot_place(what.a, f).is_defined());
      const Binding* b =
          find_binding(code.globals[what.a].in_base ? evaluator.base() : f.module, code.globals[what.a].name);
      return boolean(b != nullptr && b->value.is_defined());
    }
    case FormKind::kCall: return eval_call(form, f);
    case FormKind::kSplat: throw InternalError("a splat outside of a call");
    case FormKind::kTuple: {
      std::vector<Value> elements;
      elements.reserve(form.count);
      for (uint32_t i = 0; i < form.count; ++i) {
        elements.push_back(eval(child[i], f));
        if (f.jump != Jump::kNone) return {};
      }
      return make_tuple(std::move(elements));
    }
    case FormKind::kNamedTuple: {
      std::vector<Value> elements;
      for (uint32_t i = 0; i < form.count; ++i) {
        elements.push_back(eval(child[i], f));
        if (f.jump != Jump::kNone) return {};
      }
      return make_named_tuple(code.name_lists[form.a], std::move(elements));
    }
    case FormKind::kGetField: {
      const Value object = eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      f.node = form.node;
      return get_property(object, code.symbols[form.a]);
    }
    case FormKind::kSetField: {
      const Value object = eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      Value v = eval(child[1], f);
      if (f.jump != Jump::kNone) return {};
      f.node = form.node;
      set_property(object, code.symbols[form.a], v);
      return v;
    }
    case FormKind::kNew: return eval_new(form, f);
    case FormKind::kTypeAssert: {
      Value v = eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      const Value t = eval(child[1], f);
      const Type* type = type_of_value(t);
      if (!is_a(v, type)) throw_type_error("typeassert", "", type, v);
      return v;
    }
    case FormKind::kBlock: {
      Value v = nothing();
      for (uint32_t i = 0; i < form.count; ++i) {
        v = eval(child[i], f);
        if (f.jump != Jump::kNone) return {};
      }
      return v;
    }
    case FormKind::kIf: {
      const Value c = eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      if (truth(c)) return eval(child[1], f);
      return form.count > 2 ? eval(child[2], f) : nothing();
    }
    case FormKind::kAnd:
    case FormKind::kOr: {
      Value a = eval(child[0], f);
      if (f.jump != Jump::kNone) return {};
      if (truth(a) == (form.kind == FormKind::kAnd)) return eval(child[1], f);
      return a;
    }
    case FormKind::kWhile:
      for (;;) {
        check_interrupt();
        const Value c = eval(child[0], f);
        if (f.jump != Jump::kNone || !truth(c)) break;
        eval(child[1], f);
        if (f.jump == Jump::kNone) continue;
        if (f.jump == Jump::kContinue) {
          f.jump = Jump::kNone;
          continue;
        }
        if (f.jump == Jump::kBreak && f.depth-- == 0) f.jump = Jump::kNone;
        break;
      }
      return nothing();
    case FormKind::kFor: return eval_for(form, f);
    case FormKind::kBreak:
      f.jump = Jump::kBreak;
      f.depth = form.a;
      return {};
    case FormKind::kContinue: f.jump = Jump::kContinue; return {};
    case FormKind::kReturn: {
      Value v = form.count > 0 ? eval(child[0], f) : nothing();
      if (f.jump != Jump::kNone) return {};
      f.result = std::move(v);
      f.jump = Jump::kReturn;
      return {};
    }
    case FormKind::kTry: return eval_try(form, f);
    case FormKind::kTypeVar: {
      const auto bound = [&](uint32_t i) -> const Type* {
        return i < form.count && !code.forms[child[i]].has(Form::kMissing) ? type_of_value(eval(child[i], f)) : nullptr;
      };
      const Type* lower = bound(0);
      const Type* upper = bound(1);
      Value v = Value::of_type(make_type_var(code.slots[form.a].name, lower, upper));
      slot_place(form.a, f) = v;
      return v;
    }
    case FormKind::kWhere: {
      std::vector<const TypeVar*> vars;
      for (uint32_t i = 1; i < form.count; ++i) vars.push_back(as<TypeVar>(eval(child[i], f).as_type()));
      return Value::of_type(wrap_free(type_of_value(eval(child[0], f)), vars));
    }
    case FormKind::kMethod: return define_method(code.methods[form.a], f, nullptr);
    case FormKind::kClosure: return make_closure(code.closures[form.a], f);
    case FormKind::kStruct:
      define_struct(code.structs[form.a], f, code.structs[form.a].is_mutable ? Flavour::kMutable : Flavour::kStruct);
      return nothing();
    case FormKind::kAbstract: define_struct(code.structs[form.a], f, Flavour::kAbstract); return nothing();
    case FormKind::kPrimitive: define_struct(code.structs[form.a], f, Flavour::kPrimitive); return nothing();
    case FormKind::kModule: run_module(code.modules[form.a], f); return nothing();
    case FormKind::kImport: run_import(code.imports[form.a], f); return nothing();
    case FormKind::kRefuse:
      throw OutOfScope(code.source->name + ":" + std::to_string(code.source->line_of(form.node)) + ": " +
                       string_of(code.constants[form.a]));
  }
  throw InternalError("a form of no kind");
}

Value Evaluator::Impl::eval_call(const Form& form, Frame& f) {
  const Code& code = f.code;
  const CallSite& site = code.calls[form.a];
  const FormId* child = code.children.data() + form.first;
  const size_t at = top;
  const Mark mark(*this);
  const auto positional = form.count - static_cast<uint32_t>(site.keywords.size());
  for (uint32_t i = 0; i < positional; ++i) {
    const Form& argument = code.forms[child[i]];
    if (argument.kind != FormKind::kSplat) {
      push(eval(child[i], f));
      if (f.jump != Jump::kNone) return {};
      continue;
    }
    const Value all = eval(code.children[argument.first], f);
    if (f.jump != Jump::kNone) return {};
    if (all.type()->is_tuple) {
      for (size_t k = 0; k < field_count(all); ++k) push(get_field(all, k));
    } else {
      f.node = form.node;
      evaluator.for_each(all, [&](const Value& v) {
        push(v);
        return true;
      });
    }
  }
  f.node = form.node;
  if (site.keywords.empty()) return call_from(at, {}, &site);
  std::vector<Value> values;
  for (uint32_t i = positional; i < form.count; ++i) {
    values.push_back(eval(child[i], f));
    if (f.jump != Jump::kNone) return {};
  }
  const std::vector<Keyword> keywords = keywords_of(site, values);
  f.node = form.node;
  return call_from(at, keywords, &site);
}

Value Evaluator::Impl::eval_for(const Form& form, Frame& f) {
  const FormId* child = f.code.children.data() + form.first;
  const Value iterable = eval(child[0], f);
  if (f.jump != Jump::kNone) return {};
  const bool boxed = f.code.slots[form.a].is_boxed;
  // One iteration; false: leave the loop.
  const auto step = [&](Value v) {
    check_interrupt();
    if (boxed) {
      Value box = make_box();
      set_field(box, 0, std::move(v));
      f.slots[form.a] = std::move(box);
    } else {
      f.slots[form.a] = std::move(v);
    }
    eval(child[1], f);
    if (f.jump == Jump::kNone) return true;
    if (f.jump == Jump::kContinue) {
      f.jump = Jump::kNone;
      return true;
    }
    if (f.jump == Jump::kBreak && f.depth-- == 0) f.jump = Jump::kNone;
    return false;
  };
  f.node = form.node;
  evaluator.for_each(iterable, step);
  return nothing();
}

void Evaluator::for_each(const Value& iterable, const std::function<bool(const Value&)>& visit) {
  const DataType* type = iterable.type();
  const auto is_of = [&](const Type* wrapper) { return as<DataType>(unwrap_union_all(wrapper))->name == type->name; };
  const bool is_int_range = !type->parameters.empty() && type->parameters[0] == core().int64 &&
                            (is_of(core().unit_range) || is_of(core().one_to) || is_of(core().step_range));
  if (is_int_range) {
    int64_t first = 1, step = 1, last = 0;
    if (is_of(core().one_to)) {
      last = get_field(iterable, 0).get<int64_t>();
    } else {
      first = get_field(iterable, 0).get<int64_t>();
      const bool stepped = is_of(core().step_range);
      if (stepped && type->parameters[1] != core().int64) return for_each_by_protocol(iterable, visit);
      if (stepped) step = get_field(iterable, 1).get<int64_t>();
      last = get_field(iterable, stepped ? 2 : 1).get<int64_t>();
    }
    if (step > 0 ? first > last : first < last) return;
    for (int64_t i = first;; i += step) {
      check_interrupt();
      if (!visit(number(i)) || i == last) return;
    }
  }
  if (type->is_tuple) {
    for (size_t i = 0; i < field_count(iterable); ++i) {
      if (!visit(get_field(iterable, i))) return;
    }
    return;
  }
  if (is_array(iterable)) {
    const ArrayObject& a = array_of(iterable);
    for (int64_t i = 0; i < a.length; ++i) {
      Value v = get_element(a, i);
      if (!v.is_defined()) throw_undef_ref_error();
      if (!visit(v)) return;
    }
    return;
  }
  if (!has_cursor(iterable)) return for_each_by_protocol(iterable, visit);
  const std::unique_ptr<Cursor> cursor = make_cursor(*this, iterable);
  for (Value v; cursor->next(v);) {
    if (!visit(v)) return;
  }
}

void Evaluator::for_each_by_protocol(const Value& iterable, const std::function<bool(const Value&)>& visit) {
  const Value iterate = base_function("iterate");
  Value next = call(iterate, {iterable});
  while (!next.is(core().nothing)) {
    if (!next.type()->is_tuple || field_count(next) != 2)
      throw_error("iterate must return nothing or a tuple of a value and a state");
    if (!visit(get_field(next, 0))) return;
    next = call(iterate, {iterable, get_field(next, 1)});
  }
}

Value Evaluator::Impl::eval_try(const Form& form, Frame& f) {
  const Code& code = f.code;
  const FormId* child = code.children.data() + form.first;
  const auto has = [&](uint32_t i) { return i < form.count && !code.forms[child[i]].has(Form::kMissing); };
  const auto guarded = [&]() -> Value {
    const size_t mark = top;
    Value v;
    Value caught;
    try {
      v = eval(child[0], f);
    } catch (const std::exception&) {
      if (!has(1)) throw;
      frame = &f;
      pop_to(mark);
      caught = exception_value();
    }
    if (!caught.is_defined()) {
      if (f.jump == Jump::kNone && has(2)) return eval(child[2], f);
      return v;
    }
    if (form.a != kNoForm) {
      if (code.slots[form.a].is_boxed) f.slots[form.a] = make_box();
      slot_place(form.a, f) = caught;
    }
    struct Handling {
      std::vector<Value>& list;
      ~Handling() { list.pop_back(); }
    } handling{exceptions};
    exceptions.push_back(std::move(caught));
    trace.clear();
    return eval(child[1], f);
  };
  if (!has(3)) return guarded();
  // What the finally block does itself (return, break) takes precedence over what it interrupts.
  const size_t mark = top;
  Value v;
  std::exception_ptr failure;
  try {
    v = guarded();
  } catch (...) {
    failure = std::current_exception();
    frame = &f;
    pop_to(mark);
  }
  const Jump jump = f.jump;
  const uint32_t depth = f.depth;
  Value result = std::move(f.result);
  f.jump = Jump::kNone;
  eval(child[3], f);
  if (f.jump != Jump::kNone) return {};
  f.jump = jump;
  f.depth = depth;
  f.result = std::move(result);
  if (failure) std::rethrow_exception(failure);
  return v;
}

Value Evaluator::Impl::eval_new(const Form& form, Frame& f) {
  const Code& code = f.code;
  const FormId* child = code.children.data() + form.first;
  const Value t = eval(child[0], f);
  std::vector<Value> fields;
  for (uint32_t i = 1; i < form.count; ++i) {
    const Form& field = code.forms[child[i]];
    if (field.kind == FormKind::kSplat) {
      evaluator.for_each(eval(code.children[field.first], f), [&](const Value& v) {
        fields.push_back(v);
        return true;
      });
    } else {
      fields.push_back(eval(child[i], f));
    }
    if (f.jump != Jump::kNone) return {};
  }
  const auto* type = t.is_type() ? as<DataType>(t.as_type()) : nullptr;
  f.node = form.node;
  if (type == nullptr) throw_type_error("new", "", core().data_type, t);
  return construct(type, std::move(fields));
}

Value Evaluator::Impl::eval_unpack(const Form& form, Frame& f) {
  Value v = eval(f.code.children[form.first], f);
  if (f.jump != Jump::kNone) return {};
  const UnpackForm& to = f.code.unpacks[form.a];
  f.node = form.node;
  const auto set = [&](size_t i, Value x) {
    if (to.slots[i] != kNoForm) slot_place(to.slots[i], f) = std::move(x);
  };
  const size_t count = to.rest < 0 ? to.slots.size() : static_cast<size_t>(to.rest);
  if (v.type()->is_tuple && to.rest < 0) {
    for (size_t i = 0; i < count; ++i) {
      if (i >= field_count(v)) throw_bounds_error(v, number(static_cast<int64_t>(i + 1)));
      set(i, get_field(v, i));
    }
    return v;
  }
  const Value next = evaluator.base_function("indexed_iterate");
  Value state;
  for (size_t i = 0; i < count; ++i) {
    const Value position = number(static_cast<int64_t>(i + 1));
    const Value got =
        state.is_defined() ? evaluator.call(next, {v, position, state}) : evaluator.call(next, {v, position});
    set(i, get_field(got, 0));
    state = get_field(got, 1);
  }
  if (to.rest < 0) return v;
  const size_t after = to.slots.size() - count - 1;
  if (after == 0) {
    set(count, state.is_defined() ? evaluator.call_base("rest", {v, state}) : evaluator.call_base("rest", {v}));
    return v;
  }
  // a, b..., c = v: what is taken from the back.
  const Value n = number(static_cast<int64_t>(after));
  const Value parts =
      state.is_defined() ? evaluator.call_base("split_rest", {v, n, state}) : evaluator.call_base("split_rest", {v, n});
  set(count, get_field(parts, 0));
  const Value last = get_field(parts, 1);
  size_t i = count + 1;
  evaluator.for_each(last, [&](const Value& x) {
    set(i, x);
    return ++i < to.slots.size();
  });
  return v;
}

}  // namespace weft::julia
