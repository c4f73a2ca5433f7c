// Names and packages of Julia's that Weft does not have.
#pragma once
#include <optional>
#include <string>

#include "julia/types/symbol.h"
#include "weft/error.h"

namespace weft::julia {

/// What no mode of Weft runs, said by name with what there is instead.
class OutOfScope : public Unsupported {
 public:
  using Unsupported::Unsupported;
};

/// A package that `using` or `import` asks for. A program that catches it sees the ArgumentError that Julia has for a package that is not installed.
class MissingPackage : public OutOfScope {
 public:
  explicit MissingPackage(Symbol package);
  Symbol package() const { return package_; }

 private:
  Symbol package_;
};

/// "fetch: Weft has no tasks"; nothing: Weft has the name, or Julia has it not.
std::optional<std::string> why_out_of_scope(Symbol name);
/// Throws OutOfScope, if the name is one that Julia has and Weft leaves out.
void refuse_out_of_scope(Symbol name);

}  // namespace weft::julia
