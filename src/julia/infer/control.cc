// Forms on abstract values: blocks, branches and loops become regions.
#include <algorithm>
#include <cstring>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

Compiler::Region::Region(Compiler& compiler, std::span<const weft::Type> args)
    : c(compiler),
      builder(compiler.b().function(), compiler.b().function().new_region(), compiler.b().module()),
      before(compiler.builder_),
      id(builder.region()) {
  for (const weft::Type t : args) builder.function().add_arg(id, t);
  builder.loc = before->loc;
  c.builder_ = &builder;
}

std::optional<int64_t> known_number(const Function& f, IrValue v) {
  const OpId op = f.defining_op(v);
  if (!op || f.def(op).mnemonic != "stablehlo.constant" || f.type(v) != weft::Type::scalar(ElementType::kI64))
    return std::nullopt;
  const auto* value = f.attrs(op).find("value");
  const auto* literal = value == nullptr ? nullptr : value->get_if<Literal>();
  if (literal == nullptr) return std::nullopt;
  int64_t n = 0;
  std::memcpy(&n, literal->element(0), sizeof(n));
  return n;
}

Activation outermost_activation() {
  static const Code& nothing_in_it = *new Code;
  Activation a;
  a.code = &nothing_in_it;
  a.jump = Abstract::of_constant(number(int64_t{kFalls}));
  return a;
}

void Compiler::set_jump(Activation& a, int64_t kind) {
  a.jump = Abstract::of_constant(number(kind));
  a.surely_leaves = false;
}

IrValue Compiler::condition(const Abstract& given) {
  expect_value(given);
  const Abstract v = present(*this, given);
  if (v.is_unknown()) return unknown_value(weft::Type::scalar(ElementType::kI1));
  if (v.type != core().bool_)
    fail(Cause::kUnsupported, "a condition of type " + type_text(v.type) + ", where Julia throws a TypeError");
  return scalar(v);
}

Abstract Compiler::read_slot(SlotId slot, Activation& a) {
  const Abstract* v = &a.slots[slot];
  if (a.code->slots[slot].is_boxed && v->kind == How::kObject) v = &heap_.objects[v->object].fields[0];
  if (!v->is_defined() || v->maybe_undefined)
    fail(Cause::kUnsupported, "variable " + slot_text(*a.code, slot) + " may have no value here",
         "give it a value before the branch or loop");
  return *v;
}

void Compiler::write_slot(SlotId slot, Abstract v, Activation& a) {
  v.maybe_undefined = false;
  if (slot >= a.assigned.size()) a.assigned.resize(a.slots.size(), kNoNode);
  a.assigned[slot] = a.node;
  if (!a.code->slots[slot].is_boxed) {
    a.slots[slot] = std::move(v);
    return;
  }
  make_box(slot, a);
  writable(a.slots[slot].object).fields[0] = std::move(v);
}

void Compiler::make_box(SlotId slot, Activation& a) {
  if (a.slots[slot].kind == How::kObject) return;
  heap_.objects.emplace_back();
  HeapObject& box = heap_.objects.back();
  box.type = evaluator_.impl().box_type;
  box.fields.resize(1);
  box.variable = a.code->slots[slot].name;
  a.slots[slot] = Abstract::of_object(box.type, static_cast<uint32_t>(heap_.objects.size() - 1));
}

Abstract Compiler::exec_block(std::span<const FormId> forms, size_t from, Activation& a) {
  Abstract v = Abstract::nothing();
  for (size_t i = from; i < forms.size(); ++i) {
    const Form& form = a.code->forms[forms[i]];
    const std::function<Abstract(Activation&)> rest = [&, i](Activation& inner) {
      return exec_block(forms, i + 1, inner);
    };
    const bool branches = form.kind == FormKind::kIf || form.kind == FormKind::kAnd || form.kind == FormKind::kOr;
    if (branches && i + 1 < forms.size()) {
      // What follows goes into the branch that goes on, when the other leaves.
      bool took_rest = false;
      const std::function<Abstract(Activation&)> noted = [&](Activation& inner) {
        took_rest = true;
        return rest(inner);
      };
      v = exec_if(form, a, &noted);
      if (took_rest) return v;
    } else {
      v = exec(forms[i], a);
    }
    if (always_leaves(a)) return Abstract::nothing();
    if (!goes_on(a)) {
      // Whether it goes on is known when the program runs.
      if (i + 1 == forms.size()) return v;
      const IrValue on = b().compare(scalar(a.jump), int_constant(kFalls), "EQ");
      const Abstract last = v;
      return exec_branch(
          on,
          [&](Activation& inner) {
            set_jump(inner, kFalls);
            return rest(inner);
          },
          [&](Activation& inner) {
            inner.surely_leaves = true;
            return Abstract::nothing();
          },
          nullptr, a);
    }
  }
  return v;
}

Abstract Compiler::exec_if(const Form& form, Activation& a, const std::function<Abstract(Activation&)>* rest) {
  const Code& code = *a.code;
  const FormId* child = code.children.data() + form.first;
  const Abstract c = exec(child[0], a);
  if (!goes_on(a)) return Abstract::nothing();
  a.node = form.node;
  const auto then = [&](Activation& x) -> Abstract {
    if (form.kind == FormKind::kOr) return c.is_constant() ? c : Abstract::of_constant(boolean(true));
    return exec(child[1], x);
  };
  const auto otherwise = [&](Activation& x) -> Abstract {
    if (form.kind == FormKind::kAnd) return Abstract::of_constant(boolean(false));
    if (form.kind == FormKind::kOr) return exec(child[1], x);
    return form.count > 2 ? exec(child[2], x) : Abstract::nothing();
  };
  if (const Value* known_condition = known(c)) {
    if (!known_condition->is(core().bool_)) condition(c);
    return known_condition->get<bool>() ? then(a) : otherwise(a);
  }
  return exec_branch(condition(c), then, otherwise, rest, a);
}

Abstract Compiler::exec_branch(IrValue cond, const std::function<Abstract(Activation&)>& then,
                               const std::function<Abstract(Activation&)>& otherwise,
                               const std::function<Abstract(Activation&)>* rest, Activation& a) {
  share_written();
  const State start = State::of(a, heap_);
  const auto base = static_cast<uint32_t>(heap_.objects.size());
  if (b().type(cond).rank() > 0) return exec_masked(cond, then, otherwise, rest, a);
  struct Way {
    std::optional<OpBuilder> builder;
    Abstract value;
    State state;
    bool leaves = false, goes_on = false;
  };
  const auto finish_way = [&](Way& w) {
    w.state = State::of(a, heap_);
    w.leaves = always_leaves(a);
    w.goes_on = goes_on(a);
  };
  const Narrowing narrowing = Narrowing::by(*this, cond, a);
  const auto run = [&](const std::function<Abstract(Activation&)>& body, bool holds) {
    start.restore(a, heap_);
    written_ = HeapObject::kAlone;
    narrowing.apply(a, holds);
    Way w;
    {
      Region region(*this, {});
      w.builder.emplace(region.builder);
      w.value = body(a);
      share_written();
    }
    finish_way(w);
    return w;
  };
  const auto go_only = [&](const std::function<Abstract(Activation&)>& body, bool holds, const std::string& failure) {
    start.restore(a, heap_);
    written_ = HeapObject::kAlone;
    check(holds ? cond : b().logical_not(cond), failure);
    narrowing.apply(a, holds);
    return body(a);
  };
  // A way that throws is a check, whatever it does before: the host does that again. The other one stays where it is.
  Way t = run(then, true);
  if (t.state.is_dead) return go_only(otherwise, false, t.state.failure);
  Way e = run(otherwise, false);
  if (e.state.is_dead) return go_only(then, true, e.state.failure);
  const auto resume = [&](Way& w) {
    w.state.restore(a, heap_);
    written_ = HeapObject::kAlone;
    OpBuilder* before = builder_;
    builder_ = &*w.builder;
    w.value = (*rest)(a);
    share_written();
    builder_ = before;
    finish_way(w);
  };
  if (rest != nullptr && t.leaves && e.goes_on) {
    resume(e);
    if (e.state.is_dead) return go_only(then, true, e.state.failure);
  } else if (rest != nullptr && e.leaves && t.goes_on) {
    resume(t);
    if (t.state.is_dead) return go_only(otherwise, false, t.state.failure);
  }
  narrowing.undo(t.state.slots, start.slots, true);
  narrowing.undo(e.state.slots, start.slots, false);

  Merge merge{*this, *t.builder, *e.builder, t.state, e.state, base, *a.code};
  merge.states();
  Abstract value;
  if (t.leaves || e.leaves) {
    if (!t.leaves || !e.leaves)
      value = merge.one_sided(t.leaves ? e.value : t.value, !t.leaves, "the value of a branch");
  } else {
    const size_t values = merge.types.size();
    try {
      const Attempt attempt(*this);
      // What has another type on each way further in has none here either.
      const bool is_defined = t.value.is_defined() && e.value.is_defined();
      if (is_defined) value = merge.unify(t.value, e.value, "the value of a branch");
    } catch (NotCompiled& e) {
      // Most often nobody looks at it; who does, is told that it has none.
      keep_conflict(std::move(e));
      merge.then_values.resize(values);
      merge.else_values.resize(values);
      merge.types.resize(values);
      value = Abstract();
    }
  }
  t.builder->yield(merge.then_values);
  e.builder->yield(merge.else_values);
  const RegionId regions[] = {t.builder->region(), e.builder->region()};
  const std::vector<IrValue> results = b().create("stablehlo.if", std::span(&cond, 1), {}, merge.types, regions);
  const Fill fill{results};
  fill(merge.out);
  fill(value);
  merge.out.surely_leaves = t.leaves && e.leaves && !merge.out.jump.is_constant();
  merge.out.is_dead = t.state.is_dead && e.state.is_dead;
  merge.out.failure = t.state.failure;
  merge.out.restore(a, heap_);
  derive_shared(start.objects);
  written_ = HeapObject::kAlone;
  return value;
}

/// Of an element's function that runs on whole tensors: both ways, and a choice for each element.
Abstract Compiler::exec_masked(IrValue cond, const std::function<Abstract(Activation&)>& then,
                               const std::function<Abstract(Activation&)>& otherwise,
                               const std::function<Abstract(Activation&)>* rest, Activation& a) {
  const State start = State::of(a, heap_);
  const auto base = static_cast<uint32_t>(heap_.objects.size());
  const IrValue before = mask_;
  // The mask holds within a way only, also when the way turns out not to compile and another form is tried in its place.
  struct WithMask {
    IrValue& place;
    IrValue before;
    WithMask(IrValue& p, IrValue mask) : place(p), before(p) { p = mask; }
    ~WithMask() { place = before; }
    WithMask(const WithMask&) = delete;
    WithMask& operator=(const WithMask&) = delete;
  };
  struct Way {
    Abstract value;
    State state;
    bool leaves = false, goes_on = false;
  };
  const auto run_masked = [&](Way& w, const std::function<Abstract(Activation&)>& body, IrValue mask) {
    const WithMask with(mask_, before ? op2(*this, "stablehlo.and", before, mask) : mask);
    w.value = body(a);
    share_written();
  };
  const auto run = [&](const std::function<Abstract(Activation&)>& body, IrValue mask) {
    start.restore(a, heap_);
    written_ = HeapObject::kAlone;
    heap_.objects.resize(std::max<size_t>(heap_.objects.size(), base));
    Way w;
    run_masked(w, body, mask);
    w.state = State::of(a, heap_);
    w.leaves = always_leaves(a);
    w.goes_on = goes_on(a);
    if (a.is_dead) check(op1(*this, "stablehlo.not", mask), a.failure);
    return w;
  };
  const IrValue inverse = op1(*this, "stablehlo.not", cond);
  Way t = run(then, cond);
  Way e = run(otherwise, inverse);
  const auto resume = [&](Way& w, IrValue mask) {
    w.state.restore(a, heap_);
    written_ = HeapObject::kAlone;
    run_masked(w, *rest, mask);
    w.state = State::of(a, heap_);
    w.leaves = always_leaves(a);
    w.goes_on = goes_on(a);
    if (a.is_dead) check(op1(*this, "stablehlo.not", mask), a.failure);
  };
  if (rest != nullptr && t.leaves && e.goes_on) resume(e, inverse);
  else if (rest != nullptr && e.leaves && t.goes_on) resume(t, cond);
  Merge merge{*this, b(), b(), t.state, e.state, base, *a.code, cond};
  merge.states();
  Abstract value;
  if (t.leaves != e.leaves) {
    value = t.leaves ? e.value : t.value;
  } else if (!t.leaves) {
    try {
      const Attempt attempt(*this);
      // What has another type on each way further in has none here either.
      const bool is_defined = t.value.is_defined() && e.value.is_defined();
      if (is_defined) value = merge.unify(t.value, e.value, "the value of a branch");
    } catch (NotCompiled& e) {
      keep_conflict(std::move(e));
      value = Abstract();
    }
  }
  merge.out.surely_leaves = t.leaves && e.leaves && !merge.out.jump.is_constant();
  merge.out.is_dead = t.state.is_dead && e.state.is_dead;
  merge.out.failure = t.state.failure;
  merge.out.restore(a, heap_);
  written_ = HeapObject::kAlone;
  return value;
}

// ---- loops -------------------------------------------------------------------------------------------------------------------

/// Where the slots of a code are used, by the order of a walk over its forms.
struct Compiler::SlotUses {
  struct Span {
    uint32_t first = UINT32_MAX, last = 0;
    bool is_within(const Span& other) const { return first <= last && first >= other.first && last <= other.last; }
  };
  std::vector<Span> forms, slots;
  explicit SlotUses(const Code& code) : forms(code.forms.size()), slots(code.slots.size()) {
    if (code.body != kNoForm) walk(code, code.body);
  }

 private:
  uint32_t next_ = 0;
  void use(SlotId slot) {
    if (slot >= slots.size()) return;
    slots[slot].first = std::min(slots[slot].first, next_);
    slots[slot].last = std::max(slots[slot].last, next_);
  }
  void walk(const Code& code, FormId id) {
    const Form& form = code.forms[id];
    forms[id].first = ++next_;
    switch (form.kind) {
      case FormKind::kLocal:
      case FormKind::kSetLocal:
      case FormKind::kNewLocal:
      case FormKind::kFor:
      case FormKind::kTry:
      case FormKind::kTypeVar: use(form.a); break;
      case FormKind::kUnpack:
        for (const SlotId s : code.unpacks[form.a].slots) use(s);
        break;
      case FormKind::kClosure:
        for (const SlotId s : code.closures[form.a].captures) use(s);
        break;
      default: break;
    }
    for (const FormId c : code.children_of(id)) walk(code, c);
    forms[id].last = ++next_;
  }
};

/// Slots that are used inside the loop only: no iteration hands them to the next, and nothing reads them afterwards.
std::vector<SlotId> Compiler::local_slots(const Form& loop, const Code& code) {
  std::shared_ptr<SlotUses>& uses = slot_uses_[&code];
  if (!uses) uses = std::make_shared<SlotUses>(code);
  const SlotUses::Span& span = uses->forms[static_cast<size_t>(&loop - code.forms.data())];
  std::vector<SlotId> out;
  for (SlotId s = 0; s < uses->slots.size(); ++s) {
    if (uses->slots[s].is_within(span)) out.push_back(s);
  }
  return out;
}

namespace {

/// Whether a variable or an object from before is another than it was.
bool has_changed(const Activation& a, const Heap& heap, const State& before) {
  for (size_t s = 0; s < before.slots.size(); ++s) {
    if (!is_same(a.slots[s], before.slots[s])) return true;
  }
  for (size_t i = 0; i < before.objects.size(); ++i) {
    if (changes(before.objects[i], heap.objects[i])) return true;
  }
  return false;
}

}  // namespace

/// A region of a condition hands on nothing but whether the loop goes on. A condition that changes something (`while (x = next(x)) > 0`) is
/// therefore a branch of the body, which leaves the loop where it does not hold.
Compiler::LoopParts Compiler::with_condition_inside(const LoopParts& parts) {
  LoopParts out = parts;
  out.condition = [this](Activation&) { return b().splat(weft::Type::scalar(ElementType::kI1), 1); };
  out.body = [this, parts](Activation& a) {
    const IrValue goes = parts.condition(a);
    if (!goes_on(a)) return;
    const auto body = [&](Activation& x) {
      parts.body(x);
      return Abstract::nothing();
    };
    const auto leave = [&](Activation& x) {
      set_jump(x, kBreaks);
      return Abstract::nothing();
    };
    exec_branch(goes, body, leave, nullptr, a);
  };
  return out;
}

void Compiler::exec_loop(const LoopParts& parts, Activation& a) {
  std::vector<SlotId> local = parts.local;
  // What has a value before the loop is not the loop's own.
  std::erase_if(local, [&](SlotId s) { return a.slots[s].is_defined(); });
  for (const SlotId s : local) a.slots[s] = Abstract();
  share_written();
  const State start = State::of(a, heap_);
  LoopHead head{*this, *a.code, start};
  RegionId condition_region, body_region;
  Narrowing narrowing;
  State end;
  struct ToldApart {
    std::vector<uint32_t>& now;
    std::vector<uint32_t> before;
    ~ToldApart() { now = before; }
  } const told_apart{told_apart_, told_apart_};
  bool changes = false;
  std::optional<std::string> throws_always;
  constexpr int kMostRounds = 200;
  for (int round = 0;; ++round) {
    if (round == kMostRounds) fail(Cause::kUnsupported, "what a loop carries does not settle");
    head.changed = false;
    const std::vector<weft::Type> types = head.types();
    told_apart_ = told_apart.before;
    for (const uint32_t id : head.told_apart()) told_apart_.push_back(id);
    const auto begin = [&](const Region& region) {
      State s = head.w;
      Fill{b().function().args(region.id)}(s);
      s.restore(a, heap_);
      derive_shared(start.objects);
      written_ = HeapObject::kAlone;
    };
    {
      Region region(*this, types);
      condition_region = region.id;
      begin(region);
      const Abstract jump = a.jump;
      set_jump(a, kFalls);
      const State before = State::of(a, heap_);
      IrValue c = parts.condition(a);
      changes = has_changed(a, heap_, before);
      a.jump = jump;
      narrowing = Narrowing::by(*this, c, a);
      if (b().type(c).rank() > 0) fail(Cause::kUnsupported, "a loop of its own for each element");
      if (!a.jump.is_constant()) {
        const IrValue on = b().compare(scalar(a.jump), int_constant(kFalls), "EQ");
        c = b().logical_and(on, c);
      }
      b().yield(std::span(&c, 1));
    }
    if (changes) {
      start.restore(a, heap_);
      written_ = HeapObject::kAlone;
      told_apart_ = told_apart.before;
      return exec_loop(with_condition_inside(parts), a);
    }
    {
      Region region(*this, types);
      body_region = region.id;
      begin(region);
      if (!a.jump.is_constant()) set_jump(a, kFalls);  // the condition saw to it
      const std::vector<Abstract> entered = a.slots;
      narrowing.apply(a, true);
      parts.body(a);
      a.surely_leaves = false;
      // continue goes on here; break 0 leaves this loop only, which its condition must know.
      for (const SlotId s : local) a.slots[s] = Abstract();
      if (a.is_dead) {
        throws_always = a.failure;
        break;
      }
      if (a.jump.is_constant()) {
        if (a.jump.constant.get<int64_t>() == kContinues) set_jump(a, kFalls);
      } else {
        const IrValue jump = scalar(a.jump);
        const IrValue is_continue = b().compare(jump, int_constant(kContinues), "EQ");
        a.jump = Abstract::of_scalar(core().int64, b().select(is_continue, int_constant(kFalls), jump));
      }
      share_written();
      end = State::of(a, heap_);
      narrowing.undo(end.slots, entered, true);
      head.meet_states(end);
      if (!head.changed && head.grown.empty()) {
        head.complete(b().function().args(region.id));
        b().yield(head.ends);
        break;
      }
    }
    if (!head.grown.empty()) {
      // Once more, with room for what the iterations append.
      constexpr int64_t kUnknownTrips = 1024, kMostRoom = int64_t{1} << 24;
      start.restore(a, heap_);
      written_ = HeapObject::kAlone;
      LoopParts again = parts;
      for (const LoopHead::Grown& g : head.grown) {
        if (g.object >= heap_.objects.size() || std::ranges::find(again.reserved, g.object) != again.reserved.end())
          fail(Cause::kShape, "an array changes its size in a loop",
               "make an array of its final size before the loop and assign its elements");
        const int64_t room = heap_.objects[g.object].dims[0] +
                             std::max<int64_t>(g.per_iteration, 1) * parts.trips.value_or(kUnknownTrips);
        if (room > kMostRoom) fail(Cause::kShape, "a vector grows without a known bound in a loop");
        bound_object(*this, g.object, room, true);
        again.reserved.push_back(g.object);
      }
      told_apart_ = told_apart.before;
      exec_loop(again, a);
      return;
    }
  }
  told_apart_ = told_apart.before;
  if (throws_always) {
    // No iteration ends: the program goes on only where there is none.
    start.restore(a, heap_);
    written_ = HeapObject::kAlone;
    check(b().logical_not(parts.condition(a)), *throws_always);
    return;
  }
  if (head.needs_entry) {
    start.restore(a, heap_);
    written_ = HeapObject::kAlone;
    check(parts.condition(a), "a loop is not entered");
  }
  std::vector<IrValue> operands;
  for (const LoopHead::Carried& x : head.carried)
    operands.push_back(x.init_ir ? x.init_ir : x.is_zero ? b().zeros(x.type) : scalar(x.init));
  const RegionId regions[] = {condition_region, body_region};
  const std::vector<weft::Type> types = head.types();
  const std::vector<IrValue> results = b().create("stablehlo.while", operands, {}, types, regions);
  State after = head.w;
  Fill{results}(after);
  after.restore(a, heap_);
  derive_shared(start.objects);
  head.leave(results);
  written_ = HeapObject::kAlone;
  for (const uint32_t id : parts.reserved) {
    HeapObject& o = heap_.objects[id];
    o.fields[1] = Abstract::of_constant(boolean(false));
    // As many more in each of a known number of iterations: the length is known again.
    const Abstract &before = start.objects[id].fields[0], &head_count = head.w.objects[id].fields[0],
                   &last = end.objects[id].fields[0];
    if (!before.is_constant() || !parts.trips || !a.jump.is_constant() || parts.may_leave_more) continue;
    if (head_count.kind != How::kScalar || !is_placeholder(head_count.ir) || !last.origin) continue;
    if (last.origin != b().function().args(body_region)[head_count.ir.index - kPlaceholders]) continue;
    const int64_t n = before.constant.get<int64_t>() + last.offset * *parts.trips;
    if (n < 0 || n > o.dims[0]) continue;
    const int64_t zero[] = {0}, size[] = {n}, one[] = {1};
    for (IrValue& v : o.leaves) v = n == o.dims[0] ? v : b().slice(v, zero, size, one);
    o.dims = {n};
    o.fields.clear();
    o.is_array = true;
  }
  leave_loop(a, parts.may_leave_more);
}

/// Leaving this loop by break is going on after it; outer loops count one less.
void Compiler::leave_loop(Activation& a, bool may_leave_more) {
  if (a.jump.is_constant()) {
    const auto jump = a.jump.constant.get<int64_t>();
    if (jump >= kBreaks) set_jump(a, jump == kBreaks ? kFalls : jump - 1);
    return;
  }
  if (!may_leave_more) return set_jump(a, kFalls);
  const IrValue jump = scalar(a.jump);
  const IrValue is_outer = b().compare(jump, int_constant(kBreaks), "GT");
  const IrValue is_this = b().compare(jump, int_constant(kBreaks), "EQ");
  IrValue next = b().select(is_outer, b().subtract(jump, int_constant(1)), jump);
  next = b().select(is_this, int_constant(kFalls), next);
  a.jump = Abstract::of_scalar(core().int64, next);
  a.surely_leaves = false;
}

namespace {

/// Whether a loop's body can return, or leave a loop further out.
bool leaves_more(FormId id, const Code& code, uint32_t depth) {
  const Form& form = code.forms[id];
  if (form.kind == FormKind::kReturn) return true;
  if (form.kind == FormKind::kBreak) return form.a > depth;
  const bool loops = form.kind == FormKind::kWhile || form.kind == FormKind::kFor;
  return std::ranges::any_of(code.children_of(id),
                             [&](FormId c) { return leaves_more(c, code, depth + (loops ? 1 : 0)); });
}

/// Whether a loop runs until something inside of it leaves more than the loop: `while true` without a break of its own.
bool never_falls(const Form& form, const Code& code) {
  const FormId* child = code.children.data() + form.first;
  const Form& condition = code.forms[child[0]];
  if (condition.kind != FormKind::kConstant || !code.constants[condition.a].is(core().bool_)) return false;
  const std::function<bool(FormId, uint32_t)> breaks = [&](FormId id, uint32_t depth) {
    const Form& f = code.forms[id];
    if (f.kind == FormKind::kBreak) return f.a == depth;
    const bool loops = f.kind == FormKind::kWhile || f.kind == FormKind::kFor;
    return std::ranges::any_of(code.children_of(id), [&](FormId c) { return breaks(c, depth + (loops ? 1 : 0)); });
  };
  return code.constants[condition.a].get<bool>() && !breaks(child[1], 0);
}

}  // namespace

Abstract Compiler::exec_while(const Form& form, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  LoopParts parts;
  parts.local = local_slots(form, *a.code);
  parts.may_leave_more = leaves_more(child[1], *a.code, 0);
  parts.condition = [&, child](Activation& x) { return condition(exec(child[0], x)); };
  parts.body = [&, child](Activation& x) { exec(child[1], x); };
  exec_loop(parts, a);
  if (never_falls(form, *a.code) && !a.jump.is_constant()) a.surely_leaves = true;
  return Abstract::nothing();
}

Abstract Compiler::exec_for(const Form& form, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  const Abstract iterable = exec(child[0], a);
  if (!goes_on(a)) return Abstract::nothing();
  a.node = form.node;
  expect_value(iterable);
  return exec_for_over(form, iterable, a);
}

/// Whether the next iteration follows: the body came to its end, or to `continue`.
static IrValue reaches_next(Compiler& c, const Activation& a) {
  const IrValue falls = c.b().compare(c.scalar(a.jump), c.int_constant(kFalls), "EQ");
  const IrValue continues = c.b().compare(c.scalar(a.jump), c.int_constant(kContinues), "EQ");
  return c.b().logical_or(falls, continues);
}

/// for x in iterable, where a method of the program's own says what comes next: while (next = iterate(iterable, state)) !== nothing.
Abstract Compiler::exec_for_states(const Form& form, const Abstract& iterable, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  LoopParts parts;
  parts.local = local_slots(form, *a.code);
  parts.may_leave_more = leaves_more(child[1], *a.code, 0);
  // The iterable, which a mutable one's methods may change, and what comes next are slots that only the compiler knows.
  const auto source = static_cast<SlotId>(a.slots.size()), next = source + 1;
  a.slots.push_back(iterable);
  a.slots.push_back(call_base("iterate", {iterable}));
  parts.condition = [&](Activation& x) {
    const Abstract& v = x.slots[next];
    if (is_maybe(v)) return scalar(v.fields[0]);
    return scalar(Abstract::of_constant(boolean(!is_nothing(v))));
  };
  parts.body = [&](Activation& x) {
    const Abstract pair = present(*this, x.slots[next]);
    if (is_nothing(pair)) return;  // there are no elements
    write_slot(form.a, field(pair, 0), x);
    exec(child[1], x);
    if (x.is_dead) return;
    const auto advance = [&](Activation& y) {
      y.slots[next] = call_base("iterate", {y.slots[source], field(pair, 1)});
      return Abstract::nothing();
    };
    if (x.jump.is_constant()) {
      const auto jump = x.jump.constant.get<int64_t>();
      if (jump == kFalls || jump == kContinues) advance(x);
      return;
    }
    exec_branch(reaches_next(*this, x), advance, [](Activation&) { return Abstract::nothing(); }, nullptr, x);
  };
  exec_loop(parts, a);
  a.slots.resize(source);
  return Abstract::nothing();
}

Abstract Compiler::exec_for_over(const Form& form, const Abstract& iterable, Activation& a) {
  if (iterates_itself(*this, iterable)) return exec_for_states(form, iterable, a);
  const FormId* child = a.code->children.data() + form.first;
  const auto set_variable = [&, slot = form.a](Activation& x, Abstract v) {
    x.slots[slot] = Abstract();
    if (x.explained != nullptr) diagnoses_->see_variable(*this, x, form, v);
    write_slot(slot, std::move(v), x);
  };
  Iterable source;
  if (iterable.is_unknown()) {
    source.count = [](Compiler& c) { return c.unknown_value(weft::Type::scalar(ElementType::kI64)); };
    source.at = [](Compiler& c, IrValue) { return c.unknown(); };
  } else {
    source = iterable_of(*this, present(*this, iterable));
  }
  if (source.is_unrolled) {
    // Elements of several types: one copy of the body for each, those that follow where the iteration goes on.
    const std::function<void(size_t, Activation&)> turn = [&](size_t k, Activation& x) {
      if (k == source.elements.size()) return;
      set_variable(x, source.elements[k]);
      exec(child[1], x);
      if (x.is_dead) return;
      if (x.jump.is_constant()) {
        const auto jump = x.jump.constant.get<int64_t>();
        if (jump != kFalls && jump != kContinues) return;
        set_jump(x, kFalls);
        return turn(k + 1, x);
      }
      exec_branch(
          reaches_next(*this, x),
          [&](Activation& y) {
            set_jump(y, kFalls);
            turn(k + 1, y);
            return Abstract::nothing();
          },
          [&](Activation& y) {
            y.surely_leaves = true;
            return Abstract::nothing();
          },
          nullptr, x);
    };
    turn(0, a);
    if (!a.is_dead) leave_loop(a, true);
    return Abstract::nothing();
  }
  LoopParts parts;
  parts.local = local_slots(form, *a.code);
  parts.may_leave_more = leaves_more(child[1], *a.code, 0);
  parts.trips = known_number(b().function(), source.count(*this));
  if (parts.trips && *parts.trips == 0) return Abstract::nothing();
  // The counter is a slot that only the compiler knows.
  const auto counter = static_cast<SlotId>(a.slots.size());
  a.slots.push_back(Abstract::of_constant(number(int64_t{0})));
  parts.condition = [&](Activation& x) { return b().compare(scalar(x.slots[counter]), source.count(*this), "LT"); };
  parts.body = [&](Activation& x) {
    const IrValue k = scalar(x.slots[counter]);
    const auto go = [&](Activation& y) {
      set_variable(y, source.at(*this, k));
      return exec(child[1], y);
    };
    if (source.accepts) {
      const IrValue wanted = source.accepts(*this, k);
      exec_branch(wanted, go, [](Activation&) { return Abstract::nothing(); }, nullptr, x);
    } else {
      go(x);
    }
    const IrValue one = int_constant(1);
    x.slots[counter] = Abstract::of_scalar(core().int64, b().add(k, one));
  };
  exec_loop(parts, a);
  a.slots.pop_back();
  return Abstract::nothing();
}

}  // namespace weft::julia
