// Which ops take quantized tensors, and the specification's constraints on them. Labels are those of the specification; where it speaks of
// the kind of an operand (per tensor or not), the label is the operand's (add_i1).
#include <algorithm>
#include <array>

#include "base/format.h"
#include "ops/families.h"
#include "ops/quantized/quantization.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

using enum QuantizedUse;

struct Row {
  std::string_view mnemonic;
  QuantizedUse use;
  /// Number of the constraint that ties the elements together; 0 where the specification has none.
  int ties = 0;
  /// kBody: number of the constraint on the elements of the results. kContraction: number of dot_general_c14 and the like.
  int results = 0;
  /// Whether per-axis quantization is taken too.
  bool per_axis = false;
};

constexpr Row kRows[] = {
    {"stablehlo.constant", kOwn, 1, 0, true},
    {"stablehlo.uniform_quantize", kOwn, 0, 0, true},
    {"stablehlo.uniform_dequantize", kOwn, 0, 0, true},
    {"stablehlo.bitcast_convert", kOwn, 0, 0, true},

    {"stablehlo.while", kPass, 0, 0, true},
    {"stablehlo.case", kPass, 0, 0, true},
    {"stablehlo.if", kPass, 0, 0, true},
    {"stablehlo.return", kPass, 0, 0, true},
    {"func.return", kPass, 0, 0, true},
    {"func.call", kPass, 0, 0, true},
    {"stablehlo.composite", kPass, 0, 0, true},
    {"stablehlo.custom_call", kPass, 0, 0, true},
    {"stablehlo.tuple", kPass, 0, 0, true},
    {"stablehlo.get_tuple_element", kPass, 0, 0, true},
    {"stablehlo.optimization_barrier", kPass},
    {"sdy.sharding_constraint", kPass},
    {"stablehlo.async_start", kPass, 0, 0, true},
    {"stablehlo.async_done", kPass, 0, 0, true},
    {"stablehlo.send", kPass, 0, 0, true},
    {"stablehlo.recv", kPass, 0, 0, true},
    {"stablehlo.infeed", kPass, 0, 0, true},
    {"stablehlo.outfeed", kPass, 0, 0, true},
    {"interpreter.run_parallel", kPass, 0, 0, true},

    {"stablehlo.abs", kCompute, 2},
    {"stablehlo.atan2", kCompute, 1},
    {"stablehlo.batch_norm_grad", kCompute, 2},
    {"stablehlo.batch_norm_inference", kCompute, 2},
    {"stablehlo.batch_norm_training", kCompute, 2},
    {"stablehlo.cbrt", kCompute, 1},
    {"stablehlo.ceil", kCompute, 1},
    {"stablehlo.cholesky", kCompute, 1},
    {"stablehlo.clamp", kCompute, 3},
    {"stablehlo.compare", kCompute, 1},
    {"stablehlo.cosine", kCompute, 1},
    {"stablehlo.divide", kCompute, 1},
    {"stablehlo.dynamic_iota", kCompute},
    {"stablehlo.exponential", kCompute, 1},
    {"stablehlo.exponential_minus_one", kCompute, 1},
    {"stablehlo.floor", kCompute, 1},
    {"stablehlo.iota", kCompute},
    {"stablehlo.is_finite", kCompute},
    {"stablehlo.log", kCompute, 1},
    {"stablehlo.log_plus_one", kCompute, 1},
    {"stablehlo.logistic", kCompute, 1},
    {"stablehlo.maximum", kCompute, 1},
    {"stablehlo.minimum", kCompute, 1},
    {"stablehlo.multiply", kCompute, 1},
    {"stablehlo.negate", kCompute, 1},
    {"stablehlo.power", kCompute, 1},
    {"stablehlo.reduce_precision", kCompute, 1},
    {"stablehlo.remainder", kCompute, 1},
    {"stablehlo.round_nearest_afz", kCompute, 1},
    {"stablehlo.round_nearest_even", kCompute, 1},
    {"stablehlo.rsqrt", kCompute, 1},
    {"stablehlo.select", kCompute, 2},
    {"stablehlo.sign", kCompute, 1},
    {"stablehlo.sine", kCompute, 1},
    {"stablehlo.sqrt", kCompute, 1},
    {"stablehlo.subtract", kCompute, 1},
    {"stablehlo.tan", kCompute, 1},
    {"stablehlo.tanh", kCompute, 1},
    {"stablehlo.triangular_solve", kCompute, 1},
    {"chlo.broadcast_add", kCompute},
    {"chlo.broadcast_atan2", kCompute},
    {"chlo.broadcast_compare", kCompute},
    {"chlo.broadcast_divide", kCompute},
    {"chlo.broadcast_maximum", kCompute},
    {"chlo.broadcast_minimum", kCompute},
    {"chlo.broadcast_multiply", kCompute},
    {"chlo.broadcast_power", kCompute},
    {"chlo.broadcast_remainder", kCompute},
    {"chlo.broadcast_select", kCompute},
    {"chlo.broadcast_subtract", kCompute},

    {"stablehlo.add", kAdd, 2, 0, true},
    {"stablehlo.dot", kContraction, 0, 0, true},
    {"stablehlo.dot_general", kContraction, 0, 14, true},
    {"stablehlo.convolution", kContraction, 0, 28, true},
    {"stablehlo.dynamic_conv", kContraction, 0, 28, true},

    {"stablehlo.broadcast", kMove, 1},
    {"stablehlo.concatenate", kMove, 1},
    {"stablehlo.dynamic_gather", kMove, 23},
    {"stablehlo.dynamic_pad", kMove, 1},
    {"stablehlo.dynamic_slice", kMove, 1},
    {"stablehlo.dynamic_update_slice", kMove, 2},
    {"stablehlo.gather", kMove, 23},
    {"stablehlo.get_dimension_size", kMove, 0, 0, true},
    {"stablehlo.pad", kMove, 1},
    {"stablehlo.real_dynamic_slice", kMove, 1},
    {"stablehlo.reverse", kMove, 1},
    {"stablehlo.set_dimension_size", kMove},
    {"stablehlo.slice", kMove, 1},
    {"stablehlo.all_gather", kMoveEach, 6},
    {"stablehlo.all_to_all", kMoveEach, 9},
    {"stablehlo.collective_broadcast", kMoveEach, 3},
    {"stablehlo.collective_permute", kMoveEach, 5},
    {"stablehlo.broadcast_in_dim", kRearrange, 1, 0, true},
    {"stablehlo.dynamic_broadcast_in_dim", kRearrange, 1, 0, true},
    {"stablehlo.dynamic_reshape", kRearrange, 1, 0, true},
    {"stablehlo.reshape", kRearrange, 1, 0, true},
    {"stablehlo.transpose", kRearrange, 1, 0, true},

    {"stablehlo.all_reduce", kBody, 5, 7},
    {"stablehlo.collective_reduce", kBody},
    {"stablehlo.map", kBody, 4},
    {"stablehlo.reduce", kBody, 6, 8},
    {"stablehlo.reduce_scatter", kBody, 7, 9},
    {"stablehlo.reduce_window", kBody, 13, 16},
    {"stablehlo.scatter", kBody, 23, 25},
    {"stablehlo.select_and_scatter", kBody, 10, 12},
    {"stablehlo.sort", kBody, 5},
};

const Row* find_row(const OpDef& def) {
  const auto it = std::ranges::find(kRows, def.mnemonic, &Row::mnemonic);
  return it == std::end(kRows) ? nullptr : it;
}

std::string numbered(const TypeContext& c, int number) { return number == 0 ? "" : constraint(c, number); }

std::string label_of(const TypeContext& c, char kind, size_t i) {
  const std::string_view mnemonic = c.def.mnemonic;
  return std::string(mnemonic.substr(mnemonic.find('.') + 1)) + "_" + kind + std::to_string(i + 1);
}

/// Calls f(type, "operand 0", label) for each operand and declared result.
template <class F>
void for_each_type(const TypeContext& c, F f) {
  for (size_t i = 0; i < c.operands.size(); ++i) f(c.operands[i], "operand " + std::to_string(i), label_of(c, 'i', i));
  for (size_t i = 0; i < c.declared.size(); ++i) f(c.declared[i], "result " + std::to_string(i), label_of(c, 'o', i));
}

std::vector<Type> mapped(std::span<const Type> types, Type (*f)(Type)) {
  std::vector<Type> out;
  for (Type t : types) out.push_back(f(t));
  return out;
}

std::vector<Type> own_rule(const TypeContext& c) {
  const Facet<TypeFn>& rule = record(c.def).type;
  if (rule.refused()) c.fail("", std::string(rule.reason()));
  return (*rule.rule())(c);
}

/// The record's own rule on stand-ins for the operands and results.
std::vector<Type> rule_on(const TypeContext& c, Type (*stand_in)(Type)) {
  return own_rule({c.def, mapped(c.operands, stand_in), c.attrs, c.function, c.regions, mapped(c.declared, stand_in),
                   c.module, c.loc});
}

/// Elements that can be quantized or stand beside such: quantized ones and plain floats.
bool counts(Type t) { return t.is_tensor() && (t.is_quantized() || is_float(t.element_type())); }

void expect_kinds(const TypeContext& c, const Row* row) {
  for_each_type(c, [&](Type t, const std::string& what, const std::string& label) {
    if (!t.is_quantized()) return;
    if (row == nullptr) {
      c.fail(label, what + ": got " + t.str() + ", expected a type that is not quantized (see uniform_dequantize)");
    }
    const bool is_lhs = row->use == kContraction && what == "operand 0";
    if (t.quantization()->per_axis() && (!row->per_axis || is_lhs))
      c.fail(label, what + ": got " + t.str() + ", expected a tensor that is not quantized per axis");
    if (const std::string fault = quantization_fault(t); !fault.empty()) c.fail(label, what + ": " + fault);
  });
}

/// Result types from those of the rule on expressed types: elements as declared, else those of an operand.
std::vector<Type> with_elements(const TypeContext& c, std::vector<Type> types, bool each) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (!types[i].is_tensor() || !is_float(types[i].element_type())) continue;
    if (!c.declared.empty()) {
      if (i < c.declared.size() && c.declared[i].is_quantized()) types[i] = types[i].with_elements_of(c.declared[i]);
      continue;
    }
    const auto source = each && i < c.operands.size() ? c.operands.begin() + static_cast<std::ptrdiff_t>(i)
                                                      : std::ranges::find_if(c.operands, &Type::is_quantized);
    if (source == c.operands.end()) c.declared_result();
    types[i] = types[i].with_elements_of(*source);
  }
  return types;
}

// ---- what computes --------------------------------------------------------------------------------------------------------

void check_compute(const TypeContext& c, const Row& row) {
  Type first;
  for_each_type(c, [&](Type t, const std::string& what, const std::string&) {
    if (!counts(t)) return;
    if (!first) first = t;
    if (!same_baseline(first, t)) {
      c.fail(numbered(c, row.ties), "elements of " + what + ": got " + t.str() + ", expected those of " + first.str() +
                                        " up to scales and zero points");
    }
  });
}

void check_add(const TypeContext& c) {
  c.expect_operands(2);
  const Type lhs = c.operands[0], rhs = c.operands[1], result = c.declared.size() == 1 ? c.declared[0] : lhs;
  for_each_type(c, [&](Type t, const std::string& what, const std::string&) {
    if (!t.is_quantized()) c.fail("add_c2", what + ": got " + t.str() + ", expected a quantized tensor");
  });
  const Quantization &l = *lhs.quantization(), &r = *rhs.quantization(), &o = *result.quantization();
  for_each_type(c, [&](Type t, const std::string& what, const std::string&) {
    if (t.element_type() != lhs.element_type())
      c.fail("add_c3", "storage type of " + what + ": got " + t.str() + ", expected that of " + lhs.str());
    if (t.quantization()->expressed != l.expressed)
      c.fail("add_c4", "expressed type of " + what + ": got " + t.str() + ", expected that of " + lhs.str());
  });
  if ((l.per_axis() || r.per_axis()) != o.per_axis())
    c.fail("add_c5", "the result is quantized per axis exactly when an operand is: got " + result.str());
  if (l.per_axis() && l.axis != o.axis)
    c.fail("add_c6", "quantization dimension of the result: got " + std::to_string(o.axis) +
                         ", expected that of lhs, " + std::to_string(l.axis));
  if (r.per_axis() && r.axis != o.axis)
    c.fail("add_c7", "quantization dimension of the result: got " + std::to_string(o.axis) +
                         ", expected that of rhs, " + std::to_string(r.axis));
}

/// dot_general_c14 to c20, convolution_c28 to c34. `dot`, which has left the specification, takes any operands whose numbers are of
/// one type.
void check_contraction(const TypeContext& c, int first) {
  if (c.operands.size() < 2) c.expect_operands(2);
  expect_tensor(c, 0);
  expect_tensor(c, 1);
  const Type lhs = c.operands[0], rhs = c.operands[1];
  const auto label = [&](int place) { return constraint(c, first + place); };
  if (lhs.is_quantized() && c.declared.empty()) c.declared_result();
  if (first == 0) return;
  const Type result = c.declared.size() == 1 ? c.declared[0] : lhs;
  if (!rhs.is_quantized() || !result.is_tensor() || lhs.is_quantized() != result.is_quantized()) {
    c.fail(label(0), "types: got " + lhs.str() + " and " + rhs.str() + " to " + result.str() +
                         ", expected a quantized rhs, and a quantized result exactly when lhs is");
  }
  const Quantization& r = *rhs.quantization();
  const auto axis_is = [&](std::string_view attr) { return r.axis == c.attrs.integer(attr); };
  int next = 1;
  if (first == 14) {
    if (std::ranges::any_of(r.zero_points, [](int64_t z) { return z != 0; }))
      c.fail(label(next), "zero points of rhs: got " + rhs.str() + ", expected 0");
    ++next;
    if (r.per_axis() && contains(c.attrs.ints("rhs_contracting_dimensions"), r.axis))
      c.fail(label(next), "quantization dimension of rhs: got " + std::to_string(r.axis) +
                              ", expected none of rhs_contracting_dimensions");
  } else {
    if (r.per_axis() && !axis_is("kernel_output_feature_dimension"))
      c.fail(label(next), "quantization dimension of rhs: got " + std::to_string(r.axis) +
                              ", expected kernel_output_feature_dimension");
    ++next;
    const Quantization* o = result.quantization();
    if (o != nullptr && o->per_axis() && o->axis != c.attrs.integer("output_feature_dimension"))
      c.fail(label(next), "quantization dimension of the result: got " + std::to_string(o->axis) +
                              ", expected output_feature_dimension");
  }
  ++next;
  if (lhs.is_quantized()) {
    const Quantization &l = *lhs.quantization(), &o = *result.quantization();
    if (lhs.element_type() != rhs.element_type())
      c.fail(label(next), "storage type of rhs: got " + rhs.str() + ", expected that of " + lhs.str());
    if (l.expressed != r.expressed || l.expressed != o.expressed) {
      c.fail(label(next + 1),
             "expressed types: got " + rhs.str() + " and " + result.str() + ", expected that of " + lhs.str());
    }
    if (!r.per_axis() && o.per_axis())
      c.fail(label(next + 2), "result: got " + result.str() + ", expected one quantized per tensor, as rhs is");
  } else if (lhs.element_type() != r.expressed || result.element_type() != r.expressed) {
    c.fail(label(next + 3), "element types: got " + lhs.str() + " and " + result.str() +
                                ", expected the expressed type of " + rhs.str());
  }
}

// ---- what moves elements ----------------------------------------------------------------------------------------------------

void check_move(const TypeContext& c, const Row& row) {
  Type first;
  for_each_type(c, [&](Type t, const std::string& what, const std::string&) {
    if (!counts(t)) return;
    if (!first) first = t;
    if (!same_elements(first, t))
      c.fail(numbered(c, row.ties), "elements of " + what + ": got " + t.str() + ", expected those of " + first.str());
  });
}

void check_move_each(const TypeContext& c, const Row& row) {
  for (size_t i = 0; i < c.declared.size() && i < c.operands.size(); ++i) {
    const Type from = c.operands[i], to = c.declared[i];
    if ((counts(from) || counts(to)) && !same_elements(from, to)) {
      c.fail(numbered(c, row.ties),
             "elements of result " + std::to_string(i) + ": got " + to.str() + ", expected those of " + from.str());
    }
  }
}

/// The product of extents, or kDynamic.
int64_t product(std::span<const int64_t> extents) {
  int64_t out = 1;
  for (int64_t d : extents) {
    if (d == kDynamic) return kDynamic;
    if (__builtin_mul_overflow(out, d, &out)) return kDynamic;
  }
  return out;
}

void check_reshaped_axis(const TypeContext& c, Type x, Type result) {
  const size_t from = static_cast<size_t>(x.quantization()->axis),
               to = static_cast<size_t>(result.quantization()->axis);
  const std::array<std::pair<int64_t, int64_t>, 3> parts = {
      std::pair{product(x.shape().first(from)), product(result.shape().first(to))},
      {x.shape()[from], result.shape()[to]},
      {product(x.shape().subspan(from + 1)), product(result.shape().subspan(to + 1))}};
  for (const auto& [a, b] : parts) {
    if (!compatible_extent(a, b)) {
      c.fail(constraint(c, 3), "extents before, along and behind the quantization dimension: got " + result.str() +
                                   ", expected as many elements as in " + x.str());
    }
  }
}

void check_rearranged(const TypeContext& c, const Row& row) {
  if (c.operands.empty() || c.declared.size() != 1) return;  // the record's rule has more to say
  const Type x = c.operands[0], result = c.declared[0];
  const auto mismatch = [&](const std::string& label) {
    c.fail(label, "elements of the result: got " + result.str() + ", expected those of " + x.str());
  };
  const std::string ties = numbered(c, row.ties);
  if (!x.is_quantized() || !x.quantization()->per_axis()) {
    if (!same_elements(x, result)) mismatch(ties);
    return;
  }
  const Quantization &from = *x.quantization(), *to = result.quantization();
  if (to == nullptr || !to->per_axis()) mismatch(ties);
  Quantization moved = *to;
  moved.axis = from.axis;
  const bool is_broadcast = c.attrs.has("broadcast_dimensions"), is_transpose = c.attrs.has("permutation");
  const size_t axis = static_cast<size_t>(from.axis), result_axis = static_cast<size_t>(to->axis);
  if (is_broadcast) {
    const auto& dims = c.attrs.ints("broadcast_dimensions");
    if (axis >= dims.size() || dims[axis] != to->axis) {
      c.fail(constraint(c, 6), "quantization dimension of the result: got " + std::to_string(to->axis) +
                                   ", expected broadcast_dimensions[" + std::to_string(axis) + "] in " +
                                   format_list(dims));
    }
    if (x.dim(from.axis) == 1) {
      Quantization repeated = from;
      repeated.scales.assign(to->scales.size(), from.scales[0]);
      repeated.zero_points.assign(to->scales.size(), from.zero_points[0]);
      if (x.element_type() != result.element_type() || moved != repeated) mismatch(constraint(c, 6));
      return;
    }
  }
  if (is_transpose) {
    const auto& permutation = c.attrs.ints("permutation");
    if (result_axis >= permutation.size() || permutation[result_axis] != from.axis) {
      c.fail(constraint(c, 4), "quantization dimension of the operand: got " + std::to_string(from.axis) +
                                   ", expected permutation[" + std::to_string(to->axis) + "] in " +
                                   format_list(permutation));
    }
  } else if (!is_broadcast) {
    check_reshaped_axis(c, x, result);
  }
  if (x.element_type() != result.element_type() || moved != from) mismatch(ties);
}

/// A transposition's result type follows; those of the others are declared.
Type rearranged(const TypeContext& c, Type shape) {
  if (!c.declared.empty()) return shape.with_elements_of(c.declared[0]);
  const Type x = c.operands[0];
  if (!x.is_quantized() || !x.quantization()->per_axis()) return shape.with_elements_of(x);
  if (!c.attrs.has("permutation")) c.declared_result();
  Quantization q = *x.quantization();
  const auto& permutation = c.attrs.ints("permutation");
  q.axis = std::ranges::find(permutation, q.axis) - permutation.begin();
  return Type::quantized(x.element_type(), q, shape.shape());
}

// ---- what combines elements by a region ---------------------------------------------------------------------------------------

/// A region of the same arguments and values in storage types.
RegionId stand_in_region(const Function& from, RegionId region, Function& to) {
  static constexpr OpDef kValues{"values of a region"};
  const RegionId out = to.new_region();
  for (Value v : from.args(region)) to.add_arg(out, storage_type(from.type(v)));
  const OpId last = from.terminator(region);
  if (!last) return out;
  std::vector<Type> types;
  for (Value v : from.operands(last)) types.push_back(storage_type(from.type(v)));
  const OpId values = to.append(out, kValues, {}, Attrs{}, types);
  to.append(out, from.def(last), to.results(values), Attrs{}, {});
  return out;
}

/// is_promotable of the specification, for elements of which one or both are quantized.
bool promotable(Type from, Type to) {
  if (!from.is_quantized() || !to.is_quantized()) return same_elements(from, to);
  return from.quantization()->expressed == to.quantization()->expressed &&
         bit_width(from.element_type()) <= bit_width(to.element_type());
}

void expect_same(const TypeContext& c, const std::string& label, const std::string& what, Type got, Type expected) {
  if (!same_elements(got, expected))
    c.fail(label, "elements of " + what + ": got " + got.str() + ", expected those of " + expected.str());
}

/// What the rule on storage types cannot see: which elements are quantized how.
std::vector<Type> types_with_body(const TypeContext& c, const Row& row) {
  Function scratch("stand-ins");
  std::vector<RegionId> regions;
  for (RegionId r : c.regions) regions.push_back(stand_in_region(c.function, r, scratch));
  std::vector<Type> types = own_rule({c.def, mapped(c.operands, storage_type), c.attrs, scratch, regions,
                                      mapped(c.declared, storage_type), c.module, c.loc});
  if (c.regions.empty() || !c.function.terminator(c.regions.back())) c.fail("", "the region returns nothing");
  const std::string_view m = c.def.mnemonic;
  const Function& f = c.function;
  const std::string ties = numbered(c, row.ties);
  const RegionId body = c.regions.back();
  const auto yielded = f.operands(f.terminator(body));
  std::vector<bool> is_data(c.operands.size(), false);
  for (const BodyOperand& b : body_operands(c.def, c.operands.size())) {
    const Type from = c.operands[b.operand], to = f.type(f.args(c.regions[b.region])[b.argument]);
    is_data[b.operand] = true;
    const bool exact = m == "stablehlo.sort" || m == "stablehlo.map" || b.region + 1 < c.regions.size();
    if (exact ? same_elements(from, to) : promotable(from, to)) continue;
    const std::string label = b.region + 1 < c.regions.size() ? "select_and_scatter_c9" : ties;
    c.fail(label, "argument " + std::to_string(b.argument) + " of the region: got " + to.str() + ", expected " +
                      (exact ? "elements as in " : "a type to which the elements can be promoted of ") + from.str());
  }
  for (size_t i = 0; i < is_data.size(); ++i) {
    if (c.operands[i].is_quantized() && !is_data[i])
      c.fail(label_of(c, 'i', i), "operand " + std::to_string(i) + ": got " + c.operands[i].str() +
                                      ", expected a type that is not quantized");
  }
  const size_t n = c.operands.size() / 2;
  if (m == "stablehlo.reduce" || m == "stablehlo.reduce_window") {
    const std::string label = constraint(c, m == "stablehlo.reduce" ? 2 : 3);
    for (size_t i = 0; i < n; ++i)
      expect_same(c, label, "init value " + std::to_string(i), c.operands[n + i], c.operands[i]);
  } else if (m == "stablehlo.scatter") {
    for (size_t i = 0; i < n; ++i)
      expect_same(c, "scatter_c6", "updates " + std::to_string(i), c.operands[n + 1 + i], c.operands[i]);
  } else if (m == "stablehlo.select_and_scatter") {
    expect_same(c, "select_and_scatter_c1", "source", c.operands[1], c.operands[0]);
    expect_same(c, "select_and_scatter_c3", "init_value", c.operands[2], c.operands[0]);
  }
  if (m == "stablehlo.sort") {
    for (size_t i = 0; i < types.size(); ++i) types[i] = types[i].with_elements_of(c.operands[i]);
  } else {
    const auto args = f.args(body);
    for (size_t i = 0; i < args.size() && m != "stablehlo.map"; ++i)
      expect_same(c, ties, "argument " + std::to_string(i) + " of the body", f.type(args[i]),
                  f.type(yielded[i % yielded.size()]));
    // A collective has one body for all of its operands.
    for (size_t i = 0; i < types.size(); ++i)
      types[i] = types[i].with_elements_of(f.type(yielded[yielded.size() == 1 ? 0 : i]));
  }
  for (size_t i = 0; i < types.size() && i < c.declared.size(); ++i)
    expect_same(c, numbered(c, row.results), "result " + std::to_string(i), c.declared[i], types[i]);
  return types;
}

}  // namespace

QuantizedUse quantized_use(const OpDef& def) {
  const Row* row = find_row(def);
  return row == nullptr ? kNone : row->use;
}

std::vector<Type> quantized_types(const TypeContext& c) {
  const Row* row = find_row(c.def);
  expect_kinds(c, row);
  if (row == nullptr) return own_rule(c);
  switch (row->use) {
    case kNone:
    case kOwn:
    case kPass: return own_rule(c);
    case kCompute: check_compute(c, *row); break;
    case kAdd: check_add(c); break;
    case kContraction: check_contraction(c, row->results); break;
    case kMove: check_move(c, *row); break;
    case kMoveEach: check_move_each(c, *row); break;
    case kRearrange: {
      check_rearranged(c, *row);
      std::vector<Type> types = rule_on(c, expressed_type);
      for (Type& t : types) t = rearranged(c, t);
      return types;
    }
    case kBody: return types_with_body(c, *row);
  }
  return with_elements(c, rule_on(c, expressed_type), row->use == kMoveEach);
}

}  // namespace weft
