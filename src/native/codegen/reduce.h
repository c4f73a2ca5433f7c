// reduce inside the pull model.
#pragma once
#include <optional>

#include "native/codegen/dry_run.h"
#include "native/codegen/emitter.h"

namespace weft::codegen {

/// The one op of a region (a, b) → op(a, b) of which order and grouping do not matter, with its neutral element.
struct Monoid {
  OpId op;
  uint64_t neutral;  // bits of the type in which elements are computed
};
/// None when the region is anything else.
std::optional<Monoid> monoid_of(const Function& f, RegionId region);

/// Loops over the reduced dimensions, outermost first; `merged`: neighbouring ones as one.
std::vector<int64_t> reduction_loops(const OpView& op, bool merged);
/// Whether merging costs no division.
bool merges_reduction(const IndexSpace& space, const Function& kernel, const OpView& op, const Index& index);

void walk_reduce(DryRun& run, const OpView& op, const Index& index);
std::vector<Val> emit_reduce(Emitter& e, const OpView& op, const Index& index, const Mask& mask);
/// The body of a reduction and its accumulators. Sums and products of 16-bit floats run in f32 and are rounded once.
class RegionFold {
 public:
  /// `op` has its operands, then as many start values; results one for one.
  RegionFold(Emitter& e, const OpView& op, size_t region);
  const std::optional<Monoid>& monoid() const { return monoid_; }
  std::vector<Val> inits();
  Val neutral();
  /// An element of operand i in the type of the accumulator.
  Val operand(size_t i, Val v);
  std::vector<Val> combine(std::span<const Val> a, std::span<const Val> b);
  /// From accumulators to results.
  std::vector<Val> finish(std::vector<Val> accumulators);

 private:
  Emitter& e_;
  OpView op_;
  RegionId region_;
  std::vector<ElementType> types_;
  std::optional<Monoid> monoid_;
  bool wide_ = false;
};
/// Accumulators over iterations [low, high) of the outermost reducing loop, without start values and final rounding.
Val emit_partial_reduce(Emitter& e, const OpView& op, const Index& index, bool merged, llvm::Value* low,
                        llvm::Value* high);
/// A reduction of everything to one place by any body, in pieces: the operand is cut into `pieces` of `length` elements, of which one
/// per lane is folded at a time, in order; what is left over comes last. Scratch holds the pieces' results, result by result.
struct Pieces {
  int64_t pieces = 0, length = 0;
  int lanes = 1;
};
size_t piece_bytes(const OpView& op, const Pieces& p, size_t results);
/// Units [begin, end) of pieces / lanes.
void emit_pieces(Emitter& e, const OpView& op, const Pieces& p, llvm::Value* scratch, llvm::Value* begin,
                 llvm::Value* end);
/// The results, from start values, pieces and rest.
std::vector<Val> emit_joined_pieces(Emitter& e, const OpView& op, const Pieces& p, llvm::Value* scratch);
/// Whether a region runs element by element.
bool is_scalar_region(const Function& f, RegionId region, std::string* reason);

}  // namespace weft::codegen
