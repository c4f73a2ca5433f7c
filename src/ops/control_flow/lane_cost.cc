#include "ops/control_flow/lane_cost.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "ops/control_flow/region_flow.h"
#include "ops/families.h"

namespace weft {
namespace {

// Measured on one core (AVX-512, 1 MiB of second-level cache) with loops of lengths drawn evenly from 0 … 32, whose bodies were chains of
// elementwise ops, a sum, a product with a shared matrix, and one of two matrices of a lane, of 4 … 4096 elements, over 8 … 16384
// lanes. Only ratios matter. Nanoseconds; operations are those on f32, wider ones count by their width.

constexpr double kKernel = 5;         // to enter a fused kernel
constexpr double kProductStart = 14;  // to enter a product, a reduction or what else is no chain of elementwise ops
constexpr double kElement = 0.009;    // an elementwise operation on an element; a transcendental one counts 20
constexpr double kProduct = 0.011;    // an operation of a product with a shared matrix, of a reduction
constexpr double kOwnProduct = 0.02;  // an operation of a product of two arrays of the lane
constexpr double kLane = 30;          // to begin and end a lane by itself
constexpr double kPlace = 20;         // to give a place in a block to another lane
constexpr double kState = 0.003;      // to choose between a lane's old and new value, by byte
constexpr double kStacked = 8;        // to push or pop a value
constexpr double kMask = 1;           // to ask whether a lane takes a branch
constexpr double kNumbered = 3;       // to find the lanes that do

/// Reading a byte, by how much is read in a turn.
double byte_cost(double in_all) {
  return in_all <= 32e3 ? 0.005 : in_all <= 6e5 ? 0.009 : in_all <= 2e6 ? 0.0127 : 0.028;
}

/// Where lanes end evenly spread between the first turn and the last, half of the places are idle.
constexpr double kIdleTogether = 2;
/// Places are handed on once a quarter of a block is idle.
constexpr double kIdleInBlocks = 1.25;

/// The part of the lanes that takes a branch.
constexpr double kTakers = 0.5;
constexpr int64_t kTypicalBlock = 512;

/// Of ops that read more than they compute, or the reverse.
struct Heavy {
  double turns, flops, rate, shared, own,
      starts;  // bytes of what lanes share and of what each has; places where the product starts anew
};

class Work {
 public:
  Work(int64_t lanes, const Module* module) : lanes_(static_cast<double>(lanes)), module_(module) {}

  void add(const LaneCode& code) {
    add(code.f, code.region, code.varies, 1);
    light_.one += kStacked * static_cast<double>(code.stacked);
    light_.all += kStacked * static_cast<double>(code.stacked);
    for (OpId op : code.sums) {
      // The sum is read and written.
      const double sum = 2 * bytes_of(code.f.type(code.f.result(op)));
      heavy_.push_back({1, cost_of({code.f, op}).flops, kProduct, 0, 0, 0});
      own_sums_ += sum;
    }
  }

  LaneWork total() const {
    LaneWork out = light_;
    double one = own_sums_, all = own_sums_;
    for (const Heavy& h : heavy_) {
      one += h.shared + h.own;
      all += h.shared + lanes_ * h.own;
    }
    out.one += own_sums_ * byte_cost(one);
    out.all += own_sums_ * byte_cost(all);
    for (const Heavy& h : heavy_) {
      out.one += h.turns * (kProductStart + std::max(h.flops * h.rate, (h.shared + h.own) * byte_cost(one)));
      const double n = h.own > 0 || h.starts > 0 || (h.shared == 0 && h.own == 0) ? lanes_ : 1;
      out.all += h.turns * (kProductStart + h.starts * kProductStart +
                            std::max(n * h.flops * h.rate, (h.shared + n * h.own) * byte_cost(all)));
    }
    return out;
  }

 private:
  static double width_of(const OpView& op) {
    const Type t = op.num_results() > 0 ? op.result_type(0) : Type{};
    return t.is_tensor() && !t.is_quantized() ? std::max(1.0, static_cast<double>(byte_size(t.element_type())) / 4) : 1;
  }
  /// None where the record knows none.
  static Cost cost_of(const OpView& op) {
    const OpRecord& r = record(op);
    if (r.cost.refused()) return {};
    Cost cost = (*r.cost.rule())(op);
    cost.flops *= width_of(op);
    return cost;
  }

  void add(const Function& f, RegionId region, const std::function<bool(Value)>& varies, double turns) {
    bool is_in_kernel = false;
    for (OpId id : f.ops(region)) {
      const OpView op{f, id};
      if (op.def().is_terminator) continue;
      if (const std::string* name = callee(op)) {
        add_callee(*name, turns);
        continue;
      }
      if (const auto kind = region_flow(op).kind; kind != RegionFlow::Kind::kNone) {
        for (RegionId r : op.regions())
          add(f, r, varies, kind == RegionFlow::Kind::kLoop ? turns * kUnknownTurns : turns);
        is_in_kernel = false;
        continue;
      }
      const OpRecord& r = record(op);
      if (op.num_operands() == 0) continue;
      const Cost cost = cost_of(op);
      // Moves are done by whoever reads their result.
      if (cost.flops == 0) continue;
      const bool differs = std::ranges::any_of(op.operands(), varies);
      const double n = differs ? lanes_ : 1;
      if (!r.scalar.refused()) {
        if (!is_in_kernel) light_.one += turns * kKernel, light_.all += turns * kKernel;
        is_in_kernel = true;
        light_.one += turns * cost.flops * kElement;
        light_.all += turns * n * cost.flops * kElement;
        continue;
      }
      is_in_kernel = false;
      double shared = 0;
      bool all_differ = true;
      for (Value v : op.operands()) {
        if (varies(v) || !f.type(v).is_tensor()) continue;
        shared += bytes_of(f.type(v));
        all_differ = all_differ && f.type(v).rank() == 0;
      }
      shared = std::min(shared, cost.bytes);
      const bool is_own = differs && all_differ && op.num_operands() > 1 && op.regions().empty();
      heavy_.push_back({turns, cost.flops, is_own ? kOwnProduct : kProduct, shared, differs ? cost.bytes - shared : 0,
                        is_own ? n : 0});
    }
  }
  /// What a function does is taken to differ by lane. A call of itself counts nothing.
  void add_callee(const std::string& name, double turns) {
    const Function* f = module_ == nullptr ? nullptr : module_->find(name);
    if (f == nullptr || f->is_declaration() || !inside_.insert(name).second) return;
    add(*f, f->body(), [](Value) { return true; }, turns);
    inside_.erase(name);
  }

  double lanes_;
  const Module* module_;
  std::set<std::string> inside_;
  LaneWork light_;
  std::vector<Heavy> heavy_;
  double own_sums_ = 0;
};

}  // namespace

LaneWork lane_work(std::span<const LaneCode> codes, int64_t lanes, const Module* module) {
  Work work(lanes, module);
  for (const LaneCode& code : codes) work.add(code);
  return work.total();
}

LaneCost cheapest_way(int64_t lanes, const LaneWork& whole, int64_t block_lanes, const LaneWork& block, double bytes,
                      double turns) {
  const auto n = static_cast<double>(lanes);
  LaneCost out;
  out.one_by_one = n * ((whole.one > 0 ? whole.one : block.one) + kLane / turns);
  double least = out.one_by_one;
  if (whole.all > 0) {
    out.together = kIdleTogether * (whole.all + n * bytes * kState);
    if (out.together <= least) least = out.together, out.way = LaneWay::kTogether;
  }
  if (block_lanes > 0) {
    const double blocks = n / static_cast<double>(block_lanes);
    out.blocks = kIdleInBlocks * (blocks * block.all + n * bytes * kState) +
                 n * (kPlace + 2 * bytes * byte_cost(n * bytes)) / turns;
    if (out.blocks <= least) out.way = LaneWay::kBlocks;
  }
  return out;
}

std::string LaneCost::str(int64_t lanes) const {
  std::string out = way == LaneWay::kOneByOne   ? "one lane after another"
                    : way == LaneWay::kTogether ? "all lanes together"
                                                : "blocks of the lanes that run";
  out += ": a turn of each of " + std::to_string(lanes) + " lanes is guessed at " + time_text(one_by_one) +
         " one after another";
  if (together > 0) out += ", " + time_text(together) + " together";
  if (blocks > 0) out += ", " + time_text(blocks) + " in blocks";
  return out;
}

LaneCost cheapest_branch(int64_t lanes, const LaneWork& whole, int64_t block_lanes, const LaneWork& block,
                         double bytes) {
  const auto n = static_cast<double>(lanes);
  LaneCost out;
  out.one_by_one = n * kMask + kTakers * n * (whole.one + kLane + 2 * bytes * byte_cost(2 * n * bytes));
  out.together = whole.all + n * bytes * kState;
  out.way = out.one_by_one < out.together ? LaneWay::kOneByOne : LaneWay::kTogether;
  if (block_lanes > 0) {
    out.blocks = n * kNumbered + kTakers * n * (kPlace + 3 * bytes * byte_cost(2 * n * bytes)) +
                 std::max(1.0, kTakers * n / static_cast<double>(block_lanes)) * block.all;
    if (out.blocks < std::min(out.one_by_one, out.together)) out.way = LaneWay::kBlocks;
  }
  return out;
}

BranchCost branch_cost(int64_t lanes, std::span<const LaneWork> branches, double results, bool is_scalar) {
  const auto n = static_cast<double>(lanes);
  BranchCost out;
  for (const LaneWork& b : branches) {
    out.select += b.all + n * results * kState;
    if (is_scalar) {
      out.apart += n * kMask + b.all;
      continue;
    }
    const LaneWork block{b.one, b.all / n * kTypicalBlock};
    const LaneCost apart = cheapest_branch(lanes, b, lanes > kTypicalBlock ? kTypicalBlock : 0, block, results);
    out.apart += apart.way == LaneWay::kOneByOne ? apart.one_by_one
                 : apart.way == LaneWay::kBlocks ? apart.blocks
                                                 : apart.together;
  }
  return out;
}

std::string BranchCost::str(int64_t lanes) const {
  return "for " + std::to_string(lanes) + " lanes guessed at " + time_text(select) + " selected, " + time_text(apart) +
         " by the lanes that take it";
}

std::string time_text(double ns) {
  char text[32];
  const double x = ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns / 1e6;
  std::snprintf(text, sizeof text, x < 9.95 && ns >= 1e3 ? "%.1f %s" : "%.0f %s", x,
                ns < 1e3   ? "ns"
                : ns < 1e6 ? "us"
                           : "ms");
  return text;
}

}  // namespace weft
