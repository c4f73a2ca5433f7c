// Complex and rational numbers: two machine numbers each.
#include "julia/infer/emit/emit.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

struct Parts {
  Num re, im;
  const DataType* type;
};

Parts parts(Compiler& c, const Abstract& z) {
  const Abstract e = c.expanded(z);
  if (e.kind != Abstract::Kind::kFields || e.fields.size() != 2)
    c.fail(Cause::kUnsupported, "a complex number of type " + type_text(z.type));
  return {num(c, e.fields[0]), num(c, e.fields[1]), z.type};
}

Abstract make(const DataType* type, NumberKind kind, IrValue re, IrValue im) {
  return Abstract::of_fields(type, {result(kind, re), result(kind, im)});
}

IrValue times(Compiler& c, IrValue a, IrValue b) { return op2(c, "stablehlo.multiply", a, b); }
IrValue plus(Compiler& c, IrValue a, IrValue b) { return op2(c, "stablehlo.add", a, b); }
IrValue minus(Compiler& c, IrValue a, IrValue b) { return op2(c, "stablehlo.subtract", a, b); }

Abstract complex(Compiler& c, Args a) {
  const auto* type = applied(core().complex, {a[0].type});
  return c.constant_or_fields(type, {a[0], a[1]});
}

/// (T, re, im)
Abstract complex_of(Compiler& c, Args a) {
  const Type* t = c.evaluator().impl().type_of_value(a[0].constant);
  const auto* type = applied(core().complex, {t});
  return c.constant_or_fields(type, {c.convert(t, a[1]), c.convert(t, a[2])});
}

/// Of parts in lowest terms.
Abstract rational(Compiler& c, Args a) {
  return c.constant_or_fields(applied(core().rational, {a[0].type}), {a[0], a[1]});
}

template <bool Subtract>
Abstract sum(Compiler& c, Args a) {
  const Parts x = parts(c, a[0]), y = parts(c, a[1]);
  const auto f = Subtract ? minus : plus;
  return make(x.type, x.re.kind, f(c, x.re.v, y.re.v), f(c, x.im.v, y.im.v));
}

Abstract product(Compiler& c, Args a) {
  const Parts x = parts(c, a[0]), y = parts(c, a[1]);
  return make(x.type, x.re.kind, minus(c, times(c, x.re.v, y.re.v), times(c, x.im.v, y.im.v)),
              plus(c, times(c, x.re.v, y.im.v), times(c, x.im.v, y.re.v)));
}

/// Smith's division, by the larger part of the divisor.
Abstract quotient(Compiler& c, Args args) {
  const Parts x = parts(c, args[0]), y = parts(c, args[1]);
  const IrValue a = x.re.v, b = x.im.v, p = y.re.v, q = y.im.v;
  const auto over = [&](IrValue n, IrValue d) { return op2(c, "stablehlo.divide", n, d); };
  const IrValue by_re = compare2(c, op1(c, "stablehlo.abs", q), op1(c, "stablehlo.abs", p), "LE");
  const IrValue large = select3(c, by_re, p, q), small = select3(c, by_re, q, p);
  const IrValue r = over(small, large);
  const IrValue d = plus(c, large, times(c, small, r));
  const IrValue re = select3(c, by_re, plus(c, a, times(c, b, r)), plus(c, times(c, a, r), b));
  const IrValue im = select3(c, by_re, minus(c, b, times(c, a, r)), minus(c, times(c, b, r), a));
  return make(x.type, x.re.kind, over(re, d), over(im, d));
}

Abstract inverse(Compiler& c, Args a) {
  const Parts x = parts(c, a[0]);
  const Abstract both[] = {make(x.type, x.re.kind, like(c, x.re.v, 1), like(c, x.re.v, 0)), a[0]};
  return quotient(c, both);
}

Abstract square_of_abs(Compiler& c, Args a) {
  const Parts x = parts(c, a[0]);
  return result(x.re.kind, plus(c, times(c, x.re.v, x.re.v), times(c, x.im.v, x.im.v)));
}

Abstract absolute(Compiler& c, Args a) {
  const Abstract e = c.expanded(a[0]);
  return find_emission("_hypot")(c, e.fields);
}

/// A function that IR has for complex tensors.
template <const char* Mnemonic>
Abstract whole(Compiler& c, Args a) {
  const Parts x = parts(c, a[0]);
  if (x.re.kind != NumberKind::kFloat32 && x.re.kind != NumberKind::kFloat64)
    c.fail(Cause::kUnsupported, "a function of " + type_text(x.type));
  const IrValue z = op1(c, Mnemonic, op2(c, "stablehlo.complex", x.re.v, x.im.v));
  return make(x.type, x.re.kind, op1(c, "stablehlo.real", z), op1(c, "stablehlo.imag", z));
}
constexpr char kExp[] = "stablehlo.exponential", kLog[] = "stablehlo.log", kSqrt[] = "stablehlo.sqrt",
               kSin[] = "stablehlo.sine", kCos[] = "stablehlo.cosine", kExpm1[] = "stablehlo.exponential_minus_one",
               kLog1p[] = "stablehlo.log_plus_one";

constexpr Emission kEmissions[] = {
    {"_complex", complex},
    {"_complex_of", complex_of},
    {"_rational", rational},
    {"_complex_add", sum<false>},
    {"_complex_sub", sum<true>},
    {"_complex_mul", product},
    {"_complex_div", quotient},
    {"_complex_inv", inverse},
    {"_complex_abs", absolute},
    {"_complex_abs2", square_of_abs},
    {"_complex_exp", whole<kExp>},
    {"_complex_log", whole<kLog>},
    {"_complex_sqrt", whole<kSqrt>},
    {"_complex_sin", whole<kSin>},
    {"_complex_cos", whole<kCos>},
    {"_complex_expm1", whole<kExpm1>},
    {"_complex_log1p", whole<kLog1p>},
};

}  // namespace

std::span<const Emission> complex_emissions() { return kEmissions; }

}  // namespace weft::julia
