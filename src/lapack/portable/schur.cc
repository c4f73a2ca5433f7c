// Schur form by implicit QR steps on a Hessenberg matrix: with two shifts at a time for real matrices (Francis), one for complex ones.
// Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition, sections 7.4 and 7.5; choice of shifts as in LAPACK's hqr.
#include "lapack/portable/schur.h"

#include <limits>

#include "lapack/matrix.h"
#include "lapack/portable/rules.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::lapack::portable {
namespace {

using enum ElementType;

/// Iterations for each row; two or three are usual.
constexpr int64_t kMostSteps = 40;

/// Numbers are vectors [1]; positions are scalars. The matrix has two rows and columns of zeros more, lest blocks of rows reach beyond it.
class Iteration {
 public:
  explicit Iteration(MatrixWriter& w, ElementType e) : w(w), one_(Type::tensor(e, {1})) {}

  Value number(double v) { return w.splat(one_, v); }
  Value at(Value m, Value i, Value j) { return w.at(w.row(m, i), j); }
  Value next(Value i, int64_t by = 1) { return w.add(i, w.integer(static_cast<double>(by))); }
  Value as_vector(Value scalar) { return w.fill(scalar, one_.shape()); }
  Value sign_of(Value x) {  // ±1, of real numbers
    return w.select(w.compare(x, w.zeros(w.type(x)), "LT"), w.like(x, -1), w.like(x, 1));
  }
  Value with_number(Value m, Value i, Value j, Value x) {
    const Value starts[] = {w.integer(0), i, j};
    const int64_t shape[] = {1, 1, 1};
    return w.dynamic_update_slice(m, w.reshape(x, shape), starts);
  }
  Value rows_at(Value m, Value i, int64_t count) {
    const Value starts[] = {w.integer(0), i, w.integer(0)};
    const int64_t sizes[] = {1, count, w.extent(m, 2)};
    return w.dynamic_slice(m, starts, sizes);
  }
  Value columns_at(Value m, Value j, int64_t count) {
    const Value starts[] = {w.integer(0), w.integer(0), j};
    const int64_t sizes[] = {1, w.extent(m, 1), count};
    return w.dynamic_slice(m, starts, sizes);
  }
  Value with_rows(Value m, Value i, Value rows) {
    const Value starts[] = {w.integer(0), i, w.integer(0)};
    return w.dynamic_update_slice(m, rows, starts);
  }
  Value with_columns(Value m, Value j, Value columns) {
    const Value starts[] = {w.integer(0), w.integer(0), j};
    return w.dynamic_update_slice(m, columns, starts);
  }
  Value list(std::initializer_list<Value> numbers) { return w.joined_numbers(numbers); }

  /// g·h·gᴴ and z·gᴴ for a square g that acts on rows from k on.
  void turn(Value& h, Value& z, Value k, Value g) {
    const int64_t count = w.extent(g, 1);
    const auto from_right = [&](Value m) {
      return with_columns(m, k, w.product(columns_at(m, k, count), w.adjoint(g)));
    };
    h = from_right(with_rows(h, k, w.product(g, rows_at(h, k, count))));
    z = from_right(z);
  }
  /// The adjoint of the reflector that takes the numbers to (beta, 0), as a matrix.
  Value reflection(std::initializer_list<Value> numbers) {
    const Value all = list(numbers);
    const int64_t count = w.extent(all, 1);
    const Reflector r = make_reflector(w, w.reshape(w.part(all, 0, 1), one_.shape()), w.part(all, 1, count));
    const Value v = w.joined({w.splat(one_.with_shape({1, 1}), 1), r.v}, 1);
    const Type t = one_.with_shape({1, count, count});
    const Value scaled = w.multiply(v, w.over(w.conjugate(r.tau), w.type(v), {0}));
    return w.subtract(w.identity(t), w.outer(scaled, w.conjugate(v), t));
  }
  /// ((c, s), (-s̄, c̄))
  Value rotation(Value c, Value s) {
    const int64_t shape[] = {1, 2, 2};
    return w.reshape(list({c, s, w.negate(w.conjugate(s)), w.conjugate(c)}), shape);
  }

  MatrixWriter& w;

 private:
  const Type one_;
};

/// Steps of an active block of rows [first, last].
struct Block {
  Value h, z, first, last, count;  // count: steps since the last one that converged
};

/// Chases the bulge that a reflector of the numbers in `start` makes at the block's beginning down the block.
Values chase(MatrixWriter& w, const Block& b, const Values& start) {
  const int64_t width = static_cast<int64_t>(start.size());
  const Value carries[] = {b.first, b.h, b.z};
  Values out = w.loop(
      carries, [&](MatrixWriter& w, std::span<const Value> c) { return w.compare(c[0], b.last, "LT"); },
      [&](MatrixWriter& w, std::span<const Value> c) {
        Iteration it(w, w.element(b.h));
        const Value k = c[0], before = it.next(k, -1);
        const Value is_first = it.as_vector(w.compare(k, b.first, "EQ"));
        Value x = w.select(is_first, start[0], it.at(c[1], k, before)),
              y = w.select(is_first, start[1], it.at(c[1], it.next(k), before));
        Value h = c[1], z = c[2], g;
        if (width == 2) {
          g = it.reflection({x, y});
        } else {
          // The last reflector of a sweep is of two numbers.
          const Value third = w.select(is_first, start[2], it.at(c[1], it.next(k, 2), before));
          const Value is_within = it.as_vector(w.compare(it.next(k, 2), b.last, "LE"));
          g = it.reflection({x, y, w.select(is_within, third, it.number(0))});
        }
        it.turn(h, z, k, g);
        return Values{it.next(k), h, z};
      });
  // What the reflectors made zero.
  const Type t = w.type(out[1]);
  const Value is_below = w.compare(w.positions(t, 1), w.add(w.positions(t, 2), w.splat(t.with_element(kI32), 1)), "GT");
  return {w.select(is_below, w.zeros(t), out[1]), out[2]};
}

Value is_exceptional(MatrixWriter& w, Value count) {
  const Value ten = w.integer(10);
  return w.compare(w.make("stablehlo.remainder", {count, ten}), w.integer(9), "EQ");
}

/// Two shifts at once: the eigenvalues of the last two rows, or twice the one nearer to the last number when both are real.
Values real_step(MatrixWriter& w, const Block& b) {
  Iteration it(w, w.element(b.h));
  const Value m = it.next(b.last, -1);
  const Value p = it.at(b.h, m, m), q = it.at(b.h, b.last, b.last), upper = it.at(b.h, m, b.last),
              lower = it.at(b.h, b.last, m);
  const Value half = it.number(0.5), difference = w.multiply(half, w.subtract(p, q));
  const Value square = w.add(w.multiply(difference, difference), w.multiply(upper, lower));
  const Value root = w.root(w.maximum(square, it.number(0)));
  const Value offset = w.add(difference, w.multiply(it.sign_of(difference), root));
  const Value nearer = w.subtract(q, w.divide(w.multiply(upper, lower), w.or_one(offset)));
  const Value is_real = w.compare(square, it.number(0), "GE");
  Value trace = w.select(is_real, w.add(nearer, nearer), w.add(p, q)),
        determinant =
            w.select(is_real, w.multiply(nearer, nearer), w.subtract(w.multiply(p, q), w.multiply(upper, lower)));
  // Shifts from elsewhere where these lead nowhere.
  const Value size = w.add(w.absolute(lower), w.absolute(it.at(b.h, m, it.next(m, -1))));
  const Value other = w.add(w.multiply(it.number(0.75), size), q);
  const Value exceptional = it.as_vector(is_exceptional(w, b.count));
  trace = w.select(exceptional, w.add(other, other), trace);
  determinant = w.select(
      exceptional, w.add(w.multiply(other, other), w.multiply(it.number(0.4375), w.multiply(size, size))), determinant);
  const Value second = it.next(b.first), third = it.next(b.first, 2);
  const Value h00 = it.at(b.h, b.first, b.first), h10 = it.at(b.h, second, b.first), h01 = it.at(b.h, b.first, second),
              h11 = it.at(b.h, second, second), h21 = it.at(b.h, third, second);
  const Value x = w.add(w.divide(w.add(w.multiply(h00, w.subtract(h00, trace)), determinant), h10), h01);
  return chase(w, b, {x, w.subtract(w.add(h00, h11), trace), h21});
}

/// One shift: the eigenvalue of the last two rows that is nearer to the last number.
Values complex_step(MatrixWriter& w, const Block& b) {
  Iteration it(w, w.element(b.h));
  const Value m = it.next(b.last, -1);
  const Value p = it.at(b.h, m, m), q = it.at(b.h, b.last, b.last);
  const Value between = w.multiply(w.root(it.at(b.h, m, b.last)), w.root(it.at(b.h, b.last, m)));
  const Value difference = w.multiply(it.number(0.5), w.subtract(p, q));
  const Value size = w.maximum(w.absolute(between), w.absolute(difference));
  const Value scale = w.in_element(w.or_one(size), w.element(b.h));
  const Value x = w.divide(difference, scale), u = w.divide(between, scale);
  Value y = w.multiply(scale, w.root(w.add(w.multiply(x, x), w.multiply(u, u))));
  const Value along =
      w.add(w.multiply(w.real(difference), w.real(y)), w.multiply(w.imaginary(difference), w.imaginary(y)));
  y = w.select(w.compare(along, w.zeros(w.type(along)), "LT"), w.negate(y), y);
  Value shift = w.subtract(q, w.multiply(between, w.divide(between, w.or_one(w.add(difference, y)))));
  const Value other =
      w.add(q, w.in_element(w.multiply(w.like(size, 0.75), w.absolute(it.at(b.h, b.last, m))), w.element(b.h)));
  shift = w.select(it.as_vector(is_exceptional(w, b.count)), other, shift);
  return chase(w, b, {w.subtract(it.at(b.h, b.first, b.first), shift), it.at(b.h, it.next(b.first), b.first)});
}

/// Two rows that stay together: triangular when their eigenvalues are real, else with equal numbers on the diagonal.
Values split_pair(MatrixWriter& w, const Block& block) {
  Iteration it(w, w.element(block.h));
  const Value i = block.first, j = block.last;
  const Value a = it.at(block.h, i, i), b = it.at(block.h, i, j), c = it.at(block.h, j, i), d = it.at(block.h, j, j);
  const auto length = [&](Value x, Value y) { return w.root(w.add(w.multiply(x, x), w.multiply(y, y))); };
  const Value difference = w.subtract(a, d), half = w.multiply(it.number(0.5), difference);
  const Value square = w.add(w.multiply(half, half), w.multiply(b, c));
  const Value is_real = w.compare(square, it.number(0), "GE");
  // The eigenvector of the larger one, or the rotation that makes the diagonal equal.
  const Value offset = w.add(half, w.multiply(it.sign_of(half), w.root(w.maximum(square, it.number(0)))));
  const Value size = w.or_one(length(offset, c));
  const Value sum = w.add(b, c), spread = length(sum, difference);
  const Value is_equal = w.is_zero(spread), safe = w.or_one(spread);
  const Value cosine = w.select(
      is_equal, it.number(1), w.root(w.multiply(it.number(0.5), w.add(it.number(1), w.divide(w.absolute(sum), safe)))));
  const Value sine = w.multiply(w.negate(w.divide(half, w.multiply(safe, cosine))), it.sign_of(sum));
  const Value g =
      it.rotation(w.select(is_real, w.divide(offset, size), cosine), w.select(is_real, w.divide(c, size), sine));
  Value h = block.h, z = block.z;
  it.turn(h, z, i, g);
  const Value first = it.at(h, i, i), last = it.at(h, j, j), mean = w.multiply(it.number(0.5), w.add(first, last));
  h = it.with_number(h, i, i, w.select(is_real, first, mean));
  h = it.with_number(h, j, j, w.select(is_real, last, mean));
  h = it.with_number(h, j, i, w.select(is_real, it.number(0), it.at(h, j, i)));
  return {h, z};
}

}  // namespace

Schur schur_of_one(MatrixWriter& w, Value a) {
  const Type given = w.type(a);
  const int64_t n = given.dim(1);
  const ElementType e = given.element_type(), re = real_element(e);
  const bool is_pairs = !is_complex(e);
  // Of size 1, lest squares overflow.
  const Value largest = w.largest(w.largest(w.sum_of_parts(a), 2), 1);
  const Value is_finite = w.make("stablehlo.is_finite", {largest});
  const Value scale = w.select(w.logical_and(w.not_zero(largest), is_finite), largest, w.like(largest, 1));
  const Value wide_scale = w.over_all(w.in_element(scale, e), given);
  const Hessenberg start = hessenberg(w, w.divide(a, wide_scale), 0, n);
  const Value h = matrix_algebra::enlarged(w, start.form, n + 2, n + 2),
              z = matrix_algebra::enlarged(w, start.q, n, n + 2);
  const Type t = w.type(h), vector = Type::tensor(re, {1, n + 2});
  const Value most = w.integer(static_cast<double>(kMostSteps * std::max<int64_t>(n, 10)));
  // Nothing is done where numbers are missing.
  const Value steps = w.select(w.reshape(is_finite, {}), w.integer(0), most);
  // h, z, the last row of the active block, steps since the last that converged, steps
  const Value carries[] = {h, z, w.integer(static_cast<double>(n - 1)), w.integer(0), steps};
  const Values out = w.loop(
      carries,
      [&](MatrixWriter& w, std::span<const Value> c) {
        return w.logical_and(w.compare(c[2], w.integer(0), "GT"), w.compare(c[4], most, "LT"));
      },
      [&](MatrixWriter& w, std::span<const Value> c) {
        // Where the block begins: below its last number that rounding cannot tell from 0.
        const Value row = w.positions(t, 1), column = w.positions(t, 2), one = w.splat(t.with_element(kI32), 1);
        const Value is_beside = w.compare(row, w.add(column, one), "EQ");
        const Value lower = w.sum(w.absolute(w.select(is_beside, c[0], w.zeros(t))), 2);
        const Value diagonal = w.absolute(w.diagonal(c[0]));
        const Value before = w.joined({w.zeros(vector.with_shape({1, 1})), w.part(diagonal, 0, n + 1)}, 1);
        const Value sum = w.add(diagonal, before);
        const Value least = w.splat(vector, least_normal(e) / epsilon(e) * static_cast<double>(n));
        const Value bound = w.maximum(w.multiply(w.or_one(sum), w.splat(vector, epsilon(e))), least);
        const Value is_small = w.logical_and(w.compare(lower, bound, "LE"), w.where(vector, 1, "LE", c[2]));
        const Value places = w.positions(vector, 1);
        const Value first = w.reshape(w.largest(w.select(is_small, places, w.zeros(w.type(places))), 1), {});
        const Value is_cut = w.logical_and(is_beside, w.where(t, 1, "EQ", first));
        const Block b{w.select(is_cut, w.zeros(t), c[0]), c[1], first, c[2], c[3]};
        const Value rows = w.subtract(b.last, first), none = w.integer(0), single = w.integer(1);
        const auto found = [&](MatrixWriter& w, const Values& hz, int64_t count) {
          return Values{hz[0], hz[1], w.subtract(b.last, w.integer(static_cast<double>(count))), none};
        };
        const auto step = [&](MatrixWriter& w) {
          Values hz = is_pairs ? real_step(w, b) : complex_step(w, b);
          return Values{hz[0], hz[1], b.last, w.add(b.count, w.integer(1))};
        };
        Values next = w.branch(
            w.compare(rows, none, "EQ"), [&](MatrixWriter& w) { return found(w, {b.h, b.z}, 1); },
            [&](MatrixWriter& w) {
              if (!is_pairs) return step(w);
              return w.branch(
                  w.compare(rows, single, "EQ"), [&](MatrixWriter& w) { return found(w, split_pair(w, b), 2); }, step);
            });
        next.push_back(w.add(c[4], single));
        return next;
      });
  const Value is_done = w.compare(out[2], w.integer(0), "LE");
  const Value info =
      w.select(w.logical_and(is_done, w.reshape(is_finite, {})), w.integer(0), w.add(out[2], w.integer(1)));
  return {w.multiply(w.block(out[0], 0, n, 0, n), wide_scale), w.block(out[1], 0, n, 0, n),
          w.fill(info, std::vector<int64_t>{1})};
}

RealParts eigenvalues_of_blocks(MatrixWriter& w, Value t) {
  const Type type = w.type(t);
  const int64_t n = type.dim(1);
  const Value row = w.positions(type, 1), column = w.positions(type, 2), one = w.splat(type.with_element(kI32), 1);
  const Value below = w.sum(w.select(w.compare(row, w.add(column, one), "EQ"), t, w.zeros(type)), 2),
              above = w.sum(w.select(w.compare(column, w.add(row, one), "EQ"), t, w.zeros(type)), 1);
  // At the second of each pair.
  const Value size = w.multiply(w.root(w.absolute(below)), w.root(w.absolute(above)));
  const Value zero = w.zeros(type.with_shape({1, 1}));
  const Value of_next = w.joined({w.part(size, 1, n), zero}, 1);
  return {w.diagonal(t), w.subtract(of_next, size)};
}

Schur as_triangular(MatrixWriter& w, const Schur& real, const RealParts& eigenvalues) {
  const ElementType e = w.element(real.t) == kF32 ? kC64 : kC128;
  const int64_t n = w.extent(real.t, 1);
  const Value values = w.make("stablehlo.complex", {eigenvalues.real, eigenvalues.imaginary});
  const Value carries[] = {w.in_element(real.t, e), w.in_element(real.z, e)};
  const Values out = w.repeat(0, n - 1, carries, [&](MatrixWriter& w, Value k, std::span<const Value> c) {
    Iteration it(w, e);
    const Value next = it.next(k);
    // The eigenvector (x, y) of the first eigenvalue: of a block whose lower number is not 0.
    const Value y = it.at(c[0], next, k), x = w.subtract(w.at(values, k), it.at(c[0], next, next));
    const Value is_block = w.not_zero(w.absolute(it.at(w.in_element(real.t, e), next, k)));
    const Value length = w.in_element(w.root(w.add(w.square(x), w.square(y))), e);
    const Value safe = w.or_one(length);
    Value h = c[0], z = c[1];
    // Rows of the rotation: the adjoint of the eigenvector first.
    it.turn(h, z, k, it.rotation(w.conjugate(w.divide(x, safe)), w.conjugate(w.divide(y, safe))));
    h = it.with_number(h, next, k, it.number(0));
    const auto kept = [&](Value changed, Value before) {
      return w.select(w.over_all(is_block, w.type(changed)), changed, before);
    };
    return Values{kept(h, c[0]), kept(z, c[1])};
  });
  return {out[0], out[1], real.info};
}

Values for_each_matrix(MatrixWriter& w, Value a, std::span<const Type> types, const Compute& compute) {
  const Type t = w.type(a);
  const int64_t batch = t.dim(0);
  if (batch == 1) return compute(w, a);
  Values start;
  for (Type result : types) start.push_back(w.zeros(result));
  return w.repeat(0, batch, start, [&](MatrixWriter& w, Value i, std::span<const Value> c) {
    const auto at = [&](int64_t rank) {
      Values starts(static_cast<size_t>(rank), w.integer(0));
      starts[0] = i;
      return starts;
    };
    const int64_t sizes[] = {1, t.dim(1), t.dim(2)};
    const Values found = compute(w, w.dynamic_slice(a, at(3), sizes));
    Values out;
    for (size_t r = 0; r < found.size(); ++r)
      out.push_back(w.dynamic_update_slice(c[r], found[r], at(w.type(found[r]).rank())));
    return out;
  });
}

Values schur_rule(MatrixWriter& w, const OpView& op, std::span<const Value> x) {
  if (letter(op, "sort", 'N') != 'N') refuse(op, "sort: got one, expected eigenvalues as they come (78, the letter N)");
  const Type t = w.type(x[0]);
  const int64_t batch = t.dim(0), n = t.dim(1);
  if (t.dim(2) != n) refuse(op, "operand 0: got " + t.str() + ", expected square matrices");
  const Type vector = t.with_shape({batch, n}), index = Type::tensor(kI32, {batch});
  const bool is_real = !is_complex(t.element_type()), has_vectors = letter(op, "mode", 'V') == 'V';
  std::vector<Type> types = {t, t, vector, index};
  if (is_real) types.insert(types.begin() + 3, vector);
  Values out = for_each_matrix(w, x[0], types, [&](MatrixWriter& w, Value one) {
    const Schur s = schur_of_one(w, one);
    if (!is_real) return Values{s.t, s.z, w.diagonal(s.t), s.info};
    const RealParts values = eigenvalues_of_blocks(w, s.t);
    return Values{s.t, s.z, values.real, values.imaginary, s.info};
  });
  if (!has_vectors) out[1] = Value{};
  out.insert(out.end() - 1, w.zeros(index));  // none was chosen
  return out;
}

}  // namespace weft::lapack::portable
