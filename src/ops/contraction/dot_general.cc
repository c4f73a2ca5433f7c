#include "ops/contraction/dot_general.h"

#include "ops/families.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

/// Dimension numbers, and the axes of each side that stay.
struct Dot : DotDims {
  std::vector<int64_t> lhs_free, rhs_free;

  explicit Dot(const OpView& op) : Dot(op.attrs(), op.operand_type(0).rank(), op.operand_type(1).rank()) {}
  Dot(const Attrs& attrs, int64_t lhs_rank, int64_t rhs_rank) {
    lhs_batching = attrs.ints_or("lhs_batching_dimensions", 0, 0);
    rhs_batching = attrs.ints_or("rhs_batching_dimensions", 0, 0);
    lhs_contracting = attrs.ints_or("lhs_contracting_dimensions", 0, 0);
    rhs_contracting = attrs.ints_or("rhs_contracting_dimensions", 0, 0);
    lhs_free = other_axes(lhs_rank, {lhs_batching, lhs_contracting});
    rhs_free = other_axes(rhs_rank, {rhs_batching, rhs_contracting});
  }
  int64_t batches() const { return static_cast<int64_t>(lhs_batching.size()); }
};

Attrs with_dims(Attrs attrs, const DotDims& dims) {
  attrs.set("lhs_batching_dimensions", dims.lhs_batching);
  attrs.set("rhs_batching_dimensions", dims.rhs_batching);
  attrs.set("lhs_contracting_dimensions", dims.lhs_contracting);
  attrs.set("rhs_contracting_dimensions", dims.rhs_contracting);
  return attrs;
}

/// Of the other attributes only the precision: an algorithm names the types of its own two sides.
Attrs dot_attrs(const DotDims& dims, const Attrs& like) {
  Attrs attrs;
  if (const Attr* precision = like.find("precision_config")) attrs.set("precision_config", *precision);
  return with_dims(std::move(attrs), dims);
}

/// The cotangent of one side: contract the result's cotangent with the other side along what the other side kept.
/// `own` and `other` name this side's and the other side's axes; `kept` are the other side's axes within the cotangent.
Value transpose_side(OpBuilder& b, const Attrs& attrs, Value cotangent, Value other, Type own_type,
                     const std::vector<int64_t>& own_batching, const std::vector<int64_t>& own_free,
                     const std::vector<int64_t>& own_contracting, const std::vector<int64_t>& other_batching,
                     const std::vector<int64_t>& other_free, const std::vector<int64_t>& other_contracting,
                     const std::vector<int64_t>& kept) {
  const ElementType element = b.type(cotangent).element_type();
  DotDims dims;
  dims.lhs_batching = axis_range(0, static_cast<int64_t>(own_batching.size()));
  dims.rhs_batching = other_batching;
  dims.lhs_contracting = kept;
  dims.rhs_contracting = other_free;
  // The product's axes are this side's batching axes, its free axes, and the other side's contracted axes in ascending order;
  // with the operands exchanged the last two groups are. Whichever is this side's own order needs no transpose.
  std::vector<int64_t> contracted;
  std::vector<int64_t> sorted = other_contracting;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t d : sorted) {
    const auto at = std::find(other_contracting.begin(), other_contracting.end(), d) - other_contracting.begin();
    contracted.push_back(own_contracting[static_cast<size_t>(at)]);
  }
  std::vector<int64_t> axes = joined({own_batching, own_free, contracted});
  const std::vector<int64_t> exchanged = joined({own_batching, contracted, own_free});
  const bool is_exchanged =
      std::is_sorted(exchanged.begin(), exchanged.end()) && !std::is_sorted(axes.begin(), axes.end());
  const Value there = b.convert(other, element);
  Value operands[] = {cotangent, there};
  if (is_exchanged) {
    axes = exchanged;
    std::swap(operands[0], operands[1]);
    std::swap(dims.lhs_batching, dims.rhs_batching);
    std::swap(dims.lhs_contracting, dims.rhs_contracting);
  }
  const Value product = b.create("stablehlo.dot_general", operands, dot_attrs(dims, attrs))[0];
  std::vector<int64_t> permutation(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) permutation[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  return b.convert(b.transpose(product, permutation), own_type.element_type());
}

}  // namespace

void check_precision(const TypeContext& c, std::string_view label) {
  const Attr* precision = c.attrs.find("precision_config");
  if (precision == nullptr) return;
  if (const auto* list = precision->get_if<std::shared_ptr<const AttrList>>(); list != nullptr && (*list)->size() > 2) {
    c.fail(label,
           "number of words of precision_config: got " + std::to_string((*list)->size()) + ", expected at most 2");
  }
  const auto* words = precision->get_if<std::shared_ptr<const AttrList>>();
  for (size_t i = 0; words != nullptr && i < (*words)->size(); ++i) {
    const auto* word = (**words)[i].get_if<std::string>();
    if (word == nullptr || (*word != "DEFAULT" && *word != "HIGH" && *word != "HIGHEST"))
      c.fail(label, "precision_config: got " + (**words)[i].str() + ", expected DEFAULT, HIGH or HIGHEST");
  }
}

namespace {

/// The algorithm, when one is named: its numbers, its types, and whether any hardware is known to have it. It does not change the
/// meaning here, where every product is exact or rounded to the accumulator once.
void check_algorithm(const TypeContext& c) {
  const Attrs& a = c.attrs;
  if (!a.has("lhs_precision_type")) return;
  if (const Attr* precision = a.find("precision_config")) {
    const auto* list = precision->get_if<std::shared_ptr<const AttrList>>();
    for (size_t i = 0; list != nullptr && i < (*list)->size(); ++i) {
      const std::string* word = (**list)[i].get_if<std::string>();
      if (word != nullptr && *word != "DEFAULT")
        c.fail("dot_general_c21", "precision_config beside an algorithm: got " + *word + ", expected DEFAULT");
    }
  }
  for (const auto& [label, attr] :
       {std::pair{"dot_general_c22", "lhs_component_count"}, std::pair{"dot_general_c23", "rhs_component_count"},
        std::pair{"dot_general_c24", "num_primitive_operations"}}) {
    if (a.integer_or(attr, 1) <= 0)
      c.fail(label, std::string(attr) + " must be positive: got " + std::to_string(a.integer_or(attr, 1)));
  }
  const std::string lhs = a.text_or("lhs_precision_type", ""), rhs = a.text_or("rhs_precision_type", ""),
                    sum = a.text_or("accumulation_type", "");
  const int64_t passes = a.integer_or("num_primitive_operations", 1);
  const bool imprecise = a.boolean_or("allow_imprecise_accumulation", false);
  const bool single = a.integer_or("lhs_component_count", 1) == 1 && a.integer_or("rhs_component_count", 1) == 1;
  const auto is_f8 = [](const std::string& t) { return t.starts_with("f8") && t != "f8E8M0FNU"; };
  struct Row {
    std::string_view operand, sum;
    std::initializer_list<int64_t> passes;
  };
  bool known = is_f8(lhs) && is_f8(rhs) && sum == "f32" && passes == 1;
  const Row rows[] = {
      {"f16", "f16", {1}},     {"f16", "f32", {1}}, {"bf16", "bf16", {1}}, {"bf16", "f32", {1, 3, 6, 9}},
      {"tf32", "f32", {1, 3}}, {"f32", "f32", {1}}, {"f64", "f64", {1}}};
  for (const Row& row : rows) {
    known = known || (!imprecise && lhs == row.operand && rhs == row.operand && sum == row.sum &&
                      std::find(row.passes.begin(), row.passes.end(), passes) != row.passes.end());
  }
  if (!known || !single) {
    c.fail("", "algorithm: got " + lhs + " x " + rhs + " -> " + sum + " in " + std::to_string(passes) + " operations" +
                   (imprecise ? ", imprecise" : "") + ", expected one that is known of some hardware");
  }
}

}  // namespace

std::vector<Type> type_dot_general(const TypeContext& c) {
  c.expect_operands(2);
  expect_tensor(c, 0);
  expect_tensor(c, 1);
  const Type lhs = c.operands[0], rhs = c.operands[1];
  // The free axes need valid lists, so they are computed after the checks.
  const auto& lb = c.attrs.ints("lhs_batching_dimensions");
  const auto& rb = c.attrs.ints("rhs_batching_dimensions");
  const auto& lc = c.attrs.ints("lhs_contracting_dimensions");
  const auto& rc = c.attrs.ints("rhs_contracting_dimensions");
  expect_count(c, "dot_general_c1", "rhs_batching_dimensions", rb.size(), lb.size());
  expect_count(c, "dot_general_c2", "rhs_contracting_dimensions", rc.size(), lc.size());
  expect_unique(c, "dot_general_c3", "lhs_batching_dimensions with lhs_contracting_dimensions", joined({lb, lc}));
  expect_unique(c, "dot_general_c4", "rhs_batching_dimensions with rhs_contracting_dimensions", joined({rb, rc}));
  expect_in_range(c, "dot_general_c5", "lhs_batching_dimensions", lb, lhs.rank());
  expect_in_range(c, "dot_general_c6", "lhs_contracting_dimensions", lc, lhs.rank());
  expect_in_range(c, "dot_general_c7", "rhs_batching_dimensions", rb, rhs.rank());
  expect_in_range(c, "dot_general_c8", "rhs_contracting_dimensions", rc, rhs.rank());
  const auto expect_extents = [&](std::string_view label, std::string_view what, const std::vector<int64_t>& l,
                                  const std::vector<int64_t>& r) {
    for (size_t i = 0; i < l.size(); ++i) {
      if (!compatible_extent(lhs.dim(l[i]), rhs.dim(r[i]))) {
        c.fail(label, "extents of " + std::string(what) + " dimensions of rhs: got " +
                          format_list(pick(rhs.shape(), r)) + ", expected " + format_list(pick(lhs.shape(), l)));
      }
    }
  };
  expect_extents("dot_general_c9", "batching", lb, rb);
  expect_extents("dot_general_c10", "contracting", lc, rc);
  check_precision(c, "dot_general_c11");
  // The floats of eight bits may differ, as MLIR's verifier lets them: FP8 training multiplies f8E5M2 by f8E4M3FN.
  const auto is_f8 = [](ElementType t) { return is_float(t) && bit_width(t) == 8; };
  if (lhs.element_type() != rhs.element_type() && !(is_f8(lhs.element_type()) && is_f8(rhs.element_type()))) {
    c.fail("dot_general_c13", "element type of rhs: got " + std::string(name(rhs.element_type())) + ", expected " +
                                  std::string(name(lhs.element_type())));
  }
  check_algorithm(c);
  const Dot dot(c.attrs, lhs.rank(), rhs.rank());
  const std::vector<int64_t> shape =
      joined({pick(lhs.shape(), lb), pick(lhs.shape(), dot.lhs_free), pick(rhs.shape(), dot.rhs_free)});
  // A wider (or other) result type is the caller's wish: operands are multiplied and summed in it.
  const bool declared = c.declared.size() == 1 && c.declared[0].is_tensor();
  const std::vector<int64_t> lhs_bounds = bounds_of(lhs), rhs_bounds = bounds_of(rhs);
  const Type result =
      Type::tensor(declared ? c.declared[0].element_type() : lhs.element_type(), shape)
          .with_bounds(joined({pick(lhs_bounds, lb), pick(lhs_bounds, dot.lhs_free), pick(rhs_bounds, dot.rhs_free)}));
  if (declared && !is_compatible(result, c.declared[0]))
    c.expect_equal("dot_general_c12", "result type", c.declared[0], result);
  return {result};
}

std::vector<Value> transpose_dot_general(TransposeContext& context, const OpView& op,
                                         std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const Dot dot(op);
  const Attrs& attrs = op.attrs();
  const Value lhs = op.operand(0), rhs = op.operand(1);
  const int64_t nb = dot.batches(), nl = static_cast<int64_t>(dot.lhs_free.size()),
                nr = static_cast<int64_t>(dot.rhs_free.size());
  std::vector<Value> out(2);
  if (context.is_linear(0)) {
    out[0] = transpose_side(b, attrs, cotangents[0], rhs, op.operand_type(0), dot.lhs_batching, dot.lhs_free,
                            dot.lhs_contracting, dot.rhs_batching, dot.rhs_free, dot.rhs_contracting,
                            axis_range(nb + nl, nr));
  } else {
    out[1] =
        transpose_side(b, attrs, cotangents[0], lhs, op.operand_type(1), dot.rhs_batching, dot.rhs_free,
                       dot.rhs_contracting, dot.lhs_batching, dot.lhs_free, dot.lhs_contracting, axis_range(nb, nl));
  }
  return out;
}

std::vector<LaneValue> vectorize_dot_general(VectorizeContext& context, const OpView& op,
                                             std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const Dot dot(op);
  const bool l = operands[0].varies, r = operands[1].varies;
  DotDims dims = dot;
  if (l) {
    dims.lhs_batching = shifted(dims.lhs_batching);
    dims.lhs_contracting = shifted(dims.lhs_contracting);
  }
  if (r) {
    dims.rhs_batching = shifted(dims.rhs_batching);
    dims.rhs_contracting = shifted(dims.rhs_contracting);
  }
  int64_t lane = 0;  // where the result has the lane axis
  if (l && r) {
    dims.lhs_batching.insert(dims.lhs_batching.begin(), 0);
    dims.rhs_batching.insert(dims.rhs_batching.begin(), 0);
  } else {
    lane = l ? dot.batches() : dot.batches() + static_cast<int64_t>(dot.lhs_free.size());
  }
  const Type result = op.result_type();
  std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
  shape.insert(shape.begin() + lane, context.lanes());
  const Type declared[] = {result.with_shape(shape)};
  const Value values[] = {operands[0].value, operands[1].value};
  const Value product = b.create("stablehlo.dot_general", values, with_dims(op.attrs(), dims), declared)[0];
  return {{move_axis(b, product, lane, 0), true}};
}

Cost cost_dot_general(const OpView& op) {
  const Dot dot(op);
  const Type result = op.result_type();
  if (!result.is_static() || !op.operand_type(0).is_static()) return {0, moved_bytes(op)};
  double depth = 1;
  for (int64_t d : dot.lhs_contracting) depth *= static_cast<double>(op.operand_type(0).dim(d));
  return {2 * depth * static_cast<double>(result.num_elements()), moved_bytes(op)};
}

std::vector<Sample> samples_dot_general() {
  const auto sample = [](std::string label, ElementType e, std::vector<int64_t> lhs, std::vector<int64_t> rhs,
                         DotDims dims) {
    return Sample{
        std::move(label),
        {{Type::tensor(e, lhs), {}}, {Type::tensor(e, rhs), {}}},
        [dims](OpBuilder& b, std::span<const Value> x) { return std::vector{b.dot_general(x[0], x[1], dims)}; }};
  };
  std::vector<Sample> out;
  for (ElementType e : {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kF16}) {
    out.push_back(sample("matrix_" + std::string(name(e)), e, {3, 4}, {4, 2}, {{}, {}, {1}, {0}}));
  }
  out.push_back(sample("vectors", ElementType::kF64, {5}, {5}, {{}, {}, {0}, {0}}));
  out.push_back(sample("outer", ElementType::kF64, {2}, {3}, {}));
  out.push_back(sample("scalars", ElementType::kF64, {}, {}, {}));
  out.push_back(sample("batched", ElementType::kF64, {2, 3, 4}, {4, 2, 5}, {{0}, {1}, {2}, {0}}));
  out.push_back(
      sample("two_contracted_crossed", ElementType::kF64, {3, 2, 4, 2}, {4, 2, 5, 3}, {{3}, {1}, {2, 0}, {0, 3}}));
  out.push_back(sample("two_batched_crossed", ElementType::kF64, {2, 3, 2}, {3, 4, 2}, {{0, 1}, {2, 0}, {}, {}}));
  out.push_back(sample("empty_depth", ElementType::kF32, {2, 0}, {0, 3}, {{}, {}, {1}, {0}}));
  out.push_back(sample("empty_result", ElementType::kF32, {0, 2}, {2, 3}, {{}, {}, {1}, {0}}));
  Sample integers = sample("i32", ElementType::kI32, {3, 4}, {4, 2}, {{}, {}, {1}, {0}});
  integers.differentiable = false;
  out.push_back(integers);
  return out;
}

}  // namespace weft
