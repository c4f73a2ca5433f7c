// The state of one activation and the heap at a place of the program, and how states of several ways meet.
#pragma once
#include <unordered_map>

#include "julia/infer/compiler.h"

namespace weft::julia {

/// What a form may change: the slots of its activation, where it goes on, and the heap.
struct State {
  std::vector<Abstract> slots;
  std::vector<NodeId> assigned;
  Abstract jump, result;
  bool surely_leaves = false, is_dead = false;
  std::string failure;
  std::vector<HeapObject> objects;

  static State of(const Activation& a, const Heap& heap) {
    return {a.slots, a.assigned, a.jump, a.result, a.surely_leaves, a.is_dead, a.failure, heap.objects};
  }
  NodeId assigned_at(size_t slot) const { return slot < assigned.size() ? assigned[slot] : kNoNode; }
  void restore(Activation& a, Heap& heap) const {
    a.slots = slots;
    a.assigned = assigned;
    a.jump = jump;
    a.result = result;
    a.surely_leaves = surely_leaves;
    a.is_dead = is_dead;
    a.failure = failure;
    heap.objects = objects;
  }
};

/// Values of op results that do not exist yet are numbered from here.
constexpr uint32_t kPlaceholders = 0x80000000u;
inline bool is_placeholder(IrValue v) { return v.index >= kPlaceholders && v.index != UINT32_MAX; }
inline IrValue placeholder(size_t k) { return IrValue{kPlaceholders + static_cast<uint32_t>(k)}; }

/// Puts values in the places of placeholders.
struct Fill {
  std::span<const IrValue> values;
  void operator()(IrValue& v) const {
    if (is_placeholder(v)) v = values[v.index - kPlaceholders];
  }
  void operator()(Abstract& a) const {
    if (a.kind == Abstract::Kind::kScalar) (*this)(a.ir);
    for (Abstract& f : a.fields) (*this)(f);
  }
  void operator()(State& s) const {
    for (Abstract& a : s.slots) (*this)(a);
    (*this)(s.jump);
    (*this)(s.result);
    for (HeapObject& o : s.objects) {
      for (IrValue& v : o.leaves) (*this)(v);
      for (Abstract& a : o.fields) (*this)(a);
      (*this)(o.identity);
    }
  }
};

/// The number that a value is known to be.
std::optional<int64_t> known_number(const Function& f, IrValue v);
/// How messages name a slot.
std::string slot_text(const Code& code, SlotId slot);
/// The slot that refers to the box of a captured variable; one past the last when none does.
size_t slot_of_box(const State& s, uint32_t object);
/// Whether two are known to be the same without looking at run-time values.
bool is_same(const Abstract& a, const Abstract& b);
/// Whether an object is another than it was.
bool changes(const HeapObject& before, const HeapObject& now);

/// Two branches of an `if` become one state. `then` and `otherwise` are the states at their ends, before which there were `base` objects; values
/// that differ are handed out of the regions as results.
struct Merge {
  Compiler& c;
  OpBuilder& then_builder;
  OpBuilder& else_builder;
  const State& then;
  const State& otherwise;
  uint32_t base;
  const Code& code;
  IrValue chosen_by = {};  // set: no regions; both ways are there already, and each element is chosen by this
  State out = {};
  std::vector<IrValue> then_values = {}, else_values = {};
  std::vector<weft::Type> types = {};
  std::unordered_map<uint64_t, uint32_t> new_objects = {};
  size_t slot = SIZE_MAX;  // that is being merged

  void states();
  Abstract unify(const Abstract& a, const Abstract& b, const std::string& what);
  Abstract one_sided(const Abstract& x, bool is_then, const std::string& what);

 private:
  Abstract numbers(const Abstract& a, const Abstract& b);
  Abstract maybe(const Abstract& a, const Abstract& b, const std::string& what);
  IrValue tensors(IrValue a, IrValue b, bool has_a, bool has_b);
  Abstract objects(const Abstract& a, const Abstract& b, const std::string& what);
  HeapObject vectors(const HeapObject& a, const HeapObject& b, const std::string& what);
  HeapObject contents(const HeapObject* a, const HeapObject* b, const std::string& what);
  void choices(HeapObject& merged, const State& way, uint32_t id);
  IrValue in(bool is_then, const Abstract& a);
  IrValue zeros_in(bool is_then, weft::Type type);
  void go_on_without(NotCompiled e, size_t values);
};

/// The state at the head of a loop: what iterations change is carried.
struct LoopHead {
  Compiler& c;
  const Code& code;
  State w;  // with placeholders for what is carried
  struct Carried {
    Abstract init;    // a number, or …
    IrValue init_ir;  // … a tensor
    bool is_zero = false;
    weft::Type type;
  };
  std::vector<Carried> carried = {};
  std::vector<bool> is_rebound = {};  // objects that stand for what a variable refers to in turn
  /// What a variable referred to before the loop, of which others see what becomes of it: `place` is which of the rebound objects it is now.
  struct Told {
    uint32_t object, first;  // … and the rebound object that it is at first
    size_t place;            // among `carried`
    bool is_lost = false;    // it may be none of them
  };
  std::vector<Told> told = {};
  std::unordered_map<uint32_t, uint32_t> first_objects = {};  // of those rebound: what they are before the loop
  bool changed = false;
  bool needs_entry = false;  // right only when the loop runs at least once
  struct Grown {
    uint32_t object;
    int64_t per_iteration;
  };
  std::vector<Grown> grown = {};  // vectors that an iteration makes longer: the loop needs room for them before it
  // Of one iteration:
  const State* end = nullptr;
  std::vector<IrValue> ends = {};
  size_t slot = SIZE_MAX;  // that is being met
  struct Met {
    uint32_t rebound, end;
    bool is_result;
  };
  std::vector<Met> met = {};
  bool is_result = false;  // what is being met is the value to return, in which case no variable is read any more

  void meet_states(const State& e);
  /// After the loop: the objects that were told apart get what they then have.
  void leave(std::span<const IrValue> results);
  std::vector<uint32_t> told_apart() const;
  /// Ends that a diagnosis left without a value.
  void complete(std::span<const IrValue> args);
  std::vector<weft::Type> types() const;

 private:
  void meet_or_unknown(Abstract& w, const Abstract& e, const std::string& what);
  void meet_object_or_unknown(uint32_t object, const HeapObject& e);
  void meet(Abstract& w, const Abstract& e, const std::string& what);
  bool meet_maybe(Abstract& w, const Abstract& e, const std::string& what);
  void meet_object(uint32_t object, const HeapObject& e, const std::string& what);
  void meet_tensor(IrValue& w, IrValue e);
  uint32_t rebind(const HeapObject& like, uint32_t first);
  void carry_object(Abstract& w, const Abstract& like);
  void choices(size_t base);
  void tell_apart(size_t base);
  void carry(Abstract& w, const Abstract* init, const Abstract& like);
  void set_end(IrValue w, IrValue e);
};

}  // namespace weft::julia
