// LAPACK's routines on batches of matrices that lie in memory as tensors do: what evaluator and native target run for the custom calls of
// JAX's linear algebra.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "ops/record.h"

namespace weft::lapack {

/// An operand or result: the last two dimensions are those of a matrix, the others count the batch.
struct View {
  Shape shape;
  void* data = nullptr;
};

struct BatchCall {
  const OpView& op;  // for its configuration
  std::vector<View> in, out;
  int64_t first = 0, last = 0;  // the matrices that are to be computed
};

struct Routine {
  std::string_view target;  // the custom call's
  ElementType element;      // of its first operand
  std::vector<ElementType> results;
  /// Shapes behind the batch, of the operands, then null, then of the results; a letter is an extent: m and n those of the matrix, k the
  /// smaller, s that of the side, u and v those of the mode (no matter in mode N), t one of at most k.
  std::span<const char* const> shapes;
  size_t matrix = 0;  // the operand that counts the batch
  /// Reads the operands and writes the results of matrices [first, last). Throws nothing but bad_alloc.
  void (*run)(const BatchCall&) = nullptr;

  int64_t count(std::span<const View> in) const;
};

/// The routine of an op that is a call of one; null for other ops and for element types without one.
const Routine* find_routine(const OpView& op);

/// Throws Unsupported unless the op's operands and results are what the routine takes and gives.
void expect_form(const Routine& routine, const OpView& op);

}  // namespace weft::lapack
