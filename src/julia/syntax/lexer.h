// Source text → tokens. Strings are taken apart here too, their interpolated code included, so that the parser sees one
// sequence of tokens.
#pragma once
#include <string_view>
#include <vector>

#include "julia/syntax/characters.h"
#include "julia/syntax/diagnostics.h"
#include "julia/syntax/token.h"

namespace weft::julia {

class Lexer {
 public:
  Lexer(std::string_view text, std::vector<Diagnostic>& diagnostics) : text_(text), diagnostics_(diagnostics) {}
  /// All tokens, kEnd last; whitespace and comments only as Token::space_before. Of line breaks one behind the other at most two
  /// are kept.
  std::vector<Token> run();

 private:
  /// A string or character literal that is being read.
  struct Quoted {
    char delimiter;
    bool triple, raw;
    uint32_t parens = 0;  // open ones of an interpolation; 0: in the string's text
  };

  // The next characters; '\0' behind the end (and where the text has one: at_end() tells).
  char byte(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at_end(size_t ahead = 0) const { return at_ + ahead >= text_.size(); }
  Character character() const { return at_end() ? Character{0, 0} : decode(text_, at_); }
  /// The code of the character `ahead` bytes further; 0 at the end.
  uint32_t code_at(size_t ahead) const { return at_end(ahead) ? 0 : decode(text_, at_ + ahead).code; }
  bool accept(char c) {
    if (byte() != c || at_end()) return false;
    ++at_;
    return true;
  }
  void emit(Tok kind, bool may_have_suffix = true);
  void report(uint32_t begin, uint32_t end, std::string message);

  void next();
  void code();
  void ascii_operator(char c);
  void space();
  void comment();
  void dot();
  void prime();
  void quote(char delimiter);
  void name();
  // lex_numbers.cc
  void number(bool after_dot);
  bool digits(bool (*is_digit)(char));
  bool exponent();
  bool based_number();
  // lex_strings.cc
  void string_part();
  void string_text(const Quoted& q);
  bool terminates(const Quoted& q) const;
  void error_token(Tok kind);

  std::string_view text_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token> out_;
  std::vector<Quoted> quoted_;
  size_t at_ = 0, start_ = 0;
  Tok last_ = Tok::kEnd;  // whitespace and comments count
  bool space_before_ = false;
};

/// Counts the direction marks of a text that does not show in the order it is read (Unicode annex 9).
class BidiState {
 public:
  void add(uint32_t code);
  void new_line() { embeddings_ = isolates_ = 0; }
  bool balanced() const { return embeddings_ == 0 && isolates_ == 0; }

 private:
  int embeddings_ = 0, isolates_ = 0;
};

}  // namespace weft::julia
