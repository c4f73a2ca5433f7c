// Why a program, or a set of extents, has no part in code for all extents although it can be compiled for its own.
#pragma once
#include <string>

namespace weft::native {

/// Thrown by compile_open and Executable::for_extents of its result; ExtentsExecutable answers it.
struct NeedsOwnCode {
  std::string text;
};

}  // namespace weft::native
