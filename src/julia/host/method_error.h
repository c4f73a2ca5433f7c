// The message of a MethodError, which names the closest candidates of the function's method table.
#pragma once
#include <functional>
#include <string>

#include "julia/host/value.h"

namespace weft::julia {

class MethodTable;

/// showerror of a MethodError value (fields f and args).
std::string method_error_text(const Value& exception);

/// How the message finds a function's methods; null: it says none. Per thread, set by the evaluator.
using MethodTableOf = std::function<MethodTable*(const Value& function)>;
MethodTableOf& method_table_of();

/// How values print behind which something of the evaluator's own stands: a module's name. Null: by their type. Per thread.
using HostText = std::string (*)(const Value& v);
HostText& host_text();

}  // namespace weft::julia
