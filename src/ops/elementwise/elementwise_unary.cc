// Elementwise ops on one operand.
#include "ops/elementwise/elementwise.h"
#include "ops/families_list.h"
#include "ops/scalar/erf_coefficients.h"

namespace weft {
namespace {

template <unsigned kClasses, auto kValue>
constexpr OpRecord unary(std::string_view mnemonic, std::string_view doc, ElementwiseFacets facets,
                         SamplesFn* samples) {
  return elementwise_record<1, kClasses, kValue>(mnemonic, doc, facets, samples);
}

/// The facets of a function with derivative kPartial(x, y), y the result.
template <auto kPartial>
constexpr ElementwiseFacets nonlinear() {
  return {.linearize = linearize_unary<kPartial>, .transpose = kNotLinear, .cost = cost_transcendental};
}
constexpr ElementwiseFacets kZeroDerivative = {.linearize = linearize_zero, .transpose = kNotLinear};

/// Op(Op(x)): the inner operand, when `v` comes from the same op.
Value inner_operand(const OpView& op) {
  const OpId inner = op.function.defining_op(op.operand(0));
  return inner && &op.function.def(inner) == &op.def() ? op.function.operand(inner, 0) : Value{};
}

std::vector<Value> simplify_involution(SimplifyContext& context, const OpView& op) {
  if (const Value v = inner_operand(op)) return {v};
  return fold_constants(context, op);
}

std::vector<Value> simplify_idempotent(SimplifyContext& context, const OpView& op) {
  if (inner_operand(op)) return {op.operand(0)};
  return fold_constants(context, op);
}

std::vector<Value> transpose_negate(TransposeContext& context, const OpView&, std::span<const Value> cotangents) {
  return {context.builder().negate(cotangents[0])};
}

std::vector<Type> type_abs(const TypeContext& context) {
  const Type t = type_same(context, 1, kSignedClass | kFieldClass)[0];
  return {is_complex(t.element_type()) ? t.with_element(part_type(t.element_type())) : t};
}

/// The derivative of |z| is Re(conj(z / |z|) dz), 0 at 0.
Linearized linearize_abs(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                         std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder& p = context.primal();
  const Value sign = p.make("stablehlo.sign", {primals[0]});
  if (!is_complex(op.operand_type(0).element_type())) return {results, {context.linear().multiply(tangents[0], sign)}};
  const Value conjugate =
      p.make("stablehlo.complex", {p.make("stablehlo.real", {sign}), p.negate(p.make("stablehlo.imag", {sign}))});
  return {results, {context.linear().make("stablehlo.real", {context.linear().multiply(tangents[0], conjugate)})}};
}

Linearized linearize_sign(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  if (!is_complex(op.result_type().element_type())) return linearize_zero(context, op, primals, tangents);
  // s = z/|z| moves across itself: (ż - s·Re(s̄·ż)) / |z|; at zero not at all.
  const std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder &p = context.primal(), &linear = context.linear();
  const Value s = results[0], size = p.make("stablehlo.abs", {primals[0]});
  const Value zeros = p.zeros(p.type(size)), one = p.splat(p.type(size), 1), is_zero = p.compare(size, zeros, "EQ");
  const Value inverse = p.select(is_zero, zeros, p.divide(one, p.select(is_zero, one, size)));
  const Value conjugate =
      p.make("stablehlo.complex", {p.make("stablehlo.real", {s}), p.negate(p.make("stablehlo.imag", {s}))});
  const Value along = linear.make("stablehlo.real", {linear.multiply(tangents[0], conjugate)});
  const Value across =
      linear.subtract(tangents[0], linear.multiply(linear.make("stablehlo.complex", {along, zeros}), s));
  return {results, {linear.multiply(across, p.make("stablehlo.complex", {inverse, zeros}))}};
}

std::vector<Type> type_is_finite(const TypeContext& context) {
  return {type_same(context, 1, kFloatClass)[0].with_element(ElementType::kI1)};
}

// ---- convert ------------------------------------------------------------------------------------------------------------

std::vector<Type> type_convert(const TypeContext& context) {
  context.expect_operands(1);
  expect_class(context, 0, kAnyClass);
  const Type declared = context.declared_result();
  if (!declared.is_tensor() || !is_compatible(declared, context.operands[0].with_element(declared.element_type()))) {
    context.fail(constraint(context, 1),
                 "shape of the result: got " + declared.str() + ", expected the shape of " + context.operands[0].str());
  }
  return {merge_types(declared, context.operands[0].with_element(declared.element_type()))};
}

std::vector<EvalValue> eval_convert(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const ElementType to = op.result_type().element_type();
  return map_elements(op, operands, [to](const Num* x) { return convert(x[0], to); });
}

SExpr scalar_convert(const OpView& op, std::span<const SExpr> x) {
  return convert(x[0], op.operand_type(0).element_type(), op.result_type().element_type());
}

Linearized linearize_convert(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                             std::span<const Value> tangents) {
  if (is_differentiable(op.result_type())) return linearize_linear(context, op, primals, tangents);
  return linearize_zero(context, op, primals, tangents);
}

std::vector<Value> transpose_convert(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  return {context.builder().convert(cotangents[0], op.operand_type(0).element_type())};
}

/// True when every value of `from` is a value of `to`.
bool is_lossless(ElementType from, ElementType to) {
  const auto digits = [](ElementType t) {  // of the significand
    switch (t) {
      case ElementType::kF16: return 11;
      case ElementType::kBF16: return 8;
      case ElementType::kF32: return 24;
      case ElementType::kF64: return 53;
      default: return bit_width(t) - (is_signed_integer(t) ? 1 : 0);
    }
  };
  if (from == to) return true;
  if (to == ElementType::kI1 || is_complex(from) || is_complex(to)) return false;
  if (is_float(to) && byte_size(to) == 1) return false;
  // One-byte floats have at most five digits, and but for the scale type a small exponent.
  if (is_float(from) && byte_size(from) == 1) {
    return is_float(to) && (from != ElementType::kF8E8M0FNU || to != ElementType::kF16);
  }
  if (is_float(from)) return is_float(to) && digits(to) > digits(from) && bit_width(to) > bit_width(from);
  if (to == ElementType::kF16) return digits(from) <= 11;  // its range ends before u16's
  if (is_signed_integer(from) && is_unsigned_integer(to)) return false;
  return digits(from) <= digits(to);
}

std::vector<Value> simplify_convert(SimplifyContext& context, const OpView& op) {
  const ElementType to = op.result_type().element_type();
  if (op.operand_type(0) == op.result_type()) return {op.operand(0)};
  const OpId inner = op.function.defining_op(op.operand(0));
  if (inner && &op.function.def(inner) == &op.def()) {
    const Value x = op.function.operand(inner, 0);
    const ElementType from = op.function.type(x).element_type(), between = op.operand_type(0).element_type();
    // Floats saturate on their way to integers while integers wrap, so an integer's detour over a float counts unless it returns.
    const bool same_rule = is_float(from) || !is_float(between) || is_float(to) || to == ElementType::kI1 || to == from;
    if (is_lossless(from, between) && same_rule) return {context.builder().convert(x, to)};
  }
  return fold_constants(context, op);
}

std::vector<Sample> samples_convert() {
  using enum ElementType;
  std::vector<Sample> out;
  constexpr ElementType kTypes[] = {kI1, kI8, kI32, kI64, kU8, kU32, kU64, kF16, kBF16, kF32, kF64};
  for (ElementType from : kTypes) {
    for (ElementType to : kTypes) {
      if (from == to) continue;
      Sample s;
      s.label = std::string(name(from)) + " to " + std::string(name(to));
      Domain domain = is_float(from) ? Domain{-300, 300}
                      : from == kI1  ? Domain{0, 1}
                                     : Domain{is_signed_integer(from) ? -100.0 : 0.0, 100};
      domain.special = true;
      s.operands = {{Type::tensor(from, {40}), domain}};
      s.emit = [to](OpBuilder& b, std::span<const Value> x) { return std::vector<Value>{b.convert(x[0], to)}; };
      s.differentiable = false;  // rounding is not differentiable; see the widening sample
      out.push_back(std::move(s));
    }
  }
  Sample widen;
  widen.label = "f32 to f64, differentiable";
  widen.operands = {{Type::tensor(kF32, {2, 3}), Domain{}}};
  widen.emit = [](OpBuilder& b, std::span<const Value> x) { return std::vector<Value>{b.convert(x[0], kF64)}; };
  out.push_back(std::move(widen));
  const SampleOperand number{Type::tensor(kF64, {2, 3}), Domain{}};
  out.push_back({"f64 to complex128, differentiable", {number}, [](OpBuilder& b, std::span<const Value> x) {
                   return std::vector<Value>{b.convert(x[0], kC128)};
                 }});
  out.push_back({"complex128 to f64, differentiable", {number, number}, [](OpBuilder& b, std::span<const Value> x) {
                   return std::vector<Value>{b.convert(b.make("stablehlo.complex", {x[0], x[1]}), kF64)};
                 }});
  return out;
}

// ---- erf ----------------------------------------------------------------------------------------------------------------

Val polynomial(Val x, std::span<const double> c) {
  Val sum = x.lift(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// The two polynomials of the scalar expansion; without fused steps, so a few ulp. 16-bit floats compute in f32.
std::vector<Value> portable_erf(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  using namespace erf_coefficients;
  OpBuilder& b = context.builder();
  const ElementType type = op.result_type().element_type();
  const bool single = type != ElementType::kF64;
  const Val x{&b, b.convert(operands[0], single ? ElementType::kF32 : ElementType::kF64)};
  const Val magnitude = x.unary("stablehlo.abs"), limit = x.lift(single ? kSingleLimit : kDoubleLimit);
  const Val a{&b, b.minimum(magnitude.value, limit.value)}, z = x * x;
  const Val inner = single ? polynomial(z, kSingleInner) : polynomial(z, kDoubleInner);
  const Val outer = single ? polynomial(a, kSingleOuter) : polynomial(a, kDoubleOuter);
  const Val large = x.unary("stablehlo.sign") * (1 - outer.unary("stablehlo.exponential"));
  const Val value = select(compare(magnitude, x.lift(1), "LT"), x + x * inner, large);
  return {b.convert(value.value, type)};
}

constexpr ElementwiseFacets erf_facets() {
  ElementwiseFacets facets =
      nonlinear<[](Val x, Val) { return 1.1283791670955125739 * (-(x * x)).unary("stablehlo.exponential"); }>();
  facets.to_stablehlo = portable_erf;
  return facets;
}

// ---- the table ------------------------------------------------------------------------------------------------------------

template <unsigned kClasses, bool kDifferentiable>
std::vector<Sample> named_samples(std::string_view mnemonic, double low, double high) {
  return elementwise_samples(mnemonic, 1, kClasses, {.low = low, .high = high}, kDifferentiable);
}

const OpRecord kRecords[] = {
    {{.mnemonic = "stablehlo.abs"},
     {.doc = "Absolute value, a float for complex numbers. The least signed integer stays itself.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_abs,
      .eval = eval_elementwise<1, [](auto x) { return abs(x); }>,
      .scalar = scalar_elementwise<1, [](auto x) { return abs(x); }>,
      .linearize = linearize_abs,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_idempotent,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = [] { return named_samples < kSignedClass | kFloatClass, true > ("stablehlo.abs", -3, 3); }}},
    unary<kAnyNumberClass, [](auto x) { return -x; }>(
        "stablehlo.negate", "The negative; integers wrap.",
        {.linearize = linearize_linear, .transpose = transpose_negate, .simplify = simplify_involution},
        [] { return named_samples<kNumberClass, true>("stablehlo.negate", -3, 3); }),
    unary<kSignedClass | kFieldClass, [](auto x) { return sign(x); }>(
        "stablehlo.sign", "-1, 0 or 1; NaN and signed zeros stay. Complex: z / |z|.",
        {.linearize = linearize_sign, .transpose = kNotLinear},
        [] { return named_samples < kSignedClass | kFloatClass, true > ("stablehlo.sign", -3, 3); }),
    unary<kBooleanClass | kIntegerClass, [](auto x) { return bit_not(x); }>(
        "stablehlo.not", "Logical not of booleans, bitwise not of integers.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_involution},
        [] { return named_samples < kBooleanClass | kIntegerClass, false > ("stablehlo.not", 0, 1); }),
    unary<kFieldClass, [](auto x) { return exp(x); }>(
        "stablehlo.exponential", "e to the power of x.", nonlinear<[](Val, Val y) { return y; }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.exponential", -3, 3); }),
    unary<kFieldClass, [](auto x) { return expm1(x); }>(
        "stablehlo.exponential_minus_one", "e to the power of x, minus 1, exact near 0.",
        nonlinear<[](Val, Val y) { return y + 1; }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.exponential_minus_one", -3, 3); }),
    unary<kFieldClass, [](auto x) { return log(x); }>(
        "stablehlo.log", "Natural logarithm; NaN below 0, -inf at 0.", nonlinear<[](Val x, Val) { return 1 / x; }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.log", 0.2, 5); }),
    unary<kFieldClass, [](auto x) { return log1p(x); }>(
        "stablehlo.log_plus_one", "Natural logarithm of 1 + x, exact near 0.",
        nonlinear<[](Val x, Val) { return 1 / (x + 1); }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.log_plus_one", -0.7, 4); }),
    unary<kFieldClass, [](auto x) { return sqrt(x); }>(
        "stablehlo.sqrt", "Square root, correctly rounded; NaN below 0.",
        nonlinear<[](Val, Val y) { return 0.5 / y; }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.sqrt", 0.2, 5); }),
    unary<kFieldClass, [](auto x) { return rsqrt(x); }>(
        "stablehlo.rsqrt", "1 over the square root.", nonlinear<[](Val x, Val y) { return -0.5 * y / x; }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.rsqrt", 0.2, 5); }),
    unary<kFieldClass, [](auto x) { return cbrt(x); }>(
        "stablehlo.cbrt", "Cube root.", nonlinear<[](Val, Val y) { return 1 / (3 * (y * y)); }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.cbrt", -4, 4); }),
    unary<kAnyNumberClass, [](auto x) { return square(x); }>(
        "chlo.square", "x times x; integers wrap.",
        {.linearize = linearize_unary<[](Val x, Val) { return x + x; }>,
         .transpose = kNotLinear,
         .to_stablehlo =
             [](PortableContext& context, const OpView&, std::span<const Value> x) {
               return std::vector<Value>{context.builder().multiply(x[0], x[0])};
             }},
        [] { return named_samples<kNumberClass, true>("chlo.square", -3, 3); }),
    unary<kFieldClass, [](auto x) { return tanh(x); }>(
        "stablehlo.tanh", "Hyperbolic tangent.", nonlinear<[](Val, Val y) { return 1 - y * y; }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.tanh", -3, 3); }),
    unary<kFieldClass, [](auto x) { return sin(x); }>(
        "stablehlo.sine", "Sine of radians.", nonlinear<[](Val x, Val) { return x.unary("stablehlo.cosine"); }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.sine", -5, 5); }),
    unary<kFieldClass, [](auto x) { return cos(x); }>(
        "stablehlo.cosine", "Cosine of radians.", nonlinear<[](Val x, Val) { return -x.unary("stablehlo.sine"); }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.cosine", -5, 5); }),
    unary<kFieldClass, [](auto x) { return logistic(x); }>(
        "stablehlo.logistic", "1 / (1 + exp(-x)).", nonlinear<[](Val, Val y) { return y * (1 - y); }>(),
        [] { return named_samples<kFloatClass, true>("stablehlo.logistic", -4, 4); }),
    unary<kFloatClass, [](auto x) { return erf(x); }>(
        "chlo.erf", "The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.", erf_facets(),
        [] { return named_samples<kFloatClass, true>("chlo.erf", -2.5, 2.5); }),
    unary<kFloatClass, [](auto x) { return floor(x); }>(
        "stablehlo.floor", "The nearest integer that is not above x.", kZeroDerivative,
        [] { return named_samples<kFloatClass, true>("stablehlo.floor", 0.1, 0.9); }),
    unary<kFloatClass, [](auto x) { return ceil(x); }>(
        "stablehlo.ceil", "The nearest integer that is not below x.", kZeroDerivative,
        [] { return named_samples<kFloatClass, true>("stablehlo.ceil", 0.1, 0.9); }),
    unary<kFloatClass, [](auto x) { return round_even(x); }>(
        "stablehlo.round_nearest_even", "The nearest integer; halves go to the even one.", kZeroDerivative,
        [] { return named_samples<kFloatClass, true>("stablehlo.round_nearest_even", 0.6, 1.4); }),
    unary<kFloatClass, [](auto x) { return round_away(x); }>(
        "stablehlo.round_nearest_afz", "The nearest integer; halves go away from zero.", kZeroDerivative,
        [] { return named_samples<kFloatClass, true>("stablehlo.round_nearest_afz", 0.6, 1.4); }),
    {{.mnemonic = "weft.stop_gradient"},
     {.doc = "The operand unchanged, a constant to derivatives.",
      .syntax = Syntax::kGeneric,
      .schema = {},
      .type = type_same<1, kAnyClass>,
      .eval = eval_elementwise<1, [](auto x) { return x; }>,
      .scalar = scalar_elementwise<1, [](auto x) { return x; }>,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_idempotent,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = [](PortableContext&, const OpView&,
                         std::span<const Value> operands) { return std::vector<Value>{operands[0]}; },
      .samples = [] { return named_samples<kRealClass, false>("weft.stop_gradient", -3, 3); }}},
    {{.mnemonic = "stablehlo.is_finite"},
     {.doc = "Whether x is neither infinite nor NaN.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_is_finite,
      .eval = eval_elementwise<1, [](auto x) { return is_finite(x); }>,
      .scalar = scalar_elementwise<1, [](auto x) { return is_finite(x); }>,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = [] { return named_samples<kFloatClass, false>("stablehlo.is_finite", -3, 3); }}},
    {{.mnemonic = "stablehlo.convert"},
     {.doc = "The value in another element type, rounded once. Float to integer truncates and saturates, NaN gives 0; "
             "integer to "
             "integer wraps; to i1 is x != 0.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_convert,
      .eval = eval_convert,
      .scalar = scalar_convert,
      .linearize = linearize_convert,
      .transpose = transpose_convert,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_convert,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = samples_convert}},
};

}  // namespace

Family elementwise_unary_ops() { return kRecords; }

}  // namespace weft
