// What a library of a program with open extents computes before each call: the values of the program's names, and constants that depend on
// extents. It is a small program of its own with static types, compiled beside the other.
#pragma once
#include <memory>

#include "native/open/open_program.h"

namespace weft::native {

/// @extents(tensor<given x i64>, shape arguments…) -> (tensor<names x i64>, constants…). The first `num_given` names are what callers give:
/// extents of arguments. It fails by a weft.check where extents do not go together.
struct ExtentsFunction {
  std::unique_ptr<Module> module;
  size_t num_given = 0;
};

/// Writes it from the rules of the ops (extent_rules.h), and compares it with refinement of the program for many sets of extents: what it
/// gives, and what it refuses. Unsupported, with op and place, where an op has no rule or the two differ.
ExtentsFunction write_extents_function(const OpenProgram& program);

}  // namespace weft::native
