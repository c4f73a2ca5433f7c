#include "native/lower/small_tensor_fold.h"

#include <algorithm>
#include <cstdlib>

#include "transform/counted_loop.h"

namespace weft::native {
namespace {

constexpr int64_t kMostFolded = int64_t{1}
                                << 20;  // no sum or product of two such overflows, and each is exact as a double

bool holds(std::string_view direction, int64_t x, int64_t y) {
  if (direction == "EQ") return x == y;
  if (direction == "NE") return x != y;
  if (direction == "LT") return x < y;
  if (direction == "LE") return x <= y;
  return direction == "GT" ? x > y : x >= y;
}

std::optional<int64_t> result_of(const OpView& op, int64_t x, int64_t y) {
  const std::string_view name = op.def().mnemonic;
  if (name == "stablehlo.add") return x + y;
  if (name == "stablehlo.subtract") return x - y;
  if (name == "stablehlo.multiply") return x * y;
  if (name == "stablehlo.minimum") return std::min(x, y);
  if (name == "stablehlo.maximum") return std::max(x, y);
  if (name == "stablehlo.compare") return holds(op.attrs().text("comparison_direction"), x, y) ? 1 : 0;
  return std::nullopt;
}

bool is_foldable(Type t) {
  const ElementType e = t.element_type();
  return is_boolean(e) || e == ElementType::kI32 || e == ElementType::kI64;
}

}  // namespace

std::optional<int64_t> known_integer(const OpBuilder& b, Value v) {
  const Function& f = b.function();
  const OpId op = f.defining_op(v);
  if (!op || f.def(op).mnemonic != "stablehlo.constant" || !f.type(v).is_scalar()) return std::nullopt;
  if (is_boolean(f.type(v).element_type())) return f.attrs(op).literal("value").element(0)[0] != std::byte{0} ? 1 : 0;
  return integer_constant(f, v);
}

std::optional<Value> folded(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const std::string_view name = op.def().mnemonic;
  const auto first = known_integer(b, operands[0]);
  if (name == "stablehlo.select" && first) return operands[*first != 0 ? 1 : 2];
  const ElementType to = op.result_type().element_type();
  if (!is_foldable(op.result_type()) || !is_foldable(op.operand_type(0))) return std::nullopt;
  if (name == "stablehlo.not" && first && is_boolean(to)) return b.scalar(to, *first == 0 ? 1 : 0);
  const auto made = [&](int64_t x) -> std::optional<Value> {
    if (std::abs(x) > kMostFolded) return std::nullopt;
    return b.scalar(to, static_cast<double>(x));
  };
  if (name == "stablehlo.convert" && first && !is_boolean(to)) return made(*first);
  if (operands.size() != 2) return std::nullopt;
  const auto second = known_integer(b, operands[1]);
  if (name == "stablehlo.and" || name == "stablehlo.or") {
    if (!is_boolean(to)) return std::nullopt;
    const int64_t neutral = name == "stablehlo.and" ? 1 : 0;
    if (first) return *first == neutral ? operands[1] : operands[0];
    if (second) return *second == neutral ? operands[0] : operands[1];
    return std::nullopt;
  }
  if (!first || !second || std::max(std::abs(*first), std::abs(*second)) > kMostFolded) return std::nullopt;
  if (is_boolean(to) && name != "stablehlo.compare") return std::nullopt;
  const auto x = result_of(op, *first, *second);
  return x ? made(*x) : std::nullopt;
}

}  // namespace weft::native
