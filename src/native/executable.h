// A compiled program in this process.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ir/account.h"
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
  ProgramAccount account;
};

class NativeExecutable : public Executable {
 public:
  using Entry = int32_t (*)(const void* const*, void* const*, void*, weft_rt_context*, void*);
  NativeExecutable(CompiledProgram program, std::unique_ptr<codegen::Jit> jit, Entry entry, CompileOptions options);

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  void invoke(const void* const* args, void* const* results) const override;
  std::string explain() const override { return text_of(program_.account); }
  const ProgramAccount* account() const override { return &program_.account; }
  std::vector<StepEvent> take_profile() const override;

  /// What generated code calls back; see symbols below.
  bool run_library(int64_t index, void* const* buffers, void* scratch) const;
  void note_step(int64_t step, bool begins) const;
  int32_t run_host_op(weft_rt_context* context, int64_t site, void* const* buffers) const;

 private:
  [[noreturn]] void report(const weft_rt_context& context) const;

  CompiledProgram program_;
  std::unique_ptr<codegen::Jit> jit_;
  Entry entry_;
  CompileOptions options_;
  std::vector<Type> arg_types_, result_types_;
  mutable rt::ArenaPool arenas_;
  mutable std::mutex profile_mutex_;
  mutable std::vector<StepEvent> profile_;
};

/// "weft_native_library", "weft_native_host" and "weft_native_step", for the JIT's symbol table.
std::span<const rt::Symbol> host_symbols();

}  // namespace weft::native
