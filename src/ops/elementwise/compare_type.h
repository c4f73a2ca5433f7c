// What compare_type says about the operands of a compare.
#pragma once
#include <string_view>

#include "ops/record.h"

namespace weft {

/// The type as which numbers of type `t` are compared. The specification wants SIGNED of signed integers and UNSIGNED of others;
/// programs with the other word are written, and compare the same bits as numbers of that sign.
inline ElementType compared_as(ElementType t, std::string_view compare_type) {
  using enum ElementType;
  constexpr ElementType kPairs[][2] = {{kI2, kU2}, {kI4, kU4}, {kI8, kU8}, {kI16, kU16}, {kI32, kU32}, {kI64, kU64}};
  for (const auto& [with_sign, without] : kPairs) {
    if (t == with_sign && compare_type == "UNSIGNED") return without;
    if (t == without && compare_type == "SIGNED") return with_sign;
  }
  return t;
}

/// True when the compare orders floats by IEEE 754 totalOrder; other numbers have one order only.
inline bool is_total_order(ElementType t, std::string_view compare_type) {
  return compare_type == "TOTALORDER" && is_float(t);
}

}  // namespace weft
