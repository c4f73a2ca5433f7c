// One element whose type is known at run time: the number type of the evaluator's scalar rules, for every element type. Floats
// compute in double and round once to their type when stored, so f32 functions are libm's by way of double; integers compute
// modulo 2^64 and wrap to their width. 16-bit floats round through f32, as native code does; smaller ones round once. Complex
// functions are those of ops/scalar/complex_math.h.
#pragma once
#include <cmath>
#include <cstdint>

#include "weft/tensor.h"

namespace weft {

class Num {
 public:
  ElementType type = ElementType::kF64;
  double real = 0;   // floats; the real part of complex numbers
  int64_t bits = 0;  // integers: sign- or zero-extended value as two's complement; i1: 0 or 1
  double imag = 0;   // complex numbers

  static Num of_real(ElementType type, double v) { return {type, v, 0}; }
  static Num of_complex(ElementType type, double real, double imag) { return {type, real, 0, imag}; }
  /// Wraps v to the width of `type`.
  static Num of_bits(ElementType type, int64_t v);
  static Num boolean(bool v) { return {ElementType::kI1, 0, v ? 1 : 0}; }
  /// A constant of this one's type.
  Num constant(double v) const;

  bool is_real() const { return is_float(type); }
  bool is_complex() const { return weft::is_complex(type); }
  bool is_unsigned() const { return is_unsigned_integer(type) || type == ElementType::kI1; }
  uint64_t unsigned_bits() const { return static_cast<uint64_t>(bits); }
  bool truth() const { return bits != 0; }
};

/// Element `index` of a tensor's memory.
Num load_num(const void* data, ElementType type, int64_t index);
/// Rounds to the type of the memory, which is v.type.
void store_num(void* data, const Num& v, int64_t index);
/// The value as it is after one store and load: rounded to its type.
Num rounded(const Num& v);
/// A scalar tensor of `type`; `value` is rounded (integers: to nearest, then saturated; i1: value != 0). Complex types get imaginary part 0.
Tensor scalar_tensor(ElementType type, double value);
/// StableHLO convert. Float to integer truncates and saturates, NaN gives 0; integers wrap; to i1: x != 0. Complex to others drops
/// the imaginary part. Rounds once; overflow of a float type without infinity gives its NaN, or its largest number.
Num convert(const Num& v, ElementType to);

Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
/// Total: integers x/0 = -1 (all ones), INT_MIN/-1 = INT_MIN, x rem 0 = x.
Num operator/(Num a, Num b);
Num rem(Num a, Num b);
Num operator-(Num a);
inline Num operator+(Num a, double b) { return a + a.constant(b); }
inline Num operator-(Num a, double b) { return a - a.constant(b); }
inline Num operator*(Num a, double b) { return a * a.constant(b); }
inline Num operator/(Num a, double b) { return a / a.constant(b); }
inline Num operator+(double a, Num b) { return b.constant(a) + b; }
inline Num operator-(double a, Num b) { return b.constant(a) - b; }
inline Num operator*(double a, Num b) { return b.constant(a) * b; }
inline Num operator/(double a, Num b) { return b.constant(a) / b; }

/// Complex numbers are ordered by the real part, then by the imaginary part.
Num operator<(Num a, Num b);
Num operator<=(Num a, Num b);
inline Num operator>(Num a, Num b) { return b < a; }
inline Num operator>=(Num a, Num b) { return b <= a; }
Num equal(Num a, Num b);
Num not_equal(Num a, Num b);
inline Num select(Num pred, Num a, Num b) { return pred.truth() ? a : b; }

/// NaN when either is; -0 < +0.
Num maximum(Num a, Num b);
Num minimum(Num a, Num b);
/// Of a complex number: a float of its parts' type.
Num abs(Num a);
Num bit_and(Num a, Num b);
Num bit_or(Num a, Num b);
Num bit_xor(Num a, Num b);
Num bit_not(Num a);
/// Amounts are read as unsigned; at or beyond the width they shift everything out.
Num shift_left(Num a, Num amount);
Num shift_right_logical(Num a, Num amount);
Num shift_right_arithmetic(Num a, Num amount);

Num floor(Num a);
Num ceil(Num a);
Num trunc(Num a);
Num round_even(Num a);
Num copy_sign(Num magnitude, Num sign);
/// -1, 0, 1; keeps NaN and signed zero. Complex: z / |z|.
Num sign(Num a);
Num is_finite(Num a);
/// Halves away from zero.
Num round_away(Num a);
Num rsqrt(Num a);
Num sqrt(Num a);
Num exp(Num a);
Num expm1(Num a);
Num log(Num a);
Num log1p(Num a);
Num tanh(Num a);
Num sin(Num a);
Num cos(Num a);
Num tan(Num a);
Num square(Num a);
Num erf(Num a);
Num cbrt(Num a);
Num logistic(Num a);
Num pow(Num a, Num b);
Num atan2(Num y, Num x);
/// Parts as floats; of a float: itself and 0.
Num real_part(Num a);
Num imag_part(Num a);
Num complex_of(Num real, Num imag);
inline Num conj(Num a) { return {a.type, a.real, a.bits, -a.imag}; }

}  // namespace weft
