#include "ops/control_flow/check_rules.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "base/float_format.h"
#include "base/format.h"

namespace weft {
namespace {

/// Bits of a float as integers whose order is that of the numbers, so that their difference counts steps.
int64_t ordered(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
}
int64_t ordered(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? static_cast<int64_t>(std::numeric_limits<int32_t>::min()) - bits : bits;
}
int64_t ordered_bits(uint16_t bits) {
  return (bits & 0x8000u) != 0 ? -static_cast<int64_t>(bits & 0x7fffu) : static_cast<int64_t>(bits);
}
int64_t ordered(f16 x) { return ordered_bits(x.bits); }
int64_t ordered(bf16 x) { return ordered_bits(x.bits); }

template <class T>
double epsilon() {
  if constexpr (std::is_same_v<T, f16>) return 0x1p-10;
  else if constexpr (std::is_same_v<T, bf16>) return 0x1p-7;
  else return std::numeric_limits<T>::epsilon();
}

template <class T>
uint64_t ulp_distance(T a, T b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (std::isnan(x) || std::isnan(y) || (std::isinf(x) != std::isinf(y))) return x == y ? 0 : UINT64_MAX;
  const int64_t i = ordered(a), j = ordered(b);
  return i > j ? static_cast<uint64_t>(i) - static_cast<uint64_t>(j)
               : static_cast<uint64_t>(j) - static_cast<uint64_t>(i);
}

std::string at(const Tensor& t, int64_t element) {
  std::vector<int64_t> index(t.shape().size());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = element % t.shape()[d];
    element /= t.shape()[d];
  }
  return index.empty() ? "" : " at " + format_list(index);
}

std::string text(double x) { return format_float(x); }
std::string text(float x) { return format_float(x); }
std::string text(f16 x) { return format_float(static_cast<float>(x)); }
std::string text(bf16 x) { return format_float(static_cast<float>(x)); }

/// `parts` = 2 for complex numbers, whose parts are compared one by one.
template <class T>
std::optional<std::string> compare_floats(const Tensor& got, const Tensor& expected, const CheckRule& rule, bool strict,
                                          int64_t parts) {
  const auto* a = static_cast<const T*>(got.raw());
  const auto* b = static_cast<const T*>(expected.raw());
  const int64_t n = got.size() * parts;
  int64_t bad = 0, first = -1;
  uint64_t largest = 0;
  double error = 0, scale = 0;
  bool same_specials = true;
  for (int64_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    const bool equal = x == y || (std::isnan(x) && std::isnan(y));
    bool holds = equal;
    if (!equal && rule.kind == CheckRule::kAbsolute) holds = std::fabs(x - y) <= rule.tolerance;
    if (rule.kind == CheckRule::kUlp) {
      const uint64_t distance = ulp_distance(a[i], b[i]);
      largest = std::max(largest, distance);
      holds = distance <= rule.max_ulp;
    }
    if (std::isfinite(x) && std::isfinite(y)) {
      error = std::max(error, std::fabs(x - y));
      scale = std::max(scale, std::fabs(y));
    } else if (!equal) {
      same_specials = false;
    }
    if (!holds) {
      if (first < 0) first = i;
      ++bad;
    }
  }
  if (rule.kind == CheckRule::kUlp && bad == 0 && largest < rule.min_ulp) {
    return "largest difference: got " + std::to_string(largest) + " ulp, expected at least " +
           std::to_string(rule.min_ulp);
  }
  if (bad == 0) return std::nullopt;
  if (!strict && same_specials && error <= 16 * epsilon<T>() * std::sqrt(static_cast<double>(n)) * scale)
    return std::nullopt;
  return "values differ" + at(got, first / parts) + ": got " + text(a[first]) + ", expected " + text(b[first]) + " (" +
         std::to_string(bad) + " of " + std::to_string(n) + " differ)";
}

template <class T>
std::optional<std::string> compare_exactly(const Tensor& got, const Tensor& expected) {
  const auto* a = static_cast<const T*>(got.raw());
  const auto* b = static_cast<const T*>(expected.raw());
  int64_t bad = 0, first = -1;
  for (int64_t i = 0; i < got.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (first < 0) first = i;
    ++bad;
  }
  if (bad == 0) return std::nullopt;
  return "values differ" + at(got, first) + ": got " + std::to_string(a[first]) + ", expected " +
         std::to_string(b[first]) + " (" + std::to_string(bad) + " of " + std::to_string(got.size()) + " differ)";
}

template <class T>
std::string complex_text(std::complex<T> z) {
  return "(" + text(z.real()) + ", " + text(z.imag()) + ")";
}

/// One number as text, for messages.
std::string element_text(const Tensor& t) {
  if (t.size() != 1) return "tensor " + format_list(t.shape());
  switch (t.element_type()) {
    case ElementType::kI1: return t.scalar<bool>() ? "true" : "false";
    case ElementType::kI8: return std::to_string(t.scalar<int8_t>());
    case ElementType::kI16: return std::to_string(t.scalar<int16_t>());
    case ElementType::kI32: return std::to_string(t.scalar<int32_t>());
    case ElementType::kI64: return std::to_string(t.scalar<int64_t>());
    case ElementType::kU8: return std::to_string(t.scalar<uint8_t>());
    case ElementType::kU16: return std::to_string(t.scalar<uint16_t>());
    case ElementType::kU32: return std::to_string(t.scalar<uint32_t>());
    case ElementType::kU64: return std::to_string(t.scalar<uint64_t>());
    case ElementType::kF16: return text(t.scalar<f16>());
    case ElementType::kBF16: return text(t.scalar<bf16>());
    case ElementType::kF32: return text(t.scalar<float>());
    case ElementType::kF64: return text(t.scalar<double>());
    case ElementType::kC64: return complex_text(t.scalar<std::complex<float>>());
    case ElementType::kC128: return complex_text(t.scalar<std::complex<double>>());
    default: return "a value of type " + std::string(name(t.element_type()));
  }
}

uint64_t ulps(const Attrs& attrs, std::string_view name, uint64_t fallback) {
  // Written unsigned: 2^64-1 arrives as -1.
  return attrs.has(name) ? static_cast<uint64_t>(attrs.integer(name)) : fallback;
}

double tolerance_of(const Attrs& attrs, double fallback) {
  const Attr* attr = attrs.find("tolerance");
  if (attr == nullptr) return fallback;
  if (const double* d = attr->get_if<double>()) return *d;
  if (const Literal* l = attr->get_if<Literal>(); l != nullptr && l->type.element_type() == ElementType::kF64)
    return l->elements.scalar<double>();
  throw Unsupported("check tolerance of an unexpected kind: got " + attr->str() + ", expected a number");
}

/// The rule that an op's name states; nothing for a name that is no comparison.
std::optional<CheckRule> rule_of(std::string_view name, ElementType type, const Attrs& attrs, bool is_custom_call) {
  CheckRule rule;
  if (name.ends_with("_const")) name.remove_suffix(6);
  if (name == "check.expect_eq") return rule;
  if (name == "check.expect_close") {
    rule.kind = CheckRule::kUlp;
    rule.max_ulp = ulps(attrs, "max_ulp_difference", 3);
    rule.min_ulp = ulps(attrs, "min_ulp_difference", 0);
    return rule;
  }
  if (name == "check.expect_almost_eq") {
    rule.kind = CheckRule::kAbsolute;
    rule.tolerance = tolerance_of(attrs, is_custom_call ? 1e-3 : 1e-4);
    return rule;
  }
  if (name == "check.eq") {
    if (is_float(type) || is_complex(type)) rule.kind = CheckRule::kAbsolute;
    rule.tolerance = 1e-4;
    return rule;
  }
  return std::nullopt;
}

}  // namespace

namespace {

/// One-byte floats as f32, which holds them all.
Tensor widened(const Tensor& t) {
  Tensor out(ElementType::kF32, t.shape());
  const auto* from = static_cast<const uint8_t*>(t.raw());
  auto* to = static_cast<float*>(out.raw());
  for (int64_t i = 0; i < t.size(); ++i) to[i] = static_cast<float>(decode_float(t.element_type(), from[i]));
  return out;
}

}  // namespace

std::optional<std::string> compare_tensors(const Tensor& got, const Tensor& expected, const CheckRule& rule,
                                           bool strict) {
  if (got.element_type() != expected.element_type() || got.shape() != expected.shape()) {
    return "types differ: got " + Type::tensor(got.element_type(), got.shape()).str() + ", expected " +
           Type::tensor(expected.element_type(), expected.shape()).str();
  }
  switch (got.element_type()) {
    case ElementType::kF16: return compare_floats<f16>(got, expected, rule, strict, 1);
    case ElementType::kBF16: return compare_floats<bf16>(got, expected, rule, strict, 1);
    case ElementType::kF32: return compare_floats<float>(got, expected, rule, strict, 1);
    case ElementType::kF64: return compare_floats<double>(got, expected, rule, strict, 1);
    case ElementType::kC64: return compare_floats<float>(got, expected, rule, strict, 2);
    case ElementType::kC128: return compare_floats<double>(got, expected, rule, strict, 2);
    case ElementType::kI16: return compare_exactly<int16_t>(got, expected);
    case ElementType::kI32: return compare_exactly<int32_t>(got, expected);
    case ElementType::kI64: return compare_exactly<int64_t>(got, expected);
    case ElementType::kU16: return compare_exactly<uint16_t>(got, expected);
    case ElementType::kU32: return compare_exactly<uint32_t>(got, expected);
    case ElementType::kU64: return compare_exactly<uint64_t>(got, expected);
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return compare_exactly<uint8_t>(got, expected);
    default: break;
  }
  // One byte: booleans and small integers; small floats compare by value, unless their representable numbers are counted.
  if (!is_float(got.element_type()) || rule.kind == CheckRule::kUlp) return compare_exactly<int8_t>(got, expected);
  return compare_floats<float>(widened(got), widened(expected), rule, strict, 1);
}

std::string check_message(const Attrs& attrs, std::span<const Tensor> values) {
  std::string message = attrs.text_or("message", "check failed");
  size_t from = 0;
  for (const Tensor& v : values) {
    const size_t hole = message.find("{}", from);
    const std::string value = element_text(v);
    if (hole == std::string::npos) {
      message += (from == std::string::npos ? ", " : ": ") + value;
      from = std::string::npos;
    } else {
      message.replace(hole, 2, value);
      from = hole + value.size();
    }
  }
  return message;
}

std::optional<CheckRule> comparison_of(const OpView& op) {
  if (op.num_operands() == 0 || !op.operand_type(0).is_tensor()) return std::nullopt;
  const bool is_custom_call = op.def().mnemonic == "stablehlo.custom_call";
  const std::string target = is_custom_call ? op.attrs().text("call_target_name") : std::string(op.def().mnemonic);
  return rule_of(target, op.operand_type(0).element_type(), op.attrs(), is_custom_call);
}

std::optional<std::string> failed_check(const OpView& op, std::span<const Tensor> operands, bool strict) {
  const std::string_view mnemonic = op.def().mnemonic;
  if (mnemonic == "weft.check") {
    const std::span<const bool> preds = operands[0].data<bool>();
    for (size_t i = 0; i < preds.size(); ++i) {
      if (preds[i]) continue;
      // Over lanes the values have the lane axes of the predicate in front: report those of the first lane that fails.
      std::vector<Tensor> values;
      for (const Tensor& v : operands.subspan(1)) {
        if (preds.size() == 1 || v.size() != operands[0].size()) {
          values.push_back(v);
          continue;
        }
        Tensor one(v.element_type(), {});
        const size_t bytes = byte_size(v.element_type());
        std::memcpy(one.raw(), static_cast<const std::byte*>(v.raw()) + i * bytes, bytes);
        values.push_back(one);
      }
      return check_message(op.attrs(), values) + (preds.size() == 1 ? "" : at(operands[0], static_cast<int64_t>(i)));
    }
    return std::nullopt;
  }
  const bool is_custom_call = mnemonic == "stablehlo.custom_call";
  const std::string target = is_custom_call ? op.attrs().text("call_target_name") : std::string(mnemonic);
  const auto rule = rule_of(target, operands[0].element_type(), op.attrs(), is_custom_call);
  if (!rule) throw InternalError("[" + target + "] is no check", op.loc());
  const bool has_constant = target.ends_with("_const");
  const auto found = compare_tensors(
      operands[0], has_constant ? op.attrs().literal("value").materialize() : operands[1], *rule, strict);
  if (!found) return std::nullopt;
  return "[" + target + "] " + *found;
}

}  // namespace weft
