#include "native/codegen/loops.h"

#include "native/codegen/contraction.h"
#include "native/codegen/emitter.h"
#include "native/codegen/reduce.h"
#include "native/codegen/window.h"

namespace weft::codegen {
namespace {

enum class LoopKind { kNone, kReduce, kContraction, kReduceWindow, kSelectAndScatter };

LoopKind loop_kind(const OpDef& def) {
  const std::string_view m = def.mnemonic;
  if (m == "stablehlo.reduce") return LoopKind::kReduce;
  if (m == "stablehlo.dot_general" || m == "stablehlo.convolution") return LoopKind::kContraction;
  if (m == "stablehlo.reduce_window") return LoopKind::kReduceWindow;
  if (m == "stablehlo.select_and_scatter") return LoopKind::kSelectAndScatter;
  return LoopKind::kNone;
}

}  // namespace

bool is_loop(const OpView& op) { return loop_kind(op.def()) != LoopKind::kNone; }

void walk_loop(DryRun& run, const OpView& op, const Index& index) {
  switch (loop_kind(op.def())) {
    case LoopKind::kReduce: return walk_reduce(run, op, index);
    case LoopKind::kContraction: return walk_contraction(run, op, index);
    case LoopKind::kReduceWindow: return walk_reduce_window(run, op, index);
    default: return walk_select_and_scatter(run, op, index);
  }
}

std::vector<Val> emit_loop(Emitter& e, const OpView& op, const Index& index, const Mask& mask) {
  switch (loop_kind(op.def())) {
    case LoopKind::kReduce: return emit_reduce(e, op, index, mask);
    case LoopKind::kContraction: return emit_contraction(e, op, std::span(&index, 1), mask);
    case LoopKind::kReduceWindow: return emit_reduce_window(e, op, index, mask);
    default: return emit_select_and_scatter(e, op, index, mask);
  }
}

bool can_inline_loop(const OpView& op, std::string* reason) {
  if (loop_kind(op.def()) == LoopKind::kContraction) return can_inline_contraction(op, reason);
  for (RegionId r : op.regions()) {
    if (!is_scalar_region(op.function, r, reason)) return false;
  }
  return true;
}

}  // namespace weft::codegen
