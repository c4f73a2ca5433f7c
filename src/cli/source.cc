#include "cli/source.h"

#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "cli/julia.h"
#include "text/parse.h"

namespace weft::cli {
namespace {

constexpr std::string_view kBytecodeMagic = "ML\xefR";

struct Magic {
  std::string_view bytes, what;
};
using namespace std::string_view_literals;
constexpr Magic kMagics[] = {
    {"\x93NUMPY"sv, "a .npy array"},
    {"PK\x03\x04"sv, "a zip archive, as .npz files are"},
    {"\x1f\x8b"sv, "gzip data"},
    {"\x7f"
     "ELF"sv,
     "a program or library of this machine"},
    {"\x89HDF"sv, "an HDF5 file"},
};

/// The first byte that no text has; npos when there is none.
size_t first_control_byte(std::string_view text) {
  const auto at =
      std::ranges::find_if(text, [](unsigned char c) { return (c < ' ' && (c < '\t' || c > '\r')) || c == 0x7f; });
  return at == text.end() ? std::string_view::npos : static_cast<size_t>(at - text.begin());
}

std::string hex(unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

void refuse_binary(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with(kBytecodeMagic)) {
    throw Unsupported(name +
                      ": MLIR bytecode is not read yet, only text. Print the text with jax.jit(f).lower(x).as_text(), "
                      "exported.mlir_module(), or stablehlo-translate --deserialize FILE");
  }
  const size_t control = first_control_byte(bytes);
  if (control == std::string_view::npos) return;
  for (const Magic& magic : kMagics) {
    if (!bytes.starts_with(magic.bytes)) continue;
    throw UserError(name + ": not a program: got " + std::string(magic.what) +
                    ", expected StableHLO text; arrays are given with --input");
  }
  // A serialized Exported is a flatbuffer, which has no magic of its own, around the program in MLIR bytecode.
  if (bytes.find(kBytecodeMagic) != std::string_view::npos) {
    throw Unsupported(
        name +
        ": this holds MLIR bytecode, as what jax.export serializes does; only text is read yet. Print the "
        "text with jax.export.deserialize(bytes).mlir_module(), or jax.jit(f).lower(x).as_text()");
  }
  throw UserError(name + ": not a program: got the byte " + hex(static_cast<unsigned char>(bytes[control])) +
                  " at offset " + std::to_string(control) + ", expected StableHLO text");
}

std::string read_standard_input() {
  std::string out;
  char block[1 << 16];
  size_t n = 0;
  while ((n = std::fread(block, 1, sizeof block, stdin)) > 0) out.append(block, n);
  if (std::ferror(stdin) != 0) throw UserError("cannot read standard input");
  return out;
}

}  // namespace

std::string read_program(const std::string& file) {
  refuse_julia(file);
  std::string text = file == "-" ? read_standard_input() : read_file(file);
  refuse_binary(text, file == "-" ? "standard input" : file);
  return text;
}

std::unique_ptr<Module> load(const std::string& file) {
  return parse_module(read_program(file), file == "-" ? "<stdin>" : file);
}

}  // namespace weft::cli
