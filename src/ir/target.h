// What a front end knows of a back end: compile a module's entry, call the result.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

struct CompileOptions {
  /// (argument, result) pairs: the result is written into the argument's buffer. The caller passes the same pointer for
  /// both; values are those of a pure program (every read of the argument sees its old contents).
  std::vector<std::pair<size_t, size_t>> donations;
  /// Number of parts that parallel loops are cut into; fixes the bits of results. 0 = cores of this machine.
  int partitions = 0;
  /// No contraction or convolution library: generated kernels only (bits equal to ahead-of-time code).
  bool no_libraries = false;
  /// Passes and implementation rows switched off by name, for verification modes ("fuse", "in_place", "simplify", "onednn_convolution", …).
  std::vector<std::string> disabled;
  /// Receives what `print` ops say; default stdout.
  std::function<void(const std::string&)> print;
};

/// A compiled entry. May be called from many threads at once.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual std::span<const Type> arg_types() const = 0;
  virtual std::span<const Type> result_types() const = 0;
  /// Raw call: args[i] points to the dense row-major elements of argument i, results[j] to room for result j, 64-byte
  /// aligned where possible. Nothing is allocated after the first call. Throws UserError for a failed check.
  virtual void invoke(const void* const* args, void* const* results) const = 0;
  /// Checked call with allocated results. Throws UserError when number, type or shape of an argument is wrong.
  std::vector<Tensor> run(std::span<const Tensor> args) const;
  /// A printable account of what was compiled (kernels, library choices with reasons, copies, memory plan).
  virtual std::string explain() const { return {}; }
};

class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                              const CompileOptions& options = {}) const = 0;
};

/// Targets by name. Back ends add themselves when they are loaded; front ends reach them only so.
void register_target(const std::string& name, const Target& (*target)());
/// Throws UserError that lists the names there are.
const Target& get_target(std::string_view name);
struct RegisterTarget {
  RegisterTarget(const char* name, const Target& (*target)()) { register_target(name, target); }
};

}  // namespace weft
