#include "native/lower/linear_algebra.h"

#include <limits>
#include <numeric>
#include <string>

#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::native {
namespace {

using enum ElementType;
using Shape = std::vector<int64_t>;

Shape shape_of(const OpBuilder& b, Value v) { return {b.type(v).shape().begin(), b.type(v).shape().end()}; }

/// Batches of matrices in the last two dimensions.
struct Matrices {
  OpBuilder& b;
  size_t rank;
  size_t rows() const { return rank - 2; }
  size_t columns() const { return rank - 1; }

  Value index(int64_t i) const { return b.scalar(kI32, static_cast<double>(i)); }
  /// Place `at` of dimension d, which stays with extent 1.
  Value part(Value x, size_t d, Value at) const {
    Shape sizes = shape_of(b, x);
    std::vector<Value> starts(rank, index(0));
    starts[d] = at;
    sizes[d] = 1;
    return b.dynamic_slice(x, starts, sizes);
  }
  Value place(Value x, Value update, size_t d, Value at) const {
    std::vector<Value> starts(rank, index(0));
    starts[d] = at;
    return b.dynamic_update_slice(x, update, starts);
  }
  Value product(Value x, Value y) const {
    DotDims dims;
    for (size_t d = 0; d + 2 < rank; ++d) {
      dims.lhs_batching.push_back(static_cast<int64_t>(d));
      dims.rhs_batching.push_back(static_cast<int64_t>(d));
    }
    dims.lhs_contracting = {static_cast<int64_t>(columns())};
    dims.rhs_contracting = {static_cast<int64_t>(rows())};
    return b.dot_general(x, y, dims);
  }
  /// place DIRECTION at, for each place of dimension d of x.
  Value places(Value x, size_t d, std::string_view direction, Value at) const {
    const Type t = b.type(x).with_element(kI32);
    return b.compare(b.iota(t, static_cast<int64_t>(d)), b.broadcast_scalar(at, t.shape()), direction);
  }
  /// The one number of each matrix of extents 1, over the shape of x.
  Value spread(Value one, Value x) const {
    std::vector<int64_t> dims(rank);
    std::iota(dims.begin(), dims.end(), 0);
    return b.broadcast_in_dim(one, dims, shape_of(b, x));
  }
};

/// The extent as a value.
Value extent(OpBuilder& b, int64_t n, const IsOpenExtent& is_open) {
  if (!is_open(n)) return b.scalar(kI32, static_cast<double>(n));
  // The last index and one.
  const int64_t only[] = {0};
  const Value indices = b.iota(Type::tensor(kI32, {n}), 0);
  return b.add(b.reduce(indices, only, "stablehlo.maximum", b.scalar(kI32, -1)), b.scalar(kI32, 1));
}

/// for i = 0 … n-1: x = step(builder, i, x).
template <class Step>
Value counted(OpBuilder& b, Value n, Value x, Step step) {
  const Type types[] = {Type::scalar(kI32), b.type(x)};
  const RegionId condition = b.make_region(
      types, [&](OpBuilder& c, std::span<const Value> v) { return std::vector<Value>{c.compare(v[0], n, "LT")}; });
  const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> v) {
    return std::vector<Value>{c.add(v[0], c.scalar(kI32, 1)), step(c, v[0], v[1])};
  });
  const Value first[] = {b.scalar(kI32, 0), x};
  const RegionId regions[] = {condition, body};
  return b.create("stablehlo.while", first, {}, {}, regions)[1];
}

/// Floats narrower than f32 are computed in it.
ElementType computed_in(ElementType e) { return is_float(e) && byte_size(e) < 4 ? kF32 : e; }

bool has_form(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_static() || op.operand_type(i).is_quantized()) return false;
  }
  return op.result_type().is_static();
}

}  // namespace

std::optional<std::vector<Value>> lower_cholesky(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                                                 const IsOpenExtent& is_open) {
  if (!has_form(op)) return std::nullopt;
  const Type t = op.result_type();
  if (t.num_elements() == 0) return std::vector<Value>{b.zeros(t)};
  const ElementType e = t.element_type(), wide = computed_in(e);
  const bool lower = op.attrs().boolean_or("lower", false);
  const Matrices outer{b, static_cast<size_t>(t.rank())};
  // Of the upper triangle uᴴ·u the lower one is uᴴ.
  Value a = b.convert(operands[0], wide);
  if (!lower) a = matrix_algebra::adjoint(b, a);
  const Value n = extent(b, t.dim(t.rank() - 1), is_open);
  Value l = counted(b, n, b.zeros(b.type(a)), [&](OpBuilder& c, Value j, Value l) {
    const Matrices m{c, outer.rank};
    // What earlier columns leave of column j, and its root on the diagonal.
    const Value row = matrix_algebra::adjoint(c, m.part(l, m.rows(), j));
    const Value rest = c.subtract(m.part(a, m.columns(), j), m.product(l, row));
    Value pivot = m.part(rest, m.rows(), j);
    if (is_complex(wide)) pivot = c.make("stablehlo.real", {pivot});
    const Type real = c.type(pivot);
    const Value root = c.make("stablehlo.sqrt", {pivot});
    const Value nan = c.splat(real, std::numeric_limits<double>::quiet_NaN());
    Value d = c.select(c.compare(root, c.zeros(real), "GT"), root, nan);
    if (is_complex(wide)) d = c.make("stablehlo.complex", {d, c.zeros(real)});
    const Value diagonal = m.spread(d, rest);
    const Value column = c.select(m.places(rest, m.rows(), "EQ", j), diagonal, c.divide(rest, diagonal));
    const Value kept = c.select(m.places(rest, m.rows(), "LT", j), c.zeros(c.type(rest)), column);
    return m.place(l, kept, m.columns(), j);
  });
  if (!lower) l = matrix_algebra::adjoint(b, l);
  return std::vector<Value>{b.convert(l, e)};
}

std::optional<std::vector<Value>> lower_triangular_solve(OpBuilder& b, const OpView& op,
                                                         std::span<const Value> operands, const IsOpenExtent& is_open) {
  if (!has_form(op)) return std::nullopt;
  const Type t = op.result_type();
  if (t.num_elements() == 0) return std::vector<Value>{b.zeros(t)};
  const ElementType e = t.element_type(), wide = computed_in(e);
  const std::string mode = op.attrs().text_or("transpose_a", "NO_TRANSPOSE");
  const bool left = op.attrs().boolean_or("left_side", true), lower = op.attrs().boolean_or("lower", false),
             unit = op.attrs().boolean_or("unit_diagonal", false);
  const Matrices outer{b, static_cast<size_t>(t.rank())};
  Value a = b.convert(operands[0], wide);
  const Value right = b.convert(operands[1], wide);
  if (mode == "ADJOINT") a = matrix_algebra::conjugate(b, a);
  const bool transposed = mode != "NO_TRANSPOSE";
  // op(a)·x = b is solved row by row, x·op(a) = b column by column; op(a) is lower unless exactly one of these turns it over.
  const bool is_lower = lower != transposed, downwards = is_lower == left;
  const Value n = extent(b, op.operand_type(0).dim(op.operand_type(0).rank() - 1), is_open);
  const Value last = b.subtract(n, b.scalar(kI32, 1));
  // The dimension of x that is walked along.
  const size_t along = left ? outer.rows() : outer.columns();
  const Value x = counted(b, n, b.zeros(b.type(right)), [&](OpBuilder& c, Value step, Value x) {
    const Matrices m{c, outer.rank};
    const Value i = downwards ? step : c.subtract(last, step);
    // Row i of op(a), or its column i: a row or a column of a.
    const bool takes_row = left != transposed;
    Value line = m.part(a, takes_row ? m.rows() : m.columns(), i);
    const size_t other = takes_row ? m.columns() : m.rows();
    const Value diagonal = m.part(line, other, i);
    // What is not of the triangle is not read.
    line = c.select(m.places(line, other, downwards ? "LT" : "GT", i), line, c.zeros(c.type(line)));
    if (transposed) line = matrix_algebra::flip(c, line);
    Value rest = c.subtract(m.part(right, along, i), left ? m.product(line, x) : m.product(x, line));
    if (!unit) rest = c.divide(rest, m.spread(diagonal, rest));
    return m.place(x, rest, along, i);
  });
  return std::vector<Value>{b.convert(x, e)};
}

}  // namespace weft::native
