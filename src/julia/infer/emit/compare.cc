// Equality of whole arrays and tuples, sorting, and small constructors.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "julia/host/array.h"
#include "julia/infer/open_extents.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;

/// Whether all elements compare so; nothing for elements that are no machine numbers: the general code is to decide.
template <const char* Comparison>
Abstract arrays_compare(Compiler& c, Args a) {
  if (!is_array_object(c, a[0]) || !is_array_object(c, a[1])) return Abstract::nothing();
  const HeapObject x = c.object(array_argument(c, a[0])), y = c.object(array_argument(c, a[1]));
  if (!number_kind(x.element) || !number_kind(y.element)) return Abstract::nothing();
  if (x.dims.is_open() || y.dims.is_open()) return Abstract::nothing();
  if (x.dims != y.dims) return Abstract::of_constant(boolean(false));
  if (length_of(x) == 0) return Abstract::of_constant(boolean(true));
  const std::vector<Abstract> both = {Abstract::of_scalar(static_cast<const DataType*>(x.element), x.leaves[0]),
                                      Abstract::of_scalar(static_cast<const DataType*>(y.element), y.leaves[0])};
  const IrValue same = c.scalar(find_emission(Comparison)(c, both));
  std::vector<int64_t> all;
  for (size_t d = 0; d < x.dims.size(); ++d) all.push_back(static_cast<int64_t>(d));
  return result(NumberKind::kBool, all.empty() ? same : c.b().reduce(same, all, "stablehlo.and"));
}

template <const char* Comparison>
Abstract tuples_compare(Compiler& c, Args a) {
  if (!a[0].type->is_tuple || !a[1].type->is_tuple) return Abstract::nothing();
  const size_t n = a[0].type->field_count();
  if (n != a[1].type->field_count()) return Abstract::of_constant(boolean(false));
  std::vector<Abstract> x, y;
  for (size_t i = 0; i < n; ++i) {
    x.push_back(c.field(a[0], i));
    y.push_back(c.field(a[1], i));
    if (!number_kind(x.back().type) || !number_kind(y.back().type)) return Abstract::nothing();
  }
  Abstract all = Abstract::of_constant(boolean(true));
  for (size_t i = 0; i < n; ++i) {
    const std::vector<Abstract> both = {x[i], y[i]};
    const IrValue same = c.scalar(find_emission(Comparison)(c, both));
    all = result(NumberKind::kBool, all.is_constant() ? same : op2(c, "stablehlo.and", c.scalar(all), same));
  }
  return all;
}
constexpr char kEqual[] = "_eq", kIsEqual[] = "_isequal";

}  // namespace

IrValue is_before(Compiler& c, const DataType* element, IrValue x, IrValue y, bool reverse) {
  if (reverse) std::swap(x, y);
  const std::vector<Abstract> both = {Abstract::of_scalar(element, x), Abstract::of_scalar(element, y)};
  return c.scalar(find_emission("_isless")(c, both));
}

namespace {

/// (vector, reverse?): true, since it could be sorted.
Abstract sort_numbers(Compiler& c, Args a) {
  if (!is_array_object(c, a[0]) || !a[1].is_constant()) return Abstract::of_constant(boolean(false));
  const Abstract array = array_argument(c, a[0]);
  const HeapObject o = c.object(array);
  if (!number_kind(o.element) || o.dims.size() != 1) return Abstract::of_constant(boolean(false));
  const bool reverse = a[1].constant.get<bool>();
  const auto* element = static_cast<const DataType*>(o.element);
  const weft::Type scalar = weft::Type::scalar(c.b().type(o.leaves[0]).element_type());
  const weft::Type types[] = {scalar, scalar};
  RegionId comparator;
  {
    const Compiler::Region region(c, types);
    comparator = region.id;
    const auto args = c.b().function().args(region.id);
    const IrValue less = is_before(c, element, args[0], args[1], reverse);
    c.b().yield(std::span(&less, 1));
  }
  Attrs attrs;
  attrs.set("dimension", Attr(int64_t{0}));
  attrs.set("is_stable", Attr(true));
  const std::vector<IrValue> sorted =
      c.b().create("stablehlo.sort", o.leaves, std::move(attrs), {}, std::span(&comparator, 1));
  c.writable(array).leaves = sorted;
  return Abstract::of_constant(boolean(true));
}

Abstract one_to(Compiler& c, const Abstract& n) {
  return c.constant_or_fields(applied(core().one_to, {core().int64}), {n});
}

/// Axes of an array, or of a tuple of extents.
Abstract one_to_each(Compiler& c, Args a) {
  std::vector<Abstract> out;
  if (is_array_object(c, a[0])) {
    for (const Abstract& d : extents_of(c, c.object(array_argument(c, a[0]))).values) out.push_back(one_to(c, d));
  } else {
    for (size_t i = 0; i < a[0].type->field_count(); ++i) out.push_back(one_to(c, c.field(a[0], i)));
  }
  return c.tuple(std::move(out));
}

/// The extents of arrays, ranges and products of them; nothing for others.
Abstract builtin_shape(Compiler& c, Args a) {
  std::vector<Abstract> parts = {a[0]};
  if (a[0].type->name->name == Symbol("ProductIterator")) {
    const Abstract each = c.field(a[0], 0);
    parts.clear();
    for (size_t i = 0; i < each.type->field_count(); ++i) parts.push_back(c.field(each, i));
  }
  std::vector<Abstract> extents;
  for (const Abstract& x : parts) {
    if (is_array_object(c, x)) {
      for (const Abstract& d : extents_of(c, c.object(array_argument(c, x))).values) extents.push_back(d);
      continue;
    }
    static const std::set<std::string> kRanges = {"UnitRange", "OneTo", "StepRange", "StepRangeLen", "LinRange"};
    if (!kRanges.contains(x.type->name->name.text())) return Abstract::nothing();
    extents.push_back(c.convert(core().int64, c.call_base("length", {x})));
  }
  return c.tuple(std::move(extents));
}

Abstract pair(Compiler& c, Args a) {
  return c.constant_or_fields(applied(core().pair, {a[0].type, a[1].type}), {a[0], a[1]});
}

Abstract flip_sign(Compiler& c, Args a) {
  const Num x = num(c, a[0]);
  if (is_unsigned(x.kind) || x.kind == NumberKind::kBool) c.fail(Cause::kUnsupported, "flipsign of unsigned numbers");
  const Abstract negative = find_emission("_signbit")(c, a.subspan(1, 1));
  return result(x.kind, select3(c, c.scalar(negative), op1(c, "stablehlo.negate", x.v), x.v));
}

Abstract is_integer_valued(Compiler& c, Args a) {
  const Num x = num(c, a[0]);
  if (!is_float(x.kind)) return Abstract::of_constant(boolean(true));
  const IrValue whole = compare2(c, op1(c, "stablehlo.floor", x.v), x.v, "EQ");
  return result(NumberKind::kBool, op2(c, "stablehlo.and", whole, op1(c, "stablehlo.is_finite", x.v)));
}

/// The last element of start:step:stop of integers.
Abstract step_range_stop(Compiler& c, Args a) {
  const Num start = num(c, a[0]);
  if (!is_integer(start.kind) || start.kind == NumberKind::kBool || is_unsigned(start.kind))
    c.fail(Cause::kUnsupported, "a range with a step of " + type_text(a[0].type));
  const IrValue step = convert_num(c, num(c, a[1]), start.kind).v, stop = convert_num(c, num(c, a[2]), start.kind).v;
  const IrValue zero = int_like(c, step, 0), one = int_like(c, step, 1);
  const IrValue up = compare2(c, step, zero, "GT");
  const IrValue empty = select3(c, up, compare2(c, stop, start.v, "LT"), compare2(c, stop, start.v, "GT"));
  // The way from end to end may be longer than the type can say: it is counted without a sign.
  const ElementType as_unsigned = *element_type(number_type(start.kind == NumberKind::kInt64   ? NumberKind::kUInt64
                                                            : start.kind == NumberKind::kInt32 ? NumberKind::kUInt32
                                                            : start.kind == NumberKind::kInt16 ? NumberKind::kUInt16
                                                                                               : NumberKind::kUInt8));
  const ElementType as_signed = c.b().type(start.v).element_type();
  const auto bits = [&](IrValue v, ElementType to) {
    return c.b().make("stablehlo.bitcast_convert", {v}, {}, c.b().type(v).with_element(to));
  };
  const IrValue way =
      select3(c, up, op2(c, "stablehlo.subtract", stop, start.v), op2(c, "stablehlo.subtract", start.v, stop));
  const IrValue size = op1(c, "stablehlo.abs", select3(c, compare2(c, step, zero, "EQ"), one, step));
  const IrValue rest = bits(op2(c, "stablehlo.remainder", bits(way, as_unsigned), bits(size, as_unsigned)), as_signed);
  const IrValue last = select3(c, up, op2(c, "stablehlo.subtract", stop, rest), op2(c, "stablehlo.add", stop, rest));
  const IrValue before =
      select3(c, up, op2(c, "stablehlo.subtract", start.v, one), op2(c, "stablehlo.add", start.v, one));
  return result(start.kind, select3(c, empty, before, last));
}

/// [a b; c d] of numbers: (element type, how many in each row, the numbers).
Abstract number_matrix(Compiler& c, Args a) {
  if (!a[0].is_constant()) c.fail(Cause::kDispatch, "a matrix of an element type that is not known");
  const Type* element = c.evaluator().impl().type_of_value(a[0].constant);
  const std::vector<int64_t> rows = known_dims(c, a[1]);
  const auto m = static_cast<int64_t>(rows.size());
  const int64_t n = rows.empty() ? 0 : rows[0];
  for (const int64_t r : rows) {
    if (r == n) continue;
    c.throws("DimensionMismatch: row lengths must match");
    return Abstract::nothing();
  }
  std::vector<Abstract> elements;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i)
      elements.push_back(c.convert(element, c.field(a[2], static_cast<size_t>(i * n + j))));
  }
  return array_of_elements(c, std::move(elements), {m, n}, element);
}

template <bool Up>
Abstract next_float(Compiler& c, Args a) {
  const Num x = num(c, a[0]);
  if (a.size() > 1) {
    Abstract steps = c.convert(core().int64, a[1]);
    if (!Up) steps = c.call_base("-", {steps});
    return c.call_base("_compiled_step_float", {a[0], steps});
  }
  const ElementType bits = x.kind == NumberKind::kFloat64   ? ElementType::kI64
                           : x.kind == NumberKind::kFloat32 ? ElementType::kI32
                                                            : ElementType::kI16;
  const IrValue i = c.b().make("stablehlo.bitcast_convert", {x.v}, {}, c.b().type(x.v).with_element(bits));
  const IrValue one = int_like(c, i, 1);
  const IrValue grows = compare2(c, x.v, like(c, x.v, 0), Up ? "GT" : "LT");
  const IrValue moved = select3(c, grows, op2(c, "stablehlo.add", i, one), op2(c, "stablehlo.subtract", i, one));
  const IrValue y = c.b().make("stablehlo.bitcast_convert", {moved}, {}, c.b().type(x.v));
  const double least = x.kind == NumberKind::kFloat64 ? 0x1p-1074 : x.kind == NumberKind::kFloat32 ? 0x1p-149 : 0x1p-24;
  const IrValue from_zero = like(c, x.v, Up ? least : -least);
  const IrValue is_zero = compare2(c, x.v, like(c, x.v, 0), "EQ");
  const IrValue stays = op2(c, "stablehlo.or", compare2(c, x.v, x.v, "NE"),
                            compare2(c, x.v, like(c, x.v, Up ? INFINITY : -INFINITY), "EQ"));
  return result(x.kind, select3(c, stays, x.v, select3(c, is_zero, from_zero, y)));
}

constexpr Emission kEmissions[] = {
    {"_array_equal", arrays_compare<kEqual>},
    {"_array_isequal", arrays_compare<kIsEqual>},
    {"_tuple_equal", tuples_compare<kEqual>},
    {"_tuple_isequal", tuples_compare<kIsEqual>},
    {"_sort_numbers!", sort_numbers},
    {"_one_to_each", one_to_each},
    {"_builtin_shape", builtin_shape},
    {"_pair", pair},
    {"_flipsign", flip_sign},
    {"_isinteger", is_integer_valued},
    {"_step_range_stop", step_range_stop},
    {"_number_matrix", number_matrix},
    {"_nextfloat", next_float<true>},
    {"_prevfloat", next_float<false>},
};

}  // namespace

std::span<const Emission> compare_emissions() { return kEmissions; }

}  // namespace weft::julia
