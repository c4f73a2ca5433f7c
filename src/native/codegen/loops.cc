#include "native/codegen/loops.h"

#include "native/codegen/emitter.h"
#include "native/codegen/reduce.h"

namespace weft::codegen {

void walk_loop(DryRun& run, const OpView& op, const Index& index) { walk_reduce(run, op, index); }

std::vector<Val> emit_loop(Emitter& e, const OpView& op, const Index& index, const Mask& mask) {
  return emit_reduce(e, op, index, mask);
}

bool can_inline_loop(const OpView& op, std::string* reason) { return is_scalar_region(op.function, op.region(0), reason); }

}  // namespace weft::codegen
