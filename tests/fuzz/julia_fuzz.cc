// libFuzzer: any bytes as a Julia source.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "julia/syntax/parse.h"
#include "julia/syntax/sexpr.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const weft::julia::Parsed parsed = weft::julia::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  weft::julia::sexpr(parsed.tree, parsed.tree.root());
  for (const weft::julia::Diagnostic& d : parsed.diagnostics) {
    if (d.begin > d.end || d.end > size) std::abort();
  }
  return 0;
}
