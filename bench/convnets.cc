// Forward passes of convolutional networks (VGG19, ResNet-50, U-Net) against a peer, in alternating blocks; weights are
// random constants of the program, made by the same rule in bench/torch_convnets.py.
//
//   convnets MODEL [--bf16] [--nchw] [--highest] [--arguments] [--gradient] [--batch N] [--size N] [--blocks N] [--runs N] [--disable PASS]…
//            [--explain] [--write DIR] [PEER_COMMAND…]
//
// --write puts the program into DIR/one.mlir and its arguments, weights included, into DIR/arg0, …, and ends. --size: pixels along a side.
// --arguments passes the weights at each call instead of holding them as constants; --gradient computes the gradient of the mean square of
// the results by all of them. With a peer, the last lines are the
// normwise distance of image 0's result from a float64 computation and `convnets ratio R`: our time over the peer's.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/median.h"
#include "bench/peer_process.h"
#include "ir/target.h"
#include "ops/builder.h"
#include "text/print.h"
#include "transform/gradient.h"

namespace {

using namespace weft;

struct Options {
  std::string model = "vgg19";
  bool is_bf16 = false, is_nchw = false, is_highest = false, has_arguments = false, has_gradient = false,
       explains = false;
  int64_t batch = 8, size = 0;
  std::string folder;
  int blocks = 5, runs = 5;
  std::vector<std::string> disabled, peer;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Element i of stream s: uniform in (-1/2, 1/2) by a hash of both.
float noise(uint32_t stream, uint32_t i) {
  uint32_t x = i * 0x9E3779B9u + stream * 0x85EBCA6Bu;
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return static_cast<float>(x >> 8) * 0x1p-24f - 0.5f;
}

uint16_t bf16_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

Tensor random_tensor(ElementType type, const Shape& shape, uint32_t stream, float scale, float shift) {
  Tensor t(type, shape);
  for (int64_t i = 0; i < t.size(); ++i) {
    const float value = noise(stream, static_cast<uint32_t>(i)) * scale + shift;
    if (type == ElementType::kF32) static_cast<float*>(t.raw())[i] = value;
    else static_cast<uint16_t*>(t.raw())[i] = bf16_of(value);
  }
  return t;
}

/// Writes a network into @main. Activations are NHWC or NCHW, windows HWIO.
class Network {
 public:
  Network(const Options& options, Function& function)
      : options_(options),
        b_(function, function.body()),
        type_(options.is_bf16 ? ElementType::kBF16 : ElementType::kF32) {}

  Value input(int64_t usual_size, int64_t channels) {
    const int64_t size = options_.size > 0 ? options_.size : usual_size;
    const float std3 = std::sqrt(12.0f);
    const Shape shape = image_shape(size, channels);
    Tensor nhwc = random_tensor(type_, {options_.batch, size, size, channels}, stream_++, std3, 0);
    if (options_.is_nchw) {
      Tensor t(type_, shape);
      const size_t width = byte_size(type_);
      for (int64_t n = 0; n < options_.batch; ++n)
        for (int64_t at = 0; at < size * size; ++at)
          for (int64_t c = 0; c < channels; ++c)
            std::memcpy(static_cast<char*>(t.raw()) + ((n * channels + c) * size * size + at) * width,
                        static_cast<char*>(nhwc.raw()) + ((n * size * size + at) * channels + c) * width, width);
      nhwc = t;
    }
    return argument(nhwc);
  }

  Value convolution(Value x, int64_t out, int64_t window, int64_t stride, int64_t padding) {
    const int64_t in = channels(x);
    const float scale = std::sqrt(12.0f) * std::sqrt(2.0f / static_cast<float>(window * window * in));
    const Value w = parameter({window, window, in, out}, scale, 0);
    ConvolutionAttrs a;
    a.window_strides = {stride, stride};
    a.padding = {padding, padding, padding, padding};
    a.kernel_spatial = {0, 1};
    a.kernel_input_feature = 2, a.kernel_output_feature = 3;
    a.input_feature = a.output_feature = feature();
    a.input_spatial = a.output_spatial = {spatial(), spatial() + 1};
    Attrs attrs = a.attrs();
    if (options_.is_highest) attrs.set("precision_config", AttrList{Attr("HIGHEST"), Attr("HIGHEST")});
    return b_.make("stablehlo.convolution", {x, w}, attrs, Type());
  }
  Value per_channel(Value x, float scale, float shift) {
    const int64_t dims[] = {feature()};
    return b_.broadcast_in_dim(parameter({channels(x)}, scale, shift), dims, b_.type(x).shape());
  }
  Value bias(Value x) { return b_.add(x, per_channel(x, 0.1f, 0.01f)); }
  /// Batch normalisation at inference: scale and shift by channel.
  Value norm(Value x) {
    const Value scaled = b_.multiply(x, per_channel(x, 0.2f, 1.0f));  // the scale's noise comes first, as in the peer's
    return b_.add(scaled, per_channel(x, 0.2f, 0.0f));
  }
  Value relu(Value x) { return b_.maximum(x, b_.splat(b_.type(x), 0)); }
  Value max_pool(Value x, int64_t window, int64_t stride, int64_t padding) {
    WindowAttrs w;
    w.dimensions = w.strides = {1, 1, 1, 1};
    w.padding = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int64_t d = spatial(); d < spatial() + 2; ++d) {
      w.dimensions[d] = window, w.strides[d] = stride;
      w.padding[2 * d] = w.padding[2 * d + 1] = padding;
    }
    return b_.reduce_window(x, b_.scalar(type_, -INFINITY), w, "stablehlo.maximum");
  }
  /// Each pixel becomes 2x2.
  Value upsample(Value x) {
    const Shape s(b_.type(x).shape().begin(), b_.type(x).shape().end());
    const auto d = static_cast<size_t>(spatial());
    Shape wide = s, out = s;
    wide.insert(wide.begin() + static_cast<ptrdiff_t>(d) + 2, 2);
    wide.insert(wide.begin() + static_cast<ptrdiff_t>(d) + 1, 2);
    out[d] *= 2, out[d + 1] *= 2;
    const std::vector<int64_t> dims =
        options_.is_nchw ? std::vector<int64_t>{0, 1, 2, 4} : std::vector<int64_t>{0, 1, 3, 5};
    return b_.reshape(b_.broadcast_in_dim(x, dims, wide), out);
  }
  Value concatenate(Value x, Value y) {
    const Value both[] = {x, y};
    return b_.concatenate(both, feature());
  }
  Value add(Value x, Value y) { return b_.add(x, y); }
  Value mean_pool(Value x) {
    const int64_t dims[] = {spatial(), spatial() + 1};
    const Value sum = b_.reduce(x, dims, "stablehlo.add");
    return b_.multiply(
        sum, b_.splat(b_.type(sum), 1.0 / static_cast<double>(b_.type(x).dim(dims[0]) * b_.type(x).dim(dims[1]))));
  }
  /// Rows of pixels and channels, channels fastest.
  Value flatten(Value x) {
    const int64_t order[] = {0, 2, 3, 1};
    if (options_.is_nchw) x = b_.transpose(x, order);
    const int64_t shape[] = {options_.batch, b_.type(x).num_elements() / options_.batch};
    return b_.reshape(x, shape);
  }
  Value dense(Value x, int64_t out) {
    const int64_t in = b_.type(x).dim(1), dims[] = {1};
    const Value w = parameter({in, out}, std::sqrt(12.0f) * std::sqrt(2.0f / static_cast<float>(in)), 0);
    const Value y = b_.dot_general(x, w, DotDims{{}, {}, {1}, {0}});
    return b_.add(y, b_.broadcast_in_dim(parameter({out}, 0.1f, 0.01f), dims, b_.type(y).shape()));
  }
  void finish(Value y) {
    Value out = b_.convert(y, ElementType::kF32);
    if (options_.has_gradient) {
      const double count = static_cast<double>(b_.type(out).num_elements());
      std::vector<int64_t> all;
      for (int64_t d = 0; d < b_.type(out).rank(); ++d) all.push_back(d);
      out =
          b_.multiply(b_.reduce(b_.multiply(out, out), all, "stablehlo.add"), b_.scalar(ElementType::kF32, 1 / count));
    }
    b_.yield({&out, 1});
  }
  std::vector<Tensor> arguments;

 private:
  Shape image_shape(int64_t size, int64_t channels) const {
    if (options_.is_nchw) return {options_.batch, channels, size, size};
    return {options_.batch, size, size, channels};
  }
  int64_t feature() const { return options_.is_nchw ? 1 : 3; }
  int64_t spatial() const { return options_.is_nchw ? 2 : 1; }
  int64_t channels(Value x) const { return b_.type(x).dim(feature()); }
  Value argument(const Tensor& t) {
    arguments.push_back(t);
    return b_.function().add_arg(b_.function().body(), Type::tensor(t.element_type(), t.shape()));
  }
  Value parameter(const Shape& shape, float scale, float shift) {
    const Tensor t = random_tensor(type_, shape, stream_++, scale, shift);
    return options_.has_arguments ? argument(t) : b_.constant(Literal::dense(t));
  }

  const Options& options_;
  OpBuilder b_;
  ElementType type_;
  uint32_t stream_ = 0;
};

void vgg19(Network& n) {
  Value x = n.input(224, 3);
  for (int out : {64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0})
    x = out == 0 ? n.max_pool(x, 2, 2, 0) : n.relu(n.bias(n.convolution(x, out, 3, 1, 1)));
  x = n.flatten(x);
  x = n.relu(n.dense(x, 4096));
  x = n.relu(n.dense(x, 4096));
  n.finish(n.dense(x, 1000));
}

void resnet50(Network& n) {
  Value x = n.max_pool(n.relu(n.norm(n.convolution(n.input(224, 3), 64, 7, 2, 3))), 3, 2, 1);
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t width = int64_t{64} << stage;
    for (int block = 0; block < blocks[stage]; ++block) {
      const int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      Value y = n.relu(n.norm(n.convolution(x, width, 1, 1, 0)));
      y = n.relu(n.norm(n.convolution(y, width, 3, stride, 1)));
      y = n.norm(n.convolution(y, width * 4, 1, 1, 0));
      if (block == 0) x = n.norm(n.convolution(x, width * 4, 1, stride, 0));
      x = n.relu(n.add(y, x));
    }
  }
  n.finish(n.dense(n.mean_pool(x), 1000));
}

void unet(Network& n) {
  const auto pair = [&](Value x, int64_t width) {
    for (int i = 0; i < 2; ++i) x = n.relu(n.bias(n.convolution(x, width, 3, 1, 1)));
    return x;
  };
  std::vector<Value> skips;
  Value x = n.input(256, 3);
  for (int64_t width : {32, 64, 128, 256}) {
    skips.push_back(pair(x, width));
    x = n.max_pool(skips.back(), 2, 2, 0);
  }
  x = pair(x, 512);
  for (int64_t width : {256, 128, 64, 32}) {
    x = n.convolution(n.upsample(x), width, 3, 1, 1);
    x = pair(n.concatenate(skips.back(), x), width);
    skips.pop_back();
  }
  n.finish(n.bias(n.convolution(x, 2, 1, 1, 0)));
}

Options parse(int argc, char** argv) {
  Options o;
  int at = 1;
  if (at < argc && argv[at][0] != '-') o.model = argv[at++];
  for (; at < argc; ++at) {
    const std::string word = argv[at];
    const auto next = [&] {
      if (at + 1 >= argc) throw std::runtime_error(word + " needs a value");
      return std::string(argv[++at]);
    };
    if (word == "--bf16") o.is_bf16 = true;
    else if (word == "--nchw") o.is_nchw = true;
    else if (word == "--highest") o.is_highest = true;
    else if (word == "--arguments") o.has_arguments = true;
    else if (word == "--gradient") o.has_gradient = o.has_arguments = true;
    else if (word == "--explain") o.explains = true;
    else if (word == "--batch") o.batch = std::stoll(next());
    else if (word == "--size") o.size = std::stoll(next());
    else if (word == "--write") o.folder = next(), o.has_arguments = true;
    else if (word == "--blocks") o.blocks = std::stoi(next());
    else if (word == "--runs") o.runs = std::stoi(next());
    else if (word == "--disable") o.disabled.push_back(next());
    else break;
  }
  o.peer.assign(argv + at, argv + argc);
  return o;
}

void write(const Module& module, const std::vector<Tensor>& arguments, const std::string& folder) {
  write_file(folder + "/one.mlir", print_module(module));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& t = arguments[i];
    write_file(folder + "/arg" + std::to_string(i), std::string(static_cast<const char*>(t.raw()), t.size_bytes()));
  }
}

double distance(const std::vector<double>& want, const float* got) {
  double wrong = 0, all = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    wrong += (want[i] - got[i]) * (want[i] - got[i]);
    all += want[i] * want[i];
  }
  return std::sqrt(wrong / all);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    const Options o = parse(argc, argv);
    auto module = std::make_shared<Module>();
    Function& f = module->add(std::make_unique<Function>("main"));
    Network network(o, f);
    if (o.model == "vgg19") vgg19(network);
    else if (o.model == "resnet50") resnet50(network);
    else if (o.model == "unet") unet(network);
    else throw std::runtime_error("model: got " + o.model + ", expected vgg19, resnet50 or unet");
    if (!o.folder.empty()) {
      write(*module, network.arguments, o.folder);
      return 0;
    }
    if (o.has_gradient) {
      std::vector<size_t> weights(f.args().size() - 1);
      std::iota(weights.begin(), weights.end(), size_t{1});
      gradient(*module, "main", weights, "main", true);
    }
    CompileOptions options;
    options.partitions = 2;
    options.disabled = o.disabled;
    const double begin = now();
    const auto program = get_target("native").compile(module, "main", options);
    std::printf("%s %s %s %s: compiled in %.2f s\n", o.model.c_str(), o.is_bf16 ? "bf16" : "f32",
                o.is_nchw ? "NCHW" : "NHWC", o.is_highest ? "HIGHEST" : "DEFAULT", now() - begin);
    if (o.explains) std::printf("%s", program->explain().c_str());
    std::vector<Tensor> results;
    for (Type type : program->result_types())
      results.emplace_back(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const Tensor& t : network.arguments) in.push_back(t.raw());
    for (Tensor& t : results) out.push_back(t.raw());
    const auto run = [&](int count) {
      std::vector<double> seconds;
      for (int i = 0; i < count; ++i) {
        const double start = now();
        program->invoke(in.data(), out.data());
        seconds.push_back(now() - start);
      }
      return median(seconds);
    };
    run(2);
    std::vector<double> ours, theirs;
    if (o.peer.empty() || o.has_gradient) {
      for (int block = 0; block < o.blocks; ++block) ours.push_back(run(o.runs));
      std::printf("ours %.2f ms (best block %.2f, %d blocks of %d)\n", median(ours) * 1e3,
                  *std::min_element(ours.begin(), ours.end()) * 1e3, o.blocks, o.runs);
      return 0;
    }
    // The settings that help the peer most; see the peers' notes on fresh pages.
    for (const char* name : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"}) setenv(name, "17179869184", 0);
    setenv("MALLOC_TOP_PAD_", "268435456", 0);
    std::vector<std::string> command = o.peer;
    command.insert(command.end(), {o.model, o.is_bf16 ? "bf16" : "f32", std::to_string(o.batch)});
    bench::PeerProcess peer(command);
    std::printf("peer: %s\n", peer.read_line().c_str());
    for (int block = 0; block < o.blocks; ++block) {
      ours.push_back(run(o.runs));
      theirs.push_back(std::stod(peer.ask("run " + std::to_string(o.runs))));
      std::printf("block %d: ours %.2f ms, peer %.2f ms\n", block, ours.back() * 1e3, theirs.back() * 1e3);
    }
    std::istringstream reference(peer.ask("reference"));
    std::vector<double> want;
    for (double x; reference >> x;) want.push_back(x);
    std::printf("distance from float64 (image 0, %zu numbers, normwise): ours %.3g, peer %s\n", want.size(),
                distance(want, static_cast<const float*>(results[0].raw())), peer.ask("distance").c_str());
    std::printf("ours %.2f ms, peer %.2f ms (medians of %d blocks of %d)\n", median(ours) * 1e3, median(theirs) * 1e3,
                o.blocks, o.runs);
    std::printf("convnets ratio %.3f\n", median(ours) / median(theirs));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
