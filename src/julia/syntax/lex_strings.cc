// The inside of strings, commands and characters.
#include "julia/syntax/lexer.h"

namespace weft::julia {

bool Lexer::terminates(const Quoted& q) const {
  if (at_end() || byte() != q.delimiter) return false;
  return !q.triple || (byte(1) == q.delimiter && byte(2) == q.delimiter);
}

void Lexer::string_part() {
  Quoted& q = quoted_.back();
  if (q.parens > 0) {
    // Code of an interpolation, until its parenthesis closes.
    const char c = byte();
    if (c == '(' && !at_end()) {
      ++q.parens;
      ++at_;
      return emit(Tok::kLeftParen);
    }
    if (c == ')' && !at_end()) {
      --q.parens;
      ++at_;
      return emit(Tok::kRightParen);
    }
    return code();
  }
  const Character ch = character();
  if (last_ == Tok::kDollar) {
    if (byte() == '(') {
      ++at_;
      ++q.parens;
      return emit(Tok::kLeftParen);
    }
    if (ch.bytes != 0 && starts_name(ch.code)) return name();
  } else if (last_ == Tok::kIdentifier && ch.bytes != 0 && !ends_interpolated_name(ch.code)) {
    at_ += ch.bytes;
    return emit(Tok::kErrorInvalidInterpolationTerminator);
  }
  if (at_end()) return emit(Tok::kEnd);
  if (!q.raw && byte() == '$') {
    ++at_;
    return emit(Tok::kDollar);
  }
  if (!q.raw && byte() == '\\' && (byte(1) == '\n' || byte(1) == '\r')) {
    // A line that goes on in the next: no text.
    at_ += byte(1) == '\r' && byte(2) == '\n' ? 3 : 2;
    while (byte() == ' ' || byte() == '\t') ++at_;
    return emit(Tok::kWhitespace);
  }
  if (terminates(q)) {
    if (q.delimiter == '\'' && last_ == Tok::kPrime && byte(1) == '\'') {
      ++at_;  // '''
      return emit(Tok::kChar);
    }
    const char delimiter = q.delimiter;
    const bool triple = q.triple;
    quoted_.pop_back();
    at_ += triple ? 3 : 1;
    if (delimiter == '"') return emit(triple ? Tok::kTripleQuote : Tok::kQuote);
    if (delimiter == '`') return emit(triple ? Tok::kTripleBacktick : Tok::kBacktick);
    return emit(Tok::kPrime, false);
  }
  string_text(q);
}

/// A piece of text: up to the end, an interpolation or a continued line; of triple-quoted strings a line.
void Lexer::string_text(const Quoted& q) {
  BidiState bidi;
  bool valid = true;
  const auto take = [&] {
    if (static_cast<unsigned char>(byte()) < 0x80) {
      if (byte() == '\n') bidi.new_line();
      ++at_;
      return;
    }
    const Character ch = character();
    valid = valid && ch.code != kInvalidCharacter;
    bidi.add(ch.code);
    at_ += ch.bytes;
  };
  while (!at_end()) {
    const char c = byte();
    if (c == q.delimiter && terminates(q)) break;
    if (!q.raw && c == '$') break;
    if (q.triple && (c == '\n' || c == '\r')) {
      if (c == '\n' || byte(1) == '\n') bidi.new_line();
      at_ += c == '\r' && byte(1) == '\n' ? 2 : 1;
      break;
    }
    if (c != '\\') {
      take();
      continue;
    }
    if (!q.raw) {
      if (byte(1) == '\r' || byte(1) == '\n') {
        if (byte(1) == '\n' || byte(2) == '\n') bidi.new_line();
        break;
      }
      ++at_;
      if (!at_end()) take();
      continue;
    }
    // Without escapes an odd number of backslashes still keeps a delimiter from ending the text.
    size_t backslashes = 0;
    for (; byte() == '\\'; ++at_) ++backslashes;
    if (byte() == q.delimiter && !at_end() && backslashes % 2 != 0) ++at_;
  }
  emit(!valid                ? Tok::kErrorInvalidUTF8
       : q.delimiter == '\'' ? Tok::kChar
       : !bidi.balanced()    ? Tok::kErrorBidiFormatting
       : q.delimiter == '"'  ? Tok::kString
                             : Tok::kCmdString);
}

}  // namespace weft::julia
