// The entry of a compiled program and the functions that it calls: control flow, scalars in registers and the calls of kernels
// and libraries. Each is one LLVM function.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "native/codegen/kernel.h"
#include "native/schedule/memory.h"
#include "native/schedule/schedule.h"
#include "native/site.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace weft::native {

/// A kernel of the module under construction, and how to run it.
struct KernelCode {
  std::string name;  // its symbol
  codegen::EmittedKernel code;
  codegen::KernelPlan plan;
};

/// A function that is called. It takes its arguments in order, scalars in registers and others as pointers; a pointer for each
/// result that passes in memory and is not an argument brought up to date; memory for its workspace and for the frames of
/// recursive functions, where it needs them; context and host. Scalars are returned. A failure is told by the context's status.
struct FunctionCode {
  llvm::Function* code = nullptr;
  InOutPairs in_out;
  bool is_recursive = false;   // its workspace is a frame, which begins where `frames` points
  bool needs_frames = false;   // it is recursive or calls, through others, what is
  bool may_fail = true;        // known once it is emitted, as the following
  size_t workspace_bytes = 0;  // what it calls included, recursive functions excepted
  bool is_guarded = true;      // a recursive function looks for room on its stack and for interrupts
};

struct OpenEntry;

struct EntryInput {
  const Function& function;
  const Block& schedule;
  const MemoryPlan& memory;
  /// The code of a kernel step; the same for equal kernels.
  std::function<const KernelCode&(const Step&)> kernel;
  int partitions = 1;
  /// Filled: ops whose index generated code passes to weft_rt_fail and weft_native_host.
  std::vector<Site>& sites;
  /// Raised to what steps need behind the planned arena: scratch of kernels and sorts, workspaces of callees.
  size_t& step_scratch_bytes;
  /// Of a library step, by its index.
  std::function<size_t(int)> library_scratch_bytes;
  /// A function by name. Those that are not recursive are emitted before what calls them.
  std::function<const FunctionCode&(const std::string&)> callee = {};
  /// Constants of at least so many bytes stay outside of the code: the call's context has their addresses, in the order in which
  /// they are entered here.
  size_t external_constant_bytes;
  std::vector<Site>& external_constants;
  /// Calls weft_native_step at the beginning and the end of each step.
  bool profile = false;
  /// What a program with open extents has beside (native/open/open_entry.h); null: all extents are static.
  const OpenEntry* open = nullptr;
};

/// Where kernels keep partial results and libraries their scratch: behind the planned arena.
struct EntryLayout {
  size_t scratch_offset = 0;
};

/// Emits `int32 name(const void* const* args, void* const* results, void* workspace, weft_rt_context*, void* host)`.
/// It returns the context's status. `host` is handed to weft_native_library and weft_native_host, which it calls for
/// library steps and for checks on whole tensors. `calls_recursion`: something that the entry reaches is recursive; the entry
/// then runs on a stack of its own (weft_rt_run_recursive). The function returned has the steps.
llvm::Function* emit_entry(llvm::Module& module, const EntryInput& input, const EntryLayout& layout,
                           const std::string& name, bool calls_recursion);

/// Declares the function of `code`, whose first fields are set.
void declare_function(llvm::Module& module, const Function& f, FunctionCode& code);
void emit_function(llvm::Module& module, const EntryInput& input, const EntryLayout& layout, FunctionCode& code);

}  // namespace weft::native
