// Contractions by libraries: which dot_general and convolution ops a prepared library kernel runs, and why the others not.
#pragma once
#include <memory>
#include <string>

#include "ir/target.h"
#include "native/contraction/epilogue.h"
#include "native/kernels/library_kernel.h"

namespace weft::native {

/// A kernel on the op's operands and result, dense and row-major: inputs lhs, rhs; output the result. Null with the
/// reasons in `note` when no library takes the op (empty when the op is no contraction). `partitions` is the thread count
/// that primitives are created for. options.disabled may name rows: "onednn_matmul", "openblas_matmul",
/// "onednn_convolution", "winograd_convolution", "direct_convolution"; "library_size_limits" there gives libraries the small problems too.
/// With an epilogue (f32 and forward convolutions only) the inputs are those of the op and then the epilogue's; output: its
/// last member's result.
std::unique_ptr<LibraryKernel> prepare_contraction(const OpView& op, const CompileOptions& options, int partitions,
                                                   std::string& note, const Epilogue* epilogue = nullptr);

}  // namespace weft::native
