// What the parser does where the source is wrong: report, mark by an error node, go on.
#include "julia/syntax/parser.h"

namespace weft::julia {

void Parser::report(uint32_t begin, uint32_t end, std::string message, Diagnostic::Level level) {
  if (!gave_up_) diagnostics_.push_back({begin, end, level, std::move(message)});
}

/// About the next token.
void Parser::report_next(std::string message, Diagnostic::Level level) {
  const Token& t = peek_token(1, true);
  report(t.begin, t.end, std::move(message), level);
}

/// About the space before the next token.
void Parser::report_space(std::string message, Diagnostic::Level level) {
  report(last_end_, peek_token(1, true).begin, std::move(message), level);
}

/// Makes what was read since the mark an error.
NodeId Parser::error(Mark from, std::string message, unsigned flags) {
  report(begin_of(from), last_end_, std::move(message));
  return emit(from, Kind::kError, flags);
}

/// An error in the place of something that is missing.
void Parser::error_here(std::string message) {
  report(last_end_, last_end_, std::move(message));
  invisible(Kind::kError);
}

void Parser::error_trivia_here(std::string message) {
  report(last_end_, last_end_, std::move(message));
  invisible(Kind::kError, Node::kTrivia);
}

/// The next token as an error; passed over for a recovery (kTrivia).
NodeId Parser::error_token(std::string message, unsigned flags) {
  if (context_.newline_is_space) skip_newlines();
  const Mark m = mark();
  if ((flags & Node::kTrivia) != 0) {
    skip();
  } else {
    leaf();
  }
  return error(m, std::move(message), flags);
}

void Parser::disallow_space() {
  const Token& t = peek();
  if (!t.space_before) return;
  report(last_end_, t.kind == Tok::kNewline ? t.begin : peek_token(1, false).begin, "whitespace is not allowed here");
  invisible(Kind::kError, Node::kTrivia);
}

/// Passes over the closer. Where it is missing, tokens up to it or another closer become an error.
void Parser::close(Tok closer, std::string_view alternative) {
  if (kind() == closer) {
    skip_newlines();
    skip();
    return;
  }
  const std::string name = closer == Tok::kEndWord        ? "end"
                           : closer == Tok::kRightParen   ? ")"
                           : closer == Tok::kRightBracket ? "]"
                                                          : "}";
  report(last_end_, last_end_, "Expected `" + name + "`" + std::string(alternative));
  const Mark m = mark();
  while (true) {
    const Tok k = kind();
    if (closes(k) && k != Tok::kComma && k != Tok::kSemicolon) break;
    leaf();
  }
  emit(m, Kind::kError, Node::kTrivia);
  if (kind() == closer) skip();
}

void Parser::nested_too_deeply() {
  if (gave_up_) return;
  report_next("nested deeper than " + std::to_string(Nesting::kMost) + " levels: the rest is not read");
  gave_up_ = true;
  pos_ = static_cast<uint32_t>(tokens_.size() - 1);
}

}  // namespace weft::julia
