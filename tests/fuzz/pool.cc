#include "tests/fuzz/pool.h"

#include "ops/record.h"
#include "tests/fuzz/templates.h"

namespace weft::fuzz {
namespace {

bool is_plain(Type t) {
  return t.is_tensor() && t.is_static() && !t.is_quantized() && !is_index(t.element_type()) && t.encoding().empty() &&
         t.bounds().empty();
}

}  // namespace

std::optional<Value> Pool::any_tensor(const OpBuilder& b) const {
  std::vector<Value> fit;
  for (Value v : values_) {
    if (is_plain(b.type(v))) fit.push_back(v);
  }
  if (fit.empty()) return {};
  return fit[std::max(random_->below(fit.size()), random_->below(fit.size()))];
}

Value Pool::constant(OpBuilder& b, Type t) const {
  const Numbers numbers = random_->chance(0.5) ? Numbers::kPlain : Numbers::kMixed;
  if (random_->chance(0.4)) {
    // Neutral elements and the like, which rules look for.
    static constexpr std::array kNumbers = {0.0, 1.0, -1.0, 2.0, -0.0};
    const Type scalar = t.with_shape({});
    if (random_->chance(0.7) && !is_complex(t.element_type())) return b.splat(t, random_->pick(kNumbers));
    return b.constant(Literal::splat_of(t, random_tensor(*random_, scalar, numbers)));
  }
  return b.constant(Literal::dense(random_tensor(*random_, t, numbers)));
}

Type Pool::any_type() const {
  static constexpr std::array<ElementType, 6> kCommon = {ElementType::kF32, ElementType::kF64, ElementType::kI32,
                                                         ElementType::kI64, ElementType::kI1,  ElementType::kBF16};
  const ElementType e = random_->chance(0.6) ? random_->pick(kCommon) : random_->pick(element_types());
  static const std::vector<std::vector<int64_t>> kShapes = {
      {}, {}, {3}, {2, 3}, {4}, {1}, {1, 3}, {2, 1}, {3, 2, 2}, {0}, {2, 0}, {2, 3}, {6}, {5}, {2, 2, 3}, {1, 1}};
  return Type::tensor(e, random_->pick(kShapes));
}

std::optional<Value> Pool::find(OpBuilder& b, Type t) const {
  std::vector<Value> fit;
  for (Value v : values_) {
    if (b.type(v) == t) fit.push_back(v);
  }
  if (!fit.empty() && random_->chance(0.85))
    return fit[std::max(random_->below(fit.size()), random_->below(fit.size()))];
  if (!is_plain(t)) return fit.empty() ? std::nullopt : std::optional(random_->pick(fit));
  if (random_->chance(0.5)) {
    if (const auto v = converted(b, t)) return v;
  }
  if (may_add_arguments_ && b.function().args().size() < 8 && random_->chance(0.4))
    return b.function().add_arg(b.function().body(), t);
  return constant(b, t);
}

std::optional<Value> Pool::converted(OpBuilder& b, Type t) const {
  const auto source = any_tensor(b);
  if (!source) return {};
  Value v = *source;
  try {
    if (b.type(v).element_type() != t.element_type())
      v = b.make("stablehlo.convert", {v}, {}, b.type(v).with_element(t.element_type()));
    const Type from = b.type(v);
    if (from == t) return v;
    if (from.num_elements() == t.num_elements()) return b.reshape(v, t.shape());
    if (from.rank() == 0) return b.broadcast_scalar(v, t.shape());
    if (from.num_elements() == 0) return {};
    // Its first elements, or one of them everywhere.
    const int64_t n = from.num_elements();
    const std::array<int64_t, 1> flat = {n}, zero = {0}, one = {1}, most = {t.num_elements()};
    v = b.reshape(v, flat);
    if (n > t.num_elements() && t.num_elements() > 0) return b.reshape(b.slice(v, zero, most), t.shape());
    return b.broadcast_scalar(b.reshape(b.slice(v, zero, one), {}), t.shape());
  } catch (const UserError&) { return {}; }
}

}  // namespace weft::fuzz
