// Host tensors: a dense row-major array of any rank, its memory shared by reference count and 64-byte aligned.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/element_type.h"
#include "weft/error.h"
#include "weft/number.h"

namespace weft {

using Shape = std::vector<int64_t>;

/// Product of the extents; 1 for rank 0.
int64_t num_elements(std::span<const int64_t> shape);

/// Reference-counted bytes, aligned to 64 bytes when allocated here. Copying a Buffer shares the bytes.
class Buffer {
 public:
  Buffer() = default;
  /// Uninitialised bytes; the reservation is a whole number of cache lines, at least one, so vector code may touch a whole line.
  static Buffer allocate(size_t bytes);
  /// Memory of the caller's; `owner` keeps it alive.
  static Buffer wrap(void* data, size_t bytes, std::shared_ptr<void> owner);
  std::byte* data() const { return data_.get(); }
  size_t size() const { return size_; }
  bool unique() const { return data_.use_count() == 1; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  std::shared_ptr<std::byte> data_;
  size_t size_ = 0;
};

/// A dense row-major array. Copying shares memory; `clone` copies it.
class Tensor {
 public:
  Tensor() = default;
  /// Uninitialised elements.
  Tensor(ElementType type, Shape shape);
  Tensor(ElementType type, Shape shape, Buffer buffer);

  /// Elements in row-major order. Throws UserError when their number does not fit the shape.
  template <class T>
  static Tensor of(const std::vector<T>& values, Shape shape) {
    Tensor t(element_type_of<T>, std::move(shape));
    t.expect_count(static_cast<int64_t>(values.size()));
    T* out = t.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
    return t;
  }
  template <class T>
  static Tensor scalar_of(T value) {
    Tensor t(element_type_of<T>, {});
    *t.mutable_data<T>() = value;
    return t;
  }
  /// All bytes zero.
  static Tensor zeros(ElementType type, Shape shape);

  ElementType element_type() const { return type_; }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return count_; }
  size_t size_bytes() const { return static_cast<size_t>(count_) * byte_size(type_); }
  const Buffer& buffer() const { return buffer_; }
  void* raw() const { return buffer_.data(); }

  /// Typed view. Throws UserError when T is not the element type.
  template <class T>
  std::span<const T> data() const {
    expect_type(element_type_of<T>);
    return {reinterpret_cast<const T*>(buffer_.data()), static_cast<size_t>(count_)};
  }
  template <class T>
  T* mutable_data() {
    expect_type(element_type_of<T>);
    return reinterpret_cast<T*>(buffer_.data());
  }
  /// The only element. Throws UserError when there is not exactly one.
  template <class T>
  T scalar() const {
    expect_count(1);
    return data<T>()[0];
  }
  Tensor clone() const;
  explicit operator bool() const { return static_cast<bool>(buffer_); }

 private:
  void expect_type(ElementType t) const;
  void expect_count(int64_t n) const;
  ElementType type_ = ElementType::kF32;
  Shape shape_;
  int64_t count_ = 0;
  Buffer buffer_;
};

}  // namespace weft
