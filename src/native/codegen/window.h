// reduce_window and select_and_scatter in the pull model.
#pragma once
#include "native/codegen/dry_run.h"
#include "native/codegen/emitter.h"

namespace weft::codegen {

void walk_reduce_window(DryRun& run, const OpView& op, const Index& index);
std::vector<Val> emit_reduce_window(Emitter& e, const OpView& op, const Index& index, const Mask& mask);
void walk_select_and_scatter(DryRun& run, const OpView& op, const Index& index);
std::vector<Val> emit_select_and_scatter(Emitter& e, const OpView& op, const Index& index, const Mask& mask);

}  // namespace weft::codegen
