// A program compiled by a plugin.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "pjrt/client.h"
#include "transform/split_checks.h"

namespace weft::pjrt {

/// The entry of a module, compiled for the client's first device. Throws Unsupported for what PJRT does not take, before the plugin sees it.
std::unique_ptr<Executable> compile_program(std::shared_ptr<const Client> client, const Module& module,
                                            const std::string& entry, const CompileOptions& options);

/// What code takes and gives.
struct Signature {
  std::vector<Type> arg_types;
  std::vector<Type> computed_types;  // results, then what the checks look at
  SplitChecks checks;                // may have none
  /// (argument, result): the memory that the code's text lets a result take over.
  std::vector<std::pair<size_t, size_t>> donations;
};
std::unique_ptr<Executable> make_executable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                                            Signature signature);

}  // namespace weft::pjrt
