// Convolutions of a library that libdnnl computes (aot_runtime/weft_rt_convolution.h).
#pragma once
#include <memory>
#include <string>

#include "native/executable.h"

namespace weft::native {

/// A forward convolution of f32, large enough to be worth the call; null with the reason in `note` otherwise. It describes the call and
/// cannot run in this process.
std::unique_ptr<LibraryKernel> describe_convolution(const OpView& op, std::string& note);

/// Whether describe_convolution made it.
bool is_convolution_call(const LibraryKernel& kernel);

/// The table `convolutions` of the program's library calls, in C; empty when there are none.
std::string convolutions_source(const CompiledProgram& program);

}  // namespace weft::native
