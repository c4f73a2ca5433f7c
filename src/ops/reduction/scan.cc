// chlo.scan: a body runs along one dimension of its inputs, position by position, and hands carries on. The body takes the inputs'
// slices (without the dimension), then the carries, and returns the outputs' slices, then the carries.
// Attribute operandSegmentSizes: how many inputs and carries the operands are.
#include <algorithm>
#include <cstring>

#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/elementwise/chlo_families.h"
#include "ops/families.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

struct Parts {
  size_t inputs = 0, carries = 0, outputs = 0;
  int64_t dimension = 0;
  bool is_reverse = false;
};

Parts parts_of(const OpView& op) {
  Parts p;
  p.inputs = static_cast<size_t>(op.attrs().ints("operandSegmentSizes")[0]);
  p.carries = op.num_operands() - p.inputs;
  p.outputs = op.num_results() - p.carries;
  p.dimension = op.attrs().integer("dimension");
  p.is_reverse = op.attrs().boolean_or("is_reverse", false);
  return p;
}

Type without_dimension(Type t, int64_t dimension) {
  std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
  shape.erase(shape.begin() + dimension);
  return t.with_shape(shape);
}

Type with_dimension(Type t, int64_t dimension, int64_t extent) {
  std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
  shape.insert(shape.begin() + dimension, extent);
  return t.with_shape(shape);
}

/// Checks that the two counts of a segment attribute add up; returns the first.
size_t first_segment(const TypeContext& c, std::string_view name, size_t total) {
  const std::vector<int64_t>& sizes = c.attrs.ints(name);
  const bool adds_up = sizes.size() == 2 && sizes[0] >= 0 && sizes[1] >= 0 && sizes[0] <= static_cast<int64_t>(total) &&
                       sizes[1] == static_cast<int64_t>(total) - sizes[0];
  if (!adds_up) {
    c.fail("", std::string(name) + ": got " + format_list(sizes) + ", expected two counts that add up to " +
                   std::to_string(total));
  }
  return static_cast<size_t>(sizes[0]);
}

std::vector<Type> type_scan(const TypeContext& c) {
  const size_t inputs = first_segment(c, "operandSegmentSizes", c.operands.size());
  const size_t carries = c.operands.size() - inputs;
  const int64_t dimension = c.attrs.integer("dimension");
  if (dimension < 0) c.fail("", "dimension must not be negative: got " + std::to_string(dimension));
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (!c.operands[i].is_tensor())
      c.fail("", "operand " + std::to_string(i) + " is not a ranked tensor: got " + c.operands[i].str());
  }
  int64_t extent = c.attrs.integer_or("scan_dim_size", kDynamic);
  if (extent != kDynamic && extent < 0) c.fail("", "scan_dim_size must not be negative: got " + std::to_string(extent));
  for (size_t i = 0; i < inputs; ++i) {
    const Type t = c.operands[i];
    if (dimension >= t.rank()) {
      c.fail("", "scan dimension of operand " + std::to_string(i) + " is out of bounds: got " +
                     std::to_string(dimension) + " for " + t.str());
    }
    if (!compatible_extent(t.dim(dimension), extent)) {
      c.fail("", "invalid scan dimension size of operand " + std::to_string(i) + ": got " +
                     std::to_string(t.dim(dimension)) + ", expected " + std::to_string(extent));
    }
    if (extent == kDynamic) extent = t.dim(dimension);
  }
  expect_count(c, "", "bodies", c.regions.size(), 1);
  const Function& f = c.function;
  const auto args = f.args(c.regions[0]);
  expect_count(c, "", "arguments of the body", args.size(), c.operands.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const Type expected = i < inputs ? without_dimension(c.operands[i], dimension) : c.operands[i];
    if (!is_compatible(f.type(args[i]), expected)) {
      c.fail("", "operand and body argument " + std::to_string(i) + " are incompatible: got " + f.type(args[i]).str() +
                     ", expected " + expected.str());
    }
  }
  if (!captures(f, c.regions[0]).empty()) c.fail("", "the body uses values from outside: got one, expected none");
  const OpId end = f.terminator(c.regions[0]);
  if (!end) c.fail("", "the body does not end with a return");
  const auto returned = f.operands(end);
  if (returned.size() < carries) {
    c.fail("", "values that the body returns: got " + std::to_string(returned.size()) + ", expected at least the " +
                   std::to_string(carries) + " carries");
  }
  const size_t outputs = returned.size() - carries;
  if (inputs == 0 && outputs == 0) c.fail("", "at least one of inputs or outputs must be present: got none");
  if (!c.declared.empty() && first_segment(c, "resultSegmentSizes", c.declared.size()) != outputs) {
    c.fail("", "resultSegmentSizes: got " + format_list(c.attrs.ints("resultSegmentSizes")) + ", expected " +
                   std::to_string(outputs) + " outputs and " + std::to_string(carries) + " carries");
  }
  std::vector<Type> results;
  for (size_t i = 0; i < returned.size(); ++i) {
    const Type t = f.type(returned[i]);
    if (!t.is_tensor())
      c.fail("", "terminator operand " + std::to_string(i) + " is not a ranked tensor: got " + t.str());
    if (i >= outputs && !is_compatible(t, c.operands[inputs + i - outputs])) {
      c.fail("", "carry " + std::to_string(i - outputs) + " that the body returns: got " + t.str() + ", expected " +
                     c.operands[inputs + i - outputs].str());
    }
    if (i < outputs && dimension > t.rank()) {
      c.fail("", "output " + std::to_string(i) + " of the body: got " + t.str() + ", which has no dimension " +
                     std::to_string(dimension) + " to be stacked along");
    }
    results.push_back(i < outputs ? with_dimension(t, dimension, extent) : t);
  }
  return results;
}

// ---- eval -------------------------------------------------------------------------------------------------------------------

/// How a position along one dimension lies in memory: `outer` pieces of `bytes`, `step` apart.
struct Positions {
  int64_t outer = 1;
  size_t bytes = 0, step = 0;
  Positions(const Shape& shape, int64_t dimension, ElementType element) {
    size_t inner = byte_size(element);
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto axis = static_cast<int64_t>(d);
      if (axis < dimension) outer *= shape[d];
      if (axis > dimension) inner *= static_cast<size_t>(shape[d]);
    }
    bytes = inner;
    step = inner * static_cast<size_t>(shape[static_cast<size_t>(dimension)]);
  }
};

Tensor position(const Tensor& x, int64_t dimension, int64_t at) {
  Shape shape = x.shape();
  const Positions p(shape, dimension, x.element_type());
  shape.erase(shape.begin() + dimension);
  Tensor out(x.element_type(), shape);
  const auto* from = static_cast<const std::byte*>(x.raw()) + static_cast<size_t>(at) * p.bytes;
  auto* to = static_cast<std::byte*>(out.raw());
  for (int64_t i = 0; i < p.outer && p.bytes != 0; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * p.bytes, from + static_cast<size_t>(i) * p.step, p.bytes);
  }
  return out;
}

void set_position(Tensor& x, int64_t dimension, int64_t at, const Tensor& value) {
  const Positions p(x.shape(), dimension, x.element_type());
  auto* to = static_cast<std::byte*>(x.raw()) + static_cast<size_t>(at) * p.bytes;
  const auto* from = static_cast<const std::byte*>(value.raw());
  for (int64_t i = 0; i < p.outer && p.bytes != 0; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * p.step, from + static_cast<size_t>(i) * p.bytes, p.bytes);
  }
}

/// How many positions the op itself states: by scan_dim_size, else by the type of an output; kDynamic if by neither.
int64_t stated_length(const OpView& op, const Parts& p) {
  int64_t n = op.attrs().integer_or("scan_dim_size", kDynamic);
  for (size_t i = 0; i < p.outputs && n == kDynamic; ++i) n = op.result_type(i).dim(p.dimension);
  return n;
}

std::vector<EvalValue> eval_scan(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Parts p = parts_of(op);
  int64_t n = stated_length(op, p);
  for (size_t i = 0; i < p.inputs; ++i) {
    const int64_t extent = operands[i].tensor.shape()[static_cast<size_t>(p.dimension)];
    if (n != kDynamic && n != extent) {
      throw UserError("[chlo.scan] scan dimension size of operand " + std::to_string(i) + ": got " +
                          std::to_string(extent) + ", expected " + std::to_string(n),
                      op.loc());
    }
    n = extent;
  }
  if (n == kDynamic)
    throw Unsupported("[chlo.scan] no input, no scan_dim_size and no result type says how long it is", op.loc());
  std::vector<EvalValue> carries(operands.begin() + static_cast<std::ptrdiff_t>(p.inputs), operands.end());
  std::vector<EvalValue> results(p.outputs);
  for (int64_t step = 0; step < n; ++step) {
    const int64_t at = p.is_reverse ? n - 1 - step : step;
    std::vector<EvalValue> args;
    for (size_t i = 0; i < p.inputs; ++i) args.emplace_back(position(operands[i].tensor, p.dimension, at));
    std::ranges::move(carries, std::back_inserter(args));
    std::vector<EvalValue> returned = context.run_region(op.region(0), std::move(args));
    for (size_t i = 0; i < p.outputs; ++i) {
      const Tensor& value = returned[i].tensor;
      if (step == 0) {
        Shape shape = value.shape();
        shape.insert(shape.begin() + p.dimension, n);
        results[i] = Tensor(value.element_type(), shape);
      }
      set_position(results[i].tensor, p.dimension, at, value);
    }
    carries.assign(std::make_move_iterator(returned.begin() + static_cast<std::ptrdiff_t>(p.outputs)),
                   std::make_move_iterator(returned.end()));
  }
  if (n == 0) {
    for (size_t i = 0; i < p.outputs; ++i) {
      const Type t = op.result_type(i);
      Shape shape(t.shape().begin(), t.shape().end());
      shape[static_cast<size_t>(p.dimension)] = 0;
      for (const int64_t d : shape) {
        if (d == kDynamic) throw Unsupported("[chlo.scan] of no positions with outputs of unknown shape", op.loc());
      }
      results[i] = Tensor(t.element_type(), shape);
    }
  }
  std::ranges::move(carries, std::back_inserter(results));
  return results;
}

// ---- as a loop ----------------------------------------------------------------------------------------------------------------

bool is_static(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_static()) return false;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_static()) return false;
  }
  return true;
}

/// A while with carries: position, outputs so far, carries. The body's ops are copied from `op`.
/// `captured`: what stands for values from outside of the body, in another function.
std::vector<Value> as_loop(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                           std::span<const std::pair<Value, Value>> captured = {}) {
  const Parts p = parts_of(op);
  const std::vector<Value> inputs(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(p.inputs));
  const int64_t n = p.inputs > 0 ? b.type(inputs[0]).dim(p.dimension) : stated_length(op, p);
  const RegionId source = op.region(0);
  std::vector<Value> carried = {b.scalar(ElementType::kI64, 0)};
  for (size_t i = 0; i < p.outputs; ++i) carried.push_back(b.zeros(op.result_type(i)));
  carried.insert(carried.end(), operands.begin() + static_cast<std::ptrdiff_t>(p.inputs), operands.end());
  std::vector<Type> types;
  for (Value v : carried) types.push_back(b.type(v));
  const auto first_output = static_cast<std::ptrdiff_t>(1);
  if (n == 0) return {carried.begin() + first_output, carried.end()};

  const RegionId cond = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
    return std::vector<Value>{c.compare(a[0], c.scalar(ElementType::kI64, static_cast<double>(n)), "LT")};
  });
  const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
    const Value zero = c.scalar(ElementType::kI64, 0);
    const Value at = p.is_reverse ? c.subtract(c.scalar(ElementType::kI64, static_cast<double>(n - 1)), a[0]) : a[0];
    const auto starts = [&](int64_t rank) {
      std::vector<Value> out(static_cast<size_t>(rank), zero);
      out[static_cast<size_t>(p.dimension)] = at;
      return out;
    };
    ValueMap map(op.function);
    for (const auto& [from, to] : captured) map.set(from, to);
    const std::vector<Value> formal(op.function.args(source).begin(), op.function.args(source).end());
    for (size_t i = 0; i < p.inputs; ++i) {
      const Type t = c.type(inputs[i]);
      std::vector<int64_t> sizes(t.shape().begin(), t.shape().end());
      sizes[static_cast<size_t>(p.dimension)] = 1;
      const Value slice = c.dynamic_slice(inputs[i], starts(t.rank()), sizes);
      map.set(formal[i], c.reshape(slice, without_dimension(t, p.dimension).shape()));
    }
    for (size_t i = 0; i < p.carries; ++i) map.set(formal[p.inputs + i], a[1 + p.outputs + i]);
    const std::vector<Value> returned = clone_ops(op.function, source, c.function(), c.region(), map);
    std::vector<Value> next = {c.add(a[0], c.scalar(ElementType::kI64, 1))};
    for (size_t i = 0; i < p.outputs; ++i) {
      const Type t = c.type(returned[i]);
      const Value piece = c.reshape(returned[i], with_dimension(t, p.dimension, 1).shape());
      next.push_back(c.dynamic_update_slice(a[1 + i], piece, starts(t.rank() + 1)));
    }
    next.insert(next.end(), returned.begin() + static_cast<std::ptrdiff_t>(p.outputs), returned.end());
    return next;
  });
  const RegionId regions[] = {cond, body};
  const std::vector<Value> results = b.create("stablehlo.while", carried, {}, types, regions);
  return {results.begin() + first_output, results.end()};
}

/// That of the loop.
Linearized linearize_scan(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                          std::span<const Value> tangents) {
  if (!is_static(op)) throw Unsupported("[chlo.scan] derivative: shapes must be static", op.loc());
  RegionLinearizer& regions = context.regions();
  auto loop = std::make_unique<Function>("scan");
  std::vector<Value> operands, values(primals.begin(), primals.end()), directions(tangents.begin(), tangents.end());
  for (size_t i = 0; i < op.num_operands(); ++i) operands.push_back(loop->add_arg(loop->body(), op.operand_type(i)));
  std::vector<std::pair<Value, Value>> captured;
  for (Value v : captures(op.function, op.region(0))) {
    captured.emplace_back(v, loop->add_arg(loop->body(), op.function.type(v)));
    values.push_back(regions.primal(v));
    directions.push_back(regions.tangent(v));
  }
  OpBuilder b(*loop, loop->body(), context.primal().module());
  b.loc = op.loc();
  b.yield(as_loop(b, op, operands, captured));
  std::vector<bool> results;
  for (size_t i = 0; i < op.num_results(); ++i) results.push_back(regions.is_differentiated(op.result(i)));
  return regions.inline_function(std::move(loop), values, directions, results);
}

std::vector<Value> simplify_scan(SimplifyContext& context, const OpView& op) {
  if (!is_static(op)) return {};
  // A copy: the op stands in the function that grows.
  const std::vector<Value> operands(op.operands().begin(), op.operands().end());
  return as_loop(context.builder(), op, operands);
}

std::vector<Value> portable_scan(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  if (!is_static(op)) return {};
  return as_loop(context.builder(), op, operands);
}

std::vector<bool> uniformity_scan(UniformityContext& context, const OpView& op, const std::vector<bool>& operands) {
  const bool any = std::ranges::find(operands, true) != operands.end();
  context.region_varies(op.region(0), std::vector<bool>(operands.size(), any));
  return std::vector<bool>(op.num_results(), any);
}

/// A scan along the dimension that the lane axis pushes up by one; the body runs over lanes.
std::vector<LaneValue> vectorize_scan(VectorizeContext& context, const OpView& op,
                                      std::span<const LaneValue> operands) {
  const Parts p = parts_of(op);
  std::vector<Value> values;
  for (const LaneValue& v : operands) values.push_back(context.broadcast(v));
  const RegionId body[] = {context.regions().vectorize_region(op.region(0), std::vector<bool>(operands.size(), true),
                                                              std::vector<bool>(op.num_results(), true))};
  Attrs attrs = op.attrs();
  attrs.set("dimension", p.dimension + 1);
  std::vector<Type> types;
  for (size_t i = 0; i < op.num_results(); ++i) {
    const Type t = op.result_type(i);
    types.push_back(with_dimension(t, 0, context.lanes()));
  }
  std::vector<LaneValue> out;
  for (Value v : context.builder().create("chlo.scan", values, attrs, types, body)) out.push_back({v, true});
  return out;
}

// ---- samples ------------------------------------------------------------------------------------------------------------------

std::vector<Sample> samples_scan() {
  const auto sample = [](std::string label, int64_t dimension, bool is_reverse) {
    const std::vector<int64_t> carry_shape = {dimension == 0 ? 3 : 2};
    Sample s{std::move(label),
             {{Type::tensor(ElementType::kF64, {2, 3}), {}}, {Type::tensor(ElementType::kF64, carry_shape), {}}},
             {}};
    s.emit = [=](OpBuilder& b, std::span<const Value> x) {
      const Type slice = b.type(x[1]);
      const Type types[] = {slice, slice};
      const RegionId body[] = {b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
        const Value next = c.add(c.multiply(a[1], c.splat(c.type(a[1]), 0.5)), a[0]);
        return std::vector<Value>{c.negate(next), next};
      })};
      const Attr::Ints one_each = {1, 1};
      const Attrs attrs{{"dimension", dimension},
                        {"is_reverse", is_reverse},
                        {"operandSegmentSizes", one_each},
                        {"resultSegmentSizes", one_each}};
      return b.create("chlo.scan", x, attrs, {}, body);
    };
    return s;
  };
  return {sample("rows", 0, false), sample("columns from the last", 1, true)};
}

const OpRecord kOps[] = {
    {{"chlo.scan"},
     {.doc = "Runs the body along a dimension of the inputs: it takes a slice of each input and the carries, and "
             "returns a "
             "slice of each output and the next carries. Results: outputs, last carries.",
      .syntax = Syntax::kCustom,
      .schema = {{"dimension", AttrKind::kInt},
                 {"scan_dim_size", AttrKind::kInt, false},
                 {"is_reverse", AttrKind::kBool, false},
                 {"is_associative", AttrKind::kBool, false},
                 {"operandSegmentSizes", AttrKind::kInts},
                 {"resultSegmentSizes", AttrKind::kInts}},
      .type = type_scan,
      .eval = eval_scan,
      .scalar = kNotElementwise,
      .linearize = linearize_scan,
      .transpose = kNotOnTape,
      .vectorize = vectorize_scan,
      .uniformity = uniformity_scan,
      .simplify = simplify_scan,
      .aliases = alias_none,
      .effects = Effects::kRegions,
      .cost = Refuse{"it depends on the body"},
      .to_stablehlo = portable_scan,
      .samples = samples_scan}},
};

}  // namespace

Family scan_ops() { return kOps; }

}  // namespace weft
