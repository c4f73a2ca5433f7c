// Ranges, powers, places of extremes.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/arrays.h"
#include "julia/infer/iterable.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

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
    {"_unit_range", unit_range},       {"_range_length", range_length}, {"_literal_pow", literal_power},
    {"_throw_inexact", throw_inexact}, {"_array_copyto!", copy_part},   {"_findextreme", find_extreme},
};

}  // namespace

std::span<const Emission> algebra_emissions() { return kEmissions; }

}  // namespace weft::julia
