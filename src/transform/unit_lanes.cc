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

/// Lane l gets l.
Value lane_places(OpBuilder& b, const UnitLanes& units, int64_t lanes) {
  return b.iota(Type::tensor(counter_of(units), {lanes}), 0);
}

/// The unit vectors of the elements at `lane`, one place or one of each lane in front. Comparisons of positions in the seed's own shape: they fuse
/// with what reads them, so that the unit vectors are memory only where something like a product needs them.
Value unit_vectors(OpBuilder& b, const UnitLanes& units, Value lane) {
  const int64_t lane_axes = b.type(lane).rank();
  const Type whole = lane_axes == 0 ? units.seed : with_lanes(units.seed, b.type(lane).dim(0));
  const Type places = whole.with_element(counter_of(units));
  const std::vector<int64_t> in_front(static_cast<size_t>(lane_axes), 0);
  lane = b.broadcast_in_dim(lane, in_front, places.shape());
  Value place;
  int64_t stride = num_lanes(units);
  for (int64_t d = first_axis(units); d < units.seed.rank(); ++d) {
    if (units.seed.dim(d) == 0) break;
    stride /= units.seed.dim(d);
    Value along = b.iota(places, d + lane_axes);
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

std::string over_lanes(Module& module, const std::string& product, size_t num_args, int64_t lanes, int64_t chunk) {
  std::vector<int64_t> axes(module.get(product).args().size(), kUniform);
  axes[num_args] = 0;
  Function& made =
      vectorize(module, product, axes, lanes, {.name = module.unique_name(product + "_lanes"), .chunk = chunk});
  made.set_public(false);
  return made.name();
}

/// f as a function of the place of its seed's one.
std::string of_place(Module& module, const std::string& f, size_t seed, const UnitLanes& units) {
  const Function& source = module.get(f);
  auto out = std::make_unique<Function>(module.unique_name(f + "_of_place"));
  out->set_loc(source.loc());
  out->set_public(false);
  OpBuilder b(*out, out->body(), &module);
  b.loc = source.loc();
  std::vector<Value> args;
  for (size_t i = 0; i < source.args().size(); ++i) {
    const Type t = source.type(source.args()[i]);
    args.push_back(out->add_arg(out->body(), i == seed ? Type::scalar(counter_of(units)) : t));
  }
  args[seed] = unit_vectors(b, units, args[seed]);
  b.yield(b.create("func.call", args, Attrs{{"callee", f}}, source.result_types()));
  return module.add(std::move(out)).name();
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
  // Elsewhere unit vectors are more than a place: of all examples at once, or imaginary.
  const bool is_pushed = !units.is_batched && is_float(units.seed.element_type()) && all > 0;
  const auto with_seed = [&](const std::string& f) { return is_pushed ? of_unit_seed(module, f, args.size()) : f; };
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
  const Value places = lane_places(b, units, all);
  std::vector<Value> operands(args.begin(), args.end());
  std::vector<Type> results;
  for (const Type& r : rows) results.push_back(with_lanes(r, all));
  const auto call = [&](const std::string& callee) {
    return b.create("func.call", operands, Attrs{{"callee", callee}}, results);
  };
  if (lanes == all) {
    operands.push_back(is_pushed ? places : unit_vectors(b, units, places));
    return call(over_lanes(module, with_seed(product), args.size(), all, 0));
  }
  if (!parts.shared.empty()) {
    std::vector<Value> given = operands;
    given.push_back(b.zeros(units.seed));
    const auto shared = b.create("func.call", given, Attrs{{"callee", parts.shared}}, parts.values);
    operands.push_back(places);
    operands.insert(operands.end(), shared.begin(), shared.end());
  } else {
    operands.push_back(places);
  }
  const std::string one = is_pushed ? with_seed(parts.rest) : of_place(module, parts.rest, args.size(), units);
  return call(over_lanes(module, one, args.size(), all, lanes));
}

}  // namespace weft
