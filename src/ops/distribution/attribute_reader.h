// Reading attributes that the IR keeps as text: meshes, groups along their axes, shardings.
#pragma once
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// Reads from the front of a text; after the first thing that does not fit, `failed` stays true.
struct AttributeReader {
  std::string_view rest;
  bool failed = false;

  void skip_space() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0])) != 0) rest.remove_prefix(1);
  }
  bool accept(std::string_view text) {
    skip_space();
    if (failed || !rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  template <class... Texts>
  void expect(Texts... texts) {
    ((failed = !accept(texts)), ...);
  }
  std::string word() {
    skip_space();
    size_t end = 0;
    while (end < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[end])) != 0 || rest[end] == '_' ||
                                 rest[end] == '.' || rest[end] == '$')) {
      ++end;
    }
    failed = failed || end == 0;
    std::string out(rest.substr(0, end));
    rest.remove_prefix(end);
    return out;
  }
  std::string quoted() {
    expect("\"");
    const size_t end = rest.find('"');
    failed = failed || end == std::string_view::npos;
    if (failed) return "";
    std::string out(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return out;
  }
  int64_t integer() {
    skip_space();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    failed = failed || error != std::errc();
    if (!failed) rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return value;
  }
  /// a, b, c] or nothing but the bracket; `item` reads one.
  template <class F>
  void list(F item, std::string_view end = "]") {
    if (accept(end)) return;
    do { item(); } while (!failed && accept(","));
    expect(end);
  }
};

}  // namespace weft
