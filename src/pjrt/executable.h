// A program compiled by a plugin.
#pragma once
#include <memory>
#include <vector>

#include "pjrt/client.h"
#include "transform/split_checks.h"

namespace weft::pjrt {

/// The entry of a module, compiled for the client's first device. Throws Unsupported for what PJRT does not take, before the plugin sees it.
std::unique_ptr<Executable> compile_program(std::shared_ptr<const Client> client, const Module& module,
                                            const std::string& entry, const CompileOptions& options);

/// Code with the types of its arguments and results; where `checks` has any, the code returns what they look at after its own results.
std::unique_ptr<Executable> make_executable(std::shared_ptr<const Client> client, std::unique_ptr<LoadedCode> code,
                                            std::vector<Type> arg_types, std::vector<Type> computed_types,
                                            SplitChecks checks);

}  // namespace weft::pjrt
