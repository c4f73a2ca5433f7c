// The static compiler: runs lowered code on abstract values and writes IR on the way.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "ir/function.h"
#include "julia/infer/abstract.h"
#include "julia/run/evaluator.h"
#include "ops/builder.h"

namespace weft::julia {

struct Target;
struct Packed;
struct Diagnoses;

/// Where execution goes after a form: Activation::jump holds one as a constant, or a rank-0 i64 in IR.
enum JumpKind : int64_t { kFalls = 0, kContinues = 1, kReturns = 2, kBreaks = 3 /* + loops around to leave */ };

/// One activation of a method while it is compiled.
struct Activation {
  const Code* code = nullptr;
  Module* module = nullptr;
  std::vector<Abstract> slots;
  std::vector<NodeId> assigned;  // where each slot got its value; shorter: none did
  Abstract jump;
  Abstract result;
  bool surely_leaves = false;  // `jump` is known only when the program runs, but it is not kFalls
  bool is_dead = false;        // execution does not get here: something was thrown
  std::string failure;         // what was thrown, when dead
  NodeId node = kNoNode;
  struct Explained* explained = nullptr;  // where the types of its expressions are noted
  struct TopLevel* top_level = nullptr;   // of a program's top level, which is followed and not compiled
};

/// Thrown where code that is being written in place turns out to call itself: it is written again, as a function.
struct Recursion {
  const void* code;
  std::vector<const Type*> types;
};

/// Thrown where code reads a global that may change: it is compiled again with the global as an argument.
struct NeedsGlobal {
  Binding* binding;
};

/// The activation around what is compiled, which has no code of its own: calls that throw say so in it.
Activation outermost_activation();

class Compiler {
 public:
  Compiler(Evaluator& evaluator, weft::Module& module) : evaluator_(evaluator), module_(module) {}

  Evaluator& evaluator() { return evaluator_; }
  OpBuilder& b() { return *builder_; }
  Heap& heap() { return heap_; }

  /// The code of `callee(arguments…)`, written where the builder stands.
  Abstract call(const Abstract& callee, std::vector<Abstract> arguments,
                const std::vector<std::pair<Symbol, Abstract>>& keywords = {});
  Abstract call_base(std::string_view name, std::vector<Abstract> arguments);

  // ---- values (values.cc)
  IrValue scalar(const Abstract& a);  // of a machine number, constant or not
  IrValue int_constant(int64_t value);
  Abstract field(const Abstract& a, size_t index);
  Abstract constant_or_fields(const DataType* type, std::vector<Abstract> fields);
  Abstract tuple(std::vector<Abstract> elements);
  Abstract named_tuple(std::span<const Symbol> names, std::vector<Abstract> elements);
  Abstract expanded(const Abstract& a);  // a constant struct as its fields; a constant array as an object
  Abstract new_array(const DataType* type, Extents dims, std::vector<IrValue> leaves);
  uint32_t new_open_extent() { return ++last_open_extent_; }
  /// Whether sizes may be known only when the program runs.
  bool has_open_extents() const { return has_open_extents_; }
  /// `last`: the numbers up to it are those of arguments, some of which are extents of arrays.
  void set_open_extents(uint32_t last, std::function<bool(uint32_t number)> is_of_array) {
    has_open_extents_ = true;
    last_open_extent_ = last;
    is_extent_of_argument_ = std::move(is_of_array);
  }
  /// Called where an array gets this open extent.
  void use_open_extent(uint32_t number) {
    has_sizes_from_integers_ = has_sizes_from_integers_ || !is_extent_of_argument_(number);
  }
  bool has_sizes_from_integers() const { return has_sizes_from_integers_; }
  Abstract convert(const Type* to, const Abstract& a);
  Abstract construct(const DataType* type, std::vector<Abstract> fields);
  void set_field(const Abstract& object, Symbol name, const Abstract& value);
  const HeapObject& object(const Abstract& a) {
    if (written_ != HeapObject::kAlone && written_ != a.object) share_written();
    return heap_.objects.at(a.object);
  }
  /// To be changed.
  HeapObject& writable(uint32_t object);
  /// The objects that are there now are the caller's, who sees what becomes of them.
  bool is_of_caller(uint32_t object) const { return object < kept_objects_; }
  void keep_objects() { kept_objects_ = static_cast<uint32_t>(heap_.objects.size()); }
  /// Of each of these objects, whether a variable of the calls around leads to it, or one of the call that runs, which are `own`, or the caller
  /// has it.
  std::vector<bool> reachable(const std::vector<HeapObject>& objects, std::span<const Abstract> own);
  /// … that these variables lead to.
  static std::vector<bool> reachable_by(const std::vector<HeapObject>& objects, std::span<const Abstract> variables);
  /// Notes that two objects may be one.
  void note_choice(HeapObject& o, uint32_t other);
  /// Which of the caller's objects one of these is (HeapObject::identity).
  Abstract identity_of(const std::vector<HeapObject>& objects, uint32_t id) const;
  HeapObject& writable(const Abstract& a) { return writable(a.object); }
  /// From here on both have the same elements, whichever is changed.
  void share_elements(const Abstract& a, const Abstract& b);
  /// What was written to an array that shares its elements reaches the others. Before anything leaves a region.
  void share_written();
  /// Arrays that share the elements of others, after those have changed: `before` is the heap as it was.
  void derive_shared(const std::vector<HeapObject>& before);
  /// `body` on every element. Its arguments are elements: tensors of the shape `extents` (as IR has them) in the place of numbers where the
  /// code allows it, else one element after another, which `at` gives by its 0-based position. `key` stands for the code. The result's leaves are of
  /// that shape; its type is that of one element.
  using ElementBody = std::function<Abstract(std::vector<Abstract>)>;
  Abstract map_elements(const void* key, const ElementBody& body,
                        const std::vector<std::function<Abstract(IrValue position)>>& at,
                        const std::vector<Abstract>& whole, const std::vector<int64_t>& extents,
                        std::vector<IrValue>& leaves);
  /// A loop of `count` (rank-0 i64) iterations from `from` on; `body` gets the position and what the one before gave.
  Abstract fold(IrValue from, IrValue count, const Abstract& first,
                const std::function<Abstract(IrValue position, const Abstract&)>& body);
  /// As fold, but it ends where `goes_on` of the value no longer holds.
  Abstract fold_while(IrValue from, IrValue count, const Abstract& first,
                      const std::function<Abstract(IrValue position, const Abstract&)>& body,
                      const std::function<IrValue(const Abstract&)>& goes_on);
  /// `callee(arguments…)` as a function of the module, written apart from where the builder stands. It changes nothing outside.
  struct Outlined;
  std::shared_ptr<Outlined> outline(const Abstract& callee, const std::vector<Abstract>& arguments,
                                    const std::string& name);
  weft::Module& module() { return module_; }
  /// Whether what is written now is differentiated afterwards: functions that have rules of their own are then functions of the module.
  bool is_differentiated() const { return is_differentiated_; }
  void set_differentiated(bool is) { is_differentiated_ = is; }
  /// Functions with such rules, made so far.
  struct Ruled;
  std::vector<std::shared_ptr<Ruled>>& ruled() { return ruled_; }
  /// Puts an element into a vector at a 0-based rank-0 position within it.
  void put_element(const Abstract& vector, IrValue position, const Abstract& v);
  /// A choice known when the program runs.
  Abstract choose(IrValue condition, const std::function<Abstract()>& then, const std::function<Abstract()>& otherwise);
  /// The value behind a constant or none.
  static const Value* known(const Abstract& a) { return a.is_constant() ? &a.constant : nullptr; }
  int64_t known_int(const Abstract& a, const char* what);
  /// Leaves of a plain-bits type in the order of its fields: machine numbers, Complex as one.
  void leaves_of_type(const Type* t, std::vector<const DataType*>& out);
  void append_leaves(const Abstract& a, std::vector<IrValue>& out);
  Abstract from_leaves(const Type* t, std::span<const IrValue> leaves, size_t& next);

  /// A condition that must hold; otherwise the program fails as the host then says in full.
  void check(IrValue holds, const std::string& message);
  /// What a binding of the program holds: an argument of what is compiled.
  Abstract global_argument(Binding* binding, const std::string& what);
  [[noreturn]] void fail(Cause cause, std::string message, std::string fix = {});
  void throws(std::string message);  // the rest of this path is dead
  /// A variable (or what else `what` names) has values of two types, given it at two places of the activation's code.
  struct Assigned {
    const Type* type;
    NodeId node;
    std::string when;  // "before a loop"
  };
  /// `what` would have the value of the last branch, which has none: with the types of both ways. `at_branch`: the branch is the place.
  [[noreturn]] void fail_branch(const std::string& what, bool at_branch = false);
  [[noreturn]] void fail_widening(const std::string& what, const Assigned& first, const Assigned& second,
                                  std::string fix, Cause cause = Cause::kWidening);

  // ---- diagnosis (recover.cc): causes are noted, and compilation goes on with what is unknown
  void set_diagnoses(Diagnoses* d) { diagnoses_ = d; }
  Diagnoses* diagnoses() { return diagnoses_; }
  bool recovers() const;  // here: in code of the program, and not in an attempt
  void note(NotCompiled e);
  Abstract unknown() const;
  /// Of a type that is certain: a number of the program's run.
  Abstract unknown_of(const Type* type);
  IrValue unknown_value(weft::Type type);
  /// The library's function that the program called, when `inner` is called by it.
  Symbol library_function(Symbol inner) const;
  std::vector<Place> chain() const;  // the calls that run, the innermost first
  /// While it lives, what fails is only an attempt.
  struct Attempt {
    Compiler& c;
    explicit Attempt(Compiler& compiler) : c(compiler) { ++c.attempts_; }
    ~Attempt() { --c.attempts_; }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
  };
  /// A host value as one of which only type, sizes and what is no number are known.
  Abstract abstract_of(const Value& v, bool keeps_integers);

  // ---- builder
  struct Region {  // writes go into a new region while it lives
    Compiler& c;
    OpBuilder builder;
    OpBuilder* before;
    RegionId id;
    Region(Compiler& compiler, std::span<const weft::Type> args);
    ~Region() { c.builder_ = before; }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
  };

  /// Methods of which an earlier attempt said that they call themselves.
  void set_recursive(std::set<std::pair<const void*, std::vector<const Type*>>> known) {
    known_recursive_ = std::move(known);
  }
  /// Globals that are arguments, and their values.
  void set_globals(std::unordered_map<Binding*, Abstract> globals) { globals_ = std::move(globals); }
  void set_checks(bool checks) { has_checks_ = checks; }
  /// Where prints are kept for the host that runs the program; null: it runs without one.
  void set_prints(std::vector<Packed>* prints) { prints_ = prints; }
  std::vector<Packed>* prints() { return prints_; }
  /// Whether a function of elements is written for whole tensors of them.
  bool is_on_whole() const { return is_on_whole_; }
  void set_builder(OpBuilder* b) { builder_ = b; }
  void set_activation(Activation* a) { activation_ = a; }
  Activation* activation() { return activation_; }

 private:
  friend struct Merge;
  friend struct LoopHead;
  friend struct Iterable;
  friend struct TopLevel;
  Abstract exec(FormId id, Activation& a) { return diagnoses_ == nullptr ? exec_form(id, a) : exec_on(id, a); }
  Abstract exec_form(FormId id, Activation& a);
  Abstract exec_on(FormId id, Activation& a);
  Abstract go_on(FormId id, Activation& a);
  Abstract call_of_unknown(const Abstract& callee, const std::vector<Abstract>& arguments);
  Abstract call_or_example(const Abstract& callee, const std::vector<Abstract>& arguments,
                           const std::vector<std::pair<Symbol, Abstract>>& keywords);
  void follow_thunks(const Abstract& callee, const std::vector<Abstract>& arguments);
  Abstract example(const Abstract& callee, const std::vector<Abstract>& arguments,
                   const std::vector<std::pair<Symbol, Abstract>>& keywords);
  Abstract exec_block(std::span<const FormId> forms, size_t from, Activation& a);
  Abstract exec_call(const Form& form, Activation& a);
  Abstract exec_any_call(const Form& form, Activation& a);
  bool throws_for_sure(const Abstract& callee);
  void expect_value(const Abstract& v);  // fails for what has another type on each way
  Abstract exec_branch(IrValue condition, const std::function<Abstract(Activation&)>& then,
                       const std::function<Abstract(Activation&)>& otherwise,
                       const std::function<Abstract(Activation&)>* rest, Activation& a);
  Abstract exec_masked(IrValue condition, const std::function<Abstract(Activation&)>& then,
                       const std::function<Abstract(Activation&)>& otherwise,
                       const std::function<Abstract(Activation&)>* rest, Activation& a);
  Abstract exec_for(const Form& form, Activation& a);
  Abstract exec_for_over(const Form& form, const Abstract& iterable, Activation& a);
  Abstract exec_for_states(const Form& form, const Abstract& iterable, Activation& a);
  Abstract exec_while(const Form& form, Activation& a);
  struct LoopParts {
    std::function<IrValue(Activation&)> condition;
    std::function<void(Activation&)> body;
    std::vector<SlotId> local;            // slots that an iteration does not hand to the next
    bool may_leave_more = false;          // a return, or a break of a loop around
    std::optional<int64_t> trips = {};    // how often the body runs unless it leaves
    std::vector<uint32_t> reserved = {};  // vectors that have room for what the body appends
  };
  void exec_loop(const LoopParts& parts, Activation& a);
  LoopParts with_condition_inside(const LoopParts& parts);
  void leave_loop(Activation& a, bool may_leave_more);
  Abstract exec_new(const Form& form, Activation& a);
  void unpack(const UnpackForm& to, const Abstract& v, Activation& a);
  Abstract exec_closure(const Form& form, Activation& a);
  Abstract exec_if(const Form& form, Activation& a, const std::function<Abstract(Activation&)>* rest);
  struct SlotUses;
  std::vector<SlotId> local_slots(const Form& loop, const Code& code);
  std::unordered_map<const Code*, std::shared_ptr<SlotUses>> slot_uses_;
  static bool goes_on(const Activation& a) {
    return !a.is_dead && a.jump.is_constant() && a.jump.constant.get<int64_t>() == kFalls;
  }
  static bool always_leaves(const Activation& a) {
    return a.is_dead || a.surely_leaves || (a.jump.is_constant() && a.jump.constant.get<int64_t>() != kFalls);
  }
  void set_jump(Activation& a, int64_t kind);
  Abstract read_slot(SlotId slot, Activation& a);
  void write_slot(SlotId slot, Abstract v, Activation& a);
  void make_box(SlotId slot, Activation& a);  // when the slot has none yet
  Abstract get_property(const Abstract& object, Symbol name);
  void set_property(const Abstract& object, Symbol name, const Abstract& value);
  Abstract global(const GlobalName& name, Activation& a);
  IrValue condition(const Abstract& v);

  Abstract run_target(const Target& target, std::vector<Abstract> all,
                      const std::vector<std::pair<Symbol, Abstract>>& keywords);
  Abstract inline_code(const Target& target, const Code& code, Module& module, std::vector<Abstract> all,
                       const std::vector<std::pair<Symbol, Abstract>>& keywords, bool* dead = nullptr);
  Abstract finish(Activation& a, Abstract value);
  void bind_keywords(Activation& a, const std::vector<std::pair<Symbol, Abstract>>& given);
  Abstract call_recursive(const Target& target, const Code& code, Module& module, const std::vector<Abstract>& all);

  Evaluator& evaluator_;
  weft::Module& module_;
  uint32_t written_ = HeapObject::kAlone;  // the last array with shared elements that was to be changed
  std::vector<IrValue> shared_leaves_;     // … and what the others have of it
  OpBuilder* builder_ = nullptr;
  Heap heap_;
  bool has_checks_ = true;
  std::vector<Packed>* prints_ = nullptr;
  bool is_differentiated_ = false;
  std::vector<std::shared_ptr<Ruled>> ruled_;
  uint32_t last_open_extent_ = 0;
  bool has_open_extents_ = false, has_sizes_from_integers_ = false;
  std::function<bool(uint32_t)> is_extent_of_argument_;
  std::unordered_map<Binding*, Abstract> globals_;
  bool is_in_function_ = false;  // of its own, which calls itself: no value of the entry is at hand
  /// While an element's function runs on whole tensors: for which elements the code is reached, and the objects that are older.
  IrValue mask_;
  uint32_t objects_of_all_elements_ = 0;
  bool is_on_whole_ = false;
  std::set<const void*> needs_loop_;
  Activation* activation_ = nullptr;
  /// Why the value of the last branch has no type of its own.
  std::optional<NotCompiled> branch_conflict_;
  void keep_conflict(NotCompiled e);
  Diagnoses* diagnoses_ = nullptr;
  int attempts_ = 0;
  struct Running {
    const void* code;
    std::vector<const Type*> types;
    const Activation* activation;
  };
  std::vector<Running> running_;
  size_t first_running_ = 0;  // of the function that is written: those before are outside of it
  uint32_t kept_objects_ = 0;
  bool has_choices_ = false;          // some object may be another
  std::vector<uint32_t> told_apart_;  // objects of which it is known, while the program runs, which of several they are
  void expect_no_other_name(uint32_t object);
  struct Recursive;
  struct Outside;
  struct RecursionKey {
    const void* code;
    std::vector<const Type*> types;
    std::vector<int64_t> extents;
    bool is_differentiated;  // rules for derivatives are looked for only there
    auto operator<=>(const RecursionKey&) const = default;
  };
  std::map<RecursionKey, std::shared_ptr<Recursive>> recursive_;
  std::set<std::pair<const void*, std::vector<const Type*>>> known_recursive_;
  void write_recursive(Recursive& r, const Target& target, const Code& code, Module& module);
};

/// What writes the IR of an intrinsic; null: it has no compiled form.
Abstract (*find_emission(std::string_view intrinsic))(Compiler&, std::span<const Abstract>);
/// Intrinsics without effects, which give the same for the same arguments: those of constants are computed at once.
bool is_pure_intrinsic(std::string_view intrinsic);
/// Whether one with these constants runs neither functions of the program, which may do and read anything, nor random numbers and the like.
bool runs_only_library(std::string_view intrinsic, std::span<const Abstract> constants);

}  // namespace weft::julia
