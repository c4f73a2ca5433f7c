// Direct convolution of f32 and bf16 channels-last activations: the layouts it works on and its stages.
//
// A run is a number of result rows of one or several images. The operand cells it reads are gathered into blocks of 64 bytes
// of channels, padding included, with rows and columns sorted by their remainder modulo the stride: then all taps of a window read the
// cells of consecutive results from consecutive cells, and 16 results of 32 channels of bf16 are one load of an AMX tile.
#pragma once
#include <cstdint>
#include <optional>

#include "native/kernels/channel_vectors.h"

namespace weft::native::cells {

inline constexpr int64_t kBlock = 32;        // output channels computed together
inline constexpr int64_t kGroup = 32;        // results computed together
inline constexpr int64_t kCellBytes = 64;    // 16 channels of f32, 32 of bf16
inline constexpr int64_t kStepBytes = 2048;  // weights of a cell's channels by kBlock

/// Strides are in elements; channels have stride 1.
struct Shape {
  int64_t element_bytes = 4;
  int64_t batch = 0, in_channels = 0, out_channels = 0;
  int64_t in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  int64_t window_height = 0, window_width = 0;
  int64_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t src_batch = 0, src_row = 0, src_column = 0, dst_batch = 0, dst_row = 0, dst_column = 0;

  /// Channels of a cell.
  int64_t width() const { return kCellBytes / element_bytes; }
  /// A row of the window with few channels lies in one cell: then its columns count as channels.
  bool is_folded() const { return window_width > 1 && window_width * in_channels <= width(); }
  int64_t cell_channels() const { return is_folded() ? window_width * in_channels : in_channels; }
  int64_t blocks() const { return (cell_channels() + width() - 1) / width(); }
  int64_t out_blocks() const { return (out_channels + kBlock - 1) / kBlock; }
  int64_t tap_columns() const { return is_folded() ? 1 : window_width; }
  int64_t column_phases() const { return is_folded() ? 1 : stride_x; }
  int64_t taps() const { return window_height * tap_columns(); }
  /// Cells of one row of one phase, and rows of one phase for `rows` result rows.
  int64_t row_cells() const;
  int64_t phase_rows(int64_t rows) const;
  /// Cells of one block of channels for `rows` result rows, with room for the last group's reads.
  int64_t plane_cells(int64_t rows) const;
  /// Where the cells of a tap begin in a plane.
  int64_t tap_cell(int64_t row, int64_t column, int64_t rows) const;
  int64_t packed_bytes() const { return out_blocks() * blocks() * taps() * kStepBytes; }
};

/// Element is float, or uint16_t for bf16.
template <class Element>
struct Window {
  const Element* data;  // of output channel 0, input channel 0, top left
  int64_t out, in, row, column;
};

/// What multiplies; for f32 kAvx512 only.
enum class Engine {
  kAmx,
  kAvx512Bf16,
  kAvx512,
  kTilesInSoftware,  // the steps of kAmx on any CPU, for tests
};
/// The best one for elements of this size that this CPU has and the system lets this process use; none: nothing below may be called.
std::optional<Engine> best_engine(int64_t element_bytes);

/// Brings the windows of output blocks [first, last) into the order in which they are multiplied.
template <class Element>
void pack(const Shape& shape, const Window<Element>& window, int64_t first, int64_t last, void* packed);

/// Fills blocks() planes with the cells for result rows [row, row + rows) of an image.
template <class Element>
void gather(const Shape& shape, const Element* src, int64_t image, int64_t row, int64_t rows, void* planes);

/// Computes result rows [row, row + rows) of `images` images whose planes follow each other at `planes`. offsets: taps() entries of
/// tap_cell. The caller's thread is prepared (see Prepared).
template <class Element>
void run(Engine engine, const Shape& shape, const void* planes, const int64_t* offsets, const void* packed,
         const vectors::Epilogue<Element>& epilogue, Element* dst, int64_t image, int64_t images, int64_t row,
         int64_t rows);

/// Prepares this thread's tiles for `run` until it is destroyed.
class Prepared {
 public:
  explicit Prepared(Engine engine);
  ~Prepared();
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

 private:
  Engine engine_;
};

}  // namespace weft::native::cells
