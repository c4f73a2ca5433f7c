// QR and least squares by LAPACK's custom calls.
#include <algorithm>
#include <limits>

#include "julia/infer/emit/lapack_calls.h"
#include "julia/run/impl.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::julia {
namespace {

namespace ma = matrix_algebra;
using Args = std::span<const Abstract>;
constexpr ElementType kInt = ElementType::kI32;

// ---- QR. Matrices are rows × columns here.

struct Reflectors {
  IrValue packed, tau;  // R above the reflectors, their factors
};
Reflectors qr_of(Compiler& c, IrValue matrix) {
  const weft::Type t = c.b().type(matrix);
  const ElementType e = t.element_type();
  const std::vector<IrValue> out = lapack(c, {"geqrf"}, e, {matrix}, {t, shaped(e, {std::min(t.dim(0), t.dim(1))})});
  return {out[0], out[1]};
}

/// The first k columns of the reflectors, ones on the diagonal.
IrValue reflectors(Compiler& c, IrValue packed, int64_t k) {
  OpBuilder& b = c.b();
  const IrValue v = ma::block(b, packed, 0, b.type(packed).dim(0), 0, k);
  return b.add(ma::part(b, v, "GT"), ma::eye(b, b.type(v)));
}

/// T of 1 - V T Vᴴ, the product of these reflectors: T⁻¹ is VᴴV above its diagonal and 1/τ on it.
IrValue compact_factor(Compiler& c, IrValue v, IrValue tau) {
  OpBuilder& b = c.b();
  const IrValue gram = ma::product(b, ma::conjugate(b, v), true, v, false);
  const weft::Type square = b.type(gram);
  const IrValue factors = ma::spread(b, tau, square, 0);
  const IrValue upper = ma::part(b, b.multiply(gram, factors), "LT");
  return ma::solve(b, upper, ma::part(b, factors, "EQ"), {.left = true, .lower = false, .unit = true});
}

/// C becomes (1 - V T Vᴴ) C, or C (1 - V T Vᴴ), or that with the adjoint of the product.
IrValue times_block(Compiler& c, IrValue v, IrValue t, IrValue x, bool from_left, bool is_adjoint) {
  OpBuilder& b = c.b();
  const IrValue factor = is_adjoint ? ma::adjoint(b, t) : t;
  if (from_left) {
    const IrValue inner = ma::product(b, ma::conjugate(b, v), true, x, false);
    return b.subtract(x, ma::product(b, v, ma::product(b, factor, inner)));
  }
  const IrValue inner = ma::product(b, ma::product(b, x, v), factor);
  return b.subtract(x, ma::product(b, inner, false, ma::conjugate(b, v), true));
}

/// (A, block size) → T of the compact form, block after block; A holds R and the reflectors.
Abstract qr_compact(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  const int64_t nb = c.known_int(a[1], "a block size"), k = std::min(m.rows, m.columns);
  OpBuilder& b = c.b();
  if (k == 0) return matrix_of_rows(c, b.zeros(shaped(m.element, {nb, 0})));
  const Reflectors qr = qr_of(c, by_rows(c, m));
  store_rows(c, m, qr.packed);
  const IrValue v = reflectors(c, qr.packed, k);
  std::vector<IrValue> blocks;
  for (int64_t from = 0; from < k; from += nb) {
    const int64_t to = std::min(from + nb, k), start[] = {from}, limit[] = {to};
    const IrValue t = compact_factor(c, ma::block(b, v, 0, m.rows, from, to), b.slice(qr.tau, start, limit));
    blocks.push_back(ma::enlarged(b, t, nb, to - from));
  }
  return matrix_of_rows(c, b.concatenate(blocks, 1));
}

/// (side, trans, factors, T, C): C becomes Q C, Q' C, C Q or C Q'.
Abstract qr_compact_apply(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[2]), t = matrix_argument(c, a[3]), x = matrix_argument(c, a[4]);
  const bool from_left = letter_of(c, a[0]) == 'L', is_adjoint = letter_of(c, a[1]) != 'N';
  const int64_t k = t.columns, nb = t.rows;
  if (k == 0 || x.rows == 0 || x.columns == 0) return x.array;
  OpBuilder& b = c.b();
  const IrValue v = reflectors(c, by_rows(c, m), k), factors = by_rows(c, t);
  IrValue out = by_rows(c, x);
  std::vector<int64_t> starts;
  for (int64_t from = 0; from < k; from += nb) starts.push_back(from);
  if (from_left != is_adjoint) std::ranges::reverse(starts);
  for (const int64_t from : starts) {
    const int64_t to = std::min(from + nb, k);
    out = times_block(c, ma::block(b, v, 0, m.rows, from, to), ma::block(b, factors, 0, to - from, from, to), out,
                      from_left, is_adjoint);
  }
  store_rows(c, x, out);
  return x.array;
}

/// (A) → tau; A holds R and the reflectors.
Abstract qr(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  if (std::min(m.rows, m.columns) == 0) return vector_of(c, c.b().zeros(shaped(m.element, {0})));
  const Reflectors out = qr_of(c, by_rows(c, m));
  store_rows(c, m, out.packed);
  return vector_of(c, out.tau);
}

/// (A) → (columns in the order taken, tau)
Abstract qr_pivoted(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  const int64_t k = std::min(m.rows, m.columns);
  if (k == 0) c.fail(Cause::kUnsupported, "a pivoted QR factorization of an empty matrix");
  const weft::Type columns = shaped(kInt, {m.columns});
  const std::vector<IrValue> out = lapack(c, {"geqp3"}, m.element, {by_rows(c, m), c.b().zeros(columns)},
                                          {shaped(m.element, {m.rows, m.columns}), columns, shaped(m.element, {k})});
  store_rows(c, m, out[0]);
  return c.tuple({integers_of(c, out[1]), vector_of(c, out[2])});
}

/// (A) → tau; A holds L and the reflectors by rows: those of QR of its adjoint.
Abstract lq(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  if (std::min(m.rows, m.columns) == 0) return vector_of(c, c.b().zeros(shaped(m.element, {0})));
  const Reflectors out = qr_of(c, ma::adjoint(c.b(), by_rows(c, m)));
  store_rows(c, m, ma::adjoint(c.b(), out.packed));
  return vector_of(c, out.tau);
}

/// (A): A becomes its Hessenberg form above the reflectors → tau
Abstract hessenberg(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]);
  const int64_t k = std::max<int64_t>(m.rows - 1, 0);
  if (k == 0) return vector_of(c, c.b().zeros(shaped(m.element, {0})));
  const std::vector<IrValue> out =
      lapack(c, {"gehrd"}, m.element, {by_rows(c, m)},
             {shaped(m.element, {m.rows, m.rows}), shaped(m.element, {k}), shaped(kInt, {})});
  store_rows(c, m, out[0]);
  return vector_of(c, out[1]);
}

/// (factors, tau): the orthogonal matrix in their place.
Abstract hessenberg_vectors(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]), tau = matrix_argument(c, a[1]);
  OpBuilder& b = c.b();
  const weft::Type square = shaped(m.element, {m.rows, m.rows});
  if (tau.rows == 0) {
    store_rows(c, m, ma::eye(b, square));
    return m.array;
  }
  const int64_t flat[] = {tau.rows}, low[] = {1, 1}, high[] = {0, 0};
  const IrValue v = reflectors(c, ma::block(b, by_rows(c, m), 1, m.rows, 0, m.rows - 1), tau.rows);
  const IrValue t = compact_factor(c, v, b.reshape(tau.leaf, flat));
  const IrValue away = ma::product(b, ma::product(b, v, t), false, ma::conjugate(b, v), true);
  store_rows(c, m, b.subtract(ma::eye(b, square), b.pad(away, b.zeros(shaped(m.element, {})), low, high)));
  return m.array;
}

/// (side, trans, reflectors, tau, C, by rows): products with the Q of qr, or of lq, whose adjoint is that of QR of the adjoint.
Abstract apply_reflectors(Compiler& c, Args a) {
  if (!a[5].is_constant()) c.fail(Cause::kDispatch, "a factorization that is known only when the program runs");
  const bool of_rows = a[5].constant.get<bool>();
  const MatrixArgument m = matrix_argument(c, a[2]), tau = matrix_argument(c, a[3]), x = matrix_argument(c, a[4]);
  if (tau.rows == 0 || x.rows == 0 || x.columns == 0) return x.array;
  const int64_t flat[] = {tau.rows};
  const IrValue packed = by_rows(c, m);
  const IrValue v = reflectors(c, of_rows ? ma::adjoint(c.b(), packed) : packed, tau.rows);
  const IrValue t = compact_factor(c, v, c.b().reshape(tau.leaf, flat));
  const bool is_adjoint = (letter_of(c, a[1]) != 'N') != of_rows;
  store_rows(c, x, times_block(c, v, t, by_rows(c, x), letter_of(c, a[0]) == 'L', is_adjoint));
  return x.array;
}

/// The largest sum of sizes in a column.
IrValue norm1(Compiler& c, IrValue x) {
  OpBuilder& b = c.b();
  const int64_t rows[] = {0};
  const IrValue sums = b.reduce(op1(c, "stablehlo.abs", x), rows, "stablehlo.add");
  return b.reduce(sums, rows, "stablehlo.maximum");
}

/// (A, B, rcond) → rank; B, of max(m, n) rows, begins with the least-squares solution of least norm. By QR of A or its adjoint, whose columns
/// must be independent: how far they are from being dependent is the condition of R, computed from its inverse.
Abstract least_squares(Compiler& c, Args a) {
  const MatrixArgument m = matrix_argument(c, a[0]), x = matrix_argument(c, a[1]);
  OpBuilder& b = c.b();
  const int64_t m_rows = m.rows, n = m.columns, k = std::min(m_rows, n);
  const bool is_tall = m_rows >= n;
  const IrValue given = by_rows(c, m);
  const Reflectors qr = qr_of(c, is_tall ? given : ma::adjoint(b, given));
  const IrValue r = ma::part(b, ma::block(b, qr.packed, 0, k, 0, k), "LE");
  const IrValue inverse = ma::solve(b, r, ma::eye(b, b.type(r)), {.left = true, .lower = false});
  constexpr double kFar = 1000;  // what is so near to being dependent, other orders of columns may take for it
  const IrValue condition = b.multiply(norm1(c, r), norm1(c, inverse));
  const IrValue limit = b.multiply(c.scalar(a[2]), like(c, condition, kFar));
  check_all(c, compare2(c, b.multiply(condition, limit), like(c, condition, 1), "LT"),
            "least squares with columns that depend on each other");
  const IrValue v = reflectors(c, qr.packed, k), t = compact_factor(c, v, qr.tau);
  const IrValue all = by_rows(c, x);
  IrValue solution;
  if (is_tall) {
    const IrValue moved = times_block(c, v, t, ma::block(b, all, 0, m_rows, 0, x.columns), true, true);
    solution = ma::solve(b, r, ma::block(b, moved, 0, n, 0, x.columns), {.left = true, .lower = false});
  } else {
    const IrValue y =
        ma::solve(b, ma::adjoint(b, r), ma::block(b, all, 0, m_rows, 0, x.columns), {.left = true, .lower = true});
    solution = times_block(c, v, t, ma::enlarged(b, y, n, x.columns), true, false);
  }
  store_rows(c, x, ma::enlarged(b, solution, x.rows, x.columns));
  return Abstract::of_constant(number(k));
}

constexpr Emission kEmissions[] = {
    {"_qr_compact", qr_compact},
    {"_qr_compact_apply", qr_compact_apply},
    {"_qr", qr},
    {"_lq", lq},
    {"_hessenberg", hessenberg},
    {"_hessenberg_vectors", hessenberg_vectors},
    {"_qr_pivoted", qr_pivoted},
    {"_apply_reflectors", apply_reflectors},
    {"_least_squares", least_squares},
};

}  // namespace

std::span<const Emission> orthogonal_emissions() { return kEmissions; }

}  // namespace weft::julia
