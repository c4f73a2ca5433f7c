#include "text/literals.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/float_format.h"
#include "base/format.h"

namespace weft::text {
namespace {

// Constants with more elements than this print in hex (MLIR's own threshold).
constexpr int64_t kMaxDecimalElements = 100;

ElementType part_of(ElementType t) {
  return t == ElementType::kC64 ? ElementType::kF32 : t == ElementType::kC128 ? ElementType::kF64 : t;
}

void store_bits(std::byte* to, size_t bytes, uint64_t bits) { std::memcpy(to, &bits, bytes); }

uint64_t load_bits(const std::byte* from, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return bits;
}

/// Low `width` bits of `bits`, extended to the element's byte as the type's sign asks.
uint64_t extend(ElementType type, uint64_t bits) {
  const int width = bit_width(type);
  if (width >= 8 || !is_signed_integer(type)) return bits;
  const uint64_t sign = uint64_t{1} << (width - 1);
  bits &= (uint64_t{1} << width) - 1;
  return (bits ^ sign) - sign;
}

constexpr std::array<int8_t, 256> make_hex_table() {
  std::array<int8_t, 256> t{};
  for (auto& v : t) v = -1;
  for (size_t i = 0; i < 10; ++i) t[size_t{'0'} + i] = static_cast<int8_t>(i);
  for (size_t i = 0; i < 6; ++i) t[size_t{'a'} + i] = t[size_t{'A'} + i] = static_cast<int8_t>(10 + i);
  return t;
}
constexpr auto kHex = make_hex_table();

/// Decodes pairs of digits; returns the offset of the first pair that is not hex, or npos.
size_t decode_hex(std::string_view digits, std::byte* out) {
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int value =
        kHex[static_cast<unsigned char>(digits[i])] * 16 | kHex[static_cast<unsigned char>(digits[i + 1])];
    if (value < 0) return i;
    out[i / 2] = static_cast<std::byte>(value);
  }
  return std::string_view::npos;
}

class ElementParser {
 public:
  ElementParser(Cursor& cursor, Type type)
      : cursor_(cursor), type_(type), element_(type.element_type()), bytes_(byte_size(element_)) {}

  Literal parse() {
    const int64_t count = type_.num_elements();
    if (cursor_.peek() == '"') return parse_hex(count);
    if (cursor_.peek() == '>') {
      if (count != 0) cursor_.fail("dense<> has no elements: expected " + std::to_string(count) + " of " + type_.str());
      return empty();
    }
    if (cursor_.peek() != '[') {
      Tensor scalar(element_, {});
      parse_element(static_cast<std::byte*>(scalar.raw()));
      if (count == 0) return empty();
      if (type_.rank() == 0) return Literal::dense(std::move(scalar));
      return Literal::splat_of(type_, std::move(scalar));
    }
    // Every element takes a character at least: a list cannot make us allocate more than the text is long.
    if (static_cast<uint64_t>(count) > cursor_.rest().size()) {
      cursor_.fail("a list for " + type_.str() + " with too few elements");
    }
    if (type_.rank() == 0) cursor_.fail("a list for the rank-0 type " + type_.str() + ": expected one element");
    Tensor t(element_, Shape(type_.shape().begin(), type_.shape().end()));
    out_ = static_cast<std::byte*>(t.raw());
    parse_list(0);
    return Literal::dense(std::move(t));
  }

 private:
  Literal empty() { return Literal::dense(Tensor(element_, Shape(type_.shape().begin(), type_.shape().end()))); }

  void parse_list(size_t axis) {
    cursor_.expect('[', "a constant");
    const int64_t extent = type_.shape()[axis];
    const bool innermost = axis + 1 == type_.shape().size();
    int64_t n = 0;
    while (cursor_.peek() != ']') {
      if (n > 0) cursor_.expect(',', "a constant");
      if (n == extent)
        cursor_.fail("too many elements on axis " + std::to_string(axis) + ": expected " + std::to_string(extent));
      if (innermost) {
        parse_element(out_);
        out_ += bytes_;
      } else {
        parse_list(axis + 1);
      }
      ++n;
    }
    if (n != extent) {
      cursor_.fail("too few elements on axis " + std::to_string(axis) + ": got " + std::to_string(n) + ", expected " +
                   std::to_string(extent));
    }
    cursor_.expect(']', "a constant");
  }

  void parse_element(std::byte* out) {
    if (is_complex(element_)) {
      const size_t half = bytes_ / 2;
      cursor_.expect('(', "a complex constant");
      parse_number(part_of(element_), out);
      cursor_.expect(',', "a complex constant");
      parse_number(part_of(element_), out + half);
      cursor_.expect(')', "a complex constant");
    } else {
      parse_number(element_, out);
    }
  }

  void parse_number(ElementType type, std::byte* out) {
    cursor_.skip_space();
    const size_t start = cursor_.offset();
    const std::string_view rest = cursor_.rest();
    size_t length = 0;
    while (length < rest.size()) {
      const char c = rest[length];
      const bool exponent_sign =
          (c == '+' || c == '-') && (length == 0 || rest[length - 1] == 'e' || rest[length - 1] == 'E');
      if (!is_word_char(c) && !exponent_sign) break;
      ++length;
    }
    const std::string_view token = rest.substr(0, length);
    if (token.empty()) cursor_.fail_expected("a number", "a constant");
    cursor_.seek(start + length);
    const size_t bytes = byte_size(type);
    if (token == "true" || token == "false") {
      if (!is_boolean(type)) wrong(start, token, type);
      store_bits(out, bytes, token == "true");
      return;
    }
    std::string_view digits = token;
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
      uint64_t bits = 0;
      const auto [end, error] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), bits, 16);
      if (error != std::errc() || end != digits.data() + digits.size() || (negative && is_float(type)))
        wrong(start, token, type);
      if (bit_width(type) < 64 && (bits >> bit_width(type)) != 0) wrong(start, token, type);
      store_bits(out, bytes, extend(type, negative ? ~bits + 1 : bits));
      return;
    }
    if (is_float(type)) {
      store_bits(out, bytes, encode_float(type, parse_double(start, token, digits, negative, type)));
      return;
    }
    uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) wrong(start, token, type);
    // Signless types take the unsigned range too, as MLIR reads them.
    const int width = bit_width(type);
    const uint64_t most = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
    const uint64_t least = is_unsigned_integer(type) ? 0 : uint64_t{1} << (width - 1);
    if (error != std::errc() || magnitude > (negative ? least : most)) {
      cursor_.fail_at(start, length, std::string(token) + " does not fit " + std::string(name(type)));
    }
    uint64_t bits = negative ? ~magnitude + 1 : magnitude;
    if (is_boolean(type)) bits &= 1;
    store_bits(out, bytes, extend(type, bits));
  }

  double parse_double(size_t start, std::string_view token, std::string_view digits, bool negative, ElementType type) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size() ||
        (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9'))) {
      wrong(start, token, type);
    }
    // from_chars leaves the value alone when it under- or overflows; strtod rounds it.
    if (error == std::errc::result_out_of_range) value = std::strtod(std::string(digits).c_str(), nullptr);
    return negative ? -value : value;
  }

  [[noreturn]] void wrong(size_t start, std::string_view token, ElementType type) {
    cursor_.fail_at(start, token.size(),
                    "got '" + std::string(token.substr(0, 40)) + "', expected a value of " + std::string(name(type)));
  }

  Literal parse_hex(int64_t count) {
    const size_t at = cursor_.offset();
    const std::string_view raw = cursor_.raw_string();
    if (raw.substr(0, 2) != "0x" && raw.substr(0, 2) != "0X") {
      cursor_.fail_at(at, 1, "a string of elements must be hexadecimal and begin with 0x");
    }
    return bytes(raw.substr(2), at, count);
  }

 public:
  Literal bytes(std::string_view digits, size_t at, int64_t count) {
    if (digits.size() % 2 != 0) cursor_.fail_at(at, 1, "an odd number of hexadecimal digits");
    const size_t given = digits.size() / 2;
    const auto n = static_cast<size_t>(count);
    if (is_boolean(element_)) return packed_booleans(digits, at, n);
    const bool splat = given == bytes_ && n != 1;
    if (!splat && given != n * bytes_) {
      cursor_.fail_at(at, 1,
                      "hexadecimal constant: got " + std::to_string(given) + " bytes, expected " +
                          std::to_string(n * bytes_) + " for " + type_.str());
    }
    if (n == 0) return empty();
    Tensor t(element_, splat ? Shape{} : Shape(type_.shape().begin(), type_.shape().end()));
    auto* out = static_cast<std::byte*>(t.raw());
    decode(digits, at, out);
    if (bit_width(element_) < 8) {
      for (size_t i = 0; i < given; ++i) {
        const uint64_t bits = load_bits(out + i, 1);
        store_bits(out + i, 1,
                   is_signed_integer(element_) ? extend(element_, bits) : bits & ((1u << bit_width(element_)) - 1));
      }
    }
    return splat ? Literal::splat_of(type_, std::move(t)) : Literal::dense(std::move(t));
  }

 private:
  void decode(std::string_view digits, size_t at, std::byte* out) {
    if (const size_t bad = decode_hex(digits, out); bad != std::string_view::npos) {
      cursor_.fail_at(at + 3 + bad, 2, "not a hexadecimal digit");
    }
  }

  /// i1 constants hold eight elements a byte, lowest bit first, or one (newer MLIR); one byte 00 or FF stands for all.
  Literal packed_booleans(std::string_view digits, size_t at, size_t n) {
    Buffer packed = Buffer::allocate(digits.size() / 2);
    decode(digits, at, packed.data());
    const size_t given = digits.size() / 2;
    if (n == 0) return empty();
    const auto first = given == 0 ? 0u : std::to_integer<unsigned>(packed.data()[0]);
    if (given == 1 && n != 1 && (first == 0 || first == 0xff)) {
      return Literal::splat_of(type_, Tensor::scalar_of<bool>(first != 0));
    }
    const bool is_packed = given == (n + 7) / 8;
    if (!is_packed && given != n) {
      cursor_.fail_at(at, 1,
                      "hexadecimal constant: got " + std::to_string(given) + " bytes, expected " +
                          std::to_string((n + 7) / 8) + " for " + type_.str());
    }
    Tensor t(element_, Shape(type_.shape().begin(), type_.shape().end()));
    auto* out = static_cast<std::byte*>(t.raw());
    for (size_t i = 0; i < n; ++i) {
      out[i] = (is_packed ? packed.data()[i / 8] >> (i % 8) : packed.data()[i]) & std::byte{1};
    }
    return Literal::dense(std::move(t));
  }

  Cursor& cursor_;
  Type type_;
  ElementType element_;
  size_t bytes_;
  std::byte* out_ = nullptr;
};

void append_hex_byte(std::string& out, std::byte b) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  out += kDigits[std::to_integer<unsigned>(b) >> 4];
  out += kDigits[std::to_integer<unsigned>(b) & 15];
}

void append_float(std::string& out, ElementType type, const std::byte* element) {
  const size_t bytes = byte_size(type);
  const uint64_t bits = load_bits(element, bytes);
  const double value = decode_float(type, bits);
  if (std::isfinite(value)) {
    char text[64];
    // f32 and smaller: the shortest decimal of the f32 is no longer than that of the f64, and every smaller format lies in f32.
    const auto end =
        type == ElementType::kF64
            ? std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr
            : std::to_chars(text, text + sizeof text, static_cast<float>(value), std::chars_format::scientific).ptr;
    std::string shortest;
    const double magnitude = std::fabs(value);
    if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
      shortest = type == ElementType::kF64 ? format_float(value) : format_float(static_cast<float>(value));
    } else {
      shortest.assign(text, end);
      // MLIR's grammar asks for a point: 1.0e+20.
      if (shortest.find('.') == std::string::npos) shortest.insert(shortest.find('e'), ".0");
    }
    double back = 0;
    const char* digits = shortest.data() + (shortest[0] == '-' ? 1 : 0);
    const auto read = std::from_chars(digits, shortest.data() + shortest.size(), back);
    if (shortest[0] == '-') back = -back;
    if (read.ec == std::errc() && encode_float(type, back) == bits) {
      out += shortest;
      return;
    }
  }
  out += "0x";
  for (size_t i = bytes; i-- > 0;) append_hex_byte(out, element[i]);
}

void append_number(std::string& out, ElementType type, const std::byte* element) {
  if (is_boolean(type)) {
    out += element[0] != std::byte{0} ? "true" : "false";
  } else if (is_float(type)) {
    append_float(out, type, element);
  } else {
    const size_t bytes = byte_size(type);
    const uint64_t bits = load_bits(element, bytes);
    char text[32];
    const int shift = 64 - static_cast<int>(bytes) * 8;
    const auto end = is_unsigned_integer(type)
                         ? std::to_chars(text, text + sizeof text, bits).ptr
                         : std::to_chars(text, text + sizeof text, static_cast<int64_t>(bits << shift) >> shift).ptr;
    out.append(text, end);
  }
}

void append_nested(std::string& out, const Literal& literal, size_t axis, int64_t& next) {
  const auto shape = literal.type.shape();
  if (axis == shape.size()) {
    append_element(out, literal.type.element_type(), literal.element(next++));
    return;
  }
  out += '[';
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i) out += ", ";
    append_nested(out, literal, axis + 1, next);
  }
  out += ']';
}

}  // namespace

Literal parse_dense_content(Cursor& cursor, Type type) { return ElementParser(cursor, type).parse(); }

Literal literal_from_blob(Cursor& cursor, std::string_view hex, size_t at, Type type) {
  // Four bytes of alignment come first.
  if (hex.substr(0, 2) != "0x" || hex.size() < 10)
    cursor.fail_at(at, 1, "a resource must be hexadecimal: 0x, 4 bytes of alignment, data");
  if (is_boolean(type.element_type())) throw Unsupported("dense_resource of i1", cursor.loc(at));
  return ElementParser(cursor, type).bytes(hex.substr(10), at, type.num_elements());
}

void append_element(std::string& out, ElementType type, const std::byte* element) {
  if (!is_complex(type)) {
    append_number(out, type, element);
    return;
  }
  out += '(';
  append_number(out, part_of(type), element);
  out += ", ";
  append_number(out, part_of(type), element + byte_size(type) / 2);
  out += ')';
}

void append_dense(std::string& out, const Literal& literal) {
  const ElementType type = literal.type.element_type();
  out += "dense<";
  const int64_t count = literal.type.num_elements();
  if (count == 0) {
    // An empty list needs no brackets, whatever the rank.
  } else if (literal.splat || literal.type.rank() == 0) {
    append_element(out, type, literal.element(0));
  } else if (count <= kMaxDecimalElements || is_boolean(type)) {
    // Readers differ in how hex holds booleans.
    int64_t next = 0;
    append_nested(out, literal, 0, next);
  } else {
    out += "\"0x";
    const std::byte* bytes = literal.element(0);
    const size_t n = literal.type.num_bytes();
    out.reserve(out.size() + 2 * n + 64);
    // MLIR keeps sub-byte elements zero-extended.
    const auto kept = static_cast<std::byte>(bit_width(type) < 8 ? (1u << bit_width(type)) - 1 : 0xffu);
    for (size_t i = 0; i < n; ++i) append_hex_byte(out, bytes[i] & kept);
    out += '"';
  }
  out += '>';
}

}  // namespace weft::text
