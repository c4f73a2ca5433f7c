// Templates of the parser that several productions use.
#pragma once
#include "julia/syntax/parser.h"

namespace weft::julia {

/// Makes tokens up to a closer an error.
template <class F>
void Parser::recover(F is_closer, std::string message, unsigned flags) {
  const Mark m = mark();
  while (true) {
    const Tok k = kind();
    if (k == Tok::kEnd) {
      error_trivia_here("premature end of input");
      break;
    }
    if (is_closer(k)) break;
    leaf();
  }
  error(m, std::move(message), flags);
}

template <class Down>
int Parser::comma_separated(Down down) {
  int n = 0;
  while (true) {
    down();
    ++n;
    if (kind() != Tok::kComma) return n;
    skip();
  }
}

}  // namespace weft::julia
