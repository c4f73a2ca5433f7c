// Abstract values and their IR.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/diagnose/diagnosis_text.h"
#include "julia/infer/emit/arrays.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/maybe.h"
#include "julia/infer/stored.h"
#include "julia/infer/wide.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

Abstract Abstract::of_constant(const Value& v) {
  Abstract a;
  a.kind = How::kConstant;
  a.type = v.type();
  a.constant = v;
  return a;
}
Abstract Abstract::of_scalar(const DataType* type, IrValue ir) {
  Abstract a;
  a.kind = How::kScalar;
  a.type = type;
  a.ir = ir;
  return a;
}
Abstract Abstract::of_fields(const DataType* type, std::vector<Abstract> fields) {
  Abstract a;
  a.kind = How::kFields;
  a.type = type;
  a.fields = std::move(fields);
  return a;
}
Abstract Abstract::of_object(const DataType* type, uint32_t object) {
  Abstract a;
  a.kind = How::kObject;
  a.type = type;
  a.object = object;
  return a;
}

std::optional<int64_t> known_difference(const Abstract& a, const Abstract& b) {
  if (a.type != core().int64 || b.type != core().int64) return std::nullopt;
  if (a.is_constant() && b.is_constant()) return a.constant.get<int64_t>() - b.constant.get<int64_t>();
  if (a.kind != How::kScalar || b.kind != How::kScalar) return std::nullopt;
  if (a.extent != 0 && a.extent == b.extent) return 0;
  const IrValue x = a.origin ? a.origin : a.ir, y = b.origin ? b.origin : b.ir;
  if (x != y) return std::nullopt;
  return (a.origin ? a.offset : 0) - (b.origin ? b.offset : 0);
}

const Type* Abstract::dispatched() const { return kind == How::kConstant ? dispatch_type(constant) : type; }

namespace {

Tensor tensor_of_number(const Value& v) {
  Tensor t(*run_time_type(v.type()), {});
  std::memcpy(t.raw(), v.bits(), v.type()->layout().size);
  return t;
}

}  // namespace

IrValue Compiler::scalar(const Abstract& a) {
  if (a.kind == How::kScalar) return a.ir;
  if (a.kind == How::kConstant && run_time_type(a.type))
    return b().constant(Literal::dense(tensor_of_number(a.constant)));
  if (a.is_unknown()) throw consequence();
  if (!a.is_defined()) fail_branch("a value");
  fail(Cause::kUnsupported, "a value of type " + type_text(a.type) + " where compiled code has machine numbers only");
}

IrValue Compiler::int_constant(int64_t value) { return b().constant(Literal::dense(Tensor::scalar_of(value))); }

namespace {

/// The type of an element of a tuple, which says what is in it.
const Type* held_type(Compiler& c, const Abstract& x) {
  if (!x.is_defined()) c.fail_branch("an element of a tuple");
  if (is_maybe(x))
    c.fail(Cause::kWidening,
           "an element of a tuple is `nothing` on one way and " + type_text(x.fields[1].type) + " on the other",
           "decide by `=== nothing` before the tuple is made");
  return x.type;
}

}  // namespace

Abstract Compiler::tuple(std::vector<Abstract> elements) {
  std::vector<const Type*> types;
  for (const Abstract& x : elements) types.push_back(held_type(*this, x));
  return constant_or_fields(make_tuple_type(types), std::move(elements));
}

Abstract Compiler::named_tuple(std::span<const Symbol> names, std::vector<Abstract> elements) {
  std::vector<const Type*> types;
  for (const Abstract& x : elements) types.push_back(held_type(*this, x));
  return constant_or_fields(make_named_tuple_type(names, make_tuple_type(types)), std::move(elements));
}

Abstract Compiler::constant_or_fields(const DataType* type, std::vector<Abstract> fields) {
  bool constant = true;
  for (const Abstract& f : fields) constant = constant && f.is_constant();
  if (!constant) return Abstract::of_fields(type, std::move(fields));
  std::vector<Value> values;
  for (const Abstract& f : fields) values.push_back(f.constant);
  return Abstract::of_constant(make_struct(type, std::move(values)));
}

Abstract Compiler::field(const Abstract& a, size_t index) {
  switch (a.kind) {
    case How::kConstant: {
      const Value v = get_field(a.constant, index);
      if (!v.is_defined()) fail(Cause::kUnsupported, "a field that has no value");
      if (a.type->is_mutable()) fail(Cause::kGlobal, "a field of a mutable object of the program around");
      return Abstract::of_constant(v);
    }
    case How::kFields: return a.fields.at(index);
    case How::kObject: {
      const Abstract& f = heap_.objects.at(a.object).fields.at(index);
      if (!f.is_defined() || f.maybe_undefined) fail(Cause::kUnsupported, "a field that may have no value");
      return f;
    }
    case How::kUnknown: return a;
    default:
      fail(Cause::kUnsupported,
           "a field of a " + (a.type == nullptr ? std::string("missing value") : type_text(a.type)));
  }
}

Abstract Compiler::new_array(const DataType* type, Extents dims, std::vector<IrValue> leaves) {
  HeapObject o;
  o.type = type;
  o.is_array = true;
  o.element =
      type->parameters.empty() || type->parameters[0]->kind == TypeKind::kConstant ? core().bool_ : type->parameters[0];
  o.dims = std::move(dims);
  o.leaves = std::move(leaves);
  heap_.objects.push_back(std::move(o));
  return Abstract::of_object(type, static_cast<uint32_t>(heap_.objects.size() - 1));
}

Abstract Compiler::expanded(const Abstract& a) {
  if (a.kind != How::kConstant) return a;
  if (is_array(a.constant)) {
    const ArrayObject& array = array_of(a.constant);
    if (!element_type(array.element)) {
      std::vector<Abstract> elements;
      for (int64_t i = 0; i < array.length; ++i) {
        const Value v = get_element(array, i);
        elements.push_back(v.is_defined() ? Abstract::of_constant(v) : Abstract());
      }
      const Abstract out = make_list(*this, array.element, array.dims, std::move(elements));
      heap_.objects.back().is_read_only = true;
      return out;
    }
    const Abstract out = new_array(a.type, array.dims, {b().constant(Literal::dense(tensor_of(array).clone()))});
    heap_.objects.back().is_read_only = true;
    return out;
  }
  const DataType* t = a.type;
  if (is_wide_integer(t)) {
    std::vector<Abstract> words;
    for (const size_t at : {0, 8})
      words.push_back(
          Abstract::of_constant(Value::from_bits(number_type(NumberKind::kUInt64), a.constant.bits() + at)));
    return Abstract::of_fields(t, std::move(words));
  }
  if (t->is_mutable() || t->is_primitive() || t->name->is_opaque || t->is_singleton()) return a;
  std::vector<Abstract> fields;
  for (size_t i = 0; i < t->field_count(); ++i) fields.push_back(Abstract::of_constant(get_field(a.constant, i)));
  return Abstract::of_fields(t, std::move(fields));
}

Abstract Compiler::convert(const Type* to, const Abstract& a) {
  if (a.type == to || subtype(a.dispatched(), to)) return a;
  if (is_maybe(a) && subtype(core().nothing, to) && subtype(a.fields[1].type, to)) return a;
  return call_base("convert", {Abstract::of_constant(Value::of_type(to)), a});
}

int64_t Compiler::known_int(const Abstract& a, const char* what) {
  if (a.is_constant() && a.type == core().int64) return a.constant.get<int64_t>();
  fail(Cause::kShape, std::string(what) + " is known only when the program runs",
       "let it depend on nothing but sizes of arrays and numbers among the arguments");
}

void Compiler::leaves_of_type(const Type* t, std::vector<const DataType*>& out) {
  const auto* d = as<DataType>(t);
  if (is_maybe(t)) fail(Cause::kContainer, "elements that are `nothing` or a value");
  if (diagnoses_ != nullptr && d == unknown().type) throw consequence();
  if (d != nullptr && d->is_concrete && !d->is_bits())
    fail(Cause::kUnsupported, "elements of type " + type_text(t) + ", which only the host holds");
  if (d == nullptr || !d->is_concrete)
    fail(Cause::kContainer, "elements of type " + type_text(t), "use a concrete plain type");
  if (element_type(d)) {
    out.push_back(d);
    return;
  }
  if (d->is_primitive()) fail(Cause::kUnsupported, "elements of type " + type_text(t));
  for (const Type* f : d->field_types()) leaves_of_type(f, out);
}

void Compiler::append_leaves(const Abstract& v, std::vector<IrValue>& out) {
  const Abstract a = expanded(v);
  if (number_kind(a.type)) {
    out.push_back(scalar(a));
    return;
  }
  if (element_type(a.type)) {  // Complex
    out.push_back(op2(*this, "stablehlo.complex", scalar(a.fields.at(0)), scalar(a.fields.at(1))));
    return;
  }
  if (a.kind != How::kFields) {
    if (a.type->is_singleton()) return;
    fail(Cause::kUnsupported, "a value of type " + type_text(a.type) + " among numbers");
  }
  for (const Abstract& f : a.fields) append_leaves(f, out);
}

Abstract Compiler::from_leaves(const Type* t, std::span<const IrValue> leaves, size_t& next) {
  const auto* d = as<DataType>(t);
  if (number_kind(d)) return Abstract::of_scalar(d, leaves[next++]);
  if (element_type(d)) {
    const IrValue c = leaves[next++];
    const auto* part = static_cast<const DataType*>(d->parameters[0]);
    return Abstract::of_fields(d, {Abstract::of_scalar(part, b().make("stablehlo.real", {c})),
                                   Abstract::of_scalar(part, b().make("stablehlo.imag", {c}))});
  }
  if (d->is_singleton()) return Abstract::of_constant(Value::singleton(d));
  std::vector<Abstract> fields;
  for (const Type* f : d->field_types()) fields.push_back(from_leaves(f, leaves, next));
  return Abstract::of_fields(d, std::move(fields));
}

void Compiler::share_elements(const Abstract& a, const Abstract& b) {
  share_written();
  HeapObject &x = heap_.objects.at(a.object), &y = heap_.objects.at(b.object);
  if (x.shares == HeapObject::kAlone) x.shares = a.object;
  y.shares = x.shares;
  y.is_read_only = y.is_read_only || x.is_read_only;
}

void Compiler::share_written() {
  if (written_ == HeapObject::kAlone || written_ >= heap_.objects.size()) return;
  const HeapObject from = heap_.objects[written_];
  if (from.leaves == shared_leaves_) return;
  for (uint32_t i = 0; i < heap_.objects.size(); ++i) {
    HeapObject& o = heap_.objects[i];
    if (i == written_ || o.shares != from.shares) continue;
    if (num_elements(o.dims) != num_elements(from.dims))
      fail(Cause::kUnsupported, "an array that shares its elements with another one changes its size");
    for (size_t k = 0; k < o.leaves.size(); ++k) {
      const std::vector<int64_t> shape = reversed(o.dims);
      o.leaves[k] = b().reshape(from.leaves[k], shape);
    }
  }
  shared_leaves_ = from.leaves;
}

void Compiler::derive_shared(const std::vector<HeapObject>& before) {
  for (uint32_t i = 0; i < before.size(); ++i) {
    HeapObject& o = heap_.objects[i];
    if (o.shares == HeapObject::kAlone || o.shares == i) continue;
    const HeapObject& root = heap_.objects[o.shares];
    if (root.leaves == before[o.shares].leaves) {
      o.leaves = before[i].leaves;
      continue;
    }
    const std::vector<int64_t> shape = reversed(o.dims);
    for (size_t k = 0; k < o.leaves.size(); ++k) o.leaves[k] = b().reshape(root.leaves[k], shape);
  }
}

HeapObject& Compiler::writable(uint32_t id) {
  if (written_ != id) {
    share_written();
    const HeapObject& next = heap_.objects.at(id);
    written_ = next.shares == HeapObject::kAlone ? HeapObject::kAlone : id;
    shared_leaves_ = next.leaves;
  }
  HeapObject& o = heap_.objects.at(id);
  if (id < objects_of_all_elements_)
    fail(Cause::kUnsupported, "a function of elements that changes what is outside of it");
  if (o.is_read_only) fail(Cause::kUnsupported, "an array or object that is one of several, or a constant, is changed");
  expect_no_other_name(id);
  return o;
}

namespace {

/// Who runs a program without this host has nothing but the message: it says the line of the source.
std::string with_place(Compiler& c, std::string message) {
  static constexpr std::string_view kAt = "\n  in ";
  if (c.prints() != nullptr || message.find(kAt) != std::string::npos) return message;
  for (const Place& p : c.chain()) {
    if (p.is_library || !p.source || p.node == kNoNode) continue;
    return message + std::string(kAt) + frame_name(p) + " at " + p.source->name + ":" +
           std::to_string(p.source->line_of(p.node));
  }
  return message;
}

}  // namespace

void Compiler::check(IrValue holds, const std::string& message) {
  if (!has_checks_) return;
  if (mask_) holds = op2(*this, "stablehlo.or", holds, op1(*this, "stablehlo.not", mask_));
  Attrs attrs;
  attrs.set("message", Attr(with_place(*this, message)));
  b().create("weft.check", std::span(&holds, 1), std::move(attrs));
}

void Compiler::throws(std::string message) {
  activation_->is_dead = true;
  if (diagnoses_ != nullptr) diagnoses_->last_throw = {message, chain()};
  activation_->failure = with_place(*this, std::move(message));
}

void Compiler::fail_widening(const std::string& what, const Assigned& first, const Assigned& second, std::string fix,
                             Cause cause) {
  NotCompiled e{cause,
                what + " is " + type_text(first.type) + first.when + " and " + type_text(second.type) + second.when,
                std::move(fix),
                {}};
  if (what.starts_with('`')) e.variable = what.substr(1, what.size() - 2);
  e.types = {first.type, second.type};
  // The later place is where the types meet.
  const SourcePtr& source = activation_->code->source;
  const Assigned *early = &first, *late = &second;
  const bool both = source && first.node != kNoNode && second.node != kNoNode;
  if (both && source->tree[first.node].begin > source->tree[second.node].begin) std::swap(early, late);
  if (late->node != kNoNode) activation_->node = late->node;
  if (both && first.node != second.node) e.related.push_back({source, early->node, type_text(early->type) + " here"});
  throw NotCompiled(std::move(e));
}

void Compiler::keep_conflict(NotCompiled e) {
  if (diagnoses_ != nullptr) e.places = chain();
  branch_conflict_ = std::move(e);
}

void Compiler::fail_branch(const std::string& what, bool at_branch) {
  if (!branch_conflict_) fail(Cause::kWidening, what + " would have values of two types");
  NotCompiled e = *branch_conflict_;
  if (!at_branch) e.places.clear();
  constexpr std::string_view kValue = "the value of a branch";
  if (e.message.starts_with(kValue)) e.message = what + e.message.substr(kValue.size());
  if (what.starts_with('`')) e.variable = what.substr(1, what.size() - 2);
  const auto is_function = [](const Type* t) { return subtype(t, core().function); };
  if (e.types.size() == 2 && std::ranges::all_of(e.types, is_function)) {
    e.cause = Cause::kDispatch;
    e.fix = "call each function in its own branch";
  }
  throw NotCompiled(std::move(e));
}

void Compiler::fail(Cause cause, std::string message, std::string fix) {
  NotCompiled e{cause, std::move(message), std::move(fix), {}};
  throw e;
}

}  // namespace weft::julia
