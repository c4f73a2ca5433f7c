// Calls, indices, fields, adjoints, type parameters, string macros and macro calls: what stands behind an atom.
#include "julia/syntax/parser.h"
#include "julia/syntax/recover.h"

namespace weft::julia {

/// The chain of suffixes that is being read.
struct Parser::CallChain {
  Mark start;
  bool is_macro = false;            // a macro name has been read, its arguments not
  bool in_macro_name = false;       // @A.b: the name goes on
  bool may_be_string_macro = true;  // a name was read last
  NodeId last_name = kNoNode;       // …
  Tok last_token = Tok::kEnd;       // … its token
  bool has_at = false;              // A.@b has been read
  NodeId at_name = kNoNode;         // … its kMacroName
  uint32_t at_begin = 0, at_end = 0;
  bool misplaced_at = false;
};

void Parser::call() {
  if (at_keyword_form()) return keyword_form();
  const Mark m = mark();
  unary_prefix();
  call_chain(m);
}

/// &a, ::T, $a.
void Parser::unary_prefix(bool has_prefix) {
  const DottedOperator op = peek_operator();
  const Tok k = op.kind();
  if (!is_syntactic_unary(k) || op.dotted) return atom(true, has_prefix);
  const Tok next = kind(2);
  if (k != Tok::kDeclare && (closes(next) || next == Tok::kNewline)) {
    leaf();
    return;
  }
  const Nesting nesting(*this);
  const Mark m = mark();
  skip();
  if (k == Tok::kDollar) {
    unary_prefix(true);
    emit(m, Kind::kInterpolate);
  } else {
    where(&Parser::call);
    if (k == Tok::kDeclare) {
      emit(m, Kind::kDeclare, Node::kPrefixOp);
    } else {
      emit(m, Kind::kAddress);
    }
  }
}

void Parser::call_chain(Mark m, bool is_macro) {
  if (is_number(top_kind()) && kind() == Tok::kLeftParen) return;  // 2(x) is a product
  CallChain c;
  c.start = m;
  c.is_macro = c.in_macro_name = is_macro;
  c.last_name = top();
  c.last_token = top_token();
  while (!gave_up_ && call_suffix(c)) {}
}

void Parser::end_macro_name(CallChain& c) {
  if (c.in_macro_name) emit(c.start, Kind::kMacroName);
  c.in_macro_name = false;
}

/// One suffix; false when there is none, or none can follow.
bool Parser::call_suffix(CallChain& c) {
  const Token t = peek();
  const Tok k = t.kind;
  const bool opens = k == Tok::kLeftParen || k == Tok::kLeftBracket || k == Tok::kLeftBrace;
  const bool quotes = is_string_delimiter(k) || k == Tok::kBacktick || k == Tok::kTripleBacktick;
  if (!c.is_macro && context_.space_sensitive && t.space_before && (opens || quotes)) return false;  // [f (x)]
  if (c.is_macro && (t.space_before || !(opens || k == Tok::kPrime || k == Tok::kDot))) {
    space_separated_arguments(c);
    return false;
  }
  const bool may_be_string_macro = c.may_be_string_macro;
  c.may_be_string_macro = false;
  switch (k) {
    case Tok::kLeftParen: parenthesized_arguments(c); return true;
    case Tok::kLeftBracket: index(c); return true;
    case Tok::kLeftBrace: curly(c); return true;
    case Tok::kDot: {
      const Tok next = kind(2);
      const bool is_dotted_operator = is_operator(next) && !is_word_operator(next) && next != Tok::kColon &&
                                      next != Tok::kDollar && next != Tok::kPrime && next != Tok::kQuestion;
      if (is_dotted_operator) return false;
      field(c);
      return true;
    }
    case Tok::kPrime:
      if (t.space_before) return false;
      leaf(Kind::kIdentifier);
      emit(c.start, Kind::kCall, Node::kPostfixOp);
      return true;
    default: break;
  }
  const bool after_name =
      c.last_token == Tok::kIdentifier || is_contextual(c.last_token) || is_word_operator(c.last_token);
  if (!quotes || t.space_before || !may_be_string_macro || !after_name) return false;
  string_macro(c, t);
  return true;
}

/// @foo a b, to the end of the line; @doc goes on in the next.
void Parser::space_separated_arguments(CallChain& c) {
  end_macro_name(c);
  const InContext inside(*this);
  context_.space_sensitive = true;
  context_.newline_is_space = false;
  int arguments = 0;
  while (!closes_or_newline(kind()) && !(context_.for_generator && kind() == Tok::kFor)) {
    eq();
    ++arguments;
  }
  if (c.last_token == Tok::kDoc && arguments == 1) {
    const Tok next = kind(2);
    if (kind() == Tok::kNewline && !closes_or_newline(next)) {
      skip();
      eq();
    }
  }
  emit(c.start, Kind::kMacroCall);
}

void Parser::parenthesized_arguments(CallChain& c) {
  end_macro_name(c);
  disallow_space();
  skip();
  unsigned flags = argument_list(Tok::kRightParen);
  if (kind() == Tok::kDo) do_block();
  if (c.is_macro) flags |= Node::kForm;
  emit(c.start, c.is_macro ? Kind::kMacroCall : Kind::kCall, flags);
  c.is_macro = c.has_at = false;
}

void Parser::do_block() {
  const Nesting nesting(*this);
  const Mark m = mark();
  skip();
  const InContext inside(*this);
  context_ = Context();
  const Mark arguments = mark();
  if (kind() == Tok::kNewline || kind() == Tok::kSemicolon) {
    skip();
  } else {
    comma_separated([&] { range(); });
  }
  emit(arguments, Kind::kTuple);
  block();
  close(Tok::kEndWord);
  emit(m, Kind::kDo);
}

/// a[i], T[x, y], T[a b; c d], T[f(x) for x in xs]; of macros @S[a b].
void Parser::index(CallChain& c) {
  end_macro_name(c);
  const Mark m = mark();
  disallow_space();
  skip();
  Cat inside;
  {
    const bool end_symbol = context_.end_symbol;
    const InContext saved(*this);
    context_.end_symbol = true;
    inside = cat(Tok::kRightBracket, end_symbol);
  }
  if (c.is_macro) {
    emit(m, inside.kind, inside.flags, inside.dim);
    emit(c.start, Kind::kMacroCall);
    c.is_macro = c.has_at = false;
    return;
  }
  const Kind kind = inside.kind == Kind::kVect            ? Kind::kRef
                    : inside.kind == Kind::kHcat          ? Kind::kTypedHcat
                    : inside.kind == Kind::kVcat          ? Kind::kTypedVcat
                    : inside.kind == Kind::kComprehension ? Kind::kTypedComprehension
                                                          : Kind::kTypedNcat;
  // Indices have no flag for a trailing comma.
  emit(c.start, kind, 0, inside.dim);
}

void Parser::curly(CallChain& c) {
  end_macro_name(c);
  const Mark m = mark();
  disallow_space();
  skip();
  const unsigned flags = argument_list(Tok::kRightBrace);
  if (c.is_macro) {
    emit(m, Kind::kBraces, flags);
    emit(c.start, Kind::kMacroCall);
    c.is_macro = c.has_at = false;
  } else {
    emit(c.start, Kind::kCurly, flags);
  }
}

/// What follows a dot: a field, a module's macro, arguments to broadcast over, a quoted operator.
void Parser::field(CallChain& c) {
  disallow_space();
  const Mark before_dot = mark();
  if (c.has_at) {
    // A.@b.c: the sign belongs before A or c.
    if (!c.misplaced_at) report(c.at_begin, c.at_end, "`@` must appear on first or last macro name component");
    c.misplaced_at = true;
    c.has_at = false;
    // The name becomes a plain one again, with an error where its sign was.
    const NodeId path = stack_.back();
    if (c.at_name != kNoNode && tree_.is(path, Kind::kDot) && tree_.child(path, tree_.count(path) - 1) == c.at_name) {
      const NodeId name = tree_.child(c.at_name, 0);
      const NodeId module = tree_.child(path, 0);
      stack_.pop_back();
      stack_.push_back(module);
      const NodeId sign = invisible(Kind::kError, Node::kTrivia);
      tree_.edit(sign).begin = c.at_begin;
      tree_.edit(sign).end = c.at_begin + 1;
      stack_.push_back(name);
      emit(c.start, Kind::kDot);
    }
  }
  skip();
  switch (kind()) {
    case Tok::kLeftParen: {
      if (c.is_macro) {
        end_macro_name(c);
        invisible(Kind::kError, Node::kTrivia);
        report(begin_of(c.start), last_end_, "dot call syntax not supported for macros");
      }
      disallow_space();
      skip();
      const unsigned flags = argument_list(Tok::kRightParen);
      emit(c.start, Kind::kDotCall, flags);
      return;
    }
    case Tok::kColon: {
      const Mark m = mark();
      skip();
      disallow_space();
      atom(false);
      emit(m, Kind::kQuoteExpr, Node::kForm);
      emit(c.start, Kind::kDot);
      return;
    }
    case Tok::kDollar: {
      const Mark m = mark();
      skip();
      const Mark name = mark();
      atom();
      if (c.is_macro) {
        report(begin_of(m), last_end_, "invalid macro name");
        emit(name, Kind::kError);
      } else {
        emit(m, Kind::kInterpolate);
      }
      c.last_token = Tok::kDollar;
      emit(c.start, Kind::kDot);
      return;
    }
    case Tok::kAt: {
      const Mark m = mark();
      if (c.is_macro) {
        error_token("repeated `@` in macro module path", Node::kTrivia);
      } else {
        skip();
      }
      macro_name();
      c.last_name = top();
      c.last_token = top_token();
      c.at_name = c.is_macro ? kNoNode : emit(m, Kind::kMacroName);
      c.at_begin = begin_of(m);
      c.at_end = last_end_;
      c.has_at = true;
      c.is_macro = true;
      emit(c.start, Kind::kDot);
      return;
    }
    case Tok::kPrime:
      leaf(Kind::kIdentifier);
      error(before_dot, "the .' operator for transpose is discontinued");
      emit(c.start, Kind::kDotCall, Node::kPostfixOp);
      return;
    default: break;
  }
  if (c.misplaced_at) {
    // Go on as if the sign stood here.
    const Mark name = mark();
    invisible(Kind::kError, Node::kTrivia);
    atom(false);
    c.last_name = top();
    c.last_token = top_token();
    c.at_name = emit(name, Kind::kMacroName);
    c.may_be_string_macro = true;
    emit(c.start, Kind::kDot);
    return;
  }
  atom(false);
  c.last_name = top();
  c.last_token = top_token();
  c.may_be_string_macro = true;
  emit(c.start, Kind::kDot);
}

/// r"text"flags and x`text`.
void Parser::string_macro(CallChain& c, const Token& quote) {
  if (c.last_name != kNoNode) {
    Node& name = tree_.edit(c.last_name);
    if (is_leaf(name.kind)) name.kind = is_string_delimiter(quote.kind) ? Kind::kStringMacroName : Kind::kCmdMacroName;
  }
  string_literal(true);
  const Token& t = peek();
  if (!t.space_before && is_string_macro_suffix(t.kind)) {
    if (is_number(t.kind)) {
      leaf();
    } else {
      leaf(Kind::kString, Node::kRaw);
    }
  }
  emit(c.start, Kind::kMacroCall);
}

/// The name behind @: any name, operator or keyword.
void Parser::macro_name() {
  const Nesting nesting(*this);
  disallow_space();
  const Mark m = mark();
  atom(false);
  const NodeId name = top(false);
  if (name == kNoNode) return;
  const Kind k = tree_.kind(name);
  if (k == Kind::kParens) {
    report(begin_of(m), last_end_, "parenthesizing macro names is unnecessary", Diagnostic::kWarning);
  } else if (is_error(k) || (!is_leaf(k) && k != Kind::kVarName)) {
    error(m, "invalid macro name");
  }
}

}  // namespace weft::julia
