#include "native/schedule/expand_top_k.h"

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "ops/sort_order.h"
#include "transform/inline.h"

namespace weft::native {
namespace {

bool is_approx_top_k(const OpView& op) {
  return op.def().mnemonic == "stablehlo.custom_call" && op.attrs().text("call_target_name") == "ApproxTopK" &&
         op.num_operands() > 0 && op.operand_type(0).is_tensor() && op.operand_type(0).is_static();
}

class Expander {
 public:
  Expander(const Module& module, const Function& from) : module_(module), from_(from), map_(from) {}

  std::unique_ptr<Function> run() {
    auto out = std::make_unique<Function>(from_.name());
    to_ = out.get();
    to_->set_public(from_.is_public());
    to_->set_loc(from_.loc());
    to_->attrs() = from_.attrs();
    to_->arg_attrs() = from_.arg_attrs();
    to_->result_attrs() = from_.result_attrs();
    copy_region(from_.body(), to_->body());
    return out;
  }

 private:
  void copy_region(RegionId source, RegionId region) {
    for (Value v : from_.args(source)) map_.set(v, to_->add_arg(region, from_.type(v)));
    for (OpId id : from_.ops(source)) {
      const OpView op{from_, id};
      if (is_approx_top_k(op) && expand(op, region)) continue;
      copy_op(op, region);
    }
  }

  void copy_op(const OpView& op, RegionId region) {
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map_.at(v));
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      regions.push_back(to_->new_region());
      copy_region(r, regions.back());
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    const OpId made = to_->append(region, op.def(), operands, from_.shared_attrs(op.id), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_->result(made, i));
  }

  bool expand(const OpView& op, RegionId region) {
    const auto shape = op.operand_type(0).shape();
    const ApproxTopK call = approx_top_k(op, shape);
    const Function* named = module_.find(call.comparator);
    if (named == nullptr || named->is_declaration() || !recursion_chain(module_, *named).empty()) return false;
    const std::unique_ptr<Function> comparator = inline_calls(module_, *named);
    OpBuilder b(*to_, region);
    b.loc = op.loc();
    std::vector<Value> values;
    for (size_t i = 0; i < op.num_results(); ++i) values.push_back(map_.at(op.operand(i)));
    const RegionId less = b.make_region(comparator->arg_types(), [&](OpBuilder& inner, std::span<const Value> args) {
      ValueMap map(*comparator);
      for (size_t i = 0; i < args.size(); ++i) map.set(comparator->args()[i], args[i]);
      return clone_ops(*comparator, comparator->body(), *to_, inner.region(), map);
    });
    const std::vector<Value> sorted = b.create(
        "stablehlo.sort", values, Attrs{{"dimension", call.dimension}, {"is_stable", true}}, {}, std::span(&less, 1));
    const std::vector<int64_t> start(shape.size(), 0);
    std::vector<int64_t> limit(shape.begin(), shape.end());
    limit[static_cast<size_t>(call.dimension)] = call.k;
    for (size_t i = 0; i < sorted.size(); ++i) {
      const Value first = b.slice(sorted[i], start, limit);
      if (!(b.type(first) == op.result_type(i)))
        throw UserError("[stablehlo.custom_call] @ApproxTopK: result " + std::to_string(i) + ": got " +
                            op.result_type(i).str() + ", expected " + b.type(first).str(),
                        op.loc());
      map_.set(op.result(i), first);
    }
    return true;
  }

  const Module& module_;
  const Function& from_;
  ValueMap map_;
  Function* to_ = nullptr;
};

}  // namespace

std::unique_ptr<Function> expand_approx_top_k(const Module& module, std::unique_ptr<Function> f) {
  for (uint32_t i = 0; i < f->num_ops(); ++i) {
    if (is_approx_top_k({*f, OpId{i}})) return Expander(module, *f).run();
  }
  return f;
}

}  // namespace weft::native
