// Ahead of time: a function of a module as a shared library with a C header, needing libc, libm and libpthread only.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/target.h"

namespace weft {

struct BuildOptions {
  std::string library;         // what to write: a .so, a .o or a .a by its name
  std::string header;          // path of the C header; empty: none
  std::string weights;         // path of a file for large constants; empty: they are in the library
  bool with_onednn = false;    // libdnnl, opened when the library is loaded, computes large products of f32
  bool with_lapack = false;    // a LAPACK library, opened then too, does what LAPACK's custom calls ask for
  std::string symbol;          // C name of the entry; empty: the function's name
  std::string cpu = "native";  // or LLVM's name of a CPU, "x86-64-v3"
  int partitions = 0;          // 0: cores of this machine
  bool contract = false;       // as in CompileOptions
  std::vector<std::string> disabled;
  std::function<void(const CompileStage&)> timing;  // as in CompileOptions
  std::string cache;                                // as there
  /// What the header says of each argument and result behind its type; empty: nothing.
  std::vector<std::string> argument_notes, result_notes;
};

/// What a caller of a library with open extents gives: for each of them an argument and the dimension that it is the extent of.
struct BuiltLibrary {
  std::vector<std::pair<size_t, int64_t>> extents;
};

/// Compiles `entry`, with generated kernels only unless options say otherwise, and links it by `cc` with libweft_rt.a, which is looked for beside this
/// program, in its library folder, and where WEFT_RT_LIBRARY says. Bits equal those of the JIT under no_libraries with the
/// same partitions on the same CPU. A program with open extents becomes one library for all of them. Throws UserError when linking fails,
/// Unsupported for what needs the evaluator.
BuiltLibrary build_library(const Module& module, const std::string& entry, const BuildOptions& options);

}  // namespace weft
