// Finding, splitting, stripping and replacing in strings.
#include <algorithm>

#include "julia/intrinsics/text_io.h"
#include "julia/intrinsics/text_pattern.h"

namespace weft::julia {
namespace {

/// A match as the search functions give it: an index for characters, a range for texts.
Value found(std::string_view s, const Pattern& p, const std::optional<Match>& m) {
  if (!m) return nothing();
  const auto first = static_cast<int64_t>(m->start) + 1;
  if (p.is_of_characters()) return integer(first);
  const int64_t last = m->is_empty() ? first - 1 : static_cast<int64_t>(character_start(s, m->end - 1)) + 1;
  return make_struct(applied(core().unit_range, {core().int64}), {integer(first), integer(last)});
}

/// findnext(pattern, s, i).
Value find_next(Evaluator& e, Args a) {
  const Pattern p(e, a[0]);
  const std::string_view s = text_of(a[1]);
  const int64_t i = int_of(a[2]);
  const auto n = static_cast<int64_t>(s.size());
  if (i < 1) throw_bounds_error(a[1], a[2]);
  if (i > n + 1) {
    if (p.is_of_characters()) return nothing();
    throw_bounds_error(a[1], a[2]);
  }
  auto from = static_cast<size_t>(i - 1);
  if (p.is_of_characters() && i <= n && character_start(s, from) != from)
    throw JuliaError(make_exception("StringIndexError", {a[1], a[2]}));
  if (!p.is_of_characters() && from < s.size() && character_start(s, from) != from)
    throw JuliaError(make_exception("StringIndexError", {a[1], a[2]}));
  return found(s, p, p.next(s, from));
}

/// findprev(pattern, s, i): the last match that begins at i or before (characters) or ends there (texts).
Value find_previous(Evaluator& e, Args a) {
  const Pattern p(e, a[0]);
  const std::string_view s = text_of(a[1]);
  const int64_t i = int_of(a[2]);
  const auto n = static_cast<int64_t>(s.size());
  if (i < 1) {
    if (!p.is_of_characters() && i == 0) return found(s, p, p.previous(s, 0));
    if (p.is_of_characters() && i == 0) return nothing();
    throw_bounds_error(a[1], a[2]);
  }
  if (i > n) {
    if (i == n + 1) return found(s, p, p.previous(s, s.size()));
    throw_bounds_error(a[1], a[2]);
  }
  const auto at = static_cast<size_t>(i - 1);
  return found(s, p, p.previous(s, next_start(s, character_start(s, at))));
}

Value occurs_in(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[1]);
  return boolean(Pattern(e, a[0]).next(s, 0).has_value());
}

Value starts_with(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[0]);
  if (is_text(a[1])) {
    const std::string_view p = text_of(a[1]);
    return boolean(s.starts_with(p) && (p.size() == s.size() || character_start(s, p.size()) == p.size()));
  }
  if (s.empty()) return boolean(false);
  size_t at = 0;
  return boolean(Pattern(e, a[1]).takes(next_char(s, at)));
}

Value ends_with(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[0]);
  if (is_text(a[1])) {
    const std::string_view p = text_of(a[1]);
    const size_t at = s.size() - std::min(p.size(), s.size());
    return boolean(s.ends_with(p) && (p.empty() || character_start(s, at) == at));
  }
  if (s.empty()) return boolean(false);
  size_t at = character_start(s, s.size() - 1);
  return boolean(Pattern(e, a[1]).takes(next_char(s, at)));
}

/// _str_split(s, pattern, limit, keepempty).
Value split(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[0]);
  const Pattern p(e, a[1]);
  const int64_t limit = int_of(a[2]);
  const bool keep = bool_of(a[3]);
  std::vector<Value> out;
  size_t from = 0, look = 0;
  const auto add = [&](size_t end) {
    if (keep || end > from) out.push_back(substring_of(a[0], from, end - from));
  };
  while (limit <= 0 || static_cast<int64_t>(out.size()) + 1 < limit) {
    const std::optional<Match> m = p.next(s, look);
    if (!m || (m->is_empty() && m->start >= s.size())) break;
    if (m->is_empty() && m->start == from) {
      look = next_start(s, m->start);
      continue;
    }
    add(m->start);
    from = m->end;
    look = m->is_empty() ? next_start(s, m->start) : m->end;
  }
  add(s.size());
  return substring_vector(std::move(out));
}

/// From the right; the pieces come in the order of the string (`reversed` false) or from the right.
Value split_right(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[0]);
  const Pattern p(e, a[1]);
  const int64_t limit = int_of(a[2]);
  const bool keep = bool_of(a[3]);
  std::vector<Value> out;
  size_t end = s.size(), look = s.size();
  while (limit <= 0 || static_cast<int64_t>(out.size()) + 1 < limit) {
    const std::optional<Match> m = p.previous(s, look);
    if (!m) break;
    if (m->is_empty()) {
      if (m->start == 0) break;
      if (m->start == end) {
        look = character_start(s, m->start - 1);
        if (look == 0) break;
        continue;
      }
    }
    if (keep || m->end < end) out.push_back(substring_of(a[0], m->end, end - m->end));
    end = m->start;
    if (m->is_empty()) {
      look = character_start(s, m->start - 1);
      if (look == 0) break;
    } else {
      look = m->start;
    }
  }
  if (keep || end > 0) out.push_back(substring_of(a[0], 0, end));
  if (!bool_of(a[4])) std::ranges::reverse(out);
  return substring_vector(std::move(out));
}

/// _str_strip(s, pattern, at the left, at the right).
Value strip(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[0]);
  const Pattern p(e, a[1]);
  size_t from = 0, end = s.size();
  while (bool_of(a[2]) && from < end) {
    size_t at = from;
    if (!p.takes(next_char(s, at))) break;
    from = at;
  }
  while (bool_of(a[3]) && end > from) {
    const size_t start = character_start(s, end - 1);
    size_t at = start;
    if (!p.takes(next_char(s, at))) break;
    end = start;
  }
  return substring_of(a[0], from, end - from);
}

/// _str_replace(s, count, pattern => replacement, …): at every place the leftmost match, of patterns in their order.
Value replace(Evaluator& e, Args a) {
  const std::string_view s = text_of(a[0]);
  const int64_t count = int_of(a[1]);
  std::vector<Pattern> patterns;
  for (const Value& pair : a.subspan(2)) patterns.emplace_back(e, get_field(pair, 0));
  std::string out;
  size_t copied = 0, look = 0;
  std::vector<std::optional<Match>> next(patterns.size());
  std::vector<bool> is_known(patterns.size(), false);
  for (int64_t done = 0; done < count && look <= s.size();) {
    size_t best = patterns.size();
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (!is_known[i] || (next[i] && next[i]->start < look)) next[i] = patterns[i].next(s, look), is_known[i] = true;
      if (next[i] && (best == patterns.size() || next[i]->start < next[best]->start)) best = i;
    }
    if (best == patterns.size()) break;
    const Match m = *next[best];
    // An empty match right behind a replaced one is none.
    if (!m.is_empty() || m.start > copied || m.start == 0) {
      out += s.substr(copied, m.start - copied);
      const Value with = get_field(a[2 + best], 1);
      if (is_text(with)) {
        out += text_of(with);
      } else if (with.is(core().char_)) {
        out += char_text(char_of_value(with));
      } else {
        const bool is_function = with.is_type() || e.has_method(with, std::vector{a[0]});
        Value matched = patterns[best].is_of_characters() ? Value() : substring_of(a[0], m.start, m.end - m.start);
        if (patterns[best].is_of_characters()) {
          size_t at = m.start;
          matched = char_value(next_char(s, at));
        }
        out += text_print(e, is_function ? e.call(with, {matched}) : with);
      }
      copied = m.end;
      ++done;
    }
    if (m.is_empty()) {
      copied = m.start;
      if (m.start >= s.size()) break;
      look = next_start(s, m.start);
    } else {
      look = m.end;
    }
  }
  return make_string(out + std::string(s.substr(copied)));
}

constexpr IntrinsicEntry kEntries[] = {
    {"_str_findnext", find_next, 3, 3}, {"_str_findprev", find_previous, 3, 3},
    {"_str_occursin", occurs_in, 2, 2}, {"_str_startswith", starts_with, 2, 2},
    {"_str_endswith", ends_with, 2, 2}, {"_str_split", split, 4, 4},
    {"_str_rsplit", split_right, 5, 5}, {"_str_strip", strip, 4, 4},
    {"_str_replace", replace, 2, -1},
};

}  // namespace

std::span<const IntrinsicEntry> search_intrinsics() { return kEntries; }

}  // namespace weft::julia
