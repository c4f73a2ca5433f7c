// Convolutions, and what derivatives make of them, as the forward and backward kernels of native/kernels/convolution.h.
//
// Derivative rules emit ordinary convolutions. The gradient of the input has the strides as lhs_dilation, a reversed
// window and swapped feature roles: kBackwardData. The gradient of the weights has batch and features swapped, the
// strides as rhs_dilation and the output's gradient as a large window: kBackwardWeights. Both are recognised from the
// op's attributes alone, whoever wrote it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "native/contraction/matmul_form.h"
#include "native/kernels/convolution.h"

namespace weft::native {

/// A kernel that computes the op, with what has to be done around it.
struct ConvolutionForm {
  ConvolutionDesc desc;
  /// The kernel's first input is rhs and its second lhs.
  bool is_swapped = false;
  /// Elements by which the pointer of lhs moves before it is passed on (negative padding crops the operand).
  int64_t lhs_offset = 0;
  /// Dimensions along which a copy of rhs must be reversed before (dense row-major, which desc assumes then), and along
  /// which the kernel's result is the reverse of the op's result.
  std::vector<int64_t> reversed_rhs, reversed_result;
};

/// All forms of a stablehlo.convolution, best first, and the reasons against the others.
struct ConvolutionAnalysis {
  std::vector<ConvolutionForm> forms;
  std::vector<Refusal>
      refused;  // implementation: "forward", "backward_data", "backward_weights", "backward_weights_swapped"
};
ConvolutionAnalysis analyze_convolution(const OpView& op, const ContractionLayout& layout);

}  // namespace weft::native
