#include "eval/liveness.h"

namespace weft {

Liveness::Liveness(const Function& f)
    : last_use_(f.num_values()),
      last_nested_use_(f.num_values()),
      first_operand_(f.num_ops()),
      dead_after_(f.num_ops()) {
  visit(f, f.body());
  uint32_t total = 0;
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    first_operand_[i] = total;
    total += static_cast<uint32_t>(f.operands(OpId{i}).size());
  }
  last_operand_.resize(total);
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const OpId op{i};
    const auto operands = f.operands(op);
    for (size_t k = 0; k < operands.size(); ++k) {
      const Value v = operands[k];
      bool last = last_use_[v.index] == op && last_nested_use_[v.index] != op && f.region(v) == f.parent(op);
      for (size_t later = k + 1; later < operands.size(); ++later) last = last && operands[later] != v;
      last_operand_[first_operand_[i] + k] = last;
    }
  }
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    const Value v{i};
    if (last_use_[i] && last_nested_use_[i] == last_use_[i]) dead_after_[last_use_[i].index].push_back(v);
    if (!last_use_[i] && f.defining_op(v)) dead_after_[f.defining_op(v).index].push_back(v);
  }
}

void Liveness::visit(const Function& f, RegionId region) {
  for (OpId op : f.ops(region)) {
    for (Value v : f.operands(op)) {
      OpId user = op;
      bool nested = false;
      while (f.parent(user) != f.region(v)) {
        user = f.owner(f.parent(user));
        nested = true;
      }
      last_use_[v.index] = user;
      if (nested) last_nested_use_[v.index] = user;
    }
    for (RegionId r : f.regions(op)) visit(f, r);
  }
}

}  // namespace weft
