#include "tests/fuzz/tokens.h"

#include <array>
#include <cctype>

namespace weft::fuzz {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$'; }
bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

template <class In>
size_t run_of(std::string_view text, size_t at, In&& in) {
  size_t n = 0;
  while (at + n < text.size() && in(text[at + n])) ++n;
  return n;
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string out;
  for (std::string_view p : parts) out += p;
  return out;
}

std::string other_number(Random& random, std::string_view number) {
  static constexpr std::array<std::string_view, 18> kNumbers = {"0",
                                                                "1",
                                                                "-1",
                                                                "2",
                                                                "3",
                                                                "7",
                                                                "64",
                                                                "255",
                                                                "65536",
                                                                "2147483648",
                                                                "9223372036854775807",
                                                                "-9223372036854775808",
                                                                "18446744073709551616",
                                                                "99999999999999999999999",
                                                                "1.0e+400",
                                                                "-0.0",
                                                                "0x7FC00001",
                                                                "1000000000000"};
  if (random.chance(0.7)) return std::string(random.pick(kNumbers));
  std::string out(number);
  out[random.below(out.size())] = static_cast<char>('0' + random.below(10));
  return out;
}

std::string damaged_tokens(Random& random, const std::string& text, const std::string& other) {
  std::vector<std::string_view> parts = tokens(text);
  if (parts.empty()) return text;
  std::string made;  // what a new token points at
  const size_t at = random.below(parts.size());
  const auto place = parts.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(8)) {
    case 0: parts.erase(place); break;
    case 1: parts.insert(place, *place); break;
    case 2: std::swap(*place, random.pick(parts)); break;
    case 3: *place = random.pick(parts); break;
    case 4: {
      std::vector<std::string_view> others = tokens(other);
      if (!others.empty()) parts.insert(place, random.pick(others));
      break;
    }
    case 5: {
      const size_t most = std::min<size_t>(parts.size() - at, 1 + random.below(12));
      parts.erase(place, place + static_cast<std::ptrdiff_t>(most));
      break;
    }
    default:
      for (size_t i = at; i < parts.size(); ++i) {
        if (std::isdigit(static_cast<unsigned char>(parts[i][0])) == 0) continue;
        made = other_number(random, parts[i]);
        parts[i] = made;
        break;
      }
  }
  return joined(parts);
}

std::string damaged_lines(Random& random, const std::string& text, const std::string& other) {
  std::vector<std::string_view> parts = lines(text);
  const std::vector<std::string_view> others = lines(other);
  if (parts.empty()) return text;
  const auto place = parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size()));
  switch (random.below(4)) {
    case 0: parts.erase(place); break;
    case 1: parts.insert(place, *place); break;
    case 2: std::swap(*place, random.pick(parts)); break;
    default:
      if (!others.empty()) parts.insert(place, random.pick(others));
  }
  return joined(parts);
}

}  // namespace

std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    size_t n = 1;
    if (is_blank(text[at])) {
      n = run_of(text, at, is_blank);
    } else if (is_word(text[at])) {
      n = run_of(text, at, is_word);
    } else if (text[at] == '"') {
      n = std::min(text.size() - at, 2 + run_of(text, at + 1, [](char c) { return c != '"' && c != '\n'; }));
    }
    out.push_back(text.substr(at, n));
    at += n;
  }
  return out;
}

std::vector<std::string_view> lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t n = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, n));
    text.remove_prefix(n);
  }
  return out;
}

std::string damaged(Random& random, const std::string& text, const std::string& other) {
  std::string out = text;
  for (size_t n = 1 + random.below(5); n > 0 && !out.empty(); --n) {
    const size_t kind = random.below(20);
    if (kind < 13) {
      out = damaged_tokens(random, out, other);
    } else if (kind < 17) {
      out = damaged_lines(random, out, other);
    } else if (kind == 17) {
      out[random.below(out.size())] = static_cast<char>(random.bits());
    } else if (kind == 18 && random.chance(0.3)) {
      out.resize(random.below(out.size()));
    } else {
      const size_t from = random.below(out.size());
      out.insert(random.below(out.size()), out.substr(from, random.below(40)));
    }
  }
  return out;
}

}  // namespace weft::fuzz
