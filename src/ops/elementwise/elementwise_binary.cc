// Elementwise ops on two operands of one type.
#include "ops/elementwise/elementwise.h"
#include "ops/families_list.h"

namespace weft {
namespace {

template <unsigned kClasses, auto kValue>
constexpr OpRecord binary(std::string_view mnemonic, std::string_view doc, ElementwiseFacets facets,
                          SamplesFn* samples) {
  return elementwise_record<2, kClasses, kValue>(mnemonic, doc, facets, samples);
}

template <unsigned kClasses, bool kDifferentiable>
std::vector<Sample> named_samples(std::string_view mnemonic, double low, double high) {
  return elementwise_samples(mnemonic, 2, kClasses, {.low = low, .high = high}, kDifferentiable);
}

/// And one between the jumps of the quotient.
std::vector<Sample> samples_remainder() {
  std::vector<Sample> out = named_samples<kNumberClass, false>("stablehlo.remainder", -5, 5);
  const Type t = Type::tensor(ElementType::kF64, {2, 3});
  out.push_back({"f64 between jumps", {{t, {2.2, 2.8}}, {t, {0.95, 1.05}}}, [](OpBuilder& b, std::span<const Value> x) {
                   return b.create("stablehlo.remainder", x);
                 }});
  return out;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------------

/// Linear in operand 0 alone.
Linearized linearize_divide(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                            std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder* b = &context.primal();
  const Val y{b, primals[1]}, q{b, results[0]};
  Value sum;
  if (tangents[0]) sum = context.linear().divide(tangents[0], y.value);
  if (tangents[1]) sum = add_tangents(context.linear(), sum, context.linear().multiply(tangents[1], (-(q / y)).value));
  return {results, {sum}};
}

/// Add and subtract need no zeros for a missing tangent.
Linearized linearize_add(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                         std::span<const Value> tangents) {
  return {context.clone_primal(op, primals), {add_tangents(context.linear(), tangents[0], tangents[1])}};
}
Linearized linearize_subtract(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                              std::span<const Value> tangents) {
  std::vector<Value> results = context.clone_primal(op, primals);
  if (!tangents[1]) return {results, {tangents[0]}};
  if (!tangents[0]) return {results, {context.linear().negate(tangents[1])}};
  return {results, {context.linear().subtract(tangents[0], tangents[1])}};
}

/// The tangent of the operand that won; at a tie the mean of both. By select, so that the loser's infinite tangent does no harm.
Linearized linearize_extremum(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                              std::span<const Value> tangents) {
  const bool is_max = op.def().mnemonic == "stablehlo.maximum";
  std::vector<Value> results = context.clone_primal(op, primals);
  OpBuilder& p = context.primal();
  OpBuilder& linear = context.linear();
  const Value zero = p.zeros(op.result_type()), half = p.splat(op.result_type(), 0.5);
  const Value wins = p.compare(primals[0], primals[1], is_max ? "GT" : "LT");
  const Value ties = p.compare(primals[0], primals[1], "EQ");
  Value sum;
  if (tangents[0]) {
    const Value tied = linear.select(ties, linear.multiply(tangents[0], half), zero);
    sum = linear.select(wins, tangents[0], tied);
  }
  if (tangents[1]) {
    const Value tied = linear.select(ties, linear.multiply(tangents[1], half), tangents[1]);
    sum = add_tangents(linear, sum, linear.select(wins, zero, tied));
  }
  return {results, {sum}};
}

std::vector<Value> transpose_add(TransposeContext& context, const OpView&, std::span<const Value> cotangents) {
  const auto part = [&](size_t i) { return context.is_linear(i) ? cotangents[0] : Value{}; };
  return {part(0), part(1)};
}
std::vector<Value> transpose_subtract(TransposeContext& context, const OpView&, std::span<const Value> cotangents) {
  return {context.is_linear(0) ? cotangents[0] : Value{},
          context.is_linear(1) ? context.builder().negate(cotangents[0]) : Value{}};
}
std::vector<Value> transpose_multiply(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  if (context.is_linear(0) && context.is_linear(1))
    throw InternalError("[stablehlo.multiply] a product of two tangents is not linear", op.loc());
  return {context.is_linear(0) ? b.multiply(cotangents[0], op.operand(1)) : Value{},
          context.is_linear(1) ? b.multiply(op.operand(0), cotangents[0]) : Value{}};
}
std::vector<Value> transpose_divide(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  if (context.is_linear(1))
    throw InternalError("[stablehlo.divide] a quotient is not linear in its denominator", op.loc());
  return {context.builder().divide(cotangents[0], op.operand(1)), Value{}};
}

/// d(x^y)/dx = y·x^(y-1), 0 where y is 0 (x^0 is 1 everywhere, so 0·inf must not appear).
Val power_partial_x(Val x, Val y, Val) {
  const Val is_zero = compare(y, y.lift(0), "EQ");
  const Val below{x.builder, x.builder->make("stablehlo.power", {x.value, select(is_zero, y.lift(1), y - 1).value})};
  return select(is_zero, y.lift(0), y * below);
}
/// d(x^y)/dy = x^y·log x; at x = 0 the limit 0 for y > 0.
Val power_partial_y(Val x, Val, Val power) {
  const Val base = select(compare(x, x.lift(0), "EQ"), x.lift(1), x);
  return power * base.unary("stablehlo.log");
}

/// x rem y = x - y·trunc(x / y).
Val remainder_partial_y(Val x, Val y, Val r) {
  // (r - x) / y is the negative truncated quotient up to rounding.
  return ((r - x) / y).unary("stablehlo.round_nearest_even");
}

// ---- simplification ---------------------------------------------------------------------------------------------------------

/// True when `v` is a splat of `value`; `negative_zero` asks for -0.0 rather than +0.0 (which a float add keeps distinct).
bool is_splat(SimplifyContext& context, Value v, double value, bool negative_zero = false) {
  const std::optional<Num> n = splat_value(context, v);
  if (!n || n->is_complex()) return false;  // the zeros of complex numbers have two signs
  if (!n->is_real()) return n->bits == n->constant(value).bits;
  return n->real == value && std::signbit(n->real) == (negative_zero || std::signbit(value));
}

bool is_float_op(const OpView& op) { return is_float(op.result_type().element_type()); }

std::vector<Value> simplify_add(SimplifyContext& context, const OpView& op) {
  // x + 0.0 turns -0.0 into 0.0, x + -0.0 does not.
  for (size_t i = 0; i < 2; ++i) {
    if (is_splat(context, op.operand(1 - i), 0, is_float_op(op))) return {op.operand(i)};
  }
  return fold_constants(context, op);
}
std::vector<Value> simplify_subtract(SimplifyContext& context, const OpView& op) {
  if (is_splat(context, op.operand(1), 0)) return {op.operand(0)};
  return fold_constants(context, op);
}
std::vector<Value> simplify_multiply(SimplifyContext& context, const OpView& op) {
  for (size_t i = 0; i < 2; ++i) {
    if (is_splat(context, op.operand(1 - i), 1)) return {op.operand(i)};
    if (!is_float_op(op) && is_splat(context, op.operand(1 - i), 0)) return {op.operand(1 - i)};
  }
  return fold_constants(context, op);
}
std::vector<Value> simplify_divide(SimplifyContext& context, const OpView& op) {
  if (is_splat(context, op.operand(1), 1)) return {op.operand(0)};
  return fold_constants(context, op);
}
/// maximum, minimum, and, or: op(x, x) = x.
std::vector<Value> simplify_lattice(SimplifyContext& context, const OpView& op) {
  if (op.operand(0) == op.operand(1)) return {op.operand(0)};
  if (!is_float_op(op) && op.def().mnemonic != "stablehlo.maximum" && op.def().mnemonic != "stablehlo.minimum") {
    const bool is_and = op.def().mnemonic == "stablehlo.and";
    for (size_t i = 0; i < 2; ++i) {
      const std::optional<Num> n = splat_value(context, op.operand(1 - i));
      if (!n) continue;
      const int64_t neutral = is_and ? Num::of_bits(n->type, -1).bits : 0;
      if (n->bits == neutral) return {op.operand(i)};
      if (n->bits == Num::of_bits(n->type, ~neutral).bits) return {op.operand(1 - i)};
    }
  }
  return fold_constants(context, op);
}
std::vector<Value> simplify_xor(SimplifyContext& context, const OpView& op) {
  for (size_t i = 0; i < 2; ++i) {
    if (is_splat(context, op.operand(1 - i), 0)) return {op.operand(i)};
  }
  return fold_constants(context, op);
}
std::vector<Value> simplify_shift(SimplifyContext& context, const OpView& op) {
  if (is_splat(context, op.operand(1), 0)) return {op.operand(0)};
  return fold_constants(context, op);
}

// ---- the table ------------------------------------------------------------------------------------------------------------

constexpr unsigned kLogicalClass = kBooleanClass | kIntegerClass;

const OpRecord kRecords[] = {
    binary<kAnyClass, [](auto x, auto y) { return x + y; }>(
        "stablehlo.add", "Sum; logical or of booleans; integers wrap.",
        {.linearize = linearize_add, .transpose = transpose_add, .simplify = simplify_add},
        [] { return named_samples<kRealClass, true>("stablehlo.add", -3, 3); }),
    binary<kAnyNumberClass, [](auto x, auto y) { return x - y; }>(
        "stablehlo.subtract", "Difference; integers wrap.",
        {.linearize = linearize_subtract, .transpose = transpose_subtract, .simplify = simplify_subtract},
        [] { return named_samples<kNumberClass, true>("stablehlo.subtract", -3, 3); }),
    binary<kAnyClass, [](auto x, auto y) { return x * y; }>(
        "stablehlo.multiply", "Product; logical and of booleans; integers wrap.",
        {.linearize = linearize_multilinear, .transpose = transpose_multiply, .simplify = simplify_multiply},
        [] { return named_samples<kRealClass, true>("stablehlo.multiply", -3, 3); }),
    binary<kAnyNumberClass, [](auto x, auto y) { return x / y; }>(
        "stablehlo.divide",
        "Quotient; of integers truncated. Total: integer x / 0 = -1 (all bits set), INT_MIN / -1 = INT_MIN.",
        {.linearize = linearize_divide, .transpose = transpose_divide, .simplify = simplify_divide},
        [] { return named_samples<kNumberClass, true>("stablehlo.divide", 0.4, 3); }),
    binary<kNumberClass, [](auto x, auto y) { return rem(x, y); }>(
        "stablehlo.remainder",
        "Remainder of the truncated quotient, with the sign of the dividend. Integer x rem 0 = x.",
        {.linearize = linearize_binary<[](Val x, Val, Val) { return x.lift(1); }, remainder_partial_y>,
         .transpose = kNotLinear},
        [] { return samples_remainder(); }),
    binary<kAnyClass, [](auto x, auto y) { return maximum(x, y); }>(
        "stablehlo.maximum",
        "The larger; NaN when either is NaN; -0 < +0; logical or of booleans. Derivative at a tie: half of each.",
        {.linearize = linearize_extremum, .transpose = kNotLinear, .simplify = simplify_lattice},
        [] { return named_samples<kRealClass, true>("stablehlo.maximum", -3, 3); }),
    binary<kAnyClass, [](auto x, auto y) { return minimum(x, y); }>(
        "stablehlo.minimum",
        "The smaller; NaN when either is NaN; -0 < +0; logical and of booleans. Derivative at a tie: half of each.",
        {.linearize = linearize_extremum, .transpose = kNotLinear, .simplify = simplify_lattice},
        [] { return named_samples<kRealClass, true>("stablehlo.minimum", -3, 3); }),
    binary<kAnyNumberClass, [](auto x, auto y) { return pow(x, y); }>(
        "stablehlo.power", "x to the power of y. Integers wrap; a negative exponent gives 0 unless x is 1 or -1.",
        {.linearize = linearize_binary<power_partial_x, power_partial_y>,
         .transpose = kNotLinear,
         .cost = cost_transcendental},
        [] { return named_samples<kNumberClass, true>("stablehlo.power", 0.3, 2.5); }),
    binary<kFieldClass, [](auto y, auto x) { return atan2(y, x); }>(
        "stablehlo.atan2", "The angle of the point (operand 1, operand 0), in [-pi, pi].",
        {.linearize = linearize_binary<[](Val y, Val x, Val) { return x / (x * x + y * y); },
                                       [](Val y, Val x, Val) { return -y / (x * x + y * y); }>,
         .transpose = kNotLinear,
         .cost = cost_transcendental},
        [] { return named_samples<kFloatClass, true>("stablehlo.atan2", -3, 3); }),
    binary<kLogicalClass, [](auto x, auto y) { return bit_and(x, y); }>(
        "stablehlo.and", "Logical and of booleans, bitwise and of integers.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_lattice},
        [] { return named_samples<kLogicalClass, false>("stablehlo.and", 0, 1); }),
    binary<kLogicalClass, [](auto x, auto y) { return bit_or(x, y); }>(
        "stablehlo.or", "Logical or of booleans, bitwise or of integers.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_lattice},
        [] { return named_samples<kLogicalClass, false>("stablehlo.or", 0, 1); }),
    binary<kLogicalClass, [](auto x, auto y) { return bit_xor(x, y); }>(
        "stablehlo.xor", "Logical exclusive or of booleans, bitwise exclusive or of integers.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_xor},
        [] { return named_samples<kLogicalClass, false>("stablehlo.xor", 0, 1); }),
    binary<kIntegerClass, [](auto x, auto y) { return shift_left(x, y); }>(
        "stablehlo.shift_left", "Bits moved up; amounts are unsigned, at or beyond the width they give 0.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_shift},
        [] { return named_samples<kIntegerClass, false>("stablehlo.shift_left", 0, 1); }),
    binary<kIntegerClass, [](auto x, auto y) { return shift_right_arithmetic(x, y); }>(
        "stablehlo.shift_right_arithmetic",
        "Bits moved down, the top bit repeated; amounts at or beyond the width leave only that bit.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_shift},
        [] { return named_samples<kIntegerClass, false>("stablehlo.shift_right_arithmetic", 0, 1); }),
    binary<kIntegerClass, [](auto x, auto y) { return shift_right_logical(x, y); }>(
        "stablehlo.shift_right_logical", "Bits moved down, zeros on top; amounts at or beyond the width give 0.",
        {.linearize = linearize_zero, .transpose = kNotLinear, .simplify = simplify_shift},
        [] { return named_samples<kIntegerClass, false>("stablehlo.shift_right_logical", 0, 1); }),
};

}  // namespace

Family elementwise_binary_ops() { return kRecords; }

}  // namespace weft
