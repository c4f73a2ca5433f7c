#include "ops/reduction/fold.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/families.h"
#include "ops/quantized/quantization.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/window_rules.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

bool works_on_scalars(const OpView& op) {
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_scalar()) return false;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_scalar()) return false;
  }
  return true;
}

/// Rows [from, to) of the first axis, every `step`-th.
Value rows(OpBuilder& b, Value x, int64_t from, int64_t to, int64_t step) {
  const Type t = b.type(x);
  std::vector<int64_t> start(static_cast<size_t>(t.rank()), 0), limit(t.shape().begin(), t.shape().end()),
      strides(static_cast<size_t>(t.rank()), 1);
  start[0] = from;
  limit[0] = to;
  strides[0] = step;
  return b.slice(x, start, limit, strides);
}

/// Folds arrays along `dims`, starting with the init values.
std::vector<Value> fold(OpBuilder& b, const OpView& op, std::vector<Value> xs, std::span<const Value> inits,
                        std::vector<int64_t> dims) {
  std::sort(dims.begin(), dims.end());
  const Type type = b.type(xs[0]);
  const std::vector<int64_t> kept = kept_axes(type.rank(), dims), rest = pick(type.shape(), kept);
  int64_t count = num_elements(pick(type.shape(), dims));
  const auto combine = [&](std::span<const Value> left, std::span<const Value> right) {
    std::vector<Value> both(left.begin(), left.end());
    both.insert(both.end(), right.begin(), right.end());
    const Type t = b.type(both[0]);
    return body_on_arrays(b, op.function, op.region(0), both, t.shape());
  };
  std::vector<Value> starts;
  for (size_t i = 0; i < xs.size(); ++i) starts.push_back(b.broadcast_scalar(inits[i], rest));
  if (count == 0) return starts;
  std::vector<int64_t> flat = rest;
  flat.insert(flat.begin(), count);
  const std::vector<int64_t> order = joined({dims, kept});
  for (Value& x : xs) x = b.reshape(b.transpose(x, order), flat);
  for (; count > 1; count = (count + 1) / 2) {
    const int64_t even = count / 2 * 2;
    std::vector<Value> left, right;
    for (Value x : xs) {
      left.push_back(rows(b, x, 0, even, 2));
      right.push_back(rows(b, x, 1, even, 2));
    }
    const std::vector<Value> pairs = combine(left, right);
    for (size_t i = 0; i < xs.size(); ++i) {
      const Value parts[] = {pairs[i], even == count ? Value{} : rows(b, xs[i], even, count, 1)};
      xs[i] = even == count ? pairs[i] : b.concatenate(parts, 0);
    }
  }
  for (Value& x : xs) x = b.reshape(x, rest);
  return combine(starts, xs);
}

/// Inputs and init values in the element types that the body computes in.
std::vector<Value> in_body_types(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const size_t n = op.num_results();
  std::vector<Value> out;
  for (size_t i = 0; i < 2 * n; ++i) out.push_back(b.convert(operands[i], op.result_type(i % n).element_type()));
  return out;
}

}  // namespace

bool works_on_arrays(const Function& f, RegionId body) {
  for (OpId id : f.ops(body)) {
    const OpView inner{f, id};
    const bool is_constant = inner.def().mnemonic == "stablehlo.constant";
    if (!inner.def().is_terminator && !is_constant && (record(inner).scalar.refused() || inner.num_results() != 1))
      return false;
    if (!works_on_scalars(inner) || touches_quantized(inner)) return false;
  }
  return true;
}

std::vector<Value> body_on_arrays(OpBuilder& b, const Function& f, RegionId body, std::span<const Value> given,
                                  std::span<const int64_t> shape) {
  std::vector<std::pair<Value, Value>> map;
  for (size_t i = 0; i < given.size(); ++i) map.emplace_back(f.args(body)[i], given[i]);
  const auto at = [&](Value v) {
    for (const auto& [from, to] : map) {
      if (from == v) return to;
    }
    return b.broadcast_scalar(v, shape);  // captured
  };
  for (OpId id : f.ops(body)) {
    const OpView inner{f, id};
    std::vector<Value> operands(inner.operands().begin(), inner.operands().end());
    for (Value& v : operands) v = at(v);
    if (inner.def().is_terminator) return operands;
    const Type type = Type::tensor(inner.result_type().element_type(), shape);
    map.emplace_back(inner.result(),
                     inner.def().mnemonic == "stablehlo.constant"
                         ? b.constant(Literal::splat_of(type, inner.attrs().literal("value").materialize()))
                         : b.create(inner.def(), operands, inner.attrs(), std::span(&type, 1))[0]);
  }
  return {};
}

std::vector<Value> reduce_by_halves(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const std::vector<Value> all = in_body_types(b, op, operands);
  const auto n = static_cast<std::ptrdiff_t>(op.num_results());
  return fold(b, op, {all.begin(), all.begin() + n}, std::span(all).subspan(op.num_results()),
              op.attrs().ints("dimensions"));
}

std::vector<Value> reduce_window_by_halves(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const std::vector<Value> all = in_body_types(b, op, operands);
  const size_t n = op.num_results();
  const Window window(op);
  std::vector<Value> laid;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < n; ++i) laid.push_back(lay_out_windows(b, b, window, all[i], all[n + i]));
  for (int64_t d = 0; d < op.result_type().rank(); ++d) dims.push_back(2 * d + 1);
  return fold(b, op, laid, std::span(all).subspan(n), dims);
}

void expect_foldable(const OpView& op, std::string_view what) {
  if (!captures(op.function, op.region(0)).empty())
    refuse_body(op, what,
                "the body is no op with a rule of its own, and it uses a value from outside; pass it as an operand");
  if (!works_on_arrays(op.function, op.region(0))) {
    refuse_body(
        op, what,
        "the body is no op with a rule of its own, and an op in it does not work element by element; write it in "
        "elementwise ops");
  }
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_static())
      refuse_body(op, what, "the body is no op with a rule of its own, and shapes are not known; refine them first");
  }
}

}  // namespace weft
