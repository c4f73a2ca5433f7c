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

// ---- manual_computation -----------------------------------------------------------------------------------------------------

/// One sharding for each of `count` values.
std::vector<Sharding> shardings_of(const TypeContext& c, std::string_view name, size_t count) {
  const Attr& attr = *c.attrs.find(name);
  const auto* text = attr.get_if<OpaqueAttr>();
  const bool is_list = text != nullptr && text->text.starts_with("#sdy.sharding_per_value");
  std::optional<std::vector<Sharding>> out = is_list ? read_shardings(text->text) : std::nullopt;
  if (!out || out->size() != count) {
    c.fail("", std::string(name) + ": got " + attr.str() +
                   ", expected #sdy.sharding_per_value<[<@mesh, [{…}, …]>, …]> of " + std::to_string(count));
  }
  return *std::move(out);
}

/// Of a value outside the type inside. None where the mesh is elsewhere.
Type inner_type(const TypeContext& c, const std::string& what, Sharding sharding, Type outer,
                const std::vector<std::string>& manual) {
  if (!outer.is_tensor() || !outer.is_static())
    c.fail("", what + ": got a " + outer.str() + ", expected a tensor of static extents");
  if (const std::string symbol = sharding.mesh.symbol; !symbol.empty()) {
    if (c.module == nullptr) return {};
    if (!resolve(sharding.mesh, *c.module))
      c.fail("", "the module has no mesh @" + symbol + ": expected sdy.mesh @" + symbol + " = <[…]>");
  }
  if (const std::string fault = fault_of(sharding, outer); !fault.empty()) c.fail("", what + ": " + fault);
  return part_type(along(std::move(sharding), manual), outer);
}

std::vector<Type> type_manual(const TypeContext& c) {
  const Attr& axes = *c.attrs.find("manual_axes");
  const auto* text = axes.get_if<OpaqueAttr>();
  const auto manual = text == nullptr ? std::nullopt : read_manual_axes(text->text);
  if (!manual) c.fail("", "manual_axes: got " + axes.str() + R"(, expected #sdy<manual_axes{"x", …}>)");
  if (c.regions.size() != 1) c.fail("", "number of regions: got " + std::to_string(c.regions.size()) + ", expected 1");
  const std::vector<Sharding> in = shardings_of(c, "in_shardings", c.operands.size()),
                              out = shardings_of(c, "out_shardings", c.declared.size());
  const auto args = c.function.args(c.regions[0]);
  if (args.size() != in.size())
    c.fail("", "arguments of the body: got " + std::to_string(args.size()) + ", expected " + std::to_string(in.size()));
  const auto compare = [&](const std::string& what, Type got, Type expected) {
    if (expected && got != expected) c.expect_equal("", "type of " + what, got, expected);
  };
  for (size_t i = 0; i < in.size(); ++i) {
    const std::string n = std::to_string(i);
    compare("argument " + n + " of the body", c.function.type(args[i]),
            inner_type(c, "operand " + n, in[i], c.operands[i], *manual));
  }
  const OpId end = c.function.terminator(c.regions[0]);
  if (!end || c.function.def(end).mnemonic != "sdy.return") c.fail("", "its body does not end with sdy.return");
  if (c.function.operands(end).size() != out.size())
    c.fail("", "values returned by the body: got " + std::to_string(c.function.operands(end).size()) + ", expected " +
                   std::to_string(out.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const std::string n = std::to_string(i);
    compare("value " + n + " returned by the body", c.function.type(c.function.operand(end, i)),
            inner_type(c, "result " + n, out[i], c.declared[i], *manual));
  }
  return c.declared;
}

std::vector<Type> type_manual_return(const TypeContext&) { return {}; }

constexpr Refuse kOnDevices{
    "its body is what each device of a mesh computes of its parts: it runs on the target pjrt:PLUGIN alone; elsewhere "
    "write the processes out with interpreter.run_parallel"};
constexpr Refuse kNotThroughDevices{
    "its body is what each device of a mesh computes of its parts, and nothing passes its border yet; use "
    "sdy.sharding_constraint, which leaves the parts to the compiler"};
constexpr Refuse kNoSamples{"it runs on several devices only; tests/pjrt/several_devices_test.cc has its cases"};

constexpr OpFacets manual_facets(std::string_view doc, Schema schema, TypeFn* type, Effects effects) {
  return {.doc = doc,
          .syntax = Syntax::kCustom,
          .schema = schema,
          .type = type,
          .eval = kOnDevices,
          .scalar = kOnDevices,
          .linearize = kNotThroughDevices,
          .transpose = kNotLinear,
          .vectorize = kNotThroughDevices,
          .uniformity = uniformity_any,
          .simplify = simplify_none,
          .aliases = alias_none,
          .effects = effects,
          .cost = cost_free,
          .to_stablehlo = portable_as_is,
          .samples = kNoSamples};
}

// ---- records ----------------------------------------------------------------------------------------------------------------

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
    {{"sdy.manual_computation"},
     manual_facets(
         "What the body computes on each device of a mesh from its parts of the operands, cut along manual_axes.",
         {{"in_shardings", AttrKind::kAny}, {"out_shardings", AttrKind::kAny}, {"manual_axes", AttrKind::kAny}},
         type_manual, Effects::kRegions)},
    {{"sdy.return", true},
     manual_facets("Ends the body of a manual computation.", {}, type_manual_return, Effects::kPure)},
};

}  // namespace

Family sharding_ops() { return kOps; }

}  // namespace weft
