// Vectors whose number of elements is known when the program runs: their elements, comparisons, maps and how they grow and shrink.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

using Args = std::span<const Abstract>;

Abstract known_int(int64_t v) { return Abstract::of_constant(number(v)); }

/// The count and as many more.
Abstract more_than(Compiler& c, const Abstract& count, int64_t more) {
  if (count.is_constant()) return known_int(count.constant.get<int64_t>() + more);
  Abstract out = Abstract::of_scalar(core().int64, op2(c, "stablehlo.add", count.ir, int_like(c, count.ir, more)));
  out.origin = count.origin ? count.origin : count.ir;
  out.offset = (count.origin ? count.offset : 0) + more;
  return out;
}

Abstract length(Compiler& c, Args a) { return c.object(a[0]).fields[0]; }

Abstract size(Compiler& c, Args a) {
  const Abstract n = c.object(a[0]).fields[0];
  if (a.size() == 1) return c.tuple({n});
  const int64_t d = c.known_int(a[1], "a dimension");
  return d == 1 ? n : known_int(1);
}

IrValue is_inside(Compiler& c, const Abstract& vector, IrValue i) {
  return op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, count_of(c, vector), "LE"));
}

/// The checked 0-based place of an index.
IrValue place_of(Compiler& c, const Abstract& vector, Args indices) {
  if (indices.size() != 1) c.fail(Cause::kUnsupported, "several indices of a vector");
  const IrValue i = convert_num(c, num(c, indices[0]), NumberKind::kInt64).v;
  check_all(c, is_inside(c, vector, i), "BoundsError: attempt to access " + type_text(vector.type));
  return op2(c, "stablehlo.subtract", i, int_like(c, i, 1));
}

Abstract get(Compiler& c, Args a) { return element_at(c, a[0], place_of(c, a[0], a.subspan(1))); }

Abstract set(Compiler& c, Args a) {
  const Abstract v = c.convert(c.object(a[0]).element, a[1]);
  put_bounded(c, a[0], place_of(c, a[0], a.subspan(2)), v);
  return a[0];
}

Abstract in_bounds(Compiler& c, Args a) {
  const IrValue i = convert_num(c, num(c, a[1]), NumberKind::kInt64).v;
  return Abstract::of_scalar(core().bool_, is_inside(c, a[0], i));
}

Abstract axes(Compiler& c, Args a) {
  return c.tuple({c.constant_or_fields(applied(core().one_to, {core().int64}), {c.object(a[0]).fields[0]})});
}

Abstract shape(Compiler& c, Args a) {
  if (!is_bounded(c, a[0])) return Abstract::nothing();
  return size(c, a.first(1));
}

Abstract iterate(Compiler& c, Args a) {
  const IrValue i = a.size() > 1 ? c.scalar(a[1]) : c.int_constant(1);
  const IrValue one = int_like(c, i, 1);
  const Abstract next = Abstract::of_scalar(core().int64, op2(c, "stablehlo.add", i, one));
  return maybe_of(c, Abstract::of_scalar(core().bool_, is_inside(c, a[0], i)),
                  c.tuple({element_at(c, a[0], op2(c, "stablehlo.subtract", i, one)), next}));
}

/// == of two vectors of which one has an unknown length.
template <const char* Comparison>
Abstract compare(Compiler& c, Args a) {
  const auto rank = [&](const Abstract& x) {
    return is_array_object(c, x) ? c.object(array_argument(c, x)).dims.size() : c.object(x).dims.size();
  };
  if (rank(a[0]) != 1 || rank(a[1]) != 1) return Abstract::of_constant(boolean(false));
  const Iterable x = iterable_of(c, a[0]), y = iterable_of(c, a[1]);
  const auto same = [&](const Abstract& p, const Abstract& q) {
    Abstract v = c.call_base(Comparison, {p, q});
    if (v.type != core().bool_) c.fail(Cause::kUnsupported, "a comparison that gives a " + type_text(v.type));
    return v;
  };
  if (x.is_unrolled || y.is_unrolled) {
    const Iterable &known = x.is_unrolled ? x : y, &other = x.is_unrolled ? y : x;
    const auto n = static_cast<int64_t>(known.elements.size());
    IrValue all = compare2(c, other.count(c), c.int_constant(n), "EQ");
    for (int64_t k = 0; k < n; ++k)
      all = op2(c, "stablehlo.and", all,
                c.scalar(same(known.elements[static_cast<size_t>(k)], other.at(c, c.int_constant(k)))));
    return Abstract::of_scalar(core().bool_, all);
  }
  const IrValue n = x.count(c), m = y.count(c);
  const IrValue least = op2(c, "stablehlo.minimum", n, m);
  return c.fold_while(
      c.int_constant(0), least, Abstract::of_scalar(core().bool_, compare2(c, n, m, "EQ")),
      [&](IrValue k, const Abstract&) { return same(x.at(c, k), y.at(c, k)); },
      [&](const Abstract& v) { return c.scalar(v); });
}
constexpr char kEqual[] = "==", kIsEqual[] = "isequal";

Abstract copy(Compiler& c, Args a) {
  HeapObject o = c.object(a[0]);
  const DataType* type = o.type;
  o.is_read_only = false;
  c.heap().objects.push_back(std::move(o));
  return Abstract::of_object(type, static_cast<uint32_t>(c.heap().objects.size() - 1));
}

/// (f, op, vector) of all elements, of which there are some.
Abstract mapreduce(Compiler& c, Args a) {
  const Abstract found = find_emission("_foldl")(c, a);
  check_all(c, c.scalar(found.is_constant() ? c.field(found, 0) : found.fields[0]),
            "ArgumentError: reducing over an empty collection is not allowed");
  return c.field(found, 1);
}

/// (f, vectors…): a vector of as many.
Abstract map(Compiler& c, Args a) {
  std::vector<Iterable> each;
  int64_t bound = INT64_MAX;
  for (const Abstract& x : a.subspan(1)) {
    each.push_back(iterable_of(c, x));
    if (each.back().is_unrolled) c.fail(Cause::kUnsupported, "a map over a tuple and a vector of unknown length");
    bound = std::min(bound, bound_of(c, x));
  }
  const IrValue n = each.front().count(c);
  for (const Iterable& x : each)
    check_all(c, compare2(c, n, x.count(c), "EQ"), "DimensionMismatch: map over vectors of several lengths");
  return collect_counted(c, nullptr, bound, n, [&](IrValue k) {
    std::vector<Abstract> arguments;
    for (const Iterable& x : each) arguments.push_back(x.at(c, k));
    return c.call(a[0], std::move(arguments));
  });
}

/// vector[mask], or places of a vector of unknown length.
Abstract get_block(Compiler& c, Args a) {
  if (a.size() != 2) c.fail(Cause::kShape, "a block whose size is known only when the program runs");
  const bool by_number = number_kind(a[1].type).has_value();
  if (by_number) return get(c, a);
  const std::string name = a[1].type->name->name.text();
  if (name == "Colon" || name == "Slice") return copy(c, a);
  const Abstract from = is_bounded(c, a[0]) ? a[0] : array_argument(c, a[0]);
  const Iterable places = plain_iterable(c, a[1]);
  const HeapObject o = c.object(from);
  const auto length_now = is_bounded(o) ? count_of(c, from) : c.int_constant(length_of(o));
  const Type* index = known_type(c, c.call_base("eltype", {a[1]}));
  if (index == core().bool_) {
    check_all(c, compare2(c, places.count(c), length_now, "EQ"), "BoundsError: attempt to access " + type_text(o.type));
    return collect_if(c, o.element, bound_of(c, a[1]), places.count(c),
                      [&](IrValue k) { return std::pair(element_at(c, from, k), as_flag(c, places.at(c, k))); });
  }
  // A range has each place once.
  const bool is_range = name == "UnitRange" || name == "OneTo" || name == "StepRange";
  return collect_counted(c, o.element, is_range ? o.dims[0] : bound_of(c, a[1]), places.count(c), [&](IrValue k) {
    const IrValue i = convert_num(c, num(c, places.at(c, k)), NumberKind::kInt64).v;
    check_all(c, op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, length_now, "LE")),
              "BoundsError: attempt to access " + type_text(o.type));
    return element_at(c, from, op2(c, "stablehlo.subtract", i, int_like(c, i, 1)));
  });
}

// ---- growing and shrinking

Abstract push(Compiler& c, Args a) {
  for (const Abstract& x : a.subspan(1)) {
    const Abstract v = c.convert(c.object(a[0]).element, x);
    const HeapObject o = c.object(a[0]);
    const Abstract& reserved = o.fields[1];
    if (!reserved.is_constant() || reserved.constant.get<bool>())
      check_all(c, compare2(c, count_of(c, a[0]), c.int_constant(o.dims[0]), "LT"),
                "a vector grows beyond the room that compiled code has for it");
    else bound_object(c, a[0].object, o.dims[0] + 1, false);
    put_bounded(c, a[0], count_of(c, a[0]), v);
    HeapObject& to = c.writable(a[0]);
    to.fields[0] = more_than(c, to.fields[0], 1);
  }
  return a[0];
}

Abstract append(Compiler& c, Args a) {
  const Iterable it = plain_iterable(c, a[1]);
  if (c.object(a[0]).is_array || !c.object(a[0]).fields[1].is_constant() ||
      !c.object(a[0]).fields[1].constant.get<bool>())
    bound_object(c, a[0].object, length_of(c.object(a[0])) + bound_of(c, a[1]), false);
  const Type* element_type = c.object(a[0]).element;
  c.fold(c.int_constant(0), it.count(c), Abstract::nothing(), [&](IrValue k, const Abstract& none) {
    check_all(c, compare2(c, count_of(c, a[0]), c.int_constant(c.object(a[0]).dims[0]), "LT"),
              "a vector grows beyond the room that compiled code has for it");
    put_bounded(c, a[0], count_of(c, a[0]), c.convert(element_type, it.at(c, k)));
    HeapObject& to = c.writable(a[0]);
    to.fields[0] = more_than(c, to.fields[0], 1);
    return none;
  });
  return a[0];
}

Abstract pop(Compiler& c, Args a) {
  const IrValue n = count_of(c, a[0]);
  check_all(c, compare2(c, n, int_like(c, n, 0), "GT"), "ArgumentError: array must be non-empty");
  const Abstract v = element_at(c, a[0], op2(c, "stablehlo.subtract", n, int_like(c, n, 1)));
  HeapObject& to = c.writable(a[0]);
  to.fields[0] = more_than(c, to.fields[0], -1);
  return v;
}

/// resize!(vector, n)
Abstract resize(Compiler& c, Args a) {
  const IrValue n = c.scalar(c.convert(core().int64, a[1]));
  check_all(c,
            op2(c, "stablehlo.and", compare2(c, n, int_like(c, n, 0), "GE"), compare2(c, n, count_of(c, a[0]), "LE")),
            "a vector of unknown length is made longer");
  c.writable(a[0]).fields[0] = Abstract::of_scalar(core().int64, n);
  return a[0];
}

/// sort! of the elements that are there: those behind them stay behind them.
Abstract sort_numbers(Compiler& c, Args a) {
  const HeapObject o = c.object(a[0]);
  if (!number_kind(o.element) || !a[1].is_constant()) return Abstract::of_constant(boolean(false));
  const bool reverse = a[1].constant.get<bool>();
  const auto* element_type = static_cast<const DataType*>(o.element);
  const IrValue places = c.b().iota(weft::Type::tensor(ElementType::kI64, o.dims), 0);
  const IrValue is_behind = compare2(c, places, count_of(c, a[0]), "GE");
  const weft::Type flag = weft::Type::scalar(ElementType::kI1);
  const weft::Type scalar = weft::Type::scalar(c.b().type(o.leaves[0]).element_type());
  const weft::Type types[] = {scalar, scalar, flag, flag};
  RegionId comparator;
  {
    const Compiler::Region region(c, types);
    comparator = region.id;
    const auto args = c.b().function().args(region.id);
    const IrValue less = is_before(c, element_type, args[0], args[1], reverse);
    const IrValue one_behind = c.b().logical_and(c.b().logical_not(args[2]), args[3]);
    const IrValue both_there = c.b().logical_and(c.b().logical_not(args[2]), c.b().logical_not(args[3]));
    const IrValue v = op2(c, "stablehlo.or", one_behind, c.b().logical_and(both_there, less));
    c.b().yield(std::span(&v, 1));
  }
  Attrs attrs;
  attrs.set("dimension", Attr(int64_t{0}));
  attrs.set("is_stable", Attr(true));
  const std::vector<IrValue> operands = {o.leaves[0], is_behind};
  c.writable(a[0]).leaves[0] =
      c.b().create("stablehlo.sort", operands, std::move(attrs), {}, std::span(&comparator, 1)).front();
  return Abstract::of_constant(boolean(true));
}

constexpr Emission kBounded[] = {
    {"_array_length", length},
    {"_array_size", size},
    {"_array_get", get},
    {"_array_set", set},
    {"_array_in_bounds", in_bounds},
    {"_one_to_each", axes},
    {"_builtin_shape", shape},
    {"_array_iterate", iterate},
    {"_array_equal", compare<kEqual>},
    {"_array_isequal", compare<kIsEqual>},
    {"_array_copy", copy},
    {"_mapreduce", mapreduce},
    {"_map", map},
    {"_block_get", get_block},
    {"_push!", push},
    {"_append!", append},
    {"_pop!", pop},
    {"_resize!", resize},
    {"_sort_numbers!", sort_numbers},
};

}  // namespace

std::span<const Emission> bounded_emissions() { return kBounded; }

}  // namespace weft::julia
