// Shapes made static from the types of the arguments.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

/// Whether `function`, or what it calls, holds types with open extents or ops whose shapes are operands.
bool needs_refinement(const Module& module, const std::string& function);

struct RefineOptions {
  /// Values of arguments that are known (null: not), by position; empty: of none.
  std::vector<const Literal*> constants;
  /// Ops are folded only where the source gives static types to their results, so that refining to other argument types makes the
  /// same ops.
  bool keeps_structure = false;
};

/// Replaces `function` by one whose arguments have `arg_types`, with every extent that follows from them and from constants
/// made static and ops of known shapes made their static forms; callees get a copy for each signature. Extents that only
/// data decide stay open. Throws UserError when the types do not fit the declared ones or the program refuses these shapes.
void refine_shapes(Module& module, const std::string& function, std::span<const Type> arg_types,
                   const RefineOptions& options = {});

}  // namespace weft
