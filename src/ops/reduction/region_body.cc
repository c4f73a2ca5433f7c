#include "ops/reduction/region_body.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "base/float_format.h"
#include "ops/elementwise/compare_type.h"

namespace weft {
namespace {

struct NamedBody {
  std::string_view mnemonic;
  BodyKind kind;
};
constexpr NamedBody kNamed[] = {
    {"stablehlo.add", BodyKind::kAdd},         {"stablehlo.multiply", BodyKind::kMultiply},
    {"stablehlo.maximum", BodyKind::kMaximum}, {"stablehlo.minimum", BodyKind::kMinimum},
    {"stablehlo.and", BodyKind::kAnd},         {"stablehlo.or", BodyKind::kOr},
    {"stablehlo.xor", BodyKind::kXor},
};

std::vector<Value> yielded(const Function& f, RegionId region) {
  const OpId last = f.terminator(region);
  if (!last) return {};
  return {f.operands(last).begin(), f.operands(last).end()};
}

bool is_pair(std::span<const Value> operands, Value a, Value b) {
  return operands.size() == 2 && ((operands[0] == a && operands[1] == b) || (operands[0] == b && operands[1] == a));
}

/// Whether one is the other with operands that broadcast: of operands of one type both are the same, and a sum has to keep its running
/// value in the same type whichever of them a body holds.
bool is_broadcast_form(std::string_view mnemonic, std::string_view named) {
  static constexpr std::string_view kBroadcast = "chlo.broadcast_", kPlain = "stablehlo.";
  return mnemonic.starts_with(kBroadcast) && mnemonic.substr(kBroadcast.size()) == named.substr(kPlain.size());
}

}  // namespace

std::vector<BodyResult> classify_results(const Function& f, RegionId region) {
  const std::vector<Value> results = yielded(f, region);
  const size_t n = results.size();
  std::vector<BodyResult> out(n);
  if (f.args(region).size() != 2 * n) return out;
  for (size_t i = 0; i < n; ++i) {
    const Value a = f.args(region)[i], b = f.args(region)[n + i];
    if (results[i] == b) {
      out[i].kind = BodyKind::kSecond;
      continue;
    }
    const OpId op = f.defining_op(results[i]);
    if (!op) continue;
    const auto operands = f.operands(op);
    if (f.def(op).mnemonic == "stablehlo.select") {
      if (operands.size() == 3 && is_pair(operands.subspan(1), a, b) && f.type(operands[0]).is_scalar()) {
        out[i].predicate = operands[0];
        out[i].swapped = operands[1] == b;
      }
      continue;
    }
    if (f.type(a).is_quantized()) continue;  // sums of stored integers are not the stored integers of sums
    if (!is_pair(operands, a, b)) continue;
    const std::string_view mnemonic = f.def(op).mnemonic;
    for (const NamedBody& named : kNamed) {
      if (mnemonic == named.mnemonic || (f.type(a) == f.type(b) && is_broadcast_form(mnemonic, named.mnemonic)))
        out[i].kind = named.kind;
    }
  }
  return out;
}

BodyKind classify_body(const Function& f, RegionId region) {
  const std::vector<BodyResult> results = classify_results(f, region);
  return results.size() == 1 ? results[0].kind : BodyKind::kOther;
}

std::string_view body_mnemonic(BodyKind kind) {
  for (const NamedBody& named : kNamed) {
    if (named.kind == kind) return named.mnemonic;
  }
  return {};
}

std::string_view compared(const Function& f, RegionId region, Value value, size_t i, size_t j) {
  const OpId op = f.defining_op(value);
  if (!op || f.def(op).mnemonic != "stablehlo.compare") return {};
  const auto operands = f.operands(op);
  const Value a = f.args(region)[i], b = f.args(region)[j];
  if (f.type(a).is_quantized()) return {};
  if (!is_pair(operands, a, b)) return {};
  const ElementType e = f.type(a).element_type();
  const std::string type = f.attrs(op).text_or("compare_type", "");
  if (is_total_order(e, type) || compared_as(e, type) != e) return {};
  const std::string direction = f.attrs(op).text_or("comparison_direction", "");
  struct Row {
    std::string_view plain, swapped;
  };
  static constexpr Row kRows[] = {{"GE", "LE"}, {"GT", "LT"}, {"LE", "GE"}, {"LT", "GT"}, {"EQ", "EQ"}, {"NE", "NE"}};
  for (const Row& row : kRows) {
    if (row.plain == direction) return operands[0] == a ? row.plain : row.swapped;
  }
  return {};
}

ArgCompare classify_select(const Function& f, RegionId region) {
  const std::vector<Value> results = yielded(f, region);
  if (results.size() != 1 || f.args(region).size() != 2) return {};
  return {compared(f, region, results[0], 0, 1)};
}

std::vector<ElementType> check_body(const TypeContext& c, RegionId region, std::string_view label,
                                    std::span<const Type> inputs) {
  const Function& f = c.function;
  const size_t n = inputs.size();
  if (f.args(region).size() != 2 * n) {
    c.fail(label, "number of arguments of the body: got " + std::to_string(f.args(region).size()) + ", expected " +
                      std::to_string(2 * n));
  }
  const std::vector<Value> results = yielded(f, region);
  if (results.size() != n) {
    c.fail(label, "number of values the body returns: got " + std::to_string(results.size()) + ", expected " +
                      std::to_string(n));
  }
  std::vector<ElementType> elements;
  for (size_t i = 0; i < n; ++i) {
    const Type e = f.type(results[i]);
    // Inits of more than one element come with bodies on slices (check_reduction_inputs).
    const bool on_slices = c.operands.size() == 2 * n && inputs.size() == n && e.is_tensor() &&
                           c.def.mnemonic.starts_with("stablehlo.reduce") && c.operands[n + i].is_tensor() &&
                           e == c.operands[n + i].with_element(e.element_type());
    if (!e.is_scalar() && !on_slices)
      c.fail(label,
             "value " + std::to_string(i) + " that the body returns: got " + e.str() + ", expected a rank-0 tensor");
    c.expect_equal(label, "argument " + std::to_string(i) + " of the body", f.type(f.args(region)[i]), e);
    c.expect_equal(label, "argument " + std::to_string(n + i) + " of the body", f.type(f.args(region)[n + i]), e);
    const ElementType from = inputs[i].element_type(), to = e.element_type();
    const bool same_kind =
        is_boolean(from) == is_boolean(to) && is_integer(from) == is_integer(to) && is_float(from) == is_float(to);
    if (!same_kind || bit_width(to) < bit_width(from)) {
      c.fail(label, "element type of value " + std::to_string(i) + " of the body: got " + std::string(name(to)) +
                        ", expected a type to which " + std::string(name(from)) + " can be promoted");
    }
    elements.push_back(to);
  }
  return elements;
}

// ---- typed loops ----------------------------------------------------------------------------------------------------

namespace {

template <class T>
constexpr bool is_narrow = std::is_same_v<T, f16> || std::is_same_v<T, bf16> || is_small_float_value<T>;
template <class T>
constexpr bool is_complex_number = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// Integers of kBits bits that are stored in T: results wrap to kBits.
template <class T, int kBits>
T wrap(T x) {
  if constexpr (kBits == 0) {
    return x;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<T>(static_cast<unsigned>(x) << (8 - kBits)) >> (8 - kBits));
  } else {
    return static_cast<T>(x & ((1 << kBits) - 1));
  }
}

template <BodyKind kKind, class T, int kBits>
T combine(T a, T b) {
  if constexpr (kKind == BodyKind::kSecond) {
    return b;
  } else if constexpr (std::is_same_v<T, bool>) {
    if constexpr (kKind == BodyKind::kXor) return a != b;
    constexpr bool kIsOr = kKind == BodyKind::kAdd || kKind == BodyKind::kMaximum || kKind == BodyKind::kOr;
    return kIsOr ? (a || b) : (a && b);
  } else if constexpr (is_narrow<T>) {
    return T(combine<kKind, float, 0>(float(a), float(b)));
  } else if constexpr (is_complex_number<T>) {
    if constexpr (kKind == BodyKind::kAdd) return a + b;
    if constexpr (kKind == BodyKind::kMultiply) {
      return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    }
    const bool less = a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
    return less == (kKind == BodyKind::kMaximum) ? b : a;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    if constexpr (kKind == BodyKind::kAdd)
      return wrap<T, kBits>(static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b))));
    if constexpr (kKind == BodyKind::kMultiply) {
      return wrap<T, kBits>(static_cast<T>(static_cast<U>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b))));
    }
    if constexpr (kKind == BodyKind::kMaximum) return a > b ? a : b;
    if constexpr (kKind == BodyKind::kMinimum) return a < b ? a : b;
    if constexpr (kKind == BodyKind::kAnd) return static_cast<T>(a & b);
    if constexpr (kKind == BodyKind::kOr) return static_cast<T>(a | b);
    return static_cast<T>(a ^ b);
  } else {
    if constexpr (kKind == BodyKind::kAdd) return a + b;
    if constexpr (kKind == BodyKind::kMultiply) return a * b;
    // IEEE maximum and minimum: NaN wins, and -0 < +0.
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return std::signbit(a) == (kKind == BodyKind::kMaximum) ? b : a;
    return (a < b) == (kKind == BodyKind::kMaximum) ? b : a;
  }
}

template <BodyKind kKind, class T, int kBits>
void fold(void* acc, int64_t acc_step, const void* x, int64_t x_step, int64_t n) {
  T* a = static_cast<T*>(acc);
  const T* b = static_cast<const T*>(x);
  if (acc_step == 0) {
    T sum = *a;
    for (int64_t i = 0; i < n; ++i) sum = combine<kKind, T, kBits>(sum, b[i * x_step]);
    *a = sum;
  } else {
    for (int64_t i = 0; i < n; ++i) a[i * acc_step] = combine<kKind, T, kBits>(a[i * acc_step], b[i * x_step]);
  }
}

template <class T, int kBits = 0>
FoldFn* fold_of(BodyKind kind) {
  constexpr bool kBitwise = std::is_integral_v<T>;
  switch (kind) {
    case BodyKind::kAdd: return fold<BodyKind::kAdd, T, kBits>;
    case BodyKind::kMultiply: return fold<BodyKind::kMultiply, T, kBits>;
    case BodyKind::kMaximum: return fold<BodyKind::kMaximum, T, kBits>;
    case BodyKind::kMinimum: return fold<BodyKind::kMinimum, T, kBits>;
    case BodyKind::kSecond: return fold<BodyKind::kSecond, T, kBits>;
    case BodyKind::kAnd:
      if constexpr (kBitwise) return fold<BodyKind::kAnd, T, kBits>;
      return nullptr;
    case BodyKind::kOr:
      if constexpr (kBitwise) return fold<BodyKind::kOr, T, kBits>;
      return nullptr;
    case BodyKind::kXor:
      if constexpr (kBitwise) return fold<BodyKind::kXor, T, kBits>;
      return nullptr;
    case BodyKind::kOther: return nullptr;
  }
  return nullptr;
}

template <class T>
bool holds(std::string_view direction, const void* pa, const void* pb) {
  using N = std::conditional_t<is_narrow<T>, float, T>;
  const N a = static_cast<N>(*static_cast<const T*>(pa)), b = static_cast<N>(*static_cast<const T*>(pb));
  if (direction == "GE") return a >= b;
  if (direction == "GT") return a > b;
  if (direction == "LE") return a <= b;
  if (direction == "LT") return a < b;
  return direction == "EQ" ? a == b : a != b;
}

template <class T>
SelectFn* select_of(std::string_view direction) {
  if (direction == "GE") return +[](const void* a, const void* b) { return holds<T>("GE", a, b); };
  if (direction == "GT") return +[](const void* a, const void* b) { return holds<T>("GT", a, b); };
  if (direction == "LE") return +[](const void* a, const void* b) { return holds<T>("LE", a, b); };
  if (direction == "LT") return +[](const void* a, const void* b) { return holds<T>("LT", a, b); };
  return nullptr;
}

}  // namespace

FoldFn* fold_function(BodyKind kind, ElementType type) {
  switch (type) {
    case ElementType::kI1: return fold_of<bool>(kind);
    case ElementType::kI2: return fold_of<int8_t, 2>(kind);
    case ElementType::kI4: return fold_of<int8_t, 4>(kind);
    case ElementType::kU2: return fold_of<uint8_t, 2>(kind);
    case ElementType::kU4: return fold_of<uint8_t, 4>(kind);
    case ElementType::kI8: return fold_of<int8_t>(kind);
    case ElementType::kI16: return fold_of<int16_t>(kind);
    case ElementType::kI32: return fold_of<int32_t>(kind);
    case ElementType::kI64: return fold_of<int64_t>(kind);
    case ElementType::kU8: return fold_of<uint8_t>(kind);
    case ElementType::kU16: return fold_of<uint16_t>(kind);
    case ElementType::kU32: return fold_of<uint32_t>(kind);
    case ElementType::kU64: return fold_of<uint64_t>(kind);
    case ElementType::kF16: return fold_of<f16>(kind);
    case ElementType::kBF16: return fold_of<bf16>(kind);
    case ElementType::kF32: return fold_of<float>(kind);
    case ElementType::kF64: return fold_of<double>(kind);
    case ElementType::kC64: return fold_of<std::complex<float>>(kind);
    case ElementType::kC128: return fold_of<std::complex<double>>(kind);
    default: break;
  }
  FoldFn* fold = nullptr;
  visit_small_float(type, [&](auto tag) { fold = fold_of<decltype(tag)>(kind); });
  return fold;
}

SelectFn* select_function(std::string_view direction, ElementType type) {
  switch (type) {
    case ElementType::kI2:
    case ElementType::kI4:
    case ElementType::kI8: return select_of<int8_t>(direction);
    case ElementType::kI16: return select_of<int16_t>(direction);
    case ElementType::kI32: return select_of<int32_t>(direction);
    case ElementType::kI64: return select_of<int64_t>(direction);
    case ElementType::kI1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return select_of<uint8_t>(direction);
    case ElementType::kU16: return select_of<uint16_t>(direction);
    case ElementType::kU32: return select_of<uint32_t>(direction);
    case ElementType::kU64: return select_of<uint64_t>(direction);
    case ElementType::kF16: return select_of<f16>(direction);
    case ElementType::kBF16: return select_of<bf16>(direction);
    case ElementType::kF32: return select_of<float>(direction);
    case ElementType::kF64: return select_of<double>(direction);
    default: return nullptr;
  }
}

Tensor convert_tensor(EvalContext& context, const Tensor& x, ElementType to) {
  if (x.element_type() == to) return x;
  const OpRecord& convert = get_op("stablehlo.convert");
  Function f("convert");
  const Value arg = f.add_arg(f.body(), Type::tensor(x.element_type(), x.shape()));
  const Type result[] = {Type::tensor(to, x.shape())};
  const OpId op = f.append(f.body(), convert, std::span(&arg, 1), Attrs{}, result);
  const OpView view{f, op};
  const EvalValue in(x);
  return convert.eval.require(view, "evaluation")(context, view, std::span(&in, 1))[0].tensor;
}

BodyRunner::BodyRunner(EvalContext& context, const Function& function, RegionId region,
                       std::vector<ElementType> elements)
    : context_(&context), region_(region), elements_(std::move(elements)) {
  if (elements_.size() == 1) fold_ = fold_function(classify_body(function, region), elements_[0]);
  args_.resize(2 * elements_.size());
}

void BodyRunner::run(std::span<std::byte* const> acc, std::span<const std::byte* const> x) {
  if (fold_ != nullptr) return fold_(acc[0], 0, x[0], 0, 1);
  const size_t n = elements_.size();
  for (size_t i = 0; i < 2 * n; ++i) {
    // The region may have kept the last call's scalar, in what it returned or pushed: then a fresh one.
    Tensor& scalar = args_[i].tensor;
    if (!scalar || !scalar.buffer().unique()) scalar = Tensor(elements_[i % n], {});
    std::memcpy(scalar.raw(), i < n ? acc[i] : x[i - n], byte_size(elements_[i % n]));
  }
  const std::vector<EvalValue> results = context_->run_region(region_, args_);
  for (size_t i = 0; i < n; ++i) std::memcpy(acc[i], results[i].tensor.raw(), byte_size(elements_[i]));
}

}  // namespace weft
