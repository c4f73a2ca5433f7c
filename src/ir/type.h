// Types of IR values: tensors, tokens, tuples, stacks, futures, and foreign types that are only carried. Types are interned: equality is a pointer comparison, copies are free, lifetime is the process.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/tensor.h"

namespace weft {

/// Extent not known statically; printed as `?`.
inline constexpr int64_t kDynamic = INT64_MIN;

/// kFuture: what async_start gives. kForeign: a type of MLIR that no Weft value has (`index`, `tensor<*xf32>`, `memref<…>`, plain `f32`); programs
/// with such types parse, print and verify, and are refused where they would run.
enum class TypeKind : uint8_t { kTensor, kToken, kTuple, kStack, kFuture, kForeign };

/// Parameters of a quantized element type (StableHLO specification, "Quantized types"): a stored integer s means (s - zero_point) * scale.
struct Quantization {
  ElementType expressed = ElementType::kF32;
  /// Bounds of the stored integers; the storage type's own unless narrower ones are given.
  int64_t storage_min = 0, storage_max = 0;
  /// The dimension along which the parameters vary; -1 when there is one pair for the tensor.
  int64_t axis = -1;
  std::vector<double> scales;        // one, or one for each position along `axis`
  std::vector<int64_t> zero_points;  // as many
  bool per_axis() const { return axis >= 0; }
  bool operator==(const Quantization&) const = default;
};

struct TypeNode;

class Type {
 public:
  Type() = default;
  static Type tensor(ElementType element, std::span<const int64_t> shape);
  static Type tensor(ElementType element, std::initializer_list<int64_t> shape) {
    return tensor(element, std::span<const int64_t>(shape.begin(), shape.size()));
  }
  /// Elements are integers of type `storage` that stand for real numbers as `quantization` says.
  static Type quantized(ElementType storage, const Quantization& quantization, std::span<const int64_t> shape);
  /// The same tensor type with upper bounds of its dynamic extents: kDynamic where there is none. No bounds, or all kDynamic, is the plain type.
  Type with_bounds(std::span<const int64_t> bounds) const;
  /// The same tensor type with an encoding attribute that Weft gives no meaning to (`#sparse_tensor.encoding<…>`), as written; "" is the plain type.
  Type with_encoding(std::string_view encoding) const;
  static Type future(std::span<const Type> elements);
  static Type foreign(std::string_view spelling);
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
  bool is_future() const { return node_ != nullptr && kind() == TypeKind::kFuture; }
  bool is_foreign() const { return node_ != nullptr && kind() == TypeKind::kForeign; }
  /// A tensor of quantized elements; its element_type is the storage type.
  bool is_quantized() const { return quantization() != nullptr; }
  /// Tensor: the parameters of its elements, null when they are not quantized. Interned: equal parameters have one address.
  const Quantization* quantization() const;
  /// Tensor: an upper bound (kDynamic: none) for each extent; empty when there are no bounds.
  std::span<const int64_t> bounds() const;
  /// Tensor: the encoding as written, "" when there is none.
  std::string_view encoding() const;
  bool is_token() const { return node_ != nullptr && kind() == TypeKind::kToken; }
  /// Tensor only. Of quantized elements the storage type.
  ElementType element_type() const;
  /// MLIR spelling of a tensor's element type, quantization included.
  std::string element_str() const;
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
  /// Tuple and future: element types.
  std::span<const Type> elements() const;

  /// Same shape and bounds, other element type, not quantized.
  Type with_element(ElementType element) const;
  /// Same shape and bounds, elements (quantization included) of `other`.
  Type with_elements_of(Type other) const;
  /// Same elements (quantization included), other shape, no bounds.
  Type with_shape(std::span<const int64_t> shape) const;
  Type with_shape(std::initializer_list<int64_t> shape) const {
    return with_shape(std::span<const int64_t>(shape.begin(), shape.size()));
  }

  /// MLIR spelling: "tensor<2x?xf32>", "tensor<?xf32, #stablehlo.bounds<4>>", "tensor<2x!quant.uniform<i8:f32, 0.5:3>>", "!stablehlo.token", "tuple<…>", "!weft.stack<tensor<f32>>", "!weft.stack<tensor<f32>, [8]>".
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
