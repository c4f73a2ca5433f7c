// Jacobi's rotations of many pairs of columns at once: column i with column i + half, for all i below half.
#pragma once
#include "lapack/portable/matrix_writer.h"

namespace weft::lapack::portable {

/// Of each pair: cosine and sine [batch, half], both real, and the factor of size 1 by which the second column is multiplied before.
struct Rotations {
  Value cosine, sine, phase;
  Value tangent;
};

/// Those that make the pairs' product `between` = xᴴ·A·y zero, where xᴴ·A·x and yᴴ·A·y are `first` and `second` (real). None where `skip`.
Rotations rotations(MatrixWriter& w, Value first, Value second, Value between, Value skip);

/// (x, y) → (c·x - s·φ·y, s·x + c·φ·y), where x and y are the halves along a dimension. `adjoint`: with φ's conjugate.
Value rotated(MatrixWriter& w, Value a, const Rotations& r, int64_t dimension, bool adjoint);

/// The next round's pairs: after as many rounds as there are columns, less one, each column met each other once and all are back.
Value next_pairs(MatrixWriter& w, Value a, int64_t dimension);

/// A matrix that many rotations have left nearly unitary, made so to rounding: v·(3 - vᴴ·v)/2.
Value made_unitary(MatrixWriter& w, Value v);

}  // namespace weft::lapack::portable
