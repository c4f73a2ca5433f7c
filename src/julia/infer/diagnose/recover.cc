// Compilation for a diagnosis: what cannot be compiled is noted, its value becomes unknown, and the rest is looked at as well.
#include <algorithm>
#include <ranges>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/border/samples.h"
#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/diagnose/top_level.h"
#include "julia/infer/state.h"
#include "julia/run/effects.h"
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/subtype.h"

namespace weft::julia {

using How = Abstract::Kind;

bool Compiler::recovers() const {
  return diagnoses_ != nullptr && attempts_ == 0 && activation_ != nullptr && activation_->module != nullptr &&
         !activation_->module->is_library;
}

Abstract Compiler::unknown() const {
  // A type that no value has, so that dispatch on it is dispatch on nothing known.
  static const DataType* const type = [] {
    TypeName* name = declare_type("Unknown", "Core", Flavour::kMutable, {});
    set_fields(name, {"value"}, {core().any});
    return name->primary;
  }();
  Abstract a;
  a.kind = How::kUnknown;
  a.type = type;
  return a;
}

IrValue Compiler::unknown_value(weft::Type type) { return b().function().add_arg(b().function().body(), type); }

Abstract Compiler::unknown_of(const Type* type) {
  const auto* t = as<DataType>(type);
  if (t == nullptr || !t->is_concrete) return unknown();
  if (t->is_singleton()) return Abstract::of_constant(Value::singleton(t));
  if (!number_kind(t) || !element_type(t)) return unknown();
  return Abstract::of_scalar(t, unknown_value(weft::Type::scalar(*element_type(t))));
}

std::vector<Place> Compiler::chain() const {
  std::vector<Place> out;
  const auto add = [&](const Activation& a, const std::vector<const Type*>& types) {
    out.push_back({a.code->source, a.node, a.code->name, a.module != nullptr && a.module->is_library, types});
  };
  constexpr size_t kMost = 50;
  for (const Running& r : std::views::reverse(running_)) {
    if (out.size() < kMost && r.activation != nullptr) add(*r.activation, r.types);
  }
  const bool is_top = running_.empty() && activation_ != nullptr && activation_->module != nullptr;
  if (is_top) add(*activation_, {});
  return out;
}

void Compiler::note(NotCompiled e) {
  std::vector<Place> outside = chain();
  e.places.insert(e.places.end(), std::make_move_iterator(outside.begin()), std::make_move_iterator(outside.end()));
  diagnoses_->add(std::move(e));
}

Abstract Compiler::exec_on(FormId id, Activation& a) {
  if (attempts_ > 0 || a.module == nullptr || a.module->is_library) return exec_form(id, a);
  const size_t slots = a.slots.size();
  const IrValue mask = mask_;
  OpBuilder* const builder = builder_;
  try {
    if (a.top_level != nullptr) {
      if (std::optional<Abstract> v = a.top_level->exec(id, a)) return *v;
    }
    Abstract v = exec_form(id, a);
    if (a.explained != nullptr) diagnoses_->see(*this, a, a.code->forms[id], v);
    return v;
  } catch (NotCompiled& e) { note(std::move(e)); } catch (const InternalError&) {
    // What follows from values that are not there.
    if (diagnoses_->found.empty()) throw;
  } catch (const Error& e) { note(host_failure(e)); }
  a.slots.resize(slots);
  mask_ = mask;
  builder_ = builder;
  return go_on(id, a);
}

/// What comes in the place of a form that is not compiled.
Abstract Compiler::go_on(FormId id, Activation& a) {
  const Form& form = a.code->forms[id];
  const FormId* child = a.code->children.data() + form.first;
  const auto is_there = [&](uint32_t i) { return i < form.count && !a.code->forms[child[i]].has(Form::kMissing); };
  switch (form.kind) {
    case FormKind::kTry: {
      exec(child[0], a);
      a.is_dead = false;
      if (is_there(1)) {
        exec_branch(
            unknown_value(weft::Type::scalar(ElementType::kI1)),
            [&](Activation& x) {
              if (form.a != kNoForm) write_slot(form.a, unknown(), x);
              return exec(child[1], x);
            },
            [](Activation&) { return Abstract::nothing(); }, nullptr, a);
      }
      if (is_there(3)) exec(child[3], a);
      return unknown();
    }
    case FormKind::kFor: exec_for_over(form, unknown(), a); return Abstract::nothing();
    case FormKind::kSetLocal: write_slot(form.a, unknown(), a); return unknown();
    case FormKind::kUnpack: unpack(a.code->unpacks[form.a], unknown(), a); return unknown();
    case FormKind::kSetGlobal: return form.count > 0 ? exec(child[0], a) : unknown();
    case FormKind::kWhile: return Abstract::nothing();
    default: return unknown();
  }
}

Abstract Compiler::call_of_unknown(const Abstract& callee, const std::vector<Abstract>& arguments) {
  const Value* f = known(callee);
  if (f == nullptr) return unknown();
  // A number's constructor, or convert, gives what it says.
  if (f->is_type()) return unknown_of(f->as_type());
  const bool converts = arguments.size() == 2 && arguments[0].is_constant() && arguments[0].constant.is_type();
  if (converts && callee.type->name->function == Symbol("convert")) return unknown_of(arguments[0].constant.as_type());
  if (diagnoses_->on_unknown_call) {
    if (MethodTable* table = evaluator_.methods_of(*f)) {
      for (const Method* m : table->methods()) {
        const auto* body = static_cast<const MethodBody*>(m->body.get());
        if (body != nullptr && body->body && !body->module->is_library) diagnoses_->on_unknown_call(body->body->code());
      }
    }
  }
  return unknown();
}

Abstract Compiler::call_or_example(const Abstract& callee, const std::vector<Abstract>& arguments,
                                   const std::vector<std::pair<Symbol, Abstract>>& keywords) {
  const IrValue mask = mask_;
  OpBuilder* const builder = builder_;
  try {
    return call(callee, arguments, keywords);
  } catch (NotCompiled& e) { note(std::move(e)); } catch (const InternalError&) {
    if (diagnoses_->found.empty()) throw;
  } catch (const Error& e) { note(host_failure(e)); }
  mask_ = mask;
  builder_ = builder;
  if (diagnoses_->at_top_level) follow_thunks(callee, arguments);
  return example(callee, arguments, keywords);
}

/// Test sets, tests and the like take code as functions without arguments: where they are not compiled, these are followed all the same.
void Compiler::follow_thunks(const Abstract& callee, const std::vector<Abstract>& arguments) {
  // What is expected to throw says nothing of what compiles.
  if (callee.type->name->function == Symbol("_test_throws")) return;
  OpBuilder* const builder = builder_;
  for (const Abstract& x : arguments) {
    const std::vector<const Type*> types = {x.dispatched()};
    if (x.type == nullptr || !subtype(x.type, core().function)) continue;
    const auto target = evaluator_.impl().target_of_types(x.is_constant() ? &x.constant : nullptr, x.type, types);
    if (!target || target->body == nullptr || !target->body->body || target->body->module->is_library) continue;
    try {
      const Abstract operands = call(x, {});
      // @test f(a, b): the function stands before the operands.
      const bool is_call = operands.is_defined() && operands.type->is_tuple && !operands.is_unknown() &&
                           arguments[0].is_constant() && &x != arguments.data() &&
                           subtype(arguments[0].type, core().function);
      if (!is_call) continue;
      std::vector<Abstract> all;
      for (size_t i = 0; i < operands.type->field_count(); ++i) all.push_back(field(operands, i));
      call(arguments[0], std::move(all));
    } catch (NotCompiled& e) { note(std::move(e)); } catch (const InternalError&) {
      if (diagnoses_->found.empty()) throw;
    } catch (const Error& e) { note(host_failure(e)); }
    activation_->is_dead = false;
    builder_ = builder;
  }
}

/// The type of a library function's result, from the host's run on values of the arguments' types.
Abstract Compiler::example(const Abstract& callee, const std::vector<Abstract>& arguments,
                           const std::vector<std::pair<Symbol, Abstract>>& keywords) {
  Samples samples(heap_);
  const std::optional<Value> f = samples.of(callee);
  if (!f) return unknown();
  std::vector<Value> values;
  std::vector<Keyword> named;
  bool is_exact = true;
  double size = 1;  // of what is made, if these are its extents
  constexpr double kMostElements = 1e7;
  for (const Abstract& x : arguments) {
    std::optional<Value> v = samples.of(x);
    if (!v) return unknown();
    if (v->is(core().int64)) size *= std::max<double>(1, static_cast<double>(v->get<int64_t>()));
    is_exact = is_exact && x.is_constant();
    values.push_back(std::move(*v));
  }
  for (const auto& [name, x] : keywords) {
    std::optional<Value> v = samples.of(x);
    if (!v) return unknown();
    is_exact = is_exact && x.is_constant();
    named.push_back({name, std::move(*v)});
  }
  if (size > kMostElements) return unknown();
  const Evaluator::Impl::Mark mark(evaluator_.impl());
  const NoEffects without_effects;
  try {
    return abstract_of(evaluator_.call(*f, values, named), is_exact && diagnoses_->at_top_level);
  } catch (const ExitRequest&) { return unknown(); } catch (const OutOfScope& e) {
    note(host_failure(e));
    return unknown();
  } catch (const Error&) { return unknown(); }
}

Abstract Compiler::abstract_of(const Value& v, bool keeps_integers) {
  if (!v.is_defined()) return unknown();
  const DataType* t = v.type();
  if (number_kind(t)) {
    if (keeps_integers && (t == core().int64 || t == core().bool_)) return Abstract::of_constant(v);
    return unknown_of(t);
  }
  if (is_array(v)) {
    const ArrayObject& array = array_of(v);
    if (array.flat == nullptr) return Abstract::of_constant(v);
    std::vector<LeafPlace> places;
    leaf_places(array.flat, 0, places);
    const std::vector<int64_t> shape(array.dims.rbegin(), array.dims.rend());
    std::vector<IrValue> leaves;
    for (const LeafPlace& p : places) leaves.push_back(unknown_value(weft::Type::tensor(*element_type(p.type), shape)));
    return new_array(t, array.dims, std::move(leaves));
  }
  const bool is_struct = v.is_reference() && !t->name->is_opaque && v.object()->kind != ObjectKind::kHost &&
                         v.object()->kind != ObjectKind::kString && !v.is_type() && t != core().symbol;
  const bool is_bits = !v.is_reference() && t->field_count() > 0;
  if (!is_struct && !is_bits) return Abstract::of_constant(v);
  std::vector<Abstract> fields;
  for (size_t i = 0; i < field_count(v); ++i) fields.push_back(abstract_of(get_field(v, i), keeps_integers));
  if (!t->is_mutable()) return constant_or_fields(t, std::move(fields));
  HeapObject o;
  o.type = t;
  o.fields = std::move(fields);
  heap_.objects.push_back(std::move(o));
  return Abstract::of_object(t, static_cast<uint32_t>(heap_.objects.size() - 1));
}

}  // namespace weft::julia
