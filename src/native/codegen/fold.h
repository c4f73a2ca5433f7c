// Loops that carry accumulators: the frame of reduce, contractions and windows.
#pragma once
#include <functional>

#include "native/codegen/emitter.h"

namespace weft::codegen {

struct FoldLoop {
  int64_t extent;
  bool unrolled = false;
  /// Run-time bounds in place of [0, extent); for the outermost loop of a part of a reduction.
  llvm::Value* low = nullptr;
  llvm::Value* high = nullptr;
};

struct Fold {
  std::vector<FoldLoop> loops;  // outermost first
  /// The innermost loop takes `width` elements at a time, one per lane; the lanes are combined at the end.
  bool vectorised = false;
  int width = 1;  // lanes of the accumulators
  /// The innermost loop takes so many steps at once, whose reads are scattered along the lanes and contiguous along the loop.
  int tile = 1;
  std::vector<Val> start;
  /// Accumulators after one more element (per lane), at these values of the loop variables.
  std::function<std::vector<Val>(std::span<const Expr> variables, std::span<const Val> accumulators)> step;
  /// Joins two groups of accumulators; only for vectorised folds.
  std::function<std::vector<Val>(std::span<const Val>, std::span<const Val>)> combine;
};

/// Emits the fold in the current level.
std::vector<Val> emit_fold(Emitter& e, const Fold& fold);

/// Lanes for a vectorised fold whose innermost loop has `extent` iterations.
int fold_width(const Emitter& e, int64_t extent);

}  // namespace weft::codegen
