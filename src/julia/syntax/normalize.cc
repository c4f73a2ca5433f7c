// Composition of names: Unicode's NFC with Julia's own equal characters.
#include <algorithm>
#include <vector>

#include "julia/syntax/character_ranges.h"
#include "julia/syntax/characters.h"

namespace weft::julia {
namespace {

uint32_t fold(uint32_t code) {
  switch (code) {
    case 0x25b: return 0x3b5;   // ɛ → ε
    case 0xb5: return 0x3bc;    // µ → μ
    case 0xb7:                  // · → ⋅
    case 0x387: return 0x22c5;  // · → ⋅
    case 0x2212: return '-';    // − → -
    case 0x210f: return 0x127;  // ℏ → ħ
    default: return code;
  }
}

constexpr uint32_t kHangul = 0xac00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11a7;
constexpr uint32_t kVowels = 21, kTails = 28, kHanguls = 19 * kVowels * kTails;

uint32_t combining_class(uint32_t code) {
  if (code < 0x300) return 0;
  const auto all = combining_classes();
  const auto after =
      std::upper_bound(all.begin(), all.end(), code, [](uint32_t c, const CombiningClass& r) { return c < r.first; });
  if (after == all.begin()) return 0;
  return code <= (after - 1)->last ? (after - 1)->combining_class : 0;
}

/// By code, for taking apart; the table itself is in the order for putting together.
const std::vector<Composition>& by_code() {
  static const std::vector<Composition> sorted = [] {
    std::vector<Composition> out(compositions().begin(), compositions().end());
    out.insert(out.end(), decompositions().begin(), decompositions().end());
    std::sort(out.begin(), out.end(), [](const Composition& a, const Composition& b) { return a.code < b.code; });
    return out;
  }();
  return sorted;
}

void decompose(uint32_t code, std::vector<uint32_t>& out) {
  if (code - kHangul < kHanguls) {
    const uint32_t i = code - kHangul;
    out.push_back(kLead + i / (kVowels * kTails));
    out.push_back(kVowel + i % (kVowels * kTails) / kTails);
    if (i % kTails != 0) out.push_back(kTail + i % kTails);
    return;
  }
  const auto& table = by_code();
  const auto it =
      std::lower_bound(table.begin(), table.end(), code, [](const Composition& c, uint32_t x) { return c.code < x; });
  if (it == table.end() || it->code != code) {
    out.push_back(code);
    return;
  }
  decompose(it->first, out);
  if (it->second != 0) decompose(it->second, out);
}

/// 0 when the two are never one.
uint32_t compose(uint32_t first, uint32_t second) {
  if (first - kLead < 19 && second - kVowel < kVowels)
    return kHangul + ((first - kLead) * kVowels + second - kVowel) * kTails;
  if (first - kHangul < kHanguls && (first - kHangul) % kTails == 0 && second - kTail - 1 < kTails - 1)
    return first + second - kTail;
  const auto table = compositions();
  const auto it =
      std::lower_bound(table.begin(), table.end(), std::pair(first, second),
                       [](const Composition& c, const auto& key) { return std::pair(c.first, c.second) < key; });
  return it != table.end() && it->first == first && it->second == second ? it->code : 0;
}

}  // namespace

std::string normalized_name(std::string_view name) {
  if (std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return std::string(name);
  std::vector<uint32_t> codes;
  for (size_t i = 0; i < name.size();) {
    const Character c = decode(name, i);
    i += c.bytes;
    if (c.code != kInvalidCharacter) decompose(fold(c.code), codes);
  }
  // Marks of one base in order of their classes.
  for (size_t i = 0; i < codes.size();) {
    if (combining_class(codes[i]) == 0) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < codes.size() && combining_class(codes[end]) != 0) ++end;
    std::stable_sort(codes.begin() + static_cast<ptrdiff_t>(i), codes.begin() + static_cast<ptrdiff_t>(end),
                     [](uint32_t a, uint32_t b) { return combining_class(a) < combining_class(b); });
    i = end;
  }
  std::vector<uint32_t> out;
  size_t base = ~size_t{0};
  uint32_t last_class = 0;
  for (const uint32_t code : codes) {
    const uint32_t c = combining_class(code);
    if (base != ~size_t{0} && (base + 1 == out.size() || last_class < c)) {
      if (const uint32_t one = compose(out[base], code); one != 0) {
        out[base] = one;
        continue;
      }
    }
    if (c == 0) base = out.size();
    last_class = c;
    out.push_back(code);
  }
  std::string text;
  for (const uint32_t code : out) append_utf8(text, code);
  return text;
}

}  // namespace weft::julia
