#include "transform/split_checks.h"

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/record.h"

namespace weft {
namespace {

bool is_check(const OpView& op, bool weft_checks) {
  const std::string_view name = op.def().mnemonic;
  return (weft_checks && name == "weft.check") || name.starts_with("check.") ||
         (name == "stablehlo.custom_call" && op.attrs().text("call_target_name").starts_with("check."));
}

}  // namespace

SplitChecks split_checks(const Module& module, const std::string& entry, bool weft_checks) {
  const Function& f = module.get(entry);
  auto plain = std::make_unique<Function>(entry);
  Function& g = *plain;
  copy_signature(f, g);
  auto checks = std::make_unique<Function>("checks");
  ValueMap map(f), looked_at(f);
  for (Value v : f.args()) map.set(v, g.add_arg(g.body(), f.type(v)));
  std::vector<Value> seen;
  bool any = false;
  for (OpId id : f.ops(f.body())) {
    const OpView op{f, id};
    if (op.def().is_terminator) {
      std::vector<Value> results;
      for (Value v : op.operands()) results.push_back(map.at(v));
      for (Value v : seen) results.push_back(map.at(v));
      if (!g.result_attrs().empty()) g.result_attrs().resize(results.size());
      g.append(g.body(), op.def(), results, f.shared_attrs(id), {}, {}, op.loc());
      checks->append(checks->body(), op.def(), {}, f.shared_attrs(id), {}, {}, op.loc());
    } else if (is_check(op, weft_checks)) {
      any = true;
      for (Value v : op.operands()) {
        if (looked_at.get(v)) continue;
        seen.push_back(v);
        looked_at.set(v, checks->add_arg(checks->body(), f.type(v)));
      }
      clone_op(f, id, *checks, checks->body(), looked_at);
      // What a check gives when it holds: true.
      for (Value v : f.results(id)) map.set(v, OpBuilder(g, g.body()).splat(f.type(v), 1));
    } else {
      clone_op(f, id, g, g.body(), map);
    }
  }
  SplitChecks out;
  out.num_results = f.result_types().size();
  auto program = std::make_shared<Module>();
  program->attrs = module.attrs;
  program->foreign_ops = module.foreign_ops;
  for (const auto& other : module.functions())
    program->add(other->name() == entry ? std::move(plain) : clone_function(*other, other->name()));
  out.program = program;
  if (any) {
    auto tests = std::make_shared<Module>();
    tests->add(std::move(checks));
    out.checks = tests;
  }
  return out;
}

}  // namespace weft
