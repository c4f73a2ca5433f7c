// The static forms of ops whose shapes are operands: what dynamic.h declares.
#include <algorithm>

#include "ops/families.h"
#include "ops/indexing/index_elements.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/dynamic.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

struct DynamicOp {
  std::string_view mnemonic;
  /// Bit i: operand i is a shape.
  unsigned shape_operands;
  /// Attributes of the static form, from the values of the shape operands; `declared` becomes its result type, none when it follows.
  std::string_view static_mnemonic;
};

constexpr DynamicOp kDynamicOps[] = {
    {"stablehlo.dynamic_broadcast_in_dim", 0b10, "stablehlo.broadcast_in_dim"},
    {"stablehlo.dynamic_iota", 0b1, "stablehlo.iota"},
    {"stablehlo.dynamic_reshape", 0b10, "stablehlo.reshape"},
    {"stablehlo.dynamic_pad", 0b11100, "stablehlo.pad"},
    {"stablehlo.dynamic_gather", 0b100, "stablehlo.gather"},
    {"stablehlo.dynamic_conv", 0b100, "stablehlo.convolution"},
    {"stablehlo.real_dynamic_slice", 0b1110, "stablehlo.slice"},
    {"stablehlo.get_dimension_size", 0, "stablehlo.constant"},
    {"stablehlo.set_dimension_size", 0b10, "stablehlo.slice"},
};

const DynamicOp* find_dynamic(const OpDef& def) {
  for (const DynamicOp& d : kDynamicOps) {
    if (d.mnemonic == def.mnemonic) return &d;
  }
  return nullptr;
}

[[noreturn]] void fail(const OpView& op, const std::string& what) {
  throw UserError("[" + std::string(op.def().mnemonic) + "] " + what, op.loc());
}

/// The op's result type with extents that came at run time, within what memory can hold.
Type type_of_extents(const OpView& op, const Ints& shape) {
  constexpr int64_t kMaxBytes = int64_t{1} << 56;
  int64_t bytes = static_cast<int64_t>(byte_size(op.result_type().element_type()));
  for (int64_t d : shape) {
    if (d < 0) fail(op, "extents of the result: got " + format_list(shape) + ", expected no negative value");
    if (d != 0 && d > kMaxBytes / bytes)
      fail(op, "extents of the result: got " + format_list(shape) + ", more than fits into any memory");
    bytes *= std::max<int64_t>(d, 1);
  }
  return op.result_type().with_shape(shape);
}

/// The op with the words of the static form's complaint; constraints of the two go by the same numbers.
template <class F>
auto explained(const OpView& op, F f) {
  try {
    return f();
  } catch (const UserError& error) {
    const std::string own = "[" + std::string(op.def().mnemonic) + "] ";
    std::string what = error.what();
    if (what.starts_with(own)) throw;
    const auto bare = [](std::string_view mnemonic) { return std::string(mnemonic.substr(mnemonic.find('.') + 1)); };
    const std::string_view form = find_dynamic(op.def())->static_mnemonic;
    if (const std::string name = "[" + std::string(form) + "] "; what.starts_with(name)) what.erase(0, name.size());
    if (const size_t at = what.rfind("(" + bare(form) + "_"); at != std::string::npos)
      what.replace(at + 1, bare(form).size(), bare(op.def().mnemonic));
    throw UserError(own + "with the values of its shape operands: " + what, op.loc());
  }
}

}  // namespace

bool is_dynamic_op(const OpDef& def) { return find_dynamic(def) != nullptr; }

bool is_shape_operand(const OpDef& def, size_t i) {
  const DynamicOp* d = find_dynamic(def);
  return d != nullptr && i < 32 && (d->shape_operands >> i & 1) != 0;
}

std::vector<Value> static_form(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                               std::span<const std::optional<Tensor>> shapes) {
  const DynamicOp& d = *find_dynamic(op.def());
  std::vector<Value> values;
  std::vector<Ints> ints;  // of the shape operands, in order
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_shape_operand(op.def(), i)) {
      values.push_back(operands[i]);
    } else {
      ints.push_back(index_elements(*shapes[i]));
    }
  }
  Attrs attrs = op.attrs();
  Type declared;
  const std::string_view m = d.mnemonic;
  if (m == "stablehlo.dynamic_broadcast_in_dim" || m == "stablehlo.dynamic_iota" || m == "stablehlo.dynamic_reshape") {
    declared = type_of_extents(op, ints[0]);
    attrs.erase("known_expanding_dimensions");
    attrs.erase("known_nonexpanding_dimensions");
  } else if (m == "stablehlo.dynamic_pad") {
    attrs.set("edge_padding_low", ints[0]);
    attrs.set("edge_padding_high", ints[1]);
    attrs.set("interior_padding", ints[2]);
  } else if (m == "stablehlo.dynamic_gather") {
    attrs.set("slice_sizes", ints[0]);
  } else if (m == "stablehlo.dynamic_conv") {
    attrs.set("padding", ints[0]);
  } else if (m == "stablehlo.real_dynamic_slice") {
    attrs.set("start_indices", ints[0]);
    attrs.set("limit_indices", ints[1]);
    attrs.set("strides", ints[2]);
  } else {
    const Type x = b.type(operands[0]);
    const size_t dimension = static_cast<size_t>(attrs.integer("dimension"));
    attrs.erase("dimension");
    if (m == "stablehlo.get_dimension_size") {
      const int64_t extent = x.shape()[dimension];
      if (extent > INT32_MAX) fail(op, "extent: got " + std::to_string(extent) + ", expected one that fits in i32");
      values.clear();
      attrs.set("value", Literal::dense(Tensor::scalar_of<int32_t>(static_cast<int32_t>(extent))));
    } else {
      Ints limit(x.shape().begin(), x.shape().end());
      if (ints[0][0] < 0 || (limit[dimension] != kDynamic && ints[0][0] > limit[dimension])) {
        fail(op, "size: got " + std::to_string(ints[0][0]) + ", expected 0 to the extent " +
                     std::to_string(limit[dimension]));
      }
      limit[dimension] = ints[0][0];
      attrs.set("start_indices", Ints(limit.size(), 0));
      attrs.set("strides", Ints(limit.size(), 1));
      attrs.set("limit_indices", std::move(limit));
    }
  }
  return explained(op, [&] {
    std::vector<Value> made;
    if (m == "stablehlo.dynamic_conv") {
      // Only the elements are the front end's choice.
      const RegionId aside = b.function().new_region();
      std::vector<Value> plain;
      for (Value v : values) plain.push_back(b.function().add_arg(aside, expressed_type(b.type(v))));
      OpBuilder probe(b.function(), aside, b.module());
      const Type follows = probe.type(probe.create(d.static_mnemonic, plain, attrs)[0]);
      declared = follows.with_elements_of(op.result_type());
    }
    const std::vector<Type> types = declared ? std::vector<Type>{declared} : std::vector<Type>{};
    made = b.create(d.static_mnemonic, values, attrs, types);
    if (!is_compatible(b.type(made[0]), op.result_type())) {
      const std::string_view label = m == "stablehlo.dynamic_pad"      ? " (dynamic_pad_c4)"
                                     : m == "stablehlo.dynamic_gather" ? " (dynamic_gather_c22)"
                                     : m == "stablehlo.dynamic_conv"   ? " (dynamic_conv_c25)"
                                                                       : "";
      fail(op, "type of the result: got " + b.type(made[0]).str() + ", expected " + op.result_type().str() +
                   std::string(label));
    }
    return made;
  });
}

void check_constant_shapes(const OpView& op, std::span<const std::optional<Tensor>> shapes) {
  if (op.def().mnemonic == "stablehlo.dynamic_pad" && shapes[4]) {
    const Ints interior = index_elements(*shapes[4]);
    if (std::ranges::any_of(interior, [](int64_t x) { return x < 0; }))
      fail(op, "interior_padding: got " + format_list(interior) + ", expected no negative value (dynamic_pad_c3)");
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (is_shape_operand(op.def(), i) && !shapes[i]) return;
  }
  if (op.attrs().has("dimension") && !op.operand_type(0).is_static())
    return;  // of dimension sizes nothing is known then
  Function scratch("static form");
  std::vector<Value> values;
  for (size_t i = 0; i < op.num_operands(); ++i) values.push_back(scratch.add_arg(scratch.body(), op.operand_type(i)));
  OpBuilder b(scratch, scratch.body());
  b.loc = op.loc();
  static_form(b, op, values, shapes);
}

namespace {

/// The result type of a broadcast_in_dim, which only the front end says, with the extents that the operand has by now.
Type broadcast_result(const TypeContext& c) {
  const Type x = c.operands[0], declared = c.declared[0];
  const Ints& dims = c.attrs.ints("broadcast_dimensions");
  std::vector<Extent> extents = extents_of(declared);
  for (size_t i = 0; i < dims.size(); ++i) {
    const Extent from = extent_of(x, static_cast<int64_t>(i));
    Extent& to = extents.at(static_cast<size_t>(dims[i]));
    if (from.size != 1 && is_compatible(from, to)) to = most_specific(from, to);
  }
  return with_extents(declared, extents);
}

/// One unknown extent of a reshape follows from the number of elements.
Type reshape_result(Type x, Type result) {
  Ints shape(result.shape().begin(), result.shape().end());
  int64_t known = 1;
  for (int64_t d : shape) known *= d == kDynamic ? 1 : d;
  if (std::ranges::count(shape, kDynamic) != 1 || !x.is_static() || known == 0 || x.num_elements() % known != 0)
    return result;
  *std::ranges::find(shape, kDynamic) = x.num_elements() / known;
  return result.with_shape(shape);
}

}  // namespace

std::vector<Type> refined_results(const TypeContext& given) {
  TypeContext c = given;
  if (std::ranges::any_of(c.operands, &Type::is_foreign) || std::ranges::any_of(c.declared, &Type::is_foreign))
    return c.declared;
  if (c.def.mnemonic == "stablehlo.broadcast_in_dim" && c.declared.size() == 1) c.declared[0] = broadcast_result(c);
  std::vector<Type> types = record(c.def).type.refused() ? c.declared
                            : touches_quantized(c)       ? quantized_types(c)
                                                         : (*record(c.def).type.rule())(c);
  for (size_t i = 0; i < types.size() && i < c.declared.size(); ++i) {
    if (!is_compatible(types[i], c.declared[i])) {
      c.fail("",
             "type of result " + std::to_string(i) + ": got " + c.declared[i].str() + ", expected " + types[i].str());
    }
    types[i] = merge_types(types[i], c.declared[i]);
  }
  if (c.def.mnemonic == "stablehlo.reshape") types[0] = reshape_result(c.operands[0], types[0]);
  return types;
}

bool has_open_shape(const OpView& op) {
  if (!op.regions().empty() || record(op).effects != Effects::kPure) return false;
  const auto is_open = [](Type t) { return t.is_tensor() && !t.is_static(); };
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (is_open(op.result_type(i)) && op.num_operands() > 0) return true;
  }
  // The values at hand may not fit one another, or not the result that is declared.
  bool any = false;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_tensor()) return false;
    any = any || is_open(op.operand_type(i));
  }
  return any;
}

std::vector<EvalValue> eval_with_extents(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  Function scratch("static form");
  std::vector<Value> values;
  std::vector<std::optional<Tensor>> shapes(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor& t = operands[i].tensor;
    values.push_back(scratch.add_arg(scratch.body(), Type::tensor(t.element_type(), t.shape())));
    if (is_shape_operand(op.def(), i)) shapes[i] = t;
  }
  OpBuilder b(scratch, scratch.body());
  b.loc = op.loc();
  OpId id;
  if (is_dynamic_op(op.def())) {
    id = scratch.defining_op(static_form(b, op, values, shapes)[0]);
  } else {
    std::vector<Type> operand_types, declared;
    for (Value v : values) operand_types.push_back(scratch.type(v));
    for (size_t i = 0; i < op.num_results(); ++i) declared.push_back(op.result_type(i));
    const std::vector<Type> types =
        refined_results({op.def(), operand_types, op.attrs(), scratch, {}, declared, nullptr, op.loc()});
    for (Type t : types) {
      if (t.is_static()) continue;
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] the extents of " + t.str() +
                            " do not follow from those of the operands",
                        op.loc());
    }
    id = scratch.append(scratch.body(), op.def(), values, op.function.shared_attrs(op.id), types, {}, op.loc());
  }
  const OpView made{scratch, id};
  std::vector<EvalValue> rest;
  for (Value v : made.operands()) rest.push_back(operands[scratch.position(v)]);
  return record(made).eval.require(made, "evaluation")(context, made, rest);
}

}  // namespace weft
