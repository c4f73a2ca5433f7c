// LLVM's optimisations for code that is written as plain scalar loops: entries, functions that they call, kernels with open extents.
#pragma once
#include <memory>
#include <span>

#include "native/codegen/isa.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace weft::codegen {

/// Scalar optimisations and the loop vectoriser, function by function. Kernels come as wide vectors already and do not need them.
class Optimizer {
 public:
  Optimizer(llvm::Module& module, const Isa& isa);
  ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  /// A long function is only brought into registers.
  void run(llvm::Function& function);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::codegen
