#include "native/codegen/entry.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstring>
#include <unordered_map>

#include "native/codegen/scalar_emit.h"
#include "ops/record.h"

namespace weft::native {
namespace {

/// Below this many nanoseconds of work a kernel runs on the calling thread: a parallel section costs about a microsecond.
constexpr double kSerialNs = 8000;
/// A part smaller than this is not worth its thread.
constexpr double kMinPartNs = 4000;

class EntryEmitter {
 public:
  EntryEmitter(llvm::Module& module, const EntryInput& input, const EntryLayout& layout, const std::string& name)
      : m_(module), c_(module.getContext()), in_(input), f_(input.function), layout_(layout), b_(c_), alloca_(c_) {
    ptr_ = llvm::PointerType::get(c_, 0);
    i64_ = llvm::Type::getInt64Ty(c_);
    i32_ = llvm::Type::getInt32Ty(c_);
    auto* type = llvm::FunctionType::get(i32_, {ptr_, ptr_, ptr_, ptr_, ptr_}, false);
    fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, m_);
    args_ = fn_->getArg(0);
    results_ = fn_->getArg(1);
    workspace_ = fn_->getArg(2);
    context_ = fn_->getArg(3);
    host_ = fn_->getArg(4);
    for (unsigned i = 0; i < 3; ++i) fn_->addParamAttr(i, llvm::Attribute::NoAlias);
  }

  llvm::Function* run() {
    auto* entry = llvm::BasicBlock::Create(c_, "entry", fn_);
    auto* start = llvm::BasicBlock::Create(c_, "start", fn_);
    exit_ = llvm::BasicBlock::Create(c_, "exit", fn_);
    alloca_.SetInsertPoint(entry);
    b_.SetInsertPoint(start);
    place_buffers();
    emit_block(in_.schedule);
    copy_results();
    b_.CreateBr(exit_);
    alloca_.CreateBr(start);
    b_.SetInsertPoint(exit_);
    b_.CreateRet(b_.CreateLoad(i32_, context_, "status"));
    return fn_;
  }

 private:
  // ---- places ----

  llvm::AllocaInst* local(llvm::Type* type, const llvm::Twine& name) { return alloca_.CreateAlloca(type, nullptr, name); }
  llvm::Value* offset(llvm::Value* p, llvm::Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), p, bytes); }
  llvm::Value* offset(llvm::Value* p, size_t bytes) { return bytes == 0 ? p : offset(p, b_.getInt64(bytes)); }

  void place_buffers() {
    for (size_t i = 0; i < in_.memory.buffers.size(); ++i) {
      const BufferPlan& plan = in_.memory.buffers[i];
      auto* slot = local(ptr_, "buffer");
      slots_.push_back(slot);
      llvm::Value* address = nullptr;
      switch (plan.home) {
        case Home::kArena: address = offset(workspace_, plan.offset); break;
        case Home::kArgument: address = b_.CreateLoad(ptr_, b_.CreateConstGEP1_64(ptr_, args_, plan.index)); break;
        case Home::kResult: address = b_.CreateLoad(ptr_, b_.CreateConstGEP1_64(ptr_, results_, plan.index)); break;
        case Home::kConstant: address = constant_data(OpId{static_cast<uint32_t>(plan.index)}); break;
        case Home::kLane: continue;
      }
      b_.CreateStore(address, slot);
    }
  }

  llvm::Value* constant_data(OpId op) {
    const Literal& literal = f_.attrs(op).literal("value");
    const Tensor t = literal.materialize();
    const llvm::StringRef bytes(static_cast<const char*>(t.raw()), t.size_bytes());
    auto* data = llvm::ConstantDataArray::getString(c_, bytes, /*AddNull=*/false);
    auto* global = new llvm::GlobalVariable(m_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "constant");
    global->setAlignment(llvm::Align(64));
    return global;
  }

  llvm::Value* address_of(int buffer) { return b_.CreateLoad(ptr_, slots_[static_cast<size_t>(buffer)]); }

  /// Registers: rank-0 tensors and stack handles.
  llvm::Type* register_type(Type t) { return t.is_tensor() ? codegen::register_type(c_, t.element_type()) : ptr_; }
  llvm::AllocaInst* variable(Value v) {
    auto& slot = variables_[v];
    if (slot == nullptr) slot = local(register_type(f_.type(v)), "scalar");
    return slot;
  }
  void bind(Value v, llvm::AllocaInst* slot) { variables_[v] = slot; }

  llvm::Value* load(Type t, llvm::Value* address) {
    if (!t.is_tensor()) return b_.CreateLoad(ptr_, address);
    return codegen::from_memory(b_, b_.CreateLoad(codegen::memory_type(c_, t.element_type()), address), t.element_type());
  }
  void store(Type t, llvm::Value* value, llvm::Value* address) {
    b_.CreateStore(t.is_tensor() ? codegen::to_memory(b_, value, t.element_type()) : value, address);
  }

  bool in_memory(Value v) const { return in_.memory.find(v) >= 0; }

  /// A rank-0 value or a handle.
  llvm::Value* scalar(Value v) {
    if (f_.type(v).is_token()) return llvm::ConstantPointerNull::get(ptr_);
    const int buffer = in_.memory.find(v);
    if (buffer >= 0) return load(f_.type(v), address_of(buffer));
    const auto it = variables_.find(v);
    if (it == variables_.end()) throw InternalError("the entry uses a scalar before it is computed");
    return b_.CreateLoad(it->second->getAllocatedType(), it->second);
  }
  void set_scalar(Value v, llvm::Value* value) {
    if (f_.type(v).is_token()) return;
    const int buffer = in_.memory.find(v);
    if (buffer >= 0) {
      store(f_.type(v), value, address_of(buffer));
    } else {
      b_.CreateStore(value, variable(v));
    }
  }
  /// Any value's place in memory; a register is spilled.
  llvm::Value* address(Value v) {
    const int buffer = in_.memory.find(v);
    if (buffer >= 0) return address_of(buffer);
    auto& spill = spills_[v];
    if (spill == nullptr) {
      spill = local(i64_, "spill");
      spill->setAlignment(llvm::Align(8));
    }
    store(f_.type(v), scalar(v), spill);
    return spill;
  }

  void copy(llvm::Value* to, llvm::Value* from, size_t bytes) {
    if (bytes > 0) b_.CreateMemMove(to, llvm::Align(1), from, llvm::Align(1), bytes);
  }

  llvm::FunctionCallee runtime(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> args) {
    return m_.getOrInsertFunction(name, llvm::FunctionType::get(result, llvm::ArrayRef<llvm::Type*>(args.begin(), args.size()), false));
  }

  /// Leaves the entry when the status says so.
  void leave_if(llvm::Value* failed) {
    auto* go_on = llvm::BasicBlock::Create(c_, "go_on", fn_);
    b_.CreateCondBr(failed, exit_, go_on);
    b_.SetInsertPoint(go_on);
  }

  int64_t site(OpId op) {
    in_.sites.push_back(op);
    return static_cast<int64_t>(in_.sites.size() - 1);
  }

  // ---- steps ----

  void emit_block(const Block& block) {
    for (const Step& step : block.steps) emit(step);
  }

  void emit(const Step& step) {
    switch (step.kind) {
      case StepKind::kScalar: return emit_scalar(step);
      case StepKind::kConstant: return;
      case StepKind::kKernel: return emit_kernel(step);
      case StepKind::kLibrary: return emit_library(step);
      case StepKind::kView: return emit_view(step);
      case StepKind::kWhile: return emit_while(step);
      case StepKind::kCase: return emit_case(step);
      case StepKind::kLaneWhile: return emit_lane_while(step);
      case StepKind::kStackNew: return emit_stack_new(step);
      case StepKind::kStackPush: return emit_stack_push(step);
      case StepKind::kStackPop: return emit_stack_pop(step);
      case StepKind::kCheck: return emit_check(step);
      case StepKind::kHost: return emit_host(step);
    }
  }

  void emit_scalar(const Step& step) {
    const OpView op{f_, step.op};
    if (op.def().mnemonic == "stablehlo.constant") {
      const Literal& literal = op.attrs().literal("value");
      const ElementType t = literal.type.element_type();
      uint64_t bits = 0;
      std::memcpy(&bits, literal.element(0), byte_size(t));
      set_scalar(op.result(), codegen::register_constant(c_, t, bits, 1));
      return;
    }
    std::vector<llvm::Value*> operands;
    for (Value v : op.operands()) operands.push_back(scalar(v));
    ScalarProgram program;
    std::vector<SExpr> exprs;
    for (size_t i = 0; i < operands.size(); ++i) {
      exprs.push_back(SExpr::arg(program, static_cast<int>(i), codegen::compute_type(op.operand_type(i).element_type())));
    }
    const SExpr result = record(op).scalar.require(op, "native")(op, exprs);
    llvm::Value* value = codegen::emit_scalar(b_, program, result.id(), operands, 1);
    set_scalar(op.result(), codegen::round_to(b_, value, op.result_type().element_type()));
  }

  llvm::Value* pointer_table(std::span<llvm::Value* const> pointers) {
    auto* table = local(llvm::ArrayType::get(ptr_, std::max<size_t>(pointers.size(), 1)), "pointers");
    for (size_t i = 0; i < pointers.size(); ++i) b_.CreateStore(pointers[i], b_.CreateConstGEP1_64(ptr_, table, i));
    return table;
  }

  void emit_kernel(const Step& step) {
    const FusedKernel& k = step.kernel;
    for (size_t i = 0; i < k.outputs.size(); ++i) {
      if (k.updates_input[i] < 0) continue;
      const Value from = k.inputs[static_cast<size_t>(k.updates_input[i])];
      if (in_.memory.find(from) != in_.memory.find(k.outputs[i])) {
        copy(address(k.outputs[i]), address(from), value_bytes(f_.type(from)));
      }
    }
    const KernelCode& code = in_.kernel(step);
    if (code.plan.units <= 0) return;
    std::vector<llvm::Value*> pointers;
    for (Value v : k.inputs) pointers.push_back(address(v));
    for (Value v : k.outputs) pointers.push_back(address(v));
    if (code.plan.scratch_bytes > 0) pointers.push_back(offset(workspace_, layout_.scratch_offset));
    llvm::Value* table = pointer_table(pointers);
    run_units(code.code.main, code.plan.units, code.plan.work_per_unit, table);
    if (code.code.finish != nullptr) run_units(code.code.finish, code.plan.finish_units, 0, table);
  }

  void run_units(llvm::Function* kernel, int64_t units, double ns_per_unit, llvm::Value* table) {
    const double work = static_cast<double>(units) * ns_per_unit;
    int64_t parts = std::min<int64_t>(in_.partitions, units);
    parts = std::min(parts, static_cast<int64_t>(work / kMinPartNs));
    if (work < kSerialNs || parts < 2) {
      b_.CreateCall(kernel, {table, b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(units))});
    } else {
      b_.CreateCall(runtime("weft_rt_parallel", b_.getVoidTy(), {ptr_, ptr_, i64_}),
                    {part_function(kernel, units), table, b_.getInt64(static_cast<uint64_t>(parts))});
    }
  }

  /// void part(ctx, part, parts): the kernel on its share of the units.
  llvm::Function* part_function(llvm::Function* kernel, int64_t units) {
    auto& part = parts_[kernel];
    if (part != nullptr) return part;
    part = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {ptr_, i64_, i64_}, false),
                                  llvm::Function::InternalLinkage, kernel->getName() + ".part", m_);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(c_, "entry", part));
    auto* count = b.getInt64(static_cast<uint64_t>(units));
    auto* index = part->getArg(1);
    auto* begin = b.CreateUDiv(b.CreateMul(count, index), part->getArg(2));
    auto* end = b.CreateUDiv(b.CreateMul(count, b.CreateAdd(index, b.getInt64(1))), part->getArg(2));
    b.CreateCall(kernel, {part->getArg(0), begin, end});
    b.CreateRetVoid();
    return part;
  }

  void emit_library(const Step& step) {
    std::vector<llvm::Value*> pointers;
    for (Value v : f_.operands(step.op)) pointers.push_back(address(v));
    for (Value v : f_.results(step.op)) pointers.push_back(address(v));
    auto* status = b_.CreateCall(runtime("weft_native_library", i32_, {ptr_, i64_, ptr_, ptr_}),
                                 {host_, b_.getInt64(static_cast<uint64_t>(step.library)), pointer_table(pointers),
                                  offset(workspace_, layout_.scratch_offset)});
    auto* failed = b_.CreateICmpNE(status, b_.getInt32(0));
    fail_if(failed, 4, site(step.op), {});
  }

  void fail_if(llvm::Value* failed, int status, int64_t site, std::span<const Value> values) {
    auto* fail = llvm::BasicBlock::Create(c_, "fail", fn_);
    auto* go_on = llvm::BasicBlock::Create(c_, "go_on", fn_);
    b_.CreateCondBr(failed, fail, go_on);
    b_.SetInsertPoint(fail);
    const size_t count = std::min<size_t>(values.size(), 8);
    auto* table = local(llvm::ArrayType::get(i64_, 8), "values");
    for (size_t i = 0; i < count; ++i) {
      auto* slot = b_.CreateConstGEP1_64(i64_, table, i);
      b_.CreateStore(b_.getInt64(0), slot);
      const Type t = f_.type(values[i]);
      if (t.is_scalar()) store(t, scalar(values[i]), slot);
    }
    b_.CreateCall(runtime("weft_rt_fail", b_.getVoidTy(), {ptr_, i32_, i64_, i64_, ptr_, i32_}),
                  {context_, b_.getInt32(static_cast<uint32_t>(status)), b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(site)),
                   table, b_.getInt32(static_cast<uint32_t>(count))});
    b_.CreateBr(exit_);
    b_.SetInsertPoint(go_on);
  }

  void emit_view(const Step& step) {
    const Value from = f_.operand(step.op, 0);
    const Value to = f_.result(step.op);
    if (in_.memory.find(to) < 0) return set_scalar(to, scalar(from));
    if (in_.memory.find(from) < 0) set_scalar_at(from, address_of(in_.memory.find(to)));
  }
  void set_scalar_at(Value v, llvm::Value* place) { store(f_.type(v), scalar(v), place); }

  void emit_check(const Step& step) {
    const auto operands = f_.operands(step.op);
    fail_if(b_.CreateNot(scalar(operands[0])), 1, site(step.op), operands.subspan(1));
  }

  void emit_host(const Step& step) {
    std::vector<llvm::Value*> pointers;
    for (Value v : f_.operands(step.op)) pointers.push_back(address(v));
    for (Value v : f_.results(step.op)) pointers.push_back(address(v));
    const int64_t at = site(step.op);
    auto* status = b_.CreateCall(runtime("weft_native_host", i32_, {ptr_, ptr_, i64_, ptr_}),
                                 {host_, context_, b_.getInt64(static_cast<uint64_t>(at)), pointer_table(pointers)});
    leave_if(b_.CreateICmpNE(status, b_.getInt32(0)));
  }

  // ---- control flow ----

  /// Puts `v` where carry or branch result `place` lives: a register variable or a buffer.
  void assign(llvm::AllocaInst* variable, int buffer, Value v) {
    if (buffer < 0) {
      b_.CreateStore(scalar(v), variable);
      return;
    }
    if (in_.memory.find(v) == buffer) return;
    copy(address_of(buffer), address(v), value_bytes(f_.type(v)));
  }

  void emit_while(const Step& step) {
    const size_t n = f_.num_results(step.op);
    const CarryPlan& carry = in_.memory.carries.at(step.op);
    std::vector<llvm::AllocaInst*> variables(n, nullptr);
    for (size_t i = 0; i < n; ++i) {
      const Value result = f_.result(step.op, i);
      if (carry.buffers[i] < 0 && !f_.type(result).is_token()) variables[i] = local(register_type(f_.type(result)), "carry");
      if (f_.type(result).is_token()) continue;
      assign(variables[i], carry.buffers[i], f_.operand(step.op, i));
    }
    loop(step, carry, variables);
    for (size_t i = 0; i < n; ++i) {
      if (variables[i] != nullptr) bind(f_.result(step.op, i), variables[i]);
    }
  }

  /// The loop proper: carries stand in their places already. Extra region arguments (lane_while) have `variables` too.
  void loop(const Step& step, const CarryPlan& carry, std::span<llvm::AllocaInst* const> variables) {
    const Block& cond = step.blocks[0];
    const Block& body = step.blocks[1];
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i] == nullptr) continue;
      bind(f_.args(cond.region)[i], variables[i]);
      bind(f_.args(body.region)[i], variables[i]);
    }
    auto* header = llvm::BasicBlock::Create(c_, "while", fn_);
    auto* inside = llvm::BasicBlock::Create(c_, "body", fn_);
    auto* done = llvm::BasicBlock::Create(c_, "done", fn_);
    b_.CreateBr(header);
    b_.SetInsertPoint(header);
    emit_block(cond);
    b_.CreateCondBr(scalar(cond.results[0]), inside, done);
    b_.SetInsertPoint(inside);
    emit_block(body);
    next_carries(body, carry, variables);
    b_.CreateBr(header);
    b_.SetInsertPoint(done);
  }

  void next_carries(const Block& body, const CarryPlan& carry, std::span<llvm::AllocaInst* const> variables) {
    const size_t n = body.results.size();
    std::vector<llvm::Value*> next(n, nullptr);
    for (size_t i = 0; i < n; ++i) {
      if (variables[i] != nullptr && carry.buffers[i] < 0) next[i] = scalar(body.results[i]);
    }
    // Copies out of buffers that are about to change, then the other moves, then the copies in.
    for (const bool is_staged : {true, false}) {
      for (size_t i = 0; i < n; ++i) {
        const int to = carry.buffers[i];
        if (to < 0 || in_.memory.find(body.results[i]) == to || carry.exchange[i]) continue;
        if ((carry.staging[i] >= 0) != is_staged) continue;
        copy(address_of(is_staged ? carry.staging[i] : to), address(body.results[i]), value_bytes(f_.type(body.results[i])));
      }
    }
    exchange(body, carry);
    for (size_t i = 0; i < n; ++i) {
      if (carry.buffers[i] >= 0 && carry.staging[i] >= 0) {
        copy(address_of(carry.buffers[i]), address_of(carry.staging[i]), value_bytes(f_.type(body.results[i])));
      }
    }
    for (size_t i = 0; i < n; ++i) {
      if (next[i] != nullptr) b_.CreateStore(next[i], variables[i]);
    }
  }

  void exchange(const Block& body, const CarryPlan& carry) {
    std::unordered_map<int, int> source_of, target_of;
    for (size_t i = 0; i < body.results.size(); ++i) {
      if (!carry.exchange[i]) continue;
      const int from = in_.memory.find(body.results[i]);
      source_of[carry.buffers[i]] = from;
      target_of[from] = carry.buffers[i];
    }
    std::unordered_map<int, llvm::Value*> old;
    for (const auto& [to, from] : source_of) {
      for (int b : {to, from}) {
        if (!old.contains(b)) old[b] = address_of(b);
      }
    }
    for (const auto& [to, from] : source_of) {
      b_.CreateStore(old.at(from), slots_[static_cast<size_t>(to)]);
      if (source_of.contains(from)) continue;
      int last = to;  // `from` starts a chain of moves: it gets the memory that the chain's end gives up
      while (target_of.contains(last)) last = target_of.at(last);
      b_.CreateStore(old.at(last), slots_[static_cast<size_t>(from)]);
    }
  }

  void emit_case(const Step& step) {
    const size_t n = f_.num_results(step.op);
    std::vector<llvm::AllocaInst*> variables(n, nullptr);
    for (size_t i = 0; i < n; ++i) {
      const Value result = f_.result(step.op, i);
      if (!in_memory(result) && !f_.type(result).is_token()) variables[i] = variable(result);
    }
    llvm::Value* selector = scalar(f_.operand(step.op, 0));
    auto* done = llvm::BasicBlock::Create(c_, "joined", fn_);
    std::vector<llvm::BasicBlock*> blocks;
    for (size_t i = 0; i < step.blocks.size(); ++i) blocks.push_back(llvm::BasicBlock::Create(c_, "branch", fn_));
    if (selector->getType()->isIntegerTy(1)) {
      b_.CreateCondBr(selector, blocks[0], blocks[1]);
    } else {
      auto* choice = b_.CreateSwitch(selector, blocks.back());  // out of range: the last branch (specification: case)
      for (size_t i = 0; i + 1 < blocks.size(); ++i) {
        choice->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(selector->getType(), i)), blocks[i]);
      }
    }
    for (size_t k = 0; k < blocks.size(); ++k) {
      b_.SetInsertPoint(blocks[k]);
      emit_block(step.blocks[k]);
      // Registers first: a copy below may write over what they are loaded from.
      std::vector<llvm::Value*> loaded(n, nullptr);
      for (size_t i = 0; i < n; ++i) {
        if (variables[i] != nullptr) loaded[i] = scalar(step.blocks[k].results[i]);
      }
      for (size_t i = 0; i < n; ++i) {
        if (loaded[i] != nullptr) {
          b_.CreateStore(loaded[i], variables[i]);
        } else if (in_memory(f_.result(step.op, i))) {
          assign(nullptr, in_.memory.find(f_.result(step.op, i)), step.blocks[k].results[i]);
        }
      }
      b_.CreateBr(done);
    }
    b_.SetInsertPoint(done);
  }

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
    b_.CreateCondBr(b_.CreateICmpULT(i, b_.getInt64(static_cast<uint64_t>(count))), inside, done);
    b_.SetInsertPoint(inside);
    body(i);
    b_.CreateStore(b_.CreateAdd(i, b_.getInt64(1)), counter);
    b_.CreateBr(header);
    b_.SetInsertPoint(done);
  }

  void emit_lane_while(const Step& step) {
    const size_t n = f_.num_results(step.op);
    const auto operands = f_.operands(step.op);
    const auto& varies = f_.attrs(step.op).ints("varies");
    const int64_t lanes = num_elements(f_.attrs(step.op).ints("lanes"));
    const CarryPlan& carry = in_.memory.carries.at(step.op);
    const auto args = f_.args(step.blocks[0].region);
    std::vector<llvm::AllocaInst*> variables(operands.size(), nullptr);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (carry.buffers[i] < 0) variables[i] = local(register_type(f_.type(args[i])), "lane_carry");
    }
    // Initial carries that differ by lane move into the result's buffer, where each lane leaves its own.
    for (size_t i = 0; i < n; ++i) {
      if (varies[i] != 0) assign(nullptr, carry.lane_buffers[i], operands[i]);
    }
    counted(lanes, [&](llvm::Value* lane) {
      const auto part = [&](llvm::Value* base, size_t i) {
        return offset(base, b_.CreateMul(lane, b_.getInt64(value_bytes_or_handle(f_.type(args[i])))));
      };
      for (size_t i = 0; i < operands.size(); ++i) {
        llvm::Value* from = nullptr;
        if (i < n && varies[i] != 0) {
          from = part(address_of(carry.lane_buffers[i]), i);
        } else {
          from = varies[i] != 0 ? part(address(operands[i]), i) : address(operands[i]);
        }
        if (variables[i] != nullptr) {
          b_.CreateStore(load(f_.type(args[i]), from), variables[i]);
        } else if (i < n) {
          copy(address_of(carry.buffers[i]), from, value_bytes(f_.type(args[i])));
        } else {
          b_.CreateStore(from, slots_[static_cast<size_t>(carry.buffers[i])]);
        }
      }
      loop(step, carry, variables);
      for (size_t i = 0; i < n; ++i) {
        llvm::Value* to = part(address_of(carry.lane_buffers[i]), i);
        if (variables[i] != nullptr) {
          store(f_.type(args[i]), b_.CreateLoad(variables[i]->getAllocatedType(), variables[i]), to);
        } else {
          copy(to, address_of(carry.buffers[i]), value_bytes(f_.type(args[i])));
        }
      }
    });
  }
  static size_t value_bytes_or_handle(Type t) { return t.is_stack() ? 8 * static_cast<size_t>(num_elements(t.shape())) : t.num_bytes(); }

  // ---- stacks ----

  llvm::Value* new_stack(Type stack) {
    const Type element = stack.stacked();
    auto* handle = b_.CreateCall(runtime("weft_rt_stack_new", ptr_, {ptr_, i64_, i32_}),
                                 {context_, b_.getInt64(value_bytes_or_handle(element)), b_.getInt32(element.is_stack() ? 1 : 0)});
    leave_if(b_.CreateIsNull(handle));
    return handle;
  }

  void emit_stack_new(const Step& step) {
    const Value v = f_.result(step.op);
    const Type t = f_.type(v);
    if (t.shape().empty()) return set_scalar(v, new_stack(t));
    llvm::Value* base = address(v);
    counted(num_elements(t.shape()), [&](llvm::Value* i) { b_.CreateStore(new_stack(t), b_.CreateGEP(ptr_, base, i)); });
  }

  /// Calls `body(handle, lane's part of the value at `base`)` for the stack, or for each lane of it.
  template <class Body>
  void for_each_store(Value stack, llvm::Value* base, size_t element_bytes, Body&& body) {
    const Type t = f_.type(stack);
    if (t.shape().empty()) return body(scalar(stack), base);
    llvm::Value* handles = address(stack);
    counted(num_elements(t.shape()), [&](llvm::Value* i) {
      body(b_.CreateLoad(ptr_, b_.CreateGEP(ptr_, handles, i)), offset(base, b_.CreateMul(i, b_.getInt64(element_bytes))));
    });
  }

  void emit_stack_push(const Step& step) {
    const Value stack = f_.operand(step.op, 0);
    const Value value = f_.operand(step.op, 1);
    for_each_store(stack, address(value), value_bytes_or_handle(f_.type(stack).stacked()), [&](llvm::Value* handle, llvm::Value* from) {
      auto* status = b_.CreateCall(runtime("weft_rt_stack_push", i32_, {ptr_, ptr_}), {handle, from});
      leave_if(b_.CreateICmpNE(status, b_.getInt32(0)));
    });
    if (f_.type(stack).shape().empty()) set_scalar(f_.result(step.op), scalar(stack));
  }

  /// What an empty store gives (record of weft.stack_pop): zeros, or empty stores.
  void store_zero(Type t, llvm::Value* to) {
    if (!t.is_stack()) {
      b_.CreateMemSet(to, b_.getInt8(0), value_bytes(t), llvm::Align(1));
      return;
    }
    const int64_t stores = num_elements(t.shape());
    if (stores == 1) {
      b_.CreateStore(new_stack(t), to);
      return;
    }
    counted(stores, [&](llvm::Value* i) { b_.CreateStore(new_stack(t), b_.CreateGEP(ptr_, to, i)); });
  }

  void emit_stack_pop(const Step& step) {
    const Value stack = f_.operand(step.op, 0);
    const Value value = f_.result(step.op, 1);
    const bool to_register = !in_memory(value);
    llvm::Value* place = to_register ? local(i64_, "popped") : address(value);
    for_each_store(stack, place, value_bytes_or_handle(f_.type(stack).stacked()), [&](llvm::Value* handle, llvm::Value* to) {
      auto* status = b_.CreateCall(runtime("weft_rt_stack_try_pop", i32_, {ptr_, ptr_}), {handle, to});
      auto* empty = llvm::BasicBlock::Create(c_, "empty", fn_);
      auto* popped = llvm::BasicBlock::Create(c_, "popped", fn_);
      b_.CreateCondBr(b_.CreateICmpNE(status, b_.getInt32(0)), empty, popped);
      b_.SetInsertPoint(empty);
      store_zero(f_.type(stack).stacked(), to);
      b_.CreateBr(popped);
      b_.SetInsertPoint(popped);
    });
    if (to_register) set_scalar(value, load(f_.type(value), place));
    if (f_.type(stack).shape().empty()) set_scalar(f_.result(step.op, 0), scalar(stack));
  }

  // ---- results ----

  void copy_results() {
    const auto& results = in_.schedule.results;
    std::vector<llvm::Value*> from(results.size(), nullptr);
    for (size_t j = 0; j < results.size(); ++j) {
      if (f_.type(results[j]).is_token()) continue;
      const int staging = in_.memory.result_staging[j];
      const size_t bytes = value_bytes(f_.type(results[j]));
      if (staging < 0) continue;
      copy(address_of(staging), address(results[j]), bytes);
      from[j] = address_of(staging);
    }
    for (size_t j = 0; j < results.size(); ++j) {
      const Type t = f_.type(results[j]);
      if (t.is_token()) continue;
      llvm::Value* to = b_.CreateLoad(ptr_, b_.CreateConstGEP1_64(ptr_, results_, j));
      if (!in_memory(results[j])) {
        store(t, scalar(results[j]), to);
        continue;
      }
      llvm::Value* source = from[j] != nullptr ? from[j] : address(results[j]);
      auto* differs = llvm::BasicBlock::Create(c_, "copy_result", fn_);
      auto* placed = llvm::BasicBlock::Create(c_, "placed", fn_);
      b_.CreateCondBr(b_.CreateICmpNE(source, to), differs, placed);
      b_.SetInsertPoint(differs);
      copy(to, source, value_bytes(t));
      b_.CreateBr(placed);
      b_.SetInsertPoint(placed);
    }
  }

  llvm::Module& m_;
  llvm::LLVMContext& c_;
  const EntryInput& in_;
  const Function& f_;
  const EntryLayout layout_;
  llvm::IRBuilder<> b_, alloca_;
  llvm::PointerType* ptr_;
  llvm::Type *i64_, *i32_;
  llvm::Function* fn_;
  llvm::Value *args_, *results_, *workspace_, *context_, *host_;
  llvm::BasicBlock* exit_ = nullptr;
  std::vector<llvm::AllocaInst*> slots_;
  std::unordered_map<Value, llvm::AllocaInst*> variables_, spills_;
  std::unordered_map<llvm::Function*, llvm::Function*> parts_;
};

}  // namespace

llvm::Function* emit_entry(llvm::Module& module, const EntryInput& input, const EntryLayout& layout, const std::string& name) {
  return EntryEmitter(module, input, layout, name).run();
}

}  // namespace weft::native
