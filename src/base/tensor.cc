#include "weft/tensor.h"

#include <cstdlib>
#include <cstring>

#include "base/format.h"
#include "base/memory.h"

namespace weft {

namespace {

/// More elements than this fit in no machine, and their bytes in no 64-bit number.
constexpr int64_t kMaxElements = int64_t{1} << 56;

}  // namespace

int64_t num_elements(std::span<const int64_t> shape) {
  int64_t n = 1;
  bool overflows = false, is_empty = false;
  for (const int64_t d : shape) {
    is_empty = is_empty || d == 0;
    overflows = __builtin_mul_overflow(n, d, &n) || overflows;
  }
  if (is_empty) return 0;
  if (overflows || n > kMaxElements)
    throw UserError("out of memory: a tensor of shape " + format_list(shape) + " has more than 2^56 elements");
  return n;
}

Buffer Buffer::allocate(size_t bytes) {
  const size_t reserved = (bytes + 127) / 64 * 64;
  expect_memory(bytes, "a tensor");
  void* p = std::aligned_alloc(64, reserved);
  if (p == nullptr) throw UserError("out of memory: could not allocate " + std::to_string(bytes) + " bytes");
  Buffer b;
  b.data_ = std::shared_ptr<std::byte>(static_cast<std::byte*>(p), [](std::byte* q) { std::free(q); });
  b.size_ = bytes;
  return b;
}

Buffer Buffer::wrap(void* data, size_t bytes, std::shared_ptr<void> owner) {
  Buffer b;
  b.data_ = std::shared_ptr<std::byte>(std::move(owner), static_cast<std::byte*>(data));
  b.size_ = bytes;
  return b;
}

Tensor::Tensor(ElementType type, Shape shape) : type_(type), shape_(std::move(shape)), count_(num_elements(shape_)) {
  for (int64_t d : shape_) {
    if (d < 0) throw UserError("a tensor's extents must not be negative: got " + format_list(shape_));
  }
  buffer_ = Buffer::allocate(size_bytes());
}

Tensor::Tensor(ElementType type, Shape shape, Buffer buffer)
    : type_(type), shape_(std::move(shape)), count_(num_elements(shape_)), buffer_(std::move(buffer)) {
  if (buffer_.size() < size_bytes()) {
    throw UserError("buffer too small: got " + std::to_string(buffer_.size()) + " bytes, expected " +
                    std::to_string(size_bytes()));
  }
}

Tensor Tensor::zeros(ElementType type, Shape shape) {
  Tensor t(type, std::move(shape));
  std::memset(t.raw(), 0, t.size_bytes());
  return t;
}

Tensor Tensor::clone() const {
  Tensor t(type_, shape_);
  std::memcpy(t.raw(), raw(), size_bytes());
  return t;
}

void Tensor::expect_type(ElementType t) const {
  if (t != type_) {
    throw UserError("tensor element type: got " + std::string(name(type_)) + ", expected " + std::string(name(t)));
  }
}

void Tensor::expect_count(int64_t n) const {
  if (n != count_) {
    throw UserError("tensor of shape " + format_list(shape_) + " has " + std::to_string(count_) +
                    " elements, expected " + std::to_string(n));
  }
}

}  // namespace weft
