#include "native/codegen/recursion.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <vector>

namespace weft::native {
namespace {

/// Instructions of a level, and of all levels together: a call costs as much as some ten instructions.
constexpr unsigned kShort = 80, kLong = 1600;

std::vector<llvm::CallInst*> calls_of(llvm::Function& caller, const llvm::Function& callee) {
  std::vector<llvm::CallInst*> out;
  for (llvm::Instruction& i : llvm::instructions(caller)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call != nullptr && call->getCalledFunction() == &callee) out.push_back(call);
  }
  return out;
}

}  // namespace

bool is_short_recursion(llvm::Function& f) {
  if (f.getInstructionCount() > kShort) return false;
  bool calls_itself = false;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call == nullptr) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || (callee != &f && !callee->isIntrinsic() && callee->getName() != "weft_rt_fail"))
      return false;
    calls_itself = calls_itself || callee == &f;
  }
  return calls_itself;
}

void write_out_levels(llvm::Function& f, llvm::Function& level) {
  const unsigned size = level.getInstructionCount();
  for (;;) {
    const std::vector<llvm::CallInst*> calls = calls_of(f, f);
    if (calls.empty() || f.getInstructionCount() + calls.size() * size > kLong) break;
    for (llvm::CallInst* call : calls) {
      call->setCalledFunction(&level);
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
  }
  level.eraseFromParent();
}

}  // namespace weft::native
