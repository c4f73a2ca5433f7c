// One op of a program with open extents, for the extents of a call: prepared library calls, and evaluation by the op's own rule.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "ir/target.h"
#include "native/kernels/library_kernel.h"
#include "native/open/open_program.h"

namespace weft::native {

/// A function of the op's operands that is the op alone, with the values of the names.
std::unique_ptr<Function> concrete_op(const OpView& op, const ExtentNames& names, std::span<const int64_t> values);

/// A contraction by a library: kernels are prepared for the extents of the calls and kept, as many as kMost.
class OpenContraction {
 public:
  static constexpr size_t kMost = 64;
  OpenContraction(const OpView& op, const ExtentNames& names, const CompileOptions& options, int partitions)
      : op_(op), names_(names), options_(options), partitions_(partitions) {}

  /// For one set of values. Null kernel: `is_zero` (an operand without elements), or no library takes the op.
  struct Prepared {
    std::unique_ptr<LibraryKernel> kernel;
    bool is_zero = false;
    size_t result_bytes = 0;
    std::unique_ptr<Function> function;
  };
  std::shared_ptr<const Prepared> get(std::span<const int64_t> values);

 private:
  const OpView op_;
  const ExtentNames& names_;
  const CompileOptions options_;
  const int partitions_;
  std::mutex mutex_;
  std::map<std::vector<int64_t>, std::pair<std::shared_ptr<const Prepared>, uint64_t>> kept_;  // and when last used
  uint64_t clock_ = 0;
};

}  // namespace weft::native
