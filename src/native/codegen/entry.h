// The entry of a compiled program: control flow, scalars in registers and the calls of kernels and libraries, as one LLVM function.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "native/codegen/kernel.h"
#include "native/schedule/memory.h"
#include "native/schedule/schedule.h"

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

struct EntryInput {
  const Function& function;
  const Block& schedule;
  const MemoryPlan& memory;
  /// The code of a kernel step; the same for equal kernels.
  std::function<const KernelCode&(const Step&)> kernel;
  int partitions = 1;
  /// Filled: ops whose index generated code passes to weft_rt_fail and weft_native_host.
  std::vector<OpId>& sites;
  /// Raised to what sorts and Fourier transforms need behind the planned arena.
  size_t& step_scratch_bytes;
  /// Calls weft_native_step at the beginning and the end of each step.
  bool profile = false;
};

/// Where kernels keep partial results and libraries their scratch: behind the planned arena.
struct EntryLayout {
  size_t scratch_offset = 0;
};

/// Emits `int32 name(const void* const* args, void* const* results, void* workspace, weft_rt_context*, void* host)`.
/// It returns the context's status. `host` is handed to weft_native_library and weft_native_host, which it calls for
/// library steps and for checks on whole tensors.
llvm::Function* emit_entry(llvm::Module& module, const EntryInput& input, const EntryLayout& layout,
                           const std::string& name);

}  // namespace weft::native
