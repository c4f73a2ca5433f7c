#include "transform/lane_memory.h"

#include <algorithm>
#include <unordered_map>

#include "ir/clone.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "transform/counted_loop.h"
#include "transform/uniformity.h"

namespace weft {
namespace {

class LaneMemory {
 public:
  LaneMemory(const Function& f, const Uniformity& uniformity)
      : f_(f), uniformity_(uniformity), uses_(f.num_values()), users_(f.num_values()) {
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      for (Value v : f.operands(OpId{i})) {
        ++uses_[v.index];
        users_[v.index] = OpId{i};
      }
    }
  }

  /// The most that lives at once in a region, of what is made in it.
  double height(RegionId region, double depth) const {
    std::unordered_map<Value, size_t> last_use;
    const auto ops = f_.ops(region);
    for (size_t i = 0; i < ops.size(); ++i) {
      for (Value v : f_.operands(ops[i])) last_use[v] = i;
      for (RegionId r : f_.regions(ops[i])) {
        for (Value v : captures(f_, r)) last_use[v] = i;
      }
    }
    std::vector<double> freed(ops.size());
    double live = 0, most = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      const OpView op{f_, ops[i]};
      double made = 0, inside = 0;
      const double inner = depth_of(op, depth);
      for (RegionId r : op.regions()) inside = std::max(inside, height(r, inner));
      for (size_t k = 0; k < op.num_results(); ++k) {
        const Value v = op.result(k);
        const double bytes = kept_bytes(op, v, inner);
        made += bytes;
        const auto it = last_use.find(v);
        freed[it == last_use.end() ? i : it->second] += bytes;
      }
      most = std::max(most, live + made + inside);
      live += made - freed[i];
    }
    return most;
  }

 private:
  static constexpr double kUnknownDepth = 64;

  /// Iterations of the loops around what stands in the op, for the stacks that they push on.
  double depth_of(const OpView& op, double outer) const {
    if (region_flow(op).kind != RegionFlow::Kind::kLoop) return outer;
    const auto counted = counted_loop(f_, op.id);
    return outer * (counted ? static_cast<double>(counted->trips) : kUnknownDepth);
  }

  static bool is_free(const OpView& op) {
    const OpRecord& r = record(op);
    return r.effects == Effects::kPure && op.regions().empty() && op.num_results() == 1 &&
           (!r.scalar.refused() || (!r.cost.refused() && (*r.cost.rule())(op).flops == 0));
  }
  /// Whether the only user of a value computes it where it reads it; what multiplies matrices reads memory.
  bool reads_on_its_way(OpId user) const {
    if (!user) return true;
    const OpView op{f_, user};
    return op.def().is_terminator || is_free(op) || op.def().mnemonic == "stablehlo.reduce";
  }

  double kept_bytes(const OpView& op, Value v, double depth) const {
    const Type t = f_.type(v);
    if (!uniformity_.varies(v)) return 0;
    if (t.is_stack()) return stack_bytes(t, depth);
    return is_free(op) && uses_[v.index] <= 1 && reads_on_its_way(users_[v.index]) ? 0 : bytes_of(t);
  }
  static double stack_bytes(Type t, double depth) {
    const Type one = t.stacked();
    return one.is_stack() ? stack_bytes(one, depth) : depth * bytes_of(one);
  }

  const Function& f_;
  const Uniformity& uniformity_;
  std::vector<uint32_t> uses_;
  std::vector<OpId> users_;  // the last one
};

}  // namespace

double lane_bytes(const Module& module, const Function& f, const std::vector<bool>& varies) {
  Uniformity uniformity(f, [&](const std::string& called, const std::vector<bool>&) {
    return std::vector<bool>(module.get(called).result_types().size(), true);
  });
  uniformity.run(varies);
  double given = 0;
  for (size_t i = 0; i < varies.size(); ++i) given += varies[i] ? bytes_of(f.type(f.args()[i])) : 0;
  return given + LaneMemory(f, uniformity).height(f.body(), 1);
}

int64_t lanes_within(double budget, double per_lane, int64_t lanes) {
  const double fit = per_lane <= 0 ? static_cast<double>(lanes) : budget / per_lane;
  if (fit >= static_cast<double>(lanes)) return lanes;
  const auto most = std::max<int64_t>(1, static_cast<int64_t>(fit));
  const int64_t rounded = most >= 8 ? most / 8 * 8 : most;
  // Chunks of about the same size, so that the last one repeats little.
  const int64_t chunks = (lanes + rounded - 1) / rounded, even = (lanes + chunks - 1) / chunks;
  return rounded >= 8 ? std::min(rounded, (even + 7) / 8 * 8) : even;
}

}  // namespace weft
