// The reference evaluator: slow, plain, the meaning of every op.
#pragma once
#include "ir/target.h"

namespace weft {

/// Runs programs by walking them and asking each op's eval facet. `disabled` may hold "strict_checks": check.* ops then also
/// accept a small normwise error (ops/control_flow/check_rules.h).
class EvalTarget : public Target {
 public:
  std::string_view name() const override { return "eval"; }
  /// Verifies the module. Throws UserError when it is not well formed or has no such entry.
  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options = {}) const override;
};

/// Runs one function of a module. Throws UserError for wrong arguments, a failed check, or recursion that exhausts the stack.
std::vector<Tensor> evaluate(const Module& module, const std::string& function, std::span<const Tensor> args,
                             const CompileOptions& options = {});

}  // namespace weft
