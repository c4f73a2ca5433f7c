// Ranges: their elements, and ranges of floating-point numbers with the end points that decimal fractions suggest.
#include <algorithm>
#include <bit>
#include <cmath>

#include "julia/host/array_look.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/intrinsics/array.h"

namespace weft::julia {
namespace {

using Quad = __float128;

/// What tells the three widths apart: the largest integer that all smaller ones are exact up to, the bound on the terms of a
/// fraction that stands for a decimal, and rounding to the width.
struct Width {
  NumberKind kind;
  double largest_integer;
  double largest_term;
  double round(double x) const {
    if (kind == NumberKind::kFloat32) return static_cast<double>(static_cast<float>(x));
    if (kind == NumberKind::kFloat16) return static_cast<double>(static_cast<float>(f16(static_cast<float>(x))));
    return x;
  }
};

Width width_of(NumberKind kind) {
  if (kind == NumberKind::kFloat64) return {kind, 9007199254740992.0, 16777216.0};
  if (kind == NumberKind::kFloat32) return {kind, 16777216.0, 2048.0};
  return {kind, 2048.0, 2048.0};
}

double double_of(const Value& v) { return convert_number(NumberKind::kFloat64, v).get<double>(); }

struct Fraction {
  int64_t numerator = 0, denominator = 0;
};

/// The first convergent of the continued fraction that rounds to x; the last one with small terms when none does.
Fraction fraction_of(double x, const Width& w) {
  int64_t n = 1, n_before = 0, d = 0, d_before = 1;
  double rest = x;
  while (std::fabs(rest) <= w.largest_term) {
    const double whole = std::trunc(rest);
    rest = w.round(rest - whole);
    const auto f = static_cast<int64_t>(whole);
    n_before = std::exchange(n, f * n + n_before);
    d_before = std::exchange(d, f * d + d_before);
    if (static_cast<double>(std::max(std::llabs(n), std::llabs(d))) > w.largest_term) return {n_before, d_before};
    if (w.round(static_cast<double>(n) / static_cast<double>(d)) == x) break;
    rest = w.round(1 / rest);
  }
  return {n, d};
}

bool is_exactly(const Fraction& f, double x, const Width& w) {
  return f.denominator != 0 && w.round(static_cast<double>(f.numerator) / static_cast<double>(f.denominator)) == x;
}

int64_t common_multiple(int64_t a, int64_t b) {
  int64_t x = std::llabs(a), y = std::llabs(b);
  while (y != 0) x = std::exchange(y, x % y);
  return x == 0 ? 0 : std::llabs(a) / x * std::llabs(b);
}

/// Bits that the high part of a step leaves free so that its products with the positions are exact.
int free_bits(int64_t length, int64_t offset) {
  if (length < 2) return 0;
  const auto farthest = static_cast<uint64_t>(std::max(offset - 1, length - offset));
  return std::min(static_cast<int>(std::bit_width(farthest)), 27);
}

double without_low_bits(double x, int bits) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & (~uint64_t{0} << bits));
}

/// A number as a high and a low part.
struct Precise {
  double high = 0, low = 0;
};

Precise split(Quad x) {
  const auto high = static_cast<double>(x);
  return {high, static_cast<double>(x - static_cast<Quad>(high))};
}

Precise with_free_bits(const Precise& p, int bits) {
  const double high = without_low_bits(p.high, bits);
  return {high, (p.high - high) + p.low};
}

/// StepRangeLen{T}: ref is the element at `offset`.
Value make_range(const Precise& ref, const Precise& step, int64_t length, int64_t offset, const Width& w) {
  const CoreTypes& c = core();
  const DataType* element = number_type(w.kind);
  static const DataType* const precise = applied(builtin_type("Base.TwicePrecision"), {core().float64});
  const bool is_double = w.kind == NumberKind::kFloat64;
  const DataType* part = is_double ? precise : c.float64;
  const auto value = [&](const Precise& p) {
    return is_double ? make_struct(precise, {number(p.high), number(p.low)}) : number(p.high + p.low);
  };
  const DataType* type = applied(c.step_range_len, {element, part, part, c.int64});
  return make_struct(type, {value(ref), value(step), number(std::max<int64_t>(length, 0)), number(offset)});
}

/// Elements (start + i step) / denominator; the one of smallest magnitude is the reference.
Value fraction_range(int64_t start, int64_t step, int64_t length, int64_t denominator, const Width& w) {
  int64_t offset = 1;
  if (length >= 2 && step != 0) {
    const double at = std::nearbyint(-static_cast<double>(start) / static_cast<double>(step) + 1);
    offset = static_cast<int64_t>(std::clamp(at, 1.0, static_cast<double>(length)));
  }
  const auto over = [&](Int128 n) { return split(static_cast<Quad>(n) / static_cast<Quad>(denominator)); };
  const bool plain = length < 2 || step == 0;
  return make_range(over(start + static_cast<Int128>(offset - 1) * step),
                    with_free_bits(over(step), plain ? 0 : free_bits(length, offset)), length, offset, w);
}

bool is_between(double a, double x, double b) { return (a <= x && x <= b) || (b <= x && x <= a); }

/// Both numbers as fractions of one denominator.
struct Common {
  int64_t a = 0, b = 0, denominator = 0;
};
std::optional<Common> common_fractions(double a, double b, const Width& w) {
  const Fraction x = fraction_of(a, w), y = fraction_of(b, w);
  if (!is_exactly(x, a, w) || !is_exactly(y, b, w)) return std::nullopt;
  const int64_t d = common_multiple(x.denominator, y.denominator);
  if (d == 0 || std::fabs(a * static_cast<double>(d)) > w.largest_integer ||
      std::fabs(b * static_cast<double>(d)) > w.largest_integer)
    return std::nullopt;
  return Common{std::llrint(a * static_cast<double>(d)), std::llrint(b * static_cast<double>(d)), d};
}

/// start:step:stop of one floating-point type.
Value float_colon(Evaluator&, Args a) {
  const Width w = width_of(*number_kind(a[0]));
  const double start = double_of(a[0]), step = double_of(a[1]), stop = double_of(a[2]);
  if (step == 0) throw_argument_error("range step cannot be zero");
  if (std::isnan(start) || std::isnan(step) || std::isnan(stop) || std::isinf(step) || std::isinf(start))
    throw_argument_error("range bounds and step must be finite");
  const Fraction last = fraction_of(stop, w);
  if (const auto common = common_fractions(start, step, w); common && is_exactly(last, stop, w) && common->b != 0) {
    const Int128 reach = static_cast<Int128>(common->denominator) * last.numerator -
                         static_cast<Int128>(last.denominator) * common->a +
                         static_cast<Int128>(common->b) * last.denominator;
    const Int128 one = static_cast<Int128>(common->b) * last.denominator;
    const auto length = static_cast<int64_t>(std::max<Int128>(0, reach / one));
    const bool inside =
        length == 0 || is_between(start, start + static_cast<double>(length - 1) * step, stop + step / 2);
    const bool is_all = !is_between(start, start + static_cast<double>(length) * step, stop);
    if (inside && is_all) return fraction_range(common->a, common->b, length, common->denominator, w);
  }
  const double steps = w.round((stop - start) / step);
  int64_t length = steps < 0 ? 0 : 1;
  if (steps > 0) {
    if (steps > 9e18) throw_argument_error("the range has too many elements");
    length = static_cast<int64_t>(std::nearbyint(steps)) + 1;
    const double end = start + static_cast<double>(length - 1) * step;
    if ((start < stop && stop < end) || (start > stop && stop > end)) --length;
  }
  return make_range({start, 0}, {step, 0}, length, 1, w);
}

/// range(start; step, length): (start, step, length).
Value float_step_range(Evaluator&, Args a) {
  const Width w = width_of(*number_kind(a[0]));
  const double start = double_of(a[0]), step = double_of(a[1]);
  const int64_t length = integer_of(a[2]);
  if (length < 0) throw_argument_error("length cannot be negative, got " + std::to_string(length));
  if (const auto common = common_fractions(start, step, w))
    return fraction_range(common->a, common->b, length, common->denominator, w);
  return make_range({start, 0}, {step, 0}, length, 1, w);
}

Value spaced_fractions(int64_t start, int64_t stop, int64_t length, int64_t denominator, const Width& w) {
  if (start == stop) return make_range(split(static_cast<Quad>(start) / denominator), {0, 0}, length, 1, w);
  const double zero_at = -static_cast<double>(start) / (static_cast<double>(stop) - static_cast<double>(start));
  const double at = std::nearbyint(zero_at * static_cast<double>(length - 1) + 1);
  const auto offset = static_cast<int64_t>(std::clamp(at, 1.0, static_cast<double>(length)));
  const Quad all = static_cast<Quad>(length - 1) * static_cast<Quad>(denominator);
  const Quad ref = (static_cast<Quad>(length - offset) * start + static_cast<Quad>(offset - 1) * stop) / all;
  const Quad step = (static_cast<Quad>(stop) - start) / all;
  return make_range(split(ref), with_free_bits(split(step), free_bits(length, offset)), length, offset, w);
}

/// The sum of two numbers and its error.
Precise exact_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

Value spaced(double start, double stop, int64_t length, const Width& w) {
  const auto n = static_cast<double>(length - 1);
  if (w.kind != NumberKind::kFloat64) return make_range({start, 0}, {(stop - start) / n, 0}, length, 1, w);
  // The element of the smallest magnitude is the reference; the low parts make both ends exact.
  const double zero_at = -(start / (stop - start));
  int64_t offset = 1;
  if (std::isfinite(zero_at)) {
    offset = static_cast<int64_t>(std::clamp(std::nearbyint(zero_at * n + 1), 1.0, static_cast<double>(length)));
  } else if (std::fabs(stop) < std::fabs(start)) {
    offset = length;
  }
  double ref = start, step = stop / n - start / n;
  if (offset > 1 && offset < length) {
    const double t = static_cast<double>(offset - 1) / n;
    ref = (1 - t) * start + t * stop;
    step = offset - 1 < length - offset ? (ref - start) / static_cast<double>(offset - 1)
                                        : (stop - ref) / static_cast<double>(length - offset);
  } else if (offset == length && length > 1) {
    ref = stop;
  }
  const double high = without_low_bits(step, free_bits(length, offset));
  const Precise first = exact_sum(static_cast<double>(1 - offset) * high, ref);
  const Precise last = exact_sum(static_cast<double>(length - offset) * high, ref);
  const double a = (start - first.high) - first.low, b = (stop - last.high) - last.low;
  const double low = (b - a) / n;
  return make_range({ref, a - static_cast<double>(1 - offset) * low}, {high, low}, length, offset, w);
}

/// range(start, stop; length).
Value float_spaced_range(Evaluator&, Args a) {
  const Width w = width_of(*number_kind(a[0]));
  const double start = double_of(a[0]), stop = double_of(a[1]);
  const int64_t length = integer_of(a[2]);
  if (length < 0) throw_argument_error("length cannot be negative, got " + std::to_string(length));
  if (length == 1 && start != stop) throw_argument_error("endpoints differ");
  if (!std::isfinite(start) || !std::isfinite(stop))
    throw_argument_error("start and stop must be finite, got " + print_text(a[0]) + " and " + print_text(a[1]));
  if (length < 2 || start == stop) {
    const double step = length == 0 || start == stop ? (length == 0 ? stop - start : 0) : 0;
    return make_range({start, 0}, {start == stop ? 0.0 : step, 0}, length, 1, w);
  }
  if (const auto common = common_fractions(start, stop, w)) {
    const auto back = [&](int64_t n) {
      return w.round(static_cast<double>(n) / static_cast<double>(common->denominator));
    };
    if (back(common->a) == start && back(common->b) == stop)
      return spaced_fractions(common->a, common->b, length, common->denominator, w);
  }
  return spaced(start, stop, length, w);
}

/// start:stop of Int: an empty one ends just before its start.
Value unit_range(Evaluator&, Args a) {
  static const DataType* const type = applied(core().unit_range, {core().int64});
  const auto start = a[0].get<int64_t>(), stop = a[1].get<int64_t>();
  const bool is_empty = stop < start;
  return make_struct(type, {a[0], is_empty ? number(static_cast<int64_t>(static_cast<uint64_t>(start) - 1)) : a[1]});
}

/// The last element of start:step:stop of integers, in the type of start.
Value step_range_stop(Evaluator&, Args a) {
  const NumberKind kind = *number_kind(a[0]);
  const auto wide = [](const Value& v) { return convert_number(NumberKind::kInt128, v).get<Int128>(); };
  const Int128 start = wide(a[0]), step = wide(a[1]), stop = wide(a[2]);
  const bool is_empty = step > 0 ? stop < start : stop > start;
  Int128 last = is_empty ? start - (step > 0 ? 1 : -1) : stop - (stop - start) % step;
  if (is_unsigned(kind) && last < 0) last = 0;  // nothing comes before zero
  return wrap_integer(kind, number(last));
}

Value length(Evaluator&, Args a) { return number(std::max<int64_t>(range_length(a[0]), 0)); }

Value element(Evaluator&, Args a) {
  const int64_t n = range_length(a[0]), i = integer_of(a[1]);
  if (i < 1 || i > n) throw_bounds_error(a[0], make_tuple({a[1]}));
  return range_element(a[0], i - 1);
}

Value element_unchecked(Evaluator&, Args a) { return range_element(a[0], integer_of(a[1]) - 1); }

/// iterate of a range by position: (element, next position).
Value iterate(Evaluator&, Args a) {
  const int64_t i = a.size() > 1 ? integer_of(a[1]) : 1;
  if (i > range_length(a[0])) return nothing();
  return make_tuple({range_element(a[0], i - 1), number(i + 1)});
}

/// All elements as a Vector.
Value collect(Evaluator&, Args a) {
  const int64_t n = std::max<int64_t>(range_length(a[0]), 0);
  Value out = make_array(a[0].type()->parameters[0], {n});
  ArrayObject& x = array_of(out);
  if (x.flat == core().int64 && n > 0) {
    const auto first = range_element(a[0], 0).get<int64_t>();
    const int64_t step = n > 1 ? range_element(a[0], 1).get<int64_t>() - first : 0;
    for (int64_t i = 0; i < n; ++i) x.data_as<int64_t>()[i] = first + i * step;
    return out;
  }
  for (int64_t i = 0; i < n; ++i) set_element(x, i, range_element(a[0], i));
  return out;
}

constexpr IntrinsicEntry kEntries[] = {
    {"_float_colon", float_colon, 3, 3},         {"_float_step_range", float_step_range, 3, 3},
    {"_float_range", float_spaced_range, 3, 3},  {"_range_get", element, 2, 2},
    {"_range_element", element_unchecked, 2, 2}, {"_range_iterate", iterate, 1, 2},
    {"_range_collect", collect, 1, 1},           {"_unit_range", unit_range, 2, 2},
    {"_step_range_stop", step_range_stop, 3, 3}, {"_range_length", length, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> array_range_intrinsics() { return kEntries; }

}  // namespace weft::julia
