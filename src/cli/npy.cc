#include "cli/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/file.h"
#include "base/format.h"

namespace weft::cli {
namespace {

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

[[noreturn]] void fail(const std::string& path, const std::string& message) { throw UserError(path + ": " + message); }

/// The text after 'key': in the header's dictionary.
std::string_view field(const std::string& path, std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos) fail(path, "the .npy header has no " + std::string(key));
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

Shape parse_shape(const std::string& path, std::string_view text) {
  if (text.empty() || text[0] != '(') fail(path, "the .npy header's shape is not a tuple");
  text = text.substr(1, text.find(')') - 1);
  Shape shape;
  while (true) {
    const size_t digit = text.find_first_of("0123456789-");
    if (digit == std::string_view::npos) return shape;
    text.remove_prefix(digit);
    int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || n < 0) fail(path, "the .npy header's shape has an extent that is none");
    shape.push_back(n);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
}

}  // namespace

Tensor read_npy(const std::string& path, Type expected) {
  const std::string bytes = read_file(path);
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0) fail(path, "not a .npy file");
  const int version = bytes[6];
  size_t start = 10,
         length = static_cast<unsigned char>(bytes[8]) | static_cast<size_t>(static_cast<unsigned char>(bytes[9])) << 8;
  if (version >= 2) {
    if (bytes.size() < 12) fail(path, "a .npy file that ends in its header");
    uint32_t wide = 0;
    std::memcpy(&wide, bytes.data() + 8, 4);
    length = wide;
    start = 12;
  }
  if (version < 1 || version > 3) fail(path, ".npy version: got " + std::to_string(version) + ", expected 1, 2 or 3");
  if (bytes.size() - start < length) fail(path, "a .npy file that ends in its header");
  const std::string_view header(bytes.data() + start, length);

  std::string_view quoted = field(path, header, "descr");
  if (quoted.size() < 4 || quoted[0] != '\'')
    fail(path, "structured .npy types are not read: expected " + expected.str());
  std::string dtype(quoted.substr(1, quoted.find('\'', 1) - 1));
  const char order = dtype.empty() ? '?' : dtype[0];
  if (order == '>') fail(path, "big-endian elements: got " + dtype + ", expected little-endian ones");
  if (order == '<' || order == '|' || order == '=') dtype.erase(0, 1);
  const ElementType element = expected.element_type();
  const std::string wanted = descriptor(element);
  const bool is_raw = wanted[0] == 'V' && (dtype == wanted || dtype == "u" + wanted.substr(1));
  const Shape shape = parse_shape(path, field(path, header, "shape"));
  const bool same_shape = std::equal(shape.begin(), shape.end(), expected.shape().begin(), expected.shape().end(),
                                     [](int64_t got, int64_t want) { return want == kDynamic || got == want; });
  if ((dtype != wanted && !is_raw) || !same_shape) {
    fail(path, "got " + dtype + format_list(shape) + ", expected " + wanted + format_list(expected.shape()) + " for " +
                   expected.str());
  }
  if (field(path, header, "fortran_order").starts_with("True"))
    fail(path, "Fortran order: expected C order (numpy.ascontiguousarray)");

  Tensor t(element, shape);
  const size_t data = start + length;
  if (bytes.size() - data < t.size_bytes()) {
    fail(path,
         "elements: got " + std::to_string(bytes.size() - data) + " bytes, expected " + std::to_string(t.size_bytes()));
  }
  std::memcpy(t.raw(), bytes.data() + data, t.size_bytes());
  return t;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  const std::string kind = descriptor(tensor.element_type());
  const bool is_single_byte = byte_size(tensor.element_type()) == 1 || kind[0] == 'V';
  std::string header =
      "{'descr': '" + std::string(is_single_byte ? "|" : "<") + kind + "', 'fortran_order': False, 'shape': (";
  for (int64_t d : tensor.shape()) header += std::to_string(d) + ",";
  header += "), }";
  // Elements begin at a multiple of 64 bytes; the header ends in a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(static_cast<const char*>(tensor.raw()), tensor.size_bytes());
  write_file(path, out);
}

}  // namespace weft::cli
