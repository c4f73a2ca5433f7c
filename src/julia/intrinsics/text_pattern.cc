#include "julia/intrinsics/text_pattern.h"

#include <algorithm>

#include "julia/host/array_look.h"
#include "julia/types/subtype.h"

namespace weft::julia {

Pattern::Pattern(Evaluator& evaluator, const Value& pattern) : evaluator_(evaluator) {
  if (is_text(pattern)) {
    is_text_ = true;
    text_ = text_of(pattern);
  } else if (pattern.is(core().char_)) {
    characters_.push_back(char_of_value(pattern).bits);
  } else if (pattern.type()->is_tuple || look_at(pattern) || is_a(pattern, builtin_type("AbstractSet"))) {
    evaluator.for_each(pattern, [&](const Value& c) {
      characters_.push_back(char_of_value(c).bits);
      return true;
    });
  } else if (is_named(pattern, "Regex")) {
    throw Unsupported("regular expressions");
  } else {
    predicate_ = pattern;
  }
}

bool Pattern::takes(Char c) const {
  if (!predicate_.is_defined()) return std::ranges::find(characters_, c.bits) != characters_.end();
  const Value v = evaluator_.call(predicate_, {char_value(c)});
  if (!v.is(core().bool_)) throw_type_error("if", "", core().bool_, v);
  return bool_of(v);
}

std::optional<Match> Pattern::next(std::string_view s, size_t from) const {
  if (from > s.size()) return std::nullopt;
  if (is_text_) {
    for (size_t at = s.find(text_, from); at != std::string_view::npos; at = s.find(text_, at + 1)) {
      if (at >= s.size() || begins_character(s[at]) || character_start(s, at) == at)
        return Match{at, at + text_.size()};
    }
    return std::nullopt;
  }
  for (size_t at = from; at < s.size();) {
    const size_t start = at;
    if (takes(next_char(s, at))) return Match{start, at};
  }
  return std::nullopt;
}

std::optional<Match> Pattern::previous(std::string_view s, size_t upto) const {
  if (is_text_) {
    if (upto < text_.size()) return std::nullopt;
    size_t at = s.rfind(text_, upto - text_.size());
    while (at != std::string_view::npos && at < s.size() && character_start(s, at) != at)
      at = at == 0 ? std::string_view::npos : s.rfind(text_, at - 1);
    if (at == std::string_view::npos) return std::nullopt;
    return Match{at, at + text_.size()};
  }
  for (size_t end = upto; end > 0;) {
    const size_t start = character_start(s, end - 1);
    size_t at = start;
    if (takes(next_char(s, at))) return Match{start, at};
    end = start;
  }
  return std::nullopt;
}

}  // namespace weft::julia
