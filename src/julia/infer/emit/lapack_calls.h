// Matrices of compiled code as LAPACK's custom calls take them (src/lapack): rows × columns, where the leaf of an array is its transpose.
#pragma once
#include <initializer_list>
#include <utility>

#include "julia/infer/emit/arrays.h"

namespace weft::julia {

/// A matrix, or a vector as one column.
struct MatrixArgument {
  Abstract array;
  int64_t rows = 0, columns = 0;
  ElementType element{};
  IrValue leaf;  // columns × rows
};
/// Fails for what is no array of Float32, Float64 or their complex numbers.
MatrixArgument matrix_argument(Compiler& c, const Abstract& a);
/// rows × columns.
IrValue by_rows(Compiler& c, const MatrixArgument& m);
/// The array's contents from a matrix of rows × columns, or from its transpose.
void store_rows(Compiler& c, const MatrixArgument& m, IrValue rows);
void store_leaf(Compiler& c, const MatrixArgument& m, IrValue leaf);
/// New arrays from what LAPACK gives.
Abstract matrix_of_rows(Compiler& c, IrValue rows);
Abstract vector_of(Compiler& c, IrValue v);

ElementType real_of(ElementType e);
weft::Type shaped(ElementType e, std::initializer_list<int64_t> shape);
/// NAME of LAPACK for an element type; complex matrices have another one where it is given.
struct LapackName {
  std::string_view real, of_complex = {};
};
std::vector<IrValue> lapack(Compiler& c, LapackName name, ElementType e, std::initializer_list<IrValue> operands,
                            std::initializer_list<weft::Type> results,
                            std::initializer_list<std::pair<std::string_view, char>> letters = {});
/// LAPACK's i32 numbers as Int64.
Abstract info_of(Compiler& c, IrValue info);
Abstract integers_of(Compiler& c, IrValue v);
/// A letter (Char) that is known now.
char letter_of(Compiler& c, const Abstract& a);

/// x of x op(A)ᵀ = b, all leaves: A X = B by columns. `trans` is N, T or C.
IrValue solve_triangle(Compiler& c, IrValue a, IrValue b, char uplo, char trans, bool unit, bool from_right = false);

}  // namespace weft::julia
