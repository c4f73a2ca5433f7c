// Ops that loop for each element of their result (reduce, …) inside the pull model.
#pragma once
#include "native/codegen/dry_run.h"

namespace weft::codegen {

/// Walks the reads of a looping op in a dry run.
void walk_loop(DryRun& run, const OpView& op, const Index& index);

/// Whether the op, which is_loop holds for, can be generated.
bool can_inline_loop(const OpView& op, std::string* reason);

}  // namespace weft::codegen
