// What a loop carries from one iteration to the next.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/infer/maybe.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/infer/texts.h"
#include "julia/infer/wide.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

std::vector<weft::Type> LoopHead::types() const {
  std::vector<weft::Type> out;
  for (const Carried& x : carried) out.push_back(x.type);
  return out;
}

void LoopHead::set_end(IrValue w, IrValue e) {
  const size_t k = w.index - kPlaceholders;
  if (ends.size() <= k) ends.resize(k + 1);
  ends[k] = e;
}

/// Makes every number within w carried; `init` are its values before the loop, null: zeros, since nothing reads them.
void LoopHead::carry(Abstract& place, const Abstract* init, const Abstract& like) {
  changed = true;
  switch (like.kind) {
    case How::kScalar:
    case How::kConstant: {
      if (!run_time_type(like.type)) {
        place = like;  // a function, a type: no run-time part
        return;
      }
      Carried x;
      x.type = weft::Type::scalar(*run_time_type(like.type));
      x.is_zero = init == nullptr;
      if (init != nullptr) x.init = *init;
      carried.push_back(x);
      place = Abstract::of_scalar(like.type, placeholder(carried.size() - 1));
      return;
    }
    case How::kFields: {
      Abstract out = like;
      for (size_t i = 0; i < like.fields.size(); ++i)
        carry(out.fields[i], init != nullptr ? &init->fields[i] : nullptr, like.fields[i]);
      place = out;
      return;
    }
    case How::kUnknown: place = like; return;
    case How::kObject: return carry_object(place, like);
    case How::kUndefined: place = Abstract(); return;
  }
}

/// An object that is made in the loop: nothing reads what it has before.
void LoopHead::carry_object(Abstract& place, const Abstract& like) {
  for (const Met& m : met) {
    if (m.end == like.object && m.is_result == is_result) {
      place = Abstract::of_object(like.type, m.rebound);
      return;
    }
  }
  const HeapObject& from = end->objects[like.object];
  if (from.shares != HeapObject::kAlone || from.dims.is_open()) {
    if (!is_result) {
      place = Abstract();  // read after the loop it is undefined, which is said there
      return;
    }
    c.fail(Cause::kUnsupported, "an array or mutable object first appears inside a loop and is used after it",
           "give the variable its first value before the loop");
  }
  const uint32_t id = rebind(from, HeapObject::kAlone);
  met.push_back({id, like.object, is_result});
  for (size_t i = 0; i < from.leaves.size(); ++i) {
    Carried x;
    x.type = c.b().type(from.leaves[i]);
    x.is_zero = true;
    carried.push_back(x);
    w.objects[id].leaves[i] = placeholder(carried.size() - 1);
  }
  for (size_t i = 0; i < from.fields.size(); ++i) {
    Abstract field = from.fields[i];
    const bool is_mark = !from.leaves.empty() && field.is_constant() && field.type == core().bool_;
    if (!is_mark) carry(field, nullptr, from.fields[i]);
    w.objects[id].fields[i] = field;
  }
  Abstract identity = c.identity_of(end->objects, like.object);
  if (!identity.is_constant()) carry(identity, nullptr, identity);
  w.objects[id].identity = identity;
  place = Abstract::of_object(like.type, id);
}

uint32_t LoopHead::rebind(const HeapObject& like, uint32_t first) {
  const auto id = static_cast<uint32_t>(w.objects.size());
  w.objects.push_back(like);
  w.objects[id].may_be.clear();
  if (first != HeapObject::kAlone) w.objects[id].identity = c.identity_of(w.objects, first);
  is_rebound.resize(id + 1);
  is_rebound[id] = true;
  if (first != HeapObject::kAlone) {
    first_objects[id] = first;
    for (const uint32_t other : w.objects[first].may_be) c.note_choice(w.objects[id], other);
    c.note_choice(w.objects[id], first);
  }
  changed = true;
  return id;
}

void LoopHead::meet_tensor(IrValue& place, IrValue e) {
  if (is_placeholder(place)) {
    set_end(place, e);
    return;
  }
  if (place == e) return;
  Carried x;
  x.type = c.b().type(place);
  x.init_ir = place;
  carried.push_back(x);
  place = placeholder(carried.size() - 1);
  changed = true;
}

void LoopHead::meet_object(uint32_t object, const HeapObject& e, const std::string& what) {
  HeapObject& o = w.objects[object];
  const bool grows = o.dims.size() == 1 && e.dims.size() == 1 && !o.leaves.empty() && o.element == e.element;
  if (grows && (o.dims != e.dims || o.is_array != e.is_array)) {
    grown.push_back({object, std::max<int64_t>(e.dims[0] - o.dims[0], 0)});
    return;
  }
  const bool is_untyped = is_list(o) && is_list(e) && o.dims != e.dims && !is_concrete(o.element);
  if (is_untyped) {
    // Elements that are alike say what to write.
    const DataType* first = e.fields.empty() ? nullptr : e.fields.front().type;
    const bool are_alike = first != nullptr && number_kind(first) &&
                           std::ranges::all_of(e.fields, [&](const Abstract& f) { return f.type == first; });
    c.fail(Cause::kContainer, "an array with elements of type " + type_text(o.element) + " grows in a loop",
           "give it the type of its elements, for example " + (are_alike ? type_text(first) : "Float64") + "[]");
  }
  if (o.dims != e.dims || o.is_array != e.is_array)
    c.fail(Cause::kShape, what + " changes its size in a loop",
           "make an array of its final size before the loop and assign its elements");
  for (size_t i = 0; i < o.leaves.size(); ++i) meet_tensor(o.leaves[i], e.leaves[i]);
  // What a field meets may be a new object, which moves the others.
  const size_t fields = o.fields.size();
  for (size_t i = 0; i < fields; ++i) {
    Abstract field = w.objects[object].fields[i];
    meet(field, e.fields[i], what);
    w.objects[object].fields[i] = field;
  }
}

namespace {

/// A small integer that the source gives a variable which then holds floats.
bool starts_as_integer(const Abstract& before, const Abstract& after) {
  if (!before.is_constant() || before.type != core().int64 || after.type == nullptr) return false;
  const auto kind = number_kind(after.type);
  constexpr int64_t kExact = 1024;  // in every kind of float
  const auto value = before.constant.get<int64_t>();
  return kind && is_float(*kind) && value >= -kExact && value <= kExact;
}

}  // namespace

/// What is `nothing` before the loop or after an iteration: whether that is so.
bool LoopHead::meet_maybe(Abstract& place, const Abstract& e, const std::string& what) {
  if (place.type == e.type || !(is_nothing(place) || is_nothing(e) || is_maybe(place) || is_maybe(e))) return false;
  if (!is_maybe(place)) {
    const bool is_there = !is_nothing(place);
    const Abstract like = is_there ? place : is_maybe(e) ? e.fields[1] : e;
    if (like.kind == How::kObject) return false;
    Abstract value = like;
    if (!is_there) carry(value, nullptr, like);
    place = maybe_of(c, Abstract::of_constant(boolean(is_there)), value);
    changed = true;
  }
  const bool is_there = !is_nothing(e);
  const Abstract value = is_maybe(e) ? e.fields[1] : is_there ? e : absent_value(c, place.fields[1]);
  meet(place.fields[0], is_maybe(e) ? e.fields[0] : Abstract::of_constant(boolean(is_there)), what);
  if (place.fields[1].type != value.type)
    c.fail(Cause::kWidening, what + " is " + type_text(place.fields[1].type) + " before a loop and " +
                                 type_text(value.type) + " after an iteration");
  meet(place.fields[1], value, what);
  return true;
}

void LoopHead::meet(Abstract& place, const Abstract& e, const std::string& what) {
  if (place.is_unknown()) return;
  if (e.is_unknown()) {
    place = e;
    changed = true;
    return;
  }
  if (!e.is_defined()) {
    if (place.is_defined()) c.fail(Cause::kUnsupported, what + " loses its value in a loop");
    return;
  }
  if (!place.is_defined()) {
    carry(place, nullptr, e);
    place.maybe_undefined = true;
    return;
  }
  if (meet_maybe(place, e, what)) return;
  if (place.type != e.type && starts_as_integer(place, e)) {
    // `s = 0` before a loop that adds floats: the same as `s = 0.0` when the loop is entered, which its head checks.
    place = Abstract::of_constant(convert_number(*number_kind(e.type), place.constant));
    changed = needs_entry = true;
  }
  if (place.type != e.type) {
    const Compiler::Assigned before{place.type, w.assigned_at(slot), " before a loop"};
    const Compiler::Assigned after{e.type, end->assigned_at(slot), " after an iteration"};
    c.fail_widening(what, before, after, "start it with a value of type " + type_text(e.type));
  }
  if (place.kind == How::kObject) {
    const bool stands_for_all = place.object < is_rebound.size() && is_rebound[place.object];
    if (place.object == e.object && !stands_for_all) return;
    if (!stands_for_all) {
      if (w.objects[place.object].shares != HeapObject::kAlone)
        c.fail(Cause::kUnsupported,
               what + " refers to another array in each iteration, one of which shares its elements");
      place.object = rebind(HeapObject(w.objects[place.object]), place.object);
    }
    met.push_back({place.object, e.object, is_result});
    Abstract identity = w.objects[place.object].identity;
    meet(identity, c.identity_of(end->objects, e.object), what);
    w.objects[place.object].identity = identity;
    meet_object(place.object, end->objects[e.object], what);
    return;
  }
  if (place.kind == How::kScalar && is_placeholder(place.ir)) {
    set_end(place.ir, c.scalar(e));
    return;
  }
  if (is_same(place, e)) return;
  if (run_time_type(place.type)) {
    const Abstract init = place;
    carry(place, &init, init);
    return;
  }
  Abstract x = c.expanded(place);
  const Abstract y = c.expanded(e);
  const bool other_text = place.type == core().string && !is_same_recipe(x, y);
  if (x.kind != How::kFields || y.kind != How::kFields || other_text)
    c.fail(Cause::kUnsupported, what + ", a " + type_text(place.type) + ", changes in a loop");
  place = x;
  for (size_t i = 0; i < x.fields.size(); ++i) meet(place.fields[i], y.fields[i], what);
}

void LoopHead::meet_or_unknown(Abstract& place, const Abstract& e, const std::string& what) {
  try {
    meet(place, e, what);
  } catch (NotCompiled& cause) {
    if (!c.recovers()) throw;
    c.note(std::move(cause));
    place = c.unknown();
    changed = true;
  }
}

void LoopHead::meet_object_or_unknown(uint32_t object, const HeapObject& e) {
  const Symbol variable = w.objects[object].variable;
  slot = slot_of_box(w, object);
  try {
    meet_object(object, e, variable ? "`" + variable.text() + "`" : "an object's field");
  } catch (NotCompiled& cause) {
    if (variable && cause.cause == Cause::kWidening) cause.cause = Cause::kCapture;
    if (!c.recovers()) throw;
    c.note(std::move(cause));
    for (Abstract& f : w.objects[object].fields) {
      changed = changed || !f.is_unknown();
      f = c.unknown();
    }
  }
}

void LoopHead::complete(std::span<const IrValue> args) {
  if (c.diagnoses() == nullptr) return;
  ends.resize(carried.size());
  for (size_t k = 0; k < ends.size(); ++k) {
    if (!ends[k]) ends[k] = args[k];
  }
}

void LoopHead::meet_states(const State& e) {
  end = &e;
  ends.assign(carried.size(), {});
  met.clear();
  const size_t base = w.objects.size();
  for (size_t i = 0; i < w.slots.size(); ++i) {
    Abstract place = w.slots[i];
    slot = i;
    meet_or_unknown(place, e.slots[i], slot_text(code, static_cast<SlotId>(i)));
    w.slots[i] = place;
  }
  slot = SIZE_MAX;
  meet(w.jump, e.jump, "the way on");
  is_result = true;
  if (e.result.is_defined() || w.result.is_defined()) meet(w.result, e.result, "the returned value");
  is_result = false;
  for (size_t i = 0; i < base; ++i) {
    if (i < is_rebound.size() && is_rebound[i]) continue;  // met where a variable refers to it
    if (w.objects[i].shares != HeapObject::kAlone && w.objects[i].shares != i) continue;  // derived
    meet_object_or_unknown(static_cast<uint32_t>(i), e.objects[i]);
  }
  choices(base);
  tell_apart(base);
}

}  // namespace weft::julia
