// The types of a Julia program: interned nodes that live forever. Types without type variables are equal exactly when their
// addresses are (but for unions written with UnionAll, which types_equal compares).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "julia/types/symbol.h"

namespace weft::julia {

enum class TypeKind : uint8_t { kData, kUnion, kUnionAll, kVar, kVararg, kConstant };

struct TypeVar;
struct DataType;

/// A type, or what may stand among the parameters of one: a type variable, the tail of a tuple, a constant.
struct Type {
  TypeKind kind;
  /// The type variables that no UnionAll inside binds, each once.
  std::vector<const TypeVar*> free_vars;
  bool is_closed() const { return free_vars.empty(); }
  explicit Type(TypeKind k) : kind(k) {}
};

/// `lower <: name <: upper`. A name that begins with '#' was not written by the user: `Vector{<:Real}`.
struct TypeVar : Type {
  Symbol name;
  const Type* lower;
  const Type* upper;
  TypeVar() : Type(TypeKind::kVar) {}
};

/// `body where var`.
struct UnionAll : Type {
  const TypeVar* var;
  const Type* body;
  UnionAll() : Type(TypeKind::kUnionAll) {}
};

/// Members are neither unions nor, as far as they are closed, subtypes of each other, and stand in Julia's order. Without
/// members it is `Union{}`, the type that has no values.
struct UnionType : Type {
  std::vector<const Type*> members;
  UnionType() : Type(TypeKind::kUnion) {}
};

/// The last parameter of a tuple type: `element` any number of times (`count` null) or as often as the variable `count` says.
struct Vararg : Type {
  const Type* element;
  const Type* count;
  Vararg() : Type(TypeKind::kVararg) {}
};

/// A value among type parameters: a number, a Bool or Char (`bits`, sign-extended), a Symbol, or a tuple of constants and types.
struct Constant : Type {
  const DataType* of;
  int64_t bits = 0;
  Symbol symbol;
  std::vector<const Type*> elements;
  Constant() : Type(TypeKind::kConstant) {}
};

enum class Flavour : uint8_t { kAbstract, kPrimitive, kStruct, kMutable };

/// What all types of one declaration share.
struct TypeName {
  Symbol name;
  Symbol module;
  bool is_exported = true;
  Flavour flavour = Flavour::kStruct;
  int bits = 0;  ///< of a primitive type
  std::vector<const TypeVar*> vars;
  const DataType* primary = nullptr;  ///< applied to its own variables
  const Type* wrapper = nullptr;      ///< `primary where vars…`
  const Type* super = nullptr;        ///< in terms of vars
  std::vector<Symbol> field_names;
  std::vector<const Type*> field_types;  ///< in terms of vars
  std::vector<bool> const_fields;        ///< of a mutable struct; may be shorter than the fields
  int uninitialized_fields = 0;          ///< the last ones, which `new` may leave out
  bool is_opaque = false;                ///< values have contents that no field shows (String, Symbol, Array …)
  Symbol function;                       ///< the function whose only value's type this is
};

/// How values of a type lie in memory when they are plain bits.
struct Layout {
  bool is_bits = false;  ///< immutable and without references: stored flat in arrays and structs
  uint32_t size = 0;
  uint32_t alignment = 1;
  std::vector<uint32_t> offsets;  ///< of the fields
};

/// A declared type with its parameters.
struct DataType : Type {
  TypeName* name;
  std::vector<const Type*> parameters;
  bool is_tuple = false;
  bool is_concrete = false;  ///< may be the type of a value
  DataType() : Type(TypeKind::kData) {}

  bool is_abstract() const { return name->flavour == Flavour::kAbstract; }
  bool is_mutable() const { return name->flavour == Flavour::kMutable; }
  bool is_primitive() const { return name->flavour == Flavour::kPrimitive; }
  /// `Any` is its own supertype; that of a tuple is Any.
  const DataType* super() const;
  /// Types and names of the fields; for tuples and named tuples from the parameters. Throws for a tuple with an open tail.
  const std::vector<const Type*>& field_types() const;
  std::vector<Symbol> field_names() const;
  size_t field_count() const { return field_types().size(); }
  /// -1: no such field.
  int field_index(Symbol field) const;
  const Layout& layout() const;
  bool is_bits() const { return layout().is_bits; }
  /// Concrete, immutable and without fields: it has one value.
  bool is_singleton() const;

  mutable const DataType* super_ = nullptr;
  mutable const std::vector<const Type*>* field_types_ = nullptr;
  mutable const Layout* layout_ = nullptr;
  mutable const Layout* finished_layout_ = nullptr;  ///< read without the lock

 private:
  const Layout& find_layout() const;
};

template <class T>
const T* as(const Type* t);
template <>
inline const DataType* as<DataType>(const Type* t) {
  return t->kind == TypeKind::kData ? static_cast<const DataType*>(t) : nullptr;
}
template <>
inline const UnionType* as<UnionType>(const Type* t) {
  return t->kind == TypeKind::kUnion ? static_cast<const UnionType*>(t) : nullptr;
}
template <>
inline const UnionAll* as<UnionAll>(const Type* t) {
  return t->kind == TypeKind::kUnionAll ? static_cast<const UnionAll*>(t) : nullptr;
}
template <>
inline const TypeVar* as<TypeVar>(const Type* t) {
  return t->kind == TypeKind::kVar ? static_cast<const TypeVar*>(t) : nullptr;
}
template <>
inline const Vararg* as<Vararg>(const Type* t) {
  return t->kind == TypeKind::kVararg ? static_cast<const Vararg*>(t) : nullptr;
}
template <>
inline const Constant* as<Constant>(const Type* t) {
  return t->kind == TypeKind::kConstant ? static_cast<const Constant*>(t) : nullptr;
}

/// A new variable; null bounds are Union{} and Any.
const TypeVar* make_type_var(Symbol name, const Type* lower = nullptr, const Type* upper = nullptr);
const Type* make_union_all(const TypeVar* var, const Type* body);
/// Flattened and simplified as `Union{…}` is; one member gives the member itself.
const Type* make_union(std::span<const Type* const> members);
const Type* make_vararg(const Type* element, const Type* count = nullptr);
/// `Tuple{…}`; a tail whose count is a constant is written out.
const DataType* make_tuple_type(std::span<const Type* const> elements);
const DataType* make_named_tuple_type(std::span<const Symbol> names, const DataType* tuple);
/// `Type{t}`.
const DataType* make_type_type(const Type* t);
const Constant* make_constant(const DataType* of, int64_t bits);
const Constant* make_int(int64_t value);
const Constant* make_symbol_constant(Symbol symbol);
const Constant* make_tuple_constant(std::span<const Type* const> elements);

/// `t{arguments…}`: fewer arguments than variables leave a UnionAll. Throws UserError with Julia's message when there are too
/// many or one is outside its variable's bounds.
const Type* apply_type(const Type* t, std::span<const Type* const> arguments);
/// The declared type with all parameters given, unchecked.
const DataType* make_data_type(TypeName* name, std::vector<const Type*> parameters);
const Type* substitute(const Type* t, const TypeVar* var, const Type* replacement);
const Type* substitute(const Type* t, std::span<const TypeVar* const> vars, std::span<const Type* const> replacements);
bool mentions(const Type* t, const TypeVar* var);
/// Without the UnionAlls around it.
const Type* unwrap_union_all(const Type* t);
/// `t where vars…`, the first outermost; only variables that t mentions.
const Type* wrap_free(const Type* t, std::span<const TypeVar* const> vars);

/// A declaration in three steps, so that fields and the supertype may name the type itself.
TypeName* declare_type(Symbol name, Symbol module, Flavour flavour, std::vector<const TypeVar*> vars, int bits = 0);
void set_super(TypeName* name, const Type* super);
void set_fields(TypeName* name, std::vector<Symbol> names, std::vector<const Type*> types);
/// The singleton type of a function: `typeof(f)`, printed so.
TypeName* declare_function_type(Symbol function, Symbol module);

inline bool is_bottom(const Type* t) {
  return t->kind == TypeKind::kUnion && static_cast<const UnionType*>(t)->members.empty();
}
/// Whether a value's type can be exactly this.
inline bool is_concrete(const Type* t) {
  return t->kind == TypeKind::kData && static_cast<const DataType*>(t)->is_concrete;
}
/// The T of Type{T}; null for other types.
const Type* type_of_type(const Type* t);

}  // namespace weft::julia
