#include "native/codegen/jam_sums.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace weft::codegen {
namespace {

constexpr unsigned kSideBySide = 8;
/// Instructions of an inner loop beyond which its additions have time enough.
constexpr ptrdiff_t kLong = 60;

/// Whether the loop carries a sum of floats whose order counts, and does little else.
bool sums_in_order(const llvm::Loop& loop) {
  if (loop.getNumBlocks() != 1) return false;
  const llvm::BasicBlock& block = *loop.getHeader();
  if (block.sizeWithoutDebug() > kLong) return false;
  const auto is_sum = [&](const llvm::PHINode& phi) {
    const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(&block));
    return phi.getType()->isFloatingPointTy() && next != nullptr && next->getOpcode() == llvm::Instruction::FAdd &&
           !next->hasAllowReassoc() && (next->getOperand(0) == &phi || next->getOperand(1) == &phi);
  };
  const auto is_plain = [](const llvm::Instruction& i) { return !i.mayWriteToMemory(); };
  return std::ranges::any_of(block.phis(), is_sum) && std::all_of(block.begin(), block.end(), is_plain);
}

}  // namespace

bool mark_ordered_sums(const llvm::LoopInfo& loops) {
  bool any = false;
  for (llvm::Loop* inner : loops.getLoopsInPreorder()) {
    llvm::Loop* outer = inner->getParentLoop();
    const bool is_pair = outer != nullptr && inner->isInnermost() && outer->getSubLoops().size() == 1;
    if (!is_pair || !sums_in_order(*inner)) continue;
    llvm::addStringMetadataToLoop(outer, "llvm.loop.unroll_and_jam.count", kSideBySide);
    any = true;
  }
  return any;
}

}  // namespace weft::codegen
