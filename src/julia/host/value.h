// A Julia value: its type and either its bits or a reference to an object. A value belongs to one thread at a time: reference
// counts are plain numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "julia/types/core_types.h"
#include "julia/types/type.h"

namespace weft::julia {

/// What lies behind a reference.
enum class ObjectKind : uint8_t {
  kBits,    ///< plain bits too large to lie in the value
  kFields,  ///< struct, tuple, named tuple or closure with references among its fields, and every mutable struct
  kString,
  kArray,
  kDict,
  kHost,  ///< something of the evaluator's own: a module, a stream, a method
};

struct Object {
  uint32_t references = 1;
  ObjectKind kind;
  explicit Object(ObjectKind k) : kind(k) {}
};

class Value {
 public:
  /// Plain bits up to this size lie in the value itself.
  static constexpr size_t kInlineBytes = 16;

  /// No value: an undefined reference.
  Value() = default;
  Value(const Value& other) : head_(other.head_) {
    std::memcpy(payload_, other.payload_, kInlineBytes);
    if (is_reference()) ++object()->references;
  }
  Value(Value&& other) noexcept : head_(std::exchange(other.head_, 0)) {
    std::memcpy(payload_, other.payload_, kInlineBytes);
  }
  Value& operator=(const Value& other) {
    Value copy(other);
    swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Value() {
    if (is_reference()) release(object());
  }
  void swap(Value& other) noexcept {
    std::swap(head_, other.head_);
    std::byte t[kInlineBytes];
    std::memcpy(t, payload_, kInlineBytes);
    std::memcpy(payload_, other.payload_, kInlineBytes);
    std::memcpy(other.payload_, t, kInlineBytes);
  }

  /// A value of a type whose values are plain bits, from its bytes.
  static Value from_bits(const DataType* type, const void* bytes);
  /// The same for a type of at most kInlineBytes from a C++ value of its size.
  template <class T>
  static Value of_bits(const DataType* type, const T& x) {
    static_assert(sizeof(T) <= kInlineBytes);
    Value v = singleton(type);
    std::memcpy(v.payload_, &x, sizeof x);
    return v;
  }
  /// Takes over the reference.
  static Value of_object(const DataType* type, Object* object) {
    Value v;
    v.head_ = reinterpret_cast<uintptr_t>(type) | 1;
    std::memcpy(v.payload_, &object, sizeof(Object*));
    return v;
  }
  /// The only value of a singleton type.
  static Value singleton(const DataType* type) {
    Value v;
    v.head_ = reinterpret_cast<uintptr_t>(type);
    return v;
  }
  static Value of_symbol(Symbol s) { return with_pointer(core().symbol, s.address()); }
  /// A type as a value; its type is DataType, UnionAll, Union or Core.TypeofBottom.
  static Value of_type(const Type* t) { return with_pointer(kind_of(t), t); }

  bool is_defined() const { return head_ != 0; }
  /// Of a defined value.
  const DataType* type() const { return reinterpret_cast<const DataType*>(head_ & ~uintptr_t{1}); }
  bool is_reference() const { return (head_ & 1) != 0; }
  Object* object() const {
    Object* o;
    std::memcpy(&o, payload_, sizeof(Object*));
    return o;
  }
  /// The bytes of a value that is plain bits.
  const std::byte* bits() const;
  /// Plain bits as a C++ number; the type must be the right one.
  template <class T>
  T get() const {
    T out;
    std::memcpy(&out, is_reference() ? bits() : payload_, sizeof out);
    return out;
  }
  Symbol as_symbol() const { return Symbol::at(pointer()); }
  const Type* as_type() const { return static_cast<const Type*>(pointer()); }
  bool is(const DataType* t) const { return type() == t; }
  bool is_type() const { return is_defined() && is_kind(type()); }

 private:
  static Value with_pointer(const DataType* type, const void* p) {
    Value v = singleton(type);
    std::memcpy(v.payload_, &p, sizeof(void*));
    return v;
  }
  const void* pointer() const {
    const void* p;
    std::memcpy(&p, payload_, sizeof(p));
    return p;
  }
  static void release(Object* object) {
    if (--object->references == 0) destroy(object);
  }
  static void destroy(Object* object);

  uintptr_t head_ = 0;  ///< the type; the lowest bit says that the payload is a reference
  alignas(8) std::byte payload_[kInlineBytes] = {};
};

struct BitsObject : Object {
  std::unique_ptr<std::byte[]> bytes;
  BitsObject(const void* from, size_t n) : Object(ObjectKind::kBits), bytes(new std::byte[n]) {
    std::memcpy(bytes.get(), from, n);
  }
};

struct FieldsObject : Object {
  std::vector<Value> fields;
  explicit FieldsObject(std::vector<Value> f) : Object(ObjectKind::kFields), fields(std::move(f)) {}
};

struct StringObject : Object {
  std::string text;  ///< UTF-8, not necessarily valid
  explicit StringObject(std::string t) : Object(ObjectKind::kString), text(std::move(t)) {}
};

struct HostObject : Object {
  std::shared_ptr<void> contents;
  explicit HostObject(std::shared_ptr<void> c) : Object(ObjectKind::kHost), contents(std::move(c)) {}
};

inline Value nothing() { return Value::singleton(core().nothing); }
inline Value missing() { return Value::singleton(core().missing); }
Value make_string(std::string text);
const std::string& string_of(const Value& v);

/// A struct, tuple or named tuple of a concrete type from its fields, in order; trailing ones may be missing or undefined.
/// Each field must be of the declared type already.
Value make_struct(const DataType* type, std::vector<Value> fields);
Value make_tuple(std::vector<Value> elements);
Value make_named_tuple(std::span<const Symbol> names, std::vector<Value> elements);
size_t field_count(const Value& v);
/// Undefined when the field is.
Value get_field(const Value& v, size_t index);
/// The field by name; undefined when there is none of this name.
Value get_field(const Value& v, Symbol name);
/// Of a mutable struct.
void set_field(const Value& v, size_t index, Value field);

/// The type that dispatch sees: Type{T} for a type, typeof for the rest.
const Type* dispatch_type(const Value& v);
/// `v isa t`.
bool is_a(const Value& v, const Type* t);
/// `===`: same type and bits; for mutable objects the same object.
bool is_identical(const Value& a, const Value& b);

}  // namespace weft::julia
