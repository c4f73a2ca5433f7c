#include <algorithm>
#include <array>

#include "native/kernels/convolution_cells.h"
#include "native/kernels/winograd.h"
#include "native/kernels/winograd_tiles.h"
#include "native/runtime/parallel.h"

namespace weft::native {

namespace {

// Bytes of transformed activations and gradients of one run of tiles: in the last-level cache, while the sums, as large as the
// transformed weights, pass by once for each run.
constexpr int64_t kBytesAtOnce = int64_t{12} << 20, kFewestTiles = 96, kMostTiles = 384;

size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

template <class Element>
class WinogradWeightsKernel final : public LibraryKernel {
 public:
  winograd::Shape shape;
  int64_t weights_out = 0, weights_in = 0, weights_row = 0, weights_column = 0;
  int64_t parts = 1, capacity = 0;
  std::vector<Element> zeros;
  std::unique_ptr<LibraryKernel> direct;

  std::string implementation() const override {
    return "winograd F(3x3, 4x4) avx512, else " + direct->implementation();
  }
  size_t bytes_of(int64_t channels) const {
    return rounded_up(static_cast<size_t>(shape.point_stride(capacity, channels) * winograd::kPoints) * sizeof(float));
  }
  size_t scratch_bytes() const override {
    const size_t own = bytes_of(shape.in_channels) + bytes_of(shape.out_channels) +
                       rounded_up(static_cast<size_t>(shape.packed_size()) * sizeof(float));
    return std::max(own, direct->scratch_bytes());
  }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    const auto *src = static_cast<const Element*>(inputs[0]), *gradient = static_cast<const Element*>(inputs[1]);
    char* free = static_cast<char*>(scratch);
    auto* transformed = reinterpret_cast<float*>(free);
    auto* gradients = reinterpret_cast<float*>(free += bytes_of(shape.in_channels));
    auto* sums = reinterpret_cast<float*>(free += bytes_of(shape.out_channels));
    std::array<winograd::Range, winograd::kMaxParts> src_ranges, gradient_ranges;
    const int64_t tiles = shape.tiles(), runs = (tiles + capacity - 1) / capacity;
    for (int64_t run = 0; run < runs; ++run) {
      const int64_t begin = tiles * run / runs, count = tiles * (run + 1) / runs - begin;
      rt::parallel(parts, [&](int64_t part, int64_t of) {
        const int64_t first = begin + count * part / of, last = begin + count * (part + 1) / of;
        winograd::transform_both(shape, src, gradient, first, last - first, begin, capacity, transformed, gradients,
                                 zeros.data(), src_ranges[static_cast<size_t>(part)],
                                 gradient_ranges[static_cast<size_t>(part)]);
      });
      rt::parallel(std::min(parts, winograd::kPoints), [&](int64_t part, int64_t of) {
        winograd::accumulate(shape, transformed, gradients, count, capacity, winograd::kPoints * part / of,
                             winograd::kPoints * (part + 1) / of, run == 0, sums);
      });
    }
    for (auto* ranges : {&src_ranges, &gradient_ranges}) {
      winograd::Range all;
      for (const winograd::Range& each : *ranges) {
        all.largest = std::max(all.largest, each.largest);
        all.sum += each.sum;
        all.count += each.count;
      }
      if (!winograd::is_tame(all)) return direct->execute(inputs, outputs, scratch);
    }
    auto* windows = static_cast<Element*>(outputs[0]);
    const int64_t blocks = shape.out_channels / winograd::kLanes;
    rt::parallel(std::min(parts, blocks), [&](int64_t part, int64_t of) {
      winograd::unpack(shape, sums, blocks * part / of * winograd::kLanes, blocks * (part + 1) / of * winograd::kLanes,
                       windows, weights_out, weights_in, weights_row, weights_column);
    });
    return true;
  }
};

template <class Element>
std::unique_ptr<LibraryKernel> make(const ConvolutionDesc& c, const KernelOptions& options,
                                    std::unique_ptr<LibraryKernel>& direct) {
  auto kernel = std::make_unique<WinogradWeightsKernel<Element>>();
  winograd::Shape& s = kernel->shape;
  s.batch = c.batch, s.in_channels = c.in_channels, s.out_channels = c.out_channels;
  s.in_height = c.in_size[0], s.in_width = c.in_size[1], s.out_height = c.out_size[0], s.out_width = c.out_size[1];
  s.src_batch = c.src_strides[0], s.src_row = c.src_strides[2], s.src_column = c.src_strides[3];
  s.dst_batch = c.dst_strides[0], s.dst_row = c.dst_strides[2], s.dst_column = c.dst_strides[3];
  s.pad_top = c.pad_low[0], s.pad_left = c.pad_low[1];
  kernel->weights_out = c.weights_strides[0], kernel->weights_in = c.weights_strides[1];
  kernel->weights_row = c.weights_strides[2], kernel->weights_column = c.weights_strides[3];
  kernel->parts = options.partitions;
  const int64_t tile_bytes = winograd::kPoints * (s.in_channels + s.out_channels) * static_cast<int64_t>(sizeof(float));
  kernel->capacity = std::min(std::clamp(kBytesAtOnce / tile_bytes, kFewestTiles, kMostTiles), s.tiles());
  kernel->zeros.assign(static_cast<size_t>(s.in_channels), Element{0});
  kernel->direct = std::move(direct);
  return kernel;
}

}  // namespace

std::unique_ptr<LibraryKernel> make_winograd_weights(const ConvolutionDesc& c, const KernelOptions& options,
                                                     std::unique_ptr<LibraryKernel>& direct, std::string& reason) {
  reason = why_no_winograd(c, options);
  if (reason.empty() && c.has_bias) reason = "the gradient of a bias beside that of the weights";
  if (!reason.empty()) return nullptr;
  return c.type == ElementType::kF32 ? make<float>(c, options, direct) : make<uint16_t>(c, options, direct);
}

}  // namespace weft::native
