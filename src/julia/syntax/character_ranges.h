// Ranges of code points from the Unicode Character Database 14, above U+00A0, in order.
#pragma once
#include <cstdint>
#include <span>

namespace weft::julia {

struct CodeRange {
  uint32_t first, last;
};

/// Letters, letter numbers, currency signs, symbols that are no arrows, and the mathematical signs that Julia takes for letters.
std::span<const CodeRange> name_start_ranges();
/// Of the rest: marks, digits, connecting punctuation, modifiers and primes.
std::span<const CodeRange> name_part_ranges();
/// Combining marks.
std::span<const CodeRange> mark_ranges();
/// Spaces, control and format characters.
std::span<const CodeRange> format_ranges();

/// A character and the two that it is composed of; `second` is 0 for one that is written otherwise.
struct Composition {
  uint32_t code, first, second;
};
/// Canonical compositions, in order of `first`, then `second`.
std::span<const Composition> compositions();
/// Characters that are never composed again, in order of `code`.
std::span<const Composition> decompositions();
struct CombiningClass {
  uint32_t first, last, combining_class;
};
std::span<const CombiningClass> combining_classes();

}  // namespace weft::julia
