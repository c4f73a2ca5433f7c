#include "native/lower/static_shapes.h"

#include <algorithm>

#include "ir/clone.h"
#include "native/lower/rewrite.h"
#include "ops/builder.h"
#include "ops/record.h"

namespace weft::native {
namespace {

using Lowered = std::optional<std::vector<Value>>;

bool is_static_tensor(Type t) { return t.is_tensor() && t.is_static() && !t.is_quantized(); }

/// The position of the shape operand of an op that is one of those; nothing for others.
std::optional<size_t> shape_operand(const OpView& op) {
  const std::string_view m = op.def().mnemonic;
  std::optional<size_t> at;
  if (m == "stablehlo.dynamic_iota") at = 0;
  if (m == "stablehlo.dynamic_broadcast_in_dim" || m == "stablehlo.dynamic_reshape") at = 1;
  if (m == "stablehlo.dynamic_gather" || m == "stablehlo.dynamic_pad") at = 2;
  if (!at || !is_static_tensor(op.result_type())) return std::nullopt;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!is_static_tensor(op.operand_type(i))) return std::nullopt;
  }
  return at;
}

/// The extents of a gather's slices, as its result has them.
std::vector<int64_t> slice_sizes(const OpView& op) {
  const auto ints = [&](const char* name) {
    return op.attrs().find(name) != nullptr ? op.attrs().ints(name) : std::vector<int64_t>{};
  };
  const std::vector<int64_t> window = ints("offset_dims"), collapsed = ints("collapsed_slice_dims"),
                             batching = ints("operand_batching_dims");
  std::vector<int64_t> sizes;
  size_t next = 0;
  for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
    const bool is_one =
        std::ranges::find(collapsed, d) != collapsed.end() || std::ranges::find(batching, d) != batching.end();
    sizes.push_back(is_one ? 1 : op.result_type().dim(window.at(next++)));
  }
  return sizes;
}

void expect(OpBuilder& b, const OpView& op, Value given, const std::vector<int64_t>& extents) {
  if (extents.empty()) return;
  const Type t = b.type(given);
  const Value wanted =
      b.convert(b.constant(Literal::dense(Tensor::of<int64_t>(extents, {static_cast<int64_t>(extents.size())}))),
                t.element_type());
  const int64_t axis[] = {0};
  const Value holds = b.reduce(b.compare(given, wanted, "EQ"), axis, "stablehlo.and");
  b.create(
      "weft.check", std::span(&holds, 1),
      Attrs{{"message", "[" + std::string(op.def().mnemonic) + "] shape: expected that of " + op.result_type().str()}});
}

/// Each element of the result from the operand's element that lies there, if one does.
Lowered lower_pad(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const Type x = op.operand_type(0), result = op.result_type();
  if (x.num_elements() == 0 || result.num_elements() == 0 || x.rank() == 0) return std::nullopt;
  const std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
  std::vector<int64_t> column = shape, dims;
  column.push_back(1);
  const ElementType e = ElementType::kI64;
  const Type numbers = Type::tensor(e, shape);
  const Value low = b.convert(operands[2], e), high = b.convert(operands[3], e), between = b.convert(operands[4], e);
  const auto at = [&](Value list, int64_t d) {
    const int64_t begin[] = {d}, end[] = {d + 1}, step[] = {1};
    return b.reshape(b.slice(list, begin, end, step), {});
  };
  Value is_there;
  std::vector<Value> indices, extents;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const Value one = b.scalar(e, 1), size = b.scalar(e, static_cast<double>(x.dim(d)));
    // Fewer than none is an extent that no type has.
    const Value gap = at(between, d), is_gap = b.compare(gap, b.scalar(e, 0), "GE");
    const Value step = b.add(b.maximum(gap, b.scalar(e, 0)), one);
    const Value gaps = b.select(is_gap, b.multiply(gap, b.subtract(size, one)), b.scalar(e, -0x1p60));
    extents.push_back(b.reshape(b.add(b.add(at(low, d), at(high, d)), b.add(size, gaps)), std::vector<int64_t>{1}));
    const Value place = b.subtract(b.iota(numbers, d), b.broadcast_scalar(at(low, d), shape));
    const Value steps = b.broadcast_scalar(step, shape);
    const Value index = b.divide(place, steps);
    Value fits = b.compare(b.multiply(index, steps), place, "EQ");
    fits = b.logical_and(fits, b.compare(place, b.zeros(numbers), "GE"));
    fits = b.logical_and(fits, b.compare(index, b.broadcast_scalar(size, shape), "LT"));
    is_there = d == 0 ? fits : b.logical_and(is_there, fits);
    indices.push_back(b.reshape(index, column));
    dims.push_back(d);
  }
  expect(b, op, b.concatenate(extents, 0), shape);
  const Value places[] = {operands[0], b.concatenate(indices, result.rank())};
  const Value found = b.create("stablehlo.gather", places,
                               Attrs{{"offset_dims", std::vector<int64_t>{}},
                                     {"collapsed_slice_dims", dims},
                                     {"start_index_map", dims},
                                     {"index_vector_dim", result.rank()},
                                     {"slice_sizes", std::vector<int64_t>(dims.size(), 1)}})[0];
  return std::vector<Value>{b.select(is_there, found, b.broadcast_scalar(operands[1], shape))};
}

Lowered lower_shape(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const std::optional<size_t> at = shape_operand(op);
  if (!at) return std::nullopt;
  if (op.def().mnemonic == "stablehlo.dynamic_pad") return lower_pad(b, op, operands);
  const std::string_view m = op.def().mnemonic;
  const Type result = op.result_type();
  const std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
  if (m == "stablehlo.dynamic_gather") {
    const std::vector<int64_t> sizes = slice_sizes(op);
    expect(b, op, operands[2], sizes);
    Attrs attrs = op.attrs();
    attrs.set("slice_sizes", sizes);
    return b.create("stablehlo.gather", operands.first(2), attrs);
  }
  expect(b, op, operands[*at], shape);
  if (m == "stablehlo.dynamic_iota") return std::vector<Value>{b.iota(result, op.attrs().integer("iota_dimension"))};
  if (m == "stablehlo.dynamic_reshape") return std::vector<Value>{b.reshape(operands[0], shape)};
  return std::vector<Value>{b.broadcast_in_dim(operands[0], op.attrs().ints("broadcast_dimensions"), shape)};
}

bool has_any(const Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (shape_operand({f, OpId{i}})) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Module> with_static_shapes(const Module& module) {
  if (std::ranges::none_of(module.functions(), [](const auto& f) { return has_any(*f); })) return nullptr;
  auto out = std::make_unique<Module>();
  for (const auto& f : module.functions())
    out->add(has_any(*f) ? rewrite_ops(*f, lower_shape) : clone_function(*f, f->name()));
  return out;
}

}  // namespace weft::native
