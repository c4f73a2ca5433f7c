// cholesky and triangular_solve. Attribute names:
//   cholesky          lower (bool)
//   triangular_solve  left_side, lower, unit_diagonal (bool), transpose_a (NO_TRANSPOSE, TRANSPOSE, ADJOINT)
// Everything is computed in f64 and rounded once.
#include <cmath>
#include <complex>

#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/linear_algebra/matrix_algebra.h"
#include "ops/scalar/num.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

using matrix_algebra::adjoint, matrix_algebra::conjugate, matrix_algebra::flip, matrix_algebra::hermitian,
    matrix_algebra::product, matrix_algebra::where;

constexpr unsigned kMatrixClass = kFloatClass | kComplexClass;

void expect_matrix(const TypeContext& c, size_t i, unsigned classes) {
  expect_tensor(c, i);
  const ElementType e = c.operands[i].element_type();
  if ((element_class(e) & classes) == 0)
    c.fail("", "element type of operand " + std::to_string(i) + ": got " + std::string(name(e)) +
                   ", expected a floating-point or complex type");
}

double conjugate(double x) { return x; }
std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }
double real_part(double x) { return x; }
double real_part(std::complex<double> x) { return x.real(); }

template <class W>
std::vector<W> wide(const Tensor& x) {
  std::vector<W> out(static_cast<size_t>(x.size()));
  for (int64_t i = 0; i < x.size(); ++i) {
    W& v = out[static_cast<size_t>(i)];
    if constexpr (std::is_same_v<W, double>) {
      v = load_num(x.raw(), x.element_type(), i).real;
    } else if (x.element_type() == ElementType::kC64) {
      v = x.data<std::complex<float>>()[static_cast<size_t>(i)];
    } else {
      v = x.data<std::complex<double>>()[static_cast<size_t>(i)];
    }
  }
  return out;
}

template <class W>
Tensor narrow(const std::vector<W>& x, ElementType e, const Shape& shape) {
  Tensor out(e, shape);
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<W, double>) {
      store_num(out.raw(), Num::of_real(e, x[i]), static_cast<int64_t>(i));
    } else if (e == ElementType::kC64) {
      out.mutable_data<std::complex<float>>()[i] = std::complex<float>(x[i]);
    } else {
      out.mutable_data<std::complex<double>>()[i] = x[i];
    }
  }
  return out;
}

/// Calls f with a value of the type to compute in.
template <class F>
Tensor in_wide(ElementType e, F&& f) {
  return is_complex(e) ? f(std::complex<double>()) : f(double());
}

// ---- cholesky -----------------------------------------------------------------------------------------------------------

std::vector<Type> type_cholesky(const TypeContext& c) {
  c.expect_operands(1);
  expect_matrix(c, 0, kMatrixClass);
  const Type a = c.operands[0];
  if (a.rank() < 2)
    c.fail("cholesky_c2", "rank of the operand: got " + std::to_string(a.rank()) + ", expected at least 2");
  if (!compatible_extent(a.dim(a.rank() - 1), a.dim(a.rank() - 2)))
    c.fail("cholesky_c3", "last two extents of the operand: got " + a.str() + ", expected equal ones");
  return {a};
}

std::vector<EvalValue> eval_cholesky(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& a = operands[0].tensor;
  const bool lower = op.attrs().boolean_or("lower", false);
  return {in_wide(a.element_type(), [&](auto tag) {
    using W = decltype(tag);
    const std::vector<W> in = wide<W>(a);
    std::vector<W> out(in.size());
    const auto n = static_cast<size_t>(a.shape().back());
    const size_t count = n == 0 ? 0 : in.size() / (n * n);
    for (size_t m = 0; m < count; ++m) {
      const W* source = in.data() + m * n * n;
      std::vector<W> l(n * n);
      for (size_t j = 0; j < n; ++j) {
        // Only one triangle of the operand is read.
        const auto given = [&](size_t i) { return lower ? source[i * n + j] : conjugate(source[j * n + i]); };
        W pivot = W(real_part(given(j)));
        for (size_t k = 0; k < j; ++k) pivot -= l[j * n + k] * conjugate(l[j * n + k]);
        // Not positive definite: NaN, from here on.
        const double root = std::sqrt(real_part(pivot));
        l[j * n + j] = W(root > 0 ? root : std::nan(""));
        for (size_t i = j + 1; i < n; ++i) {
          W sum = given(i);
          for (size_t k = 0; k < j; ++k) sum -= l[i * n + k] * conjugate(l[j * n + k]);
          l[i * n + j] = sum / l[j * n + j];
        }
      }
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
          W& target = lower ? out[m * n * n + i * n + j] : out[m * n * n + j * n + i];
          target = lower ? l[i * n + j] : conjugate(l[i * n + j]);
        }
      }
    }
    return narrow(out, a.element_type(), a.shape());
  })};
}

// ---- triangular_solve ------------------------------------------------------------------------------------------------

std::vector<Type> type_triangular_solve(const TypeContext& c) {
  c.expect_operands(2);
  expect_matrix(c, 0, kMatrixClass);
  expect_matrix(c, 1, kMatrixClass);
  const Type a = c.operands[0], b = c.operands[1];
  if (a.element_type() != b.element_type())
    c.fail("triangular_solve_c1", "element type of operand 1: got " + std::string(name(b.element_type())) +
                                      ", expected " + std::string(name(a.element_type())));
  if (a.rank() < 2 || a.rank() != b.rank())
    c.fail("triangular_solve_c2", "ranks of the operands: got " + std::to_string(a.rank()) + " and " +
                                      std::to_string(b.rank()) + ", expected equal ones of at least 2");
  const int64_t rank = a.rank();
  if (!compatible_extent(a.dim(rank - 1), a.dim(rank - 2)))
    c.fail("triangular_solve_c3", "last two extents of operand 0: got " + a.str() + ", expected equal ones");
  const bool left = c.attrs.boolean_or("left_side", true);
  const int64_t shared = b.dim(left ? rank - 2 : rank - 1);
  if (!compatible_extent(a.dim(rank - 1), shared) || !compatible_extent(a.dim(rank - 2), shared))
    c.fail("triangular_solve_c3",
           "extent that the operands share: got " + a.str() + " and " + b.str() + ", expected equal ones");
  std::vector<Extent> extents = extents_of(b);
  for (int64_t d = 0; d + 2 < rank; ++d) {
    if (!is_compatible(extent_of(a, d), extent_of(b, d)))
      c.fail("triangular_solve_c3", "batch extents: got " + a.str() + " and " + b.str() + ", expected equal ones");
    Extent& both = extents[static_cast<size_t>(d)];
    both = most_specific(both, extent_of(a, d));
  }
  const std::string transpose = c.attrs.text_or("transpose_a", "NO_TRANSPOSE");
  if (transpose != "NO_TRANSPOSE" && transpose != "TRANSPOSE" && transpose != "ADJOINT")
    c.fail("triangular_solve_i6", "transpose_a: got " + transpose + ", expected NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return {with_extents(b, extents)};
}

std::vector<EvalValue> eval_triangular_solve(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor &a = operands[0].tensor, &b = operands[1].tensor;
  const std::string mode = op.attrs().text_or("transpose_a", "NO_TRANSPOSE");
  const bool left = op.attrs().boolean_or("left_side", true), lower = op.attrs().boolean_or("lower", false),
             unit = op.attrs().boolean_or("unit_diagonal", false);
  const bool transposed = mode != "NO_TRANSPOSE", adjoint = mode == "ADJOINT";
  // x·op(a) = b is op(a)ᵀ·xᵀ = bᵀ: then rows and columns of both change places.
  const bool swapped = transposed == left;
  const bool downwards = lower != swapped;
  return {in_wide(a.element_type(), [&](auto tag) {
    using W = decltype(tag);
    const std::vector<W> m = wide<W>(a);
    std::vector<W> x = wide<W>(b);
    const auto n = static_cast<size_t>(a.shape().back());
    const size_t rank = b.shape().size();
    const auto columns = static_cast<size_t>(b.shape()[left ? rank - 1 : rank - 2]);
    const size_t count = n == 0 ? 0 : m.size() / (n * n);
    for (size_t batch = 0; batch < count; ++batch) {
      const W* matrix = m.data() + batch * n * n;
      W* solution = x.data() + batch * n * columns;
      const auto at = [&](size_t i, size_t j) {
        const W v = swapped ? matrix[j * n + i] : matrix[i * n + j];
        return adjoint ? conjugate(v) : v;
      };
      for (size_t c = 0; c < columns; ++c) {
        const auto value = [&](size_t i) -> W& { return left ? solution[i * columns + c] : solution[c * n + i]; };
        for (size_t step = 0; step < n; ++step) {
          const size_t i = downwards ? step : n - 1 - step;
          W sum = value(i);
          for (size_t k = 0; k < step; ++k) {
            const size_t j = downwards ? k : n - 1 - k;
            sum -= at(i, j) * value(j);
          }
          value(i) = unit ? sum : sum / at(i, i);
        }
      }
    }
    return narrow(x, b.element_type(), b.shape());
  })};
}

// ---- derivatives ------------------------------------------------------------------------------------------------------

/// op(a)·ẋ = ḃ - op(ȧ)·x, where only the triangle of ȧ counts.
Linearized linearize_triangular_solve(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                      std::span<const Value> tangents) {
  OpBuilder &b = context.primal(), &linear = context.linear();
  const std::vector<Value> results = context.clone_primal(op, primals);
  Value right = tangents[1];
  if (tangents[0]) {
    const std::string mode = op.attrs().text_or("transpose_a", "NO_TRANSPOSE");
    const bool left = op.attrs().boolean_or("left_side", true), lower = op.attrs().boolean_or("lower", false),
               unit = op.attrs().boolean_or("unit_diagonal", false), transposed = mode != "NO_TRANSPOSE";
    const Type type = b.type(primals[0]);
    const Value triangle = where(b, type, lower ? (unit ? "GT" : "GE") : (unit ? "LT" : "LE"));
    Value moved = linear.select(triangle, tangents[0], b.zeros(type));
    if (mode == "ADJOINT") moved = conjugate(linear, moved);
    const Value term = left ? product(linear, moved, transposed, results[0], false)
                            : product(linear, results[0], false, moved, transposed);
    right = right ? linear.subtract(right, term) : linear.negate(term);
  }
  const Value operands[] = {primals[0], right};
  return {results, linear.create(op.def(), operands, op.attrs())};
}

/// b ↦ op(a)⁻¹·b is linear; its transpose solves with op(a)ᵀ, which is the conjugate of a where op(a) is its adjoint.
std::vector<Value> transpose_triangular_solve(TransposeContext& context, const OpView& op,
                                              std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  Attrs attrs = op.attrs();
  const std::string mode = attrs.text_or("transpose_a", "NO_TRANSPOSE");
  attrs.set("transpose_a", mode == "NO_TRANSPOSE" ? "TRANSPOSE" : "NO_TRANSPOSE");
  if (!context.is_linear(1)) return {Value{}, Value{}};
  const Value operands[] = {mode == "ADJOINT" ? conjugate(b, op.operand(0)) : op.operand(0), cotangents[0]};
  return {Value{}, b.create(op.def(), operands, attrs)[0]};
}

/// l̇ = l·Φ(l⁻¹·ȧ·l⁻ᴴ), where Φ keeps the lower triangle and half of the diagonal, and ȧ is Hermitian as the op reads it.
Linearized linearize_cholesky(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                              std::span<const Value> tangents) {
  OpBuilder &b = context.primal(), &linear = context.linear();
  const bool lower = op.attrs().boolean_or("lower", false);
  const std::vector<Value> results = context.clone_primal(op, primals);
  const Type type = op.result_type();
  const Value l = lower ? results[0] : adjoint(b, results[0]);
  const Value zeros = b.zeros(type), triangle = where(b, type, "GE");
  const auto solve = [&](Value right, bool left) {
    const Value operands[] = {l, right};
    return linear.create("stablehlo.triangular_solve", operands,
                         Attrs{{"left_side", left},
                               {"lower", true},
                               {"unit_diagonal", false},
                               {"transpose_a", left ? "NO_TRANSPOSE" : "ADJOINT"}})[0];
  };
  const Value inner = solve(solve(hermitian(linear, tangents[0], lower), true), false);
  const Value weight = b.select(triangle, b.select(where(b, type, "EQ"), b.splat(type, 0.5), b.splat(type, 1)), zeros);
  const Value tangent = product(linear, l, false, linear.multiply(inner, weight), false);
  return {results, {lower ? tangent : adjoint(linear, tangent)}};
}

Cost cost_cubic(const OpView& op) {
  const Type a = op.operand_type(0), last = op.operand_type(op.num_operands() - 1);
  if (!a.is_static() || !last.is_static()) return {};
  return {static_cast<double>(last.num_elements()) * static_cast<double>(a.dim(a.rank() - 1)), moved_bytes(op)};
}

/// a·aᴴ + 4·1 is positive definite for every a.
std::vector<Sample> samples_cholesky() {
  std::vector<Sample> out;
  const auto add = [&](std::string label, ElementType e, std::vector<int64_t> shape, bool lower) {
    out.push_back({std::move(label),
                   {{Type::tensor(e, shape), {}}},
                   [=](OpBuilder& b, std::span<const Value> x) {
                     const Type t = b.type(x[0]);
                     const Value eye = b.convert(where(b, t, "EQ"), t.element_type());
                     const Value a =
                         b.add(product(b, x[0], false, adjoint(b, x[0]), false), b.multiply(eye, b.splat(t, 4)));
                     return b.create("stablehlo.cholesky", std::span(&a, 1), Attrs{{"lower", lower}});
                   },
                   e == ElementType::kF64});
    // One triangle of a matrix that need not be Hermitian.
    out.push_back({out.back().label + " of a triangle",
                   {{Type::tensor(e, shape), {}}},
                   [=](OpBuilder& b, std::span<const Value> x) {
                     const Type t = b.type(x[0]);
                     const Value eye = b.convert(where(b, t, "EQ"), t.element_type());
                     const Value a = b.add(x[0], b.multiply(eye, b.splat(t, 9)));
                     return b.create("stablehlo.cholesky", std::span(&a, 1), Attrs{{"lower", lower}});
                   },
                   e == ElementType::kF64});
  };
  add("lower", ElementType::kF64, {3, 3}, true);
  add("upper", ElementType::kF64, {2, 3, 3}, false);
  add("single", ElementType::kF32, {2, 2}, false);
  return out;
}

std::vector<Sample> samples_triangular_solve() {
  std::vector<Sample> out;
  const auto add = [&](bool left, bool lower, bool unit, const std::string& mode) {
    const Type a = Type::tensor(ElementType::kF64, {2, 3, 3});
    const Type b = left ? Type::tensor(ElementType::kF64, {2, 3, 2}) : Type::tensor(ElementType::kF64, {2, 2, 3});
    out.push_back(
        {std::string(left ? "left " : "right ") + (lower ? "lower " : "upper ") + (unit ? "unit " : "") + mode,
         {{a, {1, 2}}, {b, {}}},
         [=](OpBuilder& builder, std::span<const Value> x) {
           return builder.create(
               "stablehlo.triangular_solve", x,
               Attrs{{"left_side", left}, {"lower", lower}, {"unit_diagonal", unit}, {"transpose_a", mode}});
         },
         true});
  };
  for (const bool left : {true, false}) {
    for (const bool lower : {true, false}) {
      for (const std::string mode : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) add(left, lower, false, mode);
    }
  }
  add(true, true, true, "ADJOINT");
  add(false, false, true, "NO_TRANSPOSE");
  return out;
}

const OpRecord kOps[] = {
    {{"stablehlo.cholesky"},
     {.doc = "The triangle l of positive diagonal with l·lᴴ = a (upper: uᴴ·u = a) for each Hermitian positive definite "
             "matrix of the last two dimensions; one triangle of a is read, the other of the result is zero. NaN from "
             "the column on where a is not positive definite.",
      .syntax = Syntax::kCustom,
      .schema = {{"lower", AttrKind::kBool, false}},
      .type = type_cholesky,
      .eval = eval_cholesky,
      .scalar = kNotElementwise,
      .linearize = linearize_cholesky,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_cubic,
      .to_stablehlo = portable_as_is,
      .samples = samples_cholesky}},
    {{"stablehlo.triangular_solve"},
     {.doc = "The solution x of op(a)·x = b, or of x·op(a) = b, for each triangular matrix of the last two dimensions; "
             "only "
             "its triangle is read, and of a unit diagonal not that either.",
      .syntax = Syntax::kGeneric,
      .schema = {{"left_side", AttrKind::kBool},
                 {"lower", AttrKind::kBool},
                 {"unit_diagonal", AttrKind::kBool},
                 {"transpose_a", AttrKind::kText}},
      .type = type_triangular_solve,
      .eval = eval_triangular_solve,
      .scalar = kNotElementwise,
      .linearize = linearize_triangular_solve,
      .transpose = transpose_triangular_solve,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_cubic,
      .to_stablehlo = portable_as_is,
      .samples = samples_triangular_solve}},
};

}  // namespace

Family linear_algebra_ops() { return kOps; }

}  // namespace weft
