// Cholesky factors and triangular solves in the lanes of vectors: a lane is a matrix of a batch, or a right side. For f32 and f64, whose
// orders are small or whose right sides are many; LAPACK takes one large matrix at a time better.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::native {

/// What solves: t·x = b for vectors x and b of n elements, `others` of them for each matrix. The element (i, j) of t is (j, i) of the row-major
/// operand when is_swapped; t is lower triangular when is_downwards.
struct LaneSolve {
  int64_t n = 0, others = 0;
  bool is_left = true;  // vectors are columns of b, else rows
  bool is_swapped = false, is_downwards = true, is_unit = false;
};

/// For one instruction set. Buffers are aligned to 64 bytes; outputs may be inputs.
template <class T>
struct MatrixLanes {
  /// Factors of matrices [first, last) of order n: l·lᵀ with l lower, or uᵀ·u; only that triangle is read, the other becomes zero. NaN from the
  /// column on at which a matrix is not positive definite.
  void (*cholesky)(const T* a, T* factors, int64_t n, bool lower, int64_t first, int64_t last, void* buffer);
  size_t (*cholesky_bytes)(int64_t n);

  /// A lane is a matrix with all its right sides.
  void (*solve_each)(const T* a, const T* b, T* x, const LaneSolve& solve, int64_t first, int64_t last, void* buffer);
  size_t (*solve_each_bytes)(const LaneSolve& solve);

  /// A lane is a right side. Blocks of block_of() right sides count through the batch, rounded up for each matrix.
  void (*solve_many)(const T* a, const T* b, T* x, const LaneSolve& solve, int64_t first, int64_t last, void* buffer);
  size_t (*solve_many_bytes)(const LaneSolve& solve);

  int64_t lanes, block;
};

/// For each instruction set that this CPU has, the widest vectors first; never empty.
std::vector<const MatrixLanes<float>*> all_matrix_lanes(float);
std::vector<const MatrixLanes<double>*> all_matrix_lanes(double);
template <class T>
const MatrixLanes<T>& matrix_lanes() {
  return *all_matrix_lanes(T()).front();
}

}  // namespace weft::native
