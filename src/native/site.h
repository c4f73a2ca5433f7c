// Places of a program that running code reports back: by their index in the program's table.
#pragma once
#include "ir/function.h"

namespace weft::native {

/// An op that may fail or that the host runs, in one of the functions that were compiled.
struct Site {
  const Function* function = nullptr;
  OpId op;

  OpView view() const { return {*function, op}; }
};

}  // namespace weft::native
