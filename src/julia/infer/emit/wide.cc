// Integers of 128 bits: structs of two words, the low one first. What is done with them is written in Julia (base/compiled_wide.jl).
#include "julia/infer/wide.h"

#include "julia/host/array.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

template <size_t I>
Abstract word(Compiler& c, Args a) {
  return c.field(c.expanded(a[0]), I);
}

/// (T, high, low)
Abstract of_words(Compiler&, Args a) {
  return Abstract::of_fields(static_cast<const DataType*>(a[0].constant.as_type()), {a[2], a[1]});
}

constexpr Emission kEmissions[] = {
    {"_low_word", word<0>},
    {"_high_word", word<1>},
    {"_of_words", of_words},
};

}  // namespace

std::span<const Emission> wide_emissions() { return kEmissions; }

bool is_wide_integer(const Type* t) {
  const auto kind = number_kind(t);
  return kind && (*kind == NumberKind::kInt128 || *kind == NumberKind::kUInt128);
}

std::optional<ElementType> run_time_type(const Type* t) {
  if (t == core().char_) return ElementType::kU32;
  return number_kind(t) ? element_type(t) : std::nullopt;
}

}  // namespace weft::julia
