// Kernels: fused loop nests as LLVM functions.
//
// A kernel is an IR function: arguments are input buffers (dense, row-major), the body is the fused ops, the terminator's
// operands ("roots") are what it writes. Generated functions have the signature of KernelFn, hold no absolute address, and
// may run on any number of threads as long as every unit is run once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/function.h"
#include "native/codegen/isa.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace weft::codegen {

/// buffers: inputs, then outputs, then the scratch buffer when the plan has one. Runs units [begin, end).
/// A buffer is aligned to its element. An output may share its memory with an input of the same shape which the kernel reads
/// only at the index that it writes.
using KernelFn = void (*)(void* const* buffers, int64_t begin, int64_t end);

struct KernelOptions {
  Isa isa = Isa::host();
  /// Parts that the caller cuts the units into. Does not change the bits of results.
  int partitions = 1;
  /// CompileOptions::contract.
  bool contract = false;
  /// Above 0: a kernel of rows (row_kernel.h).
  int64_t rows = 0;
};

struct KernelPlan {
  int64_t units = 0;         // extent of the parallel iteration space; 0: nothing to do
  double work_per_unit = 0;  // rough nanoseconds
  /// Partial results of split reductions: the kernel then has a second function NAME_finish, to be run over
  /// [0, finish_units) after all units of the first.
  size_t scratch_bytes = 0;
  int64_t finish_units = 0;
  double finish_work_per_unit = 0;
};

/// The argument whose contents the output `root` must hold before the kernel runs (alias or copy): the kernel writes only the
/// updated part (a dynamic_update_slice or scatter of an argument). The kernel may read that argument elsewhere only if it is not
/// aliased. -1: none; a dynamic_update_slice of a computed operand writes all elements.
int64_t updated_argument(const Function& kernel, Value root);

/// May be computed inside a consumer's loop. `reason` receives why not.
bool can_inline(const OpView& op, std::string* reason = nullptr);
/// False where the scalar rule has no code for the op's complex types.
bool has_scalar_code(const OpView& op, std::string* reason = nullptr);
/// May be a root of a kernel. A scatter must be a root, its inputs arguments of the kernel, and all its results roots.
bool can_root(const OpView& op, std::string* reason = nullptr);
/// True for inlined ops that loop (reduce, dot_general, windows): computing them once per reader may be costly.
bool is_loop(const OpView& op);
/// True for a running fold along an axis (reduce_window with windows from an edge on), a root that reads its operand once.
bool is_scan(const OpView& op);

KernelPlan plan_kernel(const Function& kernel, const KernelOptions& options);

struct EmittedKernel {
  llvm::Function* main = nullptr;
  llvm::Function* finish = nullptr;  // only when plan.scratch_bytes > 0
};
EmittedKernel emit_kernel(llvm::Module& module, const Function& kernel, const KernelPlan& plan,
                          const KernelOptions& options, const std::string& name);

/// Equal for kernels whose code is equal (names and source places aside). 128 bits as text.
std::string kernel_hash(const Function& kernel, const KernelOptions& options);

}  // namespace weft::codegen
