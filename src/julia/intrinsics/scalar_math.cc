#include "julia/intrinsics/scalar_math.h"

#include <cmath>
#include <numbers>
#include <string>

#include "julia/host/exception.h"

namespace weft::julia {
namespace {

using Wide = long double;
using Function = MathFunction;

constexpr std::pair<std::string_view, Function> kNames[] = {
    {"sqrt", Function::kSqrt},   {"cbrt", Function::kCbrt},   {"exp", Function::kExp},     {"exp2", Function::kExp2},
    {"exp10", Function::kExp10}, {"expm1", Function::kExpm1}, {"log", Function::kLog},     {"log2", Function::kLog2},
    {"log10", Function::kLog10}, {"log1p", Function::kLog1p}, {"sin", Function::kSin},     {"cos", Function::kCos},
    {"tan", Function::kTan},     {"asin", Function::kAsin},   {"acos", Function::kAcos},   {"atan", Function::kAtan},
    {"sinh", Function::kSinh},   {"cosh", Function::kCosh},   {"tanh", Function::kTanh},   {"asinh", Function::kAsinh},
    {"acosh", Function::kAcosh}, {"atanh", Function::kAtanh}, {"sinpi", Function::kSinpi}, {"cospi", Function::kCospi},
    {"tanpi", Function::kTanpi}, {"sind", Function::kSind},   {"cosd", Function::kCosd},   {"tand", Function::kTand}};

std::string_view name_of(Function f) { return kNames[static_cast<size_t>(f)].first; }

/// Sine and cosine of an angle whose quarter turn is `quarter` units, exact at the multiples of quarter turns.
struct SineCosine {
  Wide sine, cosine;
};
SineCosine of_turns(double x, double quarter) {
  const double r = std::remainder(x, 4 * quarter);
  const double n = std::nearbyint(r / quarter);
  const Wide t = (r - n * quarter) * (std::numbers::pi_v<Wide> / (2 * quarter));
  const Wide s = std::sin(t), c = t == 0 ? Wide(1) : std::cos(t);
  SineCosine out{};
  switch (static_cast<int>(n) & 3) {
    case 0: out = {s, c}; break;
    case 1: out = {c, -s}; break;
    case 2: out = {-s, -c}; break;
    default: out = {-c, s}; break;
  }
  if (out.sine == 0) out.sine = std::copysign(Wide(0), static_cast<Wide>(x));
  if (out.cosine == 0) out.cosine = 0;
  return out;
}

double tangent_of_turns(double x, double quarter) {
  const SineCosine v = of_turns(x, quarter);
  return static_cast<double>(v.sine / v.cosine);
}

/// 10^x: powl is good enough to be exact for whole powers.
double power_of_ten(double x) { return static_cast<double>(std::pow(Wide(10), static_cast<Wide>(x))); }

constexpr const char* kNegative =
    " was called with a negative real argument but will only return a complex result if called with a complex "
    "argument. "
    "Try ";

}  // namespace

double math(MathFunction f, double x) {
  const auto w = static_cast<Wide>(x);
  switch (f) {
    case Function::kSqrt: return std::sqrt(x);
    case Function::kExp: return std::exp(x);
    case Function::kExp2: return std::exp2(x);
    case Function::kLog: return std::log(x);
    case Function::kSin: return std::sin(x);
    case Function::kCos: return std::cos(x);
    // The C library rounds these less well in double.
    case Function::kCbrt: return static_cast<double>(std::cbrt(w));
    case Function::kExp10: return power_of_ten(x);
    case Function::kExpm1: return static_cast<double>(std::expm1(w));
    case Function::kLog2: return static_cast<double>(std::log2(w));
    case Function::kLog10: return static_cast<double>(std::log10(w));
    case Function::kLog1p: return static_cast<double>(std::log1p(w));
    case Function::kTan: return static_cast<double>(std::tan(w));
    case Function::kAsin: return static_cast<double>(std::asin(w));
    case Function::kAcos: return static_cast<double>(std::acos(w));
    case Function::kAtan: return static_cast<double>(std::atan(w));
    case Function::kSinh: return static_cast<double>(std::sinh(w));
    case Function::kCosh: return static_cast<double>(std::cosh(w));
    case Function::kTanh: return static_cast<double>(std::tanh(w));
    case Function::kAsinh: return static_cast<double>(std::asinh(w));
    case Function::kAcosh: return static_cast<double>(std::acosh(w));
    case Function::kAtanh: return static_cast<double>(std::atanh(w));
    case Function::kSinpi: return static_cast<double>(of_turns(x, 0.5).sine);
    case Function::kCospi: return static_cast<double>(of_turns(x, 0.5).cosine);
    case Function::kTanpi: return tangent_of_turns(x, 0.5);
    case Function::kSind: return static_cast<double>(of_turns(x, 90).sine);
    case Function::kCosd: return static_cast<double>(of_turns(x, 90).cosine);
    case Function::kTand: return tangent_of_turns(x, 90);
  }
  return x;
}

float math(MathFunction f, float x) {
  if (f == Function::kSqrt) return std::sqrt(x);
  return static_cast<float>(math(f, static_cast<double>(x)));
}

void check_domain(MathFunction f, double x, const Value& value) {
  const std::string name(name_of(f));
  switch (f) {
    case Function::kSqrt:
    case Function::kLog:
    case Function::kLog2:
    case Function::kLog10:
      if (x < 0) throw_domain_error(value, name + kNegative + name + "(Complex(x)).");
      return;
    case Function::kLog1p:
      if (x < -1)
        throw_domain_error(value,
                           "log1p was called with a real argument < -1 but will only return a complex result if "
                           "called with a complex argument. Try log1p(Complex(x)).");
      return;
    case Function::kSin:
    case Function::kCos:
    case Function::kTan:
      if (std::isinf(x)) throw_domain_error(value, name + "(x) is only defined for finite x.");
      return;
    case Function::kSinpi:
    case Function::kCospi:
    case Function::kTanpi:
    case Function::kSind:
    case Function::kCosd:
    case Function::kTand:
      if (std::isinf(x)) throw_domain_error(value, "`x` cannot be infinite.");
      return;
    case Function::kAsin:
    case Function::kAcos:
      if (std::fabs(x) > 1) throw_domain_error(value, name + "(x) is not defined for |x| > 1.");
      return;
    case Function::kAcosh:
      if (x < 1) throw_domain_error(value, "acosh(x) is only defined for x ≥ 1.");
      return;
    case Function::kAtanh:
      if (std::fabs(x) > 1) throw_domain_error(value, "atanh(x) is only defined for |x| ≤ 1.");
      return;
    default: return;
  }
}

std::optional<MathFunction> math_function(std::string_view name) {
  for (const auto& [text, f] : kNames) {
    if (text == name) return f;
  }
  return std::nullopt;
}

}  // namespace weft::julia
