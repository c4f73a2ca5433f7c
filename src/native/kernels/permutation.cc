#include "native/kernels/permutation.h"

#include "base/format.h"
#include "native/kernels/library_threads.h"
#include "native/kernels/onednn_plan.h"
#include "native/kernels/strides.h"

namespace weft::native {

namespace {

// Below this a generated loop nest runs within the first-level cache, and the call costs more.
constexpr int64_t kSmallestBytes = 1 << 14;

std::unique_ptr<LibraryKernel> make(const PermutationDesc& desc, const KernelOptions& options, std::string& reason) {
  if (desc.element_bytes != 1 && desc.element_bytes != 4 && desc.element_bytes != 8) {
    reason = "elements of " + std::to_string(desc.element_bytes) + " bytes: expected 1, 4 or 8";
    return nullptr;
  }
  if (desc.input_strides.size() != desc.dims.size() || desc.output_strides.size() != desc.dims.size()) {
    reason = "lists of different rank: expected one stride for each dimension";
    return nullptr;
  }
  dnnl::memory::dims dims, from, to;
  int64_t bytes = static_cast<int64_t>(desc.element_bytes);
  // Eight bytes move as two words of four: an extra, contiguous dimension.
  int64_t words = desc.element_bytes == 8 ? 2 : 1;
  for (size_t d = 0; d < desc.dims.size(); ++d) {
    bytes *= desc.dims[d];
    if (desc.dims[d] == 1) continue;
    dims.push_back(desc.dims[d]);
    from.push_back(desc.input_strides[d] * words);
    to.push_back(desc.output_strides[d] * words);
  }
  if (bytes <= 0) {
    reason = "an extent is zero: nothing to copy";
    return nullptr;
  }
  if (bytes < kSmallestBytes && !options.is_size_ignored) {
    reason = "too small: " + std::to_string(bytes) + " bytes, below " + std::to_string(kSmallestBytes) +
             " a generated loop wins";
    return nullptr;
  }
  if (words == 2) dims.push_back(2), from.push_back(1), to.push_back(1);
  if (dims.empty()) dims = from = to = {1};
  if (dims.size() > DNNL_MAX_NDIMS) {
    reason = "more than " + std::to_string(DNNL_MAX_NDIMS) + " dimensions";
    return nullptr;
  }
  if (!is_permutation_layout(dims, from) || !is_permutation_layout(dims, to)) {
    reason = "strides " + format_list(desc.input_strides) + " or " + format_list(desc.output_strides) +
             " overlap or are not positive";
    return nullptr;
  }
  if (const char* why = why_no_team(options.partitions)) {
    reason = why;
    return nullptr;
  }
  auto type = desc.element_bytes == 1 ? dnnl::memory::data_type::u8 : dnnl::memory::data_type::f32;
  dnnl::memory::desc source(dims, type, from), target(dims, type, to);
  LibraryTeam team(options.partitions);
  try {
    std::string found =
        dnnl::reorder::primitive_desc(onednn_engine(), source, onednn_engine(), target, onednn_attr()).impl_info_str();
    if (is_reference(found)) {
      reason = "only oneDNN's reference loops take this shape";
      return nullptr;
    }
    OneDnnPlan plan(options.partitions, "reorder " + found);
    plan.add_reorder(plan.add_input(0, source), plan.add_output(0, target));
    return std::move(plan).finish();
  } catch (const dnnl::error& error) {
    reason = "oneDNN has no kernel for it on this CPU (" + std::string(error.what()) + ")";
    return nullptr;
  }
}

}  // namespace

KernelChoice make_permutation(const PermutationDesc& desc, const KernelOptions& options) {
  KernelChoice choice;
  std::string reason;
  if (const char* why = options.why_not("onednn")) reason = why;
  else choice.kernel = make(desc, options, reason);
  if (!choice.kernel) choice.refused.push_back({"onednn", reason});
  return choice;
}

}  // namespace weft::native
