// Rules that many records share. A rule that a record names stands here, or in its family's file when only one family uses it.
#pragma once
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

// ---- types --------------------------------------------------------------------------------------------------------------

/// Sets of element types, as a mask.
enum ElementClass : unsigned {
  kBooleanClass = 1,
  kSignedClass = 2,
  kUnsignedClass = 4,
  kFloatClass = 8,
  kComplexClass = 16,
  kIndexClass = 32,  // only shape operands are of it, never what an op computes with
  kIntegerClass = kSignedClass | kUnsignedClass,
  kNumberClass = kIntegerClass | kFloatClass,
  kRealClass = kNumberClass | kBooleanClass,
  kFieldClass = kFloatClass | kComplexClass,  // numbers with a division that undoes multiplication
  kAnyNumberClass = kNumberClass | kComplexClass,
  kAnyClass = kRealClass | kComplexClass,
};
constexpr unsigned element_class(ElementType t) {
  return is_boolean(t)            ? kBooleanClass
         : is_signed_integer(t)   ? kSignedClass
         : is_unsigned_integer(t) ? kUnsignedClass
         : is_float(t)            ? kFloatClass
         : is_index(t)            ? kIndexClass
                                  : kComplexClass;
}
/// Of a complex type: the float type of its parts; other types are their own.
constexpr ElementType part_type(ElementType t) {
  return t == ElementType::kC64 ? ElementType::kF32 : t == ElementType::kC128 ? ElementType::kF64 : t;
}
/// "floating-point", "integer or floating-point", …
std::string describe_class(unsigned classes);
inline bool is_differentiable(Type t) {
  return t.is_tensor() && (is_float(t.element_type()) || is_complex(t.element_type()));
}

/// Equal, or tensors of one element type and rank whose extents are equal where both are known.
bool is_compatible(Type a, Type b);
/// Of two compatible types, the extents that either knows.
Type merge_types(Type a, Type b);
/// "stablehlo.add", 1 → "add_c1": the specification's name of a constraint.
std::string constraint(const TypeContext& context, int number);
/// Throws unless operand `i` is a tensor whose element type lies in `classes`.
void expect_class(const TypeContext& context, size_t i, unsigned classes);

/// `count` operands and the result of one type, whose element type lies in `classes`.
std::vector<Type> type_same(const TypeContext& context, size_t count, unsigned classes);
template <size_t kCount, unsigned kClasses>
std::vector<Type> type_same(const TypeContext& context) {
  return type_same(context, kCount, kClasses);
}

// ---- derivatives ----------------------------------------------------------------------------------------------------------

/// The results do not depend differentiably on the operands (floor, compare, integers): all tangents are zero.
Linearized linearize_zero(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents);
/// Linear in all operands together (add, concatenate, reshape): the tangents are the op on the tangents; missing ones become zeros.
Linearized linearize_linear(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents);
/// Linear in each operand alone (multiply, dot_general): the sum over the tangents present of the op with that operand replaced.
Linearized linearize_multilinear(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                 std::span<const Value> tangents);
/// The op itself again on other operands of the same types, at `builder`. For ops without regions.
std::vector<Value> emit_like(OpBuilder& builder, const OpView& op, std::span<const Value> operands);
/// a + b where either may be missing (zero).
Value add_tangents(OpBuilder& builder, Value a, Value b);
/// Why a nonlinear op has no transpose facet.
inline constexpr Refuse kNotLinear{"the op is not linear in any operand, so linearization never leaves it on a tape"};

// ---- lanes ----------------------------------------------------------------------------------------------------------------

/// [lanes, shape...] of the element type of t; a stack gets one more leading lane extent.
Type with_lanes(Type t, int64_t lanes);
/// All operands get the lane axis 0 (uniform ones are broadcast); the op is repeated on them with its attributes unchanged.
std::vector<LaneValue> vectorize_elementwise(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands);
/// Every result varies when any operand does.
std::vector<bool> uniformity_any(UniformityContext& context, const OpView& op, const std::vector<bool>& operands);

// ---- the rest ---------------------------------------------------------------------------------------------------------------

/// Nothing to simplify.
std::vector<Value> simplify_none(SimplifyContext& context, const OpView& op);
/// Folds the op through its own eval when every operand is a constant and the results together have at most 64 elements.
/// Call it first in a simplify rule; empty when it does not apply.
std::vector<Value> fold_constants(SimplifyContext& context, const OpView& op);
/// fold_constants as a rule of its own.
inline std::vector<Value> simplify_fold(SimplifyContext& context, const OpView& op) {
  return fold_constants(context, op);
}

std::vector<Alias> alias_none(const OpView& op);
/// Result 0 may be written over any operand whose elements are as wide and as many (add).
std::vector<Alias> alias_elementwise(const OpView& op);
/// Result 0 is operand 0's memory (reshape).
std::vector<Alias> alias_view(const OpView& op);
/// Result 0 may be written over operand 0 (dynamic_update_slice, scatter).
std::vector<Alias> alias_in_place(const OpView& op);

/// Bytes of a static tensor type; 0 otherwise.
double bytes_of(Type t);
/// Bytes of operands and results.
double moved_bytes(const OpView& op);
/// One operation per result element.
Cost cost_elementwise(const OpView& op);
/// About twenty operations per result element (exp, tanh …).
Cost cost_transcendental(const OpView& op);
/// Bytes only.
Cost cost_move(const OpView& op);
Cost cost_free(const OpView& op);

/// The op is StableHLO already. An empty answer tells the walker to copy the op, regions included.
std::vector<Value> portable_as_is(PortableContext& context, const OpView& op, std::span<const Value> operands);

inline constexpr Refuse kNotElementwise{"the op is not elementwise"};

}  // namespace weft
