// Machine code from LLVM modules: in this process (ORC), or as an object file.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "native/codegen/isa.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace weft::codegen {

/// Code added here lives as long as the object. Calls are serialised by the object's own lock.
class Jit {
 public:
  /// `symbols`: names that generated code may call, with their addresses; libm's are found in the process.
  explicit Jit(const Isa& isa = Isa::host(), std::span<const std::pair<std::string, void*>> symbols = {});
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  /// A module for the target of this JIT; all of a Jit's modules share one context.
  std::unique_ptr<llvm::Module> new_module(const std::string& name);
  llvm::LLVMContext& context();
  /// Compiles and links.
  void add(std::unique_ptr<llvm::Module> module);
  /// Links an object file (from a cache).
  void add_object(std::vector<std::byte> object, const std::string& name);
  /// InternalError when there is no such function.
  void* find(const std::string& name);
  template <class Fn>
  Fn* function(const std::string& name) {
    return reinterpret_cast<Fn*>(find(name));
  }
  /// Called with each object made by `add`, before it is linked.
  std::function<void(const std::string& module_name, std::span<const std::byte>)> on_object;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Position-independent object code. Throws InternalError when the module does not verify.
std::vector<std::byte> emit_object(llvm::Module& module, const Isa& isa);
/// Sets triple and data layout of the ISA on a module.
void set_target(llvm::Module& module, const Isa& isa);
/// Assembly, for inspection.
std::string emit_assembly(llvm::Module& module, const Isa& isa);

}  // namespace weft::codegen
