// Library implementations of contractions and permutations behind one interface: a description goes in, a prepared
// kernel or the reasons against it come out. All kernels are made for a fixed partition count, so that their bits do
// not depend on the threads present at run time (oneDNN splits reductions by the threads it was created under).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::native {

/// A prepared computation on fixed shapes, types and strides.
class LibraryKernel {
 public:
  virtual ~LibraryKernel() = default;

  /// What runs, for `weft explain`: "onednn brgconv:avx512_core".
  virtual std::string implementation() const = 0;
  /// Bytes that execute needs at `scratch`, 64-byte aligned: primitive scratchpads and reordered operands.
  virtual size_t scratch_bytes() const = 0;

  /// Runs on a team of as many threads as partitions, alone under the section lock. Inputs and outputs are in the order that the
  /// description's header states; outputs may not overlap inputs unless stated there. May be called from many threads
  /// at once, each with a scratch of its own. Never throws; false means that the library reported a failure.
  /// Once as many calls have run at the same time as ever will, it makes no object and allocates nothing itself
  /// (oneDNN makes six small nodes per primitive with operator new; see recycling_new/recycling_new.cc).
  virtual bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept = 0;
};

/// An implementation that was looked at and why it does not apply.
struct Refusal {
  std::string implementation;
  std::string reason;
};

/// The first implementation of the ordered list that applies, and the reasons against those before it.
struct KernelChoice {
  std::unique_ptr<LibraryKernel> kernel;  // null: none applies
  std::vector<Refusal> refused;
};

struct KernelOptions {
  /// Compile-time partition count: threads that reductions are split for. At least 1.
  int partitions = 1;
  /// Takes problems that are too small to be worth a library call too (tests of the rows).
  bool is_size_ignored = false;
  /// Considers only the row of this name ("onednn", "openblas"); empty: all in order.
  std::string only;
  /// Rows that are left out.
  std::vector<std::string> disabled;

  /// Why the row of this name is not to be considered, or null.
  const char* why_not(const char* row) const;
};

}  // namespace weft::native

extern "C" {
/// LibraryKernel::execute for generated code: 0 on success, else WEFT_RT_LIBRARY_FAILED.
int32_t weft_library_kernel_execute(const void* kernel, const void* const* inputs, void* const* outputs, void* scratch);
}
