#include "lapack/portable/matrix_writer.h"

#include <limits>
#include <numeric>

#include "ops/indexing/indexed_dims.h"

namespace weft::lapack::portable {

using enum ElementType;

ElementType real_element(ElementType e) { return e == kC64 ? kF32 : e == kC128 ? kF64 : e; }
double epsilon(ElementType e) {
  return real_element(e) == kF32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}
double least_normal(ElementType e) {
  return real_element(e) == kF32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
}

Value MatrixWriter::as_batch(Value x, int64_t kept) {
  const auto shape = type(x).shape();
  const auto outer = shape.size() - static_cast<size_t>(kept);
  std::vector<int64_t> to{1};
  for (size_t d = 0; d < outer; ++d) to[0] *= shape[d];
  to.insert(to.end(), shape.begin() + static_cast<std::ptrdiff_t>(outer), shape.end());
  return reshape(x, to);
}

Values MatrixWriter::loop(std::span<const Value> carries, const Condition& condition, const Step& step) {
  std::vector<Type> types;
  for (Value v : carries) types.push_back(type(v));
  const RegionId regions[] = {
      make_region(types,
                  [&](const OpBuilder& b, std::span<const Value> x) {
                    MatrixWriter w(b);
                    return Values{condition(w, x)};
                  }),
      make_region(types,
                  [&](const OpBuilder& b, std::span<const Value> x) {
                    MatrixWriter w(b);
                    return step(w, x);
                  }),
  };
  return create("stablehlo.while", carries, {}, types, regions);
}

Values MatrixWriter::repeat(int64_t first, int64_t last, std::span<const Value> carries, const Body& body) {
  if (first >= last) return {carries.begin(), carries.end()};
  Values all{integer(static_cast<double>(first))};
  all.insert(all.end(), carries.begin(), carries.end());
  const Value end = integer(static_cast<double>(last)), one = integer(1);
  Values out = loop(
      all, [&](MatrixWriter& w, std::span<const Value> x) { return w.compare(x[0], end, "LT"); },
      [&](MatrixWriter& w, std::span<const Value> x) {
        Values next = body(w, x[0], x.subspan(1));
        next.insert(next.begin(), w.add(x[0], one));
        return next;
      });
  out.erase(out.begin());
  return out;
}

Values MatrixWriter::repeat_backwards(int64_t first, int64_t last, std::span<const Value> carries, const Body& body) {
  const Value end = integer(static_cast<double>(first + last - 1));
  return repeat(first, last, carries,
                [&](MatrixWriter& w, Value i, std::span<const Value> x) { return body(w, w.subtract(end, i), x); });
}

Values MatrixWriter::branch(Value condition, const Branch& then, const Branch& otherwise) {
  std::vector<Type> types;
  const auto region = [&](const Branch& fill) {
    return make_region({}, [&](const OpBuilder& b, std::span<const Value>) {
      MatrixWriter w(b);
      Values out = fill(w);
      types.clear();
      for (Value v : out) types.push_back(w.type(v));
      return out;
    });
  };
  const RegionId regions[] = {region(then), region(otherwise)};
  return create("stablehlo.if", std::span(&condition, 1), {}, types, regions);
}

Value MatrixWriter::real(Value x) { return is_complex(element(x)) ? make("stablehlo.real", {x}) : x; }
Value MatrixWriter::imaginary(Value x) { return is_complex(element(x)) ? make("stablehlo.imag", {x}) : zeros(type(x)); }
Value MatrixWriter::conjugate(Value x) {
  return is_complex(element(x)) ? make("stablehlo.complex", {real(x), negate(imaginary(x))}) : x;
}
Value MatrixWriter::in_element(Value x, ElementType e) {
  return is_complex(e) && !is_complex(element(x)) ? make("stablehlo.complex", {x, zeros(type(x))}) : x;
}
Value MatrixWriter::absolute(Value x) { return make("stablehlo.abs", {x}); }
Value MatrixWriter::sum_of_parts(Value x) {
  return is_complex(element(x)) ? add(absolute(real(x)), absolute(imaginary(x))) : absolute(x);
}
Value MatrixWriter::square(Value x) {
  if (!is_complex(element(x))) return multiply(x, x);
  const Value re = real(x), im = imaginary(x);
  return add(multiply(re, re), multiply(im, im));
}

Value MatrixWriter::over(Value x, Type t, std::initializer_list<int64_t> dims) {
  return broadcast_in_dim(x, std::span(dims.begin(), dims.size()), t.shape());
}

Value MatrixWriter::reduced(Value x, int64_t dimension, std::string_view body) {
  const int64_t dims[] = {dimension};
  return reduce(x, dims, body);
}

Value MatrixWriter::where(Type t, int64_t dimension, std::string_view direction, Value position) {
  return compare(positions(t, dimension), fill(position, t.shape()), direction);
}

Value MatrixWriter::first_of_largest(Value vectors, Value fallback) {
  const Type t = type(vectors);
  const Value is_largest = compare(vectors, over(largest(vectors, 1), t, {0}), "EQ");
  const Type index = t.with_element(kI32);
  const Value none = splat(index, static_cast<double>(t.dim(1)));
  const Value first = reduced(select(is_largest, positions(t, 1), none), 1, "stablehlo.minimum");
  return select(compare(first, splat(type(first), static_cast<double>(t.dim(1))), "EQ"),
                fill(fallback, type(first).shape()), first);
}

Value MatrixWriter::row(Value a, Value i) {
  const Type t = type(a);
  const Value starts[] = {integer(0), i, integer(0)};
  const int64_t sizes[] = {t.dim(0), 1, t.dim(2)}, shape[] = {t.dim(0), t.dim(2)};
  return reshape(dynamic_slice(a, starts, sizes), shape);
}
Value MatrixWriter::column(Value a, Value j) {
  const Type t = type(a);
  const Value starts[] = {integer(0), integer(0), j};
  const int64_t sizes[] = {t.dim(0), t.dim(1), 1}, shape[] = {t.dim(0), t.dim(1)};
  return reshape(dynamic_slice(a, starts, sizes), shape);
}
Value MatrixWriter::at(Value vector, Value i) {
  const Type t = type(vector);
  const Value starts[] = {integer(0), i};
  const int64_t sizes[] = {t.dim(0), 1}, shape[] = {t.dim(0)};
  return reshape(dynamic_slice(vector, starts, sizes), shape);
}
Value MatrixWriter::with_row(Value a, Value i, Value row) {
  const Type t = type(a);
  const Value starts[] = {integer(0), i, integer(0)};
  const int64_t shape[] = {t.dim(0), 1, t.dim(2)};
  return dynamic_update_slice(a, reshape(row, shape), starts);
}
Value MatrixWriter::with_column(Value a, Value j, Value column) {
  const Type t = type(a);
  const Value starts[] = {integer(0), integer(0), j};
  const int64_t shape[] = {t.dim(0), t.dim(1), 1};
  return dynamic_update_slice(a, reshape(column, shape), starts);
}
Value MatrixWriter::with(Value vector, Value i, Value x) {
  const Value starts[] = {integer(0), i};
  const int64_t shape[] = {extent(vector, 0), 1};
  return dynamic_update_slice(vector, reshape(x, shape), starts);
}

Value MatrixWriter::in_order(Value x, Value order, int64_t axis) {
  const Type t = type(x);
  IndexedDims dims;
  std::vector<int64_t> sizes(t.shape().begin(), t.shape().end());
  for (int64_t d = 1; d < t.rank(); ++d) {
    if (d != axis) dims.window.push_back(d);
  }
  dims.inserted = {axis};
  dims.batching = {0};
  dims.indices_batching = {0};
  dims.map = {axis};
  dims.vector_axis = 2;
  sizes[0] = 1;
  sizes[static_cast<size_t>(axis)] = 1;
  return make("stablehlo.gather", {x, order}, dims.gather_attrs(sizes, false));
}

Value MatrixWriter::block(Value a, int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
  const int64_t start[] = {0, r0, c0}, limit[] = {extent(a, 0), r1, c1};
  return slice(a, start, limit);
}
Value MatrixWriter::part(Value vectors, int64_t first, int64_t last) {
  const int64_t start[] = {0, first}, limit[] = {extent(vectors, 0), last};
  return slice(vectors, start, limit);
}
Value MatrixWriter::joined(std::initializer_list<Value> xs, int64_t dimension) {
  Values some;
  for (Value x : xs) {
    if (extent(x, dimension) != 0) some.push_back(x);
  }
  if (some.empty()) return *xs.begin();
  return some.size() == 1 ? some[0] : concatenate(some, dimension);
}

Value MatrixWriter::joined_numbers(std::initializer_list<Value> xs) {
  Values columns;
  for (Value x : xs) {
    const int64_t shape[] = {extent(x, 0), 1};
    columns.push_back(reshape(x, shape));
  }
  return concatenate(columns, 1);
}

Value MatrixWriter::identity(Type t) {
  const Value is_diagonal = compare(positions(t, 1), positions(t, 2), "EQ");
  return select(is_diagonal, splat(t, 1), zeros(t));
}
Value MatrixWriter::triangle(Value a, std::string_view direction) {
  const Type t = type(a);
  return select(compare(positions(t, 1), positions(t, 2), direction), a, zeros(t));
}
Value MatrixWriter::diagonal(Value a) { return sum(triangle(a, "EQ"), 2); }
Value MatrixWriter::transposed(Value a) {
  const int64_t order[] = {0, 2, 1};
  return transpose(a, order);
}

Value MatrixWriter::product(Value a, Value b, bool a_adjoint) {
  const std::string highest = "HIGHEST";
  return make("stablehlo.dot_general", {a_adjoint ? conjugate(a) : a, b},
              Attrs{{"lhs_batching_dimensions", Attr::Ints{0}},
                    {"rhs_batching_dimensions", Attr::Ints{0}},
                    {"lhs_contracting_dimensions", Attr::Ints{a_adjoint ? 1 : 2}},
                    {"rhs_contracting_dimensions", Attr::Ints{1}},
                    {"precision_config", AttrList{highest, highest}}});
}

MatrixWriter::Sorted MatrixWriter::sorted(Value keys, bool descending) {
  const Value operands[] = {keys, positions(type(keys), 1)};
  const Type key = Type::scalar(element(keys)), index = Type::scalar(kI32);
  const Type types[] = {key, key, index, index};
  const RegionId before = make_region(types, [&](OpBuilder& b, std::span<const Value> x) {
    // NaN comes after all numbers.
    const Value x_is_number = b.compare(x[0], x[0], "EQ"), y_is_nan = b.compare(x[1], x[1], "NE");
    const Value less = b.compare(x[0], x[1], descending ? "GT" : "LT");
    return Values{b.logical_or(less, b.logical_and(x_is_number, y_is_nan))};
  });
  const Values out =
      create("stablehlo.sort", operands, Attrs{{"dimension", 1}, {"is_stable", true}}, {}, std::span(&before, 1));
  return {out[0], out[1]};
}

}  // namespace weft::lapack::portable
