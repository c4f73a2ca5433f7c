#include "native/codegen/entry.h"

#include <cstddef>
#include <cstring>

#include "native/aot_runtime/weft_rt.h"
#include "native/codegen/entry_emitter.h"
#include "native/codegen/scalar_emit.h"
#include "ops/families.h"

namespace weft::native {
namespace {

/// Below this many nanoseconds of work a kernel runs on the calling thread: a parallel section costs about a microsecond.
constexpr double kSerialNs = 8000;
/// A part smaller than this is not worth its thread.
constexpr double kMinPartNs = 4000;

}  // namespace

void EntryEmitter::place_buffers() {
  if (in_.open != nullptr) place_pools();
  std::vector<bool> moves(in_.memory.buffers.size(), false);
  for (const auto& [op, carry] : in_.memory.carries) {
    for (int b : carry.moving) moves[static_cast<size_t>(b)] = true;
  }
  for (size_t i = 0; i < in_.memory.buffers.size(); ++i) {
    const bool is_fixed = in_.memory.buffers[i].home == Home::kArena && !moves[i];
    slots_.push_back(is_fixed ? nullptr : local(ptr_, "buffer"));
    if (is_fixed || in_.memory.buffers[i].home == Home::kLane) continue;
    b_.CreateStore(first_address(static_cast<int>(i)), slots_.back());
  }
}

void EntryEmitter::read_scalar_arguments() {
  for (Value v : f_.args()) {
    const int buffer = in_.memory.find(v);
    // What a result is written over may change.
    if (buffer < 0 || !f_.type(v).is_scalar() || in_.memory.buffers[static_cast<size_t>(buffer)].is_writable) continue;
    llvm::AllocaInst* place = local(register_type(f_.type(v)), "argument");
    b_.CreateStore(load(f_.type(v), address_of(buffer)), place);
    argument_scalars_[buffer] = place;
  }
}

llvm::Value* EntryEmitter::first_address(int buffer) {
  const BufferPlan& plan = in_.memory.buffers[static_cast<size_t>(buffer)];
  switch (plan.home) {
    case Home::kArena: return in_.open != nullptr ? open_address(buffer) : offset(workspace_, plan.offset);
    case Home::kArgument: return argument_place(plan.index);
    case Home::kResult: return result_place(plan.index);
    case Home::kConstant: return constant_data(OpId{static_cast<uint32_t>(plan.index)});
    case Home::kLane: break;
  }
  throw InternalError("a lane's buffer has no address before its loop");
}

// A buffer that never moves is found anew at each use: thousands of addresses kept in registers from the entry's beginning
// would make register allocation superlinear.
llvm::Value* EntryEmitter::address_of(int buffer) {
  llvm::AllocaInst* slot = slots_[static_cast<size_t>(buffer)];
  return slot != nullptr ? b_.CreateLoad(ptr_, slot) : first_address(buffer);
}

llvm::Value* EntryEmitter::constant_data(OpId op) {
  const Literal& literal = f_.attrs(op).literal("value");
  if (!literal.splat && literal.elements.size_bytes() >= in_.external_constant_bytes) {
    auto* table = b_.CreateLoad(
        ptr_, b_.CreateConstGEP1_64(b_.getInt8Ty(), context_, offsetof(weft_rt_context, constants)), "constants");
    in_.external_constants.push_back({&f_, op});
    return b_.CreateLoad(ptr_, b_.CreateConstGEP1_64(ptr_, table, in_.external_constants.size() - 1));
  }
  const Tensor t = literal.materialize();
  const llvm::StringRef bytes(static_cast<const char*>(t.raw()), t.size_bytes());
  auto* data = llvm::ConstantDataArray::getString(c_, bytes, /*AddNull=*/false);
  auto* global =
      new llvm::GlobalVariable(m_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "constant");
  global->setAlignment(llvm::Align(64));
  return global;
}

llvm::AllocaInst* EntryEmitter::variable(Value v) {
  auto& slot = variables_[v];
  if (slot == nullptr) slot = local(register_type(f_.type(v)), "scalar");
  return slot;
}

llvm::Value* EntryEmitter::load(Type t, llvm::Value* address) {
  if (!t.is_tensor()) return b_.CreateLoad(ptr_, address);
  if (is_complex(t.element_type()))
    return b_.CreateAlignedLoad(register_type(t), address, llvm::Align(byte_size(t.element_type()) / 2));
  return codegen::from_memory(b_, b_.CreateLoad(codegen::memory_type(c_, t.element_type()), address), t.element_type());
}

void EntryEmitter::store(Type t, llvm::Value* value, llvm::Value* address) {
  if (t.is_tensor() && is_complex(t.element_type())) {
    b_.CreateAlignedStore(value, address, llvm::Align(byte_size(t.element_type()) / 2));
    return;
  }
  b_.CreateStore(t.is_tensor() ? codegen::to_memory(b_, value, t.element_type()) : value, address);
}

llvm::Value* EntryEmitter::scalar(Value v) {
  if (f_.type(v).is_token()) return llvm::ConstantPointerNull::get(ptr_);
  const int buffer = in_.memory.find(v);
  if (const auto read = argument_scalars_.find(buffer); read != argument_scalars_.end())
    return b_.CreateLoad(read->second->getAllocatedType(), read->second);
  if (buffer >= 0) return load(f_.type(v), address_of(buffer));
  const auto it = variables_.find(v);
  if (it == variables_.end()) throw InternalError("the entry uses a scalar before it is computed");
  return b_.CreateLoad(it->second->getAllocatedType(), it->second);
}

void EntryEmitter::set_scalar(Value v, llvm::Value* value) {
  if (f_.type(v).is_token()) return;
  const int buffer = in_.memory.find(v);
  if (buffer >= 0) {
    store(f_.type(v), value, address_of(buffer));
  } else {
    b_.CreateStore(value, variable(v));
  }
}

llvm::Value* EntryEmitter::address(Value v) {
  const int buffer = in_.memory.find(v);
  if (buffer >= 0) return address_of(buffer);
  auto& spill = spills_[v];
  if (spill == nullptr) spill = element_place("spill");
  store(f_.type(v), scalar(v), spill);
  return spill;
}

void EntryEmitter::copy(llvm::Value* to, llvm::Value* from, size_t bytes) {
  if (bytes > 0) b_.CreateMemMove(to, llvm::Align(1), from, llvm::Align(1), number(bytes));
}

llvm::FunctionCallee EntryEmitter::runtime(const char* name, llvm::Type* result,
                                           std::initializer_list<llvm::Type*> args) {
  return m_.getOrInsertFunction(
      name, llvm::FunctionType::get(result, llvm::ArrayRef<llvm::Type*>(args.begin(), args.size()), false));
}

void EntryEmitter::leave_if(llvm::Value* failed) {
  auto* go_on = llvm::BasicBlock::Create(c_, "go_on", fn_);
  b_.CreateCondBr(failed, exit_, go_on);
  b_.SetInsertPoint(go_on);
}

int64_t EntryEmitter::site(OpId op) {
  in_.sites.push_back({&f_, op});
  return static_cast<int64_t>(in_.sites.size() - 1);
}

void EntryEmitter::emit_block(const Block& block) {
  for (const Step& step : block.steps) emit(step);
}

void EntryEmitter::emit(const Step& step) {
  const bool is_timed = in_.profile && step.kind != StepKind::kScalar && step.kind != StepKind::kElement &&
                        step.kind != StepKind::kConstant;
  const auto note = [&](bool begins) {
    if (!is_timed) return;
    b_.CreateCall(runtime("weft_native_step", b_.getVoidTy(), {ptr_, i64_, i32_}),
                  {host_, b_.getInt64(static_cast<uint64_t>(step.id)), b_.getInt32(begins ? 1 : 0)});
  };
  note(true);
  emit_untimed(step);
  note(false);
}

void EntryEmitter::emit_untimed(const Step& step) {
  switch (step.kind) {
    case StepKind::kScalar: return emit_scalar(step);
    case StepKind::kConstant: return;
    case StepKind::kElement: return emit_element(step);
    case StepKind::kKernel: return emit_kernel(step);
    case StepKind::kLibrary: return emit_library(step);
    case StepKind::kSort: return is_open(step) ? emit_host(step) : emit_sort(step);
    case StepKind::kFft: return is_open(step) ? emit_host(step) : emit_fft(step);
    case StepKind::kView: return emit_view(step);
    case StepKind::kWhile: return emit_while(step);
    case StepKind::kCase: return emit_case(step);
    case StepKind::kLaneWhile: return emit_lane_while(step);
    case StepKind::kStackNew: return emit_stack_new(step);
    case StepKind::kStackPush: return emit_stack_push(step);
    case StepKind::kStackPop: return emit_stack_pop(step);
    case StepKind::kCheck: return emit_check(step);
    case StepKind::kHost: return emit_host(step);
    case StepKind::kCall: return emit_call(step);
  }
}

void EntryEmitter::emit_scalar(const Step& step) {
  const OpView op{f_, step.op};
  if (op.def().mnemonic == "stablehlo.constant") {
    const Literal& literal = op.attrs().literal("value");
    const ElementType t = literal.type.element_type(), part = part_type(t);
    const auto constant = [&](size_t i) {
      uint64_t bits = 0;
      std::memcpy(&bits, literal.element(0) + i * byte_size(part), byte_size(part));
      return codegen::register_constant(c_, part, bits, 1);
    };
    set_scalar(op.result(), is_complex(t) ? llvm::ConstantVector::get({constant(0), constant(1)}) : constant(0));
    return;
  }
  std::vector<llvm::Value*> operands;
  std::vector<ElementType> types;
  for (Value v : op.operands()) {
    const ElementType t = f_.type(v).element_type();
    types.push_back(codegen::compute_type(t));
    llvm::Value* x = scalar(v);
    if (is_complex(t)) {
      operands.push_back(b_.CreateExtractElement(x, uint64_t{0}));
      operands.push_back(b_.CreateExtractElement(x, uint64_t{1}));
    } else {
      operands.push_back(x);
    }
  }
  ScalarProgram program;
  const SExpr result = record(op).scalar.require(op, "native")(op, scalar_args(program, types));
  const std::vector<llvm::Value*> values =
      scalar_code_.emit(b_, program, codegen::nodes_of(result), operands, 1, op.result_type().element_type());
  if (result.is_complex()) {
    llvm::Value* z = llvm::PoisonValue::get(register_type(op.result_type()));
    for (uint64_t i = 0; i < 2; ++i) z = b_.CreateInsertElement(z, values[i], i);
    return set_scalar(op.result(), z);
  }
  set_scalar(op.result(), values[0]);
}

llvm::Value* EntryEmitter::pointer_table(std::span<llvm::Value* const> pointers) {
  auto* table = local(llvm::ArrayType::get(ptr_, std::max<size_t>(pointers.size(), 1)), "pointers");
  for (size_t i = 0; i < pointers.size(); ++i) b_.CreateStore(pointers[i], b_.CreateConstGEP1_64(ptr_, table, i));
  return table;
}

void EntryEmitter::emit_kernel(const Step& step) {
  const FusedKernel& k = step.kernel;
  for (size_t i = 0; i < k.outputs.size(); ++i) {
    if (k.updates_input[i] < 0) continue;
    const Value from = k.inputs[static_cast<size_t>(k.updates_input[i])];
    if (in_.memory.find(from) != in_.memory.find(k.outputs[i])) {
      copy(address(k.outputs[i]), address(from), value_bytes(f_.type(from)));
    }
  }
  if (is_open(step)) return emit_open_kernel(step);
  const KernelCode& code = in_.kernel(step);
  if (code.plan.units <= 0) return;
  in_.step_scratch_bytes = std::max(in_.step_scratch_bytes, code.plan.scratch_bytes);
  std::vector<llvm::Value*> pointers;
  for (Value v : k.inputs) pointers.push_back(address(v));
  for (Value v : k.outputs) pointers.push_back(address(v));
  if (code.plan.scratch_bytes > 0) pointers.push_back(scratch());
  llvm::Value* table = pointer_table(pointers);
  run_units(code.code.main, code.plan.units, code.plan.work_per_unit, table);
  if (code.code.finish != nullptr)
    run_units(code.code.finish, code.plan.finish_units, code.plan.finish_work_per_unit, table);
}

void EntryEmitter::run_units(llvm::Function* kernel, int64_t units, double ns_per_unit, llvm::Value* table) {
  const double work = static_cast<double>(units) * ns_per_unit;
  if (work >= kSerialNs) poll_interrupts();
  int64_t parts = std::min<int64_t>(in_.partitions, units);
  parts = std::min(parts, static_cast<int64_t>(work / kMinPartNs));
  if (work < kSerialNs || parts < 2) {
    b_.CreateCall(kernel, {table, b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(units))});
  } else {
    b_.CreateCall(runtime("weft_rt_parallel", b_.getVoidTy(), {ptr_, ptr_, i64_}),
                  {part_function(kernel, units), table, b_.getInt64(static_cast<uint64_t>(parts))});
  }
}

llvm::Function* EntryEmitter::part_function(llvm::Function* kernel, int64_t units) {
  const std::string name = (kernel->getName() + ".part").str();
  if (llvm::Function* made = m_.getFunction(name)) return made;
  auto* part = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {ptr_, i64_, i64_}, false),
                                      llvm::Function::InternalLinkage, name, m_);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c_, "entry", part));
  auto* count = b.getInt64(static_cast<uint64_t>(units));
  auto* index = part->getArg(1);
  auto* begin = b.CreateUDiv(b.CreateMul(count, index), part->getArg(2));
  auto* end = b.CreateUDiv(b.CreateMul(count, b.CreateAdd(index, b.getInt64(1))), part->getArg(2));
  b.CreateCall(kernel, {part->getArg(0), begin, end});
  b.CreateRetVoid();
  return part;
}

void EntryEmitter::emit_library(const Step& step) {
  poll_interrupts();
  if (in_.open != nullptr) return emit_open_library(step);
  in_.step_scratch_bytes = std::max(in_.step_scratch_bytes, in_.library_scratch_bytes(step.library));
  std::vector<llvm::Value*> pointers;
  for (Value v : step.kernel.inputs) pointers.push_back(address(v));
  std::vector<std::pair<Value, llvm::Value*>> registers;  // results that live in one
  add_results(step.kernel.outputs, pointers, registers);
  auto* status =
      b_.CreateCall(runtime("weft_native_library", i32_, {ptr_, i64_, ptr_, ptr_}),
                    {host_, b_.getInt64(static_cast<uint64_t>(step.library)), pointer_table(pointers), scratch()});
  auto* failed = b_.CreateICmpNE(status, b_.getInt32(0));
  fail_if(failed, 4, site(step.op), {});
  for (const auto& [v, place] : registers) set_scalar(v, load(f_.type(v), place));
}

void EntryEmitter::add_results(std::span<const Value> results, std::vector<llvm::Value*>& pointers,
                               std::vector<std::pair<Value, llvm::Value*>>& registers) {
  for (Value v : results) {
    if (in_.memory.find(v) >= 0 || !f_.type(v).is_tensor()) {
      pointers.push_back(address(v));
      continue;
    }
    auto* place = element_place("result");
    registers.emplace_back(v, place);
    pointers.push_back(place);
  }
}

void EntryEmitter::fail_if(llvm::Value* failed, int status, int64_t site, std::span<const Value> values) {
  auto* fail = llvm::BasicBlock::Create(c_, "fail", fn_);
  auto* go_on = llvm::BasicBlock::Create(c_, "go_on", fn_);
  b_.CreateCondBr(failed, fail, go_on);
  b_.SetInsertPoint(fail);
  auto* table = local(llvm::ArrayType::get(i64_, 8), "values");
  // Each rank-0 value takes as many words as its bytes need; see NativeExecutable::report and weft_rt_check_message.
  size_t count = 0;
  for (Value v : values) {
    const Type t = f_.type(v);
    if (!t.is_scalar()) continue;
    const size_t words = (value_bytes(t) + 7) / 8;
    if (count + words > 8) break;
    auto* slot = b_.CreateConstGEP1_64(i64_, table, count);
    for (size_t w = 0; w < words; ++w) b_.CreateStore(b_.getInt64(0), b_.CreateConstGEP1_64(i64_, slot, w));
    store(t, scalar(v), slot);
    count += words;
  }
  b_.CreateCall(runtime("weft_rt_fail", b_.getVoidTy(), {ptr_, i32_, i64_, i64_, ptr_, i32_}),
                {context_, b_.getInt32(static_cast<uint32_t>(status)), b_.getInt64(0),
                 b_.getInt64(static_cast<uint64_t>(site)), table, b_.getInt32(static_cast<uint32_t>(count))});
  b_.CreateBr(exit_);
  b_.SetInsertPoint(go_on);
}

void EntryEmitter::emit_view(const Step& step) {
  const Value from = f_.operand(step.op, 0);
  const Value to = f_.result(step.op);
  if (in_.memory.find(to) < 0) return set_scalar(to, scalar(from));
  if (in_.memory.find(from) < 0) set_scalar_at(from, address_of(in_.memory.find(to)));
}

void EntryEmitter::emit_check(const Step& step) {
  const auto operands = f_.operands(step.op);
  if (!facts_.is_true(operands[0])) fail_if(b_.CreateNot(scalar(operands[0])), 1, site(step.op), operands.subspan(1));
  facts_.assume(operands[0], true);
}

void EntryEmitter::emit_host(const Step& step) {
  std::vector<llvm::Value*> pointers;
  for (Value v : f_.operands(step.op)) pointers.push_back(address(v));
  std::vector<std::pair<Value, llvm::Value*>> registers;  // results that live in one
  add_results(f_.results(step.op), pointers, registers);
  const int64_t at = site(step.op);
  // With open extents the host finds the symbols' values at the beginning of the workspace.
  auto* status =
      in_.open != nullptr
          ? b_.CreateCall(
                runtime("weft_open_host", i32_, {ptr_, ptr_, ptr_, i64_, ptr_}),
                {host_, context_, workspace_, b_.getInt64(static_cast<uint64_t>(at)), pointer_table(pointers)})
          : b_.CreateCall(runtime("weft_native_host", i32_, {ptr_, ptr_, i64_, ptr_}),
                          {host_, context_, b_.getInt64(static_cast<uint64_t>(at)), pointer_table(pointers)});
  leave_if(b_.CreateICmpNE(status, b_.getInt32(0)));
  for (const auto& [v, place] : registers) set_scalar(v, load(f_.type(v), place));
}

void EntryEmitter::copy_results() {
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
    if (self_ != nullptr && passes_in_register(t)) continue;  // returned
    llvm::Value* to = result_place(j);
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

void EntryEmitter::begin() {
  auto* entry = llvm::BasicBlock::Create(c_, "entry", fn_);
  auto* start = llvm::BasicBlock::Create(c_, "start", fn_);
  exit_ = llvm::BasicBlock::Create(c_, "exit", fn_);
  alloca_.SetInsertPoint(entry);
  b_.SetInsertPoint(start);
}

void EntryEmitter::end() {
  b_.CreateBr(exit_);
  alloca_.CreateBr(&*std::next(fn_->begin()));
  end_interrupts();
  b_.SetInsertPoint(exit_);
}

void EntryEmitter::run_entry(bool has_frames) {
  args_ = fn_->getArg(0);
  results_ = fn_->getArg(1);
  workspace_ = fn_->getArg(2);
  context_ = fn_->getArg(3);
  host_ = fn_->getArg(4);
  if (has_frames) frames_ = fn_->getArg(5);
  for (unsigned i = 0; i < 3; ++i) fn_->addParamAttr(i, llvm::Attribute::NoAlias);
  begin();
  begin_interrupts();
  place_buffers();
  read_scalar_arguments();
  emit_block(in_.schedule);
  copy_results();
  end();
  b_.CreateRet(b_.CreateLoad(i32_, context_, "status"));
}

llvm::Function* emit_entry(llvm::Module& module, const EntryInput& input, const EntryLayout& layout,
                           const std::string& name, bool calls_recursion) {
  llvm::LLVMContext& c = module.getContext();
  auto* ptr = llvm::PointerType::get(c, 0);
  auto* i32 = llvm::Type::getInt32Ty(c);
  const std::vector<llvm::Type*> params(calls_recursion ? 6 : 5, ptr);
  auto* fn = llvm::Function::Create(llvm::FunctionType::get(i32, params, false),
                                    calls_recursion ? llvm::Function::InternalLinkage : llvm::Function::ExternalLinkage,
                                    calls_recursion ? name + ".on_stack" : name, module);
  EntryEmitter(module, input, layout, fn).run_entry(calls_recursion);
  if (!calls_recursion) return fn;
  auto* outer = llvm::Function::Create(llvm::FunctionType::get(i32, {ptr, ptr, ptr, ptr, ptr}, false),
                                       llvm::Function::ExternalLinkage, name, module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "entry", outer));
  std::vector<llvm::Value*> args = {fn};
  for (llvm::Argument& arg : outer->args()) args.push_back(&arg);
  b.CreateRet(
      b.CreateCall(module.getOrInsertFunction("weft_rt_run_recursive",
                                              llvm::FunctionType::get(i32, {ptr, ptr, ptr, ptr, ptr, ptr}, false)),
                   args));
  return fn;
}

}  // namespace weft::native
