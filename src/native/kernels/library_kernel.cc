#include "native/kernels/library_kernel.h"

#include <algorithm>

#include "native/aot_runtime/weft_rt.h"

namespace weft::native {

const char* KernelOptions::why_not(const char* row) const {
  if (!only.empty() && only != row) return "not the row that was asked for";
  if (std::ranges::find(disabled, row) != disabled.end()) return "switched off";
  return nullptr;
}

}  // namespace weft::native

extern "C" int32_t weft_library_kernel_execute(const void* kernel, const void* const* inputs, void* const* outputs,
                                               void* scratch) {
  auto* prepared = static_cast<const weft::native::LibraryKernel*>(kernel);
  return prepared->execute(inputs, outputs, scratch) ? WEFT_RT_OK : WEFT_RT_LIBRARY_FAILED;
}
