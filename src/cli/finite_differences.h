// An independent word on a gradient: central differences of the program in f64.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"
#include "weft/tensor.h"

namespace weft::cli {

/// The module with f64 in place of narrower floating-point types (and complex<f64>). Unsupported where an op reads the bits of numbers.
std::unique_ptr<Module> in_f64(const Module& module);
/// The tensor in f64 or complex<f64>; others as they are.
Tensor in_f64(const Tensor& x);
/// Compares the gradient of `loss`, a function of the module with an f64 result, by the arguments `where` with central differences along random
/// directions, both by the evaluator. What is wrong; empty when they agree to six digits.
std::string difference_from_quotients(const std::shared_ptr<const Module>& module, const std::string& loss,
                                      std::span<const size_t> where, const std::vector<Tensor>& args,
                                      std::span<const Tensor> gradient);

}  // namespace weft::cli
