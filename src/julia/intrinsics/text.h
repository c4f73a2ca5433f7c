// What the intrinsics of texts share.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "julia/host/exception.h"
#include "julia/host/number.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

using Args = std::span<const Value>;

// The lists that text.cc joins.
std::span<const IntrinsicEntry> string_intrinsics();
std::span<const IntrinsicEntry> search_intrinsics();
std::span<const IntrinsicEntry> character_intrinsics();
std::span<const IntrinsicEntry> show_intrinsics();
std::span<const IntrinsicEntry> stream_intrinsics();
std::span<const IntrinsicEntry> file_intrinsics();
std::span<const IntrinsicEntry> printf_intrinsics();
std::span<const IntrinsicEntry> dict_intrinsics();
std::span<const IntrinsicEntry> reflection_intrinsics();

/// Whether v is a String or a SubString{String}.
bool is_text(const Value& v);
/// The bytes of a String or SubString{String}; Unsupported for other kinds of AbstractString.
std::string_view text_of(const Value& v);
/// `count` bytes of a text from `offset` on, as a SubString of the String behind it.
Value substring_of(const Value& text, size_t offset, size_t count);
/// Vector{SubString{String}}.
Value substring_vector(std::vector<Value> pieces);

/// Any machine integer within 64 bits.
int64_t int_of(const Value& v);
inline Value integer(int64_t x) { return number(x); }
inline bool bool_of(const Value& v) { return v.get<bool>(); }
Char char_of_value(const Value& v);
Value char_value(Char c);
/// Whether v is an instance of the builtin type of this name (any parameters).
bool is_named(const Value& v, std::string_view name);

/// Whether a byte begins a character.
inline bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }
/// The 0-based place where the character that byte `i` belongs to begins, as Julia counts characters in malformed texts.
size_t character_start(std::string_view text, size_t i);
/// Of the character after the one that begins at `i`.
inline size_t next_start(std::string_view text, size_t i) {
  next_char(text, i);
  return i;
}
/// The number of characters.
int64_t character_count(std::string_view text);

}  // namespace weft::julia
