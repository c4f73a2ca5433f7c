// Random typed programs made of the records' samples and of control flow around them.
#pragma once
#include <memory>

#include "ir/function.h"
#include "reduce/random.h"

namespace weft::fuzz {

using reduce::Numbers;
using reduce::Random;
using reduce::random_tensor;

struct GenerateOptions {
  /// Choices of an op in @main; regions and other functions come on top.
  int ops = 30;
  /// Only ops whose every implementation gives the same bits: no sums of floats in another order, no functions of a mathematical library.
  bool exact = false;
};

/// @main and the functions that it calls. Well typed, or the fault of a type rule; the same for the same seed.
std::unique_ptr<Module> generate(uint64_t seed, const GenerateOptions& options);

/// Arguments for @main.
std::vector<Tensor> random_inputs(uint64_t seed, const Function& main, Numbers numbers);

}  // namespace weft::fuzz
