// Parentheses: grouping, tuples, blocks and argument lists; and generators.
#include "julia/syntax/parser.h"

namespace weft::julia {

/// Commas and semicolons up to the closer, which is left.
Parser::Brackets Parser::open_brackets(Tok closer, bool generator_is_last) {
  Brackets b;
  b.outer = context_;
  context_.range_colon = true;
  context_.space_sensitive = false;
  context_.where_enabled = true;
  context_.newline_is_space = true;
  const auto end_section = [&] {
    if (!b.sections.empty()) b.sections.back().end = last_end_;
  };
  while (true) {
    const Tok k = kind();
    if (k == closer) break;
    if (k == Tok::kSemicolon) {
      end_section();
      ++b.semicolons;
      b.sections.push_back({mark(), 0});
      skip();
      continue;
    }
    b.trailing_comma = false;
    if (closes(k)) break;  // an error, for close() to tell
    const Mark m = mark();
    eq_star();
    ++b.expressions;
    if (b.expressions == 1) b.had_splat = top_kind() == Kind::kSplat;
    if (kind() == Tok::kFor) {
      generator(m);
      if (generator_is_last) break;
    }
    const Tok next = kind();
    if (next == Tok::kComma) {
      b.had_commas = true;
      b.trailing_comma = true;
      skip();
    } else if (next != Tok::kSemicolon && next != closer) {
      break;
    }
  }
  end_section();
  return b;
}

unsigned Parser::close_brackets(Brackets& b, Tok closer, bool with_parameters) {
  if (with_parameters) {
    std::vector<NodeId> made;
    for (size_t i = b.sections.size(); i-- > 0;) {
      made.push_back(emit_until(b.sections[i].start, b.sections[i].end, Kind::kParameters));
      stack_.pop_back();
    }
    stack_.insert(stack_.end(), made.rbegin(), made.rend());
  }
  close(closer, " or `,`");
  context_ = b.outer;
  return b.trailing_comma ? Node::kTrailingComma : 0;
}

/// Arguments of a call, its opening bracket read.
unsigned Parser::argument_list(Tok closer) {
  const InContext inside(*this);
  context_.for_generator = true;
  Brackets b = open_brackets(closer, false);
  return close_brackets(b, closer, true);
}

void Parser::paren(bool check_names, bool has_prefix) {
  const InContext inside(*this);
  context_.range_colon = true;
  context_.space_sensitive = false;
  context_.where_enabled = true;
  context_.newline_is_space = true;
  const Mark m = mark();
  skip();
  const Tok k = peek_operator().kind();
  if (k == Tok::kRightParen) {
    skip();
    emit(m, Kind::kTuple, Node::kForm);
    return;
  }
  if (is_syntactic(k)) {
    // :(=) and the like
    atom(check_names);
    close(Tok::kRightParen);
    emit(m, Kind::kParens);
    return;
  }
  if (!check_names && k == Tok::kDeclare && kind(2) == Tok::kRightParen) {
    leaf();
    skip();
    emit(m, Kind::kParens);
    return;
  }
  const bool initial_semicolon = kind() == Tok::kSemicolon;
  Brackets b = open_brackets(Tok::kRightParen);
  const bool is_lambda = kind(2) == Tok::kRightArrow && top_kind() != Kind::kWhere && !has_prefix;
  const bool is_tuple = b.had_commas || (b.had_splat && b.semicolons >= 1) ||
                        (initial_semicolon && (b.semicolons == 1 || b.expressions > 0)) || is_lambda;
  const unsigned flags = close_brackets(b, Tok::kRightParen, is_tuple);
  if (is_tuple) {
    emit(m, Kind::kTuple, Node::kForm | flags);
  } else if (b.semicolons > 0) {
    emit(m, Kind::kBlock, Node::kForm);
  } else {
    emit(m, Kind::kParens);
  }
}

/// for x in xs, y in ys if condition for …, behind the expression that was read since the mark.
void Parser::generator(Mark m) {
  const Nesting nesting(*this);
  while (kind() == Tok::kFor) {
    if (!peek().space_before) error_trivia_here("Expected space before `for` in generator");
    skip();
    const Mark iteration = mark();
    iteration_specs();
    if (kind() == Tok::kIf) {
      skip();
      conditional();
      emit(iteration, Kind::kFilter);
    }
  }
  emit(m, Kind::kGenerator);
}

}  // namespace weft::julia
