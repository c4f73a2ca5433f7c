// libFuzzer: any bytes as a program. What is accepted must print, in both forms, and be accepted again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "text/parse.h"
#include "text/print.h"
#include "weft/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::unique_ptr<weft::Module> module;
  try {
    module = weft::parse_module(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.mlir");
  } catch (const weft::UserError&) { return 0; } catch (const weft::Unsupported&) {
    return 0;
  }
  const std::string pretty = weft::print_module(*module);
  if (weft::print_module(*weft::parse_module(pretty, "pretty.mlir")) != pretty) std::abort();
  weft::parse_module(weft::print_module(*module, {.generic = true}), "generic.mlir");
  return 0;
}
