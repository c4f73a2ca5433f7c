// Names of a Julia program: one object per text, compared by address.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace weft::julia {

/// An interned name. Copying costs nothing; equal texts are the same symbol; the text lives forever.
class Symbol {
 public:
  Symbol() = default;
  Symbol(std::string_view text);
  Symbol(const char* text) : Symbol(std::string_view(text)) {}
  Symbol(const std::string& text) : Symbol(std::string_view(text)) {}
  const std::string& text() const { return *text_; }
  explicit operator bool() const { return text_ != nullptr; }
  friend bool operator==(Symbol a, Symbol b) { return a.text_ == b.text_; }
  /// The address that stands for the symbol where only a word fits, and back.
  const void* address() const { return text_; }
  static Symbol at(const void* address) {
    Symbol s;
    s.text_ = static_cast<const std::string*>(address);
    return s;
  }

 private:
  const std::string* text_ = nullptr;
};

}  // namespace weft::julia

template <>
struct std::hash<weft::julia::Symbol> {
  size_t operator()(weft::julia::Symbol s) const noexcept { return std::hash<const void*>()(s.address()); }
};
