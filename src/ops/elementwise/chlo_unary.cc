// Elementwise ops on one operand beyond the core: tan, inverse and hyperbolic functions, erf's relatives, the gamma function's,
// tests of floats, counts of bits.
#include "ops/elementwise/chlo_families.h"
#include "ops/elementwise/elementwise.h"
#include "ops/scalar/special_functions.h"

namespace weft {
namespace {

template <unsigned kClasses, auto kValue>
constexpr OpRecord unary(std::string_view mnemonic, std::string_view doc, ElementwiseFacets facets,
                         SamplesFn* samples) {
  return elementwise_record<1, kClasses, kValue>(mnemonic, doc, facets, samples);
}

/// The facets of a function with derivative kPartial(x, y), y the result.
template <auto kPartial>
constexpr ElementwiseFacets nonlinear(Facet<PortableFn> to_stablehlo = kChloOnly) {
  return {.linearize = linearize_unary<kPartial>,
          .transpose = kNotLinear,
          .cost = cost_transcendental,
          .to_stablehlo = to_stablehlo};
}
constexpr ElementwiseFacets kZeroDerivative = {.linearize = linearize_zero, .transpose = kNotLinear};

template <unsigned kClasses, bool kDifferentiable>
std::vector<Sample> named_samples(std::string_view mnemonic, double low, double high) {
  return elementwise_samples(mnemonic, 1, kClasses, {.low = low, .high = high}, kDifferentiable);
}

/// The op written out.
template <auto kForm>
std::vector<Value> portable(PortableContext& context, const OpView&, std::span<const Value> operands) {
  return {kForm(Val{&context.builder(), operands[0]}).value};
}

Val angle(Val y, Val x) { return {y.builder, y.builder->make("stablehlo.atan2", {y.value, x.value})}; }
Val exponential(Val x) { return x.unary("stablehlo.exponential"); }
Val root(Val x) { return x.unary("stablehlo.sqrt"); }
constexpr double kTwoOverRootPi = 1.1283791670955125739;

/// psi', the trigamma function.
Val polygamma_one(Val x) { return {x.builder, x.builder->make("chlo.polygamma", {x.lift(1).value, x.value})}; }

// ---- bessel_i1e ---------------------------------------------------------------------------------------------------------------

// exp(-x)·I0(x) on [0, 8] by t = x/4 - 1, and times the root of x beyond by t = 16/x - 1: coefficients of Chebyshev polynomials, by
// interpolation in their zeros; relative error 2e-14.
constexpr double kI0Near[] = {
    0.33839763720473803,   -0.30468267234319846,    0.17162090152220877,    -0.09490109704804764,
    0.04930528423967064,   -0.023737414805899408,   0.010546460394594876,   -0.004324309995050468,
    0.0016394756169411967, -0.0005763755745384343,  0.0001885028850955909,  -5.754195010053464e-05,
    1.644844807023829e-05, -4.416738358049356e-06,  1.1173875384421088e-06, -2.670793848534297e-07,
    6.046994943995063e-08, -1.3000249368593088e-08, 2.6598225798894472e-09, -5.189785950004778e-10,
    9.675666802879311e-11, -1.726722706789711e-11,  2.953692443231193e-12,  -4.846420424951627e-13,
    7.541999144665056e-14, -1.0667673214347109e-14};
constexpr double kI0Far[] = {0.40224520550705445,     0.0033691164782557056,   6.889758346918505e-05,
                             2.891370520830445e-06,   2.0489185896368452e-07,  2.266668989649282e-08,
                             3.396232076856945e-09,   4.940602294146926e-10,   1.1889184896903128e-11,
                             -3.149915266096472e-11,  -1.3215701920820725e-11, -1.7941896028529427e-12,
                             7.181137345593904e-13,   3.852453760761088e-13,   1.5563918156473142e-14,
                             -4.1492486220508044e-14, -9.285061239961565e-15};

/// c0 + c1·T1(t) + …, by Clenshaw's recurrence.
Val chebyshev(Val t, std::span<const double> c) {
  Val last = t.lift(0), sum = t.lift(c.back());
  for (size_t k = c.size() - 2; k > 0; --k) {
    const Val next = 2.0 * t * sum - last + c[k];
    last = sum;
    sum = next;
  }
  return t * sum - last + c[0];
}

/// (e^-|x|·I1)' = e^-|x|·I0 - e^-|x|·I1·(1/x + sign x); at 0 one half.
Val bessel_i1e_derivative(Val x, Val i1e) {
  const Val size = x.unary("stablehlo.abs"), bound = x.lift(8), is_near = compare(size, bound, "LE");
  const Val near = chebyshev(select(is_near, size, bound) / 4.0 - 1.0, kI0Near);
  const Val beyond = select(is_near, bound, size);
  const Val i0e = select(is_near, near, chebyshev(16.0 / beyond - 1.0, kI0Far) / beyond.unary("stablehlo.sqrt"));
  const Val is_zero = compare(x, x.lift(0), "EQ");
  const Val ratio = select(is_zero, x.lift(0.5), i1e / select(is_zero, x.lift(1), x));
  return i0e - ratio - i1e * x.unary("stablehlo.sign");
}

// ---- tests of floats --------------------------------------------------------------------------------------------------------

std::vector<Type> type_test(const TypeContext& context) {
  return {type_same(context, 1, kFloatClass)[0].with_element(ElementType::kI1)};
}

template <class T>
T test_infinity(T x, int sign) {
  const T size = sign == 0 ? abs(x) : sign < 0 ? -x : x;
  return equal(size, x.constant(INFINITY));
}

template <int kSign>
constexpr OpRecord infinity_test(std::string_view mnemonic, std::string_view doc, PortableFn* written_out,
                                 SamplesFn* samples) {
  return {{.mnemonic = mnemonic},
          {.doc = doc,
           .syntax = Syntax::kElementwise,
           .schema = {},
           .type = type_test,
           .eval = eval_elementwise<1, [](auto x) { return test_infinity(x, kSign); }>,
           .scalar = scalar_elementwise<1, [](auto x) { return test_infinity(x, kSign); }>,
           .linearize = linearize_zero,
           .transpose = kNotLinear,
           .vectorize = vectorize_elementwise,
           .uniformity = uniformity_any,
           .simplify = simplify_fold,
           .aliases = alias_elementwise,
           .effects = Effects::kPure,
           .cost = cost_elementwise,
           .to_stablehlo = written_out,
           .samples = samples}};
}

template <int kSign>
std::vector<Value> portable_infinity_test(PortableContext& context, const OpView&, std::span<const Value> operands) {
  OpBuilder& b = context.builder();
  const Val x{&b, operands[0]};
  const Val size = kSign == 0 ? x.unary("stablehlo.abs") : x;
  return {compare(size, x.lift(kSign < 0 ? -INFINITY : INFINITY), "EQ").value};
}

// ---- conj -------------------------------------------------------------------------------------------------------------------

// Its own derivative, and its own transpose: Re(ct · conj(t)) = Re(conj(ct) · t).
std::vector<Value> transpose_conj(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  return emit_like(context.builder(), op, cotangents);
}

std::vector<Value> portable_conj(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  if (!is_complex(op.result_type().element_type())) return {operands[0]};
  const Val z{&context.builder(), operands[0]};
  const Val re = z.unary("stablehlo.real"), im = -z.unary("stablehlo.imag");
  return {context.builder().make("stablehlo.complex", {re.value, im.value})};
}

// ---- the table ------------------------------------------------------------------------------------------------------------

const OpRecord kRecords[] = {
    unary<kFieldClass, [](auto x) { return tan(x); }>(
        "stablehlo.tan", "Tangent of radians.", nonlinear<[](Val, Val y) { return 1 + y * y; }>(portable_as_is),
        [] { return named_samples<kFloatClass, true>("stablehlo.tan", -1.2, 1.2); }),
    unary<kFieldClass, [](auto x) { return tan(x); }>(
        "chlo.tan", "Tangent of radians.",
        nonlinear<[](Val, Val y) { return 1 + y * y; }>(portable<[](Val x) { return x.unary("stablehlo.tan"); }>),
        [] { return named_samples<kFloatClass, true>("chlo.tan", -1.2, 1.2); }),
    unary<kFieldClass, [](auto x) { return asin(x); }>(
        "chlo.asin", "The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].",
        nonlinear<[](Val x, Val) { return 1 / root((1 - x) * (1 + x)); }>(
            portable<[](Val x) { return angle(x, root((1 - x) * (1 + x))); }>),
        [] { return named_samples<kFloatClass, true>("chlo.asin", -0.9, 0.9); }),
    unary<kFieldClass, [](auto x) { return acos(x); }>(
        "chlo.acos", "The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].",
        nonlinear<[](Val x, Val) { return -1 / root((1 - x) * (1 + x)); }>(
            portable<[](Val x) { return angle(root((1 - x) * (1 + x)), x); }>),
        [] { return named_samples<kFloatClass, true>("chlo.acos", -0.9, 0.9); }),
    unary<kFieldClass, [](auto x) { return atan(x); }>(
        "chlo.atan", "The angle in [-pi/2, pi/2] whose tangent is x.",
        nonlinear<[](Val x, Val) { return 1 / (1 + x * x); }>(portable<[](Val x) { return angle(x, x.lift(1)); }>),
        [] { return named_samples<kFloatClass, true>("chlo.atan", -4, 4); }),
    unary<kFieldClass, [](auto x) { return sinh(x); }>(
        "chlo.sinh", "Hyperbolic sine.", nonlinear<[](Val x, Val) { return x.unary("chlo.cosh"); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.sinh", -3, 3); }),
    unary<kFieldClass, [](auto x) { return cosh(x); }>(
        "chlo.cosh", "Hyperbolic cosine.", nonlinear<[](Val x, Val) { return x.unary("chlo.sinh"); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.cosh", -3, 3); }),
    unary<kFieldClass, [](auto x) { return asinh(x); }>(
        "chlo.asinh", "The number whose hyperbolic sine is x.",
        nonlinear<[](Val x, Val) { return 1 / root(x * x + 1); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.asinh", -4, 4); }),
    unary<kFieldClass, [](auto x) { return acosh(x); }>(
        "chlo.acosh", "The number, not negative, whose hyperbolic cosine is x; NaN below 1.",
        nonlinear<[](Val x, Val) { return 1 / root((x - 1) * (x + 1)); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.acosh", 1.3, 5); }),
    unary<kFieldClass, [](auto x) { return atanh(x); }>(
        "chlo.atanh", "The number whose hyperbolic tangent is x; NaN outside [-1, 1].",
        nonlinear<[](Val x, Val) { return 1 / ((1 - x) * (1 + x)); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.atanh", -0.8, 0.8); }),
    unary<kFloatClass, [](auto x) { return erfc(x); }>(
        "chlo.erfc", "1 - erf(x), exact where erf is close to 1.",
        nonlinear<[](Val x, Val) { return -kTwoOverRootPi * exponential(-(x * x)); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.erfc", -2, 2.5); }),
    unary<kFloatClass, [](auto x) { return erf_inv(x); }>(
        "chlo.erf_inv", "The number whose erf is x; infinite at -1 and 1, NaN beyond.",
        nonlinear<[](Val, Val y) { return (1 / kTwoOverRootPi) * exponential(y * y); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.erf_inv", -0.9, 0.9); }),
    unary<kFloatClass, [](auto x) { return lgamma(x); }>(
        "chlo.lgamma", "Logarithm of |gamma(x)|; inf at 0, -1, -2, ….",
        nonlinear<[](Val x, Val) { return x.unary("chlo.digamma"); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.lgamma", 0.4, 6); }),
    unary<kFloatClass, [](auto x) { return digamma(x); }>(
        "chlo.digamma", "Derivative of lgamma; NaN at 0, -1, -2, ….",
        nonlinear<[](Val x, Val) { return polygamma_one(x); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.digamma", 0.5, 6); }),
    unary<kFloatClass, [](auto x) { return bessel_i1e(x); }>(
        "chlo.bessel_i1e", "exp(-|x|) times the modified Bessel function of the first kind of order 1.",
        nonlinear<[](Val x, Val y) { return bessel_i1e_derivative(x, y); }>(),
        [] { return named_samples<kFloatClass, true>("chlo.bessel_i1e", -12, 12); }),
    infinity_test<0>("chlo.is_inf", "Whether x is infinite.", portable_infinity_test<0>,
                     [] { return named_samples<kFloatClass, false>("chlo.is_inf", -3, 3); }),
    infinity_test<1>("chlo.is_pos_inf", "Whether x is +infinity.", portable_infinity_test<1>,
                     [] { return named_samples<kFloatClass, false>("chlo.is_pos_inf", -3, 3); }),
    infinity_test<-1>("chlo.is_neg_inf", "Whether x is -infinity.", portable_infinity_test<-1>,
                      [] { return named_samples<kFloatClass, false>("chlo.is_neg_inf", -3, 3); }),
    unary<kAnyNumberClass, [](auto x) { return conj(x); }>(
        "chlo.conj", "The complex conjugate; real numbers stay.",
        {.linearize = linearize_linear, .transpose = transpose_conj, .to_stablehlo = portable_conj},
        [] { return named_samples<kFloatClass, true>("chlo.conj", -3, 3); }),
    unary<kIntegerClass, [](auto x) { return popcnt(x); }>(
        "stablehlo.popcnt", "The number of bits that are set.", kZeroDerivative,
        [] { return named_samples<kIntegerClass, false>("stablehlo.popcnt", 0, 1); }),
    unary<kIntegerClass, [](auto x) { return count_leading_zeros(x); }>(
        "stablehlo.count_leading_zeros", "The number of zero bits above the highest that is set; the width for 0.",
        kZeroDerivative, [] { return named_samples<kIntegerClass, false>("stablehlo.count_leading_zeros", 0, 1); }),
};

}  // namespace

Family chlo_unary_ops() { return kRecords; }

}  // namespace weft
