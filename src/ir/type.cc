#include "ir/type.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "base/format.h"

namespace weft {

struct TypeNode {
  TypeKind kind;
  ElementType element = ElementType::kF32;
  Shape shape;
  std::vector<Type> elements;  // tuple, future: all; stack: the stacked type
  const Quantization* quantization = nullptr;
  Shape bounds;          // as many as `shape`, or none
  std::string spelling;  // foreign type: all of it; tensor: its encoding
  bool operator==(const TypeNode&) const = default;
};

namespace {

struct NodeHash {
  size_t operator()(const TypeNode& n) const {
    size_t h = static_cast<size_t>(n.kind) * 31 + static_cast<size_t>(n.element);
    for (int64_t d : n.shape) h = h * 0x9e3779b97f4a7c15u + static_cast<size_t>(d);
    for (Type t : n.elements) h = h * 0x9e3779b97f4a7c15u + std::hash<Type>()(t);
    h = h * 0x9e3779b97f4a7c15u + std::hash<const void*>()(n.quantization);
    for (int64_t d : n.bounds) h = h * 0x9e3779b97f4a7c15u + static_cast<size_t>(d);
    return n.spelling.empty() ? h : h ^ std::hash<std::string>()(n.spelling);
  }
};

struct QuantizationHash {
  size_t operator()(const Quantization& q) const {
    size_t h = static_cast<size_t>(q.expressed) * 31 + static_cast<size_t>(q.axis);
    h = (h * 31 + static_cast<size_t>(q.storage_min)) * 31 + static_cast<size_t>(q.storage_max);
    for (double s : q.scales) h = h * 0x9e3779b97f4a7c15u + std::hash<double>()(s);
    for (int64_t z : q.zero_points) h = h * 0x9e3779b97f4a7c15u + static_cast<size_t>(z);
    return h;
  }
};

// Threads compile concurrently; the sets are node-based, so addresses stay.
template <class Hash, class T>
const T* intern(T value) {
  static std::mutex* mutex = new std::mutex;
  static auto* values = new std::unordered_map<T, char, Hash>;
  std::lock_guard lock(*mutex);
  return &values->try_emplace(std::move(value)).first->first;
}

const TypeNode* intern_node(TypeNode node) { return intern<NodeHash>(std::move(node)); }

TypeNode tensor_node(ElementType element, std::span<const int64_t> shape) {
  TypeNode node;
  node.kind = TypeKind::kTensor;
  node.element = element;
  node.shape.assign(shape.begin(), shape.end());
  return node;
}

TypeNode node_of(TypeKind kind, std::span<const Type> elements) {
  TypeNode node;
  node.kind = kind;
  node.elements.assign(elements.begin(), elements.end());
  return node;
}

// MLIR's floats have a point.
std::string with_point(std::string number) {
  if (number.find('.') != std::string::npos) return number;
  const size_t exponent = number.find('e');
  return number.insert(exponent == std::string::npos ? number.size() : exponent, ".0");
}

std::string joined(std::span<const Type> types) {
  std::string out;
  for (size_t i = 0; i < types.size(); ++i) out += (i ? ", " : "") + types[i].str();
  return out;
}

[[noreturn]] void wrong_kind(const Type& t, const char* wanted) {
  throw InternalError("type " + t.str() + " is not a " + wanted);
}

}  // namespace

Type Type::tensor(ElementType element, std::span<const int64_t> shape) {
  return Type(intern_node(tensor_node(element, shape)));
}
Type Type::quantized(ElementType storage, const Quantization& quantization, std::span<const int64_t> shape) {
  TypeNode node = tensor_node(storage, shape);
  node.quantization = intern<QuantizationHash>(quantization);
  return Type(intern_node(std::move(node)));
}
Type Type::with_bounds(std::span<const int64_t> bounds) const {
  if (!is_tensor()) wrong_kind(*this, "tensor");
  const bool has_bounds = std::ranges::any_of(bounds, [](int64_t b) { return b != kDynamic; });
  if (!has_bounds && node_->bounds.empty()) return *this;
  TypeNode node = *node_;
  node.bounds.clear();
  for (int64_t b : bounds) {
    if (b == kDynamic) continue;
    node.bounds.assign(bounds.begin(), bounds.end());
    break;
  }
  if (!node.bounds.empty() && node.bounds.size() != node.shape.size()) {
    throw InternalError(std::to_string(bounds.size()) + " bounds for " + str());
  }
  return Type(intern_node(std::move(node)));
}
Type Type::with_encoding(std::string_view encoding) const {
  if (!is_tensor()) wrong_kind(*this, "tensor");
  TypeNode node = *node_;
  node.spelling = encoding;
  return Type(intern_node(std::move(node)));
}
Type Type::with_element(ElementType element) const {
  TypeNode node = tensor_node(element, shape());
  node.bounds = node_->bounds;
  return Type(intern_node(std::move(node)));
}
Type Type::with_elements_of(Type other) const {
  TypeNode node = tensor_node(other.element_type(), shape());
  node.quantization = other.node_->quantization;
  node.bounds = node_->bounds;
  return Type(intern_node(std::move(node)));
}
Type Type::with_shape(std::span<const int64_t> shape) const {
  TypeNode node = tensor_node(element_type(), shape);
  node.quantization = node_->quantization;
  return Type(intern_node(std::move(node)));
}
Type Type::token() { return Type(intern_node(node_of(TypeKind::kToken, {}))); }
Type Type::tuple(std::span<const Type> elements) { return Type(intern_node(node_of(TypeKind::kTuple, elements))); }
Type Type::future(std::span<const Type> elements) { return Type(intern_node(node_of(TypeKind::kFuture, elements))); }
Type Type::foreign(std::string_view spelling) {
  TypeNode node = node_of(TypeKind::kForeign, {});
  node.spelling = spelling;
  return Type(intern_node(std::move(node)));
}
Type Type::stack(Type element, std::span<const int64_t> lanes) {
  TypeNode node = node_of(TypeKind::kStack, std::span(&element, 1));
  node.shape.assign(lanes.begin(), lanes.end());
  return Type(intern_node(std::move(node)));
}

TypeKind Type::kind() const {
  if (node_ == nullptr) throw InternalError("use of a missing type");
  return node_->kind;
}
ElementType Type::element_type() const {
  if (!is_tensor()) wrong_kind(*this, "tensor");
  return node_->element;
}
const Quantization* Type::quantization() const { return is_tensor() ? node_->quantization : nullptr; }
std::span<const int64_t> Type::bounds() const { return node_->bounds; }
std::string_view Type::encoding() const { return is_tensor() ? std::string_view(node_->spelling) : std::string_view(); }
std::span<const int64_t> Type::shape() const {
  if (!is_tensor() && !is_stack()) wrong_kind(*this, "tensor");
  return node_->shape;
}
bool Type::is_static() const {
  for (int64_t d : node_->shape) {
    if (d == kDynamic) return false;
  }
  return true;
}
int64_t Type::num_elements() const {
  if (!is_static()) throw InternalError("number of elements of " + str() + " is not static");
  return weft::num_elements(shape());
}
Type Type::stacked() const {
  if (!is_stack()) wrong_kind(*this, "stack");
  return node_->elements[0];
}
std::span<const Type> Type::elements() const { return node_->elements; }

std::string Type::element_str() const {
  const Quantization* q = quantization();
  if (q == nullptr) return std::string(name(element_type()));
  const ElementType storage = node_->element;
  const int bits = bit_width(storage);
  const bool is_unsigned = is_unsigned_integer(storage);
  const int64_t lowest = is_unsigned ? 0 : -(int64_t{1} << (bits - 1));
  const int64_t largest = is_unsigned ? (int64_t{1} << bits) - 1 : -(lowest + 1);
  std::string out = "!quant.uniform<" + std::string(is_unsigned ? "u" : "i") + std::to_string(bits);
  if (q->storage_min != lowest || q->storage_max != largest) {
    out += "<" + std::to_string(q->storage_min) + ":" + std::to_string(q->storage_max) + ">";
  }
  out += ":" + std::string(name(q->expressed));
  if (q->per_axis()) out += ":" + std::to_string(q->axis);
  out += q->per_axis() ? ", {" : ", ";
  for (size_t i = 0; i < q->scales.size(); ++i) {
    out += (i ? "," : "") + with_point(format_float(q->scales[i]));
    if (q->zero_points[i] != 0) out += ":" + std::to_string(q->zero_points[i]);
  }
  return out + (q->per_axis() ? "}>" : ">");
}

std::string Type::str() const {
  if (node_ == nullptr) return "<no type>";
  switch (node_->kind) {
    case TypeKind::kToken: return "!stablehlo.token";
    case TypeKind::kTuple: return "tuple<" + joined(node_->elements) + ">";
    case TypeKind::kFuture: return "!stablehlo.future<" + joined(node_->elements) + ">";
    case TypeKind::kForeign: return node_->spelling;
    case TypeKind::kStack: {
      std::string out = "!weft.stack<" + node_->elements[0].str();
      if (!node_->shape.empty()) {
        out += ", [";
        for (size_t i = 0; i < node_->shape.size(); ++i) out += (i ? ", " : "") + std::to_string(node_->shape[i]);
        out += "]";
      }
      return out + ">";
    }
    case TypeKind::kTensor: break;
  }
  const auto extent = [](int64_t d) { return d == kDynamic ? std::string("?") : std::to_string(d); };
  std::string out = "tensor<";
  for (int64_t d : node_->shape) out += extent(d) + "x";
  out += element_str();
  if (!node_->bounds.empty()) {
    out += ", #stablehlo.bounds<";
    for (size_t i = 0; i < node_->bounds.size(); ++i) out += (i ? ", " : "") + extent(node_->bounds[i]);
    out += ">";
  }
  if (!node_->spelling.empty()) out += ", " + node_->spelling;
  return out + ">";
}

}  // namespace weft
