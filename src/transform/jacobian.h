// Whole matrices of derivatives, composed of derivatives and lanes. The output is ordinary IR.
#pragma once
#include <span>
#include <string>

#include "ir/function.h"

namespace weft {

struct JacobianOptions {
  /// Forward: a lane for each element of the arguments; reverse: for each element of the results. kAuto: which has fewer.
  enum Direction { kAuto, kForward, kReverse } direction = kAuto;
  /// So many lanes at once, in a loop; 0: all of them. It need not divide their number.
  int64_t chunk = 0;
};

/// Adds to `module`, under the name `as` as `jvp` does, a function of f's arguments that returns for each floating-point result r of f
/// and, within it, each argument a of `args` in the order given the derivatives dr/da: a tensor of r's extents followed by a's,
/// of r's element type.
/// Throws UserError as `jvp`, also for a negative chunk; Unsupported for complex arguments and results, whose derivatives are not
/// one number each, and for extents that are not known.
Function& jacobian(Module& module, const std::string& f, std::span<const size_t> args, const std::string& as,
                   const JacobianOptions& options = {});

/// Second derivatives of result 0, a floating-point scalar: for each a of `args` and, within it, each b a tensor of a's extents followed
/// by b's. kAuto and kForward differentiate the gradient forwards, kReverse backwards.
Function& hessian(Module& module, const std::string& f, std::span<const size_t> args, const std::string& as,
                  const JacobianOptions& options = {});

/// Products with the Hessian, without forming it: f's arguments, then a vector for each of `args`; the result for each of them.
Function& hessian_vector_product(Module& module, const std::string& f, std::span<const size_t> args,
                                 const std::string& as);

}  // namespace weft
