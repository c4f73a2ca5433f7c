// Unary operators, juxtaposition, powers, type declarations and lambdas.
#include "julia/syntax/parser.h"

namespace weft::julia {
namespace {

bool is_type_operator(Tok k, bool dotted) { return (k == Tok::kSubtype || k == Tok::kSupertype) && !dotted; }

bool is_unary_operator(const Token& t, bool dotted) {
  if (t.suffixed) return false;
  switch (t.kind) {
    case Tok::kPlus:
    case Tok::kMinus:
    case Tok::kBang:
    case Tok::kTilde:
    case Tok::kNot:
    case Tok::kRadical:
    case Tok::kStarUnary:
    case Tok::kPlusMinus: return true;
    default: return is_type_operator(t.kind, dotted);
  }
}

bool is_block_form(Kind k) {
  switch (k) {
    case Kind::kBlock:
    case Kind::kQuoteExpr:
    case Kind::kIf:
    case Kind::kFor:
    case Kind::kWhile:
    case Kind::kLet:
    case Kind::kFunction:
    case Kind::kMacro:
    case Kind::kAbstract:
    case Kind::kPrimitive:
    case Kind::kStruct:
    case Kind::kTry:
    case Kind::kModule: return true;
    default: return false;
  }
}

/// After which nothing is multiplied by standing beside.
bool ends_juxtaposition(Kind k) {
  switch (k) {
    case Kind::kInterpolate:
    case Kind::kAddress:
    case Kind::kDeclare:
    case Kind::kReturn:
    case Kind::kBreak:
    case Kind::kContinue:
    case Kind::kLocal:
    case Kind::kGlobal:
    case Kind::kConst:
    case Kind::kDo:
    case Kind::kUsing:
    case Kind::kImport:
    case Kind::kExport: return true;
    default: return is_block_form(k);
  }
}

}  // namespace

/// `<: A where B` is `<: (A where B)`.
void Parser::unary_subtype() {
  const Token t = peek();
  if (!is_type_operator(t.kind, false)) return where(&Parser::juxtapose);
  const Tok next = kind(2);
  if (closes(next) || next == Tok::kNewline || next == Tok::kAssign) {
    leaf();
  } else if (next == Tok::kLeftBrace || next == Tok::kLeftParen) {
    where(&Parser::juxtapose);
  } else {
    const Nesting nesting(*this);
    const Mark m = mark();
    skip();
    unary_subtype();
    emit(m, t.kind == Tok::kSubtype ? Kind::kSubtype : Kind::kSupertype, Node::kPrefixOp);
  }
}

void Parser::where(Production down) {
  const Mark m = mark();
  (this->*down)();
  if (context_.where_enabled && kind() == Tok::kWhere) where_chain(m);
}

void Parser::where_chain(Mark m) {
  const InContext inside(*this);
  context_.where_enabled = false;
  while (kind() == Tok::kWhere) {
    skip();
    skip_newlines();
    if (kind() == Tok::kLeftBrace) {
      braces();
    } else {
      comparison();
    }
    emit(m, Kind::kWhere);
  }
}

/// 2x, 2(x), (x - 1)y, x'y, 1√x.
void Parser::juxtapose() {
  const Mark m = mark();
  unary();
  int terms = 1;
  while (true) {
    const Token t = peek();
    const Kind before = top_kind();
    if (t.space_before || closes(t.kind)) break;
    if (is_operator(t.kind) && t.kind != Tok::kRadical) break;
    if (!is_number(before) && (is_number(t.kind) || t.kind == Tok::kAt || ends_juxtaposition(before))) break;
    if (before == Kind::kStringLiteral || is_string_delimiter(t.kind)) {
      error_trivia_here("cannot juxtapose string literal");
    } else if (begins_keyword_form(t.kind)) {
      break;
    }
    if (t.kind == Tok::kRadical) {
      unary();
    } else {
      factor();
    }
    ++terms;
  }
  if (terms > 1) emit(m, Kind::kJuxtapose);
}

/// Signed numbers, unary operators, and operators called like functions: +(a, b).
void Parser::unary() {
  const Mark m = mark();
  skip_newlines();
  const DottedOperator op = peek_operator();
  const Tok k = op.kind();
  const bool no_operator = !is_operator(k) || is_word_operator(k) || k == Tok::kColon || k == Tok::kPrime ||
                           (is_syntactic_unary(k) && !op.dotted) || is_syntactic(k);
  if (no_operator) return factor();
  const Token next = peek(op.dotted ? 3 : 2);
  if ((k == Tok::kMinus || k == Tok::kPlus) && !op.token.suffixed && !op.dotted && !next.space_before) {
    const bool decimal = next.kind == Tok::kInteger || next.kind == Tok::kFloat || next.kind == Tok::kFloat32;
    const bool based = next.kind == Tok::kBinInt || next.kind == Tok::kHexInt || next.kind == Tok::kOctInt;
    if (decimal || (based && k == Tok::kPlus)) {
      const Tok third = kind(3);
      if (third == Tok::kPower || third == Tok::kLeftBracket || third == Tok::kLeftBrace) {
        leaf(Kind::kIdentifier);  // -2^x is -(2^x)
        factor();
        emit(m, Kind::kCall, Node::kPrefixOp);
        return;
      }
      const uint32_t begin = op.token.begin;
      skip();
      const NodeId id = leaf();
      if (id != kNoNode) tree_.edit(id).begin = begin;
      return factor_rest(m);
    }
  }
  if (closes(next.kind) || next.kind == Tok::kNewline || next.kind == Tok::kAssign) return atom();
  if (next.kind == Tok::kLeftBrace || (!is_unary_operator(op.token, op.dotted) && next.kind == Tok::kLeftParen))
    return factor();
  const Nesting nesting(*this);
  if (next.kind == Tok::kLeftParen) return unary_with_parens(m, op, next.space_before);
  if (is_type_operator(k, op.dotted)) {
    skip();
    unary();
    emit(m, k == Tok::kSubtype ? Kind::kSubtype : Kind::kSupertype, Node::kPrefixOp);
    return;
  }
  if (is_unary_operator(op.token, op.dotted)) {
    leaf_dotted(op.dotted, false, true);
  } else {
    leaf_dotted(op.dotted, true, true);
    error(m, "not a unary operator");
  }
  unary();
  emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kPrefixOp);
}

/// +(a, b) is a call of +, +(a) and +(a; b) apply the unary operator. Commas, or what only a call can have, tell.
void Parser::unary_with_parens(Mark m, const DottedOperator& op, bool space_before) {
  const bool is_type = is_type_operator(op.kind(), op.dotted);
  leaf_dotted(op.dotted, true, true);
  const size_t op_place = stack_.size() - 1;
  const uint32_t space_begin = last_end_;
  skip_newlines();
  const uint32_t space_end = peek().begin;
  const Mark before_paren = mark();
  skip();
  const bool initial_semicolon = kind_past_newlines() == Tok::kSemicolon;
  Brackets b = open_brackets(Tok::kRightParen);
  const bool is_call = b.had_commas || b.had_splat || (initial_semicolon && (b.expressions > 0 || b.semicolons == 1)) ||
                       (b.semicolons == 0 && b.expressions == 0);
  const unsigned flags = close_brackets(b, Tok::kRightParen, is_call);
  const Kind type_kind = op.kind() == Tok::kSubtype ? Kind::kSubtype : Kind::kSupertype;
  if (is_call) {
    if (is_type) { stack_.erase(stack_.begin() + static_cast<ptrdiff_t>(op_place)); }
    if (space_before) {
      report(space_begin, space_end, "whitespace not allowed between prefix function call and argument list");
      const NodeId id = invisible(Kind::kError);
      tree_.edit(id).begin = tree_.edit(id).end = space_begin;
      stack_.pop_back();
      stack_.insert(stack_.begin() + static_cast<ptrdiff_t>(op_place + (is_type ? 0 : 1)), id);
    }
    emit(m, is_type ? type_kind : Kind::kCall, flags);
    call_chain(m);
    return factor_rest(m);
  }
  if (b.semicolons > 0) {
    emit(before_paren, Kind::kBlock, Node::kForm);
  } else {
    emit(before_paren, Kind::kParens);
  }
  call_chain(before_paren);
  factor_rest(before_paren);
  if (is_type) {
    stack_.erase(stack_.begin() + static_cast<ptrdiff_t>(op_place));
    emit(m, type_kind, Node::kPrefixOp);
    return;
  }
  if (op.dotted) stack_[op_place] = tree_.child(stack_[op_place], 0);
  emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kPrefixOp);
}

void Parser::factor() {
  const Mark m = mark();
  call();
  factor_rest(m);
}

/// ::T, -> body and ^ b behind what was read since the mark.
void Parser::factor_rest(Mark m) {
  declaration_rest(m);
  power_rest(m);
}

void Parser::factor_after() {
  const Mark m = mark();
  juxtapose();
  power_rest(m);
}

/// ^ b behind what was read since the mark.
void Parser::power_rest(Mark m) {
  const DottedOperator op = peek_operator();
  if (op.kind() != Tok::kPower) return;
  const Nesting nesting(*this);
  leaf_dotted(op.dotted, false, true);
  factor_after();
  emit(m, op.dotted ? Kind::kDotCall : Kind::kCall, Node::kInfix);
}

void Parser::declaration_rest(Mark m) {
  while (kind() == Tok::kDeclare) {
    skip();
    where(&Parser::call);
    emit(m, Kind::kDeclare, Node::kInfix);
  }
  if (kind() != Tok::kRightArrow) return;
  // A parenthesized list is a tuple already; (x where T) -> y is for lowering to sort out.
  const Kind arguments = top_kind();
  if (arguments != Kind::kTuple && arguments != Kind::kWhere) emit(m, Kind::kTuple);
  skip();
  eq_star();
  emit(m, Kind::kLambda);
}

}  // namespace weft::julia
