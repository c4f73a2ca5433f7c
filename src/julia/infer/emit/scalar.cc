// Arithmetic, comparison and conversion of machine numbers.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "julia/host/array.h"
#include "julia/infer/emit/emit.h"
#include "julia/types/type_show.h"

namespace weft::julia {

Num num(Compiler& c, const Abstract& a) {
  if (!a.is_defined()) c.fail(Cause::kWidening, "a number that has another type on each way");
  const auto kind = number_kind(a.type);
  if (!kind) c.fail(Cause::kUnsupported, "a " + type_text(a.type) + " where compiled code has machine numbers only");
  if (!element_type(a.type)) c.fail(Cause::kUnsupported, type_text(a.type) + " has no compiled form");
  return {*kind, c.scalar(a)};
}

Abstract result(NumberKind kind, IrValue v) { return Abstract::of_scalar(number_type(kind), v); }

Num convert_num(Compiler& c, const Num& x, NumberKind to) {
  if (x.kind == to) return x;
  const ElementType element = *element_type(number_type(to));
  if (to == NumberKind::kBool) return {to, c.b().compare(x.v, like(c, x.v, 0), "NE")};
  return {to, c.b().convert(x.v, element)};
}

IrValue like(Compiler& c, IrValue x, double value) { return c.b().splat(c.b().type(x), value); }

IrValue int_like(Compiler& c, IrValue x, int64_t value) {
  const weft::Type t = c.b().type(x);
  // Small ones are numbers of every type.
  if (value >= 0 && value <= 127 && (value <= 1 || t.element_type() != ElementType::kI1))
    return c.b().splat(t, static_cast<double>(value));
  const Tensor wide = Tensor::scalar_of(value);
  IrValue v = c.b().constant(Literal::dense(wide));
  v = c.b().convert(v, t.element_type());
  return t.rank() == 0 ? v : c.b().broadcast_scalar(v, t.shape());
}

namespace {

void align(Compiler& c, IrValue& a, IrValue& b) {
  const weft::Type ta = c.b().type(a), tb = c.b().type(b);
  if (ta.rank() == 0 && tb.rank() > 0) a = c.b().broadcast_scalar(a, tb.shape());
  if (tb.rank() == 0 && ta.rank() > 0) b = c.b().broadcast_scalar(b, ta.shape());
}

}  // namespace

IrValue op2(Compiler& c, std::string_view mnemonic, IrValue a, IrValue b) {
  align(c, a, b);
  return c.b().make(mnemonic, {a, b});
}
IrValue op1(Compiler& c, std::string_view mnemonic, IrValue a) { return c.b().make(mnemonic, {a}); }
IrValue compare2(Compiler& c, IrValue a, IrValue b, std::string_view direction) {
  align(c, a, b);
  return c.b().compare(a, b, direction);
}
IrValue select3(Compiler& c, IrValue p, IrValue a, IrValue b) {
  align(c, a, b);
  if (c.b().type(p).rank() > 0) {
    align(c, p, a);
    align(c, p, b);
  }
  return c.b().select(p, a, b);
}

void check_all(Compiler& c, IrValue holds, const std::string& message) { c.check(holds, message); }

namespace {

using Args = std::span<const Abstract>;

struct Pair2 {
  Num a, b;
};

Pair2 promoted(Compiler& c, Args args) {
  const Num a = num(c, args[0]), b = num(c, args[1]);
  const NumberKind kind = promote_kind(a.kind, b.kind);
  return {convert_num(c, a, kind), convert_num(c, b, kind)};
}

/// Bool is a number of Int64 in sums and differences.
Pair2 summands(Compiler& c, Args args) {
  Pair2 p = promoted(c, args);
  if (p.a.kind == NumberKind::kBool)
    p = {convert_num(c, p.a, NumberKind::kInt64), convert_num(c, p.b, NumberKind::kInt64)};
  return p;
}

constexpr char kAdd[] = "stablehlo.add", kSubtract[] = "stablehlo.subtract";

template <const char* Mnemonic>
Abstract sum_like(Compiler& c, Args args) {
  const bool subtracts = std::string_view(Mnemonic) == kSubtract;
  if (subtracts) {
    if (const auto d = known_difference(args[0], args[1])) return Abstract::of_constant(number(*d));
  }
  const Num x = num(c, args[0]), y = num(c, args[1]);
  if (!subtracts && (x.kind == NumberKind::kBool) != (y.kind == NumberKind::kBool) &&
      (is_float(x.kind) || is_float(y.kind))) {
    // false adds nothing, not even to a negative zero.
    const Num& flag = x.kind == NumberKind::kBool ? x : y;
    const Num& value = x.kind == NumberKind::kBool ? y : x;
    return result(value.kind, select3(c, flag.v, op2(c, kAdd, value.v, like(c, value.v, 1)), value.v));
  }
  const Pair2 p = summands(c, args);
  Abstract out = result(p.a.kind, op2(c, Mnemonic, p.a.v, p.b.v));
  // What a sum with a constant came from.
  constexpr int64_t kFar = int64_t{1} << 40;
  const bool second = args[1].is_constant() && args[1].type == core().int64;
  const bool first = !subtracts && args[0].is_constant() && args[0].type == core().int64;
  if (out.type == core().int64 && (first || second)) {
    const Abstract& base = args[first ? 1 : 0];
    const auto by = args[first ? 0 : 1].constant.get<int64_t>();
    if (base.kind == Abstract::Kind::kScalar && base.type == core().int64 && by < kFar && by > -kFar &&
        std::abs(base.offset) < kFar) {
      out.origin = base.origin ? base.origin : base.ir;
      out.offset = (base.origin ? base.offset : 0) + (subtracts ? -by : by);
    }
  }
  return out;
}

Abstract multiply(Compiler& c, Args args) {
  const Num x = num(c, args[0]), y = num(c, args[1]);
  // false is a strong zero.
  if ((x.kind == NumberKind::kBool) != (y.kind == NumberKind::kBool) && (is_float(x.kind) || is_float(y.kind))) {
    const Num& flag = x.kind == NumberKind::kBool ? x : y;
    const Num& value = x.kind == NumberKind::kBool ? y : x;
    const IrValue zero = op2(c, "stablehlo.multiply", like(c, value.v, 0), op1(c, "stablehlo.sign", value.v));
    const IrValue nan_free = select3(c, compare2(c, value.v, value.v, "EQ"), zero, like(c, value.v, 0));
    return result(value.kind, select3(c, flag.v, value.v, nan_free));
  }
  const Pair2 p = promoted(c, args);
  if (p.a.kind == NumberKind::kBool) return result(p.a.kind, op2(c, "stablehlo.and", p.a.v, p.b.v));
  return result(p.a.kind, op2(c, "stablehlo.multiply", p.a.v, p.b.v));
}

Abstract divide(Compiler& c, Args args) {
  Pair2 p = promoted(c, args);
  if (!is_float(p.a.kind)) p = {convert_num(c, p.a, NumberKind::kFloat64), convert_num(c, p.b, NumberKind::kFloat64)};
  return result(p.a.kind, op2(c, "stablehlo.divide", p.a.v, p.b.v));
}

constexpr const char* kDivide = "DivideError: integer division error";

/// Of integers of unlike signedness and of Bools: Julia divides them by rules of their own, which the library has.
std::optional<Abstract> division_of_unlike(Compiler& c, const char* name, Args args) {
  const auto a = number_kind(args[0].type), b = number_kind(args[1].type);
  if (!a || !b || is_float(*a) || is_float(*b)) return std::nullopt;
  const bool is_first_bool = *a == NumberKind::kBool, is_second_bool = *b == NumberKind::kBool;
  const bool are_bools = is_first_bool && is_second_bool;
  const bool are_unlike = !is_first_bool && !is_second_bool && is_unsigned(*a) != is_unsigned(*b);
  if (!are_bools && !are_unlike) return std::nullopt;
  return c.call_base(std::string(are_bools ? "_bools" : "_unlike") + name, {args[0], args[1]});
}

void check_divisor(Compiler& c, const Pair2& p, bool quotient) {
  IrValue holds = compare2(c, p.b.v, int_like(c, p.b.v, 0), "NE");
  if (quotient && is_signed_integer(p.a.kind)) {
    // The most negative number has no opposite.
    const auto bits = static_cast<int>(number_type(p.a.kind)->layout().size) * 8;
    const auto least = bits >= 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
    const IrValue fits = op2(c, "stablehlo.or", compare2(c, p.b.v, int_like(c, p.b.v, -1), "NE"),
                             compare2(c, p.a.v, int_like(c, p.a.v, least), "NE"));
    holds = op2(c, "stablehlo.and", holds, fits);
  }
  check_all(c, holds, kDivide);
}

/// The quotient's rounding: 0 towards zero, -1 down, 1 up.
template <int Direction>
Abstract integer_quotient(Compiler& c, Args args) {
  const char* const name = Direction == 0 ? "_idiv" : Direction < 0 ? "_fld" : "_cld";
  if (auto v = division_of_unlike(c, name, args)) return *v;
  const Pair2 p = promoted(c, args);
  if (is_float(p.a.kind)) {
    // From the remainder, so that rounding of the quotient does not count: round((x - r) / y).
    const IrValue rem = op2(c, "stablehlo.remainder", p.a.v, p.b.v);
    const IrValue signs =
        compare2(c, compare2(c, rem, like(c, rem, 0), "LT"), compare2(c, p.b.v, like(c, p.b.v, 0), "LT"), "NE");
    const IrValue exact = compare2(c, rem, like(c, rem, 0), "EQ");
    const IrValue t = op1(c, "stablehlo.round_nearest_even",
                          op2(c, "stablehlo.divide", op2(c, "stablehlo.subtract", p.a.v, rem), p.b.v));
    if (Direction == 0) return result(p.a.kind, t);
    const IrValue moved =
        Direction < 0 ? op2(c, "stablehlo.subtract", t, like(c, t, 1)) : op2(c, "stablehlo.add", t, like(c, t, 1));
    const IrValue moves = Direction < 0 ? signs : op1(c, "stablehlo.not", signs);
    return result(p.a.kind, select3(c, exact, t, select3(c, moves, moved, t)));
  }
  check_divisor(c, p, true);
  const IrValue q = op2(c, "stablehlo.divide", p.a.v, p.b.v);
  if (Direction == 0) return result(p.a.kind, q);
  const IrValue rem = op2(c, "stablehlo.remainder", p.a.v, p.b.v);
  const IrValue inexact = compare2(c, rem, int_like(c, rem, 0), "NE");
  IrValue moves = inexact;
  if (is_signed_integer(p.a.kind)) {
    const IrValue signs =
        compare2(c, compare2(c, rem, int_like(c, rem, 0), "LT"), compare2(c, p.b.v, int_like(c, p.b.v, 0), "LT"), "NE");
    moves = op2(c, "stablehlo.and", inexact, Direction < 0 ? signs : op1(c, "stablehlo.not", signs));
  } else if (Direction < 0) {
    return result(p.a.kind, q);
  }
  const IrValue one = int_like(c, q, 1);
  const IrValue moved = op2(c, Direction < 0 ? "stablehlo.subtract" : "stablehlo.add", q, one);
  return result(p.a.kind, select3(c, moves, moved, q));
}

Abstract remainder(Compiler& c, Args args) {
  if (auto v = division_of_unlike(c, "_rem", args)) return *v;
  const Pair2 p = promoted(c, args);
  if (is_float(p.a.kind)) return result(p.a.kind, op2(c, "stablehlo.remainder", p.a.v, p.b.v));
  check_divisor(c, p, false);
  if (!is_signed_integer(p.a.kind)) return result(p.a.kind, op2(c, "stablehlo.remainder", p.a.v, p.b.v));
  // x rem -1 is 0, also of the most negative number, where hardware would fault.
  const IrValue is_minus_one = compare2(c, p.b.v, int_like(c, p.b.v, -1), "EQ");
  const IrValue safe = select3(c, is_minus_one, int_like(c, p.b.v, 1), p.b.v);
  return result(p.a.kind, op2(c, "stablehlo.remainder", p.a.v, safe));
}

Abstract modulo(Compiler& c, Args args) {
  if (auto v = division_of_unlike(c, "_mod", args)) return *v;
  Abstract r = remainder(c, args);
  const Pair2 p = promoted(c, args);
  const NumberKind kind = p.a.kind;
  if (is_unsigned(kind)) return r;
  const IrValue rem = c.scalar(r);
  const IrValue zero = is_float(kind) ? like(c, rem, 0) : int_like(c, rem, 0);
  const IrValue divisor_negative = compare2(c, p.b.v, zero, "LT");
  const IrValue signs = compare2(c, compare2(c, rem, zero, "LT"), divisor_negative, "NE");
  const IrValue moves = op2(c, "stablehlo.and", compare2(c, rem, zero, "NE"), signs);
  IrValue out = select3(c, moves, op2(c, "stablehlo.add", rem, p.b.v), rem);
  if (is_float(kind)) {
    // An exact zero has the divisor's sign.
    const IrValue signed_zero = select3(c, divisor_negative, like(c, rem, -0.0), like(c, rem, 0));
    out = select3(c, compare2(c, rem, zero, "EQ"), signed_zero, out);
  }
  return result(kind, out);
}

template <const char* Mnemonic>
Abstract bits2(Compiler& c, Args args) {
  const Pair2 p = promoted(c, args);
  if (is_float(p.a.kind)) c.fail(Cause::kUnsupported, "bits of floating-point numbers");
  return result(p.a.kind, op2(c, Mnemonic, p.a.v, p.b.v));
}
constexpr char kAnd[] = "stablehlo.and", kOr[] = "stablehlo.or", kXor[] = "stablehlo.xor";

enum class Shift { kLeft, kRight, kRightUnsigned };
template <Shift S>
Abstract shift(Compiler& c, Args args) {
  Num x = num(c, args[0]);
  const Num by = convert_num(c, num(c, args[1]), NumberKind::kInt64);
  if (x.kind == NumberKind::kBool) x = convert_num(c, x, NumberKind::kInt64);
  const auto bits = static_cast<int64_t>(number_type(x.kind)->layout().size) * 8;
  const bool arithmetic = is_signed_integer(x.kind);
  const auto directed = [&](Shift s, IrValue n) {
    const IrValue small = c.b().convert(n, c.b().type(x.v).element_type());
    const IrValue in_range = compare2(c, n, int_like(c, n, bits), "LT");
    const IrValue amount = select3(c, in_range, small, int_like(c, small, 0));
    const char* name = s == Shift::kLeft                  ? "stablehlo.shift_left"
                       : s == Shift::kRight && arithmetic ? "stablehlo.shift_right_arithmetic"
                                                          : "stablehlo.shift_right_logical";
    const IrValue shifted = op2(c, name, x.v, amount);
    IrValue far = int_like(c, shifted, 0);
    if (s == Shift::kRight && arithmetic)
      far = op2(c, "stablehlo.shift_right_arithmetic", x.v, int_like(c, x.v, bits - 1));
    return select3(c, in_range, shifted, far);
  };
  if (is_unsigned(num(c, args[1]).kind)) return result(x.kind, directed(S, by.v));
  if (args[1].is_constant() && by.kind == NumberKind::kInt64) {
    const auto n = convert_number(NumberKind::kInt64, args[1].constant).get<int64_t>();
    if (n >= 0) return result(x.kind, directed(S, by.v));
  }
  const Shift opposite = S == Shift::kLeft ? Shift::kRight : Shift::kLeft;
  const IrValue negative = compare2(c, by.v, int_like(c, by.v, 0), "LT");
  const IrValue back = op1(c, "stablehlo.negate", by.v);
  return result(x.kind, select3(c, negative, directed(opposite, back), directed(S, by.v)));
}

// ---- comparison ----------------------------------------------------------------------------------------------------------------

/// Of a 64-bit integer and a float: where both round to the same float, the integers decide.
IrValue compare_mixed(Compiler& c, const Num& i, const Num& f, std::string_view direction, bool integer_first) {
  const Num wide = convert_num(c, i, NumberKind::kFloat64);
  const Num value = convert_num(c, f, NumberKind::kFloat64);
  const IrValue tie = compare2(c, wide.v, value.v, "EQ");
  const IrValue beyond = compare2(
      c, value.v, like(c, value.v, is_unsigned(i.kind) ? 18446744073709551616.0 : 9223372036854775808.0), "GE");
  const IrValue inside =
      select3(c, op2(c, "stablehlo.and", tie, op1(c, "stablehlo.not", beyond)), value.v, like(c, value.v, 0));
  const IrValue whole = c.b().convert(inside, c.b().type(i.v).element_type());
  const IrValue by_float =
      integer_first ? compare2(c, wide.v, value.v, direction) : compare2(c, value.v, wide.v, direction);
  const IrValue by_int = integer_first ? compare2(c, i.v, whole, direction) : compare2(c, whole, i.v, direction);
  // At 2^63 (or 2^64) the float is the larger one.
  const IrValue one = c.int_constant(1), two = c.int_constant(2);
  const IrValue larger = integer_first ? c.b().compare(one, two, direction) : c.b().compare(two, one, direction);
  return select3(c, tie, select3(c, beyond, op2(c, "stablehlo.and", beyond, larger), by_int), by_float);
}

IrValue compare_numbers(Compiler& c, const Num& a, const Num& b, std::string_view direction) {
  const auto is_wide = [](NumberKind k) { return k == NumberKind::kInt64 || k == NumberKind::kUInt64; };
  if (is_wide(a.kind) && is_float(b.kind)) return compare_mixed(c, a, b, direction, true);
  if (is_wide(b.kind) && is_float(a.kind)) return compare_mixed(c, b, a, direction, false);
  if (is_integer(a.kind) && is_integer(b.kind) && is_unsigned(a.kind) != is_unsigned(b.kind) &&
      a.kind != NumberKind::kBool && b.kind != NumberKind::kBool) {
    const Num& s = is_unsigned(a.kind) ? b : a;
    const NumberKind kind = promote_kind(a.kind, b.kind);
    const IrValue unsigned_result = compare2(c, convert_num(c, a, kind).v, convert_num(c, b, kind).v, direction);
    // A negative number is below every unsigned one.
    const IrValue negative = compare2(c, s.v, int_like(c, s.v, 0), "LT");
    const IrValue zero = int_like(c, c.int_constant(0), 0);
    const IrValue one = int_like(c, zero, 1);
    const IrValue if_negative = &s == &a ? c.b().compare(zero, one, direction) : c.b().compare(one, zero, direction);
    return select3(c, negative, op2(c, "stablehlo.and", negative, if_negative), unsigned_result);
  }
  NumberKind kind = promote_kind(a.kind, b.kind);
  return compare2(c, convert_num(c, a, kind).v, convert_num(c, b, kind).v, direction);
}

/// An integer that is known now and is a float as well: the other number is compared with that.
const Abstract* exact_beside(const Abstract& a, const Abstract& other) {
  const auto kind = number_kind(a.type), beside = number_kind(other.type);
  if (!a.is_constant() || !kind || !is_integer(*kind) || beside != NumberKind::kFloat64) return nullptr;
  constexpr auto kMost = Int128{1} << 53;
  if (number_type(*kind)->layout().size > 8) return nullptr;
  const auto value = convert_number(NumberKind::kInt128, a.constant).get<Int128>();
  return value <= kMost && value >= -kMost ? &a : nullptr;
}

template <const char* Direction>
Abstract compare_op(Compiler& c, Args args) {
  for (const size_t i : {0, 1}) {
    if (const Abstract* exact = exact_beside(args[i], args[1 - i])) {
      const Abstract as_float = Abstract::of_constant(convert_number(NumberKind::kFloat64, exact->constant));
      const IrValue x = c.scalar(i == 0 ? as_float : args[0]), y = c.scalar(i == 0 ? args[1] : as_float);
      return result(NumberKind::kBool, compare2(c, x, y, Direction));
    }
  }
  return result(NumberKind::kBool, compare_numbers(c, num(c, args[0]), num(c, args[1]), Direction));
}
constexpr char kEQ[] = "EQ", kNE[] = "NE", kLT[] = "LT", kLE[] = "LE", kGT[] = "GT", kGE[] = "GE";

/// NaN is the largest number and -0.0 is below 0.0.
Abstract is_less(Compiler& c, Args args) {
  const Num a = num(c, args[0]), b = num(c, args[1]);
  if (!is_float(a.kind) && !is_float(b.kind)) return result(NumberKind::kBool, compare_numbers(c, a, b, "LT"));
  const Pair2 p = promoted(c, args);
  const IrValue a_nan = compare2(c, p.a.v, p.a.v, "NE"), b_nan = compare2(c, p.b.v, p.b.v, "NE");
  const IrValue less = compare_numbers(c, a, b, "LT");
  const IrValue both_zero =
      op2(c, "stablehlo.and", compare2(c, p.a.v, like(c, p.a.v, 0), "EQ"), compare2(c, p.b.v, like(c, p.b.v, 0), "EQ"));
  const IrValue one_a = op2(c, "stablehlo.divide", like(c, p.a.v, 1), p.a.v),
                one_b = op2(c, "stablehlo.divide", like(c, p.b.v, 1), p.b.v);
  const IrValue zeros = op2(c, "stablehlo.and", both_zero, compare2(c, one_a, one_b, "LT"));
  const IrValue plain = op2(c, "stablehlo.or", less, zeros);
  return result(NumberKind::kBool,
                op2(c, "stablehlo.and", op1(c, "stablehlo.not", a_nan), op2(c, "stablehlo.or", b_nan, plain)));
}

Abstract is_equal_op(Compiler& c, Args args) {
  const Num a = num(c, args[0]), b = num(c, args[1]);
  const IrValue equal = compare_numbers(c, a, b, "EQ");
  if (!is_float(a.kind) && !is_float(b.kind)) return result(NumberKind::kBool, equal);
  const Pair2 p = promoted(c, args);
  const IrValue nans = op2(c, "stablehlo.and", compare2(c, p.a.v, p.a.v, "NE"), compare2(c, p.b.v, p.b.v, "NE"));
  const IrValue is_zero = compare2(c, p.a.v, like(c, p.a.v, 0), "EQ");
  const IrValue one_a = op2(c, "stablehlo.divide", like(c, p.a.v, 1), p.a.v),
                one_b = op2(c, "stablehlo.divide", like(c, p.b.v, 1), p.b.v);
  const IrValue same_sign = op2(c, "stablehlo.or", op1(c, "stablehlo.not", is_zero), compare2(c, one_a, one_b, "EQ"));
  return result(NumberKind::kBool, op2(c, "stablehlo.or", nans, op2(c, "stablehlo.and", equal, same_sign)));
}

// ---- one operand ------------------------------------------------------------------------------------------------------------------

Abstract negate(Compiler& c, Args args) {
  Num x = num(c, args[0]);
  if (x.kind == NumberKind::kBool) x = convert_num(c, x, NumberKind::kInt64);
  if (is_unsigned(x.kind)) return result(x.kind, op2(c, "stablehlo.subtract", int_like(c, x.v, 0), x.v));
  return result(x.kind, op1(c, "stablehlo.negate", x.v));
}

Abstract absolute(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (x.kind == NumberKind::kBool || is_unsigned(x.kind)) return args[0];
  return result(x.kind, op1(c, "stablehlo.abs", x.v));
}

Abstract sign_op(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (x.kind == NumberKind::kBool) return args[0];
  if (is_unsigned(x.kind)) return result(x.kind, op2(c, "stablehlo.minimum", x.v, int_like(c, x.v, 1)));
  return result(x.kind, op1(c, "stablehlo.sign", x.v));
}

Abstract not_op(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (is_float(x.kind)) c.fail(Cause::kUnsupported, "bits of floating-point numbers");
  return result(x.kind, op1(c, "stablehlo.not", x.v));
}

template <const char* Mnemonic>
Abstract extreme(Compiler& c, Args args) {
  const Pair2 p = promoted(c, args);
  return result(p.a.kind, op2(c, Mnemonic, p.a.v, p.b.v));
}
constexpr char kMinimum[] = "stablehlo.minimum", kMaximum[] = "stablehlo.maximum";

Abstract multiply_add(Compiler& c, Args args) {
  const Abstract product = multiply(c, args.first(2));
  const Abstract both[] = {product, args[2]};
  return sum_like<kAdd>(c, both);
}

template <const char* Mnemonic>
Abstract count_bits(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  return result(NumberKind::kInt64, convert_num(c, {x.kind, op1(c, Mnemonic, x.v)}, NumberKind::kInt64).v);
}
constexpr char kPopcnt[] = "stablehlo.popcnt", kClz[] = "stablehlo.count_leading_zeros";

// ---- conversion -------------------------------------------------------------------------------------------------------------------

NumberKind kind_of_type(Compiler& c, const Abstract& t) {
  const auto* d = t.is_constant() && t.constant.is_type() ? as<DataType>(t.constant.as_type()) : nullptr;
  const auto kind = d == nullptr ? std::nullopt : number_kind(d);
  if (!kind || !element_type(d)) c.fail(Cause::kDispatch, "a conversion to a type that is not known");
  return *kind;
}

/// T(x): the value must be one of T.
Abstract to_number(Compiler& c, Args args) {
  const NumberKind to = kind_of_type(c, args[0]);
  const Num x = num(c, args[1]);
  if (x.kind == to) return result(to, x.v);
  const Num y = convert_num(c, x, to);
  if (is_float(to)) return result(to, y.v);
  const std::string message = "InexactError: " + type_text(number_type(to)) + "(…)";
  const bool widens = is_integer(x.kind) && (x.kind == NumberKind::kBool ||
                                             (is_unsigned(x.kind) == is_unsigned(to) &&
                                              number_type(x.kind)->layout().size <= number_type(to)->layout().size &&
                                              to != NumberKind::kBool) ||
                                             (is_unsigned(x.kind) && is_signed_integer(to) &&
                                              number_type(x.kind)->layout().size < number_type(to)->layout().size));
  if (widens) return result(to, y.v);
  if (to == NumberKind::kBool) {
    const IrValue zero = like(c, x.v, 0), one = like(c, x.v, 1);
    check_all(c, op2(c, "stablehlo.or", compare2(c, x.v, zero, "EQ"), compare2(c, x.v, one, "EQ")), message);
    return result(to, y.v);
  }
  if (is_float(x.kind)) {
    const Num wide = convert_num(c, x, NumberKind::kFloat64);
    const auto bits = static_cast<int>(number_type(to)->layout().size) * 8;
    const double high = std::ldexp(1.0, is_unsigned(to) ? bits : bits - 1), low = is_unsigned(to) ? 0.0 : -high;
    IrValue ok = op2(c, "stablehlo.and", compare2(c, wide.v, like(c, wide.v, low), "GE"),
                     compare2(c, wide.v, like(c, wide.v, high), "LT"));
    ok = op2(c, "stablehlo.and", ok, compare2(c, op1(c, "stablehlo.floor", wide.v), wide.v, "EQ"));
    check_all(c, ok, message);
    return result(to, y.v);
  }
  const Num back = convert_num(c, y, x.kind);
  IrValue ok = compare2(c, back.v, x.v, "EQ");
  if (is_unsigned(to) != is_unsigned(x.kind)) {
    const Num& s = is_unsigned(to) ? x : y;
    ok = op2(c, "stablehlo.and", ok, compare2(c, s.v, int_like(c, s.v, 0), "GE"));
  }
  check_all(c, ok, message);
  return result(to, y.v);
}

/// The lowest bits: (x, T), or (T, x) with the type in front.
template <bool TypeFirst>
Abstract wrap(Compiler& c, Args args) {
  const NumberKind to = kind_of_type(c, args[TypeFirst ? 0 : 1]);
  const Num x = num(c, args[TypeFirst ? 1 : 0]);
  if (to == NumberKind::kBool)
    return result(to, compare2(c, op2(c, "stablehlo.and", x.v, int_like(c, x.v, 1)), int_like(c, x.v, 1), "EQ"));
  return result(to, convert_num(c, x, to).v);
}

/// The same bits as another machine number.
Abstract reinterpreted(Compiler& c, Args args) {
  const NumberKind to = kind_of_type(c, args[0]);
  const Num x = num(c, args[1]);
  if (x.kind == to) return args[1];
  const bool is_flag = to == NumberKind::kBool || x.kind == NumberKind::kBool;
  if (is_flag || number_type(to)->layout().size != number_type(x.kind)->layout().size)
    c.fail(Cause::kUnsupported, "reinterpret of a " + type_text(args[1].type) + " as a " + type_text(number_type(to)));
  const weft::Type type = c.b().type(x.v).with_element(*element_type(number_type(to)));
  return result(to, c.b().make("stablehlo.bitcast_convert", {x.v}, {}, type));
}

enum class Rounding { kNearest, kDown, kUp, kToZero, kFromZero, kTiesAway, kTiesUp };

IrValue round_by(Compiler& c, Rounding rule, IrValue x) {
  const auto down = [&] { return op1(c, "stablehlo.floor", x); };
  const auto up = [&] { return op1(c, "stablehlo.ceil", x); };
  const auto negative = [&] { return compare2(c, x, like(c, x, 0), "LT"); };
  switch (rule) {
    case Rounding::kNearest: return op1(c, "stablehlo.round_nearest_even", x);
    case Rounding::kDown: return down();
    case Rounding::kUp: return up();
    case Rounding::kToZero: return select3(c, negative(), up(), down());
    case Rounding::kFromZero: return select3(c, negative(), down(), up());
    case Rounding::kTiesAway: return op1(c, "stablehlo.round_nearest_afz", x);
    case Rounding::kTiesUp: {
      const IrValue rest = op2(c, "stablehlo.subtract", x, down());
      const IrValue out = select3(c, compare2(c, rest, like(c, x, 0.5), "GE"), up(), down());
      // A zero has the sign of what it was.
      const IrValue is_negative_zero = op2(c, "stablehlo.and", compare2(c, out, like(c, x, 0), "EQ"), negative());
      return select3(c, is_negative_zero, like(c, x, -0.0), out);
    }
  }
  throw InternalError("no such rounding");
}

/// RoundNearest, RoundDown, … as the source names them.
Rounding rule_of(Compiler& c, const Abstract& mode) {
  const auto* name = mode.type->parameters.empty() ? nullptr : as<Constant>(mode.type->parameters[0]);
  const std::string text = name == nullptr || !name->symbol ? "" : name->symbol.text();
  if (text == "Nearest") return Rounding::kNearest;
  if (text == "Down") return Rounding::kDown;
  if (text == "Up") return Rounding::kUp;
  if (text == "ToZero") return Rounding::kToZero;
  if (text == "FromZero") return Rounding::kFromZero;
  if (text == "NearestTiesAway") return Rounding::kTiesAway;
  if (text == "NearestTiesUp") return Rounding::kTiesUp;
  c.fail(Cause::kUnsupported, "rounding by the rule " + type_text(mode.type));
}

/// (T, x, rule?)
template <Rounding Rule>
Abstract rounded_to(Compiler& c, Args args) {
  const Num x = num(c, args[1]);
  if (!is_float(x.kind)) return to_number(c, args.first(2));
  const Rounding rule = args.size() > 2 ? rule_of(c, args[2]) : Rule;
  const Abstract both[] = {args[0], result(x.kind, round_by(c, rule, x.v))};
  return to_number(c, both);
}

/// (x, rule?)
template <Rounding Rule>
Abstract rounded(Compiler& c, Args args) {
  const Num x = num(c, args[0]);
  if (!is_float(x.kind)) return args[0];
  return result(x.kind, round_by(c, args.size() > 1 ? rule_of(c, args[1]) : Rule, x.v));
}

template <int Value>
Abstract constant_of_type(Compiler& c, Args args) {
  const auto* d =
      args[0].is_constant() && args[0].constant.is_type() ? as<DataType>(args[0].constant.as_type()) : nullptr;
  const auto kind = number_kind(d == nullptr ? args[0].type : d);
  if (!kind) c.fail(Cause::kUnsupported, "zero or one of a " + type_text(args[0].type));
  return Abstract::of_constant(convert_number(*kind, number(int64_t{Value})));
}

constexpr Emission kEmissions[] = {
    {"_add", sum_like<kAdd>},
    {"_sub", sum_like<kSubtract>},
    {"_mul", multiply},
    {"_div", divide},
    {"_idiv", integer_quotient<0>},
    {"_fld", integer_quotient<-1>},
    {"_cld", integer_quotient<1>},
    {"_rem", remainder},
    {"_mod", modulo},
    {"_and", bits2<kAnd>},
    {"_or", bits2<kOr>},
    {"_xor", bits2<kXor>},
    {"_shl", shift<Shift::kLeft>},
    {"_shr", shift<Shift::kRight>},
    {"_ushr", shift<Shift::kRightUnsigned>},
    {"_eq", compare_op<kEQ>},
    {"_ne", compare_op<kNE>},
    {"_lt", compare_op<kLT>},
    {"_le", compare_op<kLE>},
    {"_gt", compare_op<kGT>},
    {"_ge", compare_op<kGE>},
    {"_isless", is_less},
    {"_isequal", is_equal_op},
    {"_neg", negate},
    {"_abs", absolute},
    {"_sign", sign_op},
    {"_not", not_op},
    {"_min", extreme<kMinimum>},
    {"_max", extreme<kMaximum>},
    {"_muladd", multiply_add},
    {"_count_ones", count_bits<kPopcnt>},
    {"_leading_zeros", count_bits<kClz>},
    {"_to_number", to_number},
    {"_wrap", wrap<false>},
    {"_unsafe_trunc", wrap<true>},
    {"_reinterpret_bits", reinterpreted},
    {"_trunc_to", rounded_to<Rounding::kToZero>},
    {"_floor_to", rounded_to<Rounding::kDown>},
    {"_ceil_to", rounded_to<Rounding::kUp>},
    {"_round_to", rounded_to<Rounding::kNearest>},
    {"_trunc", rounded<Rounding::kToZero>},
    {"_floor", rounded<Rounding::kDown>},
    {"_ceil", rounded<Rounding::kUp>},
    {"_round", rounded<Rounding::kNearest>},
    {"_zero", constant_of_type<0>},
    {"_one", constant_of_type<1>},
};

}  // namespace

std::span<const Emission> scalar_emissions() { return kEmissions; }

}  // namespace weft::julia
