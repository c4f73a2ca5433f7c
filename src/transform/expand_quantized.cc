#include "transform/expand_quantized.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/quantized/quantization.h"
#include "ops/record.h"
#include "ops/scalar/num.h"

namespace weft {
namespace {

/// A type with storage integers for quantized elements, also within tuples.
Type stored(Type t) {
  if (t.kind() == TypeKind::kTuple || t.is_future()) {
    std::vector<Type> elements;
    for (Type e : t.elements()) elements.push_back(stored(e));
    return t.is_future() ? Type::future(elements) : Type::tuple(elements);
  }
  return storage_type(t);
}

/// Numbers of the expressed type and their storage, as ops of a builder.
class Elements {
 public:
  Elements(OpBuilder& b, Type quantized) : b_(b), type_(quantized), q_(*quantized.quantization()) {
    if (!quantized.is_static()) {
      throw Unsupported("quantized tensors with open extents run in the evaluator only: got " + quantized.str(), b.loc);
    }
  }

  /// (stored - zero point) · scale; the difference is exact.
  Value dequantize(Value stored) {
    Value x = b_.convert(stored, wide());
    if (std::ranges::any_of(q_.zero_points, [](int64_t z) { return z != 0; })) x = b_.subtract(x, zero_points(wide()));
    return b_.multiply(b_.convert(x, q_.expressed), scales());
  }

  /// x / scale + zero point within the storage range, to the nearest integer.
  Value quantize(Value x) {
    x = b_.divide(x, scales());
    if (std::ranges::any_of(q_.zero_points, [](int64_t z) { return z != 0; })) x = b_.add(x, zero_points(q_.expressed));
    const Num low = bound(q_.storage_min), high = bound(q_.storage_max);
    const Type numbers = b_.type(x), integers = numbers.with_element(wide());
    x = b_.minimum(b_.maximum(x, b_.splat(numbers, low.real)), b_.splat(numbers, high.real));
    x = b_.convert(b_.make("stablehlo.round_nearest_even", {x}), wide());
    // The bounds as numbers may lie outside (2^31 for the largest i32), and NaN becomes 0.
    const bool holds = convert(low, ElementType::kI64).bits >= q_.storage_min &&
                       convert(high, ElementType::kI64).bits <= q_.storage_max && q_.storage_min <= 0 &&
                       q_.storage_max >= 0;
    if (!holds) {
      const Value least = integer_splat(integers, q_.storage_min), most = integer_splat(integers, q_.storage_max);
      x = b_.minimum(b_.maximum(x, least), most);
    }
    return b_.convert(x, type_.element_type());
  }

 private:
  /// Holds every difference of two integers of the storage type.
  ElementType wide() const { return bit_width(type_.element_type()) <= 16 ? ElementType::kI32 : ElementType::kI64; }
  Num bound(int64_t v) const { return convert(Num::of_bits(ElementType::kI64, v), q_.expressed); }

  Value integer_splat(Type t, int64_t v) {
    Tensor one = scalar_tensor(t.element_type(), 0);
    store_num(one.raw(), Num::of_bits(t.element_type(), v), 0);
    return b_.broadcast_scalar(b_.constant(Literal::dense(one)), t.shape());
  }

  Value scales() {
    return spread(q_.expressed, [&](size_t i) { return Num::of_real(q_.expressed, q_.scales[i]); });
  }
  Value zero_points(ElementType t) {
    return spread(t, [&](size_t i) { return convert(Num::of_bits(ElementType::kI64, q_.zero_points[i]), t); });
  }

  /// One number for all elements, or one for each position along the quantization dimension.
  template <class F>
  Value spread(ElementType t, F number) {
    const size_t count = q_.per_axis() ? q_.scales.size() : 1;
    Tensor values = Tensor::zeros(t, q_.per_axis() ? Shape{static_cast<int64_t>(count)} : Shape{});
    for (size_t i = 0; i < count; ++i) store_num(values.raw(), number(i), static_cast<int64_t>(i));
    const Value list = b_.constant(Literal::dense(values));
    const std::vector<int64_t> dims = q_.per_axis() ? std::vector<int64_t>{q_.axis} : std::vector<int64_t>{};
    return b_.broadcast_in_dim(list, dims, type_.shape());
  }

  OpBuilder& b_;
  Type type_;
  const Quantization& q_;
};

class Expander {
 public:
  explicit Expander(const Function& from) : from_(from), map_(from) {}

  std::unique_ptr<Function> run() {
    auto out = std::make_unique<Function>(from_.name());
    to_ = out.get();
    copy_signature(from_, *to_);
    copy_region(from_.body(), to_->body());
    return out;
  }

 private:
  void copy_region(RegionId source, RegionId region) {
    for (Value v : from_.args(source)) map_.set(v, to_->add_arg(region, stored(from_.type(v))));
    for (OpId id : from_.ops(source)) copy_op({from_, id}, region);
  }

  void copy_op(const OpView& op, RegionId region) {
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map_.at(v));
    if (!touches_quantized(op)) return append(op, region, operands, stored);
    OpBuilder b(*to_, region);
    b.loc = op.loc();
    const std::string_view m = op.def().mnemonic;
    switch (quantized_use(op.def())) {
      case QuantizedUse::kCompute:
      case QuantizedUse::kAdd:
      case QuantizedUse::kContraction: return compute(b, op, operands);
      case QuantizedUse::kBody: promote(b, op, operands); break;
      case QuantizedUse::kOwn:
        if (m == "stablehlo.uniform_quantize")
          return map_.set(op.result(), quantized(b, op, number(b, op, 0, operands[0])));
        if (m == "stablehlo.uniform_dequantize") return map_.set(op.result(), number(b, op, 0, operands[0]));
        if (m == "stablehlo.constant") return constant(b, op);
        break;
      case QuantizedUse::kPass:
        if (m != "stablehlo.custom_call") break;
        throw Unsupported("[stablehlo.custom_call] @" + op.attrs().text_or("call_target_name", "") +
                              ": handlers take no quantized types",
                          op.loc());
      case QuantizedUse::kMoveEach:
        if (m == "stablehlo.collective_permute" || m == "stablehlo.collective_broadcast")
          return move_from_zero(b, op, operands);
        break;
      case QuantizedUse::kMove:
      case QuantizedUse::kRearrange: break;
      case QuantizedUse::kNone: throw Unsupported("[" + std::string(m) + "] takes no quantized types", op.loc());
    }
    append(op, region, operands, stored);
  }

  OpId append_to(const OpView& op, RegionId region, std::span<const Value> operands, Type (*map)(Type)) {
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      regions.push_back(to_->new_region());
      copy_region(r, regions.back());
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(map(op.result_type(i)));
    return to_->append(region, op.def(), operands, from_.shared_attrs(op.id), types, regions, op.loc());
  }
  void append(const OpView& op, RegionId region, std::span<const Value> operands, Type (*map)(Type)) {
    const OpId made = append_to(op, region, operands, map);
    for (size_t i = 0; i < op.num_results(); ++i) map_.set(op.result(i), to_->result(made, i));
  }

  Value number(OpBuilder& b, const OpView& op, size_t operand, Value v) {
    const Type t = op.operand_type(operand);
    return t.is_quantized() ? Elements(b, t).dequantize(v) : v;
  }
  Value quantized(OpBuilder& b, const OpView& op, Value x, size_t result = 0) {
    const Type t = op.result_type(result);
    return t.is_quantized() ? Elements(b, t).quantize(x) : x;
  }

  void compute(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
    std::vector<Value> numbers;
    for (size_t i = 0; i < operands.size(); ++i) numbers.push_back(number(b, op, i, operands[i]));
    const OpId made = append_to(op, b.region(), numbers, expressed_type);
    for (size_t i = 0; i < op.num_results(); ++i) map_.set(op.result(i), quantized(b, op, to_->result(made, i), i));
  }

  void constant(OpBuilder& b, const OpView& op) {
    Literal literal = op.attrs().literal("value");
    literal.type = storage_type(literal.type);
    map_.set(op.result(), b.constant(literal));
  }

  /// What no process sends is zero, which is stored as another integer: between moves it is 0. Integers wrap, so nothing is lost.
  void move_from_zero(OpBuilder& b, const OpView& op, std::vector<Value>& operands) {
    std::vector<Value> zeros;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Value zero = b.constant(Literal::dense(zeros_of(op.operand_type(i), {})));
      zeros.push_back(b.broadcast_scalar(zero, op.operand_type(i).shape()));
      operands[i] = b.subtract(operands[i], zeros[i]);
    }
    const OpId made = append_to(op, b.region(), operands, stored);
    for (size_t i = 0; i < op.num_results(); ++i) map_.set(op.result(i), b.add(to_->result(made, i), zeros[i]));
  }

  /// Operands as the region takes them. One that two regions read is promoted for the last, which combines.
  void promote(OpBuilder& b, const OpView& op, std::vector<Value>& operands) {
    std::vector<Type> wanted(operands.size());
    for (const BodyOperand& body : body_operands(op.def(), operands.size()))
      wanted[body.operand] = from_.type(from_.args(op.region(body.region))[body.argument]);
    const bool selects = op.regions().size() > 1;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Type from = op.operand_type(i);
      if (!wanted[i] || !from.is_quantized() || same_elements(from, wanted[i]) || (selects && i == 0)) continue;
      const Value x = Elements(b, from).dequantize(operands[i]);
      operands[i] = Elements(b, from.with_elements_of(wanted[i])).quantize(x);
    }
  }

  const Function& from_;
  ValueMap map_;
  Function* to_ = nullptr;
};

bool is_or_holds_quantized(Type t) {
  if (t.kind() == TypeKind::kTuple || t.is_future()) return std::ranges::any_of(t.elements(), is_or_holds_quantized);
  return t.is_quantized();
}

}  // namespace

bool has_quantized_values(const Function& f) {
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    if (is_or_holds_quantized(f.type(Value{i}))) return true;
  }
  return false;
}

std::unique_ptr<Function> expand_quantized(const Function& f) { return Expander(f).run(); }

}  // namespace weft
