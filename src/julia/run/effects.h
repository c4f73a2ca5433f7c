// What a program does outside of the process: a check of a program must not do it.
#pragma once
#include <string>

namespace weft::julia {

/// While one lives, what reaches outside (files, the environment, standard input, waiting) throws Unsupported.
class NoEffects {
 public:
  NoEffects() { ++depth(); }
  ~NoEffects() { --depth(); }
  NoEffects(const NoEffects&) = delete;
  NoEffects& operator=(const NoEffects&) = delete;
  static bool are_forbidden() { return depth() > 0; }

 private:
  static int& depth();
};

/// Called by what has an effect outside, before it has it.
void expect_effects_allowed(const std::string& what);

}  // namespace weft::julia
