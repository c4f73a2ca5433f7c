#include "transform/install.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/control_flow/region_flow.h"

namespace weft {
namespace {

bool calls(const Function& f, RegionId region, const std::string& name) {
  for (OpId op : f.ops(region)) {
    const std::string* target = callee(OpView{f, op});
    if (target != nullptr && *target == name) return true;
    for (RegionId r : f.regions(op)) {
      if (calls(f, r, name)) return true;
    }
  }
  return false;
}

}  // namespace

Function& install(Module& module, std::unique_ptr<Function> function) {
  const auto is_rule = [](const Function& f, const std::string& of) {
    const std::vector<std::string> rules = derivative_rule(f).functions();
    return std::ranges::find(rules, of) != rules.end();
  };
  const std::string name = function->name();
  const Function* old = module.find(name);
  bool still_called = false;
  if (old != nullptr) {
    still_called = calls(*function, function->body(), name);
    for (const auto& f : module.functions()) {
      still_called = still_called || (f.get() != old && (calls(*f, f->body(), name) || is_rule(*f, name)));
    }
  }
  if (!still_called) return module.replace(std::move(function));

  const std::string moved_name = module.unique_name(name);
  auto moved = clone_function(*old, moved_name);
  moved->set_public(false);
  module.add(std::move(moved));
  for (const auto& f : module.functions()) {
    redirect_calls(*f, name, moved_name);
    DerivativeRule rule = derivative_rule(*f);
    for (std::string* part : {&rule.jvp, &rule.forward, &rule.backward}) {
      if (*part == name) *part = moved_name;
    }
    if (rule.exists()) set_derivative_rule(*f, rule);
  }
  redirect_calls(*function, name, moved_name);
  return module.replace(std::move(function));
}

}  // namespace weft
