// Products of matrices and vectors, inner products, norms.
#include <cmath>

#include "julia/host/array.h"
#include "julia/infer/emit/lapack_calls.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::julia {
namespace {

namespace ma = matrix_algebra;
using Args = std::span<const Abstract>;

bool is_known_number(const Abstract& a, double value) {
  if (!a.is_constant()) return false;
  if (number_kind(a.type)) return convert_number(NumberKind::kFloat64, a.constant).get<double>() == value;
  if (a.type->name->name != Symbol("Complex")) return false;
  const auto part = [&](size_t i) { return Abstract::of_constant(get_field(a.constant, i)); };
  return is_known_number(part(0), value) && is_known_number(part(1), 0);
}

/// A number, complex ones included, in a rank-0 tensor.
IrValue number_in(Compiler& c, const Abstract& a) {
  std::vector<IrValue> leaves;
  c.append_leaves(a, leaves);
  return leaves.at(0);
}

/// The array's only leaf, which holds numbers.
HeapObject numbers_of(Compiler& c, const Abstract& a, const char* what) {
  const HeapObject& o = c.object(array_argument(c, a));
  const auto* element = as<DataType>(o.element);
  if (element == nullptr || !element_type(element))
    c.fail(Cause::kUnsupported, std::string(what) + " of elements of type " + type_text(o.element));
  return o;
}

/// α op(A) op(B) + β C into C, which is given back.
Abstract product_into(Compiler& c, char ta, char tb, const Abstract* alpha, const Abstract& a, const Abstract& b,
                      const Abstract* beta, const Abstract& to) {
  const HeapObject x = numbers_of(c, a, "a product of matrices"), y = numbers_of(c, b, "a product of matrices");
  Abstract out = array_argument(c, to);
  const HeapObject z = c.object(out);
  const bool is_vector = y.dims.size() == 1 && tb == 'N';
  // As IR has it, an m×k matrix is k×m: (A B)ᵀ = Bᵀ Aᵀ.
  DotDims dims;
  dims.lhs_contracting = {is_vector ? 0 : tb == 'N' ? 1 : 0};
  dims.rhs_contracting = {ta == 'N' ? 0 : 1};
  const auto matrix = [&](const HeapObject& o) {
    if (o.dims.size() > 1) return o.leaves[0];
    const int64_t shape[] = {1, o.dims[0]};
    return c.b().reshape(o.leaves[0], shape);
  };
  IrValue lhs = is_vector ? y.leaves[0] : matrix(y), rhs = matrix(x);
  if (tb == 'C') lhs = ma::conjugate(c.b(), lhs);
  if (ta == 'C') rhs = ma::conjugate(c.b(), rhs);
  const int64_t inner_x = c.b().type(rhs).dim(dims.rhs_contracting[0]);
  const int64_t inner_y = c.b().type(lhs).dim(dims.lhs_contracting[0]);
  if (inner_x != inner_y) {
    c.throws("DimensionMismatch: a product of matrices whose inner sizes are " + std::to_string(inner_x) + " and " +
             std::to_string(inner_y));
    return to;
  }
  IrValue v = c.b().dot_general(lhs, rhs, dims);
  v = c.b().reshape(v, reversed(z.dims));
  if (alpha != nullptr && !is_known_number(*alpha, 1)) v = op2(c, "stablehlo.multiply", v, number_in(c, *alpha));
  if (beta != nullptr && !is_known_number(*beta, 0)) {
    const IrValue before =
        is_known_number(*beta, 1) ? z.leaves[0] : op2(c, "stablehlo.multiply", z.leaves[0], number_in(c, *beta));
    v = op2(c, "stablehlo.add", v, before);
  }
  c.writable(out).leaves = {v};
  return out;
}

/// (form of A, form of B, α, A, B, β, C)
Abstract multiply_matrices(Compiler& c, Args a) {
  return product_into(c, letter_of(c, a[0]), letter_of(c, a[1]), &a[2], a[3], a[4], &a[5], a[6]);
}
/// (form of A, α, A, x, β, y)
Abstract multiply_vector(Compiler& c, Args a) {
  return product_into(c, letter_of(c, a[0]), 'N', &a[1], a[2], a[3], &a[4], a[5]);
}
/// (trans, A, C): C becomes A A' (N) or A' A (else).
Abstract rank_update(Compiler& c, Args a) {
  const bool plain = letter_of(c, a[0]) == 'N';
  return product_into(c, plain ? 'N' : 'C', plain ? 'C' : 'N', nullptr, a[1], a[1], nullptr, a[2]);
}
/// (transposed a, transposed b, A, B, C) of machine integers of one type.
Abstract multiply_integers(Compiler& c, Args a) {
  if (!a[0].is_constant() || !a[1].is_constant())
    c.fail(Cause::kDispatch, "a product whose form is known only when the program runs");
  const auto mode = [](const Abstract& x) { return x.constant.get<bool>() ? 'T' : 'N'; };
  return product_into(c, mode(a[0]), mode(a[1]), nullptr, a[2], a[3], nullptr, a[4]);
}

IrValue flattened(Compiler& c, const HeapObject& o) {
  const int64_t flat[] = {length_of(o)};
  return c.b().reshape(o.leaves[0], flat);
}

/// (x, y): Σ conj(x) y
Abstract dot(Compiler& c, Args a) {
  const HeapObject x = numbers_of(c, a[0], "dot"), y = numbers_of(c, a[1], "dot");
  if (x.element != y.element) c.fail(Cause::kUnsupported, "dot of elements of two types");
  if (length_of(x) != length_of(y)) {
    c.throws("DimensionMismatch: dot product arguments have lengths " + std::to_string(length_of(x)) + " and " +
             std::to_string(length_of(y)));
    return Abstract::nothing();
  }
  const int64_t zero[] = {0};
  const IrValue product = c.b().multiply(ma::conjugate(c.b(), flattened(c, x)), flattened(c, y));
  const IrValue sum[] = {c.b().reduce(product, zero, "stablehlo.add")};
  size_t next = 0;
  return c.from_leaves(x.element, sum, next);
}

/// The Euclidean norm: squares are summed in Float64, scaled where they would leave the range of the elements.
Abstract norm2(Compiler& c, Args a) {
  const HeapObject x = numbers_of(c, a[0], "the norm");
  OpBuilder& b = c.b();
  const IrValue v = flattened(c, x);
  const ElementType e = real_of(b.type(v).element_type());
  if (!is_float(e)) c.fail(Cause::kUnsupported, "the norm of elements of type " + type_text(x.element));
  const auto* type = julia_type(e);
  const IrValue zero = b.zeros(weft::Type::scalar(e));
  if (length_of(x) == 0) return Abstract::of_scalar(type, zero);
  const int64_t all[] = {0};
  const IrValue size = op1(c, "stablehlo.abs", v);
  const IrValue largest = b.reduce(size, all, "stablehlo.maximum");
  const auto root_of_sum = [&](IrValue squares) {
    const IrValue sum = c.b().reduce(c.b().convert(squares, ElementType::kF64), all, "stablehlo.add");
    return op1(c, "stablehlo.sqrt", sum);
  };
  const auto narrowed = [&](IrValue r) { return Abstract::of_scalar(type, c.b().convert(r, e)); };
  // Of zeros the norm has no derivative: it is 0 there.
  const auto is_finite = [&](IrValue r) { return op1(c, "stablehlo.is_finite", r); };
  const IrValue is_trivial =
      b.logical_or(b.compare(largest, zero, "EQ"), b.compare(largest, like(c, largest, HUGE_VAL), "EQ"));
  return c.choose(
      is_trivial, [&] { return Abstract::of_scalar(type, largest); },
      [&] {
        OpBuilder& o = c.b();
        const IrValue square = o.multiply(largest, largest);
        const IrValue bound = o.multiply(square, like(c, square, static_cast<double>(length_of(x))));
        const IrValue safe = o.logical_and(is_finite(bound), o.compare(square, like(c, square, 0), "NE"));
        return c.choose(
            safe,
            [&] {
              const bool is_real = !is_complex(c.b().type(v).element_type());
              const auto part = [&](const char* op) { return is_real ? v : op1(c, op, v); };
              const IrValue re = part("stablehlo.real");
              IrValue squares = c.b().multiply(re, re);
              if (!is_real) {
                const IrValue im = part("stablehlo.imag");
                squares = c.b().add(squares, c.b().multiply(im, im));
              }
              return narrowed(root_of_sum(squares));
            },
            [&] {
              const IrValue scaled = op2(c, "stablehlo.divide", size, largest);
              const IrValue root = root_of_sum(c.b().multiply(scaled, scaled));
              return narrowed(c.b().multiply(c.b().convert(largest, ElementType::kF64), root));
            });
      });
}

constexpr Emission kEmissions[] = {
    {"_multiply_matrices", multiply_matrices},
    {"_multiply_vector", multiply_vector},
    {"_rank_update", rank_update},
    {"_multiply_integers", multiply_integers},
    {"_dot", dot},
    {"_norm2", norm2},
};

}  // namespace

std::span<const Emission> product_emissions() { return kEmissions; }

}  // namespace weft::julia
