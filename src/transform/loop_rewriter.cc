#include "transform/loop_rewriter.h"

#include <algorithm>

#include "ir/clone.h"

namespace weft {

LoopRewriter::LoopRewriter(const Function& f) : f_(f), to_(std::make_unique<Function>(f.name())), map_(f) {
  uses_.resize(f.num_values());
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    for (Value v : f.operands(OpId{i})) ++uses_[v.index];
  }
}

std::unique_ptr<Function> LoopRewriter::run() {
  copy_signature(f_, *to_);
  for (Value v : f_.args()) map_.set(v, to_->add_arg(to_->body(), f_.type(v)));
  copy_ops(f_.body(), to_->body());
  copy_op(f_.terminator(f_.body()), to_->body());
  return changed_ ? std::move(to_) : nullptr;
}

void LoopRewriter::copy_ops(RegionId source, RegionId region, const std::function<bool(OpId)>& skip) {
  for (OpId op : order(source)) {
    if (f_.def(op).is_terminator || (skip && skip(op))) continue;
    if (rewrite(op, region)) {
      changed_ = true;
    } else {
      copy_op(op, region);
    }
  }
}

std::vector<OpId> LoopRewriter::order(RegionId source) { return {f_.ops(source).begin(), f_.ops(source).end()}; }

RegionId LoopRewriter::copy_region(RegionId source) {
  const RegionId region = to_->new_region();
  for (Value v : f_.args(source)) map_.set(v, to_->add_arg(region, f_.type(v)));
  copy_ops(source, region);
  copy_op(f_.terminator(source), region);
  return region;
}

void LoopRewriter::copy_op(OpId op, RegionId region) {
  std::vector<Value> operands;
  for (Value v : f_.operands(op)) operands.push_back(map_.at(v));
  std::vector<RegionId> regions;
  for (RegionId r : f_.regions(op)) regions.push_back(copy_region(r));
  std::vector<Type> types;
  for (Value v : f_.results(op)) types.push_back(f_.type(v));
  const OpId copy = to_->append(region, f_.def(op), operands, f_.shared_attrs(op), types, regions, f_.loc(op));
  for (size_t i = 0; i < types.size(); ++i) map_.set(f_.result(op, i), to_->result(copy, i));
}

bool LoopRewriter::is_zero(Value v) const {
  const Function& f = f_;
  OpId op = f.defining_op(v);
  while (op && f.def(op).mnemonic == "stablehlo.broadcast_in_dim") op = f.defining_op(f.operand(op, 0));
  if (!op || f.def(op).mnemonic != "stablehlo.constant") return false;
  const Literal& literal = f.attrs(op).literal("value");
  if (!literal.splat && literal.type.num_elements() != 1) return false;
  const std::byte* bytes = literal.element(0);
  return std::all_of(bytes, bytes + byte_size(literal.type.element_type()),
                     [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace weft
