// An input pipeline: decode, crop, flip and normalise one image, then batch; against batch, then the same function of one image over all at once.
// Both give the same values; images per second of each, alternating in one run.
//
// usage: input_pipeline [SECONDS]
//
// Images are made here: luma at full and chroma at half resolution in bytes, as a JPEG decoder leaves them, with a place for the crop and
// whether to flip for each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "weft/symbolic.h"

namespace {

using namespace weft;

struct Image {
  Expr luma, blue, red;  // bytes
  Expr top, left, flip;
};

/// [3, crop, crop] with mean 0 and deviation 1 over a usual set of photographs.
Expr prepared(const Image& image, int64_t crop) {
  const auto plane = [&](const Expr& x) { return dynamic_slice(x, {image.top, image.left}, {crop, crop}); };
  const auto doubled = [](const Expr& x) {
    const int64_t h = x.dim(0), w = x.dim(1);
    return reshape(broadcast_to(reshape(x, {h, 1, w, 1}), {h, 2, w, 2}), {2 * h, 2 * w});
  };
  const Expr y = cast<float>(plane(image.luma)), b = cast<float>(plane(doubled(image.blue))) - 128,
             r = cast<float>(plane(doubled(image.red))) - 128;
  const Expr rgb = stack({y + 1.402F * r, y - 0.344136F * b - 0.714136F * r, y + 1.772F * b}, 0);
  const Expr mean = constant(Tensor::of<float>({123.675F, 116.28F, 103.53F}, {3, 1, 1})),
             deviation = constant(Tensor::of<float>({58.395F, 57.12F, 57.375F}, {3, 1, 1}));
  const Expr x = (clamp(rgb, 0, 255) - mean) / deviation;
  return where(image.flip, reverse(x, {2}), x);
}

template <class T, class Value>
Tensor filled_by(Shape shape, Value value) {
  Tensor t(element_type_of<T>, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<T>()[i] = static_cast<T>(value(i));
  return t;
}

/// Row i of a tensor, in its own memory.
Tensor row(const Tensor& all, int64_t i) {
  Tensor out(all.element_type(), Shape(all.shape().begin() + 1, all.shape().end()));
  std::memcpy(out.raw(), static_cast<const std::byte*>(all.raw()) + static_cast<size_t>(i) * out.size_bytes(),
              out.size_bytes());
  return out;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run(int64_t side, int64_t crop, int64_t batch, double seconds) {
  const int64_t half = side / 2, margin = side - crop + 1;
  const Image one{placeholder<uint8_t>({side, side}, "luma"), placeholder<uint8_t>({half, half}, "blue"),
                  placeholder<uint8_t>({half, half}, "red"),  placeholder<int32_t>({}, "top"),
                  placeholder<int32_t>({}, "left"),           placeholder<bool>({}, "flip")};
  const CompiledGraph map = function({one.luma, one.blue, one.red, one.top, one.left, one.flip}, {prepared(one, crop)},
                                     {}, {.partitions = 1});
  const CompiledGraph vectorized = map.batched();

  const std::vector<Tensor> data = {
      filled_by<uint8_t>({batch, side, side}, [&](int64_t i) { return (i * 7 + i / side * 13 + i / 997) % 256; }),
      filled_by<uint8_t>({batch, half, half}, [&](int64_t i) { return (i * 3 + i / half * 5) % 256; }),
      filled_by<uint8_t>({batch, half, half}, [&](int64_t i) { return (i * 11 + i / half * 2) % 256; }),
      filled_by<int32_t>({batch}, [&](int64_t i) { return i * 37 % margin; }),
      filled_by<int32_t>({batch}, [&](int64_t i) { return i * 53 % margin; }),
      filled_by<bool>({batch}, [&](int64_t i) { return i * 29 % 7 < 3; })};
  // As a data set hands images out, one by one.
  std::vector<std::vector<Tensor>> images(static_cast<size_t>(batch));
  for (int64_t i = 0; i < batch; ++i) {
    for (const Tensor& t : data) images[static_cast<size_t>(i)].push_back(row(t, i));
  }
  Tensor batched(ElementType::kF32, {batch, 3, crop, crop});
  const size_t bytes = batched.size_bytes() / static_cast<size_t>(batch);
  const auto map_then_batch = [&] {
    auto* to = static_cast<std::byte*>(batched.raw());
    for (const auto& image : images) {
      std::vector<const Tensor*> args;
      for (const Tensor& t : image) args.push_back(&t);
      std::memcpy(to, map.call(args)[0].raw(), bytes);
      to += bytes;
    }
  };
  // What batching costs belongs to it: bytes are gathered before, not floats after.
  std::vector<Tensor> gathered;
  for (const Tensor& t : data) gathered.emplace_back(t.element_type(), t.shape());
  std::vector<const Tensor*> all;
  for (const Tensor& t : gathered) all.push_back(&t);
  Results last;
  const auto batch_then_map = [&] {
    for (size_t k = 0; k < gathered.size(); ++k) {
      auto* to = static_cast<std::byte*>(gathered[k].raw());
      for (const auto& image : images) {
        std::memcpy(to, image[k].raw(), image[k].size_bytes());
        to += image[k].size_bytes();
      }
    }
    last = vectorized.call(all);
  };
  map_then_batch();
  batch_then_map();
  if (std::memcmp(batched.raw(), last[0].raw(), batched.size_bytes()) != 0) {
    std::fprintf(stderr, "input_pipeline: the two orders differ\n");
    std::exit(1);
  }
  double best[2] = {1e300, 1e300};
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int which = 0; which < 2; ++which) {
      const auto start = std::chrono::steady_clock::now();
      which == 0 ? map_then_batch() : batch_then_map();
      best[which] = std::min(best[which], seconds_since(start));
    }
  } while (seconds_since(begin) < seconds);
  const auto n = static_cast<double>(batch);
  std::printf(
      "%lldx%lld to %lldx%lld, batch %lld: map then batch %.0f images/s, batch then map %.0f images/s, %.2f times\n",
      static_cast<long long>(side), static_cast<long long>(side), static_cast<long long>(crop),
      static_cast<long long>(crop), static_cast<long long>(batch), n / best[0], n / best[1], best[0] / best[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  run(40, 32, 256, seconds);
  run(64, 56, 128, seconds);
  run(256, 224, 32, seconds);
}
