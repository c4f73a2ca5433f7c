// A program with open extents in this process: one compilation for all of them.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "ir/account.h"
#include "native/codegen/jit.h"
#include "native/open/open_arena.h"
#include "native/open/open_entry.h"
#include "native/open/open_plans.h"
#include "native/open/open_program.h"
#include "native/open/open_step.h"
#include "native/open/step_code.h"
#include "native/runtime/arena.h"
#include "native/runtime/symbols.h"
#include "native/site.h"
#include "native/step_clock.h"

namespace weft::native {

/// A library step: prepared once, or for the extents of each call.
struct OpenLibraryStep {
  std::unique_ptr<LibraryKernel> fixed;
  std::unique_ptr<OpenContraction> open;
  size_t num_inputs = 0;
  std::unique_ptr<SmallProduct> small;  // null: it has no such form
};

/// Everything that compiling a program with open extents leaves behind.
struct CompiledOpenProgram {
  std::unique_ptr<OpenProgram> program;
  OpenArena arena;
  size_t scratch_bytes = 0;
  std::vector<Site> sites;
  std::vector<Site> host_ops;     // that the host runs; sorts and transforms are among the plans
  std::vector<Site> constants;    // that the code finds through the call's context, in order
  std::vector<std::byte> object;  // of a library
  std::vector<OpenLibraryStep> libraries;
  std::unique_ptr<OpenPlans> plans;
  size_t constant_bytes = 0;  // of constants in memory that are the same for all extents
  ProgramAccount account;     // sizes hold names
  std::string explanation;
};

class OpenExecutable : public Executable {
 public:
  using Executable::account;
  using Executable::memory_use;
  using Entry = int32_t (*)(const void* const*, void* const*, void*, weft_rt_context*, void*);
  /// What a call's extents decide.
  struct Extents {
    OpenProgram::Resolved resolved;
    size_t workspace_bytes = 0;
    MemoryUse memory;
    mutable std::unique_ptr<ProgramAccount> account;  // made when it is asked for
  };

  /// `compile_step`: for ops that have no form for all extents.
  OpenExecutable(CompiledOpenProgram compiled, std::unique_ptr<codegen::Jit> jit, Entry entry, CompileOptions options,
                 StepCode::Compile compile_step);

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  /// UserError: the extents are not known here.
  void invoke(const void* const* args, void* const* results) const override;
  bool has_open_extents() const override { return true; }
  std::unique_ptr<Executable> for_extents(std::span<const Type> arg_types, const void* const* args) const override;
  std::span<const std::pair<size_t, size_t>> donations() const override { return options_.donations; }
  std::string explain() const override { return compiled_.explanation; }

  const ProgramAccount* account(const Extents& extents) const;
  std::vector<StepEvent> take_profile() const override;

  void call(const Extents& extents, const void* const* args, void* const* results) const;

  // What generated code calls back.
  int32_t run_library(weft_rt_context* context, const int64_t* values, int64_t index, int64_t site,
                      void* const* buffers, void* scratch) const;
  void note_step(int64_t step, bool begins) const;
  int32_t run_host_op(weft_rt_context* context, const int64_t* values, int64_t site, void* const* buffers) const;

 private:
  std::shared_ptr<const Extents> extents(std::span<const Type> types, const void* const* args) const;
  MemoryUse memory_use(const OpenProgram::Resolved& r, size_t workspace_bytes) const;
  void run_entry(const Extents& extents, const void* const* args, void* const* results) const;
  [[noreturn]] void report(const weft_rt_context& context) const;
  std::span<const int64_t> values_at(const int64_t* values) const {
    return {values, compiled_.program->names().count()};
  }

  CompiledOpenProgram compiled_;
  std::unique_ptr<codegen::Jit> jit_;
  Entry entry_;
  CompileOptions options_;
  std::vector<Type> arg_types_, result_types_;
  mutable rt::ArenaPool arenas_, library_scratch_;
  mutable StepCode step_code_;
  mutable StepClock profile_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::pair<std::shared_ptr<const Extents>, uint64_t>> kept_;  // and when last used
  mutable uint64_t clock_ = 0;
};

/// "weft_open_library" and "weft_open_host", for the JIT's symbol table.
std::span<const rt::Symbol> open_symbols();

}  // namespace weft::native
