// The instruction set that code is generated for.
#pragma once
#include <string>

namespace weft::codegen {

struct Isa {
  std::string cpu;       // LLVM's name; features decide, since LLVM may misname a CPU that it does not know
  std::string features;  // LLVM's "+avx2,-sse4a,…"; empty: those of `cpu`
  int vector_bytes = 16;
  int registers = 16;
  bool has_masks = false;  // AVX-512: masked loads and stores of all element widths
  bool has_gather = false;
  bool has_fma = false;

  /// This machine.
  static const Isa& host();
  /// "native", or LLVM's name of a CPU ("x86-64-v3"). Throws UserError for a name that LLVM does not know.
  static Isa named(const std::string& cpu);
};

}  // namespace weft::codegen
