// real, imag and complex: between complex numbers and their parts.
// Cotangents pair with tangents as Re(cotangent · tangent), without conjugation: a holomorphic function's transpose multiplies by
// the same derivative as its tangent map. So the transpose of real is complex(ct, 0), that of imag is complex(0, -ct), and
// complex(re, im) gives its parts the cotangents real(ct) and -imag(ct).
#include "ops/elementwise/elementwise.h"
#include "ops/families_list.h"

namespace weft {
namespace {

std::vector<Type> type_part(const TypeContext& context) {
  const Type t = type_same(context, 1, kFieldClass)[0];
  return {t.with_element(part_type(t.element_type()))};
}

std::vector<Type> type_complex(const TypeContext& context) {
  const Type t = type_same(context, 2, kFloatClass)[0];
  const ElementType part = t.element_type();
  if (part != ElementType::kF32 && part != ElementType::kF64) {
    context.fail("", "element type of operand 0: got " + std::string(name(part)) + ", expected f32 or f64");
  }
  return {t.with_element(part == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128)};
}

Value part(OpBuilder& b, std::string_view mnemonic, Value z) { return b.make(mnemonic, {z}); }

std::vector<Value> transpose_real(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  if (!is_complex(op.operand_type(0).element_type())) return {cotangents[0]};
  return {b.make("stablehlo.complex", {cotangents[0], b.zeros(op.result_type())})};
}

std::vector<Value> transpose_imag(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  if (!is_complex(op.operand_type(0).element_type())) return {Value{}};
  return {b.make("stablehlo.complex", {b.zeros(op.result_type()), b.negate(cotangents[0])})};
}

std::vector<Value> transpose_complex(TransposeContext& context, const OpView&, std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  return {context.is_linear(0) ? part(b, "stablehlo.real", cotangents[0]) : Value{},
          context.is_linear(1) ? b.negate(part(b, "stablehlo.imag", cotangents[0])) : Value{}};
}

/// The op that makes operand 0, when it is stablehlo.complex.
std::vector<Value> simplify_part(SimplifyContext& context, const OpView& op) {
  const bool is_real_part = op.def().mnemonic == "stablehlo.real";
  if (is_real_part && op.operand_type(0) == op.result_type()) return {op.operand(0)};
  const OpId inner = op.function.defining_op(op.operand(0));
  if (inner && op.function.def(inner).mnemonic == "stablehlo.complex") {
    const Value v = op.function.operand(inner, is_real_part ? 0 : 1);
    if (op.function.type(v) == op.result_type()) return {v};
  }
  return fold_constants(context, op);
}

template <bool kOfComplex>
std::vector<Sample> samples(std::string_view mnemonic, size_t count) {
  std::vector<Sample> out;
  for (ElementType t : {ElementType::kF32, ElementType::kF64}) {
    const auto add = [&](std::string label, std::initializer_list<int64_t> shape, bool special) {
      Domain domain;
      domain.special = special;
      Sample s;
      s.label = std::string(name(t)) + label;
      s.operands.assign(kOfComplex ? 2 : count, {Type::tensor(t, shape), domain});
      s.emit = [mnemonic](OpBuilder& b, std::span<const Value> x) {
        if constexpr (kOfComplex) {
          return std::vector<Value>{part(b, mnemonic, b.make("stablehlo.complex", {x[0], x[1]}))};
        } else {
          return b.create(mnemonic, x);
        }
      };
      s.differentiable = !special;
      out.push_back(std::move(s));
    };
    add("", {2, 3}, false);
    add(" special", {40}, true);
    add(" rank 0", {}, false);
    add(" no elements", {0, 2}, false);
  }
  return out;
}

const OpRecord kRecords[] = {
    {{.mnemonic = "stablehlo.real"},
     {.doc = "The real part; of a float itself.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_part,
      .eval = eval_elementwise<1, [](auto x) { return real_part(x); }>,
      .scalar = scalar_elementwise<1, [](auto x) { return real_part(x); }>,
      .linearize = linearize_linear,
      .transpose = transpose_real,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_part,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = [] { return samples<true>("stablehlo.real", 1); }}},
    {{.mnemonic = "stablehlo.imag"},
     {.doc = "The imaginary part; of a float 0.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_part,
      .eval = eval_elementwise<1, [](auto x) { return imag_part(x); }>,
      .scalar = scalar_elementwise<1, [](auto x) { return imag_part(x); }>,
      .linearize = linearize_linear,
      .transpose = transpose_imag,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_part,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = [] { return samples<true>("stablehlo.imag", 1); }}},
    {{.mnemonic = "stablehlo.complex"},
     {.doc = "The complex number with these parts.",
      .syntax = Syntax::kCustom,
      .schema = {},
      .type = type_complex,
      .eval = eval_elementwise<2, [](auto re, auto im) { return complex_of(re, im); }>,
      .scalar = scalar_elementwise<2, [](auto re, auto im) { return complex_of(re, im); }>,
      .linearize = linearize_linear,
      .transpose = transpose_complex,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = [] { return samples<false>("stablehlo.complex", 2); }}},
};

}  // namespace

Family complex_parts_ops() { return kRecords; }

}  // namespace weft
