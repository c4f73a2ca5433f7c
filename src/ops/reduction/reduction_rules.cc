#include "ops/reduction/reduction_rules.h"

#include "ir/clone.h"
#include "ops/control_flow/control_flow_rules.h"
#include "ops/control_flow/lane_choice.h"
#include "ops/families.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {

void refuse_body(const OpView& op, std::string_view what, std::string_view reason) {
  throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + std::string(what) + ": " + std::string(reason),
                    op.loc());
}

ReductionInputs check_reduction_inputs(const TypeContext& c, std::string_view count_label, std::string_view shape_label,
                                       std::string_view element_label, std::span<const int64_t> slice) {
  const size_t n = c.operands.size() / 2;
  if (c.operands.empty() || c.operands.size() != 2 * n) {
    c.fail(count_label, "number of operands: got " + std::to_string(c.operands.size()) +
                            ", expected as many init values as inputs, at least one");
  }
  ReductionInputs out;
  for (size_t i = 0; i < n; ++i) {
    expect_tensor(c, i);
    expect_tensor(c, n + i);
    const Type x = c.operands[i], init = c.operands[n + i];
    if (!is_compatible(c.operands[0], x.with_element(c.operands[0].element_type()))) {
      c.fail(shape_label, "shape of input " + std::to_string(i) + ": got " + format_list(x.shape()) +
                              ", expected that of input 0, " + format_list(c.operands[0].shape()));
    }
    if (!init.is_scalar()) {
      // The specification knows bodies on single elements only; MLIR's verifier also lets bodies on slices pass. Nothing runs them.
      size_t found = 0;
      for (int64_t extent : slice)
        found += found < init.shape().size() && compatible_extent(extent, init.shape()[found]) ? 1 : 0;
      const bool on_slices = found == init.shape().size() && c.regions.size() == 1 &&
                             c.function.args(c.regions[0]).size() == 2 * n &&
                             c.function.type(c.function.args(c.regions[0])[i]) == init;
      if (!on_slices) {
        c.fail(std::string(c.def.mnemonic.substr(c.def.mnemonic.find('.') + 1)) + "_i2",
               "init value " + std::to_string(i) + ": got " + init.str() + ", expected a rank-0 tensor");
      }
    }
    if (init.element_type() != x.element_type()) {
      c.fail(element_label, "element type of init value " + std::to_string(i) + ": got " +
                                std::string(name(init.element_type())) + ", expected " +
                                std::string(name(x.element_type())));
    }
    out.inputs.push_back(x);
    out.inits.push_back(init);
  }
  return out;
}

void expect_scalar_body(const OpView& op, std::string_view what) {
  for (size_t i = op.num_operands() / 2; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_scalar())
      refuse_body(op, what, "the body works on tensors, and only bodies on single elements are known");
  }
}

std::vector<bool> uniformity_with_bodies(UniformityContext& context, const OpView& op,
                                         const std::vector<bool>& operands) {
  bool varies = std::find(operands.begin(), operands.end(), true) != operands.end();
  for (RegionId r : op.regions()) {
    const std::vector<bool> args(op.function.args(r).size(), false);
    const std::vector<bool> results = context.region_varies(r, args);
    varies = varies || std::find(results.begin(), results.end(), true) != results.end();
  }
  return std::vector<bool>(op.num_results(), varies);
}

RegionId copy_uniform_body(VectorizeContext& context, const OpView& op, RegionId region) {
  for (Value v : captures(op.function, region)) {
    if (context.regions().varies(v)) {
      refuse_body(op, "lanes",
                  "its body uses a value from outside that varies by lane " + made_by(op.function, v) +
                      ", and bodies run on single elements; remedy: pass it as an operand");
    }
  }
  return context.regions().copy_region(region);
}

Value over_lanes(VectorizeContext& context, const LaneValue& v) { return v.varies ? v.value : context.broadcast(v); }

Value promoted(OpBuilder& builder, Value x, ElementType element) { return x ? builder.convert(x, element) : x; }

RegionId following_body(OpBuilder& builder, const OpView& op, RegionId source, std::span<const BodyResult> results,
                        std::span<const Followed> followed) {
  if (!captures(op.function, source).empty()) {
    refuse_body(op, "derivative",
                "the body captures values, and a body that selects is only followed when it is closed");
  }
  const size_t n = results.size();
  // One half of the arguments: the source's, then the followers.
  std::vector<Type> types;
  for (int half = 0; half < 2; ++half) {
    for (size_t i = 0; i < n; ++i) types.push_back(op.function.type(op.function.args(source)[i]));
    for (const Followed& f : followed) types.push_back(f.type);
  }
  return builder.make_region(types, [&](OpBuilder& inner, std::span<const Value> args) {
    const size_t half = n + followed.size();
    ValueMap map(op.function);
    for (size_t i = 0; i < n; ++i) {
      map.set(op.function.args(source)[i], args[i]);
      map.set(op.function.args(source)[n + i], args[half + i]);
    }
    std::vector<Value> out = clone_ops(op.function, source, inner.function(), inner.region(), map);
    for (size_t k = 0; k < followed.size(); ++k) {
      const BodyResult& r = results[followed[k].result];
      const Value a = args[n + k], b = args[half + n + k];
      out.push_back(inner.select(map.at(r.predicate), r.swapped ? b : a, r.swapped ? a : b));
    }
    return out;
  });
}

Value take_along(OpBuilder& b, Value x, Value positions, int64_t dimension) {
  const int64_t rank = b.type(x).rank();
  const std::vector<int64_t> dims = {dimension}, batch = other_axes(rank, {dims});
  const Value operands[] = {x, positions};
  Attrs attrs{{"collapsed_slice_dims", dims},
              {"operand_batching_dims", batch},
              {"start_indices_batching_dims", batch},
              {"start_index_map", dims},
              {"index_vector_dim", rank},
              {"slice_sizes", std::vector<int64_t>(static_cast<size_t>(rank), 1)}};
  return b.create("stablehlo.gather", operands, std::move(attrs))[0];
}

std::vector<int64_t> kept_axes(int64_t rank, std::span<const int64_t> dimensions) {
  return other_axes(rank, {dimensions});
}

namespace {

Value sum_tangents(LinearizeContext& context, Value t, std::span<const int64_t> dimensions, Value init_tangent) {
  const Type element = Type::scalar(context.linear().type(t).element_type());
  return context.linear().reduce(t, dimensions, "stablehlo.add",
                                 init_tangent ? init_tangent : context.primal().zeros(element));
}

/// Products and their tangents by halves: no division, so zeros are no special case, and n-1 multiplications in all.
Value product_tangent(LinearizeContext& context, std::span<const int64_t> dimensions, const ReduceParts& p) {
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const Type type = primal.type(p.x);
  const std::vector<int64_t> kept = kept_axes(type.rank(), dimensions);
  const std::vector<int64_t> order = joined({dimensions, kept}), rest = pick(type.shape(), kept);
  int64_t count = num_elements(pick(type.shape(), dimensions));
  if (count == 0) return p.init_tangent ? linear.broadcast_scalar(p.init_tangent, rest) : Value{};
  std::vector<int64_t> flat = rest;
  flat.insert(flat.begin(), count);
  Value x = primal.reshape(primal.transpose(p.x, order), flat);
  Value t = p.x_tangent ? linear.reshape(linear.transpose(p.x_tangent, order), flat) : Value{};
  const auto rows = [&](OpBuilder& b, Value v, int64_t from, int64_t to) {
    std::vector<int64_t> start(flat.size(), 0), limit = flat;
    start[0] = from;
    limit[0] = to;
    return b.slice(v, start, limit);
  };
  while (count > 1) {
    const int64_t half = count / 2;
    flat[0] = count;
    const Value a = rows(primal, x, 0, half), b = rows(primal, x, half, 2 * half);
    Value product = primal.multiply(a, b), tangent;
    if (t)
      tangent =
          linear.add(linear.multiply(rows(linear, t, 0, half), b), linear.multiply(rows(linear, t, half, 2 * half), a));
    if (count % 2 != 0) {
      const Value odd[] = {product, rows(primal, x, count - 1, count)};
      product = primal.concatenate(odd, 0);
      if (t) {
        const Value odd_tangent[] = {tangent, rows(linear, t, count - 1, count)};
        tangent = linear.concatenate(odd_tangent, 0);
      }
    }
    x = product;
    t = tangent;
    count -= half;
  }
  Value out;
  if (t) out = linear.multiply(linear.reshape(t, rest), primal.broadcast_scalar(p.init, rest));
  if (p.init_tangent) {
    out = add_tangents(linear, out,
                       linear.multiply(linear.broadcast_scalar(p.init_tangent, rest), primal.reshape(x, rest)));
  }
  return out;
}

}  // namespace

Value reduce_tangent(LinearizeContext& context, const OpView& op, BodyKind kind, std::span<const int64_t> dimensions,
                     const ReduceParts& p) {
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const Type type = primal.type(p.x), result = primal.type(p.result);
  switch (kind) {
    case BodyKind::kAdd:
      if (!p.x_tangent) return linear.broadcast_scalar(p.init_tangent, result.shape());
      return sum_tangents(context, p.x_tangent, dimensions, p.init_tangent);
    case BodyKind::kMultiply: return product_tangent(context, dimensions, p);
    case BodyKind::kMaximum:
    case BodyKind::kMinimum: {
      // weight = (x == result) / number of candidates equal to the result, the init value among them. A NaN result equals
      // nothing, and 0/0 makes its derivative NaN too.
      const ElementType element = type.element_type();
      const std::vector<int64_t> kept = kept_axes(type.rank(), dimensions);
      const auto spread = [&](Value v) { return primal.broadcast_in_dim(v, kept, type.shape()); };
      const Value hit = primal.convert(primal.compare(p.x, spread(p.result), "EQ"), element);
      const Value init_hit =
          primal.convert(primal.compare(primal.broadcast_scalar(p.init, result.shape()), p.result, "EQ"), element);
      const Value count = primal.add(primal.reduce(hit, dimensions, "stablehlo.add"), init_hit);
      Value out;
      if (p.x_tangent) {
        const Value weight = primal.divide(hit, spread(count));
        out = sum_tangents(context, linear.multiply(p.x_tangent, weight), dimensions, {});
      }
      if (p.init_tangent) {
        const Value spread_tangent = linear.broadcast_scalar(p.init_tangent, result.shape());
        out = add_tangents(linear, out, linear.multiply(spread_tangent, primal.divide(init_hit, count)));
      }
      return out;
    }
    default: throw InternalError("[" + std::string(op.def().mnemonic) + "] a body without a rule");
  }
}

}  // namespace weft
