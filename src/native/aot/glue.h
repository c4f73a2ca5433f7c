// The C side of an ahead-of-time library: the source that stands between the exported functions and generated code.
#pragma once
#include <string>
#include <vector>

#include "native/aot/data_object.h"
#include "native/codegen/isa.h"
#include "native/executable.h"

namespace weft::native {

struct OpenParts;

/// How a library is called by its users.
struct LibraryNames {
  std::string symbol;   // the C name of the entry and the beginning of all others
  std::string inner;    // name of the generated entry (codegen/entry.h)
  std::string cpu;      // as given
  std::string weights;  // name of the file of weights; empty: constants are in the library
  bool with_lapack = false;
  bool is_open = false;                                             // callers give extents
  std::vector<std::string> argument_notes = {}, result_notes = {};  // as in BuildOptions

  /// Environment variable with the path of the weights: MODEL_WEIGHTS for `model`.
  std::string weights_variable() const;
  /// What the library exports.
  std::vector<std::string> functions() const;
};

struct Glue {
  std::string source;
  std::vector<DataBlob> data;  // that the source names; to be linked beside it
};

/// `constants`: those that stay outside of generated code, in order; `layout`: where they lie in the file of weights, if there is one; `open`: what
/// a program with open extents has beside.
Glue write_glue(const CompiledProgram& program, const LibraryNames& names, const codegen::Isa& isa,
                const std::vector<DataBlob>& constants, const std::vector<size_t>& constant_of,
                const WeightsLayout* layout, const OpenParts* open = nullptr);

}  // namespace weft::native
