// Square brackets and braces: vectors, matrices, arrays of any rank, comprehensions. Spaces, line breaks and runs of semicolons
// separate, in this order of strength: the inside is a sequence of separators with binding powers 0, -1, -2, …
#include <climits>

#include "julia/syntax/parser.h"

namespace weft::julia {
namespace {

constexpr int kNoSeparator = INT_MIN;
constexpr const char* kMixed = "cannot mix space and ;; separators in an array expression, except to wrap a line";

}  // namespace

/// The inside of brackets, its opening read, and the closer. `end_symbol` is for what follows the first element.
Parser::Cat Parser::cat(Tok closer, bool end_symbol) {
  const Nesting nesting(*this);
  const InContext inside(*this);
  context_.range_colon = true;
  context_.space_sensitive = true;
  context_.where_enabled = true;
  context_.newline_is_space = false;
  context_.for_generator = true;
  const Mark m = mark();
  const Tok first = kind_past_newlines();
  if (first == closer) return vect(closer, false);
  if (first == Tok::kSemicolon) {
    skip_newlines();
    ArrayOrder order = ArrayOrder::kUnknown;
    const int dim = array_separator(order).dim;
    close(closer);
    return {Kind::kNcat, 0, checked_dim(dim)};
  }
  eq_star();
  const Tok next = kind_past_newlines();
  if (next == Tok::kComma || (closes(next) && next != Tok::kSemicolon)) {
    if (next == Tok::kComma) {
      skip_newlines();
      skip();
    }
    return vect(closer, next == Tok::kComma);
  }
  if (next == Tok::kFor) return comprehension(m, closer);
  return array(m, closer, end_symbol);
}

Parser::Cat Parser::vect(Tok closer, bool trailing_comma) {
  Brackets b = open_brackets(closer);
  unsigned flags = close_brackets(b, closer, true);
  if (b.expressions == 0 && trailing_comma) flags |= Node::kTrailingComma;
  return {Kind::kVect, flags};
}

Parser::Cat Parser::comprehension(Mark m, Tok closer) {
  const InContext inside(*this);
  context_.newline_is_space = true;
  context_.space_sensitive = false;
  context_.end_symbol = false;
  generator(m);
  close(closer);
  return {Kind::kComprehension};
}

/// Separators of falling strength; those of rising and equal strength are array_inner's.
Parser::Cat Parser::array(Mark m, Tok closer, bool end_symbol) {
  const InContext inside(*this);
  context_.end_symbol = end_symbol;
  ArrayOrder order = ArrayOrder::kUnknown;
  auto [dim, binding] = array_separator(order);
  if (binding == kNoSeparator) {
    close(closer);
    return {Kind::kHcat};
  }
  while (true) {
    const Separator next = array_inner(binding, order);
    if (next.binding == kNoSeparator) break;
    emit_row(m, binding, dim);
    dim = next.dim;
    binding = next.binding;
  }
  close(closer);
  if (binding == 0) return {Kind::kHcat};
  if (binding == -1) return {Kind::kVcat};
  return {Kind::kNcat, 0, checked_dim(dim)};
}

void Parser::emit_row(Mark m, int binding, int dim) {
  if (binding == 0) {
    emit(m, Kind::kRow);
  } else {
    emit(m, Kind::kNrow, 0, checked_dim(dim));
  }
}

/// A chain of separators as strong as `binding`, with stronger ones inside. The left element and the first separator have been
/// read. Returns the weaker separator that ended it.
Parser::Separator Parser::array_inner(int binding, ArrayOrder& order) {
  const Nesting nesting(*this);
  Mark m = mark();
  Separator now{-1, binding};
  while (true) {
    if (now.binding < binding) return now;
    if (closes(kind())) return {kNoSeparator, kNoSeparator};
    Separator next{};
    if (now.binding == binding) {
      m = mark();
      eq_star();
      next = array_separator(order);
    } else {
      next = array_inner(now.binding, order);
      emit_row(m, now.binding, now.dim);
    }
    now = next;
  }
}

Parser::Separator Parser::array_separator(ArrayOrder& order) {
  const Mark m = mark();
  if (kind_past_newlines() == Tok::kSemicolon) {
    skip_newlines();
    int semicolons = 0;
    while (true) {
      skip();
      ++semicolons;
      if (kind() != Tok::kSemicolon) break;
      disallow_space();
    }
    const bool had_newline = kind() == Tok::kNewline;
    skip_newlines();
    if (semicolons == 2) {
      if (order == ArrayOrder::kRowMajor) {
        if (had_newline) return {2, 0};  // ;; and a line break: the row goes on
        error(m, kMixed, Node::kTrivia);
      } else {
        order = ArrayOrder::kColumnMajor;
      }
    }
    return {semicolons, -semicolons};
  }
  const Token t = peek();
  if (t.kind == Tok::kNewline) {
    skip_newlines();
    if (kind() == Tok::kRightBracket) return {kNoSeparator, kNoSeparator};
    return {1, -1};
  }
  if (t.kind == Tok::kComma) {
    error_token("unexpected comma in array expression", Node::kTrivia);
    return {1, -1};
  }
  if (!t.space_before || closes(t.kind)) return {kNoSeparator, kNoSeparator};
  if (order == ArrayOrder::kColumnMajor) {
    report_space(kMixed);
    invisible(Kind::kError, Node::kTrivia);
  } else {
    order = ArrayOrder::kRowMajor;
  }
  return {2, 0};
}

unsigned Parser::checked_dim(int n) {
  constexpr int kMost = 255;
  if (n <= kMost) return static_cast<unsigned>(n);
  report(last_end_, last_end_, "an array of more than 255 dimensions");
  return kMost;
}

void Parser::emit_braces(Mark m, const Cat& c) {
  if (c.kind == Kind::kHcat) emit(m, Kind::kRow);
  if (c.kind == Kind::kNcat) emit(m, Kind::kNrow, 0, c.dim);
  const bool plain = c.kind == Kind::kVect || c.kind == Kind::kComprehension;
  emit(m, plain ? Kind::kBraces : Kind::kBracesCat, plain ? c.flags & Node::kTrailingComma : 0);
}

void Parser::braces() {
  const Mark m = mark();
  skip();
  emit_braces(m, cat(Tok::kRightBrace, context_.end_symbol));
}

}  // namespace weft::julia
