// Forms on abstract values: everything but blocks, branches and loops.
#include <algorithm>
#include <array>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/maybe.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

/// Whether a constant's contents may change all the same.
bool has_contents(const Value& v) {
  if (!v.is_reference()) return false;
  if (v.object()->kind == ObjectKind::kString || v.object()->kind == ObjectKind::kHost ||
      v.object()->kind == ObjectKind::kBits)
    return false;
  if (v.type()->is_mutable()) return true;
  for (size_t i = 0; i < field_count(v); ++i) {
    const Value f = get_field(v, i);
    if (f.is_defined() && has_contents(f)) return true;
  }
  return false;
}

}  // namespace

Abstract Compiler::global(const GlobalName& name, Activation& a) {
  Evaluator::Impl& impl = evaluator_.impl();
  Module& m = name.in_base ? evaluator_.base() : *a.module;
  Binding* found = find_binding(m, name.name);
  if (found == nullptr && m.is_library && find_intrinsic(name.name.text()) != nullptr)
    return Abstract::of_constant(impl.intrinsic_value(name.name.text()));
  if (found == nullptr && name.in_base) {
    // Macros call functions of their package, whatever the program has imported.
    if (const Module* p = impl.package(name.name, false)) return Abstract::of_constant(p->value);
  }
  if (found == nullptr) {
    if (auto why = why_out_of_scope(name.name)) fail(Cause::kOutOfScope, std::move(*why));
  }
  if (found == nullptr || !found->value.is_defined())
    fail(Cause::kUnsupported, "UndefVarError: `" + name.name.text() + "` not defined in `" + m.name.text() + "`");
  const bool may_change = !found->is_const || has_contents(found->value);
  if (m.is_library || !may_change) return Abstract::of_constant(found->value);
  return global_argument(found, "global variable `" + name.name.text() + "`");
}

Abstract Compiler::global_argument(Binding* binding, const std::string& what) {
  const auto known = globals_.find(binding);
  if (known == globals_.end() && diagnoses_ != nullptr && diagnoses_->at_top_level)
    return globals_[binding] = abstract_of(binding->value, true);
  if (known == globals_.end()) throw NeedsGlobal{binding};
  if (is_in_function_ && !known->second.is_constant())
    fail(Cause::kGlobal, what + " is used by a function that calls itself or is differentiated",
         "pass it as an argument");
  return known->second;
}

Abstract Compiler::exec_form(FormId id, Activation& a) {
  const Code& code = *a.code;
  const Form& form = code.forms[id];
  const FormId* child = code.children.data() + form.first;
  const auto operand = [&](uint32_t i) { return exec(child[i], a); };
  switch (form.kind) {
    case FormKind::kNothing: return Abstract::nothing();
    case FormKind::kConstant: return Abstract::of_constant(code.constants[form.a]);
    case FormKind::kLocal: a.node = form.node; return read_slot(form.a, a);
    case FormKind::kGlobal: a.node = form.node; return global(code.globals[form.a], a);
    case FormKind::kSetLocal: {
      Abstract v = operand(0);
      if (!goes_on(a)) return Abstract::nothing();
      a.node = form.node;
      if (!v.is_defined()) fail_branch(slot_text(code, form.a));
      write_slot(form.a, v, a);
      return v;
    }
    case FormKind::kUnpack: {
      Abstract v = operand(0);
      if (!goes_on(a)) return Abstract::nothing();
      a.node = form.node;
      expect_value(v);
      unpack(code.unpacks[form.a], v, a);
      return v;
    }
    case FormKind::kSetGlobal:
      a.node = form.node;
      fail(Cause::kGlobal, "global variable `" + code.globals[form.a].name.text() + "` is assigned in compiled code",
           "return the value instead");
    case FormKind::kNewLocal: a.slots[form.a] = Abstract(); return Abstract::nothing();
    case FormKind::kIsDefined: {
      const Form& what = code.forms[child[0]];
      if (what.kind != FormKind::kLocal)
        return Abstract::of_constant(boolean(find_binding(*a.module, code.globals[what.a].name) != nullptr));
      const Abstract& v = a.slots[what.a];
      a.node = form.node;
      if (v.maybe_undefined) fail(Cause::kUnsupported, "@isdefined of a variable that may or may not have a value");
      return Abstract::of_constant(boolean(v.is_defined()));
    }
    case FormKind::kCall: return exec_call(form, a);
    case FormKind::kSplat: a.node = form.node; fail(Cause::kUnsupported, "a splat");
    case FormKind::kTuple:
    case FormKind::kNamedTuple: {
      std::vector<Abstract> elements;
      for (uint32_t i = 0; i < form.count; ++i) {
        elements.push_back(operand(i));
        if (!goes_on(a)) return Abstract::nothing();
        if (!elements.back().is_defined()) fail_branch("an element of a tuple");
      }
      return form.kind == FormKind::kTuple ? tuple(std::move(elements))
                                           : named_tuple(code.name_lists[form.a], std::move(elements));
    }
    case FormKind::kGetField: {
      const Abstract object = operand(0);
      if (!goes_on(a)) return Abstract::nothing();
      a.node = form.node;
      return get_property(object, code.symbols[form.a]);
    }
    case FormKind::kSetField: {
      const Abstract object = operand(0);
      if (!goes_on(a)) return Abstract::nothing();
      Abstract v = operand(1);
      if (!goes_on(a)) return Abstract::nothing();
      a.node = form.node;
      expect_value(object);
      expect_value(v);
      set_property(object, code.symbols[form.a], v);
      return v;
    }
    case FormKind::kNew: return exec_new(form, a);
    case FormKind::kTypeAssert: {
      Abstract v = operand(0);
      if (!goes_on(a)) return Abstract::nothing();
      const Abstract t = operand(1);
      a.node = form.node;
      expect_value(v);
      if (t.is_unknown()) return v;
      if (!t.is_constant()) fail(Cause::kDispatch, "a type that is known only when the program runs");
      const Type* type = evaluator_.impl().type_of_value(t.constant);
      if (v.is_unknown()) return unknown_of(type);
      if (v.is_defined() && is_maybe(v)) {
        const bool allows_nothing = subtype(core().nothing, type), allows_value = subtype(v.fields[1].type, type);
        if (allows_nothing && allows_value) return v;
        if (!allows_nothing) v = present(*this, v);
      }
      if (!subtype(v.dispatched(), type)) {
        throws("TypeError: in typeassert, expected " + type_text(type) + ", got a value of type " + type_text(v.type));
        a.is_dead = true;
      }
      return v;
    }
    case FormKind::kBlock: return exec_block(code.children_of(id), 0, a);
    case FormKind::kIf:
    case FormKind::kAnd:
    case FormKind::kOr: return exec_if(form, a, nullptr);
    case FormKind::kWhile: a.node = form.node; return exec_while(form, a);
    case FormKind::kFor: a.node = form.node; return exec_for(form, a);
    case FormKind::kBreak: set_jump(a, kBreaks + form.a); return Abstract::nothing();
    case FormKind::kContinue: set_jump(a, kContinues); return Abstract::nothing();
    case FormKind::kReturn: {
      Abstract v = form.count > 0 ? operand(0) : Abstract::nothing();
      if (!goes_on(a)) return Abstract::nothing();
      a.result = v;
      set_jump(a, kReturns);
      return Abstract::nothing();
    }
    case FormKind::kTry:
      a.node = form.node;
      fail(Cause::kUnsupported, "try", "catch exceptions in the function that calls this one");
    case FormKind::kTypeVar:
    case FormKind::kWhere:
      a.node = form.node;
      fail(Cause::kUnsupported, "a type with `where` inside a compiled function", "make it a constant outside");
    case FormKind::kMethod:
      a.node = form.node;
      fail(Cause::kUnsupported, "a method definition inside a compiled function");
    case FormKind::kClosure: a.node = form.node; return exec_closure(form, a);
    case FormKind::kStruct:
    case FormKind::kAbstract:
    case FormKind::kPrimitive:
    case FormKind::kModule:
    case FormKind::kImport: a.node = form.node; fail(Cause::kUnsupported, "a definition inside a compiled function");
    case FormKind::kRefuse: a.node = form.node; fail(Cause::kOutOfScope, string_of(code.constants[form.a]));
  }
  throw InternalError("a form of no kind");
}

void Compiler::expect_value(const Abstract& v) {
  if (!v.is_defined()) fail_branch("a value");
}

bool Compiler::throws_for_sure(const Abstract& callee) {
  if (!callee.is_constant()) return false;
  return std::ranges::any_of(std::array{"throw", "error"}, [&](const char* name) {
    return is_identical(callee.constant, evaluator_.base_function(name));
  });
}

Abstract Compiler::exec_call(const Form& form, Activation& a) {
  const Form& callee = a.code->forms[a.code->children[form.first]];
  if (callee.kind != FormKind::kGlobal || !throws_for_sure(exec(a.code->children[form.first], a)))
    return exec_any_call(form, a);
  // What is thrown is made by the host: here it may be anything, even what has no compiled form.
  OpBuilder* const builder = builder_;
  const IrValue mask = mask_;
  try {
    const Attempt attempt(*this);
    return exec_any_call(form, a);
  } catch (const NotCompiled& e) {
    builder_ = builder;
    mask_ = mask;
    throws("an exception (" + e.message + ")");
    return Abstract::nothing();
  }
}

Abstract Compiler::exec_any_call(const Form& form, Activation& a) {
  const Code& code = *a.code;
  const CallSite& site = code.calls[form.a];
  const FormId* child = code.children.data() + form.first;
  const auto positional = form.count - static_cast<uint32_t>(site.keywords.size());
  std::vector<Abstract> all;
  for (uint32_t i = 0; i < positional; ++i) {
    const Form& argument = code.forms[child[i]];
    if (argument.kind != FormKind::kSplat) {
      all.push_back(exec(child[i], a));
    } else {
      const Abstract v = present(*this, exec(code.children[argument.first], a));
      if (!goes_on(a)) return Abstract::nothing();
      a.node = form.node;
      expect_value(v);
      if (v.is_unknown()) {
        all.push_back(v);
        continue;
      }
      Abstract tuple = v.type->is_tuple || v.type->name == core().named_tuple_name ? v : Abstract();
      // An array of a known size is as many arguments.
      if (!tuple.is_defined() && (is_list(*this, v) || is_array_object(*this, v)))
        tuple = this->tuple(all_elements(*this, v));
      if (!tuple.is_defined())
        fail(Cause::kShape,
             "a splat of a " + type_text(v.type) + ": the number of arguments is known only when the program runs");
      for (size_t k = 0; k < tuple.type->field_count(); ++k) all.push_back(field(tuple, k));
    }
    if (!goes_on(a)) return Abstract::nothing();
    if (!all.back().is_defined()) {
      a.node = form.node;
      fail_branch("an argument");
    }
  }
  std::vector<std::pair<Symbol, Abstract>> keywords;
  for (uint32_t i = positional; i < form.count; ++i) {
    Abstract v = exec(child[i], a);
    if (!goes_on(a)) return Abstract::nothing();
    const Symbol name = site.keywords[i - positional];
    if (name) {
      keywords.emplace_back(name, v);
      continue;
    }
    expect_value(v);
    if (v.is_unknown()) return v;
    Abstract tuple = v;
    if (v.type->name->name == Symbol("Pairs")) tuple = field(v, 0);
    if (tuple.type->name != core().named_tuple_name)
      fail(Cause::kDispatch, "keywords that are known only when the program runs");
    const std::vector<Symbol> names = tuple.type->field_names();
    for (size_t k = 0; k < names.size(); ++k) keywords.emplace_back(names[k], field(tuple, k));
  }
  a.node = form.node;
  const Loc before = b().loc;
  Abstract callee = all.front();
  all.erase(all.begin());
  Abstract v = recovers() ? call_or_example(callee, all, keywords) : call(callee, std::move(all), keywords);
  b().loc = before;
  return v;
}

void Compiler::unpack(const UnpackForm& to, const Abstract& given, Activation& a) {
  const Abstract v = present(*this, given);
  const auto set = [&](size_t i, const Abstract& x) {
    if (to.slots[i] != kNoForm) write_slot(to.slots[i], x, a);
  };
  if (v.is_unknown()) {
    for (size_t i = 0; i < to.slots.size(); ++i) set(i, v);
    return;
  }
  const bool is_tuple = v.type->is_tuple || v.type->name == core().named_tuple_name;
  if (is_tuple) {
    const size_t n = v.type->field_count();
    const size_t least = to.slots.size() - (to.rest < 0 ? 0 : 1);
    if (n < least)
      return throws("BoundsError: attempt to access " + type_text(v.type) + " at index [" + std::to_string(n + 1) +
                    "]");
    for (size_t i = 0; i < to.slots.size(); ++i) {
      const auto rest = static_cast<size_t>(to.rest);
      if (to.rest < 0 || i < rest) {
        set(i, field(v, i));
      } else if (i > rest) {
        set(i, field(v, n - (to.slots.size() - i)));
      } else {
        std::vector<Abstract> elements;
        for (size_t k = rest; k < n - (to.slots.size() - 1 - rest); ++k) elements.push_back(field(v, k));
        set(i, tuple(std::move(elements)));
      }
    }
    return;
  }
  Abstract state;
  if (to.rest >= 0) fail(Cause::kShape, "the rest of a " + type_text(v.type) + " by destructuring");
  if (v.kind == How::kFields && !subtype(v.type, core().abstract_array) && !subtype(v.type, core().number)) {
    // A factorization, or another struct with a protocol of its own.
    for (size_t i = 0; i < to.slots.size(); ++i) {
      const Abstract next = i == 0 ? call_base("iterate", {v}) : call_base("iterate", {v, state});
      if (activation_->is_dead) return;
      if (!next.type->is_tuple) return throws("BoundsError: attempt to access " + type_text(v.type));
      set(i, field(next, 0));
      state = field(next, 1);
    }
    return;
  }
  for (size_t i = 0; i < to.slots.size(); ++i) {
    const Abstract index = Abstract::of_constant(number(static_cast<int64_t>(i + 1)));
    set(i, call_base("getindex", {v, index}));
    if (activation_->is_dead) return;
  }
}

Abstract Compiler::exec_closure(const Form& form, Activation& a) {
  const ClosureForm& closure = a.code->closures[form.a];
  std::vector<Abstract> captured;
  std::vector<const Type*> types;
  for (const SlotId s : closure.captures) {
    if (a.code->slots[s].is_boxed) {
      make_box(s, a);
    } else if (!a.slots[s].is_defined() || a.slots[s].maybe_undefined) {
      fail(Cause::kUnsupported, "captured variable " + slot_text(*a.code, s) + " may have no value here");
    }
    if (a.slots[s].is_defined() && is_maybe(a.slots[s]))
      fail(Cause::kWidening,
           "captured variable " + slot_text(*a.code, s) + " is `nothing` on one way and " +
               type_text(a.slots[s].fields[1].type) + " on the other",
           "decide by `=== nothing` before the closure is made");
    captured.push_back(a.slots[s]);
    types.push_back(a.slots[s].type);
  }
  const DataType* type = evaluator_.impl().closure_type(closure, *a.code, *a.module, types);
  if (type == nullptr) fail(Cause::kUnsupported, "a local function whose argument types depend on the code around");
  return constant_or_fields(type, std::move(captured));
}

Abstract Compiler::exec_new(const Form& form, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  Abstract t = exec(child[0], a);
  std::vector<Abstract> fields;
  for (uint32_t i = 1; i < form.count; ++i) {
    const Form& field_form = a.code->forms[child[i]];
    if (field_form.kind == FormKind::kSplat) {
      const Abstract v = exec(a.code->children[field_form.first], a);
      if (v.is_unknown()) return v;
      if (!v.is_defined() || !v.type->is_tuple)
        fail(Cause::kShape, "a splat whose length is known only when the program runs");
      for (size_t k = 0; k < v.type->field_count(); ++k) fields.push_back(field(v, k));
    } else {
      fields.push_back(exec(child[i], a));
    }
    if (!goes_on(a)) return Abstract::nothing();
  }
  a.node = form.node;
  if (t.is_unknown()) return t;
  const auto* type = t.is_constant() && t.constant.is_type() ? as<DataType>(t.constant.as_type()) : nullptr;
  if (type == nullptr) fail(Cause::kUnsupported, "new of a type that is not known");
  return construct(type, std::move(fields));
}

Abstract Compiler::construct(const DataType* type, std::vector<Abstract> fields) {
  const auto& types = type->field_types();
  if (fields.size() != types.size())
    fail(Cause::kUnsupported, "an object of type " + type_text(type) + " whose fields are not all given");
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool fits = fields[i].type == types[i] || subtype(fields[i].dispatched(), types[i]);
    if (!fits) fields[i] = convert(types[i], fields[i]);
    if (!is_concrete(types[i]) && type->is_mutable() && !fields[i].is_constant())
      fail(
          Cause::kAbstractField,
          "field `" + type->field_names()[i].text() + "` of " + type_text(type) + " is declared " + type_text(types[i]),
          "declare the field with a concrete type or a type parameter");
  }
  if (!type->is_mutable()) return constant_or_fields(type, std::move(fields));
  HeapObject o;
  o.type = type;
  o.fields = std::move(fields);
  heap_.objects.push_back(std::move(o));
  return Abstract::of_object(type, static_cast<uint32_t>(heap_.objects.size() - 1));
}

Abstract Compiler::get_property(const Abstract& given, Symbol name) {
  if (!given.is_defined()) fail_branch("a value whose field is read");
  Abstract v = present(*this, given);
  if (v.is_unknown()) return v;
  Evaluator::Impl& impl = evaluator_.impl();
  if (v.is_constant() && (module_of(v.constant) != nullptr || v.constant.is_type()))
    return Abstract::of_constant(impl.get_property(v.constant, name));
  if (impl.has_property_method(v.type, false))
    return call_base("getproperty", {v, Abstract::of_constant(Value::of_symbol(name))});
  const int index = v.type->field_index(name);
  if (index < 0) {
    throws("FieldError: type " + type_text(v.type) + " has no field `" + name.text() + "`");
    return Abstract::nothing();
  }
  return field(v, static_cast<size_t>(index));
}

void Compiler::set_property(const Abstract& v, Symbol name, const Abstract& value) {
  if (v.is_unknown()) return;
  Evaluator::Impl& impl = evaluator_.impl();
  if (impl.has_property_method(v.type, true)) {
    call_base("setproperty!", {v, Abstract::of_constant(Value::of_symbol(name)), value});
    return;
  }
  set_field(v, name, value);
}

void Compiler::set_field(const Abstract& v, Symbol name, const Abstract& value) {
  const int index = v.type->field_index(name);
  if (index < 0 || !v.type->is_mutable()) {
    throws("setfield!: immutable struct of type " + type_text(v.type) + " cannot be changed");
    return;
  }
  const std::vector<bool>& constant = v.type->name->const_fields;
  if (static_cast<size_t>(index) < constant.size() && constant[static_cast<size_t>(index)]) {
    throws("setfield!: const field ." + name.text() + " of type " + v.type->name->name.text() + " cannot be changed");
    return;
  }
  if (v.kind != How::kObject)
    fail(Cause::kUnsupported, "a mutable object of the program around is changed in compiled code");
  const Type* wanted = v.type->field_types().at(static_cast<size_t>(index));
  Abstract converted = convert(wanted, value);
  HeapObject& o = writable(v);
  if (!is_concrete(wanted))
    fail(Cause::kAbstractField,
         "field `" + name.text() + "` of " + type_text(v.type) + " is declared " + type_text(wanted),
         "declare the field with a concrete type or a type parameter");
  o.fields[static_cast<size_t>(index)] = std::move(converted);
}

}  // namespace weft::julia
