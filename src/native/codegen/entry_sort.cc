// Sorts in the entry: constant words, a comparator where one is needed, and the runtime's call.
#include "native/aot_runtime/weft_rt_sort.h"
#include "native/codegen/comparator.h"
#include "native/codegen/entry_emitter.h"
#include "native/schedule/sort_plan.h"

namespace weft::native {

void EntryEmitter::emit_sort(const Step& step) {
  const OpView op{f_, step.op};
  const std::vector<int64_t> words = step.sort->for_parts(in_.partitions);
  if (words[WEFT_RT_SORT_LINES] == 0 || words[WEFT_RT_SORT_TAKE] == 0) return;
  poll_interrupts();
  in_.step_scratch_bytes = std::max(in_.step_scratch_bytes, weft_rt_sort_workspace(words.data()));
  std::vector<uint64_t> bits(words.begin(), words.end());
  auto* data = llvm::ConstantDataArray::get(c_, bits);
  auto* plan = new llvm::GlobalVariable(m_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "sort");
  plan->setAlignment(llvm::Align(8));
  llvm::Constant* less = llvm::ConstantPointerNull::get(ptr_);
  if (step.sort->needs_comparator)
    less = codegen::emit_comparator(m_, op, step.sort->step, (fn_->getName() + ".less").str());
  std::vector<llvm::Value*> pointers;
  for (Value v : op.operands()) pointers.push_back(address(v));
  for (size_t i = 0; i < op.num_results(); ++i) pointers.push_back(address(op.result(i)));
  b_.CreateCall(runtime("weft_rt_sort", b_.getVoidTy(), {ptr_, ptr_, ptr_, ptr_}),
                {plan, less, pointer_table(pointers), scratch()});
}

}  // namespace weft::native
