// Convolution and its two derivatives by oneDNN.
#pragma once
#include <cstdint>
#include <vector>

#include "native/kernels/library_kernel.h"
#include "weft/element_type.h"

namespace weft::native {

enum class ConvolutionDirection {
  kForward,          // inputs: src, weights, [bias], [addend]; output: dst
  kBackwardData,     // inputs: gradient of dst, weights; output: gradient of src
  kBackwardWeights,  // inputs: src, gradient of dst; outputs: gradient of weights, [gradient of bias]
};

/// An op with one operand for each output channel.
enum class ChannelOp { kAdd, kSubtract, kMultiply };

/// All three directions are described by the forward convolution
///   dst[n, o, p] = sum over i, k of src[n, g(o) * in_channels/groups + i, p * stride + k * dilation - pad_low] * weights[o, i, k]
/// with zeros outside src; p, k and the extents below have 1 to 3 spatial dimensions. Strides are in elements, per
/// logical dimension, in the order of the comments; any dense permutation is taken, NHWC activations without a copy.
struct ConvolutionDesc {
  ConvolutionDirection direction = ConvolutionDirection::kForward;
  ElementType type = ElementType::kF32;  // of all operands; sums are kept in f32
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  std::vector<int64_t> in_size, out_size, kernel_size;
  std::vector<int64_t> stride, dilation, pad_low;  // dilation 1: dense. Padding above follows from out_size.
  std::vector<int64_t> src_strides;                // batch, in_channels, spatial...
  std::vector<int64_t> weights_strides;            // out_channels (over all groups), in_channels of a group, spatial...
  std::vector<int64_t> dst_strides;                // batch, out_channels, spatial...
  /// From the weights of one group to those of the next, where that is not out_channels/groups steps of out_channels.
  /// 0: it is.
  int64_t weights_group_stride = 0;

  /// Forward only, in bf16 only by the row "direct", in this order: dst = relu(convolution + bias[o], then each of channel_ops, + addend). Inputs in that
  /// order after the weights; every op rounds. The addend has dst's strides and may
  /// be the output itself. relu keeps NaN and is a pass over dst. has_bias on kBackwardWeights asks for the gradient
  /// of bias as second output.
  bool has_bias = false, has_addend = false, has_relu = false;
  std::vector<ChannelOp> channel_ops;

  /// f32: only algorithms whose every result is the sum of its own terms (precision HIGH or HIGHEST).
  bool is_exact = false;

  /// Weights known now (strides as above): packed at once, and the weights entry of `inputs` is not read.
  const void* constant_weights = nullptr;

  int64_t spatial_rank() const { return static_cast<int64_t>(in_size.size()); }
};

/// A forward convolution as oneDNN takes it: its dimensions and strides, groups in front of those of the weights.
struct OneDnnConvolution {
  std::vector<int64_t> src, src_strides, weights, weights_strides, dst, dst_strides;
  std::vector<int64_t> stride, dilation, pad_low, pad_high;  // dilation 0: dense
};
/// Why oneDNN does not take it, or empty.
std::string describe_onednn_convolution(const ConvolutionDesc& desc, OneDnnConvolution& out);

/// Rows: "direct" (convolution_direct.h), "winograd" (winograd.h; falls back on the others), "onednn". The reason of a refusal names the attribute or the limit.
KernelChoice make_convolution(const ConvolutionDesc& desc, const KernelOptions& options);

}  // namespace weft::native
