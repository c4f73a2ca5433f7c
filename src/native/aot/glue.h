// The C side of an ahead-of-time library: the header that users include, and the source that stands between the C entry and
// generated code.
#pragma once
#include <string>
#include <vector>

#include "native/codegen/isa.h"
#include "native/executable.h"

namespace weft::native {

struct Glue {
  std::string header;
  std::string source;
};

/// `inner` is the name of the generated entry (codegen/entry.h).
Glue write_glue(const CompiledProgram& program, const std::string& symbol, const std::string& inner,
                const codegen::Isa& isa, const std::string& cpu);

}  // namespace weft::native
