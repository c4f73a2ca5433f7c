// Rounding of floats and rounded division.
#include <cmath>

#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

enum class Rounding : uint8_t { kNearest, kToZero, kDown, kUp, kFromZero, kTiesAway, kTiesUp };

/// Of a RoundingMode{:Nearest}() and the like.
Rounding rounding_of(const Value& mode) {
  const auto* parameter = mode.type()->parameters.empty() ? nullptr : as<Constant>(mode.type()->parameters[0]);
  const std::string name = parameter != nullptr && parameter->symbol ? parameter->symbol.text() : "";
  if (name == "Nearest") return Rounding::kNearest;
  if (name == "ToZero") return Rounding::kToZero;
  if (name == "Down") return Rounding::kDown;
  if (name == "Up") return Rounding::kUp;
  if (name == "FromZero") return Rounding::kFromZero;
  if (name == "NearestTiesAway") return Rounding::kTiesAway;
  if (name == "NearestTiesUp") return Rounding::kTiesUp;
  throw_argument_error("invalid rounding mode: " + name);
}

double rounded(double x, Rounding mode) {
  switch (mode) {
    case Rounding::kNearest: return std::nearbyint(x);
    case Rounding::kToZero: return std::trunc(x);
    case Rounding::kDown: return std::floor(x);
    case Rounding::kUp: return std::ceil(x);
    case Rounding::kFromZero: return std::signbit(x) ? std::floor(x) : std::ceil(x);
    case Rounding::kTiesAway: return std::round(x);
    case Rounding::kTiesUp: {
      const double down = std::floor(x);
      const double out = x - down >= 0.5 ? down + 1 : down;
      return std::copysign(out, out == 0 ? x : out);
    }
  }
  return x;
}

Value rounded_value(const Value& x, Rounding mode) {
  if (!is_float(kind_of_number(x))) return x;
  return on_float(x, [&]<class T>(T v) {
    return number(narrowed<T>(rounded(static_cast<double>(static_cast<ComputedIn<T>>(v)), mode)));
  });
}

Value round_float(Evaluator&, Args a) {
  return rounded_value(a[0], a.size() > 1 ? rounding_of(a[1]) : Rounding::kNearest);
}

/// To an integer type, or through one of the float types.
Value round_to(Evaluator& e, Args a, Rounding mode) {
  const NumberKind to = kind_named(e, "round", a, 0);
  return convert_number(to, rounded_value(a[1], mode));
}
Value round_to_type(Evaluator& e, Args a) {
  return round_to(e, a, a.size() > 2 ? rounding_of(a[2]) : Rounding::kNearest);
}
template <Rounding mode>
Value round_by(Evaluator&, Args a) {
  return rounded_value(a[0], mode);
}
template <Rounding mode>
Value round_to_by(Evaluator& e, Args a) {
  return round_to(e, a, mode);
}

/// An integer as the nearest float on a given side: Float32(x, RoundDown).
Value to_float(Evaluator& e, Args a) {
  const NumberKind to = kind_named(e, "Float64", a, 0);
  const Rounding mode = rounding_of(a[2]);
  Value nearest = convert_number(to, a[1]);
  const bool below = numbers_less(nearest, a[1]), above = numbers_less(a[1], nearest);
  if (!below && !above) return nearest;
  return on_float(nearest, [&]<class T>(T x) -> Value {
    const auto step = [&](bool up) {
      if constexpr (std::is_same_v<T, f16>) {
        auto bits = x.bits;
        const bool negative = (bits & 0x8000) != 0;
        f16 out;
        out.bits = static_cast<uint16_t>(up != negative ? bits + 1 : bits - 1);
        return number(out);
      } else {
        return number(std::nextafter(x, up ? T(INFINITY) : T(-INFINITY)));
      }
    };
    const bool is_negative = numbers_less(a[1], number(int64_t{0}));
    const bool want_up = mode == Rounding::kUp || (mode == Rounding::kToZero && is_negative) ||
                         (mode == Rounding::kFromZero && !is_negative);
    const bool want_down = mode == Rounding::kDown || (mode == Rounding::kToZero && !is_negative) ||
                           (mode == Rounding::kFromZero && is_negative);
    if (want_up && below) return step(true);
    if (want_down && above) return step(false);
    return nearest;
  });
}

/// rem(x, y, RoundNearest) of floats of one type.
Value nearest_remainder(Evaluator&, Args a) {
  return on_float(a[0], [&]<class T>(T x) {
    using C = ComputedIn<T>;
    return number(static_cast<T>(std::remainder(static_cast<C>(x), static_cast<C>(a[1].get<T>()))));
  });
}

constexpr IntrinsicEntry kEntries[] = {
    {"_round", round_float, 1, 2},
    {"_trunc", round_by<Rounding::kToZero>, 1, 1},
    {"_floor", round_by<Rounding::kDown>, 1, 1},
    {"_ceil", round_by<Rounding::kUp>, 1, 1},
    {"_round_to", round_to_type, 2, 3},
    {"_trunc_to", round_to_by<Rounding::kToZero>, 2, 2},
    {"_floor_to", round_to_by<Rounding::kDown>, 2, 2},
    {"_ceil_to", round_to_by<Rounding::kUp>, 2, 2},
    {"_to_float_rounded", to_float, 3, 3},
    {"_rem_nearest", nearest_remainder, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> number_rounding_entries() { return kEntries; }

}  // namespace weft::julia
