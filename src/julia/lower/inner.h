// What the code of a function's body needs to know of the code around it.
#pragma once
#include "julia/lower/lowerer.h"

namespace weft::julia {

struct Lowerer::Inner {
  Signature signature;
  Symbol name;
  size_t given = 0;  // arguments; fewer than the signature has: the method only adds default values
  Captures captures;
  VariableId self = kNoVariable;
  NodeId constructed_type = kNoNode;  // as Lowerer has them
  NodeId constructor = kNoNode;
  bool is_constructor = false;
  bool dots = false, views = false;
};

}  // namespace weft::julia
