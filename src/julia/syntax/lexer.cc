#include "julia/syntax/lexer.h"

#include <array>

#include "julia/syntax/show_literal.h"

namespace weft::julia {
namespace {

struct Word {
  std::string_view text;
  Tok kind;
};
constexpr Word kWords[] = {
    {"abstract", Tok::kAbstract},
    {"as", Tok::kAs},
    {"baremodule", Tok::kBaremodule},
    {"begin", Tok::kBegin},
    {"break", Tok::kBreak},
    {"catch", Tok::kCatch},
    {"const", Tok::kConst},
    {"continue", Tok::kContinue},
    {"do", Tok::kDo},
    {"doc", Tok::kDoc},
    {"else", Tok::kElse},
    {"elseif", Tok::kElseif},
    {"end", Tok::kEndWord},
    {"export", Tok::kExport},
    {"false", Tok::kBool},
    {"finally", Tok::kFinally},
    {"for", Tok::kFor},
    {"function", Tok::kFunction},
    {"global", Tok::kGlobal},
    {"if", Tok::kIf},
    {"import", Tok::kImport},
    {"in", Tok::kIn},
    {"isa", Tok::kIsa},
    {"let", Tok::kLet},
    {"local", Tok::kLocal},
    {"macro", Tok::kMacro},
    {"module", Tok::kModule},
    {"mutable", Tok::kMutable},
    {"outer", Tok::kOuter},
    {"primitive", Tok::kPrimitive},
    {"public", Tok::kPublic},
    {"quote", Tok::kQuoteWord},
    {"return", Tok::kReturn},
    {"struct", Tok::kStruct},
    {"true", Tok::kBool},
    {"try", Tok::kTry},
    {"type", Tok::kType},
    {"using", Tok::kUsing},
    {"var", Tok::kVar},
    {"where", Tok::kWhere},
    {"while", Tok::kWhile},
};

/// First and last word (exclusive) of each first letter.
constexpr auto kByLetter = [] {
  std::array<uint8_t, 27> begin{};
  size_t word = 0;
  for (size_t letter = 0; letter < 27; ++letter) {
    while (word < std::size(kWords) && static_cast<size_t>(kWords[word].text[0] - 'a') < letter) ++word;
    begin[letter] = static_cast<uint8_t>(word);
  }
  return begin;
}();

Tok word_kind(std::string_view text) {
  const auto letter = static_cast<size_t>(text[0] - 'a');
  if (letter >= 26 || text.size() > 10) return Tok::kIdentifier;
  for (size_t i = kByLetter[letter]; i < kByLetter[letter + 1]; ++i) {
    if (kWords[i].text == text) return kWords[i].kind;
  }
  return Tok::kIdentifier;
}

constexpr auto kNameBytes = [] {
  std::array<bool, 256> out{};
  for (int c = 0; c < 128; ++c)
    out[static_cast<size_t>(c)] =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return out;
}();

/// Operators that a suffix may follow: +₁.
bool takes_suffix(Tok k) {
  if (!is_operator(k) || is_assignment(k) || is_word_operator(k)) return false;
  switch (k) {
    case Tok::kSplat:
    case Tok::kQuestion:
    case Tok::kSubtype:
    case Tok::kSupertype:
    case Tok::kAndAnd:
    case Tok::kOrOr:
    case Tok::kColon:
    case Tok::kDotDot:
    case Tok::kDollar:
    case Tok::kDeclare:
    case Tok::kDot:
    case Tok::kBang:
    case Tok::kRightArrow:
    case Tok::kNot:
    case Tok::kRadical: return false;
    default: return true;
  }
}

/// What is wrong with a text that is no token.
std::string error_message(Tok kind, std::string_view text) {
  switch (kind) {
    case Tok::kErrorEofMultiComment: return "unterminated multi-line comment #= ... =#";
    case Tok::kErrorInvalidNumericConstant: return "invalid numeric constant";
    case Tok::kErrorHexFloatMustContainP: return "hex float literal must contain `p` or `P`";
    case Tok::kErrorAmbiguousNumericConstant:
      return "ambiguous `.` syntax; add whitespace to clarify (eg `1.+2` might be `1.0+2` or `1 .+ 2`)";
    case Tok::kErrorAmbiguousNumericDotMultiply:
      return "numeric constant cannot be implicitly multiplied because it ends with `.`";
    case Tok::kErrorInvalidInterpolationTerminator:
      return "interpolated variable ends with invalid character; use `$(...)` instead";
    case Tok::kErrorInvalidUTF8: return "invalid UTF-8 sequence " + show_string(text);
    case Tok::kErrorInvisibleChar: return "invisible character " + show_char(text);
    case Tok::kErrorIdentifierStart: return "identifier cannot begin with character " + show_char(text);
    case Tok::kErrorUnknownCharacter: return "unknown unicode character " + show_char(text);
    case Tok::kErrorBidiFormatting: return "unbalanced bidirectional unicode formatting " + show_string(text);
    case Tok::kInvalidOperator: return "invalid operator";
    case Tok::kDoubleStar:
      return "use `x^y` instead of `x**y` for exponentiation, and `x...` instead of `**x` for splatting";
    default: return "unknown error token";
  }
}

}  // namespace

void BidiState::add(uint32_t code) {
  if (code == '\n') return new_line();
  if (code < 0x202a || code > 0x2069) return;
  if (code == 0x202a || code == 0x202b || code == 0x202d || code == 0x202e) ++embeddings_;
  if (code == 0x202c) --embeddings_;
  if (code >= 0x2066 && code <= 0x2068) ++isolates_;
  if (code == 0x2069) --isolates_;
}

void Lexer::report(uint32_t begin, uint32_t end, std::string message) {
  diagnostics_.push_back({begin, end, Diagnostic::kError, std::move(message)});
}

void Lexer::emit(Tok kind, bool may_have_suffix) {
  bool suffixed = false;
  if (may_have_suffix && static_cast<unsigned char>(byte()) >= 0x80 && takes_suffix(kind)) {
    while (true) {
      const Character c = character();
      if (c.bytes == 0 || !is_operator_suffix(c.code)) break;
      at_ += c.bytes;
      suffixed = true;
    }
  }
  last_ = kind;
  if (kind == Tok::kWhitespace || kind == Tok::kComment) {
    space_before_ = true;
    return;
  }
  if (is_error(kind))
    report(static_cast<uint32_t>(start_), static_cast<uint32_t>(at_),
           error_message(kind, text_.substr(start_, at_ - start_)));
  const bool newline = kind == Tok::kNewline;
  // An empty line is told from none, but not from several.
  const size_t n = out_.size();
  if (newline && n >= 2 && out_[n - 1].kind == Tok::kNewline && out_[n - 2].kind == Tok::kNewline) return;
  out_.push_back({static_cast<uint32_t>(start_), static_cast<uint32_t>(at_), kind, space_before_ || newline, suffixed});
  space_before_ = newline;
}

std::vector<Token> Lexer::run() {
  out_.reserve(text_.size() / 4 + 8);
  do next();
  while (last_ != Tok::kEnd || !at_end());
  return std::move(out_);
}

void Lexer::next() {
  start_ = at_;
  if (quoted_.empty()) {
    code();
  } else {
    string_part();
  }
}

void Lexer::code() {
  if (at_end()) return emit(Tok::kEnd);
  const char c = byte();
  if (kNameBytes[static_cast<unsigned char>(c)]) return c >= '0' && c <= '9' ? number(false) : name();
  if (static_cast<unsigned char>(c) < 0x80) return ascii_operator(c);
  const Character ch = character();
  if (is_space(ch.code)) return space();
  if (starts_name(ch.code) && ch.code != 0x1f8b2) return name();
  at_ += ch.bytes;
  const Tok op = operator_of(ch.code);
  if (op != Tok::kEnd) {
    // ⊻= ÷= −=
    if ((ch.code == 0x22bb || ch.code == 0xf7 || ch.code == 0x2212) && accept('=')) return emit(Tok::kOpAssign);
    return emit(op);
  }
  emit(ch.code == kInvalidCharacter ? Tok::kErrorInvalidUTF8
       : is_invisible(ch.code)      ? Tok::kErrorInvisibleChar
       : continues_name(ch.code)    ? Tok::kErrorIdentifierStart
                                    : Tok::kErrorUnknownCharacter);
}

void Lexer::ascii_operator(char c) {
  const auto or_assign = [&](Tok kind) { emit(accept('=') ? Tok::kOpAssign : kind); };
  if (is_space(static_cast<unsigned char>(c))) return space();
  ++at_;
  switch (c) {
    case '[': return emit(Tok::kLeftBracket);
    case ']': return emit(Tok::kRightBracket);
    case '{': return emit(Tok::kLeftBrace);
    case '}': return emit(Tok::kRightBrace);
    case '(': return emit(Tok::kLeftParen);
    case ')': return emit(Tok::kRightParen);
    case ',': return emit(Tok::kComma);
    case ';': return emit(Tok::kSemicolon);
    case '@': return emit(Tok::kAt);
    case '?': return emit(Tok::kQuestion);
    case '~': return emit(Tok::kTilde);
    case '#': return comment();
    case '.': return dot();
    case '\'': return prime();
    case '"':
    case '`': return quote(c);
    case '*':
      if (accept('*')) return emit(Tok::kDoubleStar);
      return or_assign(Tok::kStar);
    case '^': return or_assign(Tok::kPower);
    case '$': return or_assign(Tok::kDollar);
    case '%':
    case '\\': return or_assign(Tok::kStarLike);
    case '/':
      if (accept('/')) return or_assign(Tok::kSlashSlash);
      return or_assign(Tok::kStarLike);
    case '+':
      if (accept('+')) return emit(Tok::kPlusPlus);
      return or_assign(Tok::kPlus);
    case '&':
      if (accept('&')) return emit(Tok::kAndAnd);
      return or_assign(Tok::kAmpersand);
    case '|':
      if (byte() == '=') return or_assign(Tok::kPlusLike);
      if (accept('>')) return emit(Tok::kPipeRight);
      return emit(accept('|') ? Tok::kOrOr : Tok::kPlusLike);
    case '=':
      if (accept('=')) {
        accept('=');
        return emit(Tok::kComparison);
      }
      return emit(accept('>') ? Tok::kPairArrow : Tok::kAssign);
    case '!':
      if (accept('=')) {
        accept('=');
        return emit(Tok::kComparison);
      }
      return emit(Tok::kBang);
    case ':':
      if (accept(':')) return emit(Tok::kDeclare);
      return emit(accept('=') ? Tok::kColonAssign : Tok::kColon);
    case '>':
      if (accept('>')) {
        accept('>');
        return or_assign(Tok::kShift);
      }
      if (accept('=')) return emit(Tok::kComparison);
      return emit(accept(':') ? Tok::kSupertype : Tok::kGreater);
    case '<':
      if (accept('<')) return or_assign(Tok::kShift);
      if (accept('=')) return emit(Tok::kComparison);
      if (accept(':')) return emit(Tok::kSubtype);
      if (accept('|')) return emit(Tok::kPipeLeft);
      if (byte() == '-' && byte(1) == '-') {
        at_ += 2;
        if (accept('-')) return emit(Tok::kInvalidOperator);
        accept('>');
        return emit(Tok::kArrow);
      }
      return emit(Tok::kLess);
    case '-':
      if (accept('-')) return emit(accept('>') ? Tok::kLongArrow : Tok::kInvalidOperator);
      if (last_ != Tok::kDot && accept('>')) return emit(Tok::kRightArrow);
      return or_assign(Tok::kMinus);
    default: return emit(Tok::kErrorUnknownCharacter);
  }
}

void Lexer::space() {
  // One line break a token, so that the parser can tell an empty line.
  bool newline = false;
  while (!at_end()) {
    const char c = byte();
    if (c == '\n' || (c == '\r' && byte(1) == '\n')) {
      if (newline) break;
      newline = true;
      at_ += c == '\r' ? 2 : 1;
      continue;
    }
    const Character ch = character();
    if (!is_space(ch.code)) break;
    at_ += ch.bytes;
  }
  emit(newline ? Tok::kNewline : Tok::kWhitespace);
}

void Lexer::comment() {
  if (byte() != '=') {
    bool valid = true;
    while (!at_end()) {
      const char c = byte();
      if (c == '\n' || (c == '\r' && byte(1) == '\n')) break;
      if (static_cast<unsigned char>(c) < 0x80) {
        ++at_;
        continue;
      }
      const Character ch = character();
      valid = valid && ch.code != kInvalidCharacter;
      at_ += ch.bytes;
    }
    return valid ? emit(Tok::kComment) : error_token(Tok::kErrorInvalidUTF8);
  }
  ++at_;
  BidiState bidi;
  bool valid = true;
  for (int depth = 1; depth > 0;) {
    if (at_end()) return error_token(Tok::kErrorEofMultiComment);
    if (byte() == '#' && byte(1) == '=') {
      ++depth;
      at_ += 2;
    } else if (byte() == '=' && byte(1) == '#') {
      --depth;
      at_ += 2;
    } else {
      const Character ch = character();
      valid = valid && ch.code != kInvalidCharacter;
      bidi.add(ch.code);
      at_ += ch.bytes;
    }
  }
  if (valid && bidi.balanced()) return emit(Tok::kComment);
  error_token(valid ? Tok::kErrorBidiFormatting : Tok::kErrorInvalidUTF8);
}

/// A comment with a fault: reported, and passed over.
void Lexer::error_token(Tok kind) {
  report(static_cast<uint32_t>(start_), static_cast<uint32_t>(at_),
         error_message(kind, text_.substr(start_, at_ - start_)));
  emit(Tok::kComment);
}

void Lexer::dot() {
  const bool macro_name = last_ == Tok::kAt;  // @. and @..
  if (accept('.')) {
    if (accept('.')) return emit(macro_name ? Tok::kIdentifier : Tok::kSplat);
    const Character ch = character();
    if (starts_dottable_operator(ch.bytes == 0 ? 0 : ch.code)) {
      at_ += ch.bytes;
      return emit(Tok::kInvalidOperator);
    }
    return emit(macro_name ? Tok::kIdentifier : Tok::kDotDot);
  }
  if (byte() >= '0' && byte() <= '9') return number(true);
  emit(macro_name ? Tok::kIdentifier : Tok::kDot);
}

void Lexer::prime() {
  // What stands before tells an adjoint from a character.
  switch (last_) {
    case Tok::kIdentifier:
    case Tok::kDot:
    case Tok::kRightParen:
    case Tok::kRightBracket:
    case Tok::kRightBrace:
    case Tok::kPrime:
    case Tok::kEndWord: return emit(Tok::kPrime);
    default:
      if (is_contextual(last_) || is_word_operator(last_) || is_literal(last_)) return emit(Tok::kPrime);
      quoted_.push_back({'\'', false, true});
      emit(Tok::kPrime, false);
  }
}

void Lexer::quote(char delimiter) {
  // A name just before makes a string macro, whose text has no escapes; commands never have.
  const bool raw = delimiter == '`' || last_ == Tok::kIdentifier || is_contextual(last_) || is_word_operator(last_);
  const bool triple = byte() == delimiter && byte(1) == delimiter;
  if (triple) at_ += 2;
  quoted_.push_back({delimiter, triple, raw});
  if (delimiter == '"') return emit(triple ? Tok::kTripleQuote : Tok::kQuote);
  emit(triple ? Tok::kTripleBacktick : Tok::kBacktick);
}

void Lexer::name() {
  bool ascii = true;
  while (!at_end()) {
    const char c = byte();
    if (kNameBytes[static_cast<unsigned char>(c)]) {
      ++at_;
    } else if (c == '!') {
      if (byte(1) == '=') break;  // a != b
      ++at_;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      break;
    } else {
      const Character ch = character();
      if (!continues_name(ch.code) && !(at_ == start_ && starts_name(ch.code))) {
        // Joiners inside emoji and scripts that need them.
        const bool joins = (ch.code == 0x200c || ch.code == 0x200d) && continues_name(code_at(ch.bytes));
        if (!joins) break;
      }
      ascii = false;
      at_ += ch.bytes;
    }
  }
  emit(ascii ? word_kind(text_.substr(start_, at_ - start_)) : Tok::kIdentifier);
}

}  // namespace weft::julia
