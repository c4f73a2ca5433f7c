// Strings by their bytes: indices, characters, pieces, comparison, concatenation.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/show.h"
#include "julia/intrinsics/text.h"

namespace weft::julia {
namespace {

[[noreturn]] void throw_string_index_error(const Value& s, int64_t i) {
  throw JuliaError(make_exception("StringIndexError", {s, integer(i)}));
}

void check_index(const Value& s, std::string_view text, int64_t i) {
  if (i < 1 || i > static_cast<int64_t>(text.size())) throw_bounds_error(s, integer(i));
}

Value code_units(Evaluator&, Args a) { return integer(static_cast<int64_t>(text_of(a[0]).size())); }

Value code_unit(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const int64_t i = int_of(a[1]);
  check_index(a[0], s, i);
  return number(static_cast<uint8_t>(s[static_cast<size_t>(i - 1)]));
}

Value length_of(Evaluator&, Args a) { return integer(character_count(text_of(a[0]))); }

Value length_between(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const auto n = static_cast<int64_t>(s.size());
  const int64_t first = int_of(a[1]), last = int_of(a[2]);
  if (first < 1 || first > n + 1) throw_bounds_error(a[0], integer(first));
  if (last < 0 || last > n) throw_bounds_error(a[0], integer(last));
  if (last < first) return integer(0);
  // Characters that begin within the bytes.
  int64_t count = 0;
  for (auto i = static_cast<size_t>(first - 1); i < static_cast<size_t>(last); ++i)
    count += character_start(s, i) == i ? 1 : 0;
  return integer(count);
}

bool is_start(std::string_view s, int64_t i) {
  return i >= 1 && i <= static_cast<int64_t>(s.size()) &&
         character_start(s, static_cast<size_t>(i - 1)) == static_cast<size_t>(i - 1);
}

Value is_valid_index(Evaluator&, Args a) { return boolean(is_start(text_of(a[0]), int_of(a[1]))); }

Value this_index(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const int64_t i = int_of(a[1]);
  const auto n = static_cast<int64_t>(s.size());
  if (i == 0 || i == n + 1) return integer(i);
  check_index(a[0], s, i);
  return integer(static_cast<int64_t>(character_start(s, static_cast<size_t>(i - 1))) + 1);
}

/// nextind(s, i, n).
Value next_index(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const auto size = static_cast<int64_t>(s.size());
  int64_t i = int_of(a[1]), n = a.size() > 2 ? int_of(a[2]) : 1;
  if (n < 0) throw_argument_error("n cannot be negative: " + std::to_string(n));
  if (i < 0 || i > size) {
    if (n == 0 && i == size + 1) return integer(i);
    throw_bounds_error(a[0], integer(i));
  }
  if (n == 0) {
    if (i > 0 && !is_start(s, i)) throw_string_index_error(a[0], i);
    return integer(i);
  }
  auto at = i == 0 ? size_t{0} : character_start(s, static_cast<size_t>(i - 1));
  if (i > 0) at = next_start(s, at);
  for (--n; n > 0; --n) {
    if (at >= s.size()) return integer(size + n + 1);
    at = next_start(s, at);
  }
  return integer(static_cast<int64_t>(at) + 1);
}

Value previous_index(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const auto size = static_cast<int64_t>(s.size());
  int64_t i = int_of(a[1]), n = a.size() > 2 ? int_of(a[2]) : 1;
  if (n < 0) throw_argument_error("n cannot be negative: " + std::to_string(n));
  if (i < 1 || i > size + 1) {
    if (n == 0 && i == 0) return integer(0);
    throw_bounds_error(a[0], integer(i));
  }
  if (n == 0) {
    if (i <= size && !is_start(s, i)) throw_string_index_error(a[0], i);
    return integer(i);
  }
  auto at = static_cast<int64_t>(character_start(s, static_cast<size_t>(i - 1)));
  if (at != i - 1) --n, i = at + 1;
  for (; n > 0; --n) {
    if (i <= 1) return integer(1 - n);
    i = static_cast<int64_t>(character_start(s, static_cast<size_t>(i - 2))) + 1;
  }
  return integer(i);
}

Value get_char(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const int64_t i = int_of(a[1]);
  check_index(a[0], s, i);
  if (!is_start(s, i)) throw_string_index_error(a[0], i);
  auto at = static_cast<size_t>(i - 1);
  return char_value(next_char(s, at));
}

Value iterate_text(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  const int64_t i = a.size() > 1 ? int_of(a[1]) : 1;
  if (i > static_cast<int64_t>(s.size())) return nothing();
  check_index(a[0], s, i);
  auto at = static_cast<size_t>(i - 1);
  const Char c = next_char(s, at);
  return make_tuple({char_value(c), integer(static_cast<int64_t>(at) + 1)});
}

/// The bytes from index i through the character at index j.
std::pair<size_t, size_t> piece(const Value& v, int64_t i, int64_t j) {
  const std::string_view s = text_of(v);
  if (j < i) return {0, 0};
  const auto n = static_cast<int64_t>(s.size());
  if (i < 1 || j > n || i > n) {
    throw_bounds_error(v, make_struct(applied(core().unit_range, {core().int64}), {integer(i), integer(j)}));
  }
  if (!is_start(s, i)) throw_string_index_error(v, i);
  if (!is_start(s, j)) throw_string_index_error(v, j);
  const auto from = static_cast<size_t>(i - 1);
  return {from, next_start(s, static_cast<size_t>(j - 1)) - from};
}

Value slice(Evaluator&, Args a) {
  const auto [from, count] = piece(a[0], int_of(a[1]), int_of(a[2]));
  return make_string(std::string(text_of(a[0]).substr(from, count)));
}

Value sub_string(Evaluator&, Args a) {
  const auto [from, count] = piece(a[0], int_of(a[1]), int_of(a[2]));
  return substring_of(a[0], from, count);
}

Value compare_texts(Evaluator&, Args a) {
  const int c = text_of(a[0]).compare(text_of(a[1]));
  return integer(c < 0 ? -1 : c > 0 ? 1 : 0);
}

Value texts_equal(Evaluator&, Args a) { return boolean(text_of(a[0]) == text_of(a[1])); }
Value texts_less(Evaluator&, Args a) { return boolean(text_of(a[0]) < text_of(a[1])); }

/// Of strings, characters and symbols.
Value concatenated(Evaluator&, Args a) {
  std::string out;
  for (const Value& v : a) {
    if (v.is(core().char_)) out += char_text(char_of_value(v));
    else if (v.is(core().symbol)) out += v.as_symbol().text();
    else out += text_of(v);
  }
  return make_string(std::move(out));
}

Value repeated(Evaluator&, Args a) {
  const std::string unit = a[0].is(core().char_) ? char_text(char_of_value(a[0])) : std::string(text_of(a[0]));
  const int64_t n = int_of(a[1]);
  if (n < 0)
    throw_argument_error("can't repeat a " + std::string(a[0].is(core().char_) ? "character" : "string") + " " +
                         std::to_string(n) + " times");
  std::string out;
  out.reserve(unit.size() * static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out += unit;
  return make_string(std::move(out));
}

Value reversed(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  std::string out(s.size(), '\0');
  size_t end = s.size();
  for (size_t at = 0; at < s.size();) {
    const size_t start = at;
    next_char(s, at);
    end -= at - start;
    std::ranges::copy(s.substr(start, at - start), out.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return make_string(std::move(out));
}

Value as_string(Evaluator&, Args a) { return a[0].is(core().string) ? a[0] : make_string(std::string(text_of(a[0]))); }

/// Bytes as a vector of UInt8 and back.
Value bytes_of(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  Value v = make_array(core().uint8, {static_cast<int64_t>(s.size())});
  std::ranges::copy(s, reinterpret_cast<char*>(array_of(v).data()));
  return v;
}

Value string_of_bytes(Evaluator&, Args a) {
  if (is_array(a[0]) && array_of(a[0]).flat == core().uint8) {
    const ArrayObject& bytes = array_of(a[0]);
    return make_string({reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.length)});
  }
  const std::optional<ArrayLook> look = look_at(a[0]);
  if (!look) throw Unsupported("String of " + a[0].type()->name->name.text());
  std::string out;
  for (int64_t i = 0; i < look->length(); ++i) out += static_cast<char>(look->at(&i).get<uint8_t>());
  return make_string(std::move(out));
}

/// Of a vector of characters.
Value string_of_characters(Evaluator& e, Args a) {
  std::string out;
  e.for_each(a[0], [&](const Value& c) {
    out += char_text(char_of_value(c));
    return true;
  });
  return make_string(std::move(out));
}

Value symbol_of(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  if (s.find('\0') != std::string_view::npos) throw_argument_error("Symbol name may not contain \\0");
  return Value::of_symbol(Symbol(std::string(s)));
}

Value is_valid_text(Evaluator&, Args a) {
  const std::string_view s = text_of(a[0]);
  for (size_t at = 0; at < s.size();) {
    if (!is_valid(next_char(s, at))) return boolean(false);
  }
  return boolean(true);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_str_ncodeunits", code_units, 1, 1},
    {"_str_codeunit", code_unit, 2, 2},
    {"_str_length", length_of, 1, 1},
    {"_str_length_between", length_between, 3, 3},
    {"_str_isvalid", is_valid_index, 2, 2},
    {"_str_thisind", this_index, 2, 2},
    {"_str_nextind", next_index, 2, 3},
    {"_str_prevind", previous_index, 2, 3},
    {"_str_char", get_char, 2, 2},
    {"_str_iterate", iterate_text, 1, 2},
    {"_str_slice", slice, 3, 3},
    {"_str_sub", sub_string, 3, 3},
    {"_str_cmp", compare_texts, 2, 2},
    {"_str_equal", texts_equal, 2, 2},
    {"_str_less", texts_less, 2, 2},
    {"_str_concat", concatenated, 0, -1},
    {"_str_repeat", repeated, 2, 2},
    {"_str_reverse", reversed, 1, 1},
    {"_str_string", as_string, 1, 1},
    {"_str_bytes", bytes_of, 1, 1},
    {"_str_of_bytes", string_of_bytes, 1, 1},
    {"_str_of_chars", string_of_characters, 1, 1},
    {"_str_symbol", symbol_of, 1, 1},
    {"_str_valid", is_valid_text, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> string_intrinsics() { return kEntries; }

}  // namespace weft::julia
