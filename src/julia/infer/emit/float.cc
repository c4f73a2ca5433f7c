// Functions of floating-point numbers, with the domains that Julia checks.
#include <cmath>

#include "julia/infer/emit/emit.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

Num float_num(Compiler& c, const Abstract& a) {
  const Num x = num(c, a);
  return is_float(x.kind) ? x : convert_num(c, x, NumberKind::kFloat64);
}

enum class Domain { kAll, kNotNegative, kUnit, kFinite, kAboveMinusOne, kAtLeastOne };

void check_domain_of(Compiler& c, const Num& x, Domain domain, const std::string& name) {
  IrValue bad;
  const auto below = [&](double limit) { return compare2(c, x.v, like(c, x.v, limit), "LT"); };
  switch (domain) {
    case Domain::kAll: return;
    case Domain::kNotNegative: bad = below(0); break;
    case Domain::kUnit: bad = compare2(c, op1(c, "stablehlo.abs", x.v), like(c, x.v, 1), "GT"); break;
    case Domain::kFinite: bad = compare2(c, op1(c, "stablehlo.abs", x.v), like(c, x.v, INFINITY), "EQ"); break;
    case Domain::kAboveMinusOne: bad = below(-1); break;
    case Domain::kAtLeastOne: bad = below(1); break;
  }
  check_all(c, op1(c, "stablehlo.not", bad), "DomainError: " + name);
}

struct Function1 {
  std::string_view name, mnemonic;
  Domain domain;
};
constexpr Function1 kFunctions[] = {
    {"_sqrt", "stablehlo.sqrt", Domain::kNotNegative},
    {"_cbrt", "stablehlo.cbrt", Domain::kAll},
    {"_exp", "stablehlo.exponential", Domain::kAll},
    {"_expm1", "stablehlo.exponential_minus_one", Domain::kAll},
    {"_log", "stablehlo.log", Domain::kNotNegative},
    {"_log1p", "stablehlo.log_plus_one", Domain::kAboveMinusOne},
    {"_sin", "stablehlo.sine", Domain::kFinite},
    {"_cos", "stablehlo.cosine", Domain::kFinite},
    {"_tan", "stablehlo.tan", Domain::kFinite},
    {"_tanh", "stablehlo.tanh", Domain::kAll},
    {"_asin", "chlo.asin", Domain::kUnit},
    {"_acos", "chlo.acos", Domain::kUnit},
    {"_atan", "chlo.atan", Domain::kAll},
    {"_sinh", "chlo.sinh", Domain::kAll},
    {"_cosh", "chlo.cosh", Domain::kAll},
    {"_asinh", "chlo.asinh", Domain::kAll},
    {"_acosh", "chlo.acosh", Domain::kAtLeastOne},
    {"_atanh", "chlo.atanh", Domain::kUnit},
};

template <size_t I>
Abstract function1(Compiler& c, Args args) {
  const Num x = float_num(c, args[0]);
  check_domain_of(c, x, kFunctions[I].domain, std::string(kFunctions[I].name.substr(1)));
  return result(x.kind, op1(c, kFunctions[I].mnemonic, x.v));
}

/// log to another base: the natural one divided, exact at powers of two by rounding what is that close.
template <bool Two>
Abstract log_of_base(Compiler& c, Args args) {
  const Num x = float_num(c, args[0]);
  check_domain_of(c, x, Domain::kNotNegative, Two ? "log2" : "log10");
  const IrValue l = op1(c, "stablehlo.log", x.v);
  const IrValue q = op2(c, "stablehlo.divide", l, like(c, l, Two ? M_LN2 : M_LN10));
  return result(x.kind, q);
}

template <bool Two>
Abstract exp_of_base(Compiler& c, Args args) {
  const Num x = float_num(c, args[0]);
  return result(x.kind, op2(c, "stablehlo.power", like(c, x.v, Two ? 2 : 10), x.v));
}

Abstract atan2(Compiler& c, Args args) {
  const Num a = float_num(c, args[0]), b = float_num(c, args[1]);
  const NumberKind kind = promote_kind(a.kind, b.kind);
  return result(kind, op2(c, "stablehlo.atan2", convert_num(c, a, kind).v, convert_num(c, b, kind).v));
}

Abstract hypot(Compiler& c, Args args) {
  const Num a = float_num(c, args[0]), b = float_num(c, args[1]);
  const NumberKind kind = promote_kind(a.kind, b.kind);
  const IrValue x = op1(c, "stablehlo.abs", convert_num(c, a, kind).v),
                y = op1(c, "stablehlo.abs", convert_num(c, b, kind).v);
  const IrValue large = op2(c, "stablehlo.maximum", x, y), small = op2(c, "stablehlo.minimum", x, y);
  // At 0 the derivative is 0, too.
  const IrValue is_zero = compare2(c, large, like(c, large, 0), "EQ");
  const IrValue ratio = op2(c, "stablehlo.divide", small, select3(c, is_zero, like(c, large, 1), large));
  const IrValue r = op2(
      c, "stablehlo.multiply", large,
      op1(c, "stablehlo.sqrt", op2(c, "stablehlo.add", like(c, ratio, 1), op2(c, "stablehlo.multiply", ratio, ratio))));
  const IrValue infinite = compare2(c, large, like(c, large, INFINITY), "EQ");
  return result(kind, select3(c, infinite, like(c, large, INFINITY), r));
}

Abstract is_nan(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (!is_float(x.kind)) return Abstract::of_constant(boolean(false));
  return result(NumberKind::kBool, compare2(c, x.v, x.v, "NE"));
}
Abstract is_finite(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (!is_float(x.kind)) return Abstract::of_constant(boolean(true));
  return result(NumberKind::kBool, op1(c, "stablehlo.is_finite", x.v));
}
Abstract is_inf(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (!is_float(x.kind)) return Abstract::of_constant(boolean(false));
  return result(NumberKind::kBool, compare2(c, op1(c, "stablehlo.abs", x.v), like(c, x.v, INFINITY), "EQ"));
}

Abstract power(Compiler& c, Args args) {
  const Num a = num(c, args[0]), b = num(c, args[1]);
  if (is_float(a.kind) || is_float(b.kind)) {
    const NumberKind kind = is_float(a.kind) && is_float(b.kind) ? promote_kind(a.kind, b.kind)
                            : is_float(a.kind)                   ? a.kind
                                                                 : b.kind;
    const Num x = convert_num(c, a, kind), y = convert_num(c, b, kind);
    if (is_float(b.kind)) {
      const IrValue whole = compare2(c, op1(c, "stablehlo.floor", y.v), y.v, "EQ");
      const IrValue positive = op1(c, "stablehlo.not", compare2(c, x.v, like(c, x.v, 0), "LT"));
      const IrValue infinite = op1(c, "stablehlo.not", op1(c, "stablehlo.is_finite", y.v));
      check_all(c, op2(c, "stablehlo.or", op2(c, "stablehlo.or", whole, positive), infinite),
                "DomainError: exponentiation");
    }
    return result(kind, op2(c, "stablehlo.power", x.v, y.v));
  }
  const NumberKind kind = a.kind == NumberKind::kBool ? NumberKind::kInt64 : a.kind;
  const Num x = convert_num(c, a, kind), y = convert_num(c, b, kind);
  if (!is_unsigned(b.kind))
    check_all(c, compare2(c, y.v, int_like(c, y.v, 0), "GE"), "DomainError: integer to a negative power");
  return result(kind, op2(c, "stablehlo.power", x.v, y.v));
}

Abstract copy_sign(Compiler& c, Args args) {
  const Num given = num(c, args[0]);
  if (!is_float(given.kind)) {
    if (given.kind == NumberKind::kBool || is_unsigned(given.kind))
      c.fail(Cause::kUnsupported, "copysign of unsigned numbers");
    const Abstract negative = find_emission("_signbit")(c, args.subspan(1, 1));
    const IrValue magnitude = op1(c, "stablehlo.abs", given.v);
    return result(given.kind, select3(c, c.scalar(negative), op1(c, "stablehlo.negate", magnitude), magnitude));
  }
  const Num x = float_num(c, args[0]);
  const Num y = convert_num(c, float_num(c, args[1]), x.kind);
  const IrValue magnitude = op1(c, "stablehlo.abs", x.v);
  const IrValue negative_zero = compare2(c, op2(c, "stablehlo.divide", like(c, y.v, 1), y.v), like(c, y.v, 0), "LT");
  const IrValue negative = op2(c, "stablehlo.or", compare2(c, y.v, like(c, y.v, 0), "LT"), negative_zero);
  return result(x.kind, select3(c, negative, op1(c, "stablehlo.negate", magnitude), magnitude));
}

Abstract sign_bit(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (is_unsigned(x.kind) || x.kind == NumberKind::kBool) return Abstract::of_constant(boolean(false));
  if (!is_float(x.kind)) return result(NumberKind::kBool, compare2(c, x.v, int_like(c, x.v, 0), "LT"));
  const IrValue negative_zero = compare2(c, op2(c, "stablehlo.divide", like(c, x.v, 1), x.v), like(c, x.v, 0), "LT");
  return result(NumberKind::kBool, op2(c, "stablehlo.or", compare2(c, x.v, like(c, x.v, 0), "LT"), negative_zero));
}

Abstract sin_cos(Compiler& c, Args args) {
  const Num x = float_num(c, args[0]);
  check_domain_of(c, x, Domain::kFinite, "sincos");
  const DataType* t = number_type(x.kind);
  const Type* both[] = {t, t};
  return Abstract::of_fields(make_tuple_type(both), {result(x.kind, op1(c, "stablehlo.sine", x.v)),
                                                     result(x.kind, op1(c, "stablehlo.cosine", x.v))});
}

constexpr size_t place(std::string_view name) {
  for (size_t i = 0; i < std::size(kFunctions); ++i) {
    if (kFunctions[i].name == name) return i;
  }
  return std::size(kFunctions);
}

constexpr Emission kEmissions[] = {
    {"_sqrt", function1<place("_sqrt")>},
    {"_cbrt", function1<place("_cbrt")>},
    {"_exp", function1<place("_exp")>},
    {"_expm1", function1<place("_expm1")>},
    {"_log", function1<place("_log")>},
    {"_log1p", function1<place("_log1p")>},
    {"_sin", function1<place("_sin")>},
    {"_cos", function1<place("_cos")>},
    {"_tan", function1<place("_tan")>},
    {"_tanh", function1<place("_tanh")>},
    {"_asin", function1<place("_asin")>},
    {"_acos", function1<place("_acos")>},
    {"_atan", function1<place("_atan")>},
    {"_sinh", function1<place("_sinh")>},
    {"_cosh", function1<place("_cosh")>},
    {"_asinh", function1<place("_asinh")>},
    {"_acosh", function1<place("_acosh")>},
    {"_atanh", function1<place("_atanh")>},
    {"_log2", log_of_base<true>},
    {"_log10", log_of_base<false>},
    {"_exp2", exp_of_base<true>},
    {"_exp10", exp_of_base<false>},
    {"_atan2", atan2},
    {"_hypot", hypot},
    {"_isnan", is_nan},
    {"_isfinite", is_finite},
    {"_isinf", is_inf},
    {"_pow", power},
    {"_powi", power},
    {"_copysign", copy_sign},
    {"_signbit", sign_bit},
    {"_sincos", sin_cos},
};

}  // namespace

std::span<const Emission> float_emissions() { return kEmissions; }

}  // namespace weft::julia
