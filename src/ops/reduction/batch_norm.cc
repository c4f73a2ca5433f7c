// batch_norm_training, batch_norm_inference, batch_norm_grad: short for the arithmetic that the specification gives.
// Attribute names: epsilon (number), feature_index (int).
#include "ops/expansion.h"
#include "ops/families_list.h"
#include "ops/strided_walk.h"
#include "ops/structural/axis_moves.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

/// Operand 0 with its features, operands 1 … of one element for each of them; `whole` more at the end have operand 0's shape.
std::vector<Type> check_operands(const TypeContext& c, size_t count, size_t whole) {
  c.expect_operands(count);
  for (size_t i = 0; i < count; ++i) expect_class(c, i, kFloatClass);
  const Type x = c.operands[0];
  const int64_t feature = c.attrs.integer("feature_index");
  if (feature < 0 || feature >= x.rank())
    c.fail(constraint(c, 1), "feature_index: got " + std::to_string(feature) + ", expected a dimension of " + x.str());
  for (size_t i = 1; i < count; ++i) {
    const Type t = c.operands[i];
    if (t.element_type() != x.element_type())
      c.fail(constraint(c, 2), "element type of operand " + std::to_string(i) + ": got " +
                                   std::string(name(t.element_type())) + ", expected " +
                                   std::string(name(x.element_type())));
    if (i >= count - whole) {
      if (!is_compatible(t, x))
        c.fail(constraint(c, 3), "type of operand " + std::to_string(i) + ": got " + t.str() + ", expected " + x.str());
      continue;
    }
    const int number = whole > 0 ? (i == 1 ? 5 : 4) : static_cast<int>(i) + 2;
    if (t.rank() != 1 || !compatible_extent(t.dim(0), x.dim(feature)))
      c.fail(constraint(c, number), "shape of operand " + std::to_string(i) + ": got " + format_list(t.shape()) +
                                        ", expected one element for each of the " + std::to_string(x.dim(feature)) +
                                        " features");
  }
  const Attr* epsilon = c.attrs.find("epsilon");
  if (epsilon == nullptr || (epsilon->get_if<double>() == nullptr && epsilon->get_if<int64_t>() == nullptr))
    c.fail("", "epsilon: got " + (epsilon ? epsilon->str() : std::string("nothing")) + ", expected a number");
  const int64_t features[] = {x.dim(feature)};
  const int64_t bounds[] = {extent_of(x, feature).bound};
  return {x, x.with_shape(features).with_bounds(bounds)};
}

std::vector<Type> type_training(const TypeContext& c) {
  const auto t = check_operands(c, 3, 0);
  return {t[0], t[1], t[1]};
}
std::vector<Type> type_inference(const TypeContext& c) { return {check_operands(c, 5, 0)[0]}; }
std::vector<Type> type_grad(const TypeContext& c) {
  const auto t = check_operands(c, 5, 1);
  return {t[0], t[1], t[1]};
}

/// The arithmetic of one op: values of all elements, of one per feature, and between them.
class Normalizer {
 public:
  Normalizer(OpBuilder& b, const OpView& op, Value x) : b_(b), type_(b.type(x)) {
    feature_ = op.attrs().integer("feature_index");
    const Attr& epsilon = *op.attrs().find("epsilon");
    const auto* real = epsilon.get_if<double>();
    // The attribute is an f32.
    epsilon_ = static_cast<double>(static_cast<float>(real ? *real : static_cast<double>(*epsilon.get_if<int64_t>())));
    const int64_t own[] = {feature_};
    others_ = other_axes(type_.rank(), {own});
  }
  Val whole(Value v) const { return {&b_, v}; }
  /// Repeats a value of each feature.
  Val spread(Value v) const {
    const int64_t dims[] = {feature_};
    return {&b_, b_.broadcast_in_dim(v, dims, type_.shape())};
  }
  Val deviation(Val variance) const { return (variance + epsilon_).unary("stablehlo.sqrt"); }
  /// Sum over what is not the feature: a product with ones, which has derivatives and lanes.
  Value sum(Val v) const {
    const Value ones = b_.splat(type_.with_shape(pick(type_.shape(), others_)), 1);
    return b_.dot_general(v.value, ones, {{}, {}, others_, axis_range(0, static_cast<int64_t>(others_.size()))});
  }
  Value mean(Val v) const {
    const Val s{&b_, sum(v)};
    return (s / count()).value;
  }
  double count() const { return static_cast<double>(num_elements(pick(type_.shape(), others_))); }
  double epsilon() const { return epsilon_; }

  Val normalized(Val centered, Value scale, Value offset, Value variance) const {
    return spread(scale) * (centered / deviation(spread(variance))) + spread(offset);
  }

 private:
  OpBuilder& b_;
  Type type_;
  int64_t feature_ = 0;
  double epsilon_ = 0;
  std::vector<int64_t> others_;
};

std::vector<Value> expand_inference(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Normalizer n(b, op, x[0]);
  return {n.normalized(n.whole(x[0]) - n.spread(x[3]), x[1], x[2], x[4]).value};
}

std::vector<Value> expand_training(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Normalizer n(b, op, x[0]);
  const Value mean = n.mean(n.whole(x[0]));
  const Val centered = n.whole(x[0]) - n.spread(mean);
  const Value variance = n.mean(centered * centered);
  return {n.normalized(centered, x[1], x[2], variance).value, mean, variance};
}

std::vector<Value> expand_grad(OpBuilder& b, const OpView& op, std::span<const Value> x) {
  const Normalizer n(b, op, x[0]);
  const Val grad = n.whole(x[4]), centered = n.whole(x[0]) - n.spread(x[2]);
  const Val variance = n.spread(x[3]), deviation = n.deviation(variance);
  const Value offset = n.sum(grad);
  const Val all = grad * n.count() - n.spread(offset);
  const Val slope = n.spread(n.sum(grad * centered)) * centered / (variance + n.epsilon());
  const Val result = n.spread(x[1]) / deviation / n.count() * (all - slope);
  return {result.value, n.sum(grad * (centered / deviation)), offset};
}

std::vector<SampleOperand> operands(Type x, std::initializer_list<bool> is_positive, bool with_gradient) {
  std::vector<SampleOperand> out{{x, {}}};
  const int64_t features[] = {x.dim(1)};
  for (bool positive : is_positive) out.push_back({x.with_shape(features), positive ? Domain{0.5, 2} : Domain{}});
  if (with_gradient) out.push_back({x, {}});
  return out;
}

template <size_t kKind>
std::vector<Sample> samples() {
  constexpr std::string_view kNames[] = {"stablehlo.batch_norm_training", "stablehlo.batch_norm_inference",
                                         "stablehlo.batch_norm_grad"};
  std::vector<Sample> out;
  for (const Type x : {Type::tensor(ElementType::kF64, {3, 2}), Type::tensor(ElementType::kF32, {2, 3, 2})}) {
    const auto given = kKind == 0   ? operands(x, {false, false}, false)
                       : kKind == 1 ? operands(x, {false, false, false, true}, false)
                                    : operands(x, {false, false, true}, true);
    out.push_back({x.str(), given,
                   [=](OpBuilder& b, std::span<const Value> v) {
                     return b.create(kNames[kKind], v, Attrs{{"epsilon", 0.25}, {"feature_index", 1}});
                   },
                   x.element_type() == ElementType::kF64});
  }
  return out;
}

const OpRecord kOps[] = {
    expansion_record<expand_training>("stablehlo.batch_norm_training",
                                      "The operand less its mean over all dimensions but the feature's, over the root "
                                      "of its variance plus epsilon, scaled "
                                      "and shifted; also mean and variance.",
                                      Syntax::kGeneric,
                                      {{"epsilon", AttrKind::kAny}, {"feature_index", AttrKind::kInt}}, type_training,
                                      cost_elementwise, samples<0>),
    expansion_record<expand_inference>(
        "stablehlo.batch_norm_inference", "batch_norm_training with mean and variance given.", Syntax::kGeneric,
        {{"epsilon", AttrKind::kAny}, {"feature_index", AttrKind::kInt}}, type_inference, cost_elementwise, samples<1>),
    expansion_record<expand_grad>(
        "stablehlo.batch_norm_grad",
        "Cotangents of batch_norm_training's operand, scale and offset from that of its first result.",
        Syntax::kGeneric, {{"epsilon", AttrKind::kAny}, {"feature_index", AttrKind::kInt}}, type_grad, cost_elementwise,
        samples<2>),
};

}  // namespace

Family batch_norm_ops() { return kOps; }

}  // namespace weft
