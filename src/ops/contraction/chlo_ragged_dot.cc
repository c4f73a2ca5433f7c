// chlo.ragged_dot: a dot_general one of whose lhs dimensions is cut into consecutive groups of given sizes. What a group is depends on
// the ragged dimension: rows that meet a matrix of their own (free), parts of the sum with a result each (contracting), or nothing
// but a mark (batching).
#include <algorithm>
#include <array>
#include <numeric>

#include "ops/contraction/dot_general.h"
#include "ops/contraction/ragged_dims.h"
#include "ops/contraction/ragged_dot_in_ops.h"
#include "ops/elementwise/chlo_families.h"
#include "ops/elementwise/elementwise.h"

namespace weft {
namespace {

using ragged_dims::contains;
using ragged_dims::Dims;
using ragged_dims::Ragged;
using ragged_dims::RaggedDims;

Dims extents(Type t, const Dims& dims) {
  Dims out;
  for (int64_t d : dims) out.push_back(t.dim(d));
  return out;
}

// ---- type -------------------------------------------------------------------------------------------------------------------

/// Distinct dimensions of an operand of rank `rank`.
void expect_dims(const TypeContext& context, int64_t rank,
                 std::initializer_list<std::pair<const char*, const Dims*>> lists) {
  Dims seen;
  for (const auto& [what, dims] : lists) {
    for (int64_t d : *dims) {
      if (d < 0 || d >= rank) {
        context.fail("", std::string(what) + ": got " + std::to_string(d) +
                             ", expected a dimension of an operand of rank " + std::to_string(rank));
      }
      if (contains(seen, d))
        context.fail("", std::string(what) + ": got " + std::to_string(d) + " again, expected distinct dimensions");
      seen.push_back(d);
    }
  }
}

void expect_extents(const TypeContext& context, const char* what, const Dims& a, const Dims& b) {
  if (a.size() != b.size())
    context.fail("", std::string(what) + ": got " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                         ", expected as many of either operand");
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != kDynamic && b[i] != kDynamic) {
      context.fail("", std::string(what) + ": got extents " + std::to_string(a[i]) + " and " + std::to_string(b[i]) +
                           ", expected equal ones");
    }
  }
}

std::vector<Type> type_ragged_dot(const TypeContext& context) {
  context.expect_operands(3);
  for (size_t i = 0; i < 2; ++i) expect_class(context, i, kRealClass);
  expect_class(context, 2, kIntegerClass);
  const Type lhs = context.operands[0], rhs = context.operands[1], sizes = context.operands[2];
  const RaggedDims dims(context.attrs);
  expect_dims(context, lhs.rank(),
              {{"lhs_batching_dimensions", &dims.lhs_batching}, {"lhs_contracting_dimensions", &dims.lhs_contracting}});
  expect_dims(context, rhs.rank(),
              {{"rhs_batching_dimensions", &dims.rhs_batching},
               {"rhs_contracting_dimensions", &dims.rhs_contracting},
               {"rhs_group_dimensions", &dims.group}});
  expect_extents(context, "batching dimensions", extents(lhs, dims.lhs_batching), extents(rhs, dims.rhs_batching));
  expect_extents(context, "contracting dimensions", extents(lhs, dims.lhs_contracting),
                 extents(rhs, dims.rhs_contracting));
  if (dims.ragged.size() != 1)
    context.fail("", "lhs_ragged_dimensions: got " + std::to_string(dims.ragged.size()) + " dimensions, expected one");
  expect_dims(context, lhs.rank(), {{"lhs_ragged_dimensions", &dims.ragged}});
  const Ragged mode = dims.mode();
  if (dims.group.size() != (mode == Ragged::kFree ? 1u : 0u)) {
    context.fail("", "rhs_group_dimensions: got " + std::to_string(dims.group.size()) + " dimensions, expected " +
                         (mode == Ragged::kFree ? "one, as the ragged dimension is free"
                                                : "none, as the ragged dimension is batching or contracting"));
  }
  if (sizes.rank() < 1) context.fail("", "group_sizes: got " + sizes.str() + ", expected a tensor of rank 1 or more");
  const int64_t groups = sizes.dim(sizes.rank() - 1);
  Dims expected = extents(lhs, dims.prefix(lhs.rank()));
  expected.push_back(groups);
  if (sizes.rank() != 1) {
    if (sizes.rank() != static_cast<int64_t>(expected.size()))
      context.fail("", "group_sizes: got " + sizes.str() + ", expected rank 1 or " + std::to_string(expected.size()));
    if (!is_compatible(sizes, sizes.with_shape(expected)))
      context.fail("", "group_sizes: got " + sizes.str() + ", expected " + sizes.with_shape(expected).str());
  }
  if (mode == Ragged::kFree) {
    const int64_t extent = rhs.dim(dims.group[0]);
    if (extent != groups && extent != kDynamic && groups != kDynamic) {
      context.fail("", "group dimension of the rhs: got extent " + std::to_string(extent) + ", expected " +
                           std::to_string(groups) + ", the number of groups");
    }
  }
  check_precision(context, "");
  Dims shape;
  if (mode == Ragged::kContracting) shape.push_back(groups);
  for (const Dims& part : {extents(lhs, dims.lhs_batching), extents(lhs, dims.lhs_free(lhs.rank())),
                           extents(rhs, dims.rhs_free(rhs.rank()))}) {
    shape.insert(shape.end(), part.begin(), part.end());
  }
  const Type inferred = lhs.with_shape(shape);
  if (context.declared.empty()) return {inferred};
  const Type declared = context.declared[0];
  if (!declared.is_tensor() || !is_compatible(declared, inferred.with_element(declared.element_type()))) {
    context.fail("", "type of the result: got " + declared.str() + ", expected " + inferred.str());
  }
  return {merge_types(declared, inferred.with_element(declared.element_type()))};
}

// ---- eval -------------------------------------------------------------------------------------------------------------------

/// Calls f(index) for every index of a shape, in row-major order.
template <class F>
void for_each(const Dims& shape, F f) {
  Dims index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t e : shape) count *= e;
  for (int64_t i = 0; i < count; ++i) {
    f(static_cast<const Dims&>(index));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

int64_t position(const Dims& index, const Shape& shape) {
  int64_t p = 0;
  for (size_t d = 0; d < shape.size(); ++d) p = p * shape[d] + index[d];
  return p;
}

std::vector<EvalValue> eval_ragged_dot(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor &lhs = operands[0].tensor, &rhs = operands[1].tensor, &sizes = operands[2].tensor;
  const RaggedDims dims(op.attrs());
  const Ragged mode = dims.mode();
  const Dims lhs_free = dims.lhs_free(lhs.rank()), rhs_free = dims.rhs_free(rhs.rank()),
             prefix = dims.prefix(lhs.rank());
  const ElementType type = op.result_type().element_type();
  const int64_t groups = sizes.shape().back();
  // The group of an lhs index: the one whose range holds its ragged coordinate, -1 beyond the last.
  const auto group_of = [&](const Dims& at) {
    Dims row;
    if (sizes.rank() > 1) {
      for (int64_t d : prefix) row.push_back(at[static_cast<size_t>(d)]);
    }
    row.push_back(0);
    const int64_t first = position(row, sizes.shape());
    int64_t end = 0;
    for (int64_t g = 0; g < groups; ++g) {
      end += load_num(sizes.raw(), sizes.element_type(), first + g).bits;
      if (at[static_cast<size_t>(dims.ragged[0])] < end) return g;
    }
    return int64_t{-1};
  };
  Shape shape;
  if (mode == Ragged::kContracting) shape.push_back(groups);
  for (int64_t d : dims.lhs_batching) shape.push_back(lhs.shape()[static_cast<size_t>(d)]);
  for (int64_t d : lhs_free) shape.push_back(lhs.shape()[static_cast<size_t>(d)]);
  for (int64_t d : rhs_free) shape.push_back(rhs.shape()[static_cast<size_t>(d)]);
  Dims contracted;
  for (int64_t d : dims.lhs_contracting) contracted.push_back(lhs.shape()[static_cast<size_t>(d)]);
  Tensor out = Tensor::zeros(type, shape);
  int64_t at_result = 0;
  for_each(Dims(shape.begin(), shape.end()), [&](const Dims& r) {
    Dims a(lhs.shape().size(), 0), b(rhs.shape().size(), 0);
    size_t next = mode == Ragged::kContracting ? 1 : 0;
    for (size_t i = 0; i < dims.lhs_batching.size(); ++i, ++next) {
      a[static_cast<size_t>(dims.lhs_batching[i])] = b[static_cast<size_t>(dims.rhs_batching[i])] = r[next];
    }
    for (int64_t d : lhs_free) a[static_cast<size_t>(d)] = r[next++];
    for (int64_t d : rhs_free) b[static_cast<size_t>(d)] = r[next++];
    const int64_t row_group = mode == Ragged::kFree ? group_of(a) : 0;
    if (mode == Ragged::kFree) b[static_cast<size_t>(dims.group[0])] = std::max<int64_t>(row_group, 0);
    Num sum = Num{type, 0, 0};
    for_each(contracted, [&](const Dims& k) {
      for (size_t i = 0; i < k.size(); ++i) {
        a[static_cast<size_t>(dims.lhs_contracting[i])] = b[static_cast<size_t>(dims.rhs_contracting[i])] = k[i];
      }
      const bool counts = mode == Ragged::kContracting ? group_of(a) == r[0] : row_group >= 0;
      if (!counts) return;
      const Num x = convert(load_num(lhs.raw(), lhs.element_type(), position(a, lhs.shape())), type);
      const Num y = convert(load_num(rhs.raw(), rhs.element_type(), position(b, rhs.shape())), type);
      sum = sum + x * y;
    });
    store_num(out.raw(), sum, at_result++);
  });
  return {out};
}

// ---- derivatives --------------------------------------------------------------------------------------------------------------

Dims range(size_t first, size_t count) {
  Dims out(count);
  std::iota(out.begin(), out.end(), static_cast<int64_t>(first));
  return out;
}

Dims joined(std::initializer_list<Dims> lists) {
  Dims out;
  for (const Dims& l : lists) out.insert(out.end(), l.begin(), l.end());
  return out;
}

/// Undoes a transposition.
Value back(OpBuilder& b, Value v, const Dims& order) {
  Dims inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return b.transpose(v, inverse);
}

/// With the lhs as [batch, free, contracted], the rhs as [batch, contracted, columns] and groups in front of what has them, all four
/// cotangents are ragged dots again: where rows meet a matrix each, the rhs sums over the rows of each group (a contracting one); where the
/// sum is cut into groups, both operands meet a matrix each (free ones, ragged in what was contracted).
std::vector<Value> transpose_ragged_dot(TransposeContext& context, const OpView& op,
                                        std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const RaggedDims dims(op.attrs());
  const Ragged mode = dims.mode();
  const Type lhs = op.operand_type(0), rhs = op.operand_type(1);
  const Dims free = dims.lhs_free(lhs.rank()), columns = dims.rhs_free(rhs.rank());
  const size_t nb = dims.lhs_batching.size(), nf = free.size(), nc = dims.lhs_contracting.size(), nn = columns.size();
  const size_t g = mode == Ragged::kFree ? 1 : 0, go = mode == Ragged::kContracting ? 1 : 0;  // groups in front
  const Dims lhs_order = joined({dims.lhs_batching, free, dims.lhs_contracting}),
             rhs_order = joined({dims.group, dims.rhs_batching, dims.rhs_contracting, columns});
  const auto position_in = [&](const Dims& list) {
    return static_cast<size_t>(std::ranges::find(list, dims.ragged[0]) - list.begin());
  };
  const Dims batch = range(0, nb);
  const auto dot = [&](Value l, Value r, const Dims& lc, size_t rb, const Dims& rc, size_t ragged, const Dims& group,
                       Dims shape) {
    Attrs attrs = op.attrs();
    attrs.set("lhs_batching_dimensions", batch);
    attrs.set("rhs_batching_dimensions", range(rb, nb));
    attrs.set("lhs_contracting_dimensions", lc);
    attrs.set("rhs_contracting_dimensions", rc);
    attrs.set("lhs_ragged_dimensions", Dims{static_cast<int64_t>(ragged)});
    attrs.set("rhs_group_dimensions", group);
    const Value operands[] = {l, r, op.operand(2)};
    const Type type[] = {Type::tensor(op.result_type().element_type(), std::move(shape))};
    return b.create(op.def(), operands, attrs, type)[0];
  };
  const auto shape_of = [&](Type t, const Dims& order) { return extents(t, order); };
  const Value c = cotangents[0];
  std::vector<Value> out(3);
  if (context.is_linear(0)) {
    const Value r = b.transpose(op.operand(1), rhs_order);
    Value to_lhs;
    if (mode == Ragged::kContracting) {
      const Dims order = joined({dims.lhs_batching, dims.lhs_contracting, free});
      const Value swapped = dot(r, c, range(nb + nc, nn), 1, range(1 + nb + nf, nn),
                                nb + position_in(dims.lhs_contracting), {0}, shape_of(lhs, order));
      to_lhs = back(b, swapped, order);
    } else {
      const size_t ragged = mode == Ragged::kFree ? nb + position_in(free) : position_in(dims.lhs_batching);
      to_lhs = back(
          b, dot(c, r, range(nb + nf, nn), g, range(g + nb + nc, nn), ragged, range(0, g), shape_of(lhs, lhs_order)),
          lhs_order);
    }
    out[0] = b.convert(to_lhs, lhs.element_type());
  }
  if (context.is_linear(1)) {
    const Value l = b.transpose(op.operand(0), lhs_order);
    const size_t ragged = mode == Ragged::kFree          ? nb + position_in(free)
                          : mode == Ragged::kContracting ? nb + nf + position_in(dims.lhs_contracting)
                                                         : position_in(dims.lhs_batching);
    const Value to_rhs =
        dot(l, c, range(nb, nf), go, range(go + nb, nf), ragged, range(0, go), shape_of(rhs, rhs_order));
    out[1] = b.convert(back(b, to_rhs, rhs_order), rhs.element_type());
  }
  return out;
}

// ---- lanes --------------------------------------------------------------------------------------------------------------------

/// One op a lane.
std::vector<LaneValue> vectorize_ragged_dot(VectorizeContext& context, const OpView& op,
                                            std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  if (!op.result_type().is_static()) throw Unsupported("[chlo.ragged_dot] lanes: shapes must be static", op.loc());
  const std::array<Type, 1> result = {op.result_type()};
  if (context.lanes() == 0) return {{b.zeros(with_lanes(result[0], 0)), true}};
  std::vector<Value> parts;
  for (int64_t lane = 0; lane < context.lanes(); ++lane) {
    std::vector<Value> values;
    for (size_t i = 0; i < operands.size(); ++i) {
      Value v = operands[i].value;
      if (operands[i].varies) {
        const Type t = b.type(v);
        Dims start(t.shape().size(), 0), limit(t.shape().begin(), t.shape().end());
        start[0] = lane;
        limit[0] = lane + 1;
        v = b.reshape(b.slice(v, start, limit), op.operand_type(i).shape());
      }
      values.push_back(v);
    }
    parts.push_back(b.reshape(b.create(op.def(), values, op.attrs(), result)[0], with_lanes(result[0], 1).shape()));
  }
  return {{b.concatenate(parts, 0), true}};
}

// ---- samples ----------------------------------------------------------------------------------------------------------------

Sample sample(std::string label, Type lhs, Type rhs, Type sizes, Attrs attrs) {
  Sample s;
  s.label = std::move(label);
  s.operands = {{lhs, {}}, {rhs, {}}, {sizes, {0, 3}}};
  s.emit = [attrs](OpBuilder& b, std::span<const Value> x) { return b.create("chlo.ragged_dot", x, attrs); };
  s.differentiable = is_float(lhs.element_type());
  return s;
}

std::vector<Value> portable_ragged_dot(PortableContext& context, const OpView& op, std::span<const Value> operands) {
  if (auto written = ragged_dot_in_ops(context.builder(), op, operands)) return *written;
  throw Unsupported("[chlo.ragged_dot] no StableHLO form of " + op.result_type().str() + ": static extents are needed",
                    op.loc());
}

Attrs attrs_of(Dims lb, Dims rb, Dims lc, Dims rc, Dims ragged, Dims group) {
  return Attrs{{"lhs_batching_dimensions", std::move(lb)},    {"rhs_batching_dimensions", std::move(rb)},
               {"lhs_contracting_dimensions", std::move(lc)}, {"rhs_contracting_dimensions", std::move(rc)},
               {"lhs_ragged_dimensions", std::move(ragged)},  {"rhs_group_dimensions", std::move(group)}};
}

std::vector<Sample> samples_ragged_dot() {
  using enum ElementType;
  return {sample("free", Type::tensor(kF32, {2, 7, 3}), Type::tensor(kF32, {3, 2, 3, 4}), Type::tensor(kI64, {3}),
                 attrs_of({0}, {1}, {2}, {2}, {1}, {0})),
          sample("contracting", Type::tensor(kF64, {3, 6}), Type::tensor(kF64, {6, 2}), Type::tensor(kI32, {4}),
                 attrs_of({}, {}, {1}, {0}, {1}, {})),
          sample("free, of two batches", Type::tensor(kF64, {3, 2, 4}), Type::tensor(kF64, {3, 2, 2, 2}),
                 Type::tensor(kI64, {2}), attrs_of({1}, {3}, {0}, {0}, {2}, {1})),
          sample("free, two rows apart", Type::tensor(kF64, {2, 3, 2, 2}), Type::tensor(kF64, {2, 3, 2}),
                 Type::tensor(kI64, {2, 2}), attrs_of({}, {}, {1}, {1}, {2}, {2})),
          sample("contracting two", Type::tensor(kF64, {4, 2, 3}), Type::tensor(kF64, {3, 2, 4}),
                 Type::tensor(kI32, {2}), attrs_of({}, {}, {0, 2}, {2, 0}, {0}, {})),
          sample("batching of floats", Type::tensor(kF64, {2, 3, 4}), Type::tensor(kF64, {2, 4}),
                 Type::tensor(kI32, {2}), attrs_of({0}, {0}, {2}, {1}, {0}, {})),
          sample("batching", Type::tensor(kI32, {2, 3, 4}), Type::tensor(kI32, {2, 4}), Type::tensor(kI32, {2}),
                 attrs_of({0}, {0}, {2}, {1}, {0}, {}))};
}

const OpRecord kRecords[] = {
    {{.mnemonic = "chlo.ragged_dot"},
     {.doc = "dot_general with one lhs dimension in consecutive groups of group_sizes: free (each group of rows meets "
             "its own matrix "
             "of the rhs; rows past the groups give 0), contracting (one result a group) or batching.",
      .syntax = Syntax::kGeneric,
      .schema = {{"lhs_batching_dimensions", AttrKind::kInts},
                 {"rhs_batching_dimensions", AttrKind::kInts},
                 {"lhs_contracting_dimensions", AttrKind::kInts},
                 {"rhs_contracting_dimensions", AttrKind::kInts},
                 {"lhs_ragged_dimensions", AttrKind::kInts},
                 {"rhs_group_dimensions", AttrKind::kInts},
                 {"precision_config", AttrKind::kAny, false}},
      .type = type_ragged_dot,
      .eval = eval_ragged_dot,
      .scalar = kNotElementwise,
      .linearize = linearize_multilinear,
      .transpose = transpose_ragged_dot,
      .vectorize = vectorize_ragged_dot,
      .uniformity = uniformity_any,
      .simplify = simplify_fold,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_elementwise,
      .to_stablehlo = portable_ragged_dot,
      .samples = samples_ragged_dot}},
};

}  // namespace

Family chlo_ragged_dot_ops() { return kRecords; }

}  // namespace weft
