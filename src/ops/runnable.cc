#include "ops/runnable.h"

#include <unordered_set>

#include "ops/control_flow/region_flow.h"
#include "ops/foreign/foreign.h"
#include "ops/record.h"

namespace weft {
namespace {

[[noreturn]] void refuse(const OpView& op, const std::string& what) {
  throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + what, op.loc());
}

void expect_value(const OpView& op, Type t) {
  if (t.is_foreign()) refuse(op, "a value of type " + t.str() + " does not run: there are none of it here");
  if (t.is_tensor() && is_index(t.element_type()))
    refuse(op, "a value of type " + t.str() + " does not run: shapes of index must be known, others be i64");
}

void visit(const Module& module, const std::string& name, std::unordered_set<std::string>& seen) {
  const Function* f = module.find(name);
  if (f == nullptr || !seen.insert(name).second) return;
  for (uint32_t i = 0; i < f->num_ops(); ++i) {
    const OpView op{*f, OpId{i}};
    // An op of another dialect is refused with all that it holds.
    const OpId owner = f->owner(f->parent(op.id));
    if (owner && is_foreign_op(f->def(owner))) continue;
    if (is_foreign_op(op.def())) record(op).eval.require(op, "evaluation");
    if (record(op).eval.refused()) continue;  // the op itself does not run, and says why
    for (size_t k = 0; k < op.num_operands(); ++k) expect_value(op, op.operand_type(k));
    for (size_t k = 0; k < op.num_results(); ++k) expect_value(op, op.result_type(k));
    const std::string_view mnemonic = op.def().mnemonic;
    if (mnemonic == "stablehlo.reduce" || mnemonic == "stablehlo.reduce_window") {
      for (size_t k = op.num_operands() / 2; k < op.num_operands(); ++k) {
        if (op.operand_type(k).rank() > 0)
          refuse(op, "bodies run on single elements: got an init value of type " + op.operand_type(k).str());
      }
    }
    if (const std::string* next = callee(op)) visit(module, *next, seen);
  }
}

}  // namespace

void expect_runnable(const Module& module, const std::string& entry) {
  if (const Function* f = module.find(entry)) {
    const auto expect_known = [&](Type t, const char* what) {
      if (!t.is_foreign() && !t.is_future()) return;
      throw Unsupported(
          "[func.func] @" + entry + " has " + what + " of type " + t.str() + ", of which there are no values",
          f->loc());
    };
    for (Type t : f->arg_types()) expect_known(t, "an argument");
    for (Type t : f->result_types()) expect_known(t, "a result");
  }
  std::unordered_set<std::string> seen;
  visit(module, entry, seen);
}

}  // namespace weft
