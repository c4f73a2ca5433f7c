// A program whose inputs are its own constants tests constant folding; this makes them run-time arguments.
#include <unordered_set>

#include "cli/test_record.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "ops/structural/dynamic.h"
#include "transform/inline.h"

namespace weft::cli {

Hoisted constants_as_arguments(const Module& module, const std::string& entry) {
  const Function& f = module.get(entry);
  if (!f.args().empty()) return {};
  Hoisted out;
  auto changed = std::make_unique<Function>(entry);
  Function& g = *changed;
  g.set_loc(f.loc());
  ValueMap map(f);
  for (OpId id : f.ops(f.body())) {
    const OpView op{f, id};
    std::vector<Tensor> values;
    if (op.def().mnemonic == "stablehlo.constant") {
      values.push_back(op.attrs().literal("value").materialize());
    } else if (op.def().mnemonic == "func.call" && op.attrs().text("callee") == "inputs" && op.num_operands() == 0) {
      values = get_target("eval").compile(clone_module(module), "inputs")->run({});
    } else {
      clone_op(f, id, g, g.body(), map);
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      map.set(op.result(i), g.add_arg(g.body(), op.result_type(i), op.loc()));
      out.args.push_back(std::move(values[i]));
    }
  }
  if (out.args.empty()) return {};
  g.arg_attrs().resize(g.args().size());
  g.result_attrs() = f.result_attrs();
  const auto all = clone_module(module);
  all->replace(std::move(changed));
  out.module = all;
  return out;
}

namespace {

/// Copies a function, with its constants as arguments.
class Hoister {
 public:
  explicit Hoister(const Function& f) : f_(f), map_(f), out_(std::make_unique<Function>(f.name())) {
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      const OpView op{f, OpId{i}};
      for (size_t k = 0; k < op.num_operands(); ++k) {
        if (is_shape_operand(op.def(), k)) keep(op.operand(k));
      }
    }
  }

  std::unique_ptr<Function> run(std::vector<Tensor>& values) {
    Function& g = *out_;
    copy_signature(f_, g);
    for (Value v : f_.args()) map_.set(v, g.add_arg(g.body(), f_.type(v)));
    hoist(f_.body(), values);
    g.arg_attrs().resize(g.args().size());
    copy(f_.body(), g.body());
    return std::move(out_);
  }

 private:
  void keep(Value v) {
    const OpId def = f_.defining_op(v);
    if (!def || !kept_.insert(def.index).second) return;
    for (Value operand : f_.operands(def)) keep(operand);
  }
  /// Regions that may read the values around them.
  static bool is_open(const OpDef& def) {
    return def.mnemonic == "stablehlo.while" || def.mnemonic == "stablehlo.case" || def.mnemonic == "stablehlo.if";
  }
  void hoist(RegionId region, std::vector<Tensor>& values) {
    for (OpId id : f_.ops(region)) {
      const OpView op{f_, id};
      if (op.def().mnemonic == "stablehlo.constant" && !kept_.contains(id.index)) {
        map_.set(op.result(), out_->add_arg(out_->body(), op.result_type(), op.loc()));
        values.push_back(op.attrs().literal("value").materialize());
        hoisted_.insert(id.index);
      }
      if (!is_open(op.def())) continue;
      for (RegionId r : op.regions()) hoist(r, values);
    }
  }
  void copy(RegionId source, RegionId region) {
    for (OpId id : f_.ops(source)) {
      if (hoisted_.contains(id.index)) continue;
      const OpView op{f_, id};
      std::vector<Value> operands;
      for (Value v : op.operands()) operands.push_back(map_.at(v));
      std::vector<RegionId> regions;
      for (RegionId r : op.regions()) {
        regions.push_back(out_->new_region());
        for (Value v : f_.args(r)) map_.set(v, out_->add_arg(regions.back(), f_.type(v)));
        copy(r, regions.back());
      }
      std::vector<Type> types;
      for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
      const OpId made = out_->append(region, op.def(), operands, f_.shared_attrs(id), types, regions, op.loc());
      for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), out_->result(made, i));
    }
  }

  const Function& f_;
  ValueMap map_;
  std::unique_ptr<Function> out_;
  std::unordered_set<uint32_t> kept_, hoisted_;  // ids of ops
};

}  // namespace

Hoisted all_constants_as_arguments(const Module& module, const std::string& entry) {
  Hoisted out;
  const std::unique_ptr<Function> inlined = inline_calls(module, module.get(entry));
  std::unique_ptr<Function> changed = Hoister(*inlined).run(out.args);
  if (out.args.empty()) return {};
  const auto all = clone_module(module);
  all->replace(std::move(changed));
  out.module = all;
  return out;
}

}  // namespace weft::cli
