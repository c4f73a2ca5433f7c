#include "ops/elementwise/elementwise.h"

#include <array>

namespace weft {

std::optional<Num> splat_value(SimplifyContext& context, Value v) {
  const Literal* literal = context.constant(v);
  if (literal == nullptr) return std::nullopt;
  if (!literal->splat && literal->elements.size() != 1) return std::nullopt;
  return load_num(literal->elements.raw(), literal->type.element_type(), 0);
}

std::vector<Sample> elementwise_samples(std::string_view mnemonic, size_t count, unsigned classes, Domain real,
                                        bool differentiable) {
  using enum ElementType;
  std::vector<Sample> out;
  const auto add = [&](ElementType t, std::initializer_list<int64_t> shape, std::string_view label, bool special) {
    Domain domain = is_float(t)            ? real
                    : is_signed_integer(t) ? Domain{-20, 20}
                    : t == kI1             ? Domain{0, 1}
                                           : Domain{0, 20};
    domain.special = special;
    domain.smooth_only = !special && differentiable;
    Sample s;
    s.label = std::string(name(t)) + (label.empty() ? "" : " ") + std::string(label);
    s.operands.assign(count, {Type::tensor(t, shape), domain});
    s.emit = [mnemonic](OpBuilder& b, std::span<const Value> x) { return b.create(mnemonic, x); };
    s.differentiable = differentiable && !special && (t == kF32 || t == kF64);
    out.push_back(std::move(s));
  };
  for (ElementType t :
       {kI1, kI2, kI4, kU2, kU4, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64}) {
    if ((element_class(t) & classes) == 0) continue;
    add(t, {2, 3}, "", false);
    add(t, {64}, "special", true);
    if (t == kF32 || t == kF64 || t == kI32 || (t == kI1 && (classes & kNumberClass) == 0)) {
      add(t, {}, "rank 0", false);
      add(t, {0, 3}, "no elements", false);
    }
  }
  return out;
}

}  // namespace weft
