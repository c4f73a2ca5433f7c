// Places of elements that pass a test, equal elements, and permutations that sort.
#include "julia/host/array.h"
#include "julia/infer/emit/arrays.h"
#include "julia/infer/iterable.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;

IrValue known_bool(Compiler& c, bool v) { return c.b().constant(Literal::dense(Tensor::scalar_of(v))); }

IrValue passes(Compiler& c, const Abstract& test, const Abstract& x) {
  const Abstract v = c.call(test, {x});
  if (v.type != core().bool_) c.fail(Cause::kUnsupported, "a test that gives a " + type_text(v.type));
  return c.scalar(v);
}

/// (test, array, i): the linear index of the first element from there on that passes, or 0.
template <bool Forward>
Abstract find_next(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[1]);
  if (it.is_unrolled || it.accepts) c.fail(Cause::kUnsupported, "a search in a " + type_text(a[1].type));
  const IrValue from = c.scalar(a[2]), one = c.int_constant(1), zero = c.int_constant(0), n = it.count(c);
  // Steps are counted from the start: the one of k is at from ± k.
  const IrValue left = Forward ? op2(c, "stablehlo.subtract", n, op2(c, "stablehlo.subtract", from, one)) : from;
  const IrValue begins_inside = Forward ? compare2(c, from, one, "GE") : compare2(c, from, n, "LE");
  const IrValue count = select3(c, begins_inside, left, zero);
  const auto place = [&](IrValue k) { return op2(c, Forward ? "stablehlo.add" : "stablehlo.subtract", from, k); };
  const Abstract found = c.fold_while(
      zero, count, Abstract::of_scalar(core().int64, zero),
      [&](IrValue k, const Abstract&) {
        const IrValue i = place(k);
        const IrValue hit = passes(c, a[0], it.at(c, op2(c, "stablehlo.subtract", i, int_like(c, i, 1))));
        return Abstract::of_scalar(core().int64, select3(c, hit, i, int_like(c, i, 0)));
      },
      [&](const Abstract& v) { return compare2(c, c.scalar(v), int_like(c, c.scalar(v), 0), "EQ"); });
  return found;
}

/// A new vector of f of every element.
Abstract mapped_vector(Compiler& c, const Abstract& f, const Abstract& iterable) {
  const Abstract all = is_array_object(c, iterable) ? iterable : c.call_base("collect", {iterable});
  return array_argument(c, c.call_base("map", {f, c.call_base("vec", {all})}));
}

Abstract any_of(Compiler& c, IrValue flags) {
  const int64_t all[] = {0};
  return Abstract::of_scalar(core().bool_, c.b().reduce(flags, all, "stablehlo.or"));
}

/// (f, iterable): whether f of each element differs from that of every other.
Abstract all_unique(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[1]);
  if (it.is_unrolled) {
    IrValue same = known_bool(c, false);
    std::vector<Abstract> values;
    for (const Abstract& x : it.elements) {
      values.push_back(c.call(a[0], {x}));
      for (size_t i = 0; i + 1 < values.size(); ++i)
        same = op2(c, "stablehlo.or", same, c.scalar(c.call_base("isequal", {values[i], values.back()})));
    }
    return Abstract::of_scalar(core().bool_, c.b().logical_not(same));
  }
  const Abstract values = mapped_vector(c, a[0], a[1]);
  const HeapObject before = c.object(values);
  const int64_t n = length_of(before);
  if (n < 2) return Abstract::of_constant(boolean(true));
  if (!number_kind(before.element)) {
    // Each with those before it.
    const IrValue zero = c.int_constant(0), one = c.int_constant(1), count = c.int_constant(n);
    const auto goes_on = [&](const Abstract& v) { return c.scalar(v); };
    const Abstract yes = Abstract::of_scalar(core().bool_, known_bool(c, true));
    return c.fold_while(
        one, count, yes,
        [&](IrValue i, const Abstract&) {
          const Abstract x = element_at(c, values, i);
          return c.fold_while(
              zero, i, yes,
              [&](IrValue k, const Abstract&) {
                const Abstract same = c.call_base("isequal", {element_at(c, values, k), x});
                return Abstract::of_scalar(core().bool_, c.b().logical_not(c.scalar(same)));
              },
              goes_on);
        },
        goes_on);
  }
  // Equal numbers are neighbours once they are sorted.
  const Abstract copy = c.new_array(before.type, before.dims, before.leaves);
  const std::vector<Abstract> sorting = {copy, Abstract::of_constant(boolean(false))};
  find_emission("_sort_numbers!")(c, sorting);
  const IrValue sorted = c.object(copy).leaves[0];
  const int64_t size[] = {n - 1};
  const auto* element = static_cast<const DataType*>(before.element);
  const auto from = [&](int64_t start) {
    const IrValue at = c.int_constant(start);
    return Abstract::of_scalar(element, c.b().dynamic_slice(sorted, std::span(&at, 1), size));
  };
  const std::vector<Abstract> both = {from(0), from(1)};
  const Abstract same = any_of(c, c.scalar(find_emission("_isequal")(c, both)));
  return Abstract::of_scalar(core().bool_, c.b().logical_not(c.scalar(same)));
}

/// (keys, less, reversed?): the stable permutation that sorts the keys.
Abstract sort_permutation(Compiler& c, Args a) {
  if (!a[2].is_constant()) c.fail(Cause::kDispatch, "an order that is known only when the program runs");
  const bool reverse = a[2].constant.get<bool>();
  const Abstract keys = array_argument(c, is_array_object(c, a[0]) ? a[0] : c.call_base("collect", {a[0]}));
  const HeapObject o = c.object(keys);
  const int64_t n = length_of(o), flat[] = {n};
  std::vector<IrValue> operands;
  for (const IrValue leaf : o.leaves) operands.push_back(c.b().reshape(leaf, flat));
  const IrValue first = c.b().iota(weft::Type::tensor(ElementType::kI64, flat), 0);
  operands.push_back(op2(c, "stablehlo.add", first, int_like(c, first, 1)));
  std::vector<weft::Type> types;
  for (const IrValue v : operands) {
    const weft::Type scalar = weft::Type::scalar(c.b().type(v).element_type());
    types.insert(types.end(), {scalar, scalar});
  }
  RegionId comparator;
  {
    const Compiler::Region region(c, types);
    comparator = region.id;
    const auto args = c.b().function().args(region.id);
    const auto key = [&](size_t side) {
      std::vector<IrValue> leaves;
      for (size_t k = 0; k < o.leaves.size(); ++k) leaves.push_back(args[2 * k + side]);
      size_t next = 0;
      return c.from_leaves(o.element, leaves, next);
    };
    const Abstract less = reverse ? c.call(a[1], {key(1), key(0)}) : c.call(a[1], {key(0), key(1)});
    if (less.type != core().bool_) c.fail(Cause::kUnsupported, "an order that gives a " + type_text(less.type));
    const IrValue v = c.scalar(less);
    c.b().yield(std::span(&v, 1));
  }
  Attrs attrs;
  attrs.set("dimension", Attr(int64_t{0}));
  attrs.set("is_stable", Attr(true));
  const std::vector<IrValue> sorted =
      c.b().create("stablehlo.sort", operands, std::move(attrs), {}, std::span(&comparator, 1));
  return c.new_array(array_type(core().int64, 1), {n}, {sorted.back()});
}

constexpr Emission kEmissions[] = {
    {"_findnext", find_next<true>},
    {"_findprev", find_next<false>},
    {"_allunique", all_unique},
    {"_sortperm", sort_permutation},
};

}  // namespace

std::span<const Emission> search_emissions() { return kEmissions; }

}  // namespace weft::julia
