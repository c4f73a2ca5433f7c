// A compiled program in this process.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/target.h"
#include "native/codegen/jit.h"
#include "native/kernels/library_kernel.h"
#include "native/runtime/arena.h"
#include "native/runtime/symbols.h"

namespace weft::native {

struct LibraryStep {
  std::unique_ptr<LibraryKernel> kernel;
  size_t num_inputs = 0;
};

/// Everything that compiling an entry leaves behind; see compile.h.
struct CompiledProgram {
  std::shared_ptr<const Function> function;  // the one that was scheduled: sites point into it
  std::vector<OpId> sites;                   // ops that may fail or that the host runs
  std::vector<LibraryStep> libraries;
  size_t workspace_bytes = 0;
  bool needs_host = false;  // calls weft_native_host
  std::string explanation;
};

class NativeExecutable : public Executable {
 public:
  using Entry = int32_t (*)(const void* const*, void* const*, void*, weft_rt_context*, void*);
  NativeExecutable(CompiledProgram program, std::unique_ptr<codegen::Jit> jit, Entry entry, CompileOptions options);

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  void invoke(const void* const* args, void* const* results) const override;
  std::string explain() const override { return program_.explanation; }

  /// What generated code calls back; see symbols below.
  bool run_library(int64_t index, void* const* buffers, void* scratch) const;
  int32_t run_host_op(weft_rt_context* context, int64_t site, void* const* buffers) const;

 private:
  [[noreturn]] void report(const weft_rt_context& context) const;

  CompiledProgram program_;
  std::unique_ptr<codegen::Jit> jit_;
  Entry entry_;
  CompileOptions options_;
  std::vector<Type> arg_types_, result_types_;
  mutable rt::ArenaPool arenas_;
};

/// "weft_native_library" and "weft_native_host", for the JIT's symbol table.
std::span<const rt::Symbol> host_symbols();

}  // namespace weft::native
