// The kernels of a program: equal ones once, planned where they are first used and generated in the end on all cores.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/codegen/dump.h"
#include "native/codegen/entry.h"
#include "native/codegen/kernel.h"

namespace llvm {
class Module;
}

namespace weft::native {

class KernelPool {
 public:
  /// `module` has the code that calls the kernels.
  KernelPool(llvm::Module& module, const codegen::KernelOptions& options) : module_(module), options_(options) {}

  /// Declared in the module, but not defined yet.
  const KernelCode& get(const FusedKernel& kernel);
  size_t count() const { return pool_.size(); }

  /// Generates all kernels and the module that calls them as object files. They are the same whatever the number of threads: few
  /// kernels go into the module, many into modules of a fixed number of kernels, each with an LLVM context of its own.
  std::vector<std::vector<std::byte>> generate(int threads, const codegen::DumpFn& dump);

 private:
  struct Entry {
    std::shared_ptr<const Function> function;
    KernelCode code;
  };
  void emit_into(llvm::Module& module, const Entry& entry) const;
  void emit_here();
  std::vector<std::byte> generate_part(size_t begin, size_t end, const codegen::DumpFn& dump) const;

  llvm::Module& module_;
  const codegen::KernelOptions& options_;
  std::unordered_map<std::string, size_t> index_;  // by hash
  std::vector<std::unique_ptr<Entry>> pool_;       // in order of first use
};

/// The name that a kernel's function has: equal for equal kernels.
std::string kernel_name(const FusedKernel& kernel, const codegen::KernelOptions& options);

}  // namespace weft::native
