#include "native/contraction/prepare.h"

namespace weft::native {

std::unique_ptr<LibraryKernel> prepare_contraction(const OpView& op, const CompileOptions& options, int partitions, std::string& note) {
  return nullptr;
}

}  // namespace weft::native
