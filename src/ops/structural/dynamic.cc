// Dynamic shapes: dynamic_broadcast_in_dim, dynamic_iota, dynamic_reshape, dynamic_pad, dynamic_gather, dynamic_conv,
// real_dynamic_slice, get_dimension_size, set_dimension_size. Values come from the static form (ops/structural/dynamic.h).
#include "ops/structural/dynamic.h"

#include <algorithm>
#include <array>

#include "ops/contraction/convolution.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/indexing/index_elements.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

// ---- what is common to them ---------------------------------------------------------------------------------------------------

std::vector<EvalValue> eval_dynamic(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return eval_with_extents(context, op, operands);
}

/// The static form in place of the op when shapes are constants and it has the very type of the op.
std::vector<Value> simplify_dynamic(SimplifyContext& context, const OpView& op) {
  std::vector<std::optional<Tensor>> shapes(op.num_operands());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!op.operand_type(i).is_tensor() || !op.operand_type(i).is_static()) return {};
    if (!is_shape_operand(op.def(), i)) continue;
    const Literal* literal = context.constant(op.operand(i));
    if (literal == nullptr) return {};
    shapes[i] = literal->materialize();
  }
  if (!op.result_type().is_static()) return {};
  return static_form(context.builder(), op, op.operands(), shapes);
}

constexpr Refuse kStaticFirst{"shapes must be made static first, from the arguments' types: weft transform --refine"};

/// The lanes of the static form, when shapes are constants.
std::vector<LaneValue> vectorize_dynamic(VectorizeContext& context, const OpView& op,
                                         std::span<const LaneValue> operands) {
  Function scratch("static form");
  std::vector<Value> values;
  std::vector<std::optional<Tensor>> shapes(op.num_operands());
  for (size_t i = 0; i < shapes.size(); ++i) {
    values.push_back(scratch.add_arg(scratch.body(), op.operand_type(i)));
    const OpId source = op.function.defining_op(op.operand(i));
    const Attr* value = source ? op.function.attrs(source).find("value") : nullptr;
    const Literal* literal = value == nullptr ? nullptr : value->get_if<Literal>();
    const bool known = op.operand_type(i).is_static() && (literal != nullptr || !is_shape_operand(op.def(), i));
    if (!known) {
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] lanes: " + std::string(kStaticFirst.reason),
                        op.loc());
    }
    if (is_shape_operand(op.def(), i)) shapes[i] = literal->materialize();
  }
  OpBuilder b(scratch, scratch.body());
  b.loc = op.loc();
  const OpView made{scratch, scratch.defining_op(static_form(b, op, values, shapes)[0])};
  if (made.num_operands() == 0) {
    const Value same = context.builder().create(made.def(), {}, made.attrs(), std::array{made.result_type()})[0];
    return {{context.broadcast({same, false}), true}};
  }
  std::vector<LaneValue> rest;
  bool any = false;
  for (Value v : made.operands()) {
    rest.push_back(operands[scratch.position(v)]);
    any = any || rest.back().varies;
  }
  if (!any) rest[0] = {context.broadcast(rest[0]), true};  // constants that were spread over the lanes
  return record(made).vectorize.require(made, "lanes")(context, made, rest);
}

constexpr OpRecord dynamic_record(std::string_view mnemonic, std::string_view doc, Syntax syntax, Schema schema,
                                  TypeFn* type, SamplesFn* samples, Facet<LinearizeFn> linearize = kStaticFirst) {
  return {{.mnemonic = mnemonic},
          {.doc = doc,
           .syntax = syntax,
           .schema = schema,
           .type = type,
           .eval = eval_dynamic,
           .scalar = kNotElementwise,
           .linearize = linearize,
           .transpose = kStaticFirst,
           .vectorize = vectorize_dynamic,
           .uniformity = uniformity_any,
           .simplify = simplify_dynamic,
           .aliases = alias_none,
           .effects = Effects::kPure,
           .cost = cost_move,
           .to_stablehlo = portable_as_is,
           .samples = samples}};
}

// ---- types --------------------------------------------------------------------------------------------------------------------

std::string label(const TypeContext& c, std::string_view number) {
  const std::string_view mnemonic = c.def.mnemonic;
  return std::string(mnemonic.substr(mnemonic.find('.') + 1)) + "_" + std::string(number);
}

/// Operand `i` is a one-dimensional tensor of integers or of index; its extent, which may be kDynamic. The slice sizes of a gather
/// may not be of index.
int64_t expect_shape_vector(const TypeContext& c, size_t i, bool must_be_static = true) {
  expect_tensor(c, i);
  const Type t = c.operands[i];
  const bool may_be_index = c.def.mnemonic != "stablehlo.dynamic_gather";
  const bool fits = t.rank() == 1 && (is_integer(t.element_type()) || (may_be_index && is_index(t.element_type()))) &&
                    (t.is_static() || !must_be_static);
  if (!fits) {
    c.fail(label(c, "i" + std::to_string(i + 1)),
           "operand " + std::to_string(i) + ": got " + t.str() + ", expected a one-dimensional tensor of integer" +
               (may_be_index ? " or index" : "") + " type" + (must_be_static ? " and known extent" : ""));
  }
  return t.dim(0);
}

void expect_vector_size(const TypeContext& c, std::string_view number, size_t i, int64_t expected,
                        std::string_view of) {
  const int64_t got = expect_shape_vector(c, i, false);
  if (got != kDynamic && got != expected) {
    c.fail(label(c, number), "extent of operand " + std::to_string(i) + ": got " + std::to_string(got) + ", expected " +
                                 std::to_string(expected) + ", " + std::string(of));
  }
}

Type declared_tensor(const TypeContext& c) {
  const Type t = c.declared_result();
  if (!t.is_tensor()) c.fail(label(c, "o1"), "type of the result: got " + t.str() + ", expected a tensor");
  return t;
}

void expect_element(const TypeContext& c, std::string_view number, Type result, Type x) {
  if (result.element_type() != x.element_type()) {
    c.fail(label(c, number), "element type of the result: got " + result.str() + ", expected that of " + x.str());
  }
}

std::vector<Type> type_dynamic_broadcast(const TypeContext& c) {
  c.expect_operands(2);
  expect_tensor(c, 0);
  const Type x = c.operands[0], result = declared_tensor(c);
  const int64_t size = expect_shape_vector(c, 1);
  expect_element(c, "c1", result, x);
  const Ints& dims = c.attrs.ints("broadcast_dimensions");
  expect_count(c, label(c, "c2"), "broadcast_dimensions", dims.size(), static_cast<size_t>(x.rank()));
  expect_in_range(c, label(c, "c3"), "broadcast_dimensions", dims, result.rank());
  expect_unique(c, label(c, "c4"), "broadcast_dimensions", dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t from = x.shape()[i], to = result.dim(dims[i]);
    if (from != 1 && !compatible_extent(from, to)) {
      c.fail(label(c, "c5"), "extent of result dimension " + std::to_string(dims[i]) + ": got " + std::to_string(to) +
                                 ", expected " + std::to_string(from) + ", that of operand dimension " +
                                 std::to_string(i));
    }
  }
  if (size != result.rank()) {
    c.fail(label(c, "c7"), "number of output_dimensions: got " + std::to_string(size) +
                               ", expected the result's rank " + std::to_string(result.rank()));
  }
  const Ints expanding = c.attrs.ints_or("known_expanding_dimensions", 0, 0),
             fixed = c.attrs.ints_or("known_nonexpanding_dimensions", 0, 0);
  expect_unique(c, label(c, "c8"), "known_expanding_dimensions with known_nonexpanding_dimensions",
                joined({expanding, fixed}));
  expect_in_range(c, label(c, "c9"), "known_expanding_dimensions", expanding, x.rank());
  expect_in_range(c, label(c, "c10"), "known_nonexpanding_dimensions", fixed, x.rank());
  return {result};
}

std::vector<Type> type_dynamic_iota(const TypeContext& c) {
  c.expect_operands(1);
  const Type result = declared_tensor(c);
  const int64_t size = expect_shape_vector(c, 0);
  if (is_boolean(result.element_type())) {
    c.fail(label(c, "o1"), "type of the result: got " + result.str() +
                               ", expected a tensor of integer, floating-point or complex type");
  }
  const int64_t dimension = c.attrs.integer("iota_dimension");
  expect_in_range(c, label(c, "c1"), "iota_dimension", std::array{dimension}, result.rank());
  if (!compatible_extent(size, result.rank())) {
    c.fail(label(c, "c2"), "number of extents in output_shape: got " + std::to_string(size) +
                               ", expected the result's rank " + std::to_string(result.rank()));
  }
  return {result};
}

std::vector<Type> type_dynamic_reshape(const TypeContext& c) {
  c.expect_operands(2);
  expect_tensor(c, 0);
  const Type x = c.operands[0], result = declared_tensor(c);
  const int64_t size = expect_shape_vector(c, 1);
  expect_element(c, "c1", result, x);
  if (x.is_static() && result.is_static()) {
    __int128 from = 1, to = 1;  // types are bounded, so 128 bits hold the products
    for (int64_t d : x.shape()) from *= d;
    for (int64_t d : result.shape()) to *= d;
    if (from != to) {
      c.fail(label(c, "c2"),
             "number of elements of the result: got " + result.str() + ", expected as many as in " + x.str());
    }
  }
  if (!compatible_extent(size, result.rank())) {
    c.fail(label(c, "c4"), "number of extents in output_shape: got " + std::to_string(size) +
                               ", expected the result's rank " + std::to_string(result.rank()));
  }
  return {result};
}

std::vector<Type> type_dynamic_pad(const TypeContext& c) {
  c.expect_operands(5);
  expect_tensor(c, 0);
  expect_tensor(c, 1);
  const Type x = c.operands[0], value = c.operands[1], result = declared_tensor(c);
  if (value.rank() != 0) c.fail(label(c, "i2"), "padding_value: got " + value.str() + ", expected rank 0");
  expect_element(c, "c1", value, x);
  expect_element(c, "c1", result, x);
  for (size_t i = 2; i < 5; ++i) {
    expect_shape_vector(c, i);
    expect_vector_size(c, "c2", i, x.rank(), "the operand's rank");
  }
  if (result.rank() != x.rank()) {
    c.fail(label(c, "c4"),
           "rank of the result: got " + std::to_string(result.rank()) + ", expected " + std::to_string(x.rank()));
  }
  return {result};
}

/// Runs the static op's type rule on stand-in attributes; its labels become those of the dynamic op.
std::vector<Type> type_of_static(const TypeContext& c, const Attrs& attrs, std::vector<Type> operands, TypeFn* rule,
                                 std::string_view name) {
  const TypeContext stand_in{c.def, std::move(operands), attrs, c.function, c.regions, {}, c.module, c.loc};
  try {
    return rule(stand_in);
  } catch (const UserError& error) {
    std::string what = error.what();
    const std::string from = "(" + std::string(name) + "_";
    if (const size_t at = what.rfind(from); at != std::string::npos)
      what.replace(at + 1, name.size() + 1, label(c, ""));
    throw UserError(what, error.loc());
  }
}

std::vector<Type> type_dynamic_gather(const TypeContext& c) {
  c.expect_operands(3);
  expect_tensor(c, 0);
  expect_tensor(c, 1);
  const Type x = c.operands[0];
  expect_vector_size(c, "c20", 2, x.rank(), "the operand's rank");
  // Slices of no elements are within every operand; the window extents are then left open.
  Attrs attrs = c.attrs;
  attrs.set("slice_sizes", Ints(static_cast<size_t>(x.rank()), 0));
  const Type made = type_of_static(c, attrs, {x, c.operands[1]}, type_gather, "gather")[0];
  Ints shape(made.shape().begin(), made.shape().end());
  for (int64_t d : IndexedDims::of_gather(attrs).window) shape[static_cast<size_t>(d)] = kDynamic;
  const Type result = x.with_shape(shape);
  if (c.declared.size() == 1 && !is_compatible(c.declared[0], result)) {
    const bool elements = c.declared[0].is_tensor() && c.declared[0].element_type() != x.element_type();
    c.expect_equal(label(c, elements ? "c23" : "c22"), "result type", c.declared[0], result);
  }
  return {result};
}

std::vector<Type> type_dynamic_conv(const TypeContext& c) {
  c.expect_operands(3);
  for (size_t i = 0; i < 3; ++i) expect_tensor(c, i);
  const Type lhs = c.operands[0], padding = c.operands[2];
  const Type made = type_of_static(c, c.attrs, {lhs, c.operands[1]}, type_convolution, "convolution")[0];
  const bool fits = padding.rank() == 2 && (is_integer(padding.element_type()) || is_index(padding.element_type()));
  if (!fits || !compatible_extent(padding.dim(0), lhs.rank() - 2) || !compatible_extent(padding.dim(1), 2)) {
    c.fail(label(c, "c4"), "padding: got " + padding.str() + ", expected a " + std::to_string(lhs.rank() - 2) +
                               "x2 tensor of integer type");
  }
  Ints shape(made.shape().begin(), made.shape().end());
  for (int64_t d : c.attrs.ints("output_spatial_dimensions")) shape[static_cast<size_t>(d)] = kDynamic;
  const bool declared = c.declared.size() == 1 && c.declared[0].is_tensor();
  const Type result = Type::tensor(declared ? c.declared[0].element_type() : lhs.element_type(), shape);
  if (declared && !is_compatible(result, c.declared[0])) {
    c.expect_equal(label(c, c.declared[0].rank() == lhs.rank() ? "c25" : "c26"), "result type", c.declared[0], result);
  }
  return {result};
}

std::vector<Type> type_real_dynamic_slice(const TypeContext& c) {
  c.expect_operands(4);
  expect_tensor(c, 0);
  const Type x = c.operands[0], result = declared_tensor(c);
  expect_element(c, "c1", result, x);
  for (size_t i = 1; i < 4; ++i) expect_vector_size(c, "c2", i, x.rank(), "the operand's rank");
  for (size_t i = 2; i < 4; ++i) {
    if (!is_compatible(c.operands[1], c.operands[i]))
      c.expect_equal(label(c, "c3"), "type of operand " + std::to_string(i), c.operands[i], c.operands[1]);
  }
  if (result.rank() != x.rank()) {
    c.fail(label(c, "c1"),
           "rank of the result: got " + std::to_string(result.rank()) + ", expected " + std::to_string(x.rank()));
  }
  return {result};
}

int64_t expect_dimension(const TypeContext& c) {
  expect_tensor(c, 0);
  const int64_t dimension = c.attrs.integer("dimension");
  expect_in_range(c, label(c, "c1"), "dimension", std::array{dimension}, c.operands[0].rank());
  return dimension;
}

std::vector<Type> type_get_dimension_size(const TypeContext& c) {
  c.expect_operands(1);
  expect_dimension(c);
  return {Type::scalar(ElementType::kI32)};
}

std::vector<Type> type_set_dimension_size(const TypeContext& c) {
  c.expect_operands(2);
  const int64_t dimension = expect_dimension(c);
  expect_tensor(c, 1);
  if (c.operands[1] != Type::scalar(ElementType::kI32))
    c.expect_equal(label(c, "i2"), "size", c.operands[1], Type::scalar(ElementType::kI32));
  // The size is at most what the extent was.
  std::vector<Extent> extents = extents_of(c.operands[0]);
  Extent& set = extents[static_cast<size_t>(dimension)];
  set = {kDynamic, set.largest()};
  return {with_extents(c.operands[0], extents)};
}

// ---- samples --------------------------------------------------------------------------------------------------------------------

Value vector_constant(OpBuilder& b, ElementType element, const Ints& values) {
  return index_constant(b, element, std::array{static_cast<int64_t>(values.size())}, values, 0);
}

/// A sample whose shape operands are constants of type `index`: the op on operands of `types`, then shapes, of result type `result`.
Sample sample(std::string_view mnemonic, std::string what, std::vector<Type> types, std::vector<Ints> shapes,
              Attrs attrs, Type result, ElementType index = ElementType::kI64) {
  Sample s;
  s.label = std::move(what);
  for (Type t : types) s.operands.push_back({t, is_integer(t.element_type()) ? Domain{0, 3} : Domain{}});
  s.emit = [=](OpBuilder& b, std::span<const Value> v) {
    std::vector<Value> operands(v.begin(), v.end());
    for (const Ints& shape : shapes) operands.push_back(vector_constant(b, index, shape));
    return b.create(mnemonic, operands, attrs, std::array{result});
  };
  s.differentiable = false;
  return s;
}

using enum ElementType;

std::vector<Sample> samples_broadcast() {
  const auto add = [](std::string what, Type x, Ints dims, Ints shape, ElementType index) {
    return sample("stablehlo.dynamic_broadcast_in_dim", std::move(what), {x}, {shape}, {{"broadcast_dimensions", dims}},
                  x.with_shape(shape), index);
  };
  return {add("scalar", Type::scalar(kF32), {}, {2, 3}, kI64),
          add("stretched", Type::tensor(kF64, {2, 1}), {0, 1}, {2, 3}, kI32),
          add("crossed", Type::tensor(kI32, {1, 3}), {2, 0}, {3, 2, 4}, kI64),
          add("no elements", Type::tensor(kF32, {1}), {0}, {0}, kI32)};
}

std::vector<Sample> samples_iota() {
  const auto add = [](std::string what, Type t, int64_t dimension) {
    return sample("stablehlo.dynamic_iota", std::move(what), {}, {Ints(t.shape().begin(), t.shape().end())},
                  {{"iota_dimension", dimension}}, t);
  };
  return {add("rows", Type::tensor(kI32, {3, 2}), 0), add("columns", Type::tensor(kF32, {2, 5}), 1),
          add("no elements", Type::tensor(kI64, {0}), 0)};
}

std::vector<Sample> samples_reshape() {
  const auto add = [](std::string what, Type x, Ints shape) {
    return sample("stablehlo.dynamic_reshape", std::move(what), {x}, {shape}, {}, x.with_shape(shape));
  };
  return {add("flatten", Type::tensor(kF64, {2, 3}), {6}), add("to rank 0", Type::tensor(kF32, {1, 1}), {}),
          add("split", Type::tensor(kI8, {6}), {3, 2})};
}

std::vector<Sample> samples_pad() {
  const auto add = [](std::string what, Type x, Ints low, Ints high, Ints interior, Ints shape) {
    return sample("stablehlo.dynamic_pad", std::move(what), {x, Type::scalar(x.element_type())}, {low, high, interior},
                  {}, x.with_shape(shape));
  };
  return {add("edges", Type::tensor(kF64, {2, 3}), {1, 0}, {0, 2}, {0, 0}, {3, 5}),
          add("cut and spread", Type::tensor(kF32, {3}), {-1}, {2}, {1}, {6})};
}

std::vector<Sample> samples_dynamic_gather() {
  return {sample("stablehlo.dynamic_gather", "rows", {Type::tensor(kF64, {4, 3}), Type::tensor(kI32, {5, 1})}, {{1, 3}},
                 Attrs{{"offset_dims", Ints{1}},
                       {"collapsed_slice_dims", Ints{0}},
                       {"start_index_map", Ints{0}},
                       {"index_vector_dim", int64_t{1}}},
                 Type::tensor(kF64, {5, 3}))};
}

std::vector<Sample> samples_dynamic_conv() {
  ConvolutionAttrs conv;  // [b, 0, f] x [0, i, o] -> [b, 0, f]
  conv.input_batch = conv.output_batch = 0;
  conv.input_feature = conv.output_feature = 2;
  conv.input_spatial = conv.output_spatial = {1};
  conv.kernel_spatial = {0};
  conv.kernel_input_feature = 1;
  conv.kernel_output_feature = 2;
  Attrs attrs = conv.attrs();
  attrs.erase("padding");
  Sample s;
  s.label = "padded";
  s.operands = {{Type::tensor(kF64, {2, 5, 3}), {}}, {Type::tensor(kF64, {3, 3, 2}), {}}};
  s.emit = [attrs](OpBuilder& b, std::span<const Value> v) {
    const Value padding = b.constant(Literal::dense(Tensor::of(Ints{1, 2}, {1, 2})));
    const Value operands[] = {v[0], v[1], padding};
    return b.create("stablehlo.dynamic_conv", operands, attrs, std::array{Type::tensor(kF64, {2, 6, 2})});
  };
  s.differentiable = false;
  return {s};
}

std::vector<Sample> samples_slice() {
  return {sample("stablehlo.real_dynamic_slice", "strided", {Type::tensor(kF64, {5, 4})}, {{1, 0}, {5, 3}, {2, 1}}, {},
                 Type::tensor(kF64, {2, 3})),
          sample("stablehlo.real_dynamic_slice", "nothing", {Type::tensor(kI1, {3})}, {{1}, {1}, {1}}, {},
                 Type::tensor(kI1, {0}), kI32)};
}

std::vector<Sample> samples_get_size() {
  return {sample("stablehlo.get_dimension_size", "columns", {Type::tensor(kF64, {5, 4})}, {},
                 {{"dimension", int64_t{1}}}, Type::scalar(kI32))};
}

std::vector<Sample> samples_set_size() {
  Sample s;
  s.label = "all";
  s.operands = {{Type::tensor(kF64, {5, 4}), {}}};
  s.emit = [](OpBuilder& b, std::span<const Value> v) {
    return std::vector{b.make("stablehlo.set_dimension_size", {v[0], b.scalar(kI32, 4)}, {{"dimension", int64_t{1}}},
                              Type::tensor(kF64, {5, 4}))};
  };
  s.differentiable = false;
  return {s};
}

// ---- the table --------------------------------------------------------------------------------------------------------------------

const OpRecord kRecords[] = {
    dynamic_record("stablehlo.dynamic_broadcast_in_dim",
                   "broadcast_in_dim to the shape output_dimensions. The known_… dimensions are hints without effect.",
                   Syntax::kClauses,
                   {{"broadcast_dimensions", AttrKind::kInts},
                    {"known_expanding_dimensions", AttrKind::kInts, false},
                    {"known_nonexpanding_dimensions", AttrKind::kInts, false}},
                   type_dynamic_broadcast, samples_broadcast),
    dynamic_record("stablehlo.dynamic_iota", "iota of the shape output_shape.", Syntax::kClauses,
                   {{"iota_dimension", AttrKind::kInt}}, type_dynamic_iota, samples_iota, linearize_zero),
    dynamic_record("stablehlo.dynamic_reshape", "reshape to the shape output_shape.", Syntax::kElementwise, {},
                   type_dynamic_reshape, samples_reshape),
    dynamic_record("stablehlo.dynamic_pad", "pad by the paddings that operands give.", Syntax::kElementwise, {},
                   type_dynamic_pad, samples_pad),
    dynamic_record("stablehlo.dynamic_gather", "gather of slices whose extents the operand slice_sizes gives.",
                   Syntax::kGeneric,
                   {{"offset_dims", AttrKind::kInts, false},
                    {"collapsed_slice_dims", AttrKind::kInts, false},
                    {"operand_batching_dims", AttrKind::kInts, false},
                    {"start_indices_batching_dims", AttrKind::kInts, false},
                    {"start_index_map", AttrKind::kInts, false},
                    {"index_vector_dim", AttrKind::kInt, false},
                    {"indices_are_sorted", AttrKind::kBool, false}},
                   type_dynamic_gather, samples_dynamic_gather),
    dynamic_record("stablehlo.dynamic_conv", "convolution whose padding is an operand.", Syntax::kGeneric,
                   {{"window_strides", AttrKind::kInts, false},
                    {"lhs_dilation", AttrKind::kInts, false},
                    {"rhs_dilation", AttrKind::kInts, false},
                    {"window_reversal", AttrKind::kInts, false},
                    {"input_batch_dimension", AttrKind::kInt},
                    {"input_feature_dimension", AttrKind::kInt},
                    {"input_spatial_dimensions", AttrKind::kInts},
                    {"kernel_input_feature_dimension", AttrKind::kInt},
                    {"kernel_output_feature_dimension", AttrKind::kInt},
                    {"kernel_spatial_dimensions", AttrKind::kInts},
                    {"output_batch_dimension", AttrKind::kInt},
                    {"output_feature_dimension", AttrKind::kInt},
                    {"output_spatial_dimensions", AttrKind::kInts},
                    {"feature_group_count", AttrKind::kInt},
                    {"batch_group_count", AttrKind::kInt},
                    {"precision_config", AttrKind::kAny, false}},
                   type_dynamic_conv, samples_dynamic_conv),
    dynamic_record("stablehlo.real_dynamic_slice", "slice whose starts, limits and strides are operands.",
                   Syntax::kElementwise, {}, type_real_dynamic_slice, samples_slice),
    dynamic_record("stablehlo.get_dimension_size", "The extent of one dimension of the operand, as i32.",
                   Syntax::kClauses, {{"dimension", AttrKind::kInt}}, type_get_dimension_size, samples_get_size,
                   linearize_zero),
    dynamic_record("stablehlo.set_dimension_size", "The operand's first `size` elements along one dimension.",
                   Syntax::kClauses, {{"dimension", AttrKind::kInt}}, type_set_dimension_size, samples_set_size),
};

}  // namespace

Family dynamic_ops() { return kRecords; }

}  // namespace weft
