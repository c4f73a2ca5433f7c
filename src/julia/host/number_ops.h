// What Julia's operators mean for machine numbers.
#pragma once
#include <string_view>

#include "julia/host/number.h"

namespace weft::julia {

/// promote_type of two kinds.
NumberKind promote_kind(NumberKind a, NumberKind b);

/// Exact comparison across types.
bool numbers_equal(const Value& a, const Value& b);
/// `a < b`; false when one is NaN.
bool numbers_less(const Value& a, const Value& b);
bool numbers_less_equal(const Value& a, const Value& b);

/// `T(x)`: throws InexactError when the number is not one of T.
Value convert_number(NumberKind to, const Value& x);
/// `x % T`: integers wrapped to the width, floats as `unsafe_trunc` is not: throws for them.
Value wrap_integer(NumberKind to, const Value& x);

enum class BinaryOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kTruncatedDivide,
  kFloorDivide,
  kCeilDivide,
  kRemainder,
  kModulo,
  kPower,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kMinimum,
  kMaximum,
};
/// Of two machine numbers, promoted as Julia promotes them. Throws DivideError, DomainError; nothing for operations that the
/// types do not have (bits of floats): a MethodError for the caller to throw.
std::optional<Value> apply(BinaryOp op, const Value& a, const Value& b);

enum class UnaryOp : uint8_t {
  kNegate,
  kNot,
  kAbsolute,
  kSign,
  kSignBit,
  kFloor,
  kCeil,
  kTruncate,
  kRound,
  kCountOnes,
  kLeadingZeros,
  kTrailingZeros
};
std::optional<Value> apply(UnaryOp op, const Value& a);

/// Names as Julia writes them ("+", "÷", "fld", …); nothing for others.
std::optional<BinaryOp> binary_op(std::string_view name);

/// parse(T, text): throws ArgumentError or OverflowError with Julia's message. `base` for integers only.
Value parse_number(NumberKind kind, std::string_view text, int base = 10);
/// tryparse: nothing() instead.
Value try_parse_number(NumberKind kind, std::string_view text, int base = 10);
}  // namespace weft::julia
