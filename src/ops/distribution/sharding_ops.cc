// Shardy's annotations as ops. Only targets with several devices read them; everywhere else they are the identity.
#include "ops/distribution/sharding.h"
#include "ops/elementwise/chlo_families.h"
#include "ops/families.h"

namespace weft {
namespace {

Sharding sharding_of(const TypeContext& c) {
  const Attr& attr = *c.attrs.find("sharding");
  const auto* text = attr.get_if<OpaqueAttr>();
  std::optional<Sharding> out = text == nullptr ? std::nullopt : read_sharding(text->text);
  if (!out) c.fail("", "sharding: got " + attr.str() + ", expected #sdy.sharding<@mesh, [{…}, …]>");
  return *std::move(out);
}

std::vector<Type> type_constraint(const TypeContext& c) {
  c.expect_operands(1);
  const Type t = c.operands[0];
  if (!t.is_tensor()) c.fail("", "type of the operand: got " + t.str() + ", expected a tensor");
  Sharding sharding = sharding_of(c);
  if (const std::string symbol = sharding.mesh.symbol; !symbol.empty() && c.module != nullptr) {
    if (!resolve(sharding.mesh, *c.module))
      c.fail("", "the module has no mesh @" + symbol + ": expected sdy.mesh @" + symbol + " = <[…]>");
  }
  // Of a mesh that is elsewhere nothing is known but its name.
  if (sharding.mesh.symbol.empty()) {
    if (const std::string fault = fault_of(sharding, t); !fault.empty()) c.fail("", fault);
  }
  if (!c.declared.empty() && !is_compatible(c.declared[0], t))
    c.expect_equal("", "type of the result", c.declared[0], t);
  return {t};
}

std::vector<EvalValue> eval_constraint(EvalContext&, const OpView&, std::span<const EvalValue> operands) {
  return {operands[0]};
}

/// What comes back is cut as what went there.
std::vector<Value> transpose_constraint(TransposeContext& context, const OpView& op,
                                        std::span<const Value> cotangents) {
  return emit_like(context.builder(), op, cotangents);
}

/// Nothing is said of how lanes are cut: propagation may find them cut as the data is.
std::vector<LaneValue> vectorize_constraint(VectorizeContext& context, const OpView& op,
                                            std::span<const LaneValue> operands) {
  Attrs attrs = op.attrs();
  attrs.set("sharding",
            OpaqueAttr{text_of(over_lanes(*read_sharding(attrs.find("sharding")->get_if<OpaqueAttr>()->text)))});
  const Value x[] = {operands[0].value};
  return {{context.builder().create(op.def(), x, attrs)[0], true}};
}

std::vector<Sample> samples_constraint() {
  const auto emit = [](OpBuilder& b, std::span<const Value> x) {
    return b.create("sdy.sharding_constraint", x,
                    Attrs{{"sharding", OpaqueAttr{R"(#sdy.sharding<mesh<["x"=2, "y"=2]>, [{"y"}, {?}]>)"}}});
  };
  return {{"floats", {{Type::tensor(ElementType::kF64, {4, 3}), {}}}, emit, true},
          {"integers", {{Type::tensor(ElementType::kI32, {2, 2}), {}}}, emit, false}};
}

const OpRecord kOps[] = {
    {{"sdy.sharding_constraint"},
     {.doc = "The operand, cut over the devices of a mesh as `sharding` says. A value like any other elsewhere.",
      .syntax = Syntax::kCustom,
      .schema = {{"sharding", AttrKind::kAny}},
      .type = type_constraint,
      .eval = eval_constraint,
      .scalar = kNotElementwise,
      .linearize = linearize_linear,
      .transpose = transpose_constraint,
      .vectorize = vectorize_constraint,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_view,
      .effects = Effects::kPure,
      .cost = cost_free,
      .to_stablehlo = portable_as_is,
      .samples = samples_constraint}},
};

}  // namespace

Family sharding_ops() { return kOps; }

}  // namespace weft
