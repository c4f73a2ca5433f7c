// Numbers: 1_000, 0x1f, 0b01, 0o17, 1.5e3, 1f0, 0x1p-3.
#include "julia/syntax/lexer.h"

namespace weft::julia {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_decimal(c) || ((c | 32) >= 'a' && (c | 32) <= 'f'); }
bool is_binary(char c) { return c == '0' || c == '1'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }

}  // namespace

/// Digits with single underscores between; whether there were any.
bool Lexer::digits(bool (*is_digit)(char)) {
  bool any = false;
  while (is_digit(byte()) || (byte() == '_' && is_digit(byte(1)))) {
    ++at_;
    any = true;
  }
  return any;
}

/// e10, f-3 with plus, minus or U+2212; the letter is the next character. False when no digit follows.
bool Lexer::exponent() {
  ++at_;
  if (byte() == '+' || byte() == '-') {
    ++at_;
  } else if (code_at(0) == 0x2212) {
    at_ += 3;
  }
  bool any = false;
  while (is_decimal(byte())) {
    ++at_;
    any = true;
  }
  return any;
}

/// 0x…, 0b…, 0o…, the zero already read. False when it is none of them.
bool Lexer::based_number() {
  const char base = byte();
  if (base != 'x' && base != 'b' && base != 'o') return false;
  ++at_;
  bool any = digits(base == 'x' ? is_hex : base == 'b' ? is_binary : is_octal);
  if (base == 'x') {
    bool is_float = false;
    if (byte() == '.' && byte(1) != '.') {
      ++at_;
      const bool fraction = digits(is_hex);
      any = any || fraction;
      is_float = true;
    }
    if (byte() == 'p' || byte() == 'P') {
      emit(exponent() && any ? Tok::kFloat : Tok::kErrorInvalidNumericConstant);
      return true;
    }
    if (is_float) {
      emit(Tok::kErrorHexFloatMustContainP);
      return true;
    }
  }
  const auto goes_on = [&] { return !at_end() && (is_decimal(byte()) || starts_name(code_at(0))); };
  if (!any || goes_on()) {
    while (goes_on()) at_ += character().bytes;
    emit(Tok::kErrorInvalidNumericConstant);
    return true;
  }
  emit(base == 'x' ? Tok::kHexInt : base == 'b' ? Tok::kBinInt : Tok::kOctInt);
  return true;
}

/// `after_dot`: the number began with a dot, which has been read.
void Lexer::number(bool after_dot) {
  digits(is_decimal);
  const auto at_exponent = [&] {
    const char c = byte(), next = byte(1);
    return (c == 'e' || c == 'E' || c == 'f') &&
           (is_decimal(next) || next == '+' || next == '-' || code_at(1) == 0x2212);
  };
  // `1.e1.`, `1e1.`
  const auto with_exponent = [&] {
    const Tok kind = byte() == 'f' ? Tok::kFloat32 : Tok::kFloat;
    if (!exponent()) return emit(Tok::kErrorInvalidNumericConstant);
    if (byte() == '.' && !starts_dottable_operator(code_at(1))) {
      ++at_;
      return emit(Tok::kErrorInvalidNumericConstant);
    }
    emit(kind);
  };
  if (byte() == '.' && !after_dot) {
    if (byte(1) == '.') return emit(Tok::kInteger);  // a range of numbers: 1..2
    if (starts_dottable_operator(code_at(1))) {
      ++at_;
      return emit(Tok::kErrorAmbiguousNumericConstant);
    }
    ++at_;
    if (accept('_')) return emit(Tok::kErrorInvalidNumericConstant);
    const bool fraction = digits(is_decimal);
    if (at_exponent()) return with_exponent();
    if (byte() == '.' && byte(1) != '.' && !starts_dottable_operator(code_at(1))) {
      ++at_;
      return emit(Tok::kErrorInvalidNumericConstant);
    }
    const char c = byte();
    if (!fraction && !at_end() &&
        (starts_name(code_at(0)) || c == '(' || c == '[' || c == '{' || c == '@' || c == '`' || c == '"'))
      return emit(Tok::kErrorAmbiguousNumericDotMultiply);
    return emit(Tok::kFloat);
  }
  if (byte() == '.' && byte(1) != '.') {
    ++at_;
    return emit(Tok::kErrorInvalidNumericConstant);  // .1.2
  }
  if (at_exponent()) return with_exponent();
  if (at_ - start_ == 1 && text_[start_] == '0' && based_number()) return;
  emit(after_dot ? Tok::kFloat : Tok::kInteger);
}

}  // namespace weft::julia
