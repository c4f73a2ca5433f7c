// Source of the order of pairs: R. P. Brent, F. T. Luk, "The solution of singular-value and symmetric eigenvalue problems on
// multiprocessor arrays" (1985).
#include "lapack/portable/rotations.h"

namespace weft::lapack::portable {

Rotations rotations(MatrixWriter& w, Value first, Value second, Value between, Value skip) {
  const ElementType e = w.element(between);
  const Type t = w.type(first);
  const Value one = w.splat(t, 1), size = w.absolute(between);
  const Value divisor = w.select(skip, one, size);
  const Value tau = w.divide(w.subtract(second, first), w.add(divisor, divisor));
  // |tau| + √(1 + tau²), where the square may be infinite, as the tangent is 0 then.
  const Value sum = w.add(w.absolute(tau), w.root(w.add(one, w.multiply(tau, tau))));
  const Value sign = w.select(w.compare(tau, w.zeros(t), "LT"), w.negate(one), one);
  const Value tangent = w.select(skip, w.zeros(t), w.divide(sign, sum));
  const Value cosine = w.divide(one, w.root(w.add(one, w.multiply(tangent, tangent))));
  const Value direction = w.divide(w.conjugate(between), w.in_element(divisor, e));
  const Value phase = w.select(skip, w.like(between, 1), direction);
  return {cosine, w.multiply(tangent, cosine), phase, tangent};
}

Value rotated(MatrixWriter& w, Value a, const Rotations& r, int64_t dimension, bool adjoint) {
  const Type t = w.type(a);
  const int64_t half = t.dim(dimension) / 2;
  const ElementType e = t.element_type();
  const auto half_of = [&](int64_t first) {
    return dimension == 1 ? w.rows(a, first, first + half) : w.columns(a, first, first + half);
  };
  const Value x = half_of(0), y = half_of(half);
  const Type part = w.type(x);
  const auto wide = [&](Value v) { return w.over(w.in_element(v, e), part, {0, dimension}); };
  const Value turned = w.multiply(wide(adjoint ? w.conjugate(r.phase) : r.phase), y);
  const Value c = wide(r.cosine), s = wide(r.sine);
  return w.joined({w.subtract(w.multiply(c, x), w.multiply(s, turned)), w.add(w.multiply(s, x), w.multiply(c, turned))},
                  dimension);
}

Value next_pairs(MatrixWriter& w, Value a, int64_t dimension) {
  const int64_t n = w.extent(a, dimension), half = n / 2;
  if (n <= 2) return a;
  const auto piece = [&](int64_t first, int64_t last) {
    return dimension == 1 ? w.rows(a, first, last) : w.columns(a, first, last);
  };
  return w.joined({piece(0, 1), piece(half, half + 1), piece(1, half - 1), piece(half + 1, n), piece(half - 1, half)},
                  dimension);
}

Value made_unitary(MatrixWriter& w, Value v) {
  const Value gram = w.product(v, v, true), one = w.identity(w.type(gram));
  // vᴴ·v = 1 + rest: half of the rest less.
  const Value rest = w.multiply(w.like(gram, 0.5), w.subtract(gram, one));
  return w.subtract(v, w.product(v, rest));
}

}  // namespace weft::lapack::portable
