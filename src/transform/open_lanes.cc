#include "transform/open_lanes.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/lane_ops.h"
#include "ops/families.h"
#include "transform/custom_rules.h"
#include "transform/inline.h"
#include "transform/install.h"

namespace weft {
namespace {

bool is_open_concat(const OpView& op, const std::string& level) {
  return op.def().mnemonic == "weft.lanes_concat" && is_of_level(op, level) && op.result_type().dim(0) == kDynamic;
}

/// Copies ops under a map, with the number of lanes where it is missing.
class LaneCounter {
 public:
  LaneCounter(const Function& f, Function& to, std::string level, int64_t lanes)
      : f_(f), to_(to), level_(std::move(level)), lanes_(lanes), map_(f) {}

  void run() {
    for (Value v : f_.args()) map_.set(v, to_.add_arg(to_.body(), f_.type(v)));
    copy(f_.body(), to_.body());
  }

 private:
  void copy(RegionId source, RegionId region) {
    for (OpId id : f_.ops(source)) {
      const OpView op{f_, id};
      std::vector<Value> operands;
      for (Value v : op.operands()) operands.push_back(map_.at(v));
      std::vector<RegionId> regions;
      for (RegionId r : op.regions()) {
        const RegionId inner = to_.new_region();
        for (Value v : f_.args(r)) map_.set(v, to_.add_arg(inner, f_.type(v)));
        copy(r, inner);
        regions.push_back(inner);
      }
      std::vector<Type> types;
      for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
      if (is_open_concat(op, level_)) types[0] = with_lanes(to_.type(operands[0]), lanes_);
      const OpId made = to_.append(region, op.def(), operands, f_.shared_attrs(id), types, regions, op.loc());
      for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_.result(made, i));
    }
  }

  const Function& f_;
  Function& to_;
  std::string level_;
  int64_t lanes_;
  ValueMap map_;
};

}  // namespace

std::string with_lane_count(Module& module, const std::string& function, const std::string& level, int64_t lanes) {
  const Function& f = module.get(function);
  const std::unique_ptr<Function> whole = inline_calls(module, f);
  bool any = false;
  for (uint32_t i = 0; i < whole->num_ops() && !any; ++i) any = is_open_concat(OpView{*whole, OpId{i}}, level);
  if (!any) return function;
  auto out = std::make_unique<Function>(module.unique_name(function));
  copy_signature(*whole, *out);
  out->set_public(false);
  LaneCounter(*whole, *out, level, lanes).run();
  return module.add(std::move(out)).name();
}

Function& vectorize_open(Module& module, const std::string& function, std::span<const int64_t> lane_axes,
                         const VectorizeOptions& options) {
  const Function& f = module.get(function);
  if (std::ranges::all_of(lane_axes, [](int64_t axis) { return axis == kUniform; })) {
    throw UserError(
        "[vectorize] @" + function +
            ": an open number of lanes is that of an argument's axis: got no argument that varies, expected one",
        f.loc());
  }
  for (const Type& t : f.result_types()) {
    if (!t.is_tensor())
      throw Unsupported("[vectorize] @" + function + ": an open number of lanes of a result of type " + t.str(),
                        f.loc());
  }
  if (options.strict || options.choices != nullptr) {
    // What will be decided does not depend on how many lanes there are.
    VectorizeOptions trial = options;
    trial.chunk = 0;
    const std::shared_ptr<Module> copy = clone_module(module);
    trial.name = copy->unique_name("trial");
    constexpr int64_t kTwo = 2;
    vectorize(*copy, with_lane_count(*copy, function, options.level, kTwo), lane_axes, kTwo, trial);
  }
  PforCall call;
  call.callee = function;
  call.level = options.level;
  call.chunk = options.chunk;
  if (std::unique_ptr<Function> caller = call_of_ruled(module, f)) {
    caller->set_name(module.unique_name(function + "_lane"));
    caller->set_public(false);
    call.callee = module.add(std::move(caller)).name();
  }
  auto to = std::make_unique<Function>(options.name.empty() ? module.unique_name(function + "_lanes") : options.name);
  to->set_loc(f.loc());
  to->attrs() = f.attrs();
  set_derivative_rule(*to, {});
  std::vector<Value> operands;
  for (size_t i = 0; i < lane_axes.size(); ++i) {
    Type t = f.type(f.args()[i]);
    if (lane_axes[i] != kUniform) {
      std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
      shape.insert(shape.begin() + lane_axes[i], kDynamic);
      t = t.with_shape(shape);
    }
    operands.push_back(to->add_arg(to->body(), t));
    call.varies.push_back(lane_axes[i] == kUniform ? 0 : 1);
  }
  OpBuilder b(*to, to->body(), &module);
  b.loc = f.loc();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (lane_axes[i] <= 0) continue;  // kUniform, or in front already
    std::vector<int64_t> order = {lane_axes[i]};
    for (int64_t d = 0; d < b.type(operands[i]).rank(); ++d) {
      if (d != lane_axes[i]) order.push_back(d);
    }
    operands[i] = b.transpose(operands[i], order);
  }
  b.yield(emit_pfor(b, call, operands, f.result_types()));
  return install(module, std::move(to));
}

std::vector<Value> expand_pfor(Module& module, OpBuilder& b, const PforCall& call, std::span<const Value> operands,
                               int64_t lanes) {
  std::vector<int64_t> axes;
  for (int64_t v : call.varies) axes.push_back(v != 0 ? 0 : kUniform);
  VectorizeOptions options;
  options.name = module.unique_name(call.callee + "_lanes");
  options.level = call.level;
  options.chunk = call.chunk;
  Function& over = vectorize(module, call.callee, axes, lanes, options);
  over.set_public(false);
  const std::unique_ptr<Function> ops = inline_calls(module, over);
  ValueMap map(*ops);
  for (size_t i = 0; i < operands.size(); ++i) map.set(ops->args()[i], operands[i]);
  return clone_ops(*ops, ops->body(), b.function(), b.region(), map);
}

}  // namespace weft
