// From Weft's IR to StableHLO that other compilers read.
#pragma once
#include <memory>
#include <string>

#include "ir/function.h"

namespace weft {

struct PortableOptions {
  /// Ops of the chlo dialect, which most readers of StableHLO know, stay as they are.
  bool keep_chlo = true;
};

/// A copy of a function of `module` that calls nothing and holds no op of Weft's own: calls are inlined, stacks of loops whose number of
/// iterations is known become arrays, quantized values are their stored integers, loops that lanes leave on their own run for all lanes until the last has left, and
/// ops of Weft are written out as their records say. Functions that composites name stay in the module. Throws Unsupported, at the op
/// and with its record's reason, for what has no such form; for a function that calls itself, with the chain of calls; for an extent that is
/// not static.
std::unique_ptr<Function> to_portable(const Module& module, const Function& f, const PortableOptions& options = {});

/// The function alone, and those that its composites name, as a module with it as public @main.
std::shared_ptr<Module> portable_program(const Module& module, const std::string& function,
                                         const PortableOptions& options = {});

}  // namespace weft
