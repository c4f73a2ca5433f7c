// LLVM's scalar optimisations and loop vectoriser for kernels with open extents.
#include "native/codegen/optimize.h"
#include "native/open/open_kernel.h"

namespace weft::native {

void optimize_open(llvm::Module& module, const codegen::Isa& isa, std::span<llvm::Function* const> functions) {
  if (functions.empty()) return;
  codegen::Optimizer optimizer(module, isa);
  for (llvm::Function* f : functions) optimizer.run(*f);
}

}  // namespace weft::native
