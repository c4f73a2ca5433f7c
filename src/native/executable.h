// A compiled program in this process.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/account.h"
#include "ir/target.h"
#include "native/codegen/jit.h"
#include "native/kernels/library_kernel.h"
#include "native/runtime/arena.h"
#include "native/runtime/guarded_memory.h"
#include "native/runtime/symbols.h"
#include "native/site.h"
#include "native/step_clock.h"

namespace weft {
class Processes;
}

namespace weft::native {

struct LibraryStep {
  std::unique_ptr<LibraryKernel> kernel;
  size_t num_inputs = 0;
};

/// Everything that compiling an entry leaves behind; see compile.h.
struct CompiledProgram {
  std::shared_ptr<const Module> functions;    // those that were compiled: sites point into them
  std::shared_ptr<const Function> function;   // the entry among them
  std::vector<Type> arg_types, result_types;  // of the program; quantized ones are storage integers in the functions
  std::vector<Site> sites;                    // ops that may fail or that the host runs
  std::vector<Site> host_ops;                 // those that the host runs
  std::vector<LibraryStep> libraries;
  std::vector<std::vector<std::byte>> objects;  // machine code; they refer to each other
  size_t workspace_bytes = 0;
  MemoryUse memory;
  std::vector<std::pair<size_t, size_t>>
      guards;                   // parts of the workspace that must not be touched (CompileOptions::guard_pages)
  std::vector<Site> constants;  // those that the code finds through the call's context, in order
  ProgramAccount account;

  OpView site(int64_t index) const { return sites[static_cast<size_t>(index)].view(); }
};

/// What to say when a recursive function, in which the site lies, did not get its next frame.
std::string recursion_message(const CompiledProgram& program, const Site& site);

class HostCall;
class ProcessPrograms;

class NativeExecutable : public Executable {
 public:
  using Entry = int32_t (*)(const void* const*, void* const*, void*, weft_rt_context*, void*);
  NativeExecutable(CompiledProgram program, std::unique_ptr<codegen::Jit> jit, Entry entry, CompileOptions options);

  std::span<const Type> arg_types() const override { return program_.arg_types; }
  std::span<const Type> result_types() const override { return program_.result_types; }
  void invoke(const void* const* args, void* const* results) const override;
  std::span<const std::pair<size_t, size_t>> donations() const override { return options_.donations; }
  std::string explain() const override { return text_of(program_.account); }
  const ProgramAccount* account() const override { return &program_.account; }
  std::vector<StepEvent> take_profile() const override;
  std::unique_ptr<PreparedCall> bind(std::span<const void* const> args, std::span<void* const> results) const override;
  MemoryUse memory_use() const override { return program_.memory; }

  /// As `invoke`, for a process of a grid (ops/distribution/processes.h); null: the only one.
  void invoke_as(Processes* processes, const void* const* args, void* const* results) const;

  /// What generated code calls back; see symbols below.
  bool run_library(int64_t index, void* const* buffers, void* scratch) const;
  void note_step(int64_t step, bool begins) const;

  /// What requests of generated code need (host/host_call.h).
  const CompileOptions& options() const { return options_; }
  OpView site(int64_t index) const { return program_.site(index); }
  /// The ops that the host runs.
  std::vector<OpView> host_ops() const;
  /// The body of a host op.
  const Executable& body(const OpView& op) const;
  void add_body(const OpView& op, std::unique_ptr<Executable> body) {
    bodies_[{&op.function, op.id}] = std::move(body);
  }
  ProcessPrograms* programs() const { return programs_; }
  void set_programs(ProcessPrograms* programs) { programs_ = programs; }
  /// Keeps the programs alive; for the executable that a user holds.
  void own_programs(std::shared_ptr<ProcessPrograms> programs) { owned_programs_ = std::move(programs); }

 private:
  friend class NativeCall;
  friend class Workspace;

  /// Runs the entry; throws what it reports.
  void call(Processes* processes, const void* const* args, void* const* results, void* workspace) const;
  /// Whether generated code may work on these places as they are.
  bool are_usable(const void* const* args, void* const* results) const;
  void expect_donated(const void* const* args, void* const* results) const;
  [[noreturn]] void report(const weft_rt_context& context, HostCall& call) const;

  CompiledProgram program_;
  std::unique_ptr<codegen::Jit> jit_;
  Entry entry_;
  CompileOptions options_;
  std::vector<uintptr_t> arg_masks_, result_masks_;  // bits of an address that must be zero
  std::vector<const void*> constants_;
  std::vector<rt::GuardedMemory> guarded_constants_;
  mutable rt::ArenaPool arenas_;
  mutable StepClock profile_;
  std::map<std::pair<const Function*, OpId>, std::unique_ptr<Executable>> bodies_;
  ProcessPrograms* programs_ = nullptr;
  std::shared_ptr<ProcessPrograms> owned_programs_;
};

/// "weft_native_library", "weft_native_host" and "weft_native_step", for the JIT's symbol table.
std::span<const rt::Symbol> host_symbols();

}  // namespace weft::native
