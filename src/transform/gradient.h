// Derivatives of whole functions. The output is ordinary IR, so derivatives nest in any order.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

/// Forward derivative in the directions of the arguments given by position. The new function takes f's arguments, then a tangent
/// for each of `args` in the order given, and returns f's results, then a tangent for each floating-point result (zeros where
/// it depends on none of them).
/// It is put into the module under the name `as`, in place of a function of that name if there is one; when other functions
/// call that one, it stays under another name and they call it there. Functions that f calls get derivatives of their own.
/// Throws UserError when an argument does not exist, is listed twice or is not floating-point; Unsupported when an op has no derivative.
Function& jvp(Module& module, const std::string& f, std::span<const size_t> args, const std::string& as);
/// As above for all floating-point arguments.
Function& jvp(Module& module, const std::string& f, const std::string& as);

/// What loops in reverse keep. Of each loop that needs to keep anything.
struct ReverseOptions {
  /// The carries of so many trips (at least 2), whatever the number of trips; the trips in between run again. 0: as `memory` says.
  int64_t recompute = 0;
  /// So many bytes: as many trips' carries as fit, or all that is needed where that fits. 0: everything, on stacks.
  uint64_t memory = 0;
  /// Receives which loops keep everything all the same, and why.
  std::vector<std::string>* notes = nullptr;
};
/// The attribute of a loop that has `recompute` for itself, and for the loops that its derivatives are.
inline constexpr std::string_view kRecompute = "weft.recompute";

/// Reverse derivative. The new function takes f's arguments, then a cotangent for each floating-point result, and returns the
/// cotangent of each of `args`; f's results stand before them when `with_value`. Loops store what their backward pass
/// needs on stacks, so no bound on trip counts is needed. Small functions that are called are
/// inlined, others become pairs of functions. A function that calls itself runs its forward pass again in its backward pass:
/// recursion of depth d costs up to d times the function.
/// Errors as for jvp.
Function& vjp(Module& module, const std::string& f, std::span<const size_t> args, const std::string& as,
              bool with_value = false, const ReverseOptions& options = {});

/// Gradient of result 0, a floating-point scalar, by the arguments given: the new function takes f's arguments and returns one
/// gradient each; f's results stand before them when `with_value`. UserError when result 0 is not such a scalar.
Function& gradient(Module& module, const std::string& f, std::span<const size_t> args, const std::string& as,
                   bool with_value = false, const ReverseOptions& options = {});

}  // namespace weft
