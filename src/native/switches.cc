#include "native/switches.h"

#include <algorithm>

namespace weft::native {

std::span<const Switch> switches() {
  static constexpr Switch kSwitches[] = {
      {"simplify", "programs are scheduled as they are written"},
      {"rules", "ops are not rewritten by their own rules, constants not folded"},
      {"cse", "what is computed twice is computed twice"},
      {"licm", "invariants stay in their loops"},
      {"dce", "dead code stays for the scheduler"},
      {"fuse", "each op is a kernel of its own"},
      {"in_place", "updates copy what they write into"},
      {"channels_last", "convolutions keep the layout of the program"},
      {"free_lanes", "batched loops keep their axes of lanes"},
      {"spread_maps", "loops over scalars are not spread over an axis"},
      {"pair_lanes", "loops that lanes leave apart and keep values for another run lane by lane"},
      {"join_branches", "branches that lanes take apart run lane by lane"},
      {"block_lanes", "divergent loops run lane by lane or as one"},
      {"share_conditions", "conditions compute sums that the body has too"},
      {"factor_solves", "triangular solves of whole right sides, from the program's side"},
      {"settle_products", "products keep their order"},
      {"fold_counters", "counters of loops are carried"},
      {"know_stacks", "stacks of one value are kept"},
      {"lay_out_stacks", "stacks of counted loops stay stacks"},
      {"batch_inputs", "input products stay in their loops"},
      {"hoist_sums", "sums of products stay in their loops"},
      {"prepare_updates", "updates stay where the program has them"},
      {"onednn_matmul", "products by BLAS or generated loops"},
      {"openblas_matmul", "products by oneDNN or generated loops"},
      {"onednn_convolution", "convolutions by our own kernels or generated loops"},
      {"winograd_convolution", "convolutions by direct kernels, oneDNN or generated loops"},
      {"direct_convolution", "convolutions by Winograd, oneDNN or generated loops"},
      {"lapack", "matrices are factored and solved by generated loops"},
      {"small_matrices", "matrices of few rows are factored and solved like larger ones"},
      {"small_tensors", "loops on tensors of few elements call kernels"},
      {"open_rows", "kernels with open extents count in run-time numbers throughout"},
      {"library_size_limits", "library kernels also where they do not pay"},
  };
  return kSwitches;
}

std::span<const std::string_view> forced_rows() {
  static constexpr std::string_view kRows[] = {
      "no-library_size_limits,no-openblas_matmul",
      "no-library_size_limits,no-onednn_matmul",
      "no-library_size_limits,no-winograd_convolution,no-direct_convolution",
      "no-library_size_limits,no-onednn_convolution,no-direct_convolution",
      "no-library_size_limits,no-onednn_convolution,no-winograd_convolution",
      "no-onednn_convolution,no-winograd_convolution,no-direct_convolution",
  };
  return kRows;
}

bool is_off(const CompileOptions& options, std::string_view name) {
  return std::ranges::find(options.disabled, name) != options.disabled.end();
}

}  // namespace weft::native
