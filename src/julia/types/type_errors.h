// What is wrong with the parameters of a type, for those who make Julia's exceptions of it.
#pragma once
#include <string>
#include <utility>

#include "julia/types/type.h"
#include "weft/error.h"

namespace weft::julia {

/// A parameter that is not what it has to be: Julia's TypeError.
class ParameterError : public UserError {
 public:
  ParameterError(Symbol type, std::string parameter, const Type* expected, const Type* got, const std::string& message)
      : UserError(message), type(type), parameter(std::move(parameter)), expected(expected), got(got) {}

  Symbol type;
  std::string parameter;
  const Type *expected, *got;
};

}  // namespace weft::julia
