// Fourier transforms in the entry: constant words and tables, and the runtime's call.
#include "native/aot_runtime/weft_rt_fft.h"
#include "native/codegen/entry_emitter.h"
#include "native/schedule/fft_plan.h"

namespace weft::native {

void EntryEmitter::emit_fft(const Step& step) {
  const FftPlan& fft = *step.fft;
  if (fft.words[WEFT_RT_FFT_PASSES] == 0) return;
  poll_interrupts();
  const std::vector<int64_t> words = fft.for_parts(in_.partitions);
  in_.step_scratch_bytes = std::max(in_.step_scratch_bytes, fft.workspace_bytes(in_.partitions));
  const auto constant = [&](llvm::Constant* data, const char* name) {
    auto* global = new llvm::GlobalVariable(m_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, name);
    global->setAlignment(llvm::Align(64));
    return global;
  };
  const std::vector<uint64_t> bits(words.begin(), words.end());
  const std::vector<float> floats(fft.table.begin(), fft.table.end());
  llvm::Constant* table =
      fft.is_double ? llvm::ConstantDataArray::get(c_, fft.table) : llvm::ConstantDataArray::get(c_, floats);
  llvm::Value* pointers[] = {address(f_.operand(step.op, 0)), address(f_.result(step.op))};
  b_.CreateCall(runtime("weft_rt_fft", b_.getVoidTy(), {ptr_, ptr_, i32_, ptr_, ptr_}),
                {constant(llvm::ConstantDataArray::get(c_, bits), "fft"), constant(table, "roots"),
                 b_.getInt32(fft.is_double ? 1 : 0), pointer_table(pointers), scratch()});
}

}  // namespace weft::native
