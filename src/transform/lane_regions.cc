#include "transform/lane_regions.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/indexing/indexed_dims.h"
#include "transform/uniformity.h"

namespace weft {
namespace {

IndexedDims rows(int64_t rank) {
  IndexedDims d;
  for (int64_t i = 1; i < rank; ++i) d.window.push_back(i);
  d.inserted = d.map = {0};
  d.vector_axis = 1;
  return d;
}

Value column(OpBuilder& b, Value numbers) {
  const std::vector<int64_t> shape = {b.type(numbers).dim(0), 1};
  return b.reshape(numbers, shape);
}

}  // namespace

bool is_quiet(const Function& f, RegionId region, const std::vector<OpId>& but) {
  for (OpId op : f.ops(region)) {
    if (f.def(op).is_terminator || std::ranges::find(but, op) != but.end()) continue;
    const OpView v{f, op};
    const Effects effects = record(v).effects;
    if ((effects != Effects::kPure && effects != Effects::kRegions) || callee(v) != nullptr ||
        region_flow(v).kind != RegionFlow::Kind::kNone || (v.num_operands() > 0 && record(v).vectorize.refused()))
      return false;
    for (Value r : f.results(op)) {
      if (!f.type(r).is_tensor() || !f.type(r).is_static()) return false;
    }
    for (RegionId inner : v.regions()) {
      if (!is_quiet(f, inner)) return false;
    }
  }
  return true;
}

bool has_static_lanes(const OpView& op) {
  const auto& lanes = op.attrs().ints("lanes");
  const auto& varies = op.attrs().ints("varies");
  const auto args = op.function.args(op.region(1));
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type one = op.function.type(args[i]);
    if (varies[i] != 0 && op.operand_type(i) != with_lane_axes(one, lanes)) return false;
    if (i < op.num_results() && op.result_type(i) != with_lane_axes(one, lanes)) return false;
  }
  return true;
}

std::unique_ptr<Function> one_lane_region(const OpView& op, size_t region, const std::string& name) {
  const Function& f = op.function;
  auto one = std::make_unique<Function>(name);
  ValueMap map(f);
  for (Value v : f.args(op.region(region))) map.set(v, one->add_arg(one->body(), f.type(v)));
  const std::vector<Value> results = clone_ops(f, op.region(region), *one, one->body(), map);
  OpBuilder(*one, one->body()).yield(results);
  return one;
}

std::vector<Value> inlined(const Function& g, OpBuilder& b, std::span<const Value> args) {
  ValueMap map(g);
  for (size_t i = 0; i < args.size(); ++i) map.set(g.args()[i], args[i]);
  return clone_ops(g, g.body(), b.function(), b.region(), map);
}

std::vector<Value> on_one_lane_axis(OpBuilder& b, const OpView& op, std::span<const Value> operands, size_t carries,
                                    int64_t lanes) {
  const auto& varies = op.attrs().ints("varies");
  const auto inner = op.function.args(op.region(1));
  std::vector<Value> out;
  for (size_t i = 0; i < inner.size(); ++i) {
    const Type t = op.function.type(inner[i]);
    std::vector<int64_t> shape = {lanes}, dims;
    for (int64_t d = 0; d < t.rank(); ++d) shape.push_back(t.dim(d)), dims.push_back(d + 1);
    if (varies[i] != 0) {
      out.push_back(b.reshape(operands[i], shape));
    } else {
      out.push_back(i < carries ? b.broadcast_in_dim(operands[i], dims, shape) : operands[i]);
    }
  }
  return out;
}

LaneWork lane_loop_work(const OpView& op, const std::vector<bool>& by_lane, int64_t lanes) {
  const std::unique_ptr<Function> parts[] = {one_lane_region(op, 0, "cond"), one_lane_region(op, 1, "body")};
  std::vector<Uniformity> uniformities;
  std::vector<LaneCode> codes;
  uniformities.reserve(2);
  for (const auto& part : parts) {
    Uniformity& u = uniformities.emplace_back(
        *part, [](const std::string&, const std::vector<bool>&) { return std::vector<bool>{}; });
    u.run(by_lane);
    codes.push_back({*part, part->body(), [&u](Value v) { return u.varies(v); }});
  }
  return lane_work(codes, lanes);
}

double lane_loop_bytes(const OpView& op) {
  double bytes = 0;
  const auto args = op.function.args(op.region(1));
  for (size_t i = 0; i < op.num_results(); ++i) bytes += bytes_of(op.function.type(args[i]));
  return bytes;
}

void note_lanes(Function& f, OpId op, const std::string& note) {
  Attrs attrs = f.attrs(op);
  attrs.set(kLanesNote, note);
  f.set_attrs(op, std::move(attrs));
}

Value take_rows(OpBuilder& b, Value x, Value numbers) {
  std::vector<int64_t> sizes(b.type(x).shape().begin(), b.type(x).shape().end());
  sizes[0] = 1;
  return b.make("stablehlo.gather", {x, column(b, numbers)}, rows(b.type(x).rank()).gather_attrs(sizes, false));
}

Value put_rows(OpBuilder& b, Value x, Value numbers, Value values) {
  return emit_scatter(b, rows(b.type(x).rank()), x, column(b, numbers), values, BodyKind::kSecond, false, true);
}

}  // namespace weft
