// Costly values of a row that several loops over it need: kept on the stack by the first of them.
#include <algorithm>

#include "native/open/open_emitter.h"

namespace weft::native {

bool OpenEmitter::is_costly(const OpView& op) {
  constexpr double kFlops = 8;
  if (op.num_results() != 1 || !op.regions().empty() || record(op).scalar.refused() || record(op).cost.refused())
    return false;
  const auto elements = static_cast<double>(std::max<int64_t>(1, op.result_type().num_elements()));
  return record(op).cost.rule()(op).flops >= kFlops * elements;
}

void OpenEmitter::keep_rows(KeptRow row) {
  kept_row_ = row;
  kept_.clear();
  being_kept_.clear();
}

OpenEmitter::RowKey OpenEmitter::row_of(Value v, const OpenPlace& place) {
  return {v.index, linear({place.begin(), place.end() - 1}).v};
}

llvm::AllocaInst* OpenEmitter::kept(Value v, const OpenPlace& place) {
  if (kept_.empty() || place.empty() || place.back().extent != kept_row_.extent) return nullptr;
  const auto it = kept_.find(row_of(v, place));
  return it == kept_.end() ? nullptr : it->second;
}

void OpenEmitter::keep(Value v, const OpenPlace& place, const OpenValue& r) {
  if (kept_row_.extent == 0 || row_fold_ == nullptr || !bound_.empty() || place.empty() || r.im != nullptr) return;
  const OpenDigit& last = place.back();
  if (last.extent != kept_row_.extent || last.at.v != row_fold_ || last.at.depth <= kept_row_.depth ||
      !r.v->getType()->isFloatingPointTy() || !is_costly({kernel_, kernel_.defining_op(v)}))
    return;
  std::ptrdiff_t uses = 0;
  for (OpId id : kernel_.ops(kernel_.body())) uses += std::ranges::count(kernel_.operands(id), v);
  const RowKey row = row_of(v, place);
  if (uses < 2 || being_kept_.contains(row)) return;
  llvm::AllocaInst* memory = stack(r.v->getType(), kMaxKept);
  llvm::IRBuilder<> b = at(last.at.depth);
  b.CreateStore(r.v, b.CreateGEP(r.v->getType(), memory, last.at.v));
  being_kept_.emplace(row, memory);
}

int OpenEmitter::folds_below(Value v) {
  const OpId id = kernel_.defining_op(v);
  if (!id || kept_row_.extent == 0) return 0;
  if (const auto it = folds_.find(v.index); it != folds_.end()) return it->second;
  int most = 0;
  for (Value operand : kernel_.operands(id)) most = std::max(most, folds_below(operand));
  return folds_[v.index] = most + (kernel_.def(id).mnemonic == "stablehlo.reduce" ? 1 : 0);
}

}  // namespace weft::native
