// Convolutions of ahead-of-time libraries built with --with-onednn, by primitives of a libdnnl that is opened when the library is loaded. This
// text stands in their generated source.
#ifndef WEFT_RT_CONVOLUTION_H
#define WEFT_RT_CONVOLUTION_H

// A forward convolution of f32. Dimensions as oneDNN orders them, in lists of its length: batch (groups), channels, then the image's.
typedef struct weft_rt_convolution {
  int32_t rank, weights_rank;  // 3 to 5; one more with groups
  int64_t src[12], src_strides[12], weights[12], weights_strides[12], dst[12], dst_strides[12];
  int64_t stride[12], dilation[12], low[12], high[12];  // dilation 0: dense
  int32_t is_swapped;                                   // the first buffer holds the weights
  int32_t has_constant_weights;                         // they are the same in every call
  struct weft_rt_convolution_plan* plan;                // made when the library is loaded
} weft_rt_convolution;

// Opens libdnnl and makes what the convolutions need. 0, or 1 with what went wrong in message.
int weft_rt_convolutions_open(weft_rt_convolution* convolutions, int32_t count, char* message, size_t bytes);

// buffers: lhs, rhs, result. 0, or 1 when the library failed.
int weft_rt_convolution_run(const weft_rt_convolution* convolution, void* const* buffers);

#endif
