#include "julia/syntax/characters.h"

#include <algorithm>
#include <array>

#include "julia/syntax/character_ranges.h"

namespace weft::julia {
namespace {

struct OperatorRange {
  uint32_t first, last;
  Tok kind;
};

// In order of code points, from Julia's manual (Operator Precedence and Associativity).
constexpr OperatorRange kOperators[] = {
    {0xa6, 0xa6, Tok::kPlusLike},       {0xac, 0xac, Tok::kNot},
    {0xb1, 0xb1, Tok::kPlusMinus},      {0xb7, 0xb7, Tok::kStarLike},
    {0xd7, 0xd7, Tok::kStarLike},       {0xf7, 0xf7, Tok::kStarLike},
    {0x387, 0x387, Tok::kStarLike},     {0x2026, 0x2026, Tok::kRange},
    {0x205d, 0x205d, Tok::kRange},      {0x214b, 0x214b, Tok::kStarLike},
    {0x2190, 0x2190, Tok::kArrow},      {0x2191, 0x2191, Tok::kPower},
    {0x2192, 0x2192, Tok::kArrow},      {0x2193, 0x2193, Tok::kPower},
    {0x2194, 0x2194, Tok::kArrow},      {0x219a, 0x219e, Tok::kArrow},
    {0x21a0, 0x21a0, Tok::kArrow},      {0x21a2, 0x21a4, Tok::kArrow},
    {0x21a6, 0x21a6, Tok::kArrow},      {0x21a9, 0x21ac, Tok::kArrow},
    {0x21ae, 0x21ae, Tok::kArrow},      {0x21b6, 0x21b7, Tok::kArrow},
    {0x21ba, 0x21bd, Tok::kArrow},      {0x21c0, 0x21c1, Tok::kArrow},
    {0x21c4, 0x21c4, Tok::kArrow},      {0x21c6, 0x21c7, Tok::kArrow},
    {0x21c9, 0x21c9, Tok::kArrow},      {0x21cb, 0x21d0, Tok::kArrow},
    {0x21d2, 0x21d2, Tok::kArrow},      {0x21d4, 0x21d4, Tok::kArrow},
    {0x21da, 0x21dd, Tok::kArrow},      {0x21e0, 0x21e0, Tok::kArrow},
    {0x21e2, 0x21e2, Tok::kArrow},      {0x21f4, 0x21f4, Tok::kArrow},
    {0x21f5, 0x21f5, Tok::kPower},      {0x21f6, 0x21ff, Tok::kArrow},
    {0x2208, 0x2208, Tok::kElementOf},  {0x2209, 0x220d, Tok::kComparison},
    {0x2212, 0x2212, Tok::kMinus},      {0x2213, 0x2213, Tok::kPlusMinus},
    {0x2214, 0x2214, Tok::kPlusLike},   {0x2217, 0x2219, Tok::kStarLike},
    {0x221a, 0x221c, Tok::kRadical},    {0x221d, 0x221d, Tok::kComparison},
    {0x2224, 0x2224, Tok::kStarLike},   {0x2225, 0x2226, Tok::kComparison},
    {0x2227, 0x2227, Tok::kStarLike},   {0x2228, 0x2228, Tok::kPlusLike},
    {0x2229, 0x2229, Tok::kStarLike},   {0x222a, 0x222a, Tok::kPlusLike},
    {0x2237, 0x2237, Tok::kComparison}, {0x2238, 0x2238, Tok::kPlusLike},
    {0x223a, 0x223b, Tok::kComparison}, {0x223d, 0x223e, Tok::kComparison},
    {0x2240, 0x2240, Tok::kStarLike},   {0x2241, 0x224e, Tok::kComparison},
    {0x224f, 0x224f, Tok::kPlusLike},   {0x2250, 0x2253, Tok::kComparison},
    {0x2254, 0x2255, Tok::kAssignLike}, {0x2256, 0x228b, Tok::kComparison},
    {0x228d, 0x228d, Tok::kStarLike},   {0x228e, 0x228e, Tok::kPlusLike},
    {0x228f, 0x2292, Tok::kComparison}, {0x2293, 0x2293, Tok::kStarLike},
    {0x2294, 0x2296, Tok::kPlusLike},   {0x2297, 0x229b, Tok::kStarLike},
    {0x229c, 0x229c, Tok::kComparison}, {0x229e, 0x229f, Tok::kPlusLike},
    {0x22a0, 0x22a1, Tok::kStarLike},   {0x22a2, 0x22a3, Tok::kComparison},
    {0x22a9, 0x22a9, Tok::kComparison}, {0x22ac, 0x22ac, Tok::kComparison},
    {0x22ae, 0x22ae, Tok::kComparison}, {0x22b0, 0x22b7, Tok::kComparison},
    {0x22bb, 0x22bb, Tok::kPlusLike},   {0x22bc, 0x22bc, Tok::kStarLike},
    {0x22bd, 0x22bd, Tok::kPlusLike},   {0x22c4, 0x22c5, Tok::kStarLike},
    {0x22c6, 0x22c6, Tok::kStarUnary},  {0x22c7, 0x22c7, Tok::kStarLike},
    {0x22c9, 0x22cc, Tok::kStarLike},   {0x22cd, 0x22cd, Tok::kComparison},
    {0x22ce, 0x22ce, Tok::kPlusLike},   {0x22cf, 0x22cf, Tok::kStarLike},
    {0x22d0, 0x22d1, Tok::kComparison}, {0x22d2, 0x22d2, Tok::kStarLike},
    {0x22d3, 0x22d3, Tok::kPlusLike},   {0x22d5, 0x22ed, Tok::kComparison},
    {0x22ee, 0x22f1, Tok::kRange},      {0x22f2, 0x22ff, Tok::kComparison},
    {0x233f, 0x233f, Tok::kStarLike},   {0x25b7, 0x25b7, Tok::kStarLike},
    {0x27c2, 0x27c2, Tok::kComparison}, {0x27c7, 0x27c7, Tok::kPlusLike},
    {0x27c8, 0x27c9, Tok::kComparison}, {0x27d1, 0x27d1, Tok::kStarLike},
    {0x27d2, 0x27d2, Tok::kComparison}, {0x27d5, 0x27d7, Tok::kStarLike},
    {0x27f0, 0x27f1, Tok::kPower},      {0x27f5, 0x27f7, Tok::kArrow},
    {0x27f9, 0x27ff, Tok::kArrow},      {0x2900, 0x2907, Tok::kArrow},
    {0x2908, 0x290b, Tok::kPower},      {0x290c, 0x2911, Tok::kArrow},
    {0x2912, 0x2913, Tok::kPower},      {0x2914, 0x2918, Tok::kArrow},
    {0x291d, 0x2920, Tok::kArrow},      {0x2944, 0x2948, Tok::kArrow},
    {0x2949, 0x2949, Tok::kPower},      {0x294a, 0x294b, Tok::kArrow},
    {0x294c, 0x294d, Tok::kPower},      {0x294e, 0x294e, Tok::kArrow},
    {0x294f, 0x294f, Tok::kPower},      {0x2950, 0x2950, Tok::kArrow},
    {0x2951, 0x2951, Tok::kPower},      {0x2952, 0x2953, Tok::kArrow},
    {0x2954, 0x2955, Tok::kPower},      {0x2956, 0x2957, Tok::kArrow},
    {0x2958, 0x2959, Tok::kPower},      {0x295a, 0x295b, Tok::kArrow},
    {0x295c, 0x295d, Tok::kPower},      {0x295e, 0x295f, Tok::kArrow},
    {0x2960, 0x2961, Tok::kPower},      {0x2962, 0x2962, Tok::kArrow},
    {0x2963, 0x2963, Tok::kPower},      {0x2964, 0x2964, Tok::kArrow},
    {0x2965, 0x2965, Tok::kPower},      {0x2966, 0x296d, Tok::kArrow},
    {0x296e, 0x296f, Tok::kPower},      {0x2970, 0x2970, Tok::kArrow},
    {0x2977, 0x2977, Tok::kArrow},      {0x297a, 0x297a, Tok::kArrow},
    {0x29b7, 0x29b7, Tok::kComparison}, {0x29b8, 0x29b8, Tok::kStarLike},
    {0x29bc, 0x29bc, Tok::kStarLike},   {0x29be, 0x29bf, Tok::kStarLike},
    {0x29c0, 0x29c1, Tok::kComparison}, {0x29e1, 0x29e1, Tok::kComparison},
    {0x29e3, 0x29e5, Tok::kComparison}, {0x29f4, 0x29f4, Tok::kArrow},
    {0x29f6, 0x29f7, Tok::kStarLike},   {0x29fa, 0x29fb, Tok::kPlusLike},
    {0x2a07, 0x2a07, Tok::kStarLike},   {0x2a08, 0x2a08, Tok::kPlusLike},
    {0x2a1d, 0x2a1d, Tok::kStarLike},   {0x2a1f, 0x2a1f, Tok::kStarLike},
    {0x2a22, 0x2a2e, Tok::kPlusLike},   {0x2a30, 0x2a38, Tok::kStarLike},
    {0x2a39, 0x2a3a, Tok::kPlusLike},   {0x2a3b, 0x2a3d, Tok::kStarLike},
    {0x2a40, 0x2a40, Tok::kStarLike},   {0x2a41, 0x2a42, Tok::kPlusLike},
    {0x2a43, 0x2a44, Tok::kStarLike},   {0x2a45, 0x2a45, Tok::kPlusLike},
    {0x2a4a, 0x2a4a, Tok::kPlusLike},   {0x2a4b, 0x2a4b, Tok::kStarLike},
    {0x2a4c, 0x2a4c, Tok::kPlusLike},   {0x2a4d, 0x2a4e, Tok::kStarLike},
    {0x2a4f, 0x2a50, Tok::kPlusLike},   {0x2a51, 0x2a51, Tok::kStarLike},
    {0x2a52, 0x2a52, Tok::kPlusLike},   {0x2a53, 0x2a53, Tok::kStarLike},
    {0x2a54, 0x2a54, Tok::kPlusLike},   {0x2a55, 0x2a55, Tok::kStarLike},
    {0x2a56, 0x2a57, Tok::kPlusLike},   {0x2a58, 0x2a58, Tok::kStarLike},
    {0x2a5a, 0x2a5a, Tok::kStarLike},   {0x2a5b, 0x2a5b, Tok::kPlusLike},
    {0x2a5c, 0x2a5c, Tok::kStarLike},   {0x2a5d, 0x2a5d, Tok::kPlusLike},
    {0x2a5e, 0x2a60, Tok::kStarLike},   {0x2a61, 0x2a63, Tok::kPlusLike},
    {0x2a66, 0x2a67, Tok::kComparison}, {0x2a6a, 0x2a73, Tok::kComparison},
    {0x2a74, 0x2a74, Tok::kAssignLike}, {0x2a75, 0x2ad9, Tok::kComparison},
    {0x2adb, 0x2adb, Tok::kStarLike},   {0x2aea, 0x2aeb, Tok::kComparison},
    {0x2af7, 0x2afa, Tok::kComparison}, {0x2b30, 0x2b44, Tok::kArrow},
    {0x2b47, 0x2b4c, Tok::kArrow},      {0xffe9, 0xffe9, Tok::kArrow},
    {0xffea, 0xffea, Tok::kPower},      {0xffeb, 0xffeb, Tok::kArrow},
    {0xffec, 0xffec, Tok::kPower},      {0x1f8b2, 0x1f8b2, Tok::kArrow},
};

template <class R>
const R* find_range(std::span<const R> ranges, uint32_t code) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code, [](uint32_t c, const R& r) { return c < r.first; });
  if (after == ranges.begin()) return nullptr;
  const R& r = *(after - 1);
  return code <= r.last ? &r : nullptr;
}

bool within(std::span<const CodeRange> ranges, uint32_t code) { return find_range(ranges, code) != nullptr; }

bool is_ascii_letter(uint32_t c) { return (c | 32) - 'a' < 26; }

}  // namespace

Character decode(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> uint32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const uint32_t wanted = lead >= 0xf0 && lead < 0xf8   ? 4
                          : lead >= 0xe0 && lead < 0xf0 ? 3
                          : lead >= 0xc0 && lead < 0xe0 ? 2
                                                        : 0;
  if (wanted == 0) return {};
  uint32_t code = lead & (0x7f >> wanted), bytes = 1;
  while (bytes < wanted && (byte(at + bytes) & 0xc0) == 0x80) code = code << 6 | (byte(at + bytes++) & 0x3f);
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (bytes < wanted || code < kLeast[wanted] || code > 0x10ffff || surrogate) return {kInvalidCharacter, bytes};
  return {code, bytes};
}

void append_utf8(std::string& out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6), put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 0x3f)), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
  }
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); i += decode(text, i).bytes) ++count;
  return count;
}

bool starts_name(uint32_t code) {
  if (code < 0x80) return is_ascii_letter(code) || code == '_';
  return code != kInvalidCharacter && within(name_start_ranges(), code);
}

bool continues_name(uint32_t code) {
  if (code < 0x80) return is_ascii_letter(code) || code == '_' || code - '0' < 10 || code == '!';
  return code != kInvalidCharacter && (within(name_start_ranges(), code) || within(name_part_ranges(), code));
}

bool is_operator_suffix(uint32_t code) {
  if (code < 0xa1 || code == kInvalidCharacter) return false;
  // Superscripts, subscripts and primes.
  static constexpr CodeRange kSuffixes[] = {
      {0xb2, 0xb3},     {0xb9, 0xb9},     {0x2b0, 0x2b0},   {0x2b2, 0x2b3},   {0x2b7, 0x2b8},   {0x2e1, 0x2e3},
      {0x1d2c, 0x1d2c}, {0x1d2e, 0x1d2e}, {0x1d30, 0x1d31}, {0x1d33, 0x1d3a}, {0x1d3c, 0x1d3c}, {0x1d3e, 0x1d43},
      {0x1d47, 0x1d49}, {0x1d4d, 0x1d4d}, {0x1d4f, 0x1d50}, {0x1d52, 0x1d52}, {0x1d56, 0x1d58}, {0x1d5b, 0x1d5b},
      {0x1d5d, 0x1d6a}, {0x1d9c, 0x1d9c}, {0x1da0, 0x1da0}, {0x1da5, 0x1da6}, {0x1dab, 0x1dab}, {0x1db0, 0x1db0},
      {0x1db8, 0x1db8}, {0x1dbb, 0x1dbb}, {0x1dbf, 0x1dbf}, {0x2032, 0x2037}, {0x2057, 0x2057}, {0x2070, 0x2071},
      {0x2074, 0x208e}, {0x2090, 0x2093}, {0x2095, 0x209c}, {0x2c7c, 0x2c7d}, {0xa71b, 0xa71d},
  };
  return within(kSuffixes, code) || within(mark_ranges(), code);
}

bool is_space(uint32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f || code == 0x3000 || code == 0xfeff;
}

bool is_invisible(uint32_t code) {
  return code == 0xad || (code >= 0x200b && code <= 0x200f) || code == 0x2060 || code == 0x2061;
}

bool ends_interpolated_name(uint32_t code) {
  if (code < 0x80 || code == kInvalidCharacter || starts_operator(code)) return true;
  // Punctuation of Latin-1, brackets, spaces and format characters.
  static constexpr CodeRange kEnds[] = {{0xa1, 0xa1},     {0xa7, 0xa7},     {0xab, 0xab},     {0xb6, 0xb6},
                                        {0xbb, 0xbb},     {0xbf, 0xbf},     {0x27e6, 0x27ef}, {0x3008, 0x3011},
                                        {0x3014, 0x301b}, {0xff08, 0xff09}, {0xff3b, 0xff3b}, {0xff3d, 0xff3d}};
  return code < 0xa1 || within(kEnds, code) || within(format_ranges(), code);
}

Tok operator_of(uint32_t code) {
  const OperatorRange* r = find_range(std::span<const OperatorRange>(kOperators), code);
  return r == nullptr ? Tok::kEnd : r->kind;
}

bool starts_operator(uint32_t code) {
  if (code < 0x80)
    return code != 0 && std::string_view("!$%&'*+-/:<=>?\\^|~").find(static_cast<char>(code)) != std::string_view::npos;
  return operator_of(code) != Tok::kEnd;
}

bool starts_dottable_operator(uint32_t code) {
  return code != '?' && code != '$' && code != ':' && code != '\'' && starts_operator(code);
}

}  // namespace weft::julia
