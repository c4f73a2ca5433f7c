// IR → StableHLO text that MLIR's parsers and ours accept; parsing it again gives the same module, constants to the bit.
#pragma once
#include <string>

#include "ir/function.h"

namespace weft {

struct PrintOptions {
  /// Every op as "dialect.op"(operands) <{attributes}> ({regions}) : type, functions and module included.
  bool generic = false;
};

std::string print_module(const Module& module, const PrintOptions& options = {});
std::string print_function(const Function& function, const PrintOptions& options = {});
/// One element of a tensor as MLIR writes it inside dense<…>: exact (shortest decimal that reads back, else bits in hex).
std::string print_element(ElementType type, const void* element);
/// dense<…> : type
std::string print_literal(const Literal& literal);

}  // namespace weft
