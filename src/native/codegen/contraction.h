// dot_general and convolution as plain loops in the pull model: right for any attributes.
#pragma once
#include "native/codegen/emitter.h"
#include "native/codegen/layout.h"

namespace weft::codegen {

inline bool is_contraction(const OpView& op) {
  return op.def().mnemonic == "stablehlo.dot_general" || op.def().mnemonic == "stablehlo.convolution";
}
void walk_contraction(DryRun& run, const OpView& op, const Index& index);
/// The sums of products at several places of the result in one loop, which share what they read.
std::vector<Val> emit_contraction(Emitter& e, const OpView& op, std::span<const Index> indices, const Mask& mask);
bool can_inline_contraction(const OpView& op, std::string* reason);

}  // namespace weft::codegen
