// Exceptions of the host as those that a program sees.
#include <stdexcept>

#include "julia/run/impl.h"
#include "julia/run/memory_limit.h"
#include "julia/run/out_of_scope.h"
#include "julia/types/type_errors.h"

namespace weft::julia {
namespace {

/// The host's own messages begin with the name of Julia's exception where there is one. Undefined: they do not.
Value named_exception(const UserError& e) {
  const std::string text = e.what();
  if (text.starts_with("out of memory")) return make_exception("OutOfMemoryError");
  const size_t colon = text.find(": ");
  const std::string type = colon == std::string::npos ? "" : text.substr(0, colon);
  for (const char* name : {"ArgumentError", "DimensionMismatch", "OverflowError"}) {
    if (type == name) return make_exception(name, {make_string(text.substr(colon + 2))});
  }
  return {};
}

}  // namespace

Value exception_value() {
  try {
    throw;
  } catch (const JuliaError& e) { return e.value(); } catch (const MissingPackage& e) {
    const std::string& name = e.package().text();
    return make_exception(
        "ArgumentError", {make_string("Package " + name + " not found in current path.\n- Run `import Pkg; Pkg.add(\"" +
                                      name + "\")` to install the " + name + " package.")});
  } catch (const Unsupported&) { throw; } catch (const ParameterError& e) {
    return make_exception("TypeError", {Value::of_symbol(e.type), make_string(e.parameter), Value::of_type(e.expected),
                                        value_of_parameter(e.got)});
  } catch (const UserError& e) {
    Value named = named_exception(e);
    return named.is_defined() ? named : make_exception("ErrorException", {make_string(e.what())});
  } catch (const std::bad_alloc&) {
    release_reserved_memory();
    return make_exception("OutOfMemoryError");
  } catch (const std::length_error&) {
    // A container asked for more elements than there are addresses.
    return make_exception("OutOfMemoryError");
  }
}

void rethrow_named() {
  try {
    throw;
  } catch (const JuliaError&) { throw; } catch (const UserError& e) {
    Value named = named_exception(e);
    if (!named.is_defined()) throw;
    throw JuliaError(std::move(named));
  } catch (const std::bad_alloc&) {
    release_reserved_memory();
    throw JuliaError(make_exception("OutOfMemoryError"));
  } catch (const std::length_error&) { throw JuliaError(make_exception("OutOfMemoryError")); }
}

}  // namespace weft::julia
