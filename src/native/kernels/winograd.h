// Winograd's convolution F(4x4, 3x3) of f32 and bf16 activations that are channels-last: 36 products instead of 144 for 16 results.
#pragma once
#include <memory>
#include <string>

#include "native/kernels/convolution.h"

namespace weft::native {

/// The row "winograd" of make_convolution, which computes in f32, for windows of 3x3 with stride and dilation 1, forward and backward by data.
/// Its results differ from the direct algorithm's by a few units in the last place of the largest terms of a 6x6
/// neighbourhood, and an infinity or a NaN would spoil it. Operands for which that matters - numbers that are not finite, or whose
/// range exceeds what winograd_tiles.h says - are therefore given to `direct`, which computes the convolution, in bf16 without what follows it.
/// Null with a reason when it does not apply or is not faster.
std::unique_ptr<LibraryKernel> make_winograd(const ConvolutionDesc& desc, const KernelOptions& options,
                                             std::unique_ptr<LibraryKernel>& direct, std::string& reason);

/// The same for the gradient of the weights (rows of winograd_weights.cc).
std::unique_ptr<LibraryKernel> make_winograd_weights(const ConvolutionDesc& desc, const KernelOptions& options,
                                                     std::unique_ptr<LibraryKernel>& direct, std::string& reason);

/// Why neither applies to the description, whatever its direction; empty: one may.
std::string why_no_winograd(const ConvolutionDesc& desc, const KernelOptions& options);

}  // namespace weft::native
