// The three stages of Winograd's convolution on a run of tiles.
#pragma once
#include <cstdint>

#include "native/kernels/channel_vectors.h"

namespace weft::native::winograd {

inline constexpr int64_t kTile = 4;     // results along a side
inline constexpr int64_t kReach = 6;    // operands along a side
inline constexpr int64_t kPoints = 36;  // products of each pair of channels
inline constexpr int64_t kLanes = 16;   // channels of a vector
inline constexpr int64_t kPanel = 64;   // output channels that are computed together
inline constexpr int64_t kMaxParts = 256;
inline constexpr int64_t kRowStep = 12;  // runs of tiles are computed in multiples of this

/// Channels have stride 1 and their numbers are multiples of kLanes. Strides are in elements.
struct Shape {
  int64_t batch = 0, in_channels = 0, out_channels = 0;
  int64_t in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  int64_t pad_top = 0, pad_left = 0;
  int64_t src_batch = 0, src_row = 0, src_column = 0, dst_batch = 0, dst_row = 0, dst_column = 0;

  int64_t tile_rows() const { return (out_height + kTile - 1) / kTile; }
  int64_t tile_columns() const { return (out_width + kTile - 1) / kTile; }
  int64_t tiles() const { return batch * tile_rows() * tile_columns(); }
  /// From one point's matrix to the next; not a multiple of a page, or the points would share a few cache sets.
  int64_t point_stride(int64_t tiles, int64_t channels) const { return tiles * channels + kLanes; }
  int64_t packed_size() const { return kPoints * in_channels * out_channels; }
};

/// Element is float, or uint16_t for bf16 activations and weights, which are computed with in f32.
template <class Element>
struct Window {
  const Element* data;  // of output channel 0, input channel 0, top left
  int64_t out, in, row, column;
};

/// What was seen of the activations.
struct Range {
  uint32_t largest = 0;  // bits of the largest magnitude; above those of infinity for NaN
  double sum = 0;        // of the magnitudes of a sample
  int64_t count = 0;     // of the sample
};

/// Largest magnitude over mean magnitude up to which Winograd is used: its error, about 1e-6 of the largest, then stays within
/// 1e-3 of a typical sum.
inline constexpr float kLargestRatio = 1024;

/// True when products of such numbers stay far from the largest float in every step; for a range, when it is narrow enough too.
bool is_tame(uint32_t largest);
bool is_tame(const Range& range);

/// Transforms the windows of output channels [first, last), multiples of kLanes, into `packed`. Returns the bits of the largest magnitude.
template <class Element>
uint32_t pack(const Shape& shape, const Window<Element>& window, int64_t first, int64_t last, float* packed);

/// Computes tiles [first, first + count). `transformed` and `products` hold point_stride(capacity, channels) * kPoints floats for the
/// input and the output channels; capacity, a multiple of kRowStep, is at least count; zeros: in_channels elements.
template <class Element>
void run(const Shape& shape, const Element* src, const float* packed, const vectors::Epilogue<Element>& epilogue,
         Element* dst, int64_t first, int64_t count, int64_t capacity, float* transformed, float* products,
         const void* zeros, Range& range);

/// The gradient of the windows in three steps; src and the gradient of dst lie as `shape` says. First tiles [first, first + count),
/// of a run that begins at run_first and has room for `capacity`, of both:
template <class Element>
void transform_both(const Shape& shape, const Element* src, const Element* dst_gradient, int64_t first, int64_t count,
                    int64_t run_first, int64_t capacity, float* transformed, float* gradients, const void* zeros,
                    Range& src_range, Range& gradient_range);
/// then points [first, last) of the products of `count` tiles, which replace `sums` or are added to them; then
void accumulate(const Shape& shape, const float* transformed, const float* gradients, int64_t count, int64_t capacity,
                int64_t first, int64_t last, bool is_first, float* sums);
/// the windows of output channels [first, last), multiples of kLanes.
template <class Element>
void unpack(const Shape& shape, const float* sums, int64_t first, int64_t last, Element* windows, int64_t out,
            int64_t in, int64_t row, int64_t column);

/// True when this CPU has the instructions.
bool is_supported();

}  // namespace weft::native::winograd
