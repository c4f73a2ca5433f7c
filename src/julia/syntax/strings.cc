// Strings and commands, their interpolations and the indentation of triple-quoted ones.
#include <algorithm>

#include "julia/syntax/parser.h"

namespace weft::julia {
namespace {

/// The white space that all lines of a triple-quoted string begin with.
class Indentation {
 public:
  explicit Indentation(std::string_view source) : source_(source) {}

  /// A line of text that begins at a byte.
  void add_line(uint32_t begin, uint32_t end) {
    if (!known_) {
      known_ = true;
      reference_ = begin;
      uint32_t i = begin;
      while (i < end && (source_[i] == ' ' || source_[i] == '\t')) ++i;
      length_ = i - begin;
      return;
    }
    uint32_t same = 0;
    while (same < end - begin && same < length_ && source_[begin + same] == source_[reference_ + same]) ++same;
    length_ = same;
  }
  /// A line that begins without.
  void add_bare_line() {
    known_ = true;
    length_ = 0;
  }
  uint32_t length() const { return known_ ? length_ : 0; }

 private:
  std::string_view source_;
  bool known_ = false;
  uint32_t reference_ = 0, length_ = 0;
};

}  // namespace

/// `raw`: without escapes and interpolations.
void Parser::string_literal(bool raw) {
  const Mark m = mark();
  const Token open = peek();
  const bool is_command = open.kind == Tok::kBacktick || open.kind == Tok::kTripleBacktick;
  const bool triple = open.kind == Tok::kTripleQuote || open.kind == Tok::kTripleBacktick;
  const Tok piece = is_command ? Tok::kCmdString : Tok::kString;
  const Kind piece_kind = is_command ? Kind::kCmdString : Kind::kString;
  const unsigned flags = raw ? Node::kRaw : 0;
  const std::string_view source = tree_.source();
  skip();
  Indentation indentation(source);
  std::vector<size_t> lines;  // places on the stack of pieces that begin a line
  bool first = true, at_line = false;
  int pieces = 0;
  // No line breaks inside are tokens.
  const InContext inside(*this);
  context_.newline_is_space = false;
  while (!gave_up_) {
    const Token t = peek();
    if (t.kind == Tok::kDollar) {
      if (raw) break;
      if (at_line) indentation.add_bare_line();
      string_interpolation();
      ++pieces;
      first = at_line = false;
    } else if (t.kind == piece) {
      const char last = source[t.end - 1];
      const bool ends_line = last == '\n' || last == '\r';
      if (triple && first && ends_line && source[t.begin] == (t.end - t.begin == 2 ? '\r' : last) &&
          t.end - t.begin <= 2) {
        // The line break behind the opening quotes is no text.
        skip();
        first = false;
        at_line = true;
        continue;
      }
      if (triple) {
        const char c = source[t.begin];
        if (at_line && c != '\n' && c != '\r') {
          indentation.add_line(t.begin, t.end);
          lines.push_back(stack_.size());
        }
        at_line = ends_line;
      }
      leaf(piece_kind, flags);
      ++pieces;
      first = false;
    } else if (t.kind == Tok::kErrorInvalidInterpolationTerminator || t.kind == Tok::kErrorBidiFormatting ||
               t.kind == Tok::kErrorInvalidUTF8) {
      leaf();
      ++pieces;
    } else {
      break;
    }
  }
  const bool closed = kind() == open.kind;
  // Closing quotes at the beginning of a line: nothing is taken away.
  const uint32_t indent = triple && !(at_line && closed) ? indentation.length() : 0;
  if (indent > 0) {
    size_t kept = m.depth, next_line = 0;
    for (size_t i = m.depth; i < stack_.size(); ++i) {
      const NodeId id = stack_[i];
      if (next_line < lines.size() && lines[next_line] == i) {
        ++next_line;
        Node& node = tree_.edit(id);
        node.begin = std::min(node.begin + indent, node.end);
        if (node.begin == node.end) {
          --pieces;
          continue;
        }
      }
      stack_[kept++] = id;
    }
    stack_.resize(kept);
  }
  if (closed) {
    if (pieces == 0) invisible(piece_kind, flags);
    skip();
  } else {
    error_trivia_here("unterminated string literal");
  }
  emit(m, is_command ? Kind::kCmdLiteral : Kind::kStringLiteral, flags | (triple ? unsigned{Node::kForm} : 0U));
}

/// $name or $(expression).
void Parser::string_interpolation() {
  skip();
  const Tok k = kind();
  if (k == Tok::kLeftParen) {
    const Nesting nesting(*this);
    const Mark m = mark();
    skip();
    Brackets b = open_brackets(Tok::kRightParen);
    const bool simple = !b.had_commas && b.semicolons == 0 && b.expressions == 1;
    close_brackets(b, Tok::kRightParen, false);
    if (!simple || top_kind(false) == Kind::kGenerator) error(m, "invalid interpolation syntax");
    emit(m, Kind::kParens);
  } else if (k == Tok::kVar) {
    leaf(Kind::kIdentifier);  // no var"…" in strings
  } else if (k == Tok::kIdentifier || is_keyword(k) || is_word_operator(k)) {
    atom();
  } else {
    error_here("identifier or parenthesized expression expected after $ in string");
  }
}

}  // namespace weft::julia
