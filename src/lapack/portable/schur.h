// Schur form of one matrix after the other, and what follows from it.
#pragma once
#include "lapack/portable/matrix_writer.h"

namespace weft::lapack::portable {

/// Hᴴ·a·H of one reflector after the other, below diagonal 1.
struct Hessenberg {
  Value form;     // upper, zeros below its lower diagonal
  Value vectors;  // the reflectors' elements below that diagonal
  Value tau;      // [batch, n - 1]
  Value q;        // the reflectors' product
};
/// Rows and columns outside [low, high) stay.
Hessenberg hessenberg(MatrixWriter& w, Value a, int64_t low, int64_t high);

/// a = z·t·zᴴ of a single matrix [1, n, n]: t is upper triangular; of real matrices with blocks of two rows, which have equal numbers on the
/// diagonal, for pairs of complex eigenvalues. info [1]: 0, or 1 + the last row that did not converge.
struct Schur {
  Value t, z, info;
};
Schur schur_of_one(MatrixWriter& w, Value a);

/// Eigenvalues of a real t: real and imaginary parts [1, n], the positive one of a pair first.
struct RealParts {
  Value real, imaginary;
};
RealParts eigenvalues_of_blocks(MatrixWriter& w, Value t);

/// A real Schur form as a complex one that is triangular.
Schur as_triangular(MatrixWriter& w, const Schur& real, const RealParts& eigenvalues);

/// What `compute` makes of each matrix [1, n, n], as batches of `types`.
using Compute = std::function<Values(MatrixWriter&, Value one)>;
Values for_each_matrix(MatrixWriter& w, Value a, std::span<const Type> types, const Compute& compute);

}  // namespace weft::lapack::portable
