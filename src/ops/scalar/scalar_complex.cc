// Arithmetic of scalar programs, in which a complex number is the two nodes of its parts. As the evaluator does (num.cc), complex<f32>
// multiplies in f64 and rounds once.
#include <cmath>

#include "ops/scalar/scalar_math.h"

namespace weft {
namespace {

SExpr both(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kAnd, b); }
SExpr either(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kOr, b); }

SExpr multiply(SExpr a, SExpr b) {
  const ElementType part = a.real().type();
  const auto wide = [](SExpr x) { return x.convert(ElementType::kF64); };
  const SExpr x = wide(a.real()), y = wide(a.imag()), u = wide(b.real()), v = wide(b.imag());
  return {(x * u - y * v).convert(part), (x * v + y * u).convert(part)};
}

}  // namespace

SExpr operator+(SExpr a, SExpr b) {
  if (a.is_complex()) return {a.real() + b.real(), a.imag() + b.imag()};
  return a.binary(ScalarOpcode::kAdd, b);
}
SExpr operator-(SExpr a, SExpr b) {
  if (a.is_complex()) return {a.real() - b.real(), a.imag() - b.imag()};
  return a.binary(ScalarOpcode::kSub, b);
}
SExpr operator*(SExpr a, SExpr b) { return a.is_complex() ? multiply(a, b) : a.binary(ScalarOpcode::kMul, b); }
SExpr operator/(SExpr a, SExpr b) {
  return a.is_complex() ? complex_call(ComplexFunction::kDivide, a, b) : a.binary(ScalarOpcode::kDiv, b);
}
SExpr operator-(SExpr a) {
  if (a.is_complex()) return {-a.real(), -a.imag()};
  return a.unary(ScalarOpcode::kNeg);
}

SExpr operator<(SExpr a, SExpr b) {
  if (!a.is_complex()) return a.compare(ScalarOpcode::kLt, b);
  return either(a.real() < b.real(), both(equal(a.real(), b.real()), a.imag() < b.imag()));
}
SExpr operator<=(SExpr a, SExpr b) {
  if (!a.is_complex()) return a.compare(ScalarOpcode::kLe, b);
  return either(a.real() < b.real(), both(equal(a.real(), b.real()), a.imag() <= b.imag()));
}
SExpr equal(SExpr a, SExpr b) {
  if (!a.is_complex()) return a.compare(ScalarOpcode::kEq, b);
  return both(equal(a.real(), b.real()), equal(a.imag(), b.imag()));
}
SExpr not_equal(SExpr a, SExpr b) {
  if (!a.is_complex()) return a.compare(ScalarOpcode::kNe, b);
  return either(not_equal(a.real(), b.real()), not_equal(a.imag(), b.imag()));
}

SExpr select(SExpr pred, SExpr a, SExpr b) {
  if (a.is_complex()) return {select(pred, a.real(), b.real()), select(pred, a.imag(), b.imag())};
  return pred.node(ScalarOpcode::kSelect, a.type(), a.id(), b.id());
}

// The squares of an f32 and their sum are normal f64 numbers, so nothing overflows.
SExpr complex_abs(SExpr a) {
  if (a.type() == ElementType::kC128) return complex_call(ComplexFunction::kAbs, a).real();
  const SExpr x = abs(a.real()).convert(ElementType::kF64), y = abs(a.imag()).convert(ElementType::kF64);
  const SExpr infinity = x.constant(INFINITY);
  const SExpr is_infinite = either(equal(x, infinity), equal(y, infinity));  // whatever the other part
  return select(is_infinite, infinity, sqrt(x * x + y * y)).convert(ElementType::kF32);
}

SExpr complex_call(ComplexFunction function, SExpr a) {
  const auto part = [&](uint64_t which) {
    const uint64_t bits = 2 * static_cast<uint64_t>(function) + which;
    return SExpr(a.program(), a.program().add({ScalarOpcode::kComplex, a.real().type(), a.real().id(), a.imag().id(),
                                               -1, bits, -1}));
  };
  return {part(0), part(1)};
}

SExpr complex_call(ComplexFunction function, SExpr a, SExpr b) {
  const auto part = [&](uint64_t which) {
    const uint64_t bits = 2 * static_cast<uint64_t>(function) + which;
    return SExpr(a.program(), a.program().add({ScalarOpcode::kComplex, a.real().type(), a.real().id(), a.imag().id(),
                                               b.real().id(), bits, b.imag().id()}));
  };
  return {part(0), part(1)};
}

}  // namespace weft
