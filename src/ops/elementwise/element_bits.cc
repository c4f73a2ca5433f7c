#include "ops/elementwise/element_bits.h"

namespace weft {

using enum ElementType;

ElementType unsigned_type(int width) {
  switch (width) {
    case 2: return kU2;
    case 4: return kU4;
    case 8: return kU8;
    case 16: return kU16;
    case 32: return kU32;
    default: return kU64;
  }
}

Value elements_of_bits(OpBuilder& b, Value bits, ElementType e) {
  const Type t = b.type(bits);
  if (e == kI1) {
    const Value one = b.splat(t, 1);
    return b.compare(b.make("stablehlo.and", {bits, one}), one, "EQ");
  }
  const ElementType u = unsigned_type(bit_width(e));
  const Value stored = t.element_type() == u ? bits : b.convert(bits, u);  // modulo the type's range
  return u == e ? stored : b.make("stablehlo.bitcast_convert", {stored}, {}, t.with_element(e));
}

}  // namespace weft
