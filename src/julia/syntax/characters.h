// What characters may do in Julia source: start a name, go on in one, be an operator. Classes of Unicode 14.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "julia/syntax/token.h"

namespace weft::julia {

constexpr uint32_t kInvalidCharacter = ~uint32_t{0};

/// A character of UTF-8 text. What is no UTF-8 gives kInvalidCharacter and the bytes that were meant to be one.
struct Character {
  uint32_t code = kInvalidCharacter;
  uint32_t bytes = 1;
};
/// `at` is inside the text.
Character decode(std::string_view text, size_t at);
void append_utf8(std::string& out, uint32_t code);
/// "1 character" of text that may be malformed: Julia's Char reads malformed sequences as one.
size_t count_characters(std::string_view text);

bool starts_name(uint32_t code);
bool continues_name(uint32_t code);
bool is_operator_suffix(uint32_t code);
bool is_space(uint32_t code);
/// Soft hyphens, zero-width characters and direction marks.
bool is_invisible(uint32_t code);
/// Ends the name in "$name" without being an error.
bool ends_interpolated_name(uint32_t code);

/// The kind of an operator of one character that is not ASCII; Tok::kEnd when it is none.
Tok operator_of(uint32_t code);
/// Whether an operator begins with the character.
bool starts_operator(uint32_t code);
/// … one that may have a dot before it.
bool starts_dottable_operator(uint32_t code);

/// The name that Julia takes a name in the source for: composed (NFC), with ɛ → ε, µ → μ, · → ⋅, − → -, ℏ → ħ.
std::string normalized_name(std::string_view name);

}  // namespace weft::julia
