#include <algorithm>
#include <functional>

#include "ops/quantized/quantization.h"
#include "ops/scalar/num.h"
#include "ops/structural/dynamic.h"

namespace weft {
namespace {

/// Scales, as numbers of the expressed type, and zero points of the elements of a tensor.
class Parameters {
 public:
  Parameters(const Quantization& q, std::span<const int64_t> shape) : q_(q) {
    for (double s : q.scales) scales_.push_back(rounded(Num::of_real(q.expressed, s)));
    if (!q.per_axis()) return;
    extent_ = shape[static_cast<size_t>(q.axis)];
    for (size_t d = static_cast<size_t>(q.axis) + 1; d < shape.size(); ++d) inner_ *= shape[d];
    if (extent_ != static_cast<int64_t>(q.scales.size())) {
      throw UserError("a tensor quantized per axis: got " + std::to_string(extent_) +
                      " positions along the quantization dimension, expected " + std::to_string(q.scales.size()));
    }
  }
  size_t channel(int64_t i) const { return q_.per_axis() ? static_cast<size_t>(i / inner_ % extent_) : 0; }
  const Num& scale(size_t channel) const { return scales_[channel]; }
  int64_t zero_point(size_t channel) const { return q_.zero_points[channel]; }

 private:
  const Quantization& q_;
  std::vector<Num> scales_;
  int64_t extent_ = 1, inner_ = 1;
};

Num number_of(ElementType expressed, int64_t integer) {
  return convert(Num::of_bits(ElementType::kI64, integer), expressed);
}

Tensor dequantized(const EvalValue& v, Type t) {
  return t.is_quantized() ? dequantize(v.tensor, *t.quantization()) : v.tensor;
}

/// An op without regions by its own rule, with extents as at hand where they are open.
std::vector<EvalValue> eval_plain(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  return has_open_shape(op) ? eval_with_extents(context, op, operands)
                            : record(op).eval.require(op, "evaluation")(context, op, operands);
}

std::vector<EvalValue> eval_computing(EvalContext& context, const OpView& op, std::span<const EvalValue> operands,
                                      StandIns& stand_ins) {
  std::vector<EvalValue> numbers;
  for (size_t i = 0; i < operands.size(); ++i) numbers.emplace_back(dequantized(operands[i], op.operand_type(i)));
  std::vector<EvalValue> results = eval_plain(context, stand_ins.get(op, expressed_type), numbers);
  for (size_t i = 0; i < results.size(); ++i) {
    const Type t = op.result_type(i);
    if (t.is_quantized()) results[i] = quantize(results[i].tensor, *t.quantization(), t.element_type());
  }
  return results;
}

/// The record's own rule, on operands that are promoted to what the region works on.
std::vector<EvalValue> eval_combining(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  std::vector<EvalValue> promoted(operands.begin(), operands.end());
  // An operand that two regions read has one type in both, or is promoted for the last, which combines.
  std::vector<Type> wanted(operands.size());
  for (const BodyOperand& b : body_operands(op.def(), operands.size()))
    wanted[b.operand] = op.function.type(op.function.args(op.region(b.region))[b.argument]);
  const bool selects = op.regions().size() > 1;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Type from = op.operand_type(i);
    if (!wanted[i] || !from.is_quantized() || same_elements(from, wanted[i]) || (selects && i == 0)) continue;
    promoted[i] = quantize(dequantized(operands[i], from), *wanted[i].quantization(), wanted[i].element_type());
  }
  return record(op).eval.require(op, "evaluation")(context, op, promoted);
}

}  // namespace

Tensor dequantize(const Tensor& x, const Quantization& q) {
  const Parameters parameters(q, x.shape());
  Tensor out(q.expressed, x.shape());
  for (int64_t i = 0; i < out.size(); ++i) {
    const size_t c = parameters.channel(i);
    const Num stored = load_num(x.raw(), x.element_type(), i);
    Num value = number_of(q.expressed, stored.bits - parameters.zero_point(c)) * parameters.scale(c);
    value.type = q.expressed;
    store_num(out.raw(), value, i);
  }
  return out;
}

Tensor quantize(const Tensor& x, const Quantization& q, ElementType storage) {
  const Parameters parameters(q, x.shape());
  const Num low = number_of(q.expressed, q.storage_min), high = number_of(q.expressed, q.storage_max);
  std::vector<Num> zero_points;
  for (int64_t z : q.zero_points) zero_points.push_back(number_of(q.expressed, z));
  Tensor out(storage, x.shape());
  for (int64_t i = 0; i < out.size(); ++i) {
    const size_t c = parameters.channel(i);
    const Num scaled = rounded(load_num(x.raw(), q.expressed, i) / parameters.scale(c));
    const Num moved = rounded(scaled + zero_points[c]);
    const Num integer = convert(round_even(minimum(maximum(moved, low), high)), ElementType::kI64);
    // The bounds as numbers of the expressed type may lie outside (2^31 for the largest i32).
    store_num(out.raw(), Num::of_bits(storage, std::clamp(integer.bits, q.storage_min, q.storage_max)), i);
  }
  return out;
}

Tensor zeros_of(Type t, const Shape& shape) {
  Tensor zeros = Tensor::zeros(t.is_quantized() ? t.quantization()->expressed : t.element_type(), shape);
  return t.is_quantized() ? quantize(zeros, *t.quantization(), t.element_type()) : zeros;
}

OpView StandIns::get(const OpView& op, Type (*stand_in)(Type)) {
  std::unique_ptr<Function>& f = functions_[op.id];
  if (f == nullptr) {
    f = std::make_unique<Function>("stand-ins");
    std::vector<Value> values;
    for (size_t i = 0; i < op.num_operands(); ++i)
      values.push_back(f->add_arg(f->body(), stand_in(op.operand_type(i))));
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(stand_in(op.result_type(i)));
    f->append(f->body(), op.def(), values, op.function.shared_attrs(op.id), types, {}, op.loc());
  }
  return {*f, f->ops(f->body())[0]};
}

std::vector<EvalValue> eval_quantized(EvalContext& context, const OpView& op, std::span<const EvalValue> operands,
                                      StandIns& stand_ins) {
  switch (quantized_use(op.def())) {
    case QuantizedUse::kCompute:
    case QuantizedUse::kAdd:
    case QuantizedUse::kContraction: return eval_computing(context, op, operands, stand_ins);
    case QuantizedUse::kMove:
    case QuantizedUse::kRearrange: return eval_plain(context, stand_ins.get(op, storage_type), operands);
    case QuantizedUse::kBody: return eval_combining(context, op, operands);
    case QuantizedUse::kOwn:
    case QuantizedUse::kMoveEach: break;
    case QuantizedUse::kPass:
      if (op.def().mnemonic != "stablehlo.custom_call") break;
      throw Unsupported("[stablehlo.custom_call] @" + op.attrs().text_or("call_target_name", "") +
                            ": handlers take no quantized types",
                        op.loc());
    case QuantizedUse::kNone:
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] takes no quantized types", op.loc());
  }
  return record(op).eval.require(op, "evaluation")(context, op, operands);
}

}  // namespace weft
