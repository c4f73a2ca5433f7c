// Functions that are called, and their calls. A recursive function keeps its workspace in a frame on a second stack, which grows
// upwards from where the machine stack ends (aot_runtime/recursion.c): its caller says where free memory begins, and the two
// meeting is the limit of recursion.
#include <llvm/IR/CFG.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

#include "native/aot_runtime/weft_rt.h"
#include "native/codegen/entry_emitter.h"
#include "ops/control_flow/region_flow.h"

namespace weft::native {
namespace {

llvm::Type* type_in_register(llvm::LLVMContext& c, Type t) {
  if (!t.is_tensor()) return llvm::PointerType::get(c, 0);
  return codegen::with_lanes(codegen::register_type(c, t.element_type()), is_complex(t.element_type()) ? 2 : 1);
}

bool is_in_out(const FunctionCode& code, size_t result) {
  return std::ranges::any_of(code.in_out, [&](const auto& pair) { return pair.second == result; });
}

/// Types of the results that are returned.
std::vector<llvm::Type*> returned_types(llvm::LLVMContext& c, const std::vector<Type>& results) {
  std::vector<llvm::Type*> out;
  for (Type t : results) {
    if (passes_in_register(t) && !t.is_token()) out.push_back(type_in_register(c, t));
  }
  return out;
}

constexpr size_t kAlignment = 64;
size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void declare_function(llvm::Module& module, const Function& f, FunctionCode& code) {
  llvm::LLVMContext& c = module.getContext();
  auto* ptr = llvm::PointerType::get(c, 0);
  std::vector<llvm::Type*> params;
  for (Type t : f.arg_types()) {
    if (!t.is_token()) params.push_back(passes_in_register(t) ? type_in_register(c, t) : ptr);
  }
  const std::vector<Type> results = f.result_types();
  for (size_t j = 0; j < results.size(); ++j) {
    if (!passes_in_register(results[j]) && !is_in_out(code, j)) params.push_back(ptr);
  }
  if (!code.is_recursive) params.push_back(ptr);
  if (code.needs_frames) params.push_back(ptr);
  params.insert(params.end(), {ptr, ptr});
  const std::vector<llvm::Type*> returned = returned_types(c, results);
  llvm::Type* result = returned.empty()       ? llvm::Type::getVoidTy(c)
                       : returned.size() == 1 ? returned[0]
                                              : llvm::StructType::get(c, returned);
  code.code = llvm::Function::Create(llvm::FunctionType::get(result, params, false), llvm::Function::InternalLinkage,
                                     "f_" + f.name(), module);
}

void EntryEmitter::run_function(FunctionCode& code) {
  self_ = &code;
  begin();
  const std::vector<Type> results = f_.result_types();
  unsigned next = 0;
  for (Value v : f_.args()) {
    const Type t = f_.type(v);
    argument_places_.push_back(nullptr);
    if (t.is_token()) continue;
    llvm::Argument* arg = fn_->getArg(next++);
    if (passes_in_register(t)) {
      b_.CreateStore(arg, variable(v));
    } else {
      argument_places_.back() = arg;
    }
  }
  for (size_t j = 0; j < results.size(); ++j) {
    const bool has_pointer = !passes_in_register(results[j]) && !is_in_out(code, j);
    result_places_.push_back(has_pointer ? fn_->getArg(next++) : nullptr);
  }
  for (const auto& [arg, result] : code.in_out) result_places_[result] = argument_places_[arg];
  if (!code.is_recursive) workspace_ = fn_->getArg(next++);
  if (code.needs_frames) frames_ = fn_->getArg(next++);
  context_ = fn_->getArg(next++);
  host_ = fn_->getArg(next++);
  begin_interrupts();

  llvm::Instruction* frame_end = nullptr;
  if (code.is_recursive) {
    workspace_ = frames_;
    // Nothing has failed where a function is called.
    b_.CreateAssumption(b_.CreateICmpEQ(b_.CreateLoad(i32_, context_), b_.getInt32(0)));
  }
  if (code.is_recursive && code.is_guarded) {
    // The end of the frame is set once its size is known.
    frame_end = llvm::cast<llvm::Instruction>(b_.CreateGEP(b_.getInt8Ty(), frames_, b_.getInt64(1), "frame_end"));
    llvm::Value* machine_stack = b_.CreateIntrinsic(llvm::Intrinsic::stacksave, {ptr_}, {});
    llvm::Value* room = b_.CreateSub(b_.CreatePtrToInt(machine_stack, i64_), b_.CreatePtrToInt(frame_end, i64_));
    fail_if(b_.CreateICmpSLT(room, b_.getInt64(WEFT_RT_STACK_RESERVE)), WEFT_RT_TOO_DEEP,
            site(f_.terminator(f_.body())), {});
    poll_interrupts();
  }
  place_buffers();
  emit_block(in_.schedule);
  copy_results();
  std::vector<llvm::AllocaInst*> returned;
  for (size_t j = 0; j < results.size(); ++j) {
    if (!passes_in_register(results[j]) || results[j].is_token()) continue;
    returned.push_back(local(register_type(results[j]), "returned"));
    b_.CreateStore(scalar(in_.schedule.results[j]), returned.back());
  }
  end();
  if (returned.empty()) {
    b_.CreateRetVoid();
  } else if (returned.size() == 1) {
    b_.CreateRet(b_.CreateLoad(returned[0]->getAllocatedType(), returned[0]));
  } else {
    llvm::Value* all = llvm::PoisonValue::get(fn_->getReturnType());
    for (unsigned i = 0; i < returned.size(); ++i)
      all = b_.CreateInsertValue(all, b_.CreateLoad(returned[i]->getAllocatedType(), returned[i]), i);
    b_.CreateRet(all);
  }
  code.may_fail = code.is_recursive || llvm::pred_size(exit_) > 1;
  code.workspace_bytes = aligned(layout_.scratch_offset + in_.step_scratch_bytes);
  if (frame_end != nullptr) frame_end->setOperand(1, b_.getInt64(code.workspace_bytes));
}

void EntryEmitter::emit_call(const Step& step) {
  const OpView op{f_, step.op};
  const FunctionCode& code = in_.callee(*callee(op));
  std::vector<llvm::Value*> args;
  std::vector<llvm::Value*> places(op.num_results(), nullptr);
  for (size_t j = 0; j < op.num_results(); ++j) {
    if (!passes_in_register(op.result_type(j))) places[j] = address(op.result(j));
  }
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Value v = op.operand(i);
    if (f_.type(v).is_token()) continue;
    if (passes_in_register(f_.type(v))) {
      args.push_back(scalar(v));
      continue;
    }
    const auto pair = std::ranges::find(code.in_out, i, &InOutPairs::value_type::first);
    if (pair == code.in_out.end()) {
      args.push_back(address(v));
      continue;
    }
    if (in_.memory.find(v) != in_.memory.find(op.result(pair->second)))
      copy(places[pair->second], address(v), value_bytes(f_.type(v)));
    args.push_back(places[pair->second]);
  }
  for (size_t j = 0; j < op.num_results(); ++j) {
    if (places[j] != nullptr && !is_in_out(code, j)) args.push_back(places[j]);
  }
  // What the callee needs lies behind the planned arena of its caller, where no step of it is busy meanwhile. Frames begin there
  // too when the caller's own memory is a frame.
  const bool in_frame = self_ != nullptr && self_->is_recursive;
  llvm::Value* behind = workspace_ == nullptr ? nullptr : offset(workspace_, layout_.scratch_offset);
  size_t own = 0;
  if (!code.is_recursive) {
    own = code.workspace_bytes;
    in_.step_scratch_bytes = std::max(in_.step_scratch_bytes, own);
    args.push_back(behind);
  }
  if (code.needs_frames) args.push_back(in_frame ? offset(behind, own) : frames_);
  args.insert(args.end(), {context_, host_});
  llvm::Value* returned = b_.CreateCall(code.code, args);
  if (code.may_fail) {
    llvm::Value* failed = b_.CreateICmpNE(b_.CreateLoad(i32_, context_), b_.getInt32(0));
    if (in_frame && code.is_recursive) {
      auto* unwind = llvm::BasicBlock::Create(c_, "unwind", fn_);
      auto* go_on = llvm::BasicBlock::Create(c_, "go_on", fn_);
      b_.CreateCondBr(failed, unwind, go_on);
      b_.SetInsertPoint(unwind);
      auto* depth = b_.CreateConstGEP1_64(b_.getInt8Ty(), context_, offsetof(weft_rt_context, depth));
      b_.CreateStore(b_.CreateAdd(b_.CreateLoad(i32_, depth), b_.getInt32(1)), depth);
      b_.CreateBr(exit_);
      b_.SetInsertPoint(go_on);
    } else {
      leave_if(failed);
    }
  }
  const bool is_struct = returned->getType()->isStructTy();
  unsigned k = 0;
  for (size_t j = 0; j < op.num_results(); ++j) {
    const Type t = op.result_type(j);
    if (!passes_in_register(t) || t.is_token()) continue;
    set_scalar(op.result(j), is_struct ? b_.CreateExtractValue(returned, k) : returned);
    ++k;
  }
}

void emit_function(llvm::Module& module, const EntryInput& input, const EntryLayout& layout, FunctionCode& code) {
  EntryEmitter(module, input, layout, code.code).run_function(code);
}

}  // namespace weft::native
