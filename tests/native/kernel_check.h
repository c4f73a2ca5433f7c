// Operands of kernel tests: strided tensors in f32, bf16 or f64, random layouts, comparison with sums in double.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "native/kernels/library_kernel.h"
#include "weft/element_type.h"

namespace weft::native::test {

using Dims = std::vector<int64_t>;

inline int64_t pick(std::mt19937& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// Strides of a random order of the dimensions, now and then with gaps.
inline Dims random_strides(const Dims& dims, std::mt19937& random, bool has_gaps) {
  std::vector<size_t> order(dims.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Dims strides(dims.size());
  int64_t step = 1;
  for (size_t d : order) {
    strides[d] = step;
    step *= dims[d];
    if (has_gaps && pick(random, 0, 2) == 0) step += pick(random, 1, 5);
  }
  return strides;
}

inline Dims row_major(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

/// Batch, channels, spatial... with channels fastest.
inline Dims channels_last(const Dims& dims) {
  Dims strides(dims.size(), 1);
  int64_t step = dims[1];
  for (size_t d = dims.size(); d-- > 2; step *= dims[d]) strides[d] = step;
  strides[0] = step;
  return strides;
}

inline void for_each_index(const Dims& dims, const std::function<void(const Dims&)>& visit) {
  for (int64_t extent : dims)
    if (extent == 0) return;
  Dims index(dims.size(), 0);
  for (;;) {
    visit(index);
    size_t d = dims.size();
    while (d-- > 0) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

inline uint16_t bf16_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float bf16_value(uint16_t half) {
  uint32_t bits = uint32_t{half} << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// A tensor in its own memory at given strides, with guard elements behind it.
class Operand {
 public:
  Operand(ElementType type, Dims dims, Dims strides)
      : type_(type), dims_(std::move(dims)), strides_(std::move(strides)) {
    int64_t span = 1;
    for (size_t d = 0; d < dims_.size(); ++d) span += (std::max<int64_t>(dims_[d], 1) - 1) * strides_[d];
    bytes_.assign((span + kGuard) * byte_size(type), 0x5a);
  }
  void* data() { return bytes_.data(); }
  const Dims& dims() const { return dims_; }
  const Dims& strides() const { return strides_; }

  double get(const Dims& index) const {
    const char* at = bytes_.data() + offset(index) * byte_size(type_);
    switch (type_) {
      case ElementType::kF32: return load<float>(at);
      case ElementType::kBF16: return bf16_value(load<uint16_t>(at));
      default: return load<double>(at);
    }
  }
  void set(const Dims& index, double value) {
    char* at = bytes_.data() + offset(index) * byte_size(type_);
    switch (type_) {
      case ElementType::kF32: return store(at, static_cast<float>(value));
      case ElementType::kBF16: return store(at, bf16_bits(static_cast<float>(value)));
      default: return store(at, value);
    }
  }
  void fill(std::mt19937& random) {
    std::uniform_real_distribution<double> numbers(-1, 1);
    for_each_index(dims_, [&](const Dims& index) { set(index, numbers(random)); });
  }
  bool is_guard_whole() const {
    size_t size = kGuard * byte_size(type_);
    return std::all_of(bytes_.end() - static_cast<ptrdiff_t>(size), bytes_.end(),
                       [](char byte) { return byte == 0x5a; });
  }

 private:
  static constexpr int64_t kGuard = 16;
  template <class Number>
  static Number load(const char* at) {
    Number value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  template <class Number>
  static void store(char* at, Number value) {
    std::memcpy(at, &value, sizeof value);
  }
  int64_t offset(const Dims& index) const {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides_[d];
    return at;
  }
  ElementType type_;
  Dims dims_, strides_;
  std::vector<char> bytes_;
};

/// A sum in double and the sum of the magnitudes of its terms, which bounds the rounding of any order of summation.
struct Sum {
  double value = 0, magnitude = 0;
  void add(double term) {
    value += term;
    magnitude += std::fabs(term);
  }
};

inline bool is_close(double got, const Sum& want, ElementType type) {
  if (std::isnan(want.value)) return std::isnan(got);
  if (std::isinf(want.value)) return got == want.value;
  double tolerance = type == ElementType::kF64 ? 1e-14 * want.magnitude : 2e-6 * want.magnitude;
  if (type == ElementType::kBF16) tolerance += std::fabs(want.value) / 250;
  return std::fabs(got - want.value) <= tolerance;
}

inline std::string reason(const KernelChoice& choice) {
  std::string text;
  for (const Refusal& refusal : choice.refused) text += refusal.implementation + ": " + refusal.reason + "\n";
  return text;
}

/// 64-byte aligned scratch of exactly the size asked for, so that ASan sees writes past it.
class Scratch {
 public:
  explicit Scratch(size_t bytes) : data_(std::aligned_alloc(64, std::max<size_t>(bytes, 64))) {
    std::memset(data_, 0x7f, std::max<size_t>(bytes, 64));
  }
  ~Scratch() { std::free(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() { return data_; }

 private:
  void* data_;
};

}  // namespace weft::native::test
