// Direct convolution of f32 and bf16, with an epilogue that rounds after every op as the program says.
#pragma once
#include <memory>
#include <string>

#include "native/kernels/convolution_cells.h"

namespace weft::native {

/// The row "direct" of make_convolution, by AMX or AVX-512: channels-last, two spatial dimensions, one group; any window, stride, dilation and padding
/// forward, stride 1 backward by data. Null with the reason when it does not apply.
std::unique_ptr<LibraryKernel> make_convolution_direct(const ConvolutionDesc& desc, const KernelOptions& options,
                                                       cells::Engine engine, std::string& reason);

}  // namespace weft::native
