// Forms that begin with a reserved word: blocks, conditions, loops, let, try, return.
#include <vector>

#include "julia/syntax/parser.h"
#include "julia/syntax/recover.h"

namespace weft::julia {

bool Parser::begins_keyword_form(Tok k) const {
  switch (k) {
    case Tok::kWhile:
    case Tok::kIf:
    case Tok::kFor:
    case Tok::kTry:
    case Tok::kReturn:
    case Tok::kBreak:
    case Tok::kContinue:
    case Tok::kFunction:
    case Tok::kMacro:
    case Tok::kQuoteWord:
    case Tok::kLet:
    case Tok::kLocal:
    case Tok::kGlobal:
    case Tok::kConst:
    case Tok::kDo:
    case Tok::kStruct:
    case Tok::kModule:
    case Tok::kBaremodule:
    case Tok::kUsing:
    case Tok::kImport:
    case Tok::kExport: return true;
    case Tok::kBegin: return !context_.end_symbol;  // a[begin]
    default: return false;
  }
}

bool Parser::at_keyword_form() const {
  const Tok k = kind();
  if (!is_keyword(k)) return false;
  if (begins_keyword_form(k)) return true;
  const Tok next = kind_or_newline(2);
  return (k == Tok::kMutable && next == Tok::kStruct) ||
         ((k == Tok::kPrimitive || k == Tok::kAbstract) && next == Tok::kType);
}

void Parser::keyword_form() {
  const Nesting nesting(*this);
  const InContext inside(*this);
  skip_newlines();
  context_ = Context();
  const Mark m = mark();
  const Tok word = kind();
  switch (word) {
    case Tok::kBegin:
    case Tok::kQuoteWord:
      skip();
      block_inner_of_statements();
      close(Tok::kEndWord);
      emit(m, Kind::kBlock);
      if (word == Tok::kQuoteWord) emit(m, Kind::kQuoteExpr);
      return;
    case Tok::kWhile: return while_form();
    case Tok::kFor: return for_form();
    case Tok::kLet: return let_form();
    case Tok::kIf: return if_elseif();
    case Tok::kGlobal:
    case Tok::kLocal: return declaration_form(word);
    case Tok::kConst: return const_form();
    case Tok::kFunction:
    case Tok::kMacro: return function_form(word);
    case Tok::kAbstract: return abstract_form();
    case Tok::kStruct:
    case Tok::kMutable: return struct_form(word);
    case Tok::kPrimitive: return primitive_form();
    case Tok::kTry: return try_form();
    case Tok::kReturn: return return_form();
    case Tok::kBreak:
    case Tok::kContinue: return jump_form(word);
    case Tok::kModule:
    case Tok::kBaremodule: return module_form(word);
    case Tok::kExport:
    case Tok::kPublic:
      skip();
      comma_separated([&] { import_symbol(false); });
      emit(m, word == Tok::kExport ? Kind::kExport : Kind::kPublic);
      return;
    case Tok::kImport:
    case Tok::kUsing: return imports();
    case Tok::kDo: error_token("invalid `do` syntax", Node::kTrivia); return;
    default: return;
  }
}

void Parser::while_form() {
  const Mark m = mark();
  skip();
  conditional();
  block();
  close(Tok::kEndWord);
  emit(m, Kind::kWhile);
}

void Parser::for_form() {
  const Mark m = mark();
  skip();
  iteration_specs();
  block();
  close(Tok::kEndWord);
  emit(m, Kind::kFor);
}

void Parser::let_form() {
  const Mark m = mark();
  skip();
  const Mark bindings = mark();
  if (kind() != Tok::kNewline && kind() != Tok::kSemicolon) comma_separated([&] { eq_star(); });
  emit(bindings, Kind::kBlock);
  const Tok k = kind();
  if (k == Tok::kNewline || k == Tok::kSemicolon) {
    skip();
  } else if (k != Tok::kEndWord) {
    recover([&](Tok t) { return closes_or_newline(t); }, "let variables should end in `;` or newline", Node::kTrivia);
  }
  block();
  close(Tok::kEndWord);
  emit(m, Kind::kLet);
}

/// A chain of `elseif` has any length: each stands inside of the one before it in the tree, not on the stack.
void Parser::if_elseif() {
  const Nesting nesting(*this);
  std::vector<Mark> marks;
  bool has_more = true;
  bool is_word_read = false;
  while (has_more) {
    has_more = false;
    marks.push_back(mark());
    if (!is_word_read) skip();
    is_word_read = false;
    condition_of_if(marks.size() > 1 ? "elseif" : "if");
    block();
    skip_newlines();
    if (kind() == Tok::kElseif) {
      has_more = true;
    } else if (kind() == Tok::kElse) {
      const Mark at_else = mark();
      skip();
      if (kind() == Tok::kIf) {
        skip();
        error(at_else, "use `elseif` instead of `else if`", Node::kTrivia);
        has_more = is_word_read = true;
      } else {
        block();
      }
    }
  }
  for (size_t i = marks.size(); i-- > 1;) emit(marks[i], Kind::kElseif);
  close(Tok::kEndWord);
  emit(marks[0], Kind::kIf);
}

void Parser::condition_of_if(const char* word) {
  if (kind() == Tok::kNewline || kind() == Tok::kEndWord) {
    report_space(std::string("missing condition in `") + word + "`");
    skip_newlines();
    invisible(Kind::kError);
  } else {
    conditional();
  }
}

void Parser::return_form() {
  const Mark m = mark();
  skip();
  if (!closes_or_newline(kind())) eq();
  emit(m, Kind::kReturn);
}

void Parser::jump_form(Tok word) {
  const Mark m = mark();
  skip();
  emit(m, word == Tok::kBreak ? Kind::kBreak : Kind::kContinue);
  switch (kind()) {
    case Tok::kNewline:
    case Tok::kSemicolon:
    case Tok::kRightParen:
    case Tok::kColon:
    case Tok::kEnd:
    case Tok::kEndWord: return;
    default:
      recover([&](Tok t) { return closes_or_newline(t); },
              std::string("unexpected token after ") + (word == Tok::kBreak ? "break" : "continue"), Node::kTrivia);
  }
}

void Parser::try_form() {
  const Mark m = mark();
  skip();
  block();
  bool has_catch = false, has_finally = false;
  skip_newlines();
  if (kind() == Tok::kCatch) {
    has_catch = true;
    catch_clause();
  }
  skip_newlines();
  if (kind() == Tok::kElse) {
    const Mark at_else = mark();
    skip();
    block();
    if (!has_catch) error(at_else, "Expected `catch` before `else`");
    emit(at_else, Kind::kElse);
  }
  skip_newlines();
  if (kind() == Tok::kFinally) {
    const Mark at_finally = mark();
    has_finally = true;
    skip();
    block();
    emit(at_finally, Kind::kFinally);
  }
  skip_newlines();
  if (!has_catch && kind() == Tok::kCatch) {
    // Julia accepts it, though the catch runs first.
    const Mark at_catch = mark();
    has_catch = true;
    catch_clause();
    report(begin_of(at_catch), last_end_, "`catch` after `finally` will execute out of order", Diagnostic::kWarning);
  }
  const bool incomplete = !has_catch && !has_finally;
  if (incomplete) invisible(Kind::kError, Node::kTrivia);
  close(Tok::kEndWord);
  emit(m, Kind::kTry);
  if (incomplete) report(begin_of(m), last_end_, "try without catch or finally");
}

void Parser::catch_clause() {
  const Mark m = mark();
  skip();
  if (closes_or_newline(kind())) {
    invisible(Kind::kPlaceholder);
  } else {
    const Mark variable = mark();
    eq_star();
    const Kind k = top_kind();
    if (k != Kind::kIdentifier && k != Kind::kVarName && k != Kind::kInterpolate)
      error(variable, "a variable name is expected after `catch`");
  }
  block();
  emit(m, Kind::kCatch);
}

/// In generators a line break before = or `in` does not matter.
Tok Parser::kind_in_generator() const {
  const Tok k = kind();
  return context_.for_generator && k == Tok::kNewline ? kind(2) : k;
}

/// i = 1:n, (a, b) in pairs, outer i ∈ x.
void Parser::iteration_spec() {
  const auto is_in = [](Tok k) { return k == Tok::kAssign || k == Tok::kIn || k == Tok::kElementOf; };
  const Mark m = mark();
  {
    const InContext inside(*this);
    context_.space_sensitive = true;
    context_.newline_is_space = false;
    pipe_left();
  }
  if (top_token() == Tok::kOuter && !is_in(kind_in_generator())) {
    stack_.resize(m.depth);
    pipe_left();
    emit(m, Kind::kOuter);
  }
  if (is_in(kind_in_generator())) {
    if (kind() == Tok::kNewline) skip();
    skip();
    pipe_left();
  } else {
    recover([&](Tok k) { return k == Tok::kComma || k == Tok::kNewline || closes(k); },
            "invalid iteration spec: expected one of `=` `in` or `∈`", 0);
  }
  emit(m, Kind::kIn);
}

void Parser::iteration_specs() {
  const Mark m = mark();
  comma_separated([&] { iteration_spec(); });
  emit(m, Kind::kIteration);
}

}  // namespace weft::julia
