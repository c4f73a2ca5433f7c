#include "transform/unit_lanes.h"

#include <algorithm>

#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "transform/lane_memory.h"
#include "transform/shared_part.h"
#include "transform/unit_seed.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

constexpr ElementType kIndex = ElementType::kI64;

int64_t first_axis(const UnitLanes& units) { return units.is_batched ? 1 : 0; }

ElementType counter_of(const UnitLanes& units) {
  return num_lanes(units) < (int64_t{1} << 31) ? ElementType::kI32 : kIndex;
}

/// Lane l gets first + l.
Value lane_places(OpBuilder& b, const UnitLanes& units, int64_t lanes, Value first) {
  const Type places = Type::tensor(counter_of(units), {lanes});
  const Value lane = b.iota(places, 0);
  return first ? b.add(lane, b.broadcast_scalar(b.convert(first, places.element_type()), places.shape())) : lane;
}

/// Lane l gets the unit vector of element first + l (a missing `first` is 0). Comparisons of positions in the seed's own shape: they fuse with
/// what reads them, so that the unit vectors are memory only where something like a product needs them.
Value unit_vectors(OpBuilder& b, const UnitLanes& units, int64_t lanes, Value first) {
  const Type whole = with_lanes(units.seed, lanes);
  const int64_t all = num_lanes(units);
  const ElementType counter = counter_of(units);
  const Type places = whole.with_element(counter);
  Value lane = b.iota(places, 0);
  if (first) lane = b.add(lane, b.broadcast_scalar(b.convert(first, counter), places.shape()));
  Value place;
  int64_t stride = all;
  for (int64_t d = first_axis(units); d < units.seed.rank(); ++d) {
    if (units.seed.dim(d) == 0) break;
    stride /= units.seed.dim(d);
    Value along = b.iota(places, d + 1);
    if (stride != 1) along = b.multiply(along, b.splat(places, static_cast<double>(stride)));
    place = place ? b.add(place, along) : along;
  }
  if (!place) place = b.zeros(places);
  const Value is_it = b.compare(lane, place, "EQ");
  if (!units.is_imaginary) return b.convert(is_it, whole.element_type());
  const Value part = b.convert(is_it, part_type(whole.element_type()));
  return b.make("stablehlo.complex", {b.zeros(b.type(part)), part});
}

bool has_loop(const Function& f, RegionId region) {
  return std::ranges::any_of(f.ops(region), [&](OpId op) {
    return region_flow({f, op}).kind == RegionFlow::Kind::kLoop ||
           std::ranges::any_of(f.regions(op), [&](RegionId r) { return has_loop(f, r); });
  });
}

int64_t chosen_lanes(const Module& module, const Function& f, const std::vector<bool>& varies, const UnitLanes& units,
                     int64_t all) {
  const double per_lane = lane_bytes(module, f, varies);
  if (units.memory > 0) return lanes_within(units.memory, per_lane, all);
  // Straight code of few lanes is as fast as of many, and stays in caches. A loop pays for its trips in each chunk again.
  constexpr double kAlways = 4 << 20, kLoops = 256 << 20, kLanes = 8;
  const double budget = std::max({2 * units.outcome, kAlways, kLanes * per_lane});
  return lanes_within(has_loop(f, f.body()) ? std::max(budget, kLoops) : budget, per_lane, all);
}

std::string over_lanes(Module& module, const std::string& product, size_t num_args, int64_t lanes) {
  std::vector<int64_t> axes(module.get(product).args().size(), kUniform);
  axes[num_args] = 0;
  Function& made = vectorize(module, product, axes, lanes, {.name = module.unique_name(product + "_lanes")});
  made.set_public(false);
  return made.name();
}

}  // namespace

int64_t num_lanes(const UnitLanes& units) {
  int64_t n = 1;
  for (int64_t d = first_axis(units); d < units.seed.rank(); ++d) n *= units.seed.dim(d);
  return n;
}

std::vector<Value> write_unit_lanes(OpBuilder& b, Module& module, const std::string& product,
                                    std::span<const Value> args, const UnitLanes& units) {
  const int64_t all = num_lanes(units);
  const std::vector<Type> rows = module.get(product).result_types();
  std::vector<Type> row_lanes;
  // Elsewhere unit vectors are more than a place: of all examples at once, or imaginary.
  const bool is_pushed = !units.is_batched && is_float(units.seed.element_type()) && all > 0;
  const auto with_seed = [&](const std::string& f) { return is_pushed ? of_unit_seed(module, f, args.size()) : f; };
  const auto call = [&](OpBuilder& in, const std::string& callee, std::span<const Value> shared, int64_t lanes,
                        Value first) {
    std::vector<Value> operands(args.begin(), args.end());
    operands.push_back(is_pushed ? lane_places(in, units, lanes, first) : unit_vectors(in, units, lanes, first));
    operands.insert(operands.end(), shared.begin(), shared.end());
    std::vector<Type> results;
    for (const Type& r : rows) results.push_back(with_lanes(r, lanes));
    return in.create("func.call", operands, Attrs{{"callee", callee}}, results);
  };
  std::vector<bool> varies(args.size() + 1);
  varies.back() = true;
  int64_t lanes = all;
  SharedPart parts;
  if (all > 1) {
    parts = cut_shared(module, product, varies);
    std::vector<bool> of_rest = varies;
    of_rest.resize(varies.size() + parts.values.size());
    lanes = units.chunk > 0 ? std::min(units.chunk, all)
                            : chosen_lanes(module, module.get(with_seed(parts.rest)), of_rest, units, all);
  }
  if (lanes == all) return call(b, over_lanes(module, with_seed(product), args.size(), all), {}, all, {});

  std::vector<Value> shared;
  if (!parts.shared.empty()) {
    std::vector<Value> operands(args.begin(), args.end());
    operands.push_back(b.zeros(units.seed));
    shared = b.create("func.call", operands, Attrs{{"callee", parts.shared}}, parts.values);
  }
  const std::string callee = over_lanes(module, with_seed(parts.rest), args.size(), lanes);
  const Type index = Type::scalar(kIndex);
  std::vector<Value> carries = {b.zeros(index)};
  for (const Type& r : rows) carries.push_back(b.zeros(with_lanes(r, all)));
  std::vector<Type> types;
  for (Value v : carries) types.push_back(b.type(v));
  const RegionId cond = b.make_region(types, [&](OpBuilder& in, std::span<const Value> c) {
    return std::vector<Value>{in.compare(c[0], in.scalar(kIndex, static_cast<double>(all)), "LT")};
  });
  const RegionId body = b.make_region(types, [&](OpBuilder& in, std::span<const Value> c) {
    // The last chunk begins early enough to be whole.
    const Value first = in.minimum(c[0], in.scalar(kIndex, static_cast<double>(all - lanes)));
    const std::vector<Value> chunk = call(in, callee, shared, lanes, first);
    std::vector<Value> next = {in.add(c[0], in.scalar(kIndex, static_cast<double>(lanes)))};
    for (size_t r = 0; r < rows.size(); ++r) {
      std::vector<Value> starts(static_cast<size_t>(rows[r].rank()) + 1, in.zeros(index));
      starts[0] = first;
      next.push_back(in.dynamic_update_slice(c[r + 1], chunk[r], starts));
    }
    return next;
  });
  const std::vector<RegionId> regions = {cond, body};
  std::vector<Value> out = b.create("stablehlo.while", carries, {}, types, regions);
  out.erase(out.begin());
  return out;
}

}  // namespace weft
