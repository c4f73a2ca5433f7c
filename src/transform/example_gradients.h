// Gradients of many examples together, and of tables from a few of their rows. The output is ordinary IR.
#pragma once
#include <span>
#include <string>

#include "ir/function.h"

namespace weft {

/// f computes the loss of one example, result 0, a floating-point scalar. Adds to `module`, under the name `as` as `jvp` does, a function of
/// f's arguments with `examples` lanes at lane_axes (as `vectorize` takes them; none for those of `args`), then a bound, a scalar of the loss's
/// type. It returns for each of `args` the sum over the examples of their gradients, each scaled to a length of at most the bound (of
/// all `args` together), then the losses and the lengths before, by example. No example's gradient is formed where its length
/// follows from less (gradient_norm.h): lengths first, then one gradient of the weighted losses.
/// Errors as for `gradient` and `vectorize`; UserError when an argument of `args` differs by example.
Function& clipped_gradient(Module& module, const std::string& f, std::span<const size_t> args,
                           std::span<const int64_t> lane_axes, int64_t examples, const std::string& as);

/// Gradient of result 0, a floating-point scalar, by tables of which f reads rows. Adds to `module`, under the name `as`, a function of f's
/// arguments that returns for each of `args` the indices of the rows read, one after the other ([n], as often as they are read), and the
/// gradient by each ([n, extents of a row...]): the gradient of the table is their sum by index.
/// UserError as for `gradient`; Unsupported, naming the op and the remedy, when a table is used by anything but gathers of whole rows at
/// the top of f.
Function& sparse_gradient(Module& module, const std::string& f, std::span<const size_t> args, const std::string& as);

}  // namespace weft
