#include "transform/repeatable.h"

#include "ops/control_flow/region_flow.h"
#include "ops/record.h"

namespace weft {

bool RepeatableOps::all(const Function& f, RegionId region) {
  for (OpId op : f.ops(region)) {
    if (!f.def(op).is_terminator && !can_repeat(OpView{f, op})) return false;
  }
  return true;
}

bool RepeatableOps::can_repeat(const OpView& op) {
  switch (record(op).effects) {
    case Effects::kPure: break;
    case Effects::kCheck:
      return op.def().mnemonic != "stablehlo.rng" && !op.attrs().boolean_or("has_side_effect", false);
    case Effects::kIo:
      if (!by_values_ || op.def().mnemonic == "stablehlo.infeed" || op.def().mnemonic == "stablehlo.recv") return false;
      break;
    case Effects::kRegions: break;
  }
  for (RegionId r : op.regions()) {
    if (!all(op.function, r)) return false;
  }
  const std::string* name = callee(op);
  if (name == nullptr) return true;
  // A function that is looked at, or not written yet, is what the rest of it says.
  const auto [it, is_new] = callees_.emplace(*name, true);
  if (!is_new) return it->second;
  const Function* f = module_.find(*name);
  const bool known = f != nullptr && !f->is_declaration();
  return callees_[*name] = known && (!f->terminator(f->body()) || all(*f, f->body()));
}

bool RepeatableOps::can_repeat(const Function& f) {
  for (OpId op : f.ops(f.body())) {
    if (!f.def(op).is_terminator && f.num_results(op) > 0 && !can_repeat(OpView{f, op})) return false;
  }
  return true;
}

}  // namespace weft
