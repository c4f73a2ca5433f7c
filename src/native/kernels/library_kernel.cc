#include "native/kernels/library_kernel.h"

#include "native/aot_runtime/weft_rt.h"

extern "C" int32_t weft_library_kernel_execute(const void* kernel, const void* const* inputs, void* const* outputs,
                                               void* scratch) {
  auto* prepared = static_cast<const weft::native::LibraryKernel*>(kernel);
  return prepared->execute(inputs, outputs, scratch) ? WEFT_RT_OK : WEFT_RT_LIBRARY_FAILED;
}
