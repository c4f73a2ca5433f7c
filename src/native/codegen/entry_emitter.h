// What writes the entry and the functions that it calls (entry.h): one object per function. Defined in entry.cc (frame, places,
// steps, results), entry_control_flow.cc, entry_calls.cc, entry_sort.cc, entry_fft.cc, entry_stacks.cc and, for open
// extents, native/open/open_entry.cc.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <unordered_map>

#include "native/codegen/entry.h"
#include "native/codegen/scalar_emit.h"
#include "native/codegen/shared_functions.h"
#include "transform/integer_facts.h"

namespace weft::native {

struct OpenKernelCode;

class EntryEmitter {
 public:
  /// `fn` has no body yet.
  EntryEmitter(llvm::Module& module, const EntryInput& input, const EntryLayout& layout, llvm::Function* fn)
      : m_(module),
        c_(module.getContext()),
        in_(input),
        f_(input.function),
        layout_(layout),
        b_(c_),
        alloca_(c_),
        ptr_(llvm::PointerType::get(c_, 0)),
        i64_(llvm::Type::getInt64Ty(c_)),
        i32_(llvm::Type::getInt32Ty(c_)),
        fn_(fn),
        facts_(input.function) {}

  /// As the entry: arguments and results in tables. `frames`: a sixth argument, memory for the frames of recursive functions.
  void run_entry(bool has_frames);
  /// As a function that is called: see entry_calls.cc.
  void run_function(FunctionCode& code);

 private:
  void begin();
  void end();

  // ---- places ----

  llvm::AllocaInst* local(llvm::Type* type, const llvm::Twine& name) {
    return alloca_.CreateAlloca(type, nullptr, name);
  }
  /// A number of the program; with open extents it may hold names of numbers known in the call.
  llvm::Value* number(int64_t n);
  llvm::Value* number(size_t n) { return number(static_cast<int64_t>(n)); }
  /// Memory behind the planned buffers for the step at hand.
  llvm::Value* scratch();
  llvm::Value* offset(llvm::Value* p, llvm::Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), p, bytes); }
  llvm::Value* offset(llvm::Value* p, size_t bytes) { return bytes == 0 ? p : offset(p, b_.getInt64(bytes)); }

  // ---- interrupts (entry_interrupts.cc) ----

  void begin_interrupts();
  /// Leaves the entry when the call is to end: between kernels that take long, and at each turn of a loop.
  void poll_interrupts();
  void end_interrupts();

  void place_buffers();
  /// Scalars that the entry is given live in registers from its beginning on.
  void read_scalar_arguments();
  llvm::Value* argument_place(size_t i) {
    return args_ == nullptr ? argument_places_[i] : b_.CreateLoad(ptr_, b_.CreateConstGEP1_64(ptr_, args_, i));
  }
  llvm::Value* result_place(size_t j) {
    return results_ == nullptr ? result_places_[j] : b_.CreateLoad(ptr_, b_.CreateConstGEP1_64(ptr_, results_, j));
  }
  /// Where a buffer lies before anything moves.
  llvm::Value* first_address(int buffer);

  llvm::Value* constant_data(OpId op);

  llvm::Value* address_of(int buffer);

  /// Registers: rank-0 tensors and stack handles. A complex number is a vector of its two parts.
  llvm::Type* register_type(Type t) {
    if (!t.is_tensor()) return ptr_;
    return codegen::with_lanes(codegen::register_type(c_, t.element_type()), is_complex(t.element_type()) ? 2 : 1);
  }
  /// Memory for one element of any type.
  llvm::AllocaInst* element_place(const llvm::Twine& name) {
    llvm::AllocaInst* place = local(llvm::ArrayType::get(i64_, 2), name);
    place->setAlignment(llvm::Align(8));
    return place;
  }
  llvm::AllocaInst* variable(Value v);
  void bind(Value v, llvm::AllocaInst* slot) { variables_[v] = slot; }

  llvm::Value* load(Type t, llvm::Value* address);
  void store(Type t, llvm::Value* value, llvm::Value* address);

  bool in_memory(Value v) const { return in_.memory.find(v) >= 0; }

  /// A rank-0 value or a handle.
  llvm::Value* scalar(Value v);
  void set_scalar(Value v, llvm::Value* value);
  /// Any value's place in memory; a register is spilled.
  llvm::Value* address(Value v);

  void copy(llvm::Value* to, llvm::Value* from, size_t bytes);

  llvm::FunctionCallee runtime(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> args);

  /// Leaves the entry when the status says so.
  void leave_if(llvm::Value* failed);

  int64_t site(OpId op);

  // ---- steps ----

  void emit_block(const Block& block);

  void emit(const Step& step);
  void emit_untimed(const Step& step);

  void emit_scalar(const Step& step);

  // ---- single elements (entry_elements.cc) ----

  void emit_element(const Step& step);
  /// Where the element lies that a slice, dynamic_slice or dynamic_update_slice names.
  llvm::Value* element_address(const OpView& op, llvm::Value* base);
  /// A start index as the specification takes it: in an extent.
  llvm::Value* element_index(Value v, int64_t extent);

  llvm::Value* pointer_table(std::span<llvm::Value* const> pointers);

  void emit_kernel(const Step& step);

  void run_units(llvm::Function* kernel, int64_t units, double ns_per_unit, llvm::Value* table);

  /// void part(ctx, part, parts): the kernel on its share of the units.
  llvm::Function* part_function(llvm::Function* kernel, int64_t units);

  void emit_library(const Step& step);
  /// Places for what a call of the host or a library gives; those of `registers` are read afterwards.
  void add_results(std::span<const Value> results, std::vector<llvm::Value*>& pointers,
                   std::vector<std::pair<Value, llvm::Value*>>& registers);

  void emit_sort(const Step& step);

  void emit_fft(const Step& step);

  void fail_if(llvm::Value* failed, int status, int64_t site, std::span<const Value> values);

  void emit_view(const Step& step);
  void set_scalar_at(Value v, llvm::Value* place) { store(f_.type(v), scalar(v), place); }

  void emit_check(const Step& step);

  void emit_host(const Step& step);

  // ---- calls ----

  void emit_call(const Step& step);

  // ---- open extents (native/open/open_entry.cc) ----

  /// Whether the step has types or attributes with open extents.
  bool is_open(const Step& step) const;
  void place_pools();
  llvm::Value* open_address(int buffer);
  void emit_open_kernel(const Step& step);
  /// `pointers`: inputs, then outputs.
  void run_open_kernel(const OpenKernelCode& code, std::vector<llvm::Value*> pointers);
  void emit_open_library(const Step& step);

  // ---- control flow ----

  /// Puts `v` where carry or branch result `place` lives: a register variable or a buffer.
  void assign(llvm::AllocaInst* variable, int buffer, Value v);

  void emit_while(const Step& step);

  /// The loop proper: carries stand in their places already. Extra region arguments (lane_while) have `variables` too.
  void loop(const Step& step, const CarryPlan& carry, std::span<llvm::AllocaInst* const> variables);

  void next_carries(const Block& body, const CarryPlan& carry, std::span<llvm::AllocaInst* const> variables);

  void exchange(const Block& body, const CarryPlan& carry);

  void emit_case(const Step& step);
  bool is_choice(const Step& step) const;
  int choice_cost(const Block& block) const;
  /// All at once: a result's place may hold what another result is copied from.
  void copy_branch_results(const Step& step, std::span<const Value> results);

  /// A counted loop 0 … count-1; returns the counter inside it and calls `body`.
  template <class Body>
  void counted(int64_t count, Body&& body) {
    auto* counter = local(i64_, "lane");
    b_.CreateStore(b_.getInt64(0), counter);
    auto* header = llvm::BasicBlock::Create(c_, "lanes", fn_);
    auto* inside = llvm::BasicBlock::Create(c_, "lane_body", fn_);
    auto* done = llvm::BasicBlock::Create(c_, "lanes_done", fn_);
    b_.CreateBr(header);
    b_.SetInsertPoint(header);
    auto* i = b_.CreateLoad(i64_, counter);
    b_.CreateCondBr(b_.CreateICmpULT(i, number(count)), inside, done);
    b_.SetInsertPoint(inside);
    body(i);
    b_.CreateStore(b_.CreateAdd(i, b_.getInt64(1)), counter);
    b_.CreateBr(header);
    b_.SetInsertPoint(done);
  }

  void emit_lane_while(const Step& step);
  // ---- stacks ----

  llvm::Value* new_stack(Type stack);

  void emit_stack_new(const Step& step);

  /// Calls `body(handle, lane's part of the value at `base`)` for the stack, or for each lane of it.
  template <class Body>
  void for_each_store(Value stack, llvm::Value* base, size_t element_bytes, Body&& body) {
    const Type t = f_.type(stack);
    if (t.shape().empty()) return body(scalar(stack), base);
    llvm::Value* handles = address(stack);
    counted(num_elements(t.shape()), [&](llvm::Value* i) {
      body(b_.CreateLoad(ptr_, b_.CreateGEP(ptr_, handles, i)), offset(base, b_.CreateMul(i, number(element_bytes))));
    });
  }

  void emit_stack_push(const Step& step);

  /// What an empty store gives (record of weft.stack_pop): zeros, or empty stores.
  void store_zero(Type t, llvm::Value* to);

  void emit_stack_pop(const Step& step);

  // ---- results ----

  void copy_results();

  llvm::Module& m_;
  llvm::LLVMContext& c_;
  const EntryInput& in_;
  const Function& f_;
  const EntryLayout layout_;
  llvm::IRBuilder<> b_, alloca_;
  llvm::PointerType* ptr_;
  llvm::Type *i64_, *i32_;
  llvm::Function* fn_;
  codegen::ScalarCode scalar_code_;
  IntegerFacts facts_;  // of the integers at the place that is being written
  llvm::Value *args_ = nullptr, *results_ = nullptr, *workspace_ = nullptr, *context_ = nullptr, *host_ = nullptr;
  llvm::Value* frames_ = nullptr;                              // free memory for frames of recursive functions
  std::vector<llvm::Value*> argument_places_, result_places_;  // of a function that is called
  FunctionCode* self_ = nullptr;
  llvm::BasicBlock* exit_ = nullptr;
  llvm::BasicBlock* interrupted_ = nullptr;
  llvm::Value *interrupts_ = nullptr, *interrupts_before_ = nullptr;
  std::vector<llvm::Value*> pools_;  // with open extents: beginnings of the arena's pools and what is behind them
  std::vector<llvm::AllocaInst*> slots_;
  std::unordered_map<int, llvm::AllocaInst*> argument_scalars_;  // by buffer
  std::unordered_map<Value, llvm::AllocaInst*> variables_, spills_;
};

}  // namespace weft::native
