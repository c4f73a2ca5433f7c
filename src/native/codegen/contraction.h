// dot_general and convolution as plain loops in the pull model: right for any attributes.
#pragma once
#include "native/codegen/dry_run.h"
#include "native/codegen/emitter.h"

namespace weft::codegen {

inline bool is_contraction(const OpView& op) {
  return op.def().mnemonic == "stablehlo.dot_general" || op.def().mnemonic == "stablehlo.convolution";
}
void walk_contraction(DryRun& run, const OpView& op, const Index& index);
/// The sums of products at several places of the result in one loop, which share what they read.
std::vector<Val> emit_contraction(Emitter& e, const OpView& op, std::span<const Index> indices, const Mask& mask);

/// A matrix-vector product whose lanes run along the rows of the matrix reads it best as it lies in memory: some rows at a time
/// into an array of sums, instead of one sum after the other down its columns.
struct Stream {
  llvm::Value* sums;  // of stream_type(), elements [low, high)
  llvm::Value *low, *high;
  Expr first;  // low
  int64_t extent;
  int lanes;
  bool narrow_memory;
};
bool can_stream(const OpView& op);
ElementType stream_type(const OpView& op);
/// `index`: of the product's element of that number.
void emit_stream(Emitter& e, const OpView& op, const Stream& s, const std::function<Index(const Expr&)>& index);
bool can_inline_contraction(const OpView& op, std::string* reason);

}  // namespace weft::codegen
