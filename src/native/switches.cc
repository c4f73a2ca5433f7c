#include "native/switches.h"

namespace weft::native {

std::span<const Switch> switches() {
  static constexpr Switch kSwitches[] = {
      {"simplify", "programs are scheduled as they are written"},
      {"fuse", "each op is a kernel of its own"},
      {"in_place", "updates copy what they write into"},
      {"onednn_matmul", "products by BLAS or generated loops"},
      {"openblas_matmul", "products by oneDNN or generated loops"},
      {"onednn_convolution", "convolutions by generated loops"},
      {"library_size_limits", "libraries also where they do not pay"},
  };
  return kSwitches;
}

}  // namespace weft::native
