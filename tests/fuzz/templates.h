// The samples of all records as small functions, and mutations of them that the type rules accept.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ops/record.h"
#include "reduce/random.h"

namespace weft::fuzz {

using reduce::Numbers;
using reduce::Random;
using reduce::random_tensor;

/// One sample: @f of its operands.
struct Template {
  const OpRecord* op;
  std::string label;
  std::shared_ptr<const Function> function;
  std::vector<SampleOperand> operands;
  /// Holds a loop, whose trip count other numbers could make endless.
  bool has_loop = false;
};
const std::vector<Template>& templates();

/// The same with other element types, extents or attributes; null when the type rules refuse what was drawn.
std::shared_ptr<const Function> mutated(Random& random, const Template& source);

/// Element types that values are made of.
const std::vector<ElementType>& element_types();

}  // namespace weft::fuzz
