// Types of IR values: tensors, tokens, tuples and stacks. Types are interned: equality is a pointer comparison, copies are free, lifetime is the process.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "weft/tensor.h"

namespace weft {

/// Extent not known statically; printed as `?`.
inline constexpr int64_t kDynamic = INT64_MIN;

enum class TypeKind : uint8_t { kTensor, kToken, kTuple, kStack };

struct TypeNode;

class Type {
 public:
  Type() = default;
  static Type tensor(ElementType element, std::span<const int64_t> shape);
  static Type tensor(ElementType element, std::initializer_list<int64_t> shape) {
    return tensor(element, std::span<const int64_t>(shape.begin(), shape.size()));
  }
  static Type scalar(ElementType element) { return tensor(element, std::span<const int64_t>()); }
  static Type token();
  static Type tuple(std::span<const Type> elements);
  /// A last-in first-out store of values of type `element`; with `lanes` one such store for each lane (extents of the leading lane axes).
  static Type stack(Type element, std::span<const int64_t> lanes = {});

  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Type&) const = default;
  const void* key() const { return node_; }

  TypeKind kind() const;
  bool is_tensor() const { return node_ != nullptr && kind() == TypeKind::kTensor; }
  bool is_stack() const { return node_ != nullptr && kind() == TypeKind::kStack; }
  bool is_token() const { return node_ != nullptr && kind() == TypeKind::kToken; }
  /// Tensor only.
  ElementType element_type() const;
  /// Tensor: extents. Stack: lane extents.
  std::span<const int64_t> shape() const;
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  int64_t dim(int64_t axis) const { return shape()[static_cast<size_t>(axis)]; }
  bool is_static() const;
  /// Product of extents; InternalError when not static.
  int64_t num_elements() const;
  size_t num_bytes() const { return static_cast<size_t>(num_elements()) * byte_size(element_type()); }
  bool is_scalar() const { return is_tensor() && rank() == 0; }
  /// Stack: the type of one pushed value.
  Type stacked() const;
  /// Tuple: element types.
  std::span<const Type> elements() const;

  /// Same shape, other element type.
  Type with_element(ElementType element) const { return tensor(element, shape()); }
  /// Same element type, other shape.
  Type with_shape(std::span<const int64_t> shape) const { return tensor(element_type(), shape); }
  Type with_shape(std::initializer_list<int64_t> shape) const { return tensor(element_type(), shape); }

  /// MLIR spelling: "tensor<2x?xf32>", "!stablehlo.token", "tuple<…>", "!weft.stack<tensor<f32>>", "!weft.stack<tensor<f32>, [8]>".
  std::string str() const;

 private:
  explicit Type(const TypeNode* node) : node_(node) {}
  const TypeNode* node_ = nullptr;
};

}  // namespace weft

template <>
struct std::hash<weft::Type> {
  size_t operator()(const weft::Type& t) const { return std::hash<const void*>()(t.key()); }
};
