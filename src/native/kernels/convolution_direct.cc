#include "native/kernels/convolution_direct.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "native/runtime/parallel.h"

namespace weft::native {

namespace {

// Cells of one run: they should stay in the second-level cache beside the weights of one block of output channels.
constexpr int64_t kBytesAtOnce = int64_t{1} << 20;

// Products below which waking a team takes longer than it saves.
constexpr int64_t kSerialBelow = int64_t{1} << 18;

size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

template <class Element>
class DirectKernel final : public LibraryKernel {
 public:
  cells::Engine engine = cells::Engine::kAvx512;
  cells::Shape shape;
  int64_t weights_out = 0, weights_in = 0, weights_row = 0, weights_column = 0, weights_offset = 0;
  std::vector<ChannelOp> channel_ops;
  bool has_addend = false, has_relu = false;
  int64_t parts = 1;
  int64_t rows = 1, images = 1;  // of a run; one of the two is all there are or 1
  std::vector<int64_t> offsets, last_offsets;
  std::unique_ptr<void, FreeMemory> packed;  // null: weights are an input

  int64_t rows_runs() const { return (shape.out_height + rows - 1) / rows; }
  int64_t runs() const { return (shape.batch + images - 1) / images * rows_runs(); }

  std::string implementation() const override {
    static constexpr const char* kNames[] = {"amx", "avx512_bf16", "avx512", "tiles in software"};
    return std::string(sizeof(Element) == 4 ? "direct f32 " : "direct bf16 ") + kNames[static_cast<int>(engine)];
  }
  size_t part_bytes() const {
    return rounded_up(static_cast<size_t>(images * shape.blocks() * shape.plane_cells(rows) * cells::kCellBytes));
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(parts) * part_bytes() +
           (packed ? 0 : rounded_up(static_cast<size_t>(shape.packed_bytes())));
  }

  void pack_weights(const void* weights, void* to) const {
    const cells::Window<Element> window{static_cast<const Element*>(weights) + weights_offset, weights_out, weights_in,
                                        weights_row, weights_column};
    const int64_t blocks = shape.out_blocks();
    rt::parallel(std::min(parts, blocks), [&](int64_t part, int64_t of) {
      cells::pack(shape, window, blocks * part / of, blocks * (part + 1) / of, to);
    });
  }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    vectors::Epilogue<Element> epilogue;
    int next = 2;
    for (ChannelOp op : channel_ops)
      epilogue.channels[epilogue.channel_ops++] = {op, static_cast<const Element*>(inputs[next++])};
    if (has_addend) epilogue.addend = static_cast<const Element*>(inputs[next++]);
    epilogue.has_relu = has_relu;
    char* free = static_cast<char*>(scratch);
    const void* weights = packed.get();
    if (!weights) {
      pack_weights(inputs[1], free);
      weights = free;
      free += rounded_up(static_cast<size_t>(shape.packed_bytes()));
    }
    const auto* src = static_cast<const Element*>(inputs[0]);
    auto* dst = static_cast<Element*>(outputs[0]);
    rt::parallel(parts, [&](int64_t part, int64_t of) {
      const cells::Prepared prepared(engine);
      char* planes = free + static_cast<size_t>(part) * part_bytes();
      for (int64_t run = runs() * part / of; run < runs() * (part + 1) / of; ++run) {
        const int64_t image = run / rows_runs() * images, row = run % rows_runs() * rows;
        const int64_t num_rows = std::min(rows, shape.out_height - row),
                      num_images = std::min(images, shape.batch - image);
        const int64_t image_bytes = shape.blocks() * shape.plane_cells(num_rows) * cells::kCellBytes;
        for (int64_t n = 0; n < num_images; ++n)
          cells::gather(shape, src, image + n, row, num_rows, planes + n * image_bytes);
        cells::run(engine, shape, planes, (num_rows == rows ? offsets : last_offsets).data(), weights, epilogue, dst,
                   image, num_images, row, num_rows);
      }
    });
    return true;
  }
};

std::string why_not(const ConvolutionDesc& c, const KernelOptions& options) {
  if (c.type != ElementType::kF32 && c.type != ElementType::kBF16)
    return "element type " + std::string(name(c.type)) + " is not f32 or bf16";
  if (c.direction == ConvolutionDirection::kBackwardWeights) return "gradient of weights";
  if (c.spatial_rank() != 2) return std::to_string(c.spatial_rank()) + " spatial dimensions, not 2";
  if (c.groups != 1) return "groups";
  if (c.direction == ConvolutionDirection::kBackwardData && (c.stride[0] != 1 || c.stride[1] != 1))
    return "backward by data with a stride";
  if (c.src_strides[1] != 1 || c.dst_strides[1] != 1) return "activations are not channels-last";
  if (c.channel_ops.size() + (c.has_bias ? 1 : 0) > vectors::kMostChannelOps) return "too many ops on channels";
  for (size_t d = 0; d < 2; ++d)
    if (c.stride[d] > 8) return "stride above 8";
  if (!options.is_size_ignored && c.out_channels < 8) return "too few output channels";
  return {};
}

std::vector<int64_t> tap_offsets(const cells::Shape& s, int64_t rows) {
  std::vector<int64_t> list;
  for (int64_t row = 0; row < s.window_height; ++row)
    for (int64_t column = 0; column < s.tap_columns(); ++column) list.push_back(s.tap_cell(row, column, rows));
  return list;
}

// Rows and images of a run: whole images while they fit, and at least a few runs for each part.
template <class Kernel>
void choose_run(Kernel& k) {
  const cells::Shape& s = k.shape;
  const auto bytes = [&](int64_t rows) { return s.blocks() * s.plane_cells(rows) * cells::kCellBytes; };
  k.rows = s.out_height;
  while (k.rows > 1 && bytes(k.rows) > kBytesAtOnce) k.rows = (k.rows + 1) / 2;
  if (k.rows == s.out_height)
    k.images = std::clamp<int64_t>(std::min(kBytesAtOnce / bytes(k.rows), s.batch / k.parts), 1, s.batch);
  while (k.rows > 4 && k.images == 1 && k.runs() < 2 * k.parts) k.rows = (k.rows + 1) / 2;
  // Equal shares of the height.
  k.rows = (s.out_height + k.rows_runs() - 1) / k.rows_runs();
}

template <class Element>
std::unique_ptr<LibraryKernel> make(const ConvolutionDesc& c, const KernelOptions& options, cells::Engine engine) {
  auto kernel = std::make_unique<DirectKernel<Element>>();
  kernel->engine = engine;
  cells::Shape& s = kernel->shape;
  const bool is_forward = c.direction == ConvolutionDirection::kForward;
  const auto &in_size = is_forward ? c.in_size : c.out_size, &out_size = is_forward ? c.out_size : c.in_size;
  const auto &in_strides = is_forward ? c.src_strides : c.dst_strides,
             &out_strides = is_forward ? c.dst_strides : c.src_strides;
  s.element_bytes = sizeof(Element);
  s.batch = c.batch;
  s.in_channels = is_forward ? c.in_channels : c.out_channels;
  s.out_channels = is_forward ? c.out_channels : c.in_channels;
  s.in_height = in_size[0], s.in_width = in_size[1], s.out_height = out_size[0], s.out_width = out_size[1];
  s.window_height = c.kernel_size[0], s.window_width = c.kernel_size[1];
  s.stride_y = c.stride[0], s.stride_x = c.stride[1], s.dilation_y = c.dilation[0], s.dilation_x = c.dilation[1];
  s.pad_top = c.pad_low[0], s.pad_left = c.pad_low[1];
  s.src_batch = in_strides[0], s.src_row = in_strides[2], s.src_column = in_strides[3];
  s.dst_batch = out_strides[0], s.dst_row = out_strides[2], s.dst_column = out_strides[3];
  kernel->weights_out = c.weights_strides[0], kernel->weights_in = c.weights_strides[1];
  kernel->weights_row = c.weights_strides[2], kernel->weights_column = c.weights_strides[3];
  if (!is_forward) {
    // The same sum over the window turned around.
    s.pad_top = (s.window_height - 1) * s.dilation_y - s.pad_top;
    s.pad_left = (s.window_width - 1) * s.dilation_x - s.pad_left;
    std::swap(kernel->weights_out, kernel->weights_in);
    kernel->weights_offset =
        (s.window_height - 1) * kernel->weights_row + (s.window_width - 1) * kernel->weights_column;
    kernel->weights_row = -kernel->weights_row, kernel->weights_column = -kernel->weights_column;
  }
  kernel->channel_ops = c.channel_ops;
  if (c.has_bias) kernel->channel_ops.insert(kernel->channel_ops.begin(), ChannelOp::kAdd);
  kernel->has_addend = c.has_addend, kernel->has_relu = c.has_relu;
  const int64_t products =
      s.batch * s.out_height * s.out_width * s.out_channels * s.in_channels * s.window_height * s.window_width;
  kernel->parts = products < kSerialBelow ? 1 : std::clamp<int64_t>(options.partitions, 1, s.batch * s.out_height);
  choose_run(*kernel);
  kernel->parts = std::min(kernel->parts, kernel->runs());
  kernel->offsets = tap_offsets(s, kernel->rows);
  const int64_t last = s.out_height - (kernel->rows_runs() - 1) * kernel->rows;
  kernel->last_offsets = tap_offsets(s, last);
  if (c.constant_weights) {
    kernel->packed.reset(std::aligned_alloc(64, rounded_up(static_cast<size_t>(s.packed_bytes()))));
    if (!kernel->packed) throw std::bad_alloc();
    kernel->pack_weights(c.constant_weights, kernel->packed.get());
  }
  return kernel;
}

}  // namespace

std::unique_ptr<LibraryKernel> make_convolution_direct(const ConvolutionDesc& c, const KernelOptions& options,
                                                       cells::Engine engine, std::string& reason) {
  reason = why_not(c, options);
  if (!reason.empty()) return nullptr;
  return c.type == ElementType::kF32 ? make<float>(c, options, engine) : make<uint16_t>(c, options, engine);
}

}  // namespace weft::native
