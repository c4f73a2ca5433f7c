#include "ir/type.h"

#include <mutex>
#include <unordered_map>

namespace weft {

struct TypeNode {
  TypeKind kind;
  ElementType element = ElementType::kF32;
  Shape shape;
  std::vector<Type> elements;  // tuple: all; stack: the stacked type
  bool operator==(const TypeNode&) const = default;
};

namespace {

struct NodeHash {
  size_t operator()(const TypeNode& n) const {
    size_t h = static_cast<size_t>(n.kind) * 31 + static_cast<size_t>(n.element);
    for (int64_t d : n.shape) h = h * 0x9e3779b97f4a7c15u + static_cast<size_t>(d);
    for (Type t : n.elements) h = h * 0x9e3779b97f4a7c15u + std::hash<Type>()(t);
    return h;
  }
};

const TypeNode* intern(TypeNode node) {
  // Threads compile concurrently; the set is node-based, so addresses stay.
  static std::mutex* mutex = new std::mutex;
  static auto* nodes = new std::unordered_map<TypeNode, char, NodeHash>;
  std::lock_guard lock(*mutex);
  return &nodes->try_emplace(std::move(node)).first->first;
}

[[noreturn]] void wrong_kind(const Type& t, const char* wanted) {
  throw InternalError("type " + t.str() + " is not a " + wanted);
}

}  // namespace

Type Type::tensor(ElementType element, std::span<const int64_t> shape) {
  return Type(intern({TypeKind::kTensor, element, Shape(shape.begin(), shape.end()), {}}));
}
Type Type::token() { return Type(intern({TypeKind::kToken, ElementType::kF32, {}, {}})); }
Type Type::tuple(std::span<const Type> elements) {
  return Type(intern({TypeKind::kTuple, ElementType::kF32, {}, {elements.begin(), elements.end()}}));
}
Type Type::stack(Type element, std::span<const int64_t> lanes) {
  return Type(intern({TypeKind::kStack, ElementType::kF32, Shape(lanes.begin(), lanes.end()), {element}}));
}

TypeKind Type::kind() const {
  if (node_ == nullptr) throw InternalError("use of a missing type");
  return node_->kind;
}
ElementType Type::element_type() const {
  if (!is_tensor()) wrong_kind(*this, "tensor");
  return node_->element;
}
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

std::string Type::str() const {
  if (node_ == nullptr) return "<no type>";
  switch (node_->kind) {
    case TypeKind::kToken: return "!stablehlo.token";
    case TypeKind::kTuple: {
      std::string out = "tuple<";
      for (size_t i = 0; i < node_->elements.size(); ++i) out += (i ? ", " : "") + node_->elements[i].str();
      return out + ">";
    }
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
  std::string out = "tensor<";
  for (int64_t d : node_->shape) out += (d == kDynamic ? std::string("?") : std::to_string(d)) + "x";
  return out + std::string(name(node_->element)) + ">";
}

}  // namespace weft
