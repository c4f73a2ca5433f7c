// What the files of number intrinsics share.
#pragma once
#include "julia/host/exception.h"
#include "julia/host/number.h"
#include "julia/host/number_ops.h"
#include "julia/run/intrinsics.h"

namespace weft::julia {

using Args = std::span<const Value>;

std::span<const IntrinsicEntry> number_arithmetic_entries();
std::span<const IntrinsicEntry> number_bits_entries();
std::span<const IntrinsicEntry> number_checked_entries();
std::span<const IntrinsicEntry> number_complex_entries();
std::span<const IntrinsicEntry> number_convert_entries();
std::span<const IntrinsicEntry> number_float_entries();
std::span<const IntrinsicEntry> number_integer_entries();
std::span<const IntrinsicEntry> number_math_entries();
std::span<const IntrinsicEntry> number_rounding_entries();

/// The C++ type that a float computes in: Float16 as Float32.
template <class T>
using ComputedIn = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The float nearest to a double, ties to even, in one rounding.
f16 to_f16(double x);
template <class T>
T narrowed(double x) {
  if constexpr (std::is_same_v<T, f16>) return to_f16(x);
  else return static_cast<T>(x);
}

NumberKind kind_of_number(const Value& v);
/// The kind that a value names as a type; a MethodError of `function` on the arguments when it names none.
NumberKind kind_named(Evaluator& evaluator, const char* function, Args arguments, size_t at);
[[noreturn]] void throw_no_method(Evaluator& evaluator, const char* function, Args arguments);

/// f(x) for a machine integer (Bool included).
template <class F>
Value on_integer(const Value& v, F&& f) {
  return visit_number(kind_of_number(v), [&]<class T>(T) -> Value {
    if constexpr (kIsFloat<T>) throw InternalError("an integer was expected");
    else return f(v.get<T>());
  });
}
/// f(x, y) for two machine integers of one type.
template <class F>
Value on_integers(const Value& a, const Value& b, F&& f) {
  if (a.type() != b.type()) throw InternalError("integers of one type were expected");
  return on_integer(a, [&]<class T>(T x) -> Value { return f(x, b.get<T>()); });
}
/// f(x) for a Float16, Float32 or Float64.
template <class F>
Value on_float(const Value& v, F&& f) {
  return visit_number(kind_of_number(v), [&]<class T>(T) -> Value {
    if constexpr (!kIsFloat<T>) throw InternalError("a float was expected");
    else return f(v.get<T>());
  });
}

}  // namespace weft::julia
