// Code that a program evaluates: @eval and eval of quoted code.
#pragma once
#include <span>
#include <string>

#include "julia/run/evaluator.h"

namespace weft::julia {

/// What _eval_code is given: the module, the place, and the code as text around what is interpolated into it.
struct EvaluatedCode {
  Module* module = nullptr;
  std::string file;
  std::string text;  // stands at its own line: what comes before it in the file is empty
};

/// (module, file, line, texts, kinds, values…). Values that no literal says become constants of the module.
EvaluatedCode evaluated_code(Evaluator& evaluator, std::span<const Value> arguments);

}  // namespace weft::julia
