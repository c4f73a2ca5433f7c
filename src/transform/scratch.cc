#include "transform/scratch.h"

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/control_flow/region_flow.h"
#include "transform/dead_code.h"
#include "transform/install.h"

namespace weft {

std::string with_results(Module& module, const Function& f, std::span<const size_t> which) {
  Function out(module.unique_name(f.name()));
  out.set_loc(f.loc());
  ValueMap map(f);
  for (Value v : f.args()) map.set(v, out.add_arg(out.body(), f.type(v)));
  const std::vector<Value> all = clone_ops(f, f.body(), out, out.body(), map);
  std::vector<Value> kept;
  for (size_t i : which) kept.push_back(all[i]);
  OpBuilder(out, out.body(), &module).yield(kept);
  return module.add(eliminate_dead_code(out, &module)).name();
}

namespace {

void copy_function(const Module& from, const std::string& name, Module& to);

void copy_callees(const Module& from, const Function& f, RegionId region, Module& to) {
  for (OpId op : f.ops(region)) {
    if (const std::string* name = callee(OpView{f, op})) copy_function(from, *name, to);
    for (RegionId r : f.regions(op)) copy_callees(from, f, r, to);
  }
}

void copy_function(const Module& from, const std::string& name, Module& to) {
  if (to.find(name) != nullptr) return;
  auto copy = clone_function(from.get(name), name);
  copy->set_public(false);
  const Function& moved = to.add(std::move(copy));
  copy_callees(from, moved, moved.body(), to);
  for (const std::string& rule : derivative_rule(moved).functions()) copy_function(from, rule, to);
}

}  // namespace

Function& move_out(const Module& scratch, const std::string& name, Module& module, const std::string& as) {
  auto out = clone_function(scratch.get(name), as);
  copy_callees(scratch, *out, out->body(), module);
  return install(module, std::move(out));
}

}  // namespace weft
