#include <algorithm>
#include <cmath>

#include "ops/expansion.h"
#include "ops/families.h"
#include "ops/indexing/index_elements.h"
#include "ops/reduction/fold.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/window_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"

namespace weft {

std::string_view selection_direction(const Function& f, RegionId body) {
  const std::vector<BodyResult> results = classify_results(f, body);
  std::string_view direction;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].predicate || results[i].predicate != results[0].predicate ||
        results[i].swapped != results[0].swapped)
      return {};
  }
  if (results.empty()) return {};
  direction = compared(f, body, results[0].predicate, 0, results.size());
  if (!results[0].swapped) return direction == "EQ" || direction == "NE" ? std::string_view{} : direction;
  // a < b ? b : a keeps a when a >= b.
  if (direction == "LT") return "GE";
  if (direction == "LE") return "GT";
  if (direction == "GT") return "LE";
  if (direction == "GE") return "LT";
  return {};
}

std::vector<Value> emit_select_window(OpBuilder& b, const Window& window, std::span<const Value> inputs,
                                      std::span<const Value> inits, std::string_view direction) {
  std::vector<Type> types;
  for (int half = 0; half < 2; ++half) {
    for (Value x : inputs) types.push_back(Type::scalar(b.type(x).element_type()));
  }
  const size_t n = inputs.size();
  const RegionId body = b.make_region(types, [&](OpBuilder& r, std::span<const Value> a) {
    const Value first = r.compare(a[0], a[n], direction);
    std::vector<Value> out;
    for (size_t i = 0; i < n; ++i) out.push_back(r.select(first, a[i], a[n + i]));
    return out;
  });
  std::vector<Value> operands(inputs.begin(), inputs.end());
  operands.insert(operands.end(), inits.begin(), inits.end());
  return b.create("stablehlo.reduce_window", operands, window.reduce_attrs(), {}, std::span(&body, 1));
}

Value emit_select_and_scatter(OpBuilder& b, const Window& window, Value x, Value source, Value init,
                              std::string_view direction) {
  const Type scalar = Type::scalar(b.type(x).element_type());
  const Type types[] = {scalar, scalar};
  const RegionId select = b.make_region(
      types, [&](OpBuilder& r, std::span<const Value> a) { return std::vector{r.compare(a[0], a[1], direction)}; });
  const RegionId regions[] = {select, b.binary_region(b.type(source).element_type(), "stablehlo.add")};
  const Value operands[] = {x, source, init};
  return b.create("stablehlo.select_and_scatter", operands, window.select_attrs(), {}, regions)[0];
}

namespace {

bool keeps_larger(std::string_view direction) { return direction[0] == 'G'; }

/// The value that any other replaces in a selection by `direction`.
Value losing_value(OpBuilder& b, ElementType element, std::string_view direction) {
  return b.scalar(element, keeps_larger(direction) ? -HUGE_VAL : HUGE_VAL);
}

/// True when v is a constant that loses every selection.
bool is_losing_constant(const OpBuilder& b, Value v, std::string_view direction) {
  const OpId op = b.function().defining_op(v);
  if (!op || b.function().def(op).mnemonic != "stablehlo.constant") return false;
  const Literal& literal = b.function().attrs(op).literal("value");
  const double worst = keeps_larger(direction) ? -HUGE_VAL : HUGE_VAL;
  switch (literal.type.element_type()) {
    case ElementType::kF64: return *reinterpret_cast<const double*>(literal.element(0)) == worst;
    case ElementType::kF32: return *reinterpret_cast<const float*>(literal.element(0)) == worst;
    case ElementType::kF16: return float(*reinterpret_cast<const f16*>(literal.element(0))) == worst;
    case ElementType::kBF16: return float(*reinterpret_cast<const bf16*>(literal.element(0))) == worst;
    default: return false;
  }
}

/// Tangents of results that a selection by `direction` on input 0 picks, for the results in `which`.
std::vector<Value> selected_tangents(LinearizeContext& context, const OpView& op, const Window& window,
                                     std::span<const Value> primals, std::span<const Value> tangents,
                                     std::span<const Value> results, std::span<const size_t> which,
                                     std::string_view direction) {
  const size_t n = op.num_results();
  const Value x = primals[0], init = primals[n];
  std::vector<Value> inputs;  // tangents of the inputs, then of the init values
  std::vector<Type> types;
  for (size_t i : which) {
    inputs.push_back(tangents[i]);
    types.push_back(op.result_type(i));
  }
  for (size_t i : which) inputs.push_back(tangents[n + i]);
  const size_t m = which.size();
  // Where the init value itself is the result, no element gets anything.
  Value init_won;
  if (!is_losing_constant(context.primal(), init, direction)) {
    OpBuilder& b = context.primal();
    init_won = b.compare(results[0], b.broadcast_scalar(init, b.type(results[0]).shape()), "EQ");
  }
  const std::vector<Type> element_types = types;
  const Type x_type = op.operand_type(0);
  const auto forward = [=](OpBuilder& b, std::span<const Value> t) {
    std::vector<Value> values = {x}, starts = {init};
    for (size_t k = 0; k < m; ++k) {
      const ElementType e = element_types[k].element_type();
      values.push_back(t[k] ? t[k] : b.zeros(x_type.with_element(e)));
      starts.push_back(t[m + k] ? t[m + k] : b.scalar(e, 0));
    }
    std::vector<Value> out = emit_select_window(b, window, values, starts, direction);
    out.erase(out.begin());
    return out;
  };
  const auto transposed = [=](OpBuilder& b, std::span<const Value> cotangents) {
    std::vector<Value> out(2 * m);
    for (size_t k = 0; k < m; ++k) {
      if (!cotangents[k]) continue;
      const Type t = b.type(cotangents[k]);
      const Value zero = b.zeros(t);
      const Value to_elements = init_won ? b.select(init_won, zero, cotangents[k]) : cotangents[k];
      out[k] = emit_select_and_scatter(b, window, x, to_elements, b.scalar(t.element_type(), 0), direction);
      if (init_won)
        out[m + k] = b.reduce(b.select(init_won, cotangents[k], zero), axis_range(0, t.rank()), "stablehlo.add");
    }
    return out;
  };
  return context.linear_map(inputs, types, forward, transposed);
}

}  // namespace

Value lay_out_windows(OpBuilder& b, OpBuilder& constants, const Window& w, Value x, Value padding) {
  const Type type = b.type(x);
  const std::vector<int64_t> counts = w.counts(type.shape());
  std::vector<int64_t> low, high, interior;
  for (size_t d = 0; d < counts.size(); ++d) {
    low.push_back(w.padding[2 * d]);
    high.push_back(w.padding[2 * d + 1]);
    interior.push_back(w.base_dilations[d] - 1);
  }
  x = b.pad(x, padding, low, high, interior);
  for (size_t d = 0; d < counts.size(); ++d) {
    // Axis d stands at 2*d by now; one gather reads all windows along it.
    const int64_t axis = static_cast<int64_t>(2 * d), count = counts[d], extent = w.dimensions[d];
    std::vector<int32_t> at;
    for (int64_t o = 0; o < count; ++o) {
      for (int64_t k = 0; k < extent; ++k)
        at.push_back(static_cast<int32_t>(o * w.strides[d] + k * w.window_dilations[d]));
    }
    const Type t = b.type(x);
    std::vector<int64_t> sizes(t.shape().begin(), t.shape().end());
    sizes[static_cast<size_t>(axis)] = 1;
    std::vector<int64_t> offset_dims;
    for (int64_t i = 0; i < t.rank(); ++i) {
      if (i != axis) offset_dims.push_back(i < axis ? i : i + 1);
    }
    const Value indices = constants.constant(Literal::dense(Tensor::of<int32_t>(at, {count, extent})));
    x = b.make("stablehlo.gather", {x, indices},
               Attrs{{"offset_dims", offset_dims},
                     {"collapsed_slice_dims", Attr::Ints{axis}},
                     {"start_index_map", Attr::Ints{axis}},
                     {"index_vector_dim", int64_t{2}},
                     {"slice_sizes", sizes}});
  }
  return x;
}

Linearized linearize_reduce_window(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                   std::span<const Value> tangents) {
  expect_scalar_body(op, "derivative");
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const size_t n = op.num_results();
  const Window window(op);
  const std::vector<BodyResult> body = classify_results(op.function, op.region(0));
  Linearized out;
  out.results = context.clone_primal(op, primals);
  out.tangents.resize(n);
  std::vector<size_t> which;  // results with a tangent
  for (size_t i = 0; i < n; ++i) {
    if ((tangents[i] || tangents[n + i]) && is_differentiable(op.result_type(i))) which.push_back(i);
  }
  const bool no_windows = op.result_type().is_static() && op.result_type().num_elements() == 0;
  if (which.empty() || no_windows) return out;

  // Results picked by comparing input 0, and single maxima and minima, which are such a selection.
  std::string_view direction = selection_direction(op.function, op.region(0));
  if (n == 1 && body[0].kind == BodyKind::kMaximum) direction = "GE";
  if (n == 1 && body[0].kind == BodyKind::kMinimum) direction = "LE";
  bool promotes = false;
  for (size_t i = 0; i < n; ++i)
    promotes = promotes || op.operand_type(i).element_type() != op.result_type(i).element_type();
  if (!direction.empty() && is_differentiable(op.operand_type(0)) && !window.is_dilated() && !promotes) {
    const std::vector<Value> picked =
        selected_tangents(context, op, window, primals, tangents, out.results, which, direction);
    for (size_t k = 0; k < which.size(); ++k) out.tangents[which[k]] = picked[k];
    return out;
  }

  // By any other body: the windows laid out and folded. Costs memory: one element per window element.
  if (std::ranges::any_of(which, [&](size_t i) { return has_no_rule(body[i].kind); })) {
    expect_foldable(op, "derivative");
    out.tangents = expansion_detail::linearize(reduce_window_by_halves, context, op, primals, tangents).tangents;
    return out;
  }
  for (size_t i : which) {
    const ElementType e = op.result_type(i).element_type();
    const Value x_tangent = promoted(linear, tangents[i], e), init_tangent = promoted(linear, tangents[n + i], e);
    const Type type = op.operand_type(i).with_element(e);
    const Value t = x_tangent ? x_tangent : primal.zeros(type), t0 = init_tangent ? init_tangent : primal.scalar(e, 0);
    if (body[i].kind == BodyKind::kAdd) {
      out.tangents[i] = linear.reduce_window(t, t0, window, "stablehlo.add");
      continue;
    }
    // Any other known op: lay the windows out and take reduce's derivative. Costs memory: one element per window element.
    const Value init = promoted(primal, primals[n + i], e);
    const Value laid = lay_out_windows(primal, primal, window, promoted(primal, primals[i], e), init);
    const Value laid_tangent = lay_out_windows(linear, primal, window, t, t0);
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < type.rank(); ++d) dims.push_back(2 * d + 1);
    out.tangents[i] =
        reduce_tangent(context, op, body[i].kind, dims, {laid, init, out.results[i], laid_tangent, init_tangent});
  }
  return out;
}

std::vector<Value> transpose_reduce_window(TransposeContext& context, const OpView& op,
                                           std::span<const Value> cotangents) {
  // Linearization leaves only sums of one operand on the tape.
  OpBuilder& b = context.builder();
  if (op.num_results() != 1 || classify_body(op.function, op.region(0)) != BodyKind::kAdd) {
    refuse_body(op, "transposition", "only a sum of one operand is linear");
  }
  const Window w(op);
  const Type x = op.operand_type(0), result = op.result_type();
  const ElementType e = result.element_type();
  std::vector<Value> out(2);
  if (context.is_linear(0)) {
    if (x.num_elements() == 0 || result.num_elements() == 0) {
      out[0] = b.zeros(x);
    } else {
      // Element i belongs to window o at k when o*stride + k*window_dilation = i*base_dilation + low: again a sum over windows,
      // of the cotangent dilated by the strides.
      Window t = w;
      t.strides = w.base_dilations;
      t.base_dilations = w.strides;
      for (size_t d = 0; d < w.dimensions.size(); ++d) {
        const int64_t reach = (w.dimensions[d] - 1) * w.window_dilations[d] + 1;
        const int64_t extent = (x.shape()[d] - 1) * w.base_dilations[d] + 1,
                      spread = (result.shape()[d] - 1) * w.strides[d] + 1;
        t.padding[2 * d] = reach - 1 - w.padding[2 * d];
        t.padding[2 * d + 1] = extent - 1 + reach - t.padding[2 * d] - spread;
      }
      out[0] = b.convert(b.reduce_window(cotangents[0], b.scalar(e, 0), t, "stablehlo.add"), x.element_type());
    }
  }
  if (context.is_linear(1)) {
    // The init value is counted once, and once for each element of padding.
    const Value counts = b.reduce_window(b.zeros(x.with_element(e)), b.scalar(e, 1), w, "stablehlo.add");
    out[1] = b.convert(b.reduce(b.multiply(cotangents[0], counts), axis_range(0, result.rank()), "stablehlo.add"),
                       x.element_type());
  }
  return out;
}

Linearized linearize_select_and_scatter(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                        std::span<const Value> tangents) {
  // Which elements are selected does not change with the operand, almost everywhere: only source and init value count.
  Linearized out;
  out.results = context.clone_primal(op, primals);
  out.tangents.resize(1);
  const Type result = op.result_type();
  if ((!tangents[1] && !tangents[2]) || !is_differentiable(result)) return out;
  const std::string_view direction = classify_select(op.function, op.region(0)).direction;
  if (classify_body(op.function, op.region(1)) != BodyKind::kAdd) refuse_body(op, "derivative", "scatter is not add");
  if (direction.empty() || direction == "EQ" || direction == "NE")
    refuse_body(op, "derivative", "select is not GE, GT, LE or LT of its arguments");
  OpBuilder &primal = context.primal(), &linear = context.linear();
  const ElementType e = result.element_type();
  const Value source = promoted(linear, tangents[1], e), init = promoted(linear, tangents[2], e);
  out.tangents[0] = source ? emit_select_and_scatter(linear, Window(op), primals[0], source,
                                                     init ? init : primal.scalar(e, 0), direction)
                           : linear.broadcast_scalar(init, result.shape());
  return out;
}

std::vector<Value> transpose_select_and_scatter(TransposeContext& context, const OpView& op,
                                                std::span<const Value> cotangents) {
  OpBuilder& b = context.builder();
  const std::string direction(classify_select(op.function, op.region(0)).direction);
  if (classify_body(op.function, op.region(1)) != BodyKind::kAdd || direction.empty() || direction == "EQ" ||
      direction == "NE") {
    refuse_body(op, "transposition", "only a sum scattered by GE, GT, LE or LT is linear");
  }
  const Window window(op);
  const Value x = op.operand(0);
  const Type source = op.operand_type(1);
  const ElementType element = b.type(x).element_type(), e = b.type(cotangents[0]).element_type();
  std::vector<Value> out(3);
  if (context.is_linear(1)) {
    // Each window reads the cotangent where it selected.
    const Value inputs[] = {x, cotangents[0]}, inits[] = {losing_value(b, element, direction), b.scalar(e, 0)};
    out[1] = b.convert(emit_select_window(b, window, inputs, inits, direction)[1], source.element_type());
  }
  if (context.is_linear(2)) {
    out[2] = b.convert(b.reduce(cotangents[0], axis_range(0, b.type(cotangents[0]).rank()), "stablehlo.add"),
                       source.element_type());
  }
  return out;
}

}  // namespace weft
