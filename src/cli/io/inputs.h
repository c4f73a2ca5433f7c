// The values of a function's arguments from what the command line gives.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft::cli {

/// Each of `given` is the elements of one argument as they stand in dense<…>, a .npy file, a .npz archive for several arguments,
/// or one member of it (`weights.npz:kernel`). A plain one is for the next argument that has no value; `arg1=…` is for the one
/// named. An archive's members go by name where one of them is an argument's name, else in order. Arguments are called arg0,
/// arg1, …, and what their attribute jax.arg_info says.
/// Throws UserError naming the argument and the file: got, expected; Unsupported for arguments that are no tensors.
std::vector<Tensor> read_inputs(const Function& f, std::span<const std::string> given);

}  // namespace weft::cli
