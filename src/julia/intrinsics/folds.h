// Reductions of machine numbers in memory, in Julia's order of operations.
#pragma once
#include <optional>

#include "julia/host/number.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

enum class FoldOp : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr };

/// An operation of a reduction that is known: `+`, `add_sum`, `*`, `mul_prod`, min, max, `&`, `|`.
struct KnownFold {
  FoldOp op = FoldOp::kAdd;
  bool widens = false;  ///< add_sum, mul_prod: small integers become Int or UInt
};
std::optional<KnownFold> known_fold(const Value& op);

/// The kind in which numbers are reduced; nothing where the operation is none of theirs.
std::optional<NumberKind> fold_kind(KnownFold fold, NumberKind element);

/// Elements [0, n) of a kind given by fold_kind, n > 0, in Julia's pairwise order: blocks of 1024, each reduced as a vectorised
/// loop does it.
Value fold_pairwise(FoldOp op, NumberKind kind, const void* data, int64_t n);
/// Continues from `start`, as one loop over the elements.
Value fold_from(FoldOp op, NumberKind kind, const Value& start, const void* data, int64_t n);
/// The value that changes nothing: of add, multiply, and, or.
std::optional<Value> neutral_element(FoldOp op, NumberKind kind);
Value fold_two(FoldOp op, NumberKind kind, const Value& a, const Value& b);
/// to[i] = op(to[i], from[i]).
void fold_into(FoldOp op, NumberKind kind, void* to, const void* from, int64_t n);
/// to[i] = op(to[i - 1], from[i]) in Julia's order, from[0] first; `pairwise` as cumsum of a vector of floats does it.
void accumulate_elements(FoldOp op, NumberKind kind, const void* from, void* to, int64_t n, bool pairwise);

}  // namespace weft::julia
