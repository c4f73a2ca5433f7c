// What strings are searched for: a text, a character, any of several characters, or a predicate of characters.
#pragma once
#include "julia/intrinsics/text.h"

namespace weft::julia {

/// Bytes [start, end) of a text.
struct Match {
  size_t start, end;
  bool is_empty() const { return start == end; }
};

class Pattern {
 public:
  Pattern(Evaluator& evaluator, const Value& pattern);
  /// The first match that begins at `from` or later.
  std::optional<Match> next(std::string_view s, size_t from) const;
  /// The last match that ends at `upto` or before.
  std::optional<Match> previous(std::string_view s, size_t upto) const;
  bool takes(Char c) const;
  bool is_of_characters() const { return !is_text_; }

 private:
  Evaluator& evaluator_;
  bool is_text_ = false;
  std::string text_;
  std::vector<uint32_t> characters_;
  Value predicate_;
};

}  // namespace weft::julia
