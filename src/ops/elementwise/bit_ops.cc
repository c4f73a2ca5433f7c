// bitcast_convert and reduce_precision: ops on the bits of elements.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/float_format.h"
#include "ops/elementwise/chlo_families.h"
#include "ops/elementwise/elementwise.h"
#include "ops/scalar/special_functions.h"

namespace weft {
namespace {

using enum ElementType;

// ---- bitcast_convert --------------------------------------------------------------------------------------------------------

bool same_extents(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != kDynamic && b[i] != kDynamic) return false;
  }
  return true;
}

// Wider elements have one dimension less: its extent is the number of narrow elements in a wide one.
std::vector<Type> type_bitcast_convert(const TypeContext& context) {
  context.expect_operands(1);
  const Type from = context.operands[0], to = context.declared_result();
  if (!from.is_tensor() || !to.is_tensor()) {
    context.fail("", "types: got " + from.str() + " and " + to.str() + ", expected tensors");
  }
  if (is_complex(from.element_type()) != is_complex(to.element_type())) {
    context.fail("bitcast_convert_c2", "type of the result: got " + to.str() +
                                           ", expected a complex type exactly when " + from.str() + " has one");
  }
  const int from_bits = bit_width(from.element_type()), to_bits = bit_width(to.element_type());
  const Type& wide = from_bits >= to_bits ? from : to;
  const Type& narrow = from_bits >= to_bits ? to : from;
  const int wide_bits = std::max(from_bits, to_bits), narrow_bits = std::min(from_bits, to_bits);
  std::vector<int64_t> expected(wide.shape().begin(), wide.shape().end());
  if (wide_bits != narrow_bits) expected.push_back(wide_bits / narrow_bits);
  if (wide_bits % narrow_bits != 0 || !same_extents(narrow.shape(), expected)) {
    context.fail("bitcast_convert_c1", "shapes: got " + from.str() + " and " + to.str() + ", expected " +
                                           narrow.with_shape(expected).str() + " on the side of the narrower elements");
  }
  // What the operand's extents say of the result's.
  std::vector<int64_t> shape(from.shape().begin(), from.shape().end());
  if (from_bits > to_bits) shape.push_back(from_bits / to_bits);
  if (from_bits < to_bits) shape.pop_back();
  return {merge_types(to, to.with_shape(shape))};
}

/// The bits of an element in memory: sub-byte elements take a byte each, of which the low bits count.
bool read_bit(const uint8_t* data, int width, int64_t i, int bit) {
  const int64_t bytes = std::max(width / 8, 1);
  return (data[i * bytes + bit / 8] >> (bit % 8) & 1) != 0;
}
void write_bit(uint8_t* data, int width, int64_t i, int bit) {
  const int64_t bytes = std::max(width / 8, 1);
  data[i * bytes + bit / 8] = static_cast<uint8_t>(data[i * bytes + bit / 8] | 1 << (bit % 8));
}

// The narrow elements of a wide one stand from its low bits up.
std::vector<EvalValue> eval_bitcast_convert(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const ElementType to = op.result_type().element_type();
  const int from_bits = bit_width(x.element_type()), to_bits = bit_width(to);
  Shape shape = x.shape();
  if (to_bits < from_bits) shape.push_back(from_bits / to_bits);
  if (to_bits > from_bits) shape.pop_back();
  Tensor out = Tensor::zeros(to, shape);
  if (from_bits % 8 == 0 && to_bits % 8 == 0) {
    std::memcpy(out.raw(), x.raw(), static_cast<size_t>(out.size()) * byte_size(to));
    return {out};
  }
  const auto* source = static_cast<const uint8_t*>(x.raw());
  auto* target = static_cast<uint8_t*>(out.raw());
  const int64_t bits = x.size() * from_bits;
  for (int64_t k = 0; k < bits; ++k) {
    if (read_bit(source, from_bits, k / from_bits, static_cast<int>(k % from_bits))) {
      write_bit(target, to_bits, k / to_bits, static_cast<int>(k % to_bits));
    }
  }
  if (is_signed_integer(to) && to_bits < 8) {  // sign-extended in their byte
    for (int64_t i = 0; i < out.size(); ++i) {
      if ((target[i] >> (to_bits - 1) & 1) != 0) target[i] = static_cast<uint8_t>(target[i] | 0xff << to_bits);
    }
  }
  return {out};
}

/// Between elements of one width; native knows from the shapes when it is not so.
SExpr scalar_bitcast_convert(const OpView& op, std::span<const SExpr> x) {
  const ElementType from = op.operand_type(0).element_type(), to = op.result_type().element_type();
  if (bit_width(from) != bit_width(to)) {
    throw Unsupported("[stablehlo.bitcast_convert] one element becomes another only where both are as wide", op.loc());
  }
  if (is_complex(from) || is_complex(to))
    throw Unsupported("[stablehlo.bitcast_convert] the bits of complex numbers have no generated code", op.loc());
  const SExpr bits = is_float(from) ? float_bits(x[0], from) : x[0];
  // Bits of fewer than 8 are the low ones of a byte.
  if (!is_float(to)) return is_small_float(from) ? bits.bitcast(kU8).convert(to) : bits.bitcast(to);
  if (is_small_float(to)) return float_of_bits(bits.convert(kU8), to);
  return float_of_bits(bits.bitcast(bit_width(to) == 16 ? kU16 : bit_width(to) == 32 ? kU32 : kU64), to);
}

ElementType unsigned_of(int width) { return width == 8 ? kU8 : width == 16 ? kU16 : width == 32 ? kU32 : kU64; }

Value cast(OpBuilder& b, Value x, ElementType to) {
  const Type t = b.type(x);
  return t.element_type() == to ? x : b.make("stablehlo.bitcast_convert", {x}, {}, t.with_element(to));
}

/// Between widths, by shifts: what every target can compute element by element.
Value by_shifts(OpBuilder& b, Value x, Type to) {
  const Type from = b.type(x);
  const int from_bits = bit_width(from.element_type()), to_bits = bit_width(to.element_type());
  const bool splits = to_bits < from_bits;
  const Type parts = (splits ? to : from).with_element(unsigned_of(std::max(from_bits, to_bits)));
  const int64_t last = parts.rank() - 1;
  const Val place{&b, b.iota(parts, last)};
  const Value amount = (place * place.lift(std::min(from_bits, to_bits))).value;
  const Value bits = cast(b, x, unsigned_of(from_bits));
  if (splits) {
    std::vector<int64_t> dims(static_cast<size_t>(last));
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(i);
    const Value repeated = b.broadcast_in_dim(bits, dims, parts.shape());
    const Value part = b.make("stablehlo.shift_right_logical", {repeated, amount});
    return cast(b, b.convert(part, unsigned_of(to_bits)), to.element_type());
  }
  const Value wide = b.convert(bits, unsigned_of(to_bits));
  const std::array<int64_t, 1> summed = {last};
  return cast(b, b.reduce(b.make("stablehlo.shift_left", {wide, amount}), summed, "stablehlo.add"), to.element_type());
}

std::vector<Value> simplify_bitcast_convert(SimplifyContext& context, const OpView& op) {
  const Type from = op.operand_type(0), to = op.result_type();
  if (from == to) return {op.operand(0)};
  if (std::vector<Value> folded = fold_constants(context, op); !folded.empty()) return folded;
  const int from_bits = bit_width(from.element_type()), to_bits = bit_width(to.element_type());
  const bool has_shifts = from_bits >= 8 && to_bits >= 8 && !is_complex(from.element_type());
  if (from_bits == to_bits || !has_shifts || !from.is_static() || !to.is_static()) return {};
  return {by_shifts(context.builder(), op.operand(0), to)};
}

std::vector<Alias> alias_bitcast(const OpView& op) {
  const bool whole_bytes =
      bit_width(op.operand_type(0).element_type()) % 8 == 0 && bit_width(op.result_type().element_type()) % 8 == 0;
  return whole_bytes ? alias_elementwise(op) : alias_none(op);
}

std::vector<Sample> samples_bitcast_convert() {
  std::vector<Sample> out;
  const auto add = [&](Type from, Type to) {
    Domain domain{is_signed_integer(from.element_type()) || is_float(from.element_type()) ? -20.0 : 0.0,
                  from.element_type() == kI1 ? 1.0 : 20.0};
    out.push_back({from.str() + " to " + to.str(),
                   {{from, domain}},
                   [to](OpBuilder& b, std::span<const Value> x) {
                     return std::vector<Value>{b.make("stablehlo.bitcast_convert", {x[0]}, {}, to)};
                   },
                   false});
  };
  constexpr std::pair<ElementType, ElementType> kEqual[] = {{kI8, kU8},    {kU16, kI16},  {kF16, kI16},  {kU16, kF16},
                                                            {kBF16, kU16}, {kI16, kBF16}, {kF16, kBF16}, {kF32, kI32},
                                                            {kU32, kF32},  {kF64, kU64},  {kI64, kF64},  {kF32, kF32}};
  for (const auto& [from, to] : kEqual) {
    add(Type::tensor(from, {3, 2}), Type::tensor(to, {3, 2}));
    add(Type::tensor(from, {}), Type::tensor(to, {}));
  }
  add(Type::tensor(kF64, {3}), Type::tensor(kU32, {3, 2}));
  add(Type::tensor(kU32, {3, 2}), Type::tensor(kU64, {3}));
  add(Type::tensor(kI8, {2, 4}), Type::tensor(kF32, {2}));
  add(Type::tensor(kI1, {2, 16}), Type::tensor(kI16, {2}));
  add(Type::tensor(kU16, {}), Type::tensor(kI1, {16}));
  add(Type::tensor(kU16, {0}), Type::tensor(kI8, {0, 2}));
  return out;
}

// ---- reduce_precision -------------------------------------------------------------------------------------------------------

std::vector<Type> type_reduce_precision(const TypeContext& context) {
  const Type t = type_same(context, 1, kFloatClass)[0];
  if (!context.declared.empty() && !is_compatible(context.declared[0], t)) {
    context.fail("reduce_precision_c1",
                 "type of the result: got " + context.declared[0].str() + ", expected " + t.str());
  }
  const int64_t exponent = context.attrs.integer("exponent_bits"), mantissa = context.attrs.integer("mantissa_bits");
  if (exponent < 1)
    context.fail("reduce_precision_c2", "exponent_bits: got " + std::to_string(exponent) + ", expected at least 1");
  if (mantissa < 0)
    context.fail("reduce_precision_c3", "mantissa_bits: got " + std::to_string(mantissa) + ", expected at least 0");
  if (std::max(exponent, mantissa) > INT32_MAX)
    context.fail("", "number of bits: got " + std::to_string(std::max(exponent, mantissa)) + ", expected an i32");
  return {t};
}

std::vector<EvalValue> eval_reduce_precision(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const ElementType t = op.result_type().element_type();
  const int64_t exponent = op.attrs().integer("exponent_bits"), mantissa = op.attrs().integer("mantissa_bits");
  return map_elements(op, operands, [=](const Num* x) { return reduce_precision(x[0], t, exponent, mantissa); });
}

SExpr scalar_reduce_precision(const OpView& op, std::span<const SExpr> x) {
  return reduce_precision(x[0], op.result_type().element_type(), op.attrs().integer("exponent_bits"),
                          op.attrs().integer("mantissa_bits"));
}

/// Rounding passes derivatives on as they are, rounded in the same way (as in JAX: straight through).
Linearized linearize_reduce_precision(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                      std::span<const Value> tangents) {
  return linearize_linear(context, op, primals, tangents);
}
std::vector<Value> transpose_reduce_precision(TransposeContext& context, const OpView& op,
                                              std::span<const Value> cotangents) {
  return emit_like(context.builder(), op, cotangents);
}

std::vector<Sample> samples_reduce_precision() {
  std::vector<Sample> out;
  for (ElementType t : {kF16, kBF16, kF32, kF64}) {
    for (const auto& [exponent, mantissa] : {std::pair{5, 10}, {8, 7}, {4, 3}, {5, 0}, {11, 52}, {1, 2}}) {
      Sample s;
      s.label = std::string(name(t)) + " e" + std::to_string(exponent) + "m" + std::to_string(mantissa);
      s.operands = {{Type::tensor(t, {40}), {.low = -3, .high = 3, .special = true}}};
      s.emit = [exponent = exponent, mantissa = mantissa](OpBuilder& b, std::span<const Value> x) {
        return b.create("stablehlo.reduce_precision", x,
                        Attrs{{"exponent_bits", exponent}, {"mantissa_bits", mantissa}});
      };
      s.differentiable = false;  // steps
      out.push_back(std::move(s));
    }
  }
  out.push_back({"f64 as it is", {{Type::tensor(kF64, {3}), {}}}, [](OpBuilder& b, std::span<const Value> x) {
                   return b.create("stablehlo.reduce_precision", x,
                                   Attrs{{"exponent_bits", int64_t{11}}, {"mantissa_bits", int64_t{52}}});
                 }});
  return out;
}

// ---- the table ------------------------------------------------------------------------------------------------------------

const OpRecord kRecords[] = {
    {{.mnemonic = "stablehlo.bitcast_convert"},
     {.doc = "The same bits read as another element type. A wider type takes up the last dimension, a narrower one "
             "adds it, "
             "lowest bits first.",
      .syntax = Syntax::kElementwise,
      .schema = {},
      .type = type_bitcast_convert,
      .eval = eval_bitcast_convert,
      .scalar = scalar_bitcast_convert,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_bitcast_convert,
      .aliases = alias_bitcast,
      .effects = Effects::kPure,
      .cost = cost_move,
      .to_stablehlo = portable_as_is,
      .samples = samples_bitcast_convert}},
    {{.mnemonic = "stablehlo.reduce_precision"},
     {.doc = "Rounds to a float format of exponent_bits and mantissa_bits, without its subnormal numbers. Derivatives "
             "pass "
             "straight through, rounded alike.",
      .syntax = Syntax::kCustom,
      .schema = {{"exponent_bits", AttrKind::kInt}, {"mantissa_bits", AttrKind::kInt}},
      .type = type_reduce_precision,
      .eval = eval_reduce_precision,
      .scalar = scalar_reduce_precision,
      .linearize = linearize_reduce_precision,
      .transpose = transpose_reduce_precision,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_elementwise,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_as_is,
      .samples = samples_reduce_precision}},
};

}  // namespace

Family bit_ops() { return kRecords; }

}  // namespace weft
