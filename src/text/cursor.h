// A place in a text and the small moves that a recursive-descent parser makes from there. Keeps no tokens: MLIR's
// dimension lists ("2x3xf32") have none that hold everywhere.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/error.h"

namespace weft::text {

class Cursor {
 public:
  /// `file` is interned and `text` outlives the cursor.
  Cursor(std::string_view text, const std::string* file) : text_(text), file_(file) {}

  // Whitespace and comments are skipped before each move below, never after.
  void skip_space();
  bool at_end();
  /// The next character; 0 at the end.
  char peek();
  /// True when the text goes on with `s` exactly (no word boundary asked for).
  bool looking_at(std::string_view s);
  bool accept(char c);
  bool accept(std::string_view punctuation);
  void expect(char c, std::string_view context);
  void expect(std::string_view punctuation, std::string_view context);
  /// A word of letters, digits, '_', '$', '.', not starting with a digit; empty when there is none.
  std::string_view peek_word();
  std::string_view word();
  bool accept_word(std::string_view w);
  void expect_word(std::string_view w, std::string_view context);
  /// The name after a sigil ('%', '^', '!', '#'), the sigil itself already consumed.
  std::string_view suffix_name(std::string_view what);
  /// @name or @"name", without the sigil.
  std::string symbol();
  /// The characters between quotes as they are written; escapes stay.
  std::string_view raw_string();
  /// A quoted string with its escapes resolved.
  std::string string();
  int64_t integer(std::string_view what);
  /// Skips to the bracket that closes one already opened; strings are skipped whole. `close` is consumed.
  void skip_balanced(char close);

  size_t offset() const { return offset_; }
  void seek(size_t offset) { offset_ = offset; }
  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(offset_); }

  Loc loc(size_t offset, size_t length = 1);
  /// The place of the next character.
  Loc here();
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void fail_at(size_t offset, size_t length, const std::string& message);
  /// "got X, expected Y" at the next character.
  [[noreturn]] void fail_expected(std::string_view expected, std::string_view context);

 private:
  std::string_view text_;
  const std::string* file_;
  size_t offset_ = 0;
  // Line counting goes on from the last place asked for: places are asked for almost in order.
  size_t counted_to_ = 0, line_start_ = 0;
  uint32_t line_ = 1;
};

bool is_word_start(char c);
bool is_word_char(char c);

}  // namespace weft::text
