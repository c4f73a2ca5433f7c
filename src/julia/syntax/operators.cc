// Binary operators, from => down to shifts.
#include "julia/syntax/parser.h"

namespace weft::julia {

/// a - b - c is (a - b) - c.
template <class IsOperator>
void Parser::left_to_right(Production down, IsOperator is_op) {
  const Mark m = mark();
  (this->*down)();
  while (true) {
    const DottedOperator op = peek_operator();
    if (!is_op(op.kind())) return;
    leaf_dotted(op.dotted, false, true);
    (this->*down)();
    emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
  }
}

/// a => b => c is a => (b => c).
template <class IsOperator>
void Parser::right_to_left(Production down, IsOperator is_op, Production self) {
  const Mark m = mark();
  (this->*down)();
  const DottedOperator op = peek_operator();
  if (!is_op(op.kind())) return;
  const Nesting nesting(*this);
  leaf_dotted(op.dotted, false, true);
  (this->*self)();
  emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
}

void Parser::pair() {
  right_to_left(&Parser::conditional, [](Tok k) { return k == Tok::kPairArrow; }, &Parser::pair);
}

/// c ? a : b, with spaces around both marks.
void Parser::conditional() {
  const Mark m = mark();
  arrow();
  if (kind() != Tok::kQuestion) return;
  if (!peek().space_before) error_trivia_here("space required before `?` operator");
  skip();
  if (!peek().space_before) error_trivia_here("space required after `?` operator");
  {
    const InContext inside(*this);
    context_.range_colon = false;
    eq_star();
  }
  if (!peek().space_before) error_trivia_here("space required before `:` in `?` expression");
  if (kind() == Tok::kColon) {
    skip();
  } else {
    error_trivia_here("`:` expected in `?` expression");
  }
  const Token& next = peek_token(1, true);
  if (!next.space_before) error_trivia_here("space required after `:` in `?` expression");
  if (continues_block(next.kind) && !(context_.end_symbol && next.kind == Tok::kEndWord)) {
    // The word belongs to what is outside.
    error_trivia_here("unexpected `" + spelling(next) + "`");
    emit(m, Kind::kIf);
    return;
  }
  eq_star();
  emit(m, Kind::kTernary);
}

void Parser::arrow() {
  const Mark m = mark();
  lazy_or();
  const DottedOperator op = peek_operator();
  if (!is_arrow(op.kind())) return;
  const Nesting nesting(*this);
  const bool is_syntax = op.kind() == Tok::kLongArrow && !op.dotted && !op.token.suffixed;
  if (is_syntax) {
    skip();
  } else {
    leaf_dotted(op.dotted, false, true);
  }
  arrow();
  if (is_syntax) {
    emit(m, Kind::kLongArrow);
  } else {
    emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
  }
}

template <class IsOperator>
void Parser::lazy(Production down, IsOperator is_op, Production self, Kind plain, Kind dotted) {
  const Mark m = mark();
  (this->*down)();
  const DottedOperator op = peek_operator();
  if (!is_op(op.kind())) return;
  const Nesting nesting(*this);
  skip_dotted(op.dotted);
  (this->*self)();
  emit(m, op.dotted ? dotted : plain);
}

void Parser::lazy_or() {
  lazy(&Parser::lazy_and, [](Tok k) { return k == Tok::kOrOr; }, &Parser::lazy_or, Kind::kOrOr, Kind::kDotOrOr);
}

void Parser::lazy_and() {
  lazy(
      &Parser::comparison, [](Tok k) { return k == Tok::kAndAnd; }, &Parser::lazy_and, Kind::kAndAnd, Kind::kDotAndAnd);
}

void Parser::comparison() { comparison_of(false); }

/// Comparisons and their chains; with `type_name` the name in the head of a struct, where a keyword is an error.
void Parser::comparison_of(bool type_name) {
  const Mark m = mark();
  if (type_name && is_reserved(kind())) {
    const std::string word = spelling(peek());
    leaf();
    error(m, "Invalid type name `" + word + "`");
  } else {
    pipe_left();
  }
  const DottedOperator first = peek_operator();
  if (!is_comparison(first.kind())) return;
  const bool is_subtype = (first.kind() == Tok::kSubtype || first.kind() == Tok::kSupertype) && !first.dotted;
  const Mark before = mark();
  leaf_dotted(first.dotted, true, true);
  const NodeId op_node = stack_.empty() ? kNoNode : stack_.back();
  const Mark after = mark();
  pipe_left();
  if (!is_comparison(peek_operator().kind())) {
    if (is_subtype) {
      stack_.erase(stack_.begin() + before.depth);
      emit(m, first.kind() == Tok::kSubtype ? Kind::kSubtype : Kind::kSupertype);
      return;
    }
    // The dot is in the call's kind.
    if (first.dotted && op_node != kNoNode && after.depth > before.depth)
      stack_[before.depth] = tree_.child(op_node, 0);
    emit(m, first.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
    return;
  }
  while (true) {
    const DottedOperator op = peek_operator();
    if (!is_comparison(op.kind())) break;
    leaf_dotted(op.dotted, true, true);
    pipe_left();
  }
  emit(m, Kind::kComparison);
}

void Parser::pipe_left() {
  right_to_left(&Parser::pipe_right, [](Tok k) { return k == Tok::kPipeLeft; }, &Parser::pipe_left);
}

void Parser::pipe_right() {
  left_to_right(&Parser::range, [](Tok k) { return k == Tok::kPipeRight; });
}

/// a:b, a:b:c is one call of three arguments, and the splat behind.
void Parser::range() {
  const Mark m = mark();
  invalid_operators();
  const DottedOperator first = peek_operator();
  if (first.kind() != Tok::kColon && is_range(first.kind())) {
    leaf_dotted(first.dotted, false, true);
    invalid_operators();
    emit(m, first.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
  } else if (first.kind() == Tok::kColon && context_.range_colon) {
    int colons = 0;
    while (kind() == Tok::kColon) {
      if (context_.space_sensitive && peek().space_before && !peek(2).space_before) break;  // [1 :a]
      const Token& next = peek(2);
      if ((next.kind == Tok::kLess || next.kind == Tok::kGreater) && !next.space_before) {
        // a :> b, meant to be >: or <:
        const std::string sign = spelling(next);
        const Mark wrong = mark();
        leaf(Kind::kIdentifier);
        leaf(Kind::kIdentifier);
        error(wrong, "Invalid `:" + sign + "` found, maybe replace with `" + sign + ":`");
        invalid_operators();
        emit(m, Kind::kCall, Node::kInfix);
        break;
      }
      ++colons;
      if (colons == 1) {
        leaf(Kind::kIdentifier);
      } else {
        skip();
      }
      if (closes(kind())) {
        error_here("missing last argument in range expression");
        emit(m, Kind::kCall, Node::kInfix);
        report_next("found unexpected closing token");
        return;
      }
      if (kind() == Tok::kNewline) {
        report_space("line break after `:` in range expression");
        invisible(Kind::kError);
        emit(m, Kind::kCall, Node::kInfix);
        return;
      }
      invalid_operators();
      if (colons == 2) {
        emit(m, Kind::kCall, Node::kInfix);
        colons = 0;
      }
    }
    if (colons > 0) emit(m, Kind::kCall, Node::kInfix);
  }
  if (kind() == Tok::kSplat) {
    skip();
    emit(m, Kind::kSplat);
  }
}

/// `a--b` and `a**b`: read as operators, so that what follows is read too.
void Parser::invalid_operators() {
  const Mark m = mark();
  sum();
  while (true) {
    const DottedOperator op = peek_operator();
    if (op.kind() != Tok::kInvalidOperator && op.kind() != Tok::kDoubleStar) return;
    skip_newlines();
    leaf_dotted(op.dotted, false, false);
    sum();
    emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
  }
}

/// Where spaces separate elements, [a -b] has two; [a - b], [a-b] and [a *b] have one.
bool Parser::is_element_boundary(const DottedOperator& op) const {
  if (!context_.space_sensitive || !op.token.space_before) return false;
  const Tok k = op.kind();
  const bool is_unary_too = k == Tok::kPlus || k == Tok::kMinus || k == Tok::kStarUnary || k == Tok::kPlusMinus ||
                            (!op.dotted && (k == Tok::kDollar || k == Tok::kAmpersand || k == Tok::kTilde));
  return is_unary_too && !op.token.suffixed && !peek(2).space_before;
}

/// Left to right, where runs of the operator `chain` become one call: a + b + c.
template <class IsOperator>
void Parser::chains(Production down, IsOperator is_op, Tok chain, Tok other_chain) {
  const Mark m = mark();
  (this->*down)();
  while (true) {
    const DottedOperator op = peek_operator();
    if (!is_op(op.kind())) return;
    if (is_element_boundary(op)) return;
    leaf_dotted(op.dotted, false, true);
    (this->*down)();
    if ((op.kind() == chain || op.kind() == other_chain) && !op.token.suffixed && !op.dotted) {
      while (true) {
        const DottedOperator next = peek_operator();
        if (next.kind() != op.kind() || next.token.suffixed || next.dotted || is_element_boundary(next)) break;
        skip();
        (this->*down)();
      }
    }
    emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
  }
}

void Parser::sum() { chains(&Parser::term, is_plus, Tok::kPlus, Tok::kPlusPlus); }
void Parser::term() { chains(&Parser::rational, is_times, Tok::kStar, Tok::kStar); }

void Parser::rational() {
  left_to_right(&Parser::shift, [](Tok k) { return k == Tok::kSlashSlash; });
}

void Parser::shift() {
  left_to_right(&Parser::unary_subtype, [](Tok k) { return k == Tok::kShift; });
}

}  // namespace weft::julia
