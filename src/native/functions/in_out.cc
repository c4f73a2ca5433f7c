#include "native/functions/in_out.h"

#include <optional>
#include <unordered_set>

#include "native/schedule/schedule.h"
#include "ops/control_flow/region_flow.h"

namespace weft::native {
namespace {

class Tracer {
 public:
  Tracer(const Function& f, const std::unordered_map<std::string, InOutPairs>& known) : f_(f), known_(known) {}

  InOutPairs run() {
    InOutPairs out;
    std::unordered_set<size_t> taken;
    const auto results = f_.operands(f_.terminator(f_.body()));
    for (size_t j = 0; j < results.size(); ++j) {
      if (passes_in_register(f_.type(results[j]))) continue;
      const std::optional<size_t> i = argument_of(results[j]);
      if (i && f_.type(f_.args()[*i]) == f_.type(results[j]) && taken.insert(*i).second) out.emplace_back(*i, j);
    }
    return out;
  }

 private:
  /// The argument of the function whose later state the value is.
  std::optional<size_t> argument_of(Value v) {
    for (;;) {
      const OpId id = f_.defining_op(v);
      if (!id) {
        if (f_.region(v) == f_.body()) return f_.position(v);
        return std::nullopt;  // what a loop's body is given
      }
      const OpView op{f_, id};
      const size_t k = f_.position(v);
      const std::string_view name = op.def().mnemonic;
      if (name == "stablehlo.dynamic_update_slice" || name == "stablehlo.reshape") {
        v = op.operand(0);
      } else if (name == "stablehlo.scatter" || name == "stablehlo.while") {
        v = op.operand(k);
      } else if (region_flow(op).kind == RegionFlow::Kind::kBranches) {
        if (!tried_.insert(v).second) return std::nullopt;
        for (RegionId branch : op.regions()) {
          if (const auto found = argument_of(f_.operand(f_.terminator(branch), k))) return found;
        }
        return std::nullopt;
      } else if (const std::string* name_of_callee = callee(op)) {
        const auto pairs = known_.find(*name_of_callee);
        if (pairs == known_.end()) return std::nullopt;
        bool is_pair = false;
        for (const auto& [arg, result] : pairs->second) {
          if (result != k) continue;
          v = op.operand(arg);
          is_pair = true;
        }
        if (!is_pair) return std::nullopt;
      } else {
        return std::nullopt;
      }
    }
  }

  const Function& f_;
  const std::unordered_map<std::string, InOutPairs>& known_;
  std::unordered_set<Value> tried_;  // results of branches
};

}  // namespace

std::unordered_map<std::string, InOutPairs> find_in_out(const Module& module) {
  std::unordered_map<std::string, InOutPairs> out;
  // Twice: what a recursion hands through is known once the way out of it is.
  for (int round = 0; round < 2; ++round) {
    for (const auto& f : module.functions()) out[f->name()] = Tracer(*f, out).run();
  }
  return out;
}

}  // namespace weft::native
