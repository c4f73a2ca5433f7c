// Attributes: compile-time facts of an op. Names are those of the StableHLO specification's op inputs, structs flattened
// (dot_dimension_numbers becomes lhs_batching_dimensions, …), so that rules read the specification's words.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/type.h"

namespace weft {

/// A constant tensor. `splat` holds one element in `elements` that stands for all. Elements are shared, never copied.
struct Literal {
  Type type;
  Tensor elements;  // full shape, or rank 0 when splat
  bool splat = false;

  static Literal dense(Tensor t);
  static Literal splat_of(Type type, Tensor scalar);
  /// A dense tensor of the full shape (expands a splat).
  Tensor materialize() const;
  /// Bytes of element i (row-major index).
  const std::byte* element(int64_t i) const {
    return elements.buffer().data() + (splat ? 0 : static_cast<size_t>(i) * byte_size(type.element_type()));
  }
  /// Bitwise equality of type and elements.
  bool operator==(const Literal& other) const;
};

class Attr;
using AttrList = std::vector<Attr>;
using AttrEntries = std::vector<std::pair<std::string, Attr>>;

/// Text kept as it was written, for attributes that have no meaning here (mhlo.*, sdy.*, unknown dialects).
struct OpaqueAttr {
  std::string text;
  bool operator==(const OpaqueAttr&) const = default;
};

class Attr {
 public:
  using Ints = std::vector<int64_t>;
  using Variant = std::variant<std::monostate, bool, int64_t, double, std::string, Ints, Type, Literal,
                               std::shared_ptr<const AttrList>, std::shared_ptr<const AttrEntries>, OpaqueAttr>;
  Attr() = default;
  Attr(bool v) : v_(v) {}
  Attr(int64_t v) : v_(v) {}
  Attr(int v) : v_(static_cast<int64_t>(v)) {}
  Attr(double v) : v_(v) {}
  Attr(std::string v) : v_(std::move(v)) {}
  Attr(std::string_view v) : v_(std::string(v)) {}
  Attr(const char* v) : v_(std::string(v)) {}
  Attr(Ints v) : v_(std::move(v)) {}
  Attr(Type v) : v_(v) {}
  Attr(Literal v) : v_(std::move(v)) {}
  Attr(AttrList v) : v_(std::make_shared<const AttrList>(std::move(v))) {}
  Attr(AttrEntries v) : v_(std::make_shared<const AttrEntries>(std::move(v))) {}
  Attr(OpaqueAttr v) : v_(std::move(v)) {}

  const Variant& variant() const { return v_; }
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&v_);
  }
  bool operator==(const Attr& other) const;
  /// A short description for messages: "[1, 2]", "\"LT\"", "tensor<2xf32> constant".
  std::string str() const;
  size_t hash() const;

 private:
  Variant v_;
};

/// The attributes of one op, sorted by name. Immutable once attached to an op.
class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<std::string, Attr>> entries);
  void set(std::string_view name, Attr value);
  void erase(std::string_view name);
  const Attr* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Typed access. The required forms throw InternalError when the attribute is missing or of another kind: the op's
  // schema is checked before any rule runs.
  const std::vector<int64_t>& ints(std::string_view name) const;
  /// The attribute, or `count` copies of `fallback` when it is absent.
  std::vector<int64_t> ints_or(std::string_view name, size_t count, int64_t fallback) const;
  int64_t integer(std::string_view name) const;
  int64_t integer_or(std::string_view name, int64_t fallback) const;
  bool boolean_or(std::string_view name, bool fallback) const;
  const std::string& text(std::string_view name) const;
  std::string text_or(std::string_view name, std::string_view fallback) const;
  const Literal& literal(std::string_view name) const;
  Type type(std::string_view name) const;

  const AttrEntries& entries() const { return entries_; }
  bool operator==(const Attrs& other) const;
  size_t hash() const;

 private:
  AttrEntries entries_;
};

}  // namespace weft
