// Julia's exceptions as C++ ones, and their messages.
#pragma once
#include "julia/host/value.h"
#include "weft/error.h"

namespace weft::julia {

/// A thrown Julia value. `what()` is its message as Julia prints it after "ERROR: ".
class JuliaError : public UserError {
 public:
  explicit JuliaError(Value exception, Loc loc = {});
  const Value& value() const { return value_; }

 private:
  Value value_;
};

/// showerror: "DivideError: integer division error", "MethodError: …". For a value that is no exception, its `show`.
std::string error_text(const Value& exception);

/// An exception of a builtin type by name from its fields; missing ones are undefined.
Value make_exception(std::string_view type, std::vector<Value> fields = {});

[[noreturn]] void throw_divide_error();
[[noreturn]] void throw_argument_error(std::string message);
[[noreturn]] void throw_overflow_error(std::string message);
[[noreturn]] void throw_domain_error(Value value, std::string message);
/// func is the name of the type itself, or `trunc` and the like.
[[noreturn]] void throw_inexact_error(Symbol func, const Type* type, Value value);
[[noreturn]] void throw_bounds_error(Value container, Value index);
[[noreturn]] void throw_dimension_mismatch(std::string message);
[[noreturn]] void throw_type_error(Symbol func, std::string context, const Type* expected, Value got);
[[noreturn]] void throw_undef_ref_error();
[[noreturn]] void throw_error(std::string message);  ///< ErrorException, as error(…) throws it

}  // namespace weft::julia
