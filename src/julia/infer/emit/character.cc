// Characters: a Char is the 32 bits that Julia keeps of it.
#include "julia/infer/wide.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

Abstract char_of_bits(Compiler& c, Args a) {
  const Num bits = num(c, a[0]);
  return Abstract::of_scalar(core().char_, convert_num(c, bits, NumberKind::kUInt32).v);
}

Abstract char_bits(Compiler& c, Args a) {
  if (a[0].is_constant())
    return Abstract::of_constant(Value::from_bits(number_type(NumberKind::kUInt32), a[0].constant.bits()));
  return Abstract::of_scalar(number_type(NumberKind::kUInt32), a[0].ir);
}

constexpr Emission kEmissions[] = {
    {"_char_of_bits", char_of_bits},
    {"_char_bits", char_bits},
};

}  // namespace

std::span<const Emission> character_emissions() { return kEmissions; }

}  // namespace weft::julia
