// Algorithms on batches of matrices, written in StableHLO's ops: tensors [batch, rows, columns] and [batch, n], counted loops, and rows and
// columns at positions that the loop knows.
#pragma once
#include <functional>

#include "ops/builder.h"
#include "ops/record.h"

namespace weft::lapack::portable {

using Values = std::vector<Value>;

/// A builder with words for matrices. A value for each matrix is a vector [batch].
class MatrixWriter : public OpBuilder {
 public:
  explicit MatrixWriter(const OpBuilder& b) : OpBuilder(b) {}

  ElementType element(Value x) const { return type(x).element_type(); }
  int64_t extent(Value x, int64_t dimension) const { return type(x).dim(dimension); }

  // Batches.
  /// All dimensions but the last `kept` made one.
  Value as_batch(Value x, int64_t kept);
  /// With the dimensions of `to` again; results that a form leaves open are of other shapes and become zeros.
  Value in_shape(Value x, Type to) { return reshape(x, to.shape()); }

  // Loops.
  /// carries = body(i, carries) for i of i32 in [first, last).
  using Body = std::function<Values(MatrixWriter&, Value i, std::span<const Value> carries)>;
  Values repeat(int64_t first, int64_t last, std::span<const Value> carries, const Body& body);
  /// The same from the last to the first.
  Values repeat_backwards(int64_t first, int64_t last, std::span<const Value> carries, const Body& body);
  using Condition = std::function<Value(MatrixWriter&, std::span<const Value> carries)>;
  using Step = std::function<Values(MatrixWriter&, std::span<const Value> carries)>;
  Values loop(std::span<const Value> carries, const Condition& condition, const Step& step);
  /// `then` where the scalar i1 holds.
  using Branch = std::function<Values(MatrixWriter&)>;
  Values branch(Value condition, const Branch& then, const Branch& otherwise);

  // Numbers.
  Value integer(double v) { return scalar(ElementType::kI32, v); }
  Value fill(Value scalar_value, std::span<const int64_t> shape) { return broadcast_scalar(scalar_value, shape); }
  Value like(Value x, double v) { return splat(type(x), v); }
  Value real(Value x);       // a real x is its own
  Value imaginary(Value x);  // a real x has none: zeros
  Value conjugate(Value x);
  Value in_element(Value x, ElementType e);  // a real x, as complex where e is
  Value absolute(Value x);                   // |x|, real
  Value sum_of_parts(Value x);               // |re| + |im|, by which LAPACK compares pivots
  Value square(Value x);                     // |x|², real
  Value root(Value x) { return make("stablehlo.sqrt", {x}); }
  Value not_zero(Value x) { return compare(x, zeros(type(x)), "NE"); }
  Value is_zero(Value x) { return compare(x, zeros(type(x)), "EQ"); }
  /// x, and 1 where it is 0: a divisor.
  Value or_one(Value x) { return select(is_zero(x), like(x, 1), x); }

  // Vectors [batch, n] and matrices [batch, rows, columns].
  /// Along the dimensions of a matrix type that are named; the batch is dimension 0 of all.
  Value over(Value x, Type t, std::initializer_list<int64_t> dims);
  Value over_rows(Value per_row, Type t) { return over(per_row, t, {0, 1}); }           // [batch, rows]
  Value over_columns(Value per_column, Type t) { return over(per_column, t, {0, 2}); }  // [batch, columns]
  Value over_all(Value x, Type t) { return over(x, t, {0}); }                           // [batch]
  Value sum(Value x, int64_t dimension) { return reduced(x, dimension, "stablehlo.add"); }
  Value largest(Value x, int64_t dimension) { return reduced(x, dimension, "stablehlo.maximum"); }
  Value reduced(Value x, int64_t dimension, std::string_view body);
  /// Positions along a dimension of a type, and their comparison with one position.
  Value positions(Type t, int64_t dimension) { return iota(t.with_element(ElementType::kI32), dimension); }
  Value where(Type t, int64_t dimension, std::string_view direction, Value position);
  /// Position of the largest number of each vector; `fallback` where NaN leaves none.
  Value first_of_largest(Value vectors, Value fallback);

  Value row(Value a, Value i);
  Value column(Value a, Value j);
  Value at(Value vector, Value i);  // [batch]
  Value with_row(Value a, Value i, Value row);
  Value with_column(Value a, Value j, Value column);
  Value with(Value vector, Value i, Value x);
  /// The rows (columns) of each matrix in the order of an index vector [batch, n].
  Value rows_in_order(Value a, Value order) { return in_order(a, order, 1); }
  Value columns_in_order(Value a, Value order) { return in_order(a, order, 2); }
  Value elements_in_order(Value vectors, Value order) { return in_order(vectors, order, 1); }

  Value block(Value a, int64_t r0, int64_t r1, int64_t c0, int64_t c1);
  Value columns(Value a, int64_t c0, int64_t c1) { return block(a, 0, extent(a, 1), c0, c1); }
  Value rows(Value a, int64_t r0, int64_t r1) { return block(a, r0, r1, 0, extent(a, 2)); }
  Value part(Value vectors, int64_t first, int64_t last);
  Value beside(Value left, Value right) { return joined({left, right}, 2); }
  Value above(Value top, Value bottom) { return joined({top, bottom}, 1); }
  Value joined(std::initializer_list<Value> xs, int64_t dimension);
  /// Vectors [batch] as [batch, count].
  Value joined_numbers(std::initializer_list<Value> xs);
  Value identity(Type t);                               // ones where row = column
  Value triangle(Value a, std::string_view direction);  // where row DIRECTION column; zeros elsewhere
  Value diagonal(Value a);                              // of square matrices
  Value transposed(Value a);
  Value adjoint(Value a) { return conjugate(transposed(a)); }
  /// a·b, where a is taken as its adjoint if so said. As exact as the device can.
  Value product(Value a, Value b, bool a_adjoint = false);
  /// column ⊗ row
  Value outer(Value per_row, Value per_column, Type t) {
    return multiply(over_rows(per_row, t), over_columns(per_column, t));
  }
  /// vᴴ·a for vectors [batch, rows] → [batch, columns]; a·v for [batch, columns] → [batch, rows].
  Value adjoint_times(Value v, Value a) { return sum(multiply(over_rows(conjugate(v), type(a)), a), 1); }
  Value times(Value a, Value v) { return sum(multiply(a, over_columns(v, type(a))), 2); }
  /// Order that sorts each vector, and the vectors in it. NaN comes last.
  struct Sorted {
    Value keys, order;
  };
  Sorted sorted(Value keys, bool descending);

 private:
  Value in_order(Value x, Value order, int64_t axis);
};

/// The element type of |x|, its distance from 1 to the next number, and its least normal number.
ElementType real_element(ElementType e);
double epsilon(ElementType e);
double least_normal(ElementType e);

}  // namespace weft::lapack::portable
