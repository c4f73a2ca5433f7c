#include "ops/reduction/sort_order.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ops/elementwise/compare_type.h"
#include "ops/scalar/num.h"

namespace weft {
namespace {

class ComparatorReader {
 public:
  ComparatorReader(const Function& f, RegionId region) : f_(f), region_(region) {}

  std::optional<std::vector<SortKey>> read() {
    const OpId last = f_.terminator(region_);
    if (!last || f_.operands(last).size() != 1) return std::nullopt;
    std::vector<SortKey> keys;
    Value v = f_.operands(last)[0];
    for (;;) {
      const auto both = split(v, "stablehlo.or");
      if (both.empty()) {
        const auto key = strict_key(v);
        if (!key) return std::nullopt;
        keys.push_back(*key);
        return keys;
      }
      const auto key = strict_key(both[0]);
      const auto rest = split(both[1], "stablehlo.and");
      if (!key || rest.empty() || !is_equality(rest[0], *key)) return std::nullopt;
      keys.push_back(*key);
      v = rest[1];
    }
  }

 private:
  /// Argument `index` of the comparator, perhaps with zeros and NaNs made one.
  struct Read {
    size_t index = 0;
    bool joins_zeros = false, joins_nans = false;
  };

  std::span<const Value> split(Value v, std::string_view mnemonic) const {
    const OpId op = f_.defining_op(v);
    if (!op || f_.def(op).mnemonic != mnemonic) return {};
    return f_.operands(op);
  }

  std::optional<size_t> argument(Value v) const {
    if (f_.defining_op(v) || f_.region(v) != region_) return std::nullopt;
    return f_.position(v);
  }

  std::optional<double> real_constant(Value v) const {
    const OpId op = f_.defining_op(v);
    if (!op || f_.def(op).mnemonic != "stablehlo.constant") return std::nullopt;
    const Literal& l = f_.attrs(op).literal("value");
    if (!is_float(l.type.element_type()) || byte_size(l.type.element_type()) < 2 || l.type.rank() != 0)
      return std::nullopt;
    return load_num(l.element(0), l.type.element_type(), 0).real;
  }

  // select(x == 0, +0, …) and select(x != x, NaN, …) around an argument x.
  std::optional<Read> read_argument(Value v) const {
    if (const auto i = argument(v)) return Read{*i};
    const auto chosen = split(v, "stablehlo.select");
    if (chosen.empty()) return std::nullopt;
    const OpId test = f_.defining_op(chosen[0]);
    const auto replacement = real_constant(chosen[1]);
    auto inner = read_argument(chosen[2]);
    if (!test || f_.def(test).mnemonic != "stablehlo.compare" || !replacement || !inner) return std::nullopt;
    const auto sides = f_.operands(test);
    if (f_.attrs(test).text_or("compare_type", "") == "TOTALORDER" || argument(sides[0]) != inner->index)
      return std::nullopt;
    const std::string direction = f_.attrs(test).text("comparison_direction");
    if (direction == "EQ") {
      const auto zero = real_constant(sides[1]);
      if (!zero || *zero != 0 || *replacement != 0 || std::signbit(*replacement)) return std::nullopt;
      inner->joins_zeros = true;
      return inner;
    }
    if (direction != "NE" || argument(sides[1]) != inner->index) return std::nullopt;
    if (std::bit_cast<uint64_t>(*replacement) != std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN()))
      return std::nullopt;
    inner->joins_nans = true;
    return inner;
  }

  /// The key that `v` compares in the given direction ("LT" also stands for GT of swapped arguments).
  std::optional<SortKey> key_of(Value v, bool is_equality) const {
    const OpId op = f_.defining_op(v);
    if (!op || f_.def(op).mnemonic != "stablehlo.compare") return std::nullopt;
    const auto a = read_argument(f_.operand(op, 0)), b = read_argument(f_.operand(op, 1));
    if (!a || !b || a->joins_zeros != b->joins_zeros || a->joins_nans != b->joins_nans) return std::nullopt;
    if (a->index / 2 != b->index / 2 || a->index == b->index) return std::nullopt;
    const Type t = f_.type(f_.args(region_)[a->index]);
    if (t.is_quantized()) return std::nullopt;
    const ElementType e = t.element_type();
    if (is_complex(e) || (is_float(e) && byte_size(e) < 2)) return std::nullopt;
    const std::string direction = f_.attrs(op).text("comparison_direction");
    const std::string type = f_.attrs(op).text_or("compare_type", "");
    if (compared_as(e, type) != e) return std::nullopt;
    SortKey key{a->index / 2, false, is_total_order(e, type), a->joins_zeros, a->joins_nans};
    if (is_equality) return direction == "EQ" ? std::optional(key) : std::nullopt;
    if (direction != "LT" && direction != "GT") return std::nullopt;
    key.descending = (direction == "GT") != (a->index > b->index);
    return key;
  }
  std::optional<SortKey> strict_key(Value v) const { return key_of(v, false); }
  bool is_equality(Value v, const SortKey& key) const {
    const auto same = key_of(v, true);
    return same && same->operand == key.operand && same->total_order == key.total_order &&
           same->joins_zeros == key.joins_zeros && same->joins_nans == key.joins_nans;
  }

  const Function& f_;
  RegionId region_;
};

}  // namespace

std::optional<std::vector<SortKey>> sort_keys(const Function& function, RegionId comparator) {
  return ComparatorReader(function, comparator).read();
}

KeyOrder::KeyOrder(std::span<const SortKey> keys, std::span<const Tensor> slice) {
  for (const SortKey& key : keys) {
    const Tensor& t = slice[key.operand];
    Column c;
    c.descending = key.descending;
    c.is_real = is_float(t.element_type()) && !key.total_order;
    for (int64_t i = 0; i < t.size(); ++i) {
      Num x = load_num(t.raw(), t.element_type(), i);
      if (key.joins_zeros && x.real == 0) x.real = 0;
      if (key.joins_nans && std::isnan(x.real)) x.real = std::numeric_limits<double>::quiet_NaN();
      if (c.is_real) {
        c.reals.push_back(x.real);
      } else if (x.is_real()) {
        const auto bits = std::bit_cast<int64_t>(x.real);
        c.integers.push_back(bits ^ ((bits >> 63) & INT64_MAX));
      } else {
        c.integers.push_back(x.is_unsigned() ? x.bits ^ INT64_MIN : x.bits);
      }
    }
    columns_.push_back(std::move(c));
  }
}

}  // namespace weft
