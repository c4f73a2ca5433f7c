// Vectors of unknown length: inner products, norms, filling, blocks that are assigned, concatenation.
#include <cmath>

#include "julia/host/array.h"
#include "julia/infer/emit/slices.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

const DataType* element_of(Compiler& c, const Abstract& a) {
  const auto* t = as<DataType>(c.object(is_bounded(c, a) ? a : array_argument(c, a)).element);
  if (t == nullptr) c.fail(Cause::kUnsupported, "elements of an abstract type");
  return t;
}

Abstract zero_of(Compiler& c, const Type* t) { return c.convert(t, Abstract::of_constant(number(int64_t{0}))); }

/// A start that is carried by a loop.
Abstract carried(Compiler& c, const Abstract& v) {
  return number_kind(v.type) ? Abstract::of_scalar(v.type, c.scalar(v)) : v;
}

/// (x, y): Σ conj(x) y, of as many elements.
Abstract dot(Compiler& c, Args a) {
  const DataType* element = element_of(c, a[0]);
  if (element != element_of(c, a[1])) c.fail(Cause::kUnsupported, "dot of elements of two types");
  const Iterable x = plain_iterable(c, a[0]), y = plain_iterable(c, a[1]);
  const IrValue n = x.count(c);
  check_all(c, compare2(c, n, y.count(c), "EQ"), "DimensionMismatch: dot of arrays of two lengths");
  return c.fold(c.int_constant(0), n, carried(c, zero_of(c, element)), [&](IrValue k, const Abstract& sum) {
    const Abstract left = c.call_base("conj", {x.at(c, k)});
    return c.call_base("+", {sum, c.call_base("*", {left, y.at(c, k)})});
  });
}

/// The Euclidean norm: squares are summed in Float64, scaled where they would leave the range of the elements.
Abstract norm2(Compiler& c, Args a) {
  const DataType* element = element_of(c, a[0]);
  const DataType* real = number_kind(element) ? element : as<DataType>(element->parameters.at(0));
  const Iterable it = plain_iterable(c, a[0]);
  const IrValue n = it.count(c), zero = c.int_constant(0);
  Abstract largest = c.fold(zero, n, carried(c, zero_of(c, real)), [&](IrValue k, const Abstract& most) {
    return c.call_base("max", {most, c.call_base("abs", {it.at(c, k)})});
  });
  const IrValue most = c.scalar(largest);
  const auto is_finite = [&](IrValue v) { return op1(c, "stablehlo.is_finite", v); };
  const IrValue is_trivial = op2(c, "stablehlo.or", compare2(c, most, like(c, most, 0), "EQ"),
                                 compare2(c, most, like(c, most, HUGE_VAL), "EQ"));
  const auto root_of_sum = [&](const std::function<Abstract(const Abstract&)>& square) {
    const Abstract sum =
        c.fold(zero, n, carried(c, zero_of(c, core().float64)), [&](IrValue k, const Abstract& so_far) {
          return c.call_base("+", {so_far, c.convert(core().float64, square(it.at(c, k)))});
        });
    return op1(c, "stablehlo.sqrt", c.scalar(sum));
  };
  const auto narrowed = [&](IrValue r) { return c.convert(real, Abstract::of_scalar(core().float64, r)); };
  return c.choose(
      is_trivial, [&] { return largest; },
      [&] {
        const IrValue square = op2(c, "stablehlo.multiply", most, most);
        const IrValue count = c.scalar(c.convert(real, Abstract::of_scalar(core().int64, n)));
        const IrValue safe =
            op2(c, "stablehlo.and",
                is_finite(op2(c, "stablehlo.multiply", op2(c, "stablehlo.multiply", count, most), most)),
                compare2(c, square, like(c, square, 0), "NE"));
        return c.choose(
            safe, [&] { return narrowed(root_of_sum([&](const Abstract& x) { return c.call_base("abs2", {x}); })); },
            [&] {
              const IrValue root = root_of_sum([&](const Abstract& x) {
                const Abstract scaled = c.call_base("/", {c.call_base("abs", {x}), largest});
                return c.call_base("*", {scaled, scaled});
              });
              const IrValue wide = c.scalar(c.convert(core().float64, largest));
              return narrowed(op2(c, "stablehlo.multiply", wide, root));
            });
      });
}

Abstract fill(Compiler& c, Args a) {
  std::vector<IrValue> parts;
  c.append_leaves(c.convert(c.object(a[0]).element, a[1]), parts);
  HeapObject& to = c.writable(a[0]);
  const int64_t room[] = {to.dims[0]};
  for (size_t i = 0; i < parts.size(); ++i) to.leaves[i] = c.b().broadcast_in_dim(parts[i], {}, room);
  return a[0];
}

/// setindex!(vector, values, index): one of them may be of unknown length.
Abstract set_block(Compiler& c, Args a) {
  if (a.size() == 3 && is_bounded(c, a[0]) && number_kind(a[2].type) && a[2].type != core().bool_)
    return c.call_base("_array_set", {a[0], a[1], a[2]});
  if (!is_bounded(c, a[0])) {
    const Abstract array = array_argument(c, a[0]);
    std::vector<Abstract> indices;
    for (size_t d = 2; d < a.size(); ++d) {
      const std::string name = a[d].type->name->name.text();
      const bool is_all = name == "Colon" || name == "Slice";
      const HeapObject& o = c.object(array);
      const int64_t extent = a.size() == 3 ? length_of(o) : o.dims[d - 2];
      indices.push_back(is_all ? c.call_base("OneTo", {Abstract::of_constant(number(extent))}) : a[d]);
    }
    set_slice(c, array, a[1], indices);
    return array;
  }
  if (a.size() != 3) c.fail(Cause::kUnsupported, "several indices of a vector");
  const Abstract& vector = a[0];
  const std::string name = a[2].type->name->name.text();
  const bool is_all = name == "Colon" || name == "Slice";
  if (!is_all &&
      (!subtype(a[2].type, core().abstract_array) || known_type(c, c.call_base("eltype", {a[2]})) == core().bool_))
    c.fail(Cause::kShape, "an index of type " + type_text(a[2].type) +
                              " of a vector whose length is known only when the program runs");
  const Iterable values = plain_iterable(c, unaliased(c, vector, a[1]));
  const IrValue n = count_of(c, vector);
  std::optional<Iterable> places;
  if (!is_all) places = plain_iterable(c, a[2]);
  const IrValue count = values.count(c);
  check_all(c, compare2(c, count, places ? places->count(c) : n, "EQ"),
            "DimensionMismatch: tried to assign an array to a slice of another length");
  const Type* element = c.object(vector).element;
  c.fold(c.int_constant(0), count, Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    IrValue at = k;
    if (places) {
      const IrValue i = convert_num(c, num(c, places->at(c, k)), NumberKind::kInt64).v;
      check_all(c, op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, n, "LE")),
                "BoundsError: attempt to access " + type_text(vector.type));
      at = op2(c, "stablehlo.subtract", i, int_like(c, i, 1));
    }
    put_bounded(c, vector, at, c.convert(element, values.at(c, k)));
    return none;
  });
  return vector;
}

/// (name, element type, dimension, parts…): vectors and single elements, one behind the other.
Abstract concatenate(Compiler& c, Args a) {
  const Type* element = known_type(c, a[1]);
  if (!is_plain_element(c, element) || c.known_int(a[2], "the dimension of a concatenation") != 1)
    c.fail(Cause::kShape, "a concatenation of vectors whose length is known only when the program runs");
  int64_t bound = 0;
  IrValue count = c.int_constant(0);
  std::vector<Iterable> parts;
  for (const Abstract& x : a.subspan(3)) {
    const bool is_array = subtype(x.type, core().abstract_array);
    if (!is_array && !number_kind(x.type)) c.fail(Cause::kUnsupported, "a part of type " + type_text(x.type));
    parts.push_back(plain_iterable(c, x));
    if (is_array && !is_bounded(c, x) && is_array_object(c, x) && c.object(array_argument(c, x)).dims.size() != 1)
      c.fail(Cause::kShape, "a concatenation of vectors and matrices of unknown length");
    bound += is_array ? bound_of(c, x) : 1;
    count = op2(c, "stablehlo.add", count, parts.back().count(c));
  }
  if (bound == 0) return make_filled(c, element, {0}, nullptr);
  const Abstract out = make_bounded(c, array_type(element, 1), bound, Abstract::of_scalar(core().int64, count));
  IrValue start = c.int_constant(0);
  for (const Iterable& part : parts) {
    const IrValue n = part.count(c);
    c.fold(c.int_constant(0), n, Abstract::nothing(), [&](IrValue k, const Abstract& none) {
      put_bounded(c, out, op2(c, "stablehlo.add", start, k), c.convert(element, part.at(c, k)));
      return none;
    });
    start = op2(c, "stablehlo.add", start, n);
  }
  return out;
}

constexpr Emission kCounted[] = {
    {"_dot", dot}, {"_norm2", norm2}, {"_array_fill!", fill}, {"_block_set", set_block}, {"_concatenate", concatenate},
};

}  // namespace

std::span<const Emission> counted_emissions() { return kCounted; }

}  // namespace weft::julia
