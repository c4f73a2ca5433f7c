#include "native/kernels/winograd.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "native/kernels/convolution_cells.h"
#include "native/kernels/winograd_tiles.h"
#include "native/runtime/parallel.h"

namespace weft::native {

namespace {

using winograd::kLanes;
using winograd::kPanel;
using winograd::kPoints;
using winograd::kRowStep;

// Bytes of transformed activations and products of one run of tiles, which should stay in the second-level cache; weights
// that do not are read once for each run, which must then be long enough to pay for it.
constexpr int64_t kBytesAtOnce = int64_t{1} << 19, kWeightsAtHand = int64_t{4} << 20;
constexpr int64_t kFewestTiles = 24, kFewestStreamed = 96, kMostTiles = 192;

size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

struct FreeMemory {
  void operator()(float* memory) const { std::free(memory); }
};

template <class Element>
class WinogradKernel final : public LibraryKernel {
 public:
  winograd::Shape shape;
  int64_t weights_out = 0, weights_in = 0, weights_row = 0, weights_column = 0, weights_offset = 0;
  std::vector<ChannelOp> channel_ops;
  bool has_addend = false, has_relu = false;
  int64_t parts = 1, capacity = 0;
  std::unique_ptr<float, FreeMemory> packed;  // null: weights are an input
  std::vector<Element> zeros;
  std::unique_ptr<LibraryKernel> direct;

  std::string implementation() const override {
    return "winograd F(4x4, 3x3) avx512, else " + direct->implementation();
  }

  size_t part_bytes() const {
    const int64_t floats =
        shape.point_stride(capacity, shape.in_channels) + shape.point_stride(capacity, shape.out_channels);
    return rounded_up(static_cast<size_t>(floats * kPoints) * sizeof(float));
  }
  size_t packed_bytes() const { return rounded_up(static_cast<size_t>(shape.packed_size()) * sizeof(float)); }
  size_t scratch_bytes() const override {
    const size_t own = static_cast<size_t>(parts) * part_bytes() + (packed ? 0 : packed_bytes());
    return std::max(own, direct->scratch_bytes());
  }

  // False when a weight is too large.
  bool pack_weights(const void* weights, float* to) const {
    const winograd::Window<Element> window{static_cast<const Element*>(weights) + weights_offset, weights_out,
                                           weights_in, weights_row, weights_column};
    const int64_t blocks = (shape.out_channels + kPanel - 1) / kPanel;
    const int64_t split = std::min(parts, blocks);
    std::array<uint32_t, winograd::kMaxParts> largest{};
    rt::parallel(split, [&](int64_t part, int64_t of) {
      const int64_t first = blocks * part / of * kPanel, last = blocks * (part + 1) / of * kPanel;
      largest[static_cast<size_t>(part)] = winograd::pack(shape, window, first, std::min(last, shape.out_channels), to);
    });
    return std::all_of(largest.begin(), largest.begin() + split, [](uint32_t each) { return winograd::is_tame(each); });
  }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    vectors::Epilogue<Element> epilogue;
    int next = 2;
    for (ChannelOp op : channel_ops)
      epilogue.channels[epilogue.channel_ops++] = {op, static_cast<const Element*>(inputs[next++])};
    if (has_addend) epilogue.addend = static_cast<const Element*>(inputs[next++]);
    epilogue.has_relu = has_relu;
    // Written over its addend a result cannot be computed again.
    if (has_addend && epilogue.addend == outputs[0]) return direct->execute(inputs, outputs, scratch);
    char* free = static_cast<char*>(scratch);
    const float* weights = packed.get();
    if (!weights) {
      auto* to = reinterpret_cast<float*>(free);
      free += packed_bytes();
      if (!pack_weights(inputs[1], to)) return direct->execute(inputs, outputs, scratch);
      weights = to;
    }
    const auto* src = static_cast<const Element*>(inputs[0]);
    auto* dst = static_cast<Element*>(outputs[0]);
    const int64_t tiles = shape.tiles();
    std::array<winograd::Range, winograd::kMaxParts> ranges;
    rt::parallel(parts, [&](int64_t part, int64_t of) {
      const int64_t first = tiles * part / of, count = tiles * (part + 1) / of - first;
      const int64_t runs = (count + capacity - 1) / capacity;
      auto* transformed = reinterpret_cast<float*>(free + static_cast<size_t>(part) * part_bytes());
      float* products = transformed + shape.point_stride(capacity, shape.in_channels) * kPoints;
      for (int64_t run = 0; run < runs; ++run) {
        const int64_t begin = count * run / runs, end = count * (run + 1) / runs;
        winograd::run(shape, src, weights, epilogue, dst, first + begin, end - begin, capacity, transformed, products,
                      zeros.data(), ranges[static_cast<size_t>(part)]);
      }
    });
    winograd::Range all;
    for (int64_t part = 0; part < parts; ++part) {
      const winograd::Range& each = ranges[static_cast<size_t>(part)];
      all.largest = std::max(all.largest, each.largest);
      all.sum += each.sum;
      all.count += each.count;
    }
    return winograd::is_tame(all) || direct->execute(inputs, outputs, scratch);
  }
};

std::string number(int64_t value) { return std::to_string(value); }

template <class Element>
std::unique_ptr<LibraryKernel> make(const ConvolutionDesc& c, const KernelOptions& options,
                                    std::unique_ptr<LibraryKernel>& direct, std::string& reason) {
  auto kernel = std::make_unique<WinogradKernel<Element>>();
  winograd::Shape& s = kernel->shape;
  const bool is_forward = c.direction == ConvolutionDirection::kForward;
  const auto &in_size = is_forward ? c.in_size : c.out_size, &out_size = is_forward ? c.out_size : c.in_size;
  const auto &in_strides = is_forward ? c.src_strides : c.dst_strides,
             &out_strides = is_forward ? c.dst_strides : c.src_strides;
  s.batch = c.batch;
  s.in_channels = is_forward ? c.in_channels : c.out_channels;
  s.out_channels = is_forward ? c.out_channels : c.in_channels;
  s.in_height = in_size[0], s.in_width = in_size[1], s.out_height = out_size[0], s.out_width = out_size[1];
  s.src_batch = in_strides[0], s.src_row = in_strides[2], s.src_column = in_strides[3];
  s.dst_batch = out_strides[0], s.dst_row = out_strides[2], s.dst_column = out_strides[3];
  s.pad_top = c.pad_low[0], s.pad_left = c.pad_low[1];
  kernel->weights_out = c.weights_strides[0], kernel->weights_in = c.weights_strides[1];
  kernel->weights_row = c.weights_strides[2], kernel->weights_column = c.weights_strides[3];
  if (!is_forward) {
    // The same sum over the window turned around.
    s.pad_top = 2 - s.pad_top, s.pad_left = 2 - s.pad_left;
    std::swap(kernel->weights_out, kernel->weights_in);
    kernel->weights_offset = 2 * kernel->weights_row + 2 * kernel->weights_column;
    kernel->weights_row = -kernel->weights_row, kernel->weights_column = -kernel->weights_column;
  }
  kernel->channel_ops = c.channel_ops;
  if (c.has_bias) kernel->channel_ops.insert(kernel->channel_ops.begin(), ChannelOp::kAdd);
  kernel->has_addend = c.has_addend, kernel->has_relu = c.has_relu;
  kernel->parts = std::max<int64_t>(1, std::min<int64_t>(options.partitions, s.tiles() / kRowStep));
  const int64_t tile_bytes = kPoints * (s.in_channels + s.out_channels) * static_cast<int64_t>(sizeof(float));
  const int64_t share = (s.tiles() + kernel->parts - 1) / kernel->parts;
  const bool is_streamed = static_cast<int64_t>(kernel->packed_bytes()) > kWeightsAtHand;
  const int64_t wanted =
      std::clamp(kBytesAtOnce / tile_bytes, is_streamed ? kFewestStreamed : kFewestTiles, kMostTiles);
  const int64_t runs = (share + wanted - 1) / wanted;
  kernel->capacity = ((share + runs - 1) / runs + kRowStep - 1) / kRowStep * kRowStep;
  kernel->zeros.assign(static_cast<size_t>(s.in_channels), Element{0});
  if (c.constant_weights) {
    kernel->packed.reset(static_cast<float*>(std::aligned_alloc(64, kernel->packed_bytes())));
    if (!kernel->packed) throw std::bad_alloc();
    if (!kernel->pack_weights(c.constant_weights, kernel->packed.get())) {
      reason = "a weight is not finite or above 1e15";
      return nullptr;
    }
  }
  kernel->direct = std::move(direct);
  return kernel;
}

}  // namespace

std::string why_no_winograd(const ConvolutionDesc& c, const KernelOptions& options) {
  if (c.type != ElementType::kF32 && c.type != ElementType::kBF16)
    return "element type " + std::string(name(c.type)) + " is not f32 or bf16";
  if (c.is_exact) return "precision above DEFAULT was asked for";
  if (c.spatial_rank() != 2) return number(c.spatial_rank()) + " spatial dimensions, not 2";
  if (c.groups != 1) return "groups";
  for (size_t d = 0; d < 2; ++d)
    if (c.kernel_size[d] != 3 || c.stride[d] != 1 || c.dilation[d] != 1)
      return "the window is not 3x3 with stride and dilation 1";
  if (c.in_channels % kLanes != 0 || c.out_channels % kLanes != 0)
    return "channels " + number(c.in_channels) + " and " + number(c.out_channels) + " are not multiples of 16";
  if (c.src_strides[1] != 1 || c.dst_strides[1] != 1) return "activations are not channels-last";
  const int64_t tiles = c.batch * ((c.out_size[0] + 3) / 4) * ((c.out_size[1] + 3) / 4);
  // Weights that are given at each call are transformed at each call.
  const int64_t fewest = c.constant_weights ? 16 : 64;
  if (!options.is_size_ignored && tiles < fewest)
    return "too few tiles (" + number(tiles) + ", below " + number(fewest) + ") to be faster";
  if (c.channel_ops.size() + (c.has_bias ? 1 : 0) > vectors::kMostChannelOps) return "too many ops on channels";
  if (options.partitions > winograd::kMaxParts) return "more than 256 partitions";
  if (!winograd::is_supported()) return "this CPU has no AVX-512";
  if (!options.is_size_ignored && c.type == ElementType::kBF16 && cells::best_engine(2) == cells::Engine::kAmx)
    return "AMX is faster";
  return {};
}

std::unique_ptr<LibraryKernel> make_winograd(const ConvolutionDesc& c, const KernelOptions& options,
                                             std::unique_ptr<LibraryKernel>& direct, std::string& reason) {
  reason = c.direction == ConvolutionDirection::kBackwardWeights ? "gradient of weights" : why_no_winograd(c, options);
  if (!reason.empty()) return nullptr;
  return c.type == ElementType::kF32 ? make<float>(c, options, direct, reason)
                                     : make<uint16_t>(c, options, direct, reason);
}

}  // namespace weft::native
