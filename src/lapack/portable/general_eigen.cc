// Eigenvalues and vectors of general matrices from their Schur form (LAPACK: geev, trevc).
#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "lapack/portable/schur.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

/// 1/(t_ii - t_jj) for all j, where numbers that are too near are as far apart as rounding can tell.
Value over_differences(MatrixWriter& w, Value at_i, Value diagonal, Value least) {
  const Type t = w.type(diagonal);
  const Value difference = w.subtract(w.over(at_i, t, {0}), diagonal);
  const Value small = w.over(least, w.type(w.absolute(difference)), {0});
  const Value is_near = w.compare(w.absolute(difference), small, "LT");
  return w.divide(w.splat(t, 1), w.select(is_near, w.in_element(small, t.element_type()), difference));
}

/// The columns x of t·x = λ·x for a triangular t, in the order of its diagonal.
Value right_vectors(MatrixWriter& w, Value t, Value least) {
  const Type type = w.type(t);
  const int64_t n = type.dim(1);
  const Value diagonal = w.diagonal(t), start[] = {w.zeros(type)};
  return w.repeat_backwards(0, n, start, [&](MatrixWriter& w, Value i, std::span<const Value> c) {
    const Value row = w.row(t, i), sums = w.sum(w.multiply(w.over_rows(row, type), c[0]), 1);
    const Value found = w.negate(w.multiply(sums, over_differences(w, w.at(diagonal, i), diagonal, least)));
    const Type vector = w.type(sums);
    const Value is_right = w.where(vector, 1, "GT", i), is_at = w.where(vector, 1, "EQ", i);
    return Values{w.with_row(c[0], i, w.select(is_at, w.splat(vector, 1), w.select(is_right, found, w.zeros(vector))))};
  })[0];
}

/// The rows l of l·t = λ·l.
Value left_vectors(MatrixWriter& w, Value t, Value least) {
  const Type type = w.type(t);
  const Value diagonal = w.diagonal(t), start[] = {w.zeros(type)};
  return w.repeat(0, type.dim(1), start, [&](MatrixWriter& w, Value i, std::span<const Value> c) {
    const Value sums = w.times(c[0], w.column(t, i));
    const Value found = w.negate(w.multiply(sums, over_differences(w, w.at(diagonal, i), diagonal, least)));
    const Type vector = w.type(sums);
    const Value is_above = w.where(vector, 1, "LT", i), is_at = w.where(vector, 1, "EQ", i);
    return Values{
        w.with_column(c[0], i, w.select(is_at, w.splat(vector, 1), w.select(is_above, found, w.zeros(vector))))};
  })[0];
}

/// Columns of length 1 whose largest number is real.
Value normalized(MatrixWriter& w, Value v) {
  const Type t = w.type(v);
  const ElementType e = t.element_type();
  const Value sizes = w.absolute(v);
  const Value largest = w.largest(sizes, 1), safe = w.or_one(largest);
  const Type real = w.type(sizes);
  v = w.divide(v, w.in_element(w.over_columns(safe, real), e));
  const Value length = w.root(w.sum(w.square(v), 1));
  const Value is_largest = w.compare(w.absolute(v), w.over_columns(w.largest(w.absolute(v), 1), real), "EQ");
  const Value rows = w.positions(t, 1), none = w.like(rows, static_cast<double>(t.dim(1)));
  const Value first = w.reduced(w.select(is_largest, rows, none), 1, "stablehlo.minimum");
  const Value is_first = w.compare(rows, w.over_columns(first, w.type(rows)), "EQ");
  const Value top = w.sum(w.select(is_first, v, w.zeros(t)), 1);
  const Value factor = w.divide(w.conjugate(top), w.in_element(w.or_one(w.multiply(w.absolute(top), length)), e));
  return w.multiply(v, w.over_columns(factor, t));
}

/// Of real matrices: real where the eigenvalue is, and of a pair the second is the first's conjugate.
Value in_pairs(MatrixWriter& w, Value v, Value imaginary) {
  const Type t = w.type(v);
  const int64_t n = t.dim(2);
  const Value real = w.make("stablehlo.complex", {w.real(v), w.zeros(w.type(w.real(v)))});
  const Value before = w.beside(w.zeros(t.with_shape({1, n, 1})), w.columns(v, 0, n - 1));
  const auto where = [&](const char* direction) {
    return w.over_columns(w.compare(imaginary, w.zeros(w.type(imaginary)), direction), t);
  };
  return w.select(where("EQ"), real, w.select(where("LT"), w.conjugate(before), v));
}

}  // namespace

Values eigenvalues_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  const bool has_left = letter(op, "compute_left", 'N') == 'V', has_right = letter(op, "compute_right", 'N') == 'V';
  const Type t = w.type(x[0]);
  const int64_t batch = t.dim(0), n = t.dim(1);
  const ElementType e = t.element_type();
  const bool is_real = !is_complex(e);
  const Type vectors = t.with_element(e == kF32 ? kC64 : e == kF64 ? kC128 : e), values = t.with_shape({batch, n});
  std::vector<Type> types = {values};
  if (is_real) types.push_back(values);
  if (has_left) types.push_back(vectors);
  if (has_right) types.push_back(vectors);
  types.push_back(Type::tensor(kI32, {batch}));
  Values found = for_each_matrix(w, x[0], types, [&](MatrixWriter& w, Value one) {
    Schur s = schur_of_one(w, one);
    RealParts parts{};
    Values out;
    if (is_real) {
      parts = eigenvalues_of_blocks(w, s.t);
      out = {parts.real, parts.imaginary};
      if (has_left || has_right) s = as_triangular(w, s, parts);
    } else {
      out = {w.diagonal(s.t)};
    }
    const Value size = w.largest(w.largest(w.absolute(s.t), 2), 1);
    const Value least = w.maximum(w.multiply(size, w.like(size, epsilon(e))), w.like(size, least_normal(e)));
    const auto add = [&](Value v) {
      v = normalized(w, v);
      out.push_back(is_real ? in_pairs(w, v, parts.imaginary) : v);
    };
    if (has_left) add(w.product(s.z, w.adjoint(left_vectors(w, s.t, least))));
    if (has_right) add(w.product(s.z, right_vectors(w, s.t, least)));
    out.push_back(s.info);
    return out;
  });
  const auto first = found.begin() + (is_real ? 2 : 1);
  if (!has_left) found.insert(first, Value{});
  if (!has_right) found.insert(found.begin() + (is_real ? 3 : 2), Value{});
  return found;
}

}  // namespace weft::lapack::portable
