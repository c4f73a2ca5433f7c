// One op of a program with open extents, for the extents of a call: prepared library calls, and evaluation by the op's own rule.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "ir/target.h"
#include "native/kernels/library_kernel.h"
#include "native/open/open_program.h"

namespace weft::native {

/// The op alone as a function of its operands, each once, with the values of the names. Constants are copied along.
std::unique_ptr<Function> concrete_op(const OpView& op, const ExtentNames& names, std::span<const int64_t> values);
/// Several ops in order, as a function of `inputs`; what else they and their regions use is copied along, as are inputs that are
/// constants.
std::unique_ptr<Function> concrete_ops(const Function& f, std::span<const OpId> ops, std::span<const Value> inputs,
                                       const ExtentNames& names, std::span<const int64_t> values);

/// The op with the names as they are, as a kernel of its operands; `inputs`: which operands its arguments are.
std::shared_ptr<Function> kernel_of(const OpView& op, const ExtentNames& names, std::vector<size_t>& inputs);

/// A contraction by a library, with what follows it there: kernels are prepared for the extents of the calls and kept, as many as
/// kMost. Weights that the program holds are packed then.
class OpenContraction {
 public:
  static constexpr size_t kMost = 64;
  /// `ops`: the contraction and then the members of its epilogue; `inputs`: what they read, in the kernel's order.
  OpenContraction(const Function& f, std::vector<OpId> ops, std::vector<Value> inputs, const ExtentNames& names,
                  const CompileOptions& options, int partitions)
      : f_(f),
        ops_(std::move(ops)),
        inputs_(std::move(inputs)),
        names_(names),
        options_(options),
        partitions_(partitions) {}
  size_t num_inputs() const { return inputs_.size(); }
  OpView op() const { return {f_, ops_[0]}; }

  /// For one set of values. Null kernel: `is_zero` (an operand without elements), or no library takes the op.
  struct Prepared {
    std::unique_ptr<LibraryKernel> kernel;
    bool is_zero = false;
    size_t result_bytes = 0;
    std::unique_ptr<Function> function;
    std::vector<size_t> arguments;  // of the function: which inputs
  };
  std::shared_ptr<const Prepared> get(std::span<const int64_t> values);

 private:
  std::shared_ptr<const Prepared> keep(const std::vector<int64_t>& key, std::shared_ptr<const Prepared> made);

  const Function& f_;
  const std::vector<OpId> ops_;
  const std::vector<Value> inputs_;
  const ExtentNames& names_;
  const CompileOptions options_;
  const int partitions_;
  std::mutex mutex_;
  std::map<std::vector<int64_t>, std::pair<std::shared_ptr<const Prepared>, uint64_t>> kept_;  // and when last used
  uint64_t clock_ = 0;
};

}  // namespace weft::native
