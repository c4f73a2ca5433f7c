#include "cli/io/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/format.h"

namespace weft::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// NumPy's type string without byte order; raw bytes for what it does not know.
std::string descriptor(ElementType t) {
  using enum ElementType;
  switch (t) {
    case kI1: return "b1";
    case kI8: return "i1";
    case kI16: return "i2";
    case kI32: return "i4";
    case kI64: return "i8";
    case kU8: return "u1";
    case kU16: return "u2";
    case kU32: return "u4";
    case kU64: return "u8";
    case kF16: return "f2";
    case kF32: return "f4";
    case kF64: return "f8";
    case kC64: return "c8";
    case kC128: return "c16";
    default: return "V" + std::to_string(byte_size(t));
  }
}

[[noreturn]] void fail(const std::string& name, const std::string& message) { throw UserError(name + ": " + message); }

struct Header {
  std::string dtype;  // "<f4"; for structured types what stands in the file
  bool is_structured = false;
  bool is_fortran = false;
  Shape shape;
};

/// The header is a literal of a Python dictionary with the keys descr, fortran_order and shape, in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Header parse() {
    std::optional<bool> fortran;
    bool has_dtype = false, has_shape = false;
    Header h;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        has_dtype = true;
        h.is_structured = peek() == '[' || peek() == '(';
        h.dtype = h.is_structured ? bracketed() : quoted();
      } else if (key == "fortran_order") {
        fortran = accept_word("True");
        if (!*fortran && !accept_word("False")) bad("fortran_order is neither True nor False");
      } else if (key == "shape") {
        has_shape = true;
        h.shape = tuple();
      } else {
        bad("it has a key '" + key.substr(0, 40) + "'");
      }
      if (!accept(',') && peek() != '}') bad("its entries are not separated by commas");
    }
    if (peek() != 0) bad("something stands behind the dictionary");
    if (!has_dtype) bad("it has no 'descr'");
    if (!fortran) bad("it has no 'fortran_order'");
    if (!has_shape) bad("it has no 'shape'");
    h.is_fortran = *fortran;
    return h;
  }

 private:
  [[noreturn]] void bad(const std::string& what) { fail(name_, "the .npy header is corrupt: " + what); }
  char peek() {
    const size_t at = rest_.find_first_not_of(" \n\t\r");
    rest_.remove_prefix(std::min(at, rest_.size()));
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool accept(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad("it has no '" + std::string(1, c) + "' where one must stand");
  }
  bool accept_word(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string quoted() {
    const char quote = peek();
    const size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) bad("it has no string where one must stand");
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return out;
  }
  /// A list or tuple as it stands.
  std::string bracketed() {
    int depth = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '[' || rest_[i] == '(') ++depth;
      if (rest_[i] == ']' || rest_[i] == ')') --depth;
      if (depth != 0) continue;
      std::string out(rest_.substr(0, i + 1));
      rest_.remove_prefix(i + 1);
      return out;
    }
    bad("a bracket of 'descr' is not closed");
  }
  Shape tuple() {
    expect('(');
    Shape shape;
    while (!accept(')')) {
      peek();
      int64_t n = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc() || n < 0) bad("its shape has an extent that is none");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      accept('L');  // Python 2 wrote long integers so
      shape.push_back(n);
      if (!accept(',') && peek() != ')') bad("its shape is not a tuple");
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& name_;
};

/// Splits off the header; `bytes` then holds the elements.
Header take_header(std::string_view& bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic)) fail(name, "this is not a .npy file: it does not begin with \\x93NUMPY");
  if (bytes.size() < 10) fail(name, "the file ends in its .npy header");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3)
    fail(name,
         ".npy version: got " + std::to_string(version) + "." + std::to_string(byte(7)) + ", expected 1.0 to 3.0");
  size_t start = 10, length = byte(8) | byte(9) << 8;
  if (version >= 2) {
    if (bytes.size() < 12) fail(name, "the file ends in its .npy header");
    start = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (bytes.size() - start < length) {
    fail(name, "the file ends in its .npy header: got " + std::to_string(bytes.size()) + " bytes, expected " +
                   std::to_string(start + length) + " of header alone");
  }
  Header header = HeaderParser(bytes.substr(start, length), name).parse();
  bytes.remove_prefix(start + length);
  return header;
}

/// The elements' size in bytes if it is to be had, 0 on overflow.
std::optional<size_t> bytes_of(const Shape& shape, size_t element_bytes) {
  size_t n = element_bytes;
  bool is_empty = false, overflows = false;
  for (const int64_t d : shape) {
    is_empty = is_empty || d == 0;
    overflows = __builtin_mul_overflow(n, static_cast<size_t>(d), &n) || overflows;
  }
  if (is_empty) return 0;
  if (overflows) return std::nullopt;
  return n;
}

bool fits(const Shape& shape, Type expected) {
  if (shape.size() != expected.shape().size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t want = expected.shape()[i];
    const int64_t bound = expected.bounds().empty() ? kDynamic : expected.bounds()[i];
    if (want == kDynamic ? bound != kDynamic && shape[i] > bound : shape[i] != want) return false;
  }
  return true;
}

/// The type as the program would spell it, with NumPy's name; only the latter where there is no such type.
std::string spelled(const Header& h) {
  std::string plain = h.dtype;
  if (!plain.empty() && std::string_view("<>|=").find(plain[0]) != std::string_view::npos) plain.erase(0, 1);
  if (plain[0] != 'V' && !h.is_structured) {
    for (auto t = ElementType::kI1; t <= ElementType::kC128; t = static_cast<ElementType>(static_cast<int>(t) + 1)) {
      if (descriptor(t) == plain) return Type::tensor(t, h.shape).str() + " (numpy '" + h.dtype + "')";
    }
  }
  return "elements of numpy type " + h.dtype.substr(0, 80) + ", shape " + format_list(h.shape);
}

/// Turns the bytes of each number round; complex numbers are two.
void swap_bytes(std::byte* data, size_t bytes, size_t number_bytes) {
  for (size_t i = 0; i + number_bytes <= bytes; i += number_bytes) std::reverse(data + i, data + i + number_bytes);
}

/// From first index fastest to last index fastest.
void copy_from_fortran(std::byte* out, const char* in, const Shape& shape, size_t element_bytes) {
  std::vector<size_t> stride(shape.size());
  size_t n = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    stride[i] = n;
    n *= static_cast<size_t>(shape[i]);
  }
  std::vector<int64_t> index(shape.size(), 0);
  size_t from = 0;
  for (size_t to = 0; to < n; ++to) {
    std::memcpy(out + to * element_bytes, in + from * element_bytes, element_bytes);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * static_cast<size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
}

/// One byte each: a truth value is 0 or 1; a narrow integer is kept sign-extended and may come in either way; the bits above a
/// narrow float must be clear.
void normalize_bytes(Tensor& t, const std::string& name) {
  const ElementType type = t.element_type();
  if (byte_size(type) != 1 || bit_width(type) == 8) return;
  auto* data = static_cast<unsigned char*>(t.raw());
  const int unused = 8 - bit_width(type);
  for (int64_t i = 0; i < t.size(); ++i) {
    const unsigned char given = data[i];
    if (is_boolean(type)) {
      data[i] = given != 0;
      continue;
    }
    const auto low = static_cast<unsigned char>(static_cast<unsigned char>(given << unused) >> unused);
    const auto extended = static_cast<unsigned char>(static_cast<signed char>(given << unused) >> unused);
    if (given != low && (!is_signed_integer(type) || given != extended)) {
      fail(name, "element " + std::to_string(i) + ": got a byte of value " + std::to_string(given) + ", expected " +
                     std::to_string(bit_width(type)) + " bits (" + std::string(weft::name(type)) + ")");
    }
    data[i] = is_signed_integer(type) ? extended : low;
  }
}

}  // namespace

Tensor parse_npy(std::string_view bytes, const std::string& name, Type expected) {
  const Header header = take_header(bytes, name);
  const ElementType element = expected.element_type();
  const std::string wanted = descriptor(element);
  const char order = header.dtype.empty() ? '?' : header.dtype[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string dtype = has_order ? header.dtype.substr(1) : header.dtype;
  const bool is_raw =
      wanted[0] == 'V' && (dtype == wanted || dtype == "u" + wanted.substr(1) || dtype == "i" + wanted.substr(1));
  if (header.is_structured || (dtype != wanted && !is_raw) || !fits(header.shape, expected)) {
    std::string message = "got " + spelled(header) + ", expected " + expected.str();
    if (wanted[0] == 'V') message += " (as raw bytes, numpy '" + wanted + "')";
    if (dtype == "O") message += "; Python objects are not read: convert them to numbers";
    fail(name, message);
  }
  const size_t element_bytes = byte_size(element);
  const std::optional<size_t> needed = bytes_of(header.shape, element_bytes);
  if (!needed || bytes.size() != *needed) {
    fail(name,
         std::string(needed && bytes.size() > *needed ? "something stands behind the elements" : "the file is cut") +
             ": got " + std::to_string(bytes.size()) + " bytes of elements, expected " +
             (needed ? std::to_string(*needed) : "more than there can be") + " for " +
             Type::tensor(element, header.shape).str());
  }
  Tensor t(element, header.shape);
  if (header.is_fortran && header.shape.size() > 1) {
    copy_from_fortran(static_cast<std::byte*>(t.raw()), bytes.data(), header.shape, element_bytes);
  } else {
    std::memcpy(t.raw(), bytes.data(), *needed);
  }
  const size_t number_bytes = is_complex(element) ? element_bytes / 2 : element_bytes;
  if (order == '>' && dtype[0] != 'V') swap_bytes(static_cast<std::byte*>(t.raw()), *needed, number_bytes);
  normalize_bytes(t, name);
  return t;
}

std::string format_npy(const Tensor& tensor) {
  const std::string kind = descriptor(tensor.element_type());
  const bool is_single_byte = byte_size(tensor.element_type()) == 1 || kind[0] == 'V';
  std::string header =
      "{'descr': '" + std::string(is_single_byte ? "|" : "<") + kind + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < tensor.shape().size(); ++i) header += (i ? ", " : "") + std::to_string(tensor.shape()[i]);
  header += tensor.shape().size() == 1 ? ",), }" : "), }";
  // Elements begin at a multiple of 64 bytes; the header ends in a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(static_cast<const char*>(tensor.raw()), tensor.size_bytes());
  return out;
}

}  // namespace weft::cli
