// Names, literals, quotes and whatever begins with a bracket.
#include "julia/syntax/literals.h"
#include "julia/syntax/parser.h"

namespace weft::julia {

/// `check_names`: operators that are syntax, and words that close something, are errors. Quotes and fields allow them.
void Parser::atom(bool check_names, bool has_prefix) {
  skip_newlines();
  const Mark m = mark();
  const DottedOperator op = peek_operator();
  const Tok k = op.kind();
  if (op.dotted) return operator_atom(true, k, check_names);
  switch (k) {
    case Tok::kIdentifier: leaf(); return;
    case Tok::kLeftParen: return paren(check_names, has_prefix);
    case Tok::kLeftBracket: {
      skip();
      const Cat c = cat(Tok::kRightBracket, context_.end_symbol);
      emit(m, c.kind, c.flags, c.dim);
      return;
    }
    case Tok::kLeftBrace: return braces();
    case Tok::kAt:
      skip();
      macro_name();
      return call_chain(m, true);
    case Tok::kQuote:
    case Tok::kTripleQuote: return string_literal(false);
    case Tok::kBacktick:
    case Tok::kTripleBacktick: return string_literal(true);
    case Tok::kPrime: return char_literal();
    case Tok::kColon: return colon_quote();
    case Tok::kDot:
      leaf(Kind::kIdentifier);
      if (check_names) error(m, "invalid identifier");
      return;
    case Tok::kChar: leaf(Kind::kIdentifier); return;  // 'c' behind a name, taken for an adjoint: x'c'
    default: break;
  }
  if (is_error(k)) {
    leaf();
  } else if (k == Tok::kAssign && check_names) {
    error_token("unexpected `=`");
  } else if (is_word_operator(k)) {
    leaf(Kind::kIdentifier);
  } else if (is_operator(k)) {
    operator_atom(false, k, check_names);
  } else if (is_keyword(k)) {
    keyword_atom(k, check_names);
  } else if (is_literal(k)) {
    leaf();
  } else if (closes(k)) {
    // Left for those to whom it belongs.
    report_next(k == Tok::kEnd ? "premature end of input" : "unexpected `" + spelling(peek_token(1, true)) + "`");
    invisible(Kind::kError);
  } else {
    error_token("invalid syntax atom");
  }
}

void Parser::operator_atom(bool dotted, Tok k, bool check_names) {
  const Mark m = mark();
  const Kind kind = is_syntactic(k) ? Kind::kOperator : Kind::kIdentifier;
  if (dotted) skip();
  const NodeId id = leaf(kind);
  if (dotted) emit(m, Kind::kDot);
  (void)id;
  if (check_names && (is_syntactic(k) || k == Tok::kQuestion || k == Tok::kPrime)) error(m, "invalid identifier");
}

void Parser::keyword_atom(Tok k, bool check_names) {
  if (k == Tok::kVar && kind(2) == Tok::kQuote && !peek(2).space_before) return var_name();
  if (check_names && closes(k)) {
    error_token("invalid identifier", 0);
    return;
  }
  leaf(Kind::kIdentifier);
}

/// var"any text"
void Parser::var_name() {
  const Mark m = mark();
  skip();
  skip();
  if (kind() == Tok::kString) {
    leaf(Kind::kIdentifier, Node::kRaw);
  } else {
    invisible(Kind::kIdentifier, Node::kRaw);
  }
  if (kind() == Tok::kQuote) {
    skip();
  } else {
    error_trivia_here("unterminated `var\"\"` identifier");
  }
  const Token t = peek();
  if (!t.space_before) {
    if (is_string_macro_suffix(t.kind) && !is_word_operator(t.kind)) {
      error_token("suffix not allowed after `var\"...\"` syntax", Node::kTrivia);
    } else if (is_string_delimiter(t.kind) || t.kind == Tok::kBacktick || t.kind == Tok::kTripleBacktick) {
      error_trivia_here("`var\"...\"` syntax not supported as string macro name");
    }
  }
  emit(m, Kind::kVarName);
}

/// 'a', with the faults that the lexer left for the parser.
void Parser::char_literal() {
  const Mark m = mark();
  skip();
  const Tok k = kind();
  if (k == Tok::kPrime) {
    error_here("empty character literal");
    skip();
  } else if (k == Tok::kEnd) {
    error_here("unterminated character literal");
  } else {
    if (k == Tok::kChar || is_error(k)) {
      leaf();
    } else {
      leaf(Kind::kChar);  // x in'c': the lexer took the first quote for an adjoint
    }
    if (kind() == Tok::kPrime) {
      skip();
    } else {
      error_trivia_here("unterminated character literal");
    }
  }
  emit(m, Kind::kCharLiteral);
}

/// :name, :(expression), :+; or the colon itself.
void Parser::colon_quote() {
  const Mark m = mark();
  const Token next = peek(2);
  if (closes(next.kind) && (!is_keyword(next.kind) || next.space_before)) {
    leaf(Kind::kIdentifier);
    return;
  }
  skip();
  if (next.space_before) {
    report_space("whitespace not allowed after `:` used for quoting");
    skip_newlines();
    invisible(Kind::kError, Node::kTrivia);
  }
  {
    const Nesting nesting(*this);
    const InContext inside(*this);
    context_.end_symbol = false;
    atom(false);
  }
  emit(m, Kind::kQuoteExpr, Node::kForm);
}

/// Numbers out of range, characters of several characters, and escapes that are none.
void Parser::check_literal(NodeId id) {
  const Node node = tree_[id];
  const std::string_view text = tree_.text(id);
  switch (node.kind) {
    case Kind::kFloat:
    case Kind::kFloat32: {
      // Without an exponent only a very long number can be out of range.
      if (text.size() < 40 && text.find_first_of("eEfpP") == std::string_view::npos) return;
      const FloatLiteral f = float_value(text);
      if (f.overflows) {
        tree_.edit(id).kind = Kind::kErrorNumericOverflow;
        report(node.begin, node.end, "overflow in floating point literal");
      } else if (f.underflows) {
        report(node.begin, node.end, "underflow to zero in floating point literal", Diagnostic::kWarning);
      }
      return;
    }
    case Kind::kChar: {
      std::string value;
      if (!unescape(text, value, gave_up_ ? nullptr : &diagnostics_, node.begin)) {
        tree_.edit(id).kind = Kind::kErrorInvalidEscapeSequence;
      } else if (count_characters(value) > 1) {
        tree_.edit(id).kind = Kind::kErrorOverLongCharacter;
        report(node.begin, node.end, "character literal contains multiple characters");
      }
      return;
    }
    case Kind::kString: {
      if (node.has(Node::kRaw) || text.find('\\') == std::string_view::npos) return;
      std::string value;
      if (!unescape(text, value, gave_up_ ? nullptr : &diagnostics_, node.begin))
        tree_.edit(id).kind = Kind::kErrorInvalidEscapeSequence;
      return;
    }
    default: return;
  }
}

}  // namespace weft::julia
