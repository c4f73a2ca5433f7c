// Ending a call early: the entry compares a count in memory with what it was when the call began.
#include <llvm/IR/MDBuilder.h>

#include <cstddef>

#include "native/aot_runtime/weft_rt.h"
#include "native/codegen/entry_emitter.h"

namespace weft::native {

void EntryEmitter::begin_interrupts() {
  const auto field = [&](uint64_t offset) { return b_.CreateConstGEP1_64(b_.getInt8Ty(), context_, offset); };
  interrupts_before_ = b_.CreateLoad(i32_, field(offsetof(weft_rt_context, interrupts_before)), "interrupts_before");
  interrupts_ = b_.CreateLoad(ptr_, field(offsetof(weft_rt_context, interrupts)), "interrupts");
}

void EntryEmitter::poll_interrupts() {
  if (interrupted_ == nullptr) interrupted_ = llvm::BasicBlock::Create(c_, "interrupted", fn_);
  auto* go_on = llvm::BasicBlock::Create(c_, "go_on", fn_);
  // Volatile, not atomic: nothing is ordered by it, so that values may stay in registers around it.
  auto* now = b_.CreateLoad(i32_, interrupts_, /*isVolatile=*/true, "interrupts");
  auto* branch = b_.CreateCondBr(b_.CreateICmpNE(now, interrupts_before_), interrupted_, go_on);
  branch->setMetadata(llvm::LLVMContext::MD_prof, llvm::MDBuilder(c_).createBranchWeights(1, 1 << 20));
  b_.SetInsertPoint(go_on);
}

void EntryEmitter::end_interrupts() {
  if (interrupted_ == nullptr) return;
  b_.SetInsertPoint(interrupted_);
  b_.CreateCall(runtime("weft_rt_fail", b_.getVoidTy(), {ptr_, i32_, i64_, i64_, ptr_, i32_}),
                {context_, b_.getInt32(WEFT_RT_INTERRUPTED), b_.getInt64(0), b_.getInt64(0),
                 llvm::ConstantPointerNull::get(ptr_), b_.getInt32(0)});
  b_.CreateBr(exit_);
}

}  // namespace weft::native
