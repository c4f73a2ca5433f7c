// The order that sorts an array.
#include "julia/host/array.h"
#include "julia/infer/emit/arrays.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

/// (keys, lt, rev): the stable permutation that sorts the keys, from 1.
Abstract sort_permutation(Compiler& c, Args a) {
  const HeapObject keys = c.object(array_argument(c, a[0]));
  if (!a[2].is_constant()) c.fail(Cause::kDispatch, "whether a sort is reversed is known only when the program runs");
  const bool reverse = a[2].constant.get<bool>();
  const int64_t n = length_of(keys), flat[] = {n};
  OpBuilder& b = c.b();
  const weft::Type places = weft::Type::tensor(ElementType::kI64, {n});
  const IrValue first = b.add(b.iota(places, 0), b.splat(places, 1));
  const DataType* vector = array_type(core().int64, 1);
  if (n < 2) return c.new_array(vector, {n}, {first});
  std::vector<IrValue> operands;
  std::vector<weft::Type> types;
  for (const IrValue leaf : keys.leaves) operands.push_back(b.reshape(leaf, flat));
  operands.push_back(first);
  for (const IrValue v : operands) {
    const weft::Type one = weft::Type::scalar(b.type(v).element_type());
    types.push_back(one);
    types.push_back(one);
  }
  RegionId comparator;
  {
    const Compiler::Region region(c, types);
    comparator = region.id;
    const auto args = c.b().function().args(region.id);
    const auto element = [&](size_t side) {
      std::vector<IrValue> parts;
      for (size_t k = 0; k < keys.leaves.size(); ++k) parts.push_back(args[2 * k + side]);
      size_t next = 0;
      return c.from_leaves(keys.element, parts, next);
    };
    const IrValue less = c.scalar(c.call(a[1], {element(reverse ? 1 : 0), element(reverse ? 0 : 1)}));
    c.b().yield(std::span(&less, 1));
  }
  if (c.activation()->is_dead) c.fail(Cause::kUnsupported, "an order of " + type_text(keys.element));
  Attrs attrs;
  attrs.set("dimension", Attr(int64_t{0}));
  attrs.set("is_stable", Attr(true));
  const std::vector<IrValue> sorted =
      c.b().create("stablehlo.sort", operands, std::move(attrs), {}, std::span(&comparator, 1));
  return c.new_array(vector, {n}, {sorted.back()});
}

constexpr Emission kEmissions[] = {{"_sortperm", sort_permutation}};

}  // namespace

std::span<const Emission> order_emissions() { return kEmissions; }

}  // namespace weft::julia
