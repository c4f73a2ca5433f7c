#include "text/cursor.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace weft::text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_char(char c) { return is_word_start(c) || is_digit(c) || c == '$' || c == '.'; }

void Cursor::skip_space() {
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++offset_;
    } else if (c == '/' && offset_ + 1 < text_.size() && text_[offset_ + 1] == '/') {
      const size_t end = text_.find('\n', offset_);
      offset_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

bool Cursor::at_end() {
  skip_space();
  return offset_ >= text_.size();
}

char Cursor::peek() { return at_end() ? '\0' : text_[offset_]; }

bool Cursor::looking_at(std::string_view s) {
  skip_space();
  return text_.substr(offset_, s.size()) == s;
}

bool Cursor::accept(char c) {
  if (at_end() || text_[offset_] != c) return false;
  ++offset_;
  return true;
}

bool Cursor::accept(std::string_view punctuation) {
  if (!looking_at(punctuation)) return false;
  offset_ += punctuation.size();
  return true;
}

void Cursor::expect(char c, std::string_view context) {
  if (!accept(c)) fail_expected(std::string("'") + c + "'", context);
}

void Cursor::expect(std::string_view punctuation, std::string_view context) {
  if (!accept(punctuation)) fail_expected("'" + std::string(punctuation) + "'", context);
}

std::string_view Cursor::peek_word() {
  if (at_end() || !is_word_start(text_[offset_])) return {};
  size_t end = offset_ + 1;
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  return text_.substr(offset_, end - offset_);
}

std::string_view Cursor::word() {
  const std::string_view w = peek_word();
  offset_ += w.size();
  return w;
}

bool Cursor::accept_word(std::string_view w) {
  if (peek_word() != w) return false;
  offset_ += w.size();
  return true;
}

void Cursor::expect_word(std::string_view w, std::string_view context) {
  if (!accept_word(w)) fail_expected("'" + std::string(w) + "'", context);
}

std::string_view Cursor::suffix_name(std::string_view what) {
  size_t end = offset_;
  while (end < text_.size() && (is_word_char(text_[end]) || text_[end] == '-')) {
    // "%a->" does not exist, but "[%0]->" style text may follow a name without space.
    if (text_[end] == '-' && end + 1 < text_.size() && text_[end + 1] == '>') break;
    ++end;
  }
  if (end == offset_) fail("a name is missing after the sign of " + std::string(what));
  const std::string_view name = text_.substr(offset_, end - offset_);
  offset_ = end;
  return name;
}

std::string Cursor::symbol() {
  expect('@', "a symbol name");
  if (offset_ < text_.size() && text_[offset_] == '"') {
    const size_t start = offset_;
    std::string name = string();
    if (name.empty()) fail_at(start, 2, "a symbol's name is empty");
    return name;
  }
  return std::string(suffix_name("a symbol"));
}

std::string_view Cursor::raw_string() {
  if (peek() != '"') fail_expected("a string", "");
  const size_t start = offset_;
  size_t end = start + 1;
  while (true) {
    // A constant's bytes may be tens of megabytes: search instead of stepping.
    const size_t quote = text_.find('"', end);
    if (quote == std::string_view::npos) fail_at(start, 1, "the string that begins here does not end");
    size_t slashes = 0;
    while (quote - slashes > start + 1 && text_[quote - slashes - 1] == '\\') ++slashes;
    end = quote + 1;
    if (slashes % 2 == 0) break;
  }
  offset_ = end;
  return text_.substr(start + 1, end - start - 2);
}

std::string Cursor::string() {
  const std::string_view raw = raw_string();
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string out;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      out += raw[i];
      continue;
    }
    const char c = raw[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == 'r') {
      out += '\r';
    } else if (i + 1 < raw.size() && hex_digit(c) >= 0 && hex_digit(raw[i + 1]) >= 0) {
      out += static_cast<char>(hex_digit(c) * 16 + hex_digit(raw[i + 1]));
      ++i;
    } else {
      out += c;
    }
  }
  return out;
}

int64_t Cursor::integer(std::string_view what) {
  skip_space();
  int64_t value = 0;
  const char* begin = text_.data() + offset_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) {
    fail_at(offset_, static_cast<size_t>(end - begin), "this integer does not fit 64 bits");
  }
  if (error != std::errc()) fail_expected("an integer", what);
  offset_ += static_cast<size_t>(end - begin);
  return value;
}

void Cursor::skip_balanced(char close) {
  const size_t start = offset_ > 0 ? offset_ - 1 : 0;
  std::string stack(1, close);
  while (!at_end()) {
    const char c = text_[offset_];
    if (c == '"') {
      raw_string();
      continue;
    }
    ++offset_;
    if (c == '(') {
      stack += ')';
    } else if (c == '[') {
      stack += ']';
    } else if (c == '{') {
      stack += '}';
    } else if (c == '<') {
      stack += '>';
    } else if (c == '-' && offset_ < text_.size() && text_[offset_] == '>') {
      ++offset_;
    } else if (c == stack.back()) {
      stack.pop_back();
      if (stack.empty()) return;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      fail_at(offset_ - 1, 1, std::string("this bracket closes nothing: expected '") + stack.back() + "'");
    }
  }
  fail_at(start, 1, "the bracket that begins here does not end");
}

Loc Cursor::loc(size_t offset, size_t length) {
  offset = std::min(offset, text_.size());
  if (offset < counted_to_) {
    counted_to_ = line_start_ = 0;
    line_ = 1;
  }
  while (counted_to_ < offset) {
    const void* newline = std::memchr(text_.data() + counted_to_, '\n', offset - counted_to_);
    if (newline == nullptr) {
      counted_to_ = offset;
      break;
    }
    counted_to_ = static_cast<size_t>(static_cast<const char*>(newline) - text_.data()) + 1;
    line_start_ = counted_to_;
    ++line_;
  }
  return {file_, line_, static_cast<uint32_t>(offset - line_start_ + 1),
          static_cast<uint32_t>(std::max<size_t>(length, 1))};
}

Loc Cursor::here() {
  skip_space();
  const size_t length = std::max<size_t>(peek_word().size(), 1);
  return loc(offset_, length);
}

void Cursor::fail(const std::string& message) { throw UserError(message, here()); }

void Cursor::fail_at(size_t offset, size_t length, const std::string& message) {
  throw UserError(message, loc(offset, length));
}

void Cursor::fail_expected(std::string_view expected, std::string_view context) {
  std::string got;
  if (at_end()) {
    got = "the end of the text";
  } else if (const std::string_view w = peek_word(); !w.empty()) {
    got = "'" + std::string(w.substr(0, 40)) + "'";
  } else {
    got = "'" + std::string(1, text_[offset_]) + "'";
  }
  std::string message = "syntax";
  if (!context.empty()) message += " of " + std::string(context);
  fail(message + ": got " + got + ", expected " + std::string(expected));
}

}  // namespace weft::text
