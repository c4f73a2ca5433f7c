#include "native/codegen/complex_programs.h"

#include "ops/scalar/scalar_math.h"

namespace weft::codegen {
namespace {

// Parts are f64 and come from f32: squares are exact and cannot overflow.
struct Parts {
  SExpr x, y;
};

Parts divide(const Parts& a, const Parts& b) {
  const SExpr d = b.x * b.x + b.y * b.y;
  return {(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};
}

Parts exp_of(const Parts& z) {
  const SExpr e = exp(z.x);
  return {e * cos(z.y), e * sin(z.y)};
}

Parts log_of(const Parts& z) {
  const SExpr one = z.x.constant(1), half = z.x.constant(0.5);
  const SExpr a = abs(z.x), b = abs(z.y), large = maximum(a, b), small = minimum(a, b);
  const SExpr squares = large * large + small * small;
  // |z|² - 1 is exact up to one rounding where it is small.
  const SExpr excess = (large - one) * (large + one) + small * small;
  const SExpr is_near = abs(squares - one) < half;
  return {half * select(is_near, log1p(excess), log(squares)), atan2(z.y, z.x)};
}

Parts sqrt_of(const Parts& z) {
  const SExpr half = z.x.constant(0.5), zero = z.x.constant(0);
  const SExpr m = sqrt((abs(z.x) + sqrt(z.x * z.x + z.y * z.y)) * half);
  const SExpr other = half * z.y / m;
  const SExpr is_right = z.x >= zero;
  return {select(is_right, m, abs(other)), select(is_right, other, copy_sign(m, z.y))};
}

/// sinh and cosh of a real.
Parts hyperbolic(SExpr x) {
  const SExpr one = x.constant(1), half = x.constant(0.5);
  const SExpr e = expm1(abs(x));
  const SExpr sinh = copy_sign(half * (e + e / (e + one)), x);
  return {sinh, sqrt(one + sinh * sinh)};
}

Parts tanh_of(const Parts& z) {
  const Parts h = hyperbolic(z.x);
  const SExpr c = cos(z.y);
  const SExpr d = h.x * h.x + c * c;
  return {h.x * h.y / d, sin(z.y) * c / d};
}

Parts sin_of(const Parts& z) {
  const Parts h = hyperbolic(z.y);
  return {sin(z.x) * h.y, cos(z.x) * h.x};
}

Parts cos_of(const Parts& z) {
  const Parts h = hyperbolic(z.y);
  return {cos(z.x) * h.y, -(sin(z.x) * h.x)};
}

Parts pow_of(const Parts& a, const Parts& b) {
  const Parts l = log_of(a);
  return exp_of({b.x * l.x - b.y * l.y, b.x * l.y + b.y * l.x});
}

Parts logistic_of(const Parts& z) {
  const SExpr one = z.x.constant(1);
  const Parts e = exp_of({-z.x, -z.y});
  return divide({one, one.constant(0)}, {one + e.x, e.y});
}

std::optional<Parts> parts_of(ComplexFunction function, const Parts& a, const Parts& b) {
  switch (function) {
    case ComplexFunction::kDivide: return divide(a, b);
    case ComplexFunction::kExp: return exp_of(a);
    case ComplexFunction::kLog: return log_of(a);
    case ComplexFunction::kSqrt: return sqrt_of(a);
    case ComplexFunction::kRsqrt: return divide({a.x.constant(1), a.x.constant(0)}, sqrt_of(a));
    case ComplexFunction::kTanh: return tanh_of(a);
    case ComplexFunction::kTan: {
      const Parts t = tanh_of({-a.y, a.x});
      return Parts{t.y, -t.x};
    }
    case ComplexFunction::kSin: return sin_of(a);
    case ComplexFunction::kCos: return cos_of(a);
    case ComplexFunction::kLogistic: return logistic_of(a);
    case ComplexFunction::kPow: return pow_of(a, b);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<ComplexProgram> complex_program(ComplexFunction function) {
  ComplexProgram p;
  const auto part = [&](int i) { return SExpr::arg(p.program, i, ElementType::kF32).convert(ElementType::kF64); };
  const Parts a = {part(0), part(1)};
  const Parts b = is_binary(function) ? Parts{part(2), part(3)} : a;
  const auto z = parts_of(function, a, b);
  if (!z) return std::nullopt;
  p.real = z->x.convert(ElementType::kF32).id();
  p.imag = z->y.convert(ElementType::kF32).id();
  p.is_right = bit_and(is_finite(z->x), is_finite(z->y)).id();
  return p;
}

}  // namespace weft::codegen
