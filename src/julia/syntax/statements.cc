// Sequences of statements, docstrings, assignments and bare tuples.
#include "julia/syntax/parser.h"

namespace weft::julia {

/// Items between delimiters, empty ones ignored. True when the caller has to make a node of them even if there is just one.
template <class Down, class IsDelimiter, class IsCloser>
bool Parser::n_ary(Down down, IsDelimiter is_delimiter, IsCloser is_closer) {
  skip_newlines();
  if (is_closer(kind())) return true;
  int delimiters = 0;
  if (!is_delimiter(kind())) down();
  while (is_delimiter(kind())) {
    skip();
    ++delimiters;
    const Tok k = kind();
    if (k == Tok::kEnd || is_closer(k)) break;
    if (!is_delimiter(k)) down();
  }
  return delimiters != 0;
}

void Parser::toplevel() {
  const Mark m = mark();
  while (kind_past_newlines() != Tok::kEnd) {
    skip_newlines();
    statements();
  }
  skip_newlines();
  emit(m, Kind::kToplevel);
}

/// A line of the top level.
void Parser::statements() {
  const Mark m = mark();
  const bool several = n_ary([&] { public_or_statement(); }, [](Tok k) { return k == Tok::kSemicolon; },
                             [](Tok k) { return k == Tok::kNewline; });
  const Mark junk = mark();
  while (kind() != Tok::kEnd && kind() != Tok::kNewline) leaf();
  if (!nothing_since(junk)) error(junk, "extra tokens after end of expression", Node::kTrivia);
  if (several) emit(m, Kind::kToplevel, Node::kForm);
}

template <class Down>
void Parser::block_inner(Down down) {
  n_ary(
      down, [](Tok k) { return k == Tok::kNewline || k == Tok::kSemicolon; }, [](Tok k) { return continues_block(k); });
}

void Parser::block() {
  const Mark m = mark();
  block_inner([&] { eq(); });
  emit(m, Kind::kBlock);
}

void Parser::block_inner_of_statements() {
  block_inner([&] { docstring(); });
}

void Parser::module_block() {
  const Mark m = mark();
  block_inner([&] { public_or_statement(); });
  emit(m, Kind::kBlock);
}

void Parser::n_ary_fields() {
  block_inner([&] { docstring_of([&] { struct_field(); }); });
}

/// `public a, b` is a statement at the top level of files and modules only; elsewhere public is a name.
void Parser::public_or_statement() {
  if (kind() == Tok::kPublic) {
    const Tok next = kind(2);
    if (next != Tok::kLeftParen && next != Tok::kAssign && next != Tok::kLeftBracket) return keyword_form();
    report_next("using public as an identifier is deprecated", Diagnostic::kWarning);
  }
  docstring();
}

void Parser::docstring() {
  docstring_of([&] { eq(); });
}

/// A string before an expression, with at most one line break between, documents it.
template <class Down>
void Parser::docstring_of(Down down) {
  const Mark m = mark();
  down();
  if (top_kind() != Kind::kStringLiteral) return;
  const Tok k = kind();
  if (closes(k)) return;
  if (k == Tok::kNewline) {
    const Tok next = kind(2);
    if (closes(next) || next == Tok::kNewline) return;
    skip();
  }
  down();
  emit(m, Kind::kDoc);
}

void Parser::eq() { assignment(true); }

void Parser::eq_star() {
  // Most arguments are one token.
  const Tok k = kind();
  if (is_literal(k) || k == Tok::kIdentifier) {
    const Tok next = kind(2);
    if (next == Tok::kComma || next == Tok::kRightParen || next == Tok::kRightBrace || next == Tok::kRightBracket) {
      leaf();
      return;
    }
  }
  assignment(false);
}

void Parser::assignment(bool with_commas) {
  const Nesting nesting(*this);
  const Mark m = mark();
  if (with_commas) {
    comma(true);
  } else {
    pair();
  }
  assignment_rest(m, with_commas);
}

void Parser::assignment_rest(Mark m, bool with_commas) {
  const DottedOperator op = peek_operator();
  if (!is_assignment(op.kind())) return;
  if (op.kind() == Tok::kTilde) {
    // [a ~b] has two elements. It is the one operator of this precedence that is a function.
    if (context_.space_sensitive && op.token.space_before && !peek(2).space_before) return;
    leaf_dotted(op.dotted, false, true);
    skip_newlines();
    assignment(with_commas);
    emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
    return;
  }
  const bool is_function = op.kind() == Tok::kAssign && !op.dotted && was_call();
  if (op.kind() == Tok::kOpAssign) {
    skip_newlines();
    if (op.dotted) skip();
    const NodeId id = leaf(Kind::kIdentifier);
    if (id != kNoNode) --tree_.edit(id).end;  // without the =
  } else {
    skip_dotted(op.dotted);
  }
  skip_newlines();
  assignment(with_commas);
  if (is_function) {
    emit(m, Kind::kFunction, Node::kForm);
    return;
  }
  switch (op.kind()) {
    case Tok::kOpAssign: emit(m, op.dotted ? Kind::kDotOpAssign : Kind::kOpAssign); break;
    case Tok::kColonAssign: emit(m, Kind::kColonAssign); break;
    case Tok::kAssign: emit(m, op.dotted ? Kind::kDotAssign : Kind::kAssign); break;
    default: emit(m, Kind::kAssignLike);
  }
}

/// Commas outside of parentheses; their number.
int Parser::comma(bool makes_tuple) {
  const Mark m = mark();
  int commas = 0;
  pair();
  while (kind() == Tok::kComma) {
    skip();
    ++commas;
    if (kind() == Tok::kAssign) continue;  // x, = xs
    pair();
  }
  if (makes_tuple && commas > 0) emit(m, Kind::kTuple);
  return commas;
}

}  // namespace weft::julia
