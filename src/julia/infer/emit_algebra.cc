// Products of matrices and vectors, ranges, places of extremes.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/arrays.h"
#include "julia/infer/iterable.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

char mode_of(Compiler& c, const Abstract& a) {
  if (!a.is_constant() || !a.is_constant() || a.type != core().char_)
    c.fail(Cause::kDispatch, "a product whose form is known only when the program runs");
  return char_text(a.constant.get<Char>())[0];
}

bool is_known_number(const Abstract& a, double value) {
  return a.is_constant() && number_kind(a.type) &&
         convert_number(NumberKind::kFloat64, a.constant).get<double>() == value;
}

/// α op(A) op(B) + β C into C, which is given back.
Abstract product_into(Compiler& c, char ta, char tb, const Abstract* alpha, const Abstract& a, const Abstract& b,
                      const Abstract* beta, const Abstract& to) {
  const Abstract left = array_argument(c, a), right = array_argument(c, b);
  Abstract out = array_argument(c, to);
  const HeapObject x = c.object(left), y = c.object(right), z = c.object(out);
  if (!number_kind(x.element)) c.fail(Cause::kUnsupported, "a product of matrices of " + type_text(x.element));
  const bool is_vector = y.dims.size() == 1;
  // As IR has it, an m×k matrix is k×m: (A B)ᵀ = Bᵀ Aᵀ.
  DotDims dims;
  dims.lhs_contracting = {is_vector ? 0 : tb == 'N' ? 1 : 0};
  dims.rhs_contracting = {ta == 'N' ? 0 : 1};
  const int64_t inner_x = x.dims.size() < 2 ? (ta == 'N' ? 1 : x.dims[0]) : x.dims[ta == 'N' ? 1 : 0];
  const int64_t inner_y = y.dims[!is_vector && tb != 'N' ? 1 : 0];
  if (inner_x != inner_y) {
    c.throws("DimensionMismatch: a product of matrices whose inner sizes are " + std::to_string(inner_x) + " and " +
             std::to_string(inner_y));
    return to;
  }
  IrValue lhs = y.leaves[0], rhs = x.leaves[0];
  if (x.dims.size() < 2) {
    const int64_t shape[] = {1, x.dims[0]};
    rhs = c.b().reshape(rhs, shape);
  }
  IrValue v = c.b().dot_general(lhs, rhs, dims);
  v = c.b().reshape(v, reversed(z.dims));
  if (alpha != nullptr && !is_known_number(*alpha, 1)) v = op2(c, "stablehlo.multiply", v, c.scalar(*alpha));
  if (beta != nullptr && !is_known_number(*beta, 0)) {
    const IrValue before =
        is_known_number(*beta, 1) ? z.leaves[0] : op2(c, "stablehlo.multiply", z.leaves[0], c.scalar(*beta));
    v = op2(c, "stablehlo.add", v, before);
  }
  c.writable(out).leaves = {v};
  return out;
}

/// (form of A, form of B, α, A, B, β, C)
Abstract multiply_matrices(Compiler& c, Args a) {
  return product_into(c, mode_of(c, a[0]), mode_of(c, a[1]), &a[2], a[3], a[4], &a[5], a[6]);
}
/// (form of A, α, A, x, β, y)
Abstract multiply_vector(Compiler& c, Args a) {
  return product_into(c, mode_of(c, a[0]), 'N', &a[1], a[2], a[3], &a[4], a[5]);
}

Abstract dot(Compiler& c, Args a) {
  const HeapObject x = c.object(array_argument(c, a[0])), y = c.object(array_argument(c, a[1]));
  const auto kind = number_kind(x.element);
  if (!kind || x.element != y.element) c.fail(Cause::kUnsupported, "dot of elements of type " + type_text(x.element));
  if (length_of(x) != length_of(y)) {
    c.throws("DimensionMismatch: dot product arguments have lengths " + std::to_string(length_of(x)) + " and " +
             std::to_string(length_of(y)));
    return Abstract::nothing();
  }
  const int64_t flat[] = {length_of(x)}, zero[] = {0};
  const IrValue product = c.b().multiply(c.b().reshape(x.leaves[0], flat), c.b().reshape(y.leaves[0], flat));
  return result(*kind, c.b().reduce(product, zero, "stablehlo.add"));
}

Abstract norm2(Compiler& c, Args a) {
  const HeapObject x = c.object(array_argument(c, a[0]));
  const auto kind = number_kind(x.element);
  if (!kind) c.fail(Cause::kUnsupported, "the norm of elements of type " + type_text(x.element));
  const int64_t flat[] = {length_of(x)}, zero[] = {0};
  const IrValue v = c.b().reshape(x.leaves[0], flat);
  return result(*kind, op1(c, "stablehlo.sqrt", c.b().reduce(c.b().multiply(v, v), zero, "stablehlo.add")));
}

/// A range whose end is one below its start is the empty one.
Abstract unit_range(Compiler& c, Args a) {
  const Abstract &start = a[0], &stop = a[1];
  if (const auto d = known_difference(stop, start); d && *d >= -1)
    return Abstract::of_fields(applied(core().unit_range, {core().int64}), {start, stop});
  const IrValue s = c.scalar(start), e = c.scalar(stop);
  const IrValue last = op2(c, "stablehlo.maximum", e, op2(c, "stablehlo.subtract", s, int_like(c, s, 1)));
  const auto* type = applied(core().unit_range, {core().int64});
  return Abstract::of_fields(type, {start, Abstract::of_scalar(core().int64, last)});
}

Abstract range_length(Compiler& c, Args a) {
  const std::string name = a[0].type->name->name.text();
  const auto* element = static_cast<const DataType*>(a[0].type->parameters[0]);
  const auto kind = number_kind(element);
  if (!kind || !is_integer(*kind)) c.fail(Cause::kUnsupported, "the length of a " + type_text(a[0].type));
  const Abstract start = c.field(a[0], 0), stop = c.field(a[0], name == "StepRange" ? 2 : 1);
  if (name == "UnitRange") {
    if (const auto d = known_difference(stop, start))
      return Abstract::of_constant(number(std::max<int64_t>(*d + 1, 0)));
  }
  const auto wide = [&](const Abstract& x) { return convert_num(c, num(c, x), NumberKind::kInt64).v; };
  const IrValue first = wide(start), last = wide(stop);
  const IrValue width = op2(c, "stablehlo.subtract", last, first);
  const IrValue one = int_like(c, width, 1), zero = int_like(c, width, 0);
  if (name != "StepRange") {
    const IrValue n = op2(c, "stablehlo.maximum", op2(c, "stablehlo.add", width, one), zero);
    return result(NumberKind::kInt64, n);
  }
  const IrValue step = wide(c.field(a[0], 1));
  const IrValue up = compare2(c, step, zero, "GT");
  const IrValue empty = select3(c, up, compare2(c, last, first, "LT"), compare2(c, last, first, "GT"));
  // The way from end to end may be longer than Int64 can say: it is counted without a sign.
  const auto bits = [&](IrValue v, ElementType to) {
    return c.b().make("stablehlo.bitcast_convert", {v}, {}, c.b().type(v).with_element(to));
  };
  const IrValue distance = bits(select3(c, up, width, op1(c, "stablehlo.negate", width)), ElementType::kU64);
  const IrValue size = op1(c, "stablehlo.abs", select3(c, compare2(c, step, zero, "EQ"), one, step));
  const IrValue steps = bits(op2(c, "stablehlo.divide", distance, bits(size, ElementType::kU64)), ElementType::kI64);
  return result(NumberKind::kInt64, select3(c, empty, zero, op2(c, "stablehlo.add", steps, one)));
}

/// x^p for a p in the source: products, as Julia writes them out for small powers.
Abstract literal_power(Compiler& c, Args a) {
  const auto* val = a[2].type;
  const auto* p = val->parameters.empty() ? nullptr : as<Constant>(val->parameters[0]);
  if (p == nullptr) c.fail(Cause::kDispatch, "a power that is known only when the program runs");
  const Num x = num(c, a[1]);
  const int64_t n = p->bits;
  if (n == 0) return c.call_base("one", {a[1]});
  if (n == 1) return a[1];
  if ((n == 2 || n == 3) && x.kind != NumberKind::kBool) {
    const IrValue square = op2(c, "stablehlo.multiply", x.v, x.v);
    return result(x.kind, n == 2 ? square : op2(c, "stablehlo.multiply", square, x.v));
  }
  if (n == -1 && is_float(x.kind)) return c.call_base("inv", {a[1]});
  if (n < 0 && is_float(x.kind))
    return result(x.kind, op2(c, "stablehlo.power", x.v, like(c, x.v, static_cast<double>(n))));
  return c.call_base("^", {a[1], Abstract::of_constant(number(n))});
}

Abstract throw_inexact(Compiler& c, Args a) {
  c.throws("InexactError: " + (a[0].is_constant() && a[0].constant.is_type() ? type_text(a[0].constant.as_type())
                                                                             : std::string("conversion")));
  return Abstract::nothing();
}

/// Sizes that change make shapes that depend on data.
Abstract changes_size(Compiler& c, Args a) {
  c.fail(Cause::kShape, "a " + type_text(a[0].type) + " changes its size",
         "make an array of its final size and assign its elements");
}

/// copyto!(to, first, from, first, count)
Abstract copy_part(Compiler& c, Args a) {
  const Abstract to = array_argument(c, a[0]);
  const HeapObject x = c.object(to), y = c.object(array_argument(c, a[2]));
  const int64_t n = c.known_int(a[4], "the number of elements to copy");
  if (x.element != y.element) c.fail(Cause::kUnsupported, "copyto! between arrays of several types");
  if (n == 0) return to;
  const auto start = [&](const Abstract& i, int64_t most) {
    const IrValue v = c.scalar(i);
    check_all(c,
              op2(c, "stablehlo.and", compare2(c, v, int_like(c, v, 1), "GE"),
                  compare2(c, v, int_like(c, v, most - n + 1), "LE")),
              "BoundsError: copyto!");
    return op2(c, "stablehlo.subtract", v, int_like(c, v, 1));
  };
  if (n > length_of(x) || n > length_of(y)) {
    c.throws("BoundsError: copyto!");
    return to;
  }
  const IrValue at = start(a[1], length_of(x)), from = start(a[3], length_of(y));
  const int64_t flat_x[] = {length_of(x)}, flat_y[] = {length_of(y)}, size[] = {n};
  HeapObject& out = c.writable(to);
  for (size_t i = 0; i < x.leaves.size(); ++i) {
    const IrValue part = c.b().dynamic_slice(c.b().reshape(y.leaves[i], flat_y), std::span(&from, 1), size);
    out.leaves[i] = c.b().reshape(
        c.b().dynamic_update_slice(c.b().reshape(x.leaves[i], flat_x), part, std::span(&at, 1)), reversed(x.dims));
  }
  return to;
}

/// (f, array, the largest?): the value and its linear position.
Abstract find_extreme(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[1]);
  if (it.is_unrolled || it.accepts) c.fail(Cause::kUnsupported, "the place of an extreme of a " + type_text(a[1].type));
  if (!a[2].is_constant()) c.fail(Cause::kDispatch, "findmax or findmin");
  const bool largest = a[2].constant.get<bool>();
  const IrValue zero = c.int_constant(0), one = c.int_constant(1), count = it.count(c);
  check_all(c, compare2(c, count, zero, "GT"), "ArgumentError: reducing over an empty collection is not allowed");
  const Abstract first = c.call(a[0], {it.at(c, zero)});
  const Type* types[] = {first.type, core().int64};
  const DataType* pair = make_tuple_type(types);
  const Abstract start = Abstract::of_fields(pair, {first, Abstract::of_scalar(core().int64, one)});
  return c.fold(one, count, start, [&](IrValue k, const Abstract& best) {
    const Abstract x = c.call(a[0], {it.at(c, k)});
    const Abstract better =
        largest ? c.call_base("isless", {best.fields[0], x}) : c.call_base("isgreater", {best.fields[0], x});
    const IrValue b = c.scalar(better);
    const IrValue position = op2(c, "stablehlo.add", k, one);
    return Abstract::of_fields(pair,
                               {Abstract::of_scalar(first.type, select3(c, b, c.scalar(x), c.scalar(best.fields[0]))),
                                Abstract::of_scalar(core().int64, select3(c, b, position, c.scalar(best.fields[1])))});
  });
}

constexpr Emission kEmissions[] = {
    {"_multiply_matrices", multiply_matrices},
    {"_multiply_vector", multiply_vector},
    {"_dot", dot},
    {"_norm2", norm2},
    {"_unit_range", unit_range},
    {"_range_length", range_length},
    {"_literal_pow", literal_power},
    {"_throw_inexact", throw_inexact},
    {"_array_copyto!", copy_part},
    {"_findextreme", find_extreme},
    {"_push!", changes_size},
    {"_pop!", changes_size},
    {"_append!", changes_size},
    {"_pushfirst!", changes_size},
    {"_popfirst!", changes_size},
    {"_insert!", changes_size},
    {"_erase!", changes_size},
    {"_resize!", changes_size},
    {"_keep!", changes_size},
    {"_findall", changes_size},
    {"_unique", changes_size},
};

}  // namespace

std::span<const Emission> algebra_emissions() { return kEmissions; }

}  // namespace weft::julia
