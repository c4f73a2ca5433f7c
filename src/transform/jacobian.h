// Whole matrices of derivatives, composed of derivatives and lanes. The output is ordinary IR.
#pragma once
#include <span>
#include <string>

#include "ir/function.h"
#include "weft/derivative_options.h"

namespace weft {

/// Adds to `module`, under the name `as` as `jvp` does, a function of f's arguments that returns for each floating-point result r of f
/// and, within it, each argument a of `args` in the order given the derivatives J = dr/da: a tensor of r's extents followed by a's,
/// of r's element type. What r does not depend on gets zeros.
/// Complex numbers: J is complex where r or a is, of r's precision. A complex r by a real a: dr = J da. A real r by a complex a:
/// dr = Re(J da), as a gradient is. Both complex: dr = J da if r is holomorphic in a; if not, forwards the derivative along the real
/// axis, backwards the J with Re(dr) = Re(J da) (real and imaginary parts as arguments of their own give all four).
/// `is_batched`: r's extents, then a's without axis 0. Values are right only where no example's result depends on another's arguments.
/// Throws UserError as `jvp`, also for a negative chunk and for batched extents that differ; Unsupported for extents that are not known.
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
