// Matrix products of ahead-of-time libraries built with --with-onednn, by dnnl_sgemm of a libdnnl that is opened when the library is
// loaded. This text stands in their generated source.
#ifndef WEFT_RT_GEMM_H
#define WEFT_RT_GEMM_H

// c = a · b in f32 for each index of the batch. A side is transposed ('T') where its columns are contiguous.
typedef struct weft_rt_gemm {
  int64_t m, n, k, a_step, b_step, c_step;  // steps between rows, or columns of a transposed side, in elements
  char a_side, b_side, is_swapped;          // is_swapped: the first buffer is b
  int32_t batch_rank;
  const int64_t* batch;  // for each dimension: extent, then the steps of a, b and c
} weft_rt_gemm;

// Opens libdnnl. 0, or 1 with what went wrong in message.
int weft_rt_gemm_open(char* message, size_t bytes);

// buffers: lhs, rhs, result. 0, or 1 when the library failed.
int weft_rt_gemm_run(const weft_rt_gemm* gemm, void* const* buffers);

#endif
