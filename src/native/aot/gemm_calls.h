// Matrix products of a library that libdnnl computes (aot_runtime/weft_rt_gemm.h).
#pragma once
#include <memory>
#include <string>

#include "native/executable.h"

namespace weft::native {

/// A dot_general of f32 whose operands are matrices where they lie, large enough to be worth the call; null with the reason in `note`
/// otherwise. It describes the call and cannot run in this process.
std::unique_ptr<LibraryKernel> describe_gemm(const OpView& op, std::string& note);

/// The table `gemms` of the program's library calls, in C.
std::string gemms_source(const CompiledProgram& program);

}  // namespace weft::native
