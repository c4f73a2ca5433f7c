// Arithmetic and comparison of machine numbers. The types that programs mostly use come first, without promotion.
#include <cmath>

#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

constexpr const char* name_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd: return "+";
    case BinaryOp::kSubtract: return "-";
    case BinaryOp::kMultiply: return "*";
    case BinaryOp::kDivide: return "/";
    case BinaryOp::kTruncatedDivide: return "div";
    case BinaryOp::kFloorDivide: return "fld";
    case BinaryOp::kCeilDivide: return "cld";
    case BinaryOp::kRemainder: return "rem";
    case BinaryOp::kModulo: return "mod";
    case BinaryOp::kPower: return "^";
    case BinaryOp::kAnd: return "&";
    case BinaryOp::kOr: return "|";
    case BinaryOp::kXor: return "xor";
    case BinaryOp::kShiftLeft: return "<<";
    case BinaryOp::kShiftRight: return ">>";
    case BinaryOp::kShiftRightUnsigned: return ">>>";
    case BinaryOp::kMinimum: return "min";
    case BinaryOp::kMaximum: return "max";
  }
  return "";
}

constexpr bool is_simple(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kSubtract || op == BinaryOp::kMultiply;
}

template <BinaryOp op, class T>
T simple(T x, T y) {
  if constexpr (op == BinaryOp::kAdd) return x + y;
  else if constexpr (op == BinaryOp::kSubtract) return x - y;
  else return x * y;
}

/// `a + b` of an Int64 wraps: in unsigned arithmetic.
template <BinaryOp op>
Value binary(Evaluator& e, Args a) {
  const DataType* type = a[0].type();
  const CoreTypes& c = core();
  if (type == a[1].type()) {
    if (type == c.int64) {
      const auto x = a[0].get<int64_t>(), y = a[1].get<int64_t>();
      const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
      if constexpr (is_simple(op)) return number(static_cast<int64_t>(simple<op>(ux, uy)));
      if constexpr (op == BinaryOp::kDivide) return number(static_cast<double>(x) / static_cast<double>(y));
      if constexpr (op == BinaryOp::kAnd) return number(x & y);
      if constexpr (op == BinaryOp::kOr) return number(x | y);
      if constexpr (op == BinaryOp::kXor) return number(x ^ y);
      if constexpr (op == BinaryOp::kMinimum) return y < x ? a[1] : a[0];
      if constexpr (op == BinaryOp::kMaximum) return x < y ? a[1] : a[0];
      if constexpr (op == BinaryOp::kTruncatedDivide || op == BinaryOp::kRemainder || op == BinaryOp::kModulo) {
        if (y > 0) {
          const int64_t r = x % y;
          if constexpr (op == BinaryOp::kTruncatedDivide) return number(x / y);
          else if constexpr (op == BinaryOp::kRemainder) return number(r);
          else return number(r < 0 ? r + y : r);
        }
      }
    } else if (type == c.float64) {
      const auto x = a[0].get<double>(), y = a[1].get<double>();
      if constexpr (is_simple(op)) return number(simple<op>(x, y));
      if constexpr (op == BinaryOp::kDivide) return number(x / y);
      if constexpr (op == BinaryOp::kPower) {
        if (x >= 0) return number(std::pow(x, y));
      }
    } else if (type == c.float32) {
      const auto x = a[0].get<float>(), y = a[1].get<float>();
      if constexpr (is_simple(op)) return number(simple<op>(x, y));
      if constexpr (op == BinaryOp::kDivide) return number(x / y);
    } else if (type == c.bool_) {
      if constexpr (op == BinaryOp::kAnd) return boolean(a[0].get<bool>() && a[1].get<bool>());
      if constexpr (op == BinaryOp::kOr) return boolean(a[0].get<bool>() || a[1].get<bool>());
    }
  }
  std::optional<Value> v = apply(op, a[0], a[1]);
  if (!v || !v->is_defined()) throw_no_method(e, name_of(op), a);
  return *std::move(v);
}

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <Comparison how, class T>
bool holds(T x, T y) {
  if constexpr (how == Comparison::kEqual) return x == y;
  else if constexpr (how == Comparison::kNotEqual) return x != y;
  else if constexpr (how == Comparison::kLess) return x < y;
  else if constexpr (how == Comparison::kLessEqual) return x <= y;
  else if constexpr (how == Comparison::kGreater) return x > y;
  else return x >= y;
}

template <Comparison how>
Value compared(Evaluator&, Args a) {
  const DataType* type = a[0].type();
  const CoreTypes& c = core();
  if (type == a[1].type()) {
    if (type == c.int64) return boolean(holds<how>(a[0].get<int64_t>(), a[1].get<int64_t>()));
    if (type == c.float64) return boolean(holds<how>(a[0].get<double>(), a[1].get<double>()));
    if (type == c.float32) return boolean(holds<how>(a[0].get<float>(), a[1].get<float>()));
    if (type == c.bool_) return boolean(holds<how>(a[0].get<bool>(), a[1].get<bool>()));
  }
  switch (how) {
    case Comparison::kEqual: return boolean(numbers_equal(a[0], a[1]));
    case Comparison::kNotEqual: return boolean(!numbers_equal(a[0], a[1]));
    case Comparison::kLess: return boolean(numbers_less(a[0], a[1]));
    case Comparison::kLessEqual: return boolean(numbers_less_equal(a[0], a[1]));
    case Comparison::kGreater: return boolean(numbers_less(a[1], a[0]));
    case Comparison::kGreaterEqual: return boolean(numbers_less_equal(a[1], a[0]));
  }
  return {};
}

struct Special {
  bool is_nan = false, is_minus_zero = false;
};

Special special(const Value& v) {
  return visit_number(kind_of_number(v), [&]<class T>(T) -> Special {
    if constexpr (kIsFloat<T>) {
      const auto x = static_cast<ComputedIn<T>>(v.get<T>());
      return {std::isnan(x), x == 0 && std::signbit(x)};
    } else {
      return {};
    }
  });
}

/// The total order of isless: -0.0 before 0.0, NaN after everything.
Value is_less(Evaluator&, Args a) {
  if (a[0].type() == a[1].type() && a[0].is(core().int64)) return boolean(a[0].get<int64_t>() < a[1].get<int64_t>());
  const Special x = special(a[0]), y = special(a[1]);
  if (x.is_nan || y.is_nan) return boolean(!x.is_nan);
  if (numbers_less(a[0], a[1])) return boolean(true);
  return boolean(x.is_minus_zero && !y.is_minus_zero && numbers_equal(a[0], a[1]));
}

Value is_equal_number(Evaluator&, Args a) {
  if (a[0].type() == a[1].type() && a[0].is(core().int64)) return boolean(a[0].get<int64_t>() == a[1].get<int64_t>());
  const Special x = special(a[0]), y = special(a[1]);
  if (x.is_nan || y.is_nan) return boolean(x.is_nan && y.is_nan);
  return boolean(x.is_minus_zero == y.is_minus_zero && numbers_equal(a[0], a[1]));
}

template <UnaryOp op>
Value unary(Evaluator& e, Args a) {
  if constexpr (op == UnaryOp::kNegate) {
    if (a[0].is(core().int64))
      return number(static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a[0].get<int64_t>())));
    if (a[0].is(core().float64)) return number(-a[0].get<double>());
  }
  if constexpr (op == UnaryOp::kNot) {
    if (a[0].is(core().bool_)) return boolean(!a[0].get<bool>());
  }
  std::optional<Value> v = apply(op, a[0]);
  if (!v || !v->is_defined()) throw_no_method(e, op == UnaryOp::kNot ? "~" : "-", a);
  return *std::move(v);
}

bool is_negative(const Value& v) {
  return visit_number(kind_of_number(v), [&]<class T>(T) -> bool {
    if constexpr (kIsFloat<T>) return std::signbit(static_cast<ComputedIn<T>>(v.get<T>()));
    else if constexpr (kIsSigned<T>) return v.get<T>() < 0;
    else return false;
  });
}

Value negated(const Value& v) { return *apply(UnaryOp::kNegate, v); }

/// copysign(x, y) of two machine numbers: x with the sign of y.
Value copy_sign(Evaluator&, Args a) {
  const NumberKind kind = kind_of_number(a[0]);
  if (is_unsigned(kind)) return a[0];
  const Value x = kind == NumberKind::kBool ? convert_number(NumberKind::kInt64, a[0]) : a[0];
  return is_negative(x) == is_negative(a[1]) ? x : negated(x);
}

/// flipsign(x, y): -x when y is negative.
Value flip_sign(Evaluator&, Args a) { return is_negative(a[1]) ? negated(a[0]) : a[0]; }

/// x * y + z with one rounding where all three are floats.
Value multiply_add(Evaluator& e, Args a) {
  const auto same = [&](const DataType* t) { return a[0].is(t) && a[1].is(t) && a[2].is(t); };
  if (same(core().float64)) return number(std::fma(a[0].get<double>(), a[1].get<double>(), a[2].get<double>()));
  if (same(core().float32)) return number(std::fma(a[0].get<float>(), a[1].get<float>(), a[2].get<float>()));
  const NumberKind kind = promote_kind(promote_kind(kind_of_number(a[0]), kind_of_number(a[1])), kind_of_number(a[2]));
  if (is_float(kind)) {
    const Value v[] = {convert_number(kind, a[0]), convert_number(kind, a[1]), convert_number(kind, a[2])};
    if (kind != NumberKind::kFloat16) return multiply_add(e, v);
    // The product of two Float16 is exact as a Float64, and so is the sum but for terms far below its last place.
    const auto d = [&](int i) { return static_cast<double>(static_cast<float>(v[i].get<f16>())); };
    return number(to_f16(std::fma(d(0), d(1), d(2))));
  }
  const Value product = *apply(BinaryOp::kMultiply, a[0], a[1]);
  return *apply(BinaryOp::kAdd, product, a[2]);
}

/// x^p of a float and an integer. The powers that x*x*x and the like mean are those products.
template <class T>
double integer_power(T x, Int128 p) {
  if (p == 2) return x * x;
  if (p == 3) return static_cast<T>(x * x) * x;
  if (p == -1) return T(1) / x;
  return std::pow(static_cast<double>(x), static_cast<double>(p));
}

Value float_to_integer_power(Evaluator&, Args a) {
  const Int128 p = visit_number(kind_of_number(a[1]), [&]<class P>(P) -> Int128 {
    if constexpr (kIsFloat<P>) throw InternalError("an integer was expected");
    else return static_cast<Int128>(a[1].get<P>());
  });
  return on_float(a[0],
                  [&]<class T>(T x) { return number(narrowed<T>(integer_power(static_cast<ComputedIn<T>>(x), p))); });
}

/// x^p with p written out, which is a Val: negative powers of integers are those of the Float64.
Value literal_power(Evaluator& e, Args a) {
  const auto* p = as<Constant>(a[2].type()->parameters[0]);
  if (p == nullptr || p->of != core().int64) throw InternalError("an integer power was expected");
  const NumberKind kind = kind_of_number(a[1]);
  if (p->bits == 2) return *apply(BinaryOp::kMultiply, a[1], a[1]);
  if (p->bits >= 0 && !is_float(kind)) return *apply(BinaryOp::kPower, a[1], number(p->bits));
  if (p->bits == 0) return convert_number(kind, number(int64_t{1}));
  if (p->bits == 1) return a[1];
  const Value x = is_float(kind) ? a[1] : convert_number(NumberKind::kFloat64, a[1]);
  const Value arguments[] = {x, number(p->bits)};
  return float_to_integer_power(e, arguments);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_add", binary<BinaryOp::kAdd>, 2, 2},
    {"_sub", binary<BinaryOp::kSubtract>, 2, 2},
    {"_mul", binary<BinaryOp::kMultiply>, 2, 2},
    {"_div", binary<BinaryOp::kDivide>, 2, 2},
    {"_idiv", binary<BinaryOp::kTruncatedDivide>, 2, 2},
    {"_fld", binary<BinaryOp::kFloorDivide>, 2, 2},
    {"_cld", binary<BinaryOp::kCeilDivide>, 2, 2},
    {"_rem", binary<BinaryOp::kRemainder>, 2, 2},
    {"_mod", binary<BinaryOp::kModulo>, 2, 2},
    {"_pow", binary<BinaryOp::kPower>, 2, 2},
    {"_powi", float_to_integer_power, 2, 2},
    {"_literal_pow", literal_power, 3, 3},
    {"_and", binary<BinaryOp::kAnd>, 2, 2},
    {"_or", binary<BinaryOp::kOr>, 2, 2},
    {"_xor", binary<BinaryOp::kXor>, 2, 2},
    {"_shl", binary<BinaryOp::kShiftLeft>, 2, 2},
    {"_shr", binary<BinaryOp::kShiftRight>, 2, 2},
    {"_ushr", binary<BinaryOp::kShiftRightUnsigned>, 2, 2},
    {"_min", binary<BinaryOp::kMinimum>, 2, 2},
    {"_max", binary<BinaryOp::kMaximum>, 2, 2},
    {"_eq", compared<Comparison::kEqual>, 2, 2},
    {"_ne", compared<Comparison::kNotEqual>, 2, 2},
    {"_lt", compared<Comparison::kLess>, 2, 2},
    {"_le", compared<Comparison::kLessEqual>, 2, 2},
    {"_gt", compared<Comparison::kGreater>, 2, 2},
    {"_ge", compared<Comparison::kGreaterEqual>, 2, 2},
    {"_isless", is_less, 2, 2},
    {"_isequal", is_equal_number, 2, 2},
    {"_neg", unary<UnaryOp::kNegate>, 1, 1},
    {"_not", unary<UnaryOp::kNot>, 1, 1},
    {"_abs", unary<UnaryOp::kAbsolute>, 1, 1},
    {"_sign", unary<UnaryOp::kSign>, 1, 1},
    {"_signbit", unary<UnaryOp::kSignBit>, 1, 1},
    {"_copysign", copy_sign, 2, 2},
    {"_flipsign", flip_sign, 2, 2},
    {"_muladd", multiply_add, 3, 3},
    {"_fma", multiply_add, 3, 3},
};

}  // namespace

std::span<const IntrinsicEntry> number_arithmetic_entries() { return kEntries; }

}  // namespace weft::julia
