// Where branches meet.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/maybe.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/infer/texts.h"
#include "julia/infer/wide.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

std::string slot_text(const Code& code, SlotId slot) {
  if (slot >= code.slots.size()) return "a loop's counter";
  const std::string& name = code.slots[slot].name.text();
  return name.starts_with('#') ? "an intermediate value" : "`" + name + "`";
}

size_t slot_of_box(const State& s, uint32_t object) {
  if (!s.objects[object].variable) return SIZE_MAX;
  const auto holds = [&](const Abstract& a) { return a.kind == How::kObject && a.object == object; };
  return static_cast<size_t>(std::ranges::find_if(s.slots, holds) - s.slots.begin());
}

bool is_same(const Abstract& a, const Abstract& b) {
  if (a.kind != b.kind || a.type != b.type) return false;
  switch (a.kind) {
    case How::kUnknown:
    case How::kUndefined: return true;
    case How::kConstant: return is_identical(a.constant, b.constant);
    case How::kScalar: return a.ir == b.ir;
    case How::kObject: return a.object == b.object;
    case How::kFields:
      if (a.fields.size() != b.fields.size()) return false;
      for (size_t i = 0; i < a.fields.size(); ++i) {
        if (!is_same(a.fields[i], b.fields[i])) return false;
      }
      return true;
  }
  return false;
}

bool changes(const HeapObject& before, const HeapObject& now) {
  const auto same = [](const Abstract& a, const Abstract& b) { return is_same(a, b); };
  return before.leaves != now.leaves || before.dims != now.dims || !std::ranges::equal(before.fields, now.fields, same);
}

namespace {

/// Whether a value refers only to objects from before a branch: those of the two ways have the same numbers.
bool is_older(const Abstract& a, uint32_t base) {
  if (a.kind == How::kObject) return a.object < base;
  return std::ranges::all_of(a.fields, [&](const Abstract& f) { return is_older(f, base); });
}

}  // namespace

IrValue Merge::in(bool is_then, const Abstract& a) {
  OpBuilder* before = &c.b();
  c.set_builder(is_then ? &then_builder : &else_builder);
  const IrValue v = c.scalar(a);
  c.set_builder(before);
  return v;
}

IrValue Merge::zeros_in(bool is_then, weft::Type type) { return (is_then ? then_builder : else_builder).zeros(type); }

IrValue Merge::tensors(IrValue a, IrValue b, bool has_a, bool has_b) {
  if (has_a && has_b && a == b) return a;
  if (chosen_by) return !has_a ? b : !has_b ? a : select3(c, chosen_by, a, b);
  const weft::Type type = has_a ? then_builder.type(a) : else_builder.type(b);
  then_values.push_back(has_a ? a : zeros_in(true, type));
  else_values.push_back(has_b ? b : zeros_in(false, type));
  types.push_back(type);
  return placeholder(types.size() - 1);
}

Abstract Merge::numbers(const Abstract& a, const Abstract& b) {
  return Abstract::of_scalar(a.type, tensors(in(true, a), in(false, b), true, true));
}

/// What one of the branches' objects may be, of those that both have.
void Merge::choices(HeapObject& merged, const State& way, uint32_t id) {
  for (const uint32_t other : way.objects[id].may_be) {
    if (other < base) c.note_choice(merged, other);
  }
  if (id < base) c.note_choice(merged, id);
}

/// What only one of the branches has.
Abstract Merge::one_sided(const Abstract& x, bool is_then, const std::string& what) {
  switch (x.kind) {
    case How::kUndefined:
    case How::kUnknown:
    case How::kConstant: return x;
    case How::kScalar:
      return Abstract::of_scalar(x.type, is_then ? tensors(x.ir, {}, true, false) : tensors({}, x.ir, false, true));
    case How::kFields: {
      Abstract out = x;
      for (Abstract& f : out.fields) f = one_sided(f, is_then, what);
      return out;
    }
    case How::kObject: {
      if (x.object < base) return x;
      if (chosen_by) c.fail(Cause::kUnsupported, "an array made in one branch of an element's function");
      const uint64_t key =
          (static_cast<uint64_t>(is_then ? x.object : UINT32_MAX) << 32) | (is_then ? UINT32_MAX : x.object);
      const auto it = new_objects.find(key);
      if (it != new_objects.end()) return Abstract::of_object(x.type, it->second);
      const auto id = static_cast<uint32_t>(out.objects.size());
      new_objects[key] = id;
      out.objects.emplace_back();
      const HeapObject& o = (is_then ? then : otherwise).objects[x.object];
      HeapObject merged = contents(is_then ? &o : nullptr, is_then ? nullptr : &o, what);
      merged.may_be.clear();
      choices(merged, is_then ? then : otherwise, x.object);
      merged.identity = one_sided(c.identity_of((is_then ? then : otherwise).objects, x.object), is_then, what);
      if (merged.shares >= base && merged.shares != HeapObject::kAlone) {
        // What it shares its elements with was made in the branch.
        merged.shares = HeapObject::kAlone;
        merged.is_read_only = true;
      }
      out.objects[id] = std::move(merged);
      return Abstract::of_object(x.type, id);
    }
  }
  return x;
}

namespace {

/// A vector of plain elements, which may have another length on each way.
bool can_be_bounded(const HeapObject& o) { return o.element != nullptr && !o.leaves.empty() && o.dims.size() == 1; }

}  // namespace

/// Vectors of two lengths: one that has room for the longer.
HeapObject Merge::vectors(const HeapObject& a, const HeapObject& b, const std::string& what) {
  if (chosen_by || a.element != b.element) c.fail(Cause::kShape, what + " has another size in each branch");
  const auto fields_of = [](const HeapObject& o) {
    if (!o.is_array) return o.fields;
    return std::vector{Abstract::of_constant(number(o.dims[0])), Abstract::of_constant(boolean(false))};
  };
  HeapObject merged = a;
  merged.is_array = false;
  merged.dims = {std::max(a.dims[0], b.dims[0])};
  for (size_t i = 0; i < a.leaves.size(); ++i)
    merged.leaves[i] = tensors(padded(then_builder, a.leaves[i], merged.dims[0]),
                               padded(else_builder, b.leaves[i], merged.dims[0]), true, true);
  const std::vector<Abstract> x = fields_of(a), y = fields_of(b);
  merged.fields = {unify(x[0], y[0], what), is_same(x[1], y[1]) ? x[1] : Abstract::of_constant(boolean(true))};
  return merged;
}

HeapObject Merge::contents(const HeapObject* a, const HeapObject* b, const std::string& what) {
  if (a != nullptr && b != nullptr && can_be_bounded(*a) && can_be_bounded(*b) &&
      (a->dims != b->dims || a->is_array != b->is_array))
    return vectors(*a, *b, what);
  const HeapObject& one = a != nullptr ? *a : *b;
  HeapObject merged = one;
  if (a != nullptr && b != nullptr && (a->dims != b->dims || a->element != b->element))
    c.fail(Cause::kShape, what + " has another size in each branch");
  for (size_t i = 0; i < one.leaves.size(); ++i)
    merged.leaves[i] = tensors(a != nullptr ? a->leaves[i] : IrValue{}, b != nullptr ? b->leaves[i] : IrValue{},
                               a != nullptr, b != nullptr);
  for (size_t i = 0; i < one.fields.size(); ++i) {
    if (a == nullptr || b == nullptr) merged.fields[i] = one_sided(one.fields[i], a != nullptr, what);
    else merged.fields[i] = unify(a->fields[i], b->fields[i], what);
  }
  return merged;
}

Abstract Merge::objects(const Abstract& a, const Abstract& b, const std::string& what) {
  if (a.object == b.object && a.object < base) return a;
  if (chosen_by) c.fail(Cause::kUnsupported, "arrays chosen by each element");
  const uint64_t key = (static_cast<uint64_t>(a.object) << 32) | b.object;
  const auto it = new_objects.find(key);
  if (it != new_objects.end()) return Abstract::of_object(a.type, it->second);
  const auto id = static_cast<uint32_t>(out.objects.size());
  new_objects[key] = id;
  out.objects.emplace_back();
  HeapObject merged = contents(&then.objects[a.object], &otherwise.objects[b.object], what);
  // Writes would have to reach whichever it is.
  const bool is_shared =
      then.objects[a.object].shares != HeapObject::kAlone || otherwise.objects[b.object].shares != HeapObject::kAlone;
  merged.is_read_only = then.objects[a.object].is_read_only || otherwise.objects[b.object].is_read_only || is_shared;
  merged.shares = HeapObject::kAlone;
  merged.may_be.clear();
  choices(merged, then, a.object);
  choices(merged, otherwise, b.object);
  const Abstract on_then = c.identity_of(then.objects, a.object), on_else = c.identity_of(otherwise.objects, b.object);
  merged.identity = on_then.is_constant() && is_same(on_then, on_else) ? on_then : numbers(on_then, on_else);
  out.objects[id] = std::move(merged);
  return Abstract::of_object(a.type, id);
}

/// `nothing` on one way, a value on the other.
Abstract Merge::maybe(const Abstract& a, const Abstract& b, const std::string& what) {
  const auto flag_of = [](const Abstract& x) {
    return is_maybe(x) ? x.fields[0] : Abstract::of_constant(boolean(!is_nothing(x)));
  };
  const auto value_of = [](const Abstract& x) { return is_maybe(x) ? x.fields[1] : x; };
  const Abstract value = is_nothing(a)   ? one_sided(value_of(b), false, what)
                         : is_nothing(b) ? one_sided(value_of(a), true, what)
                                         : unify(value_of(a), value_of(b), what);
  Abstract out = maybe_of(c, unify(flag_of(a), flag_of(b), what), value);
  out.maybe_undefined = a.maybe_undefined || b.maybe_undefined;
  return out;
}

Abstract Merge::unify(const Abstract& a, const Abstract& b, const std::string& what) {
  if (a.kind != How::kObject && is_same(a, b)) return a;
  if (!a.is_defined() || !b.is_defined()) {
    if (a.is_defined() == b.is_defined()) return a;
    Abstract out = a.is_defined() ? one_sided(a, true, what) : one_sided(b, false, what);
    out.maybe_undefined = true;
    return out;
  }
  if (a.is_unknown() || b.is_unknown()) return c.unknown();
  const bool may_be_nothing = is_maybe(a) || is_maybe(b) || is_nothing(a) || is_nothing(b);
  if (a.type != b.type && may_be_nothing) return maybe(a, b, what);
  if (a.type != b.type) {
    const Compiler::Assigned on_then{a.type, then.assigned_at(slot), " on one way"};
    const Compiler::Assigned on_else{b.type, otherwise.assigned_at(slot), " on the other"};
    c.fail_widening(what, on_then, on_else,
                    "give it one type on both ways, for example by convert or by starting from zero(x)");
  }
  Abstract result;
  if (a.kind == How::kObject && b.kind == How::kObject) {
    result = objects(a, b, what);
  } else if (run_time_type(a.type)) {
    result = numbers(a, b);
  } else if (a.type == core().string && !is_same_recipe(a, b)) {
    const Abstract is_first = numbers(Abstract::of_constant(boolean(true)), Abstract::of_constant(boolean(false)));
    result = choose_text(is_first, one_sided(a, true, what), one_sided(b, false, what));
  } else {
    const Abstract x = c.expanded(a), y = c.expanded(b);
    if (x.kind != How::kFields || y.kind != How::kFields)
      c.fail(Cause::kUnsupported,
             what + " is one of two values of type " + type_text(a.type) + " that only the host can hold");
    result = x;
    for (size_t i = 0; i < x.fields.size(); ++i) result.fields[i] = unify(x.fields[i], y.fields[i], what);
  }
  result.maybe_undefined = a.maybe_undefined || b.maybe_undefined;
  return result;
}

namespace {

bool returns(const State& s) { return s.jump.is_constant() && s.jump.constant.get<int64_t>() == kReturns; }

}  // namespace

/// Throws it, unless the compiler only looks for causes: then what was handed out since is taken back.
void Merge::go_on_without(NotCompiled e, size_t values) {
  if (!c.recovers()) throw NotCompiled(std::move(e));
  c.note(std::move(e));
  then_values.resize(values);
  else_values.resize(values);
  types.resize(values);
}

void Merge::states() {
  if (then.is_dead && otherwise.is_dead) {
    out = otherwise;
    return;
  }
  // A branch that is never left decides nothing.
  const bool only_then = otherwise.is_dead, only_else = then.is_dead;
  const auto either = [&](const Abstract& a, const Abstract& b, const std::string& what) {
    if (only_then) return one_sided(a, true, what);
    if (only_else) return one_sided(b, false, what);
    return unify(a, b, what);
  };
  out.objects.resize(base);
  for (uint32_t i = 0; i < base; ++i) {
    const HeapObject *a = &then.objects[i], *b = &otherwise.objects[i];
    if (!chosen_by && a->shares != HeapObject::kAlone && a->shares != i && a->shares == b->shares) {
      out.objects[i] = *a;  // derived
      continue;
    }
    if (!only_then && !only_else && a->dims != b->dims && !(can_be_bounded(*a) && can_be_bounded(*b)))
      c.fail(Cause::kShape, "an array changes its size in one branch only");
    // What neither way has changed stays what it was, also where one of them ends.
    const auto is_same_field = [&](const Abstract& x, const Abstract& y) { return is_same(x, y) && is_older(x, base); };
    const bool is_unchanged =
        a->leaves == b->leaves && a->dims == b->dims && std::ranges::equal(a->fields, b->fields, is_same_field);
    if (is_unchanged) {
      out.objects[i] = *a;
      continue;
    }
    slot = slot_of_box(then, i);
    const std::string what = a->variable ? "`" + a->variable.text() + "`" : "an object's field";
    const size_t values = types.size();
    try {
      out.objects[i] = contents(only_else ? nullptr : a, only_then ? nullptr : b, what);
    } catch (NotCompiled& e) {
      if (a->variable && e.cause == Cause::kWidening) e.cause = Cause::kCapture;
      go_on_without(std::move(e), values);
      out.objects[i] = *a;
      for (Abstract& f : out.objects[i].fields) f = c.unknown();
    }
  }
  for (size_t i = 0; i < then.slots.size(); ++i) {
    const Abstract &a = then.slots[i], &b = otherwise.slots[i];
    const bool is_hidden = i < code.slots.size() && code.slots[i].name.text().starts_with('#');
    // Intermediate values are used where they are made.
    if (is_hidden && !only_then && !only_else && (!a.is_defined() || !b.is_defined() || a.type != b.type)) {
      out.slots.emplace_back();
      continue;
    }
    slot = i;
    const size_t values = types.size();
    // A way that returns reads no variable any more.
    const bool is_same_here = is_same(a, b) && is_older(a, base);
    if (returns(then) != returns(otherwise) && !only_then && !only_else && !is_same_here && a.is_defined() &&
        b.is_defined()) {
      const bool is_then = returns(otherwise);
      out.slots.push_back(one_sided(is_then ? a : b, is_then, slot_text(code, static_cast<SlotId>(i))));
      continue;
    }
    try {
      out.slots.push_back(either(a, b, slot_text(code, static_cast<SlotId>(i))));
    } catch (NotCompiled& e) {
      go_on_without(std::move(e), values);
      out.slots.push_back(c.unknown());
    }
  }
  slot = SIZE_MAX;
  out.assigned = only_then ? then.assigned : otherwise.assigned;
  out.jump = either(then.jump, otherwise.jump, "the way on");
  const size_t values = types.size();
  try {
    out.result = either(then.result, otherwise.result, "the returned value");
  } catch (NotCompiled& e) {
    go_on_without(std::move(e), values);
    out.result = c.unknown();
  }
}

}  // namespace weft::julia
