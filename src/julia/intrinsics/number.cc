// The intrinsics of numbers: the lists of the files beside this one, and what they share.
#include <bit>
#include <cmath>

#include "julia/intrinsics/number_parts.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

f16 to_f16(double x) {
  // Rounding to Float32 by way of the odd neighbour keeps what the second rounding needs to know.
  auto f = static_cast<float>(x);
  if (std::isfinite(f) && static_cast<double>(f) != x) {
    const bool away = std::fabs(static_cast<double>(f)) > std::fabs(x);
    auto bits = std::bit_cast<uint32_t>(f);
    if (away) --bits;
    f = std::bit_cast<float>(bits | 1);
  }
  return f16(f);
}

NumberKind kind_of_number(const Value& v) {
  const auto kind = number_kind(v);
  if (!kind) throw InternalError("a machine number was expected");
  return *kind;
}

void throw_no_method(Evaluator& evaluator, const char* function, Args arguments) {
  throw JuliaError(make_exception(
      "MethodError",
      {evaluator.base_function(function), make_tuple({arguments.begin(), arguments.end()}), number(uint64_t{0})}));
}

NumberKind kind_named(Evaluator& evaluator, const char* function, Args arguments, size_t at) {
  const auto kind = arguments[at].is_type() ? number_kind(arguments[at].as_type()) : std::nullopt;
  if (!kind) throw_no_method(evaluator, function, arguments);
  return *kind;
}

std::span<const IntrinsicEntry> number_intrinsics() {
  static const std::vector<IntrinsicEntry> all = [] {
    std::vector<IntrinsicEntry> out;
    for (const auto& part : {number_arithmetic_entries(), number_bits_entries(), number_checked_entries(),
                             number_complex_entries(), number_convert_entries(), number_float_entries(),
                             number_integer_entries(), number_math_entries(), number_rounding_entries()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

}  // namespace weft::julia
