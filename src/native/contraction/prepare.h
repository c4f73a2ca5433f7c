// Contractions by libraries: which dot_general and convolution ops a prepared library kernel runs, and why the others not.
#pragma once
#include <memory>
#include <string>

#include "ir/target.h"
#include "native/kernels/library_kernel.h"

namespace weft::native {

/// A prepared call for the op, or null with the reason in `note` (empty when the op is no contraction).
/// `partitions` is the thread count that primitives are created for.
std::unique_ptr<LibraryKernel> prepare_contraction(const OpView& op, const CompileOptions& options, int partitions, std::string& note);

}  // namespace weft::native
