// Functions, macros, types, modules and declarations of variables.
#include "julia/syntax/parser.h"

namespace weft::julia {

/// global x, local x = 1, global const x = 1.
void Parser::declaration_form(Tok word) {
  const Mark m = mark();
  skip();
  const bool has_const = kind() == Tok::kConst;
  const Mark at_const = mark();
  if (has_const) skip();
  const bool has_assignment = declared_variables();
  if (has_const) {
    emit(at_const, Kind::kConst);
    if (!has_assignment) {
      report(begin_of(m), last_end_, "expected assignment after `const`");
      emit(at_const, Kind::kError);
    }
  }
  emit(m, word == Tok::kGlobal ? Kind::kGlobal : Kind::kLocal);
}

void Parser::const_form() {
  const Mark m = mark();
  skip();
  const Tok scope = kind();
  const Mark at_scope = mark();
  const bool has_scope = scope == Tok::kLocal || scope == Tok::kGlobal;
  if (has_scope) skip();
  const bool has_assignment = declared_variables();
  if (has_scope) emit(at_scope, scope == Tok::kGlobal ? Kind::kGlobal : Kind::kLocal);
  emit(m, Kind::kConst);
  if (!has_assignment) error(m, "expected assignment after `const`");
}

/// Names with commas between are no tuple here. Whether a plain assignment follows.
bool Parser::declared_variables() {
  const Mark m = mark();
  const int commas = comma(false);
  const DottedOperator op = peek_operator();
  if (is_assignment(op.kind())) {
    if (commas > 0) emit(m, Kind::kTuple);
    assignment_rest(m, true);
  }
  return op.kind() == Tok::kAssign && !op.dotted;
}

void Parser::function_form(Tok word) {
  const Mark m = mark();
  skip();
  skip_newlines();
  if (function_signature(word == Tok::kFunction)) {
    block();
    close(Tok::kEndWord);
  } else {
    skip_newlines();
    skip();
  }
  emit(m, word == Tok::kFunction ? Kind::kFunction : Kind::kMacro);
}

/// False for a name alone, `function f end`: no body follows, only the `end`.
bool Parser::function_signature(bool is_function) {
  bool is_anonymous = false, needs_call = true;
  const Mark m = mark();
  if (!is_function) {
    unary_prefix();
    if (begins_keyword_form(top_token())) error(m, "invalid macro name");
  } else {
    if (kind() != Tok::kLeftParen) {
      unary_prefix();
    } else {
      parenthesized_signature(is_anonymous, needs_call);
    }
    if (!is_anonymous && is_reserved(top_token())) error(m, "invalid function name");
  }
  if (needs_call) {
    call_chain(m);
    const Kind k = top_kind();
    const bool is_name = k == Kind::kIdentifier || k == Kind::kVarName || k == Kind::kInterpolate;
    if (is_name && kind_past_newlines() == Tok::kEndWord) return false;
    if (k != Kind::kCall && k != Kind::kMacroCall)
      error(m, std::string("Invalid signature in ") + (is_function ? "function" : "macro") + " definition");
  }
  if (is_function && kind() == Tok::kDeclare) {
    skip();
    call();
    emit(m, Kind::kDeclare, Node::kInfix);
  }
  if (kind() == Tok::kWhere) where_chain(m);
  return true;
}

/// function (…: the name in parentheses, the arguments of a function without name, or the whole signature.
void Parser::parenthesized_signature(bool& is_anonymous, bool& needs_call) {
  const Mark m = mark();
  skip();
  const bool is_empty = kind_past_newlines() == Tok::kRightParen;
  Brackets b = open_brackets(Tok::kRightParen);
  const bool has_call = was_call();
  const bool may_group = !b.had_commas && !b.had_splat && b.semicolons == 0 && b.expressions == 1;
  const Tok behind = peek_token(2, may_group).kind;
  needs_call = behind == Tok::kLeftParen || behind == Tok::kDot;
  is_anonymous = (!needs_call && !has_call) || b.had_commas;
  const unsigned flags = close_brackets(b, Tok::kRightParen, is_anonymous);
  if (is_anonymous) {
    const Kind inner = top_kind();
    const bool ambiguous = may_group && (inner == Kind::kMacroCall || inner == Kind::kInterpolate);
    emit(m, Kind::kTuple, Node::kForm | flags);
    if (ambiguous) {
      error(
          m,
          "Ambiguous signature. Add a trailing comma if this is a 1-argument anonymous function; remove parentheses if "
          "this is a macro call acting as function signature.");
    }
  } else if (is_empty) {
    emit(m, Kind::kTuple, Node::kForm);
  } else {
    emit(m, Kind::kParens);
  }
}

void Parser::struct_form(Tok word) {
  const Mark m = mark();
  if (word == Tok::kMutable) skip();
  skip();
  comparison_of(true);
  const Mark fields = mark();
  n_ary_fields();
  emit(fields, Kind::kBlock);
  close(Tok::kEndWord);
  emit(m, Kind::kStruct, word == Tok::kMutable ? Node::kForm : 0);
}

void Parser::struct_field() {
  if (kind() != Tok::kConst) return eq();
  const Mark m = mark();
  skip();
  eq();
  emit(m, Kind::kConst);
}

void Parser::abstract_form() {
  const Mark m = mark();
  skip();
  skip();
  comparison_of(true);
  while (kind() == Tok::kSemicolon || kind() == Tok::kNewline) skip();
  close(Tok::kEndWord);
  emit(m, Kind::kAbstract);
}

void Parser::primitive_form() {
  const Mark m = mark();
  skip();
  skip();
  {
    const InContext inside(*this);
    context_.space_sensitive = true;
    comparison_of(true);
    conditional();
  }
  while (kind() == Tok::kSemicolon || kind() == Tok::kNewline) skip();
  close(Tok::kEndWord);
  emit(m, Kind::kPrimitive);
}

void Parser::module_form(Tok word) {
  const Mark m = mark();
  skip();
  if (is_reserved(kind())) {
    error_token("Invalid module name");
  } else {
    unary_prefix();
  }
  module_block();
  close(Tok::kEndWord);
  emit(m, Kind::kModule, word == Tok::kBaremodule ? Node::kForm : 0);
}

}  // namespace weft::julia
