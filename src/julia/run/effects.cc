#include "julia/run/effects.h"

#include "weft/error.h"

namespace weft::julia {

int& NoEffects::depth() {
  static thread_local int count = 0;
  return count;
}

void expect_effects_allowed(const std::string& what) {
  if (NoEffects::are_forbidden()) throw Unsupported(what + " in a program that is only checked");
}

}  // namespace weft::julia
