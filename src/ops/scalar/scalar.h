// Scalar programs: what an elementwise op does to one element, as data. A scalar rule is a template over the number type;
// instantiated with float or double it is the evaluator's value, instantiated with `SExpr` it writes the nodes below,
// which native turns into machine code. Primitives of libm expand here into polynomials (scalar_math.h). A complex number is
// two nodes, its parts (scalar_complex.cc); its transcendental functions are calls.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ops/scalar/complex_function.h"
#include "weft/element_type.h"
#include "weft/error.h"

namespace weft {

/// Node kinds. Types: i1, integers, f32, f64; 16-bit floats are widened before and rounded after by whoever runs the program.
/// Arithmetic on integers wraps. Every floating-point node rounds to its type.
enum class ScalarOpcode : uint8_t {
  kArg,    // bits = argument index
  kConst,  // bits = the value's bits, zero-extended
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,  // kDiv, kRem on integers: StableHLO's, total (x/0 = -1, INT_MIN/-1 = INT_MIN, x rem 0 = x)
         // kRem on floats: C's fmod, exact
  kMax,
  kMin,  // floats: NaN when either is NaN, -0 < +0; integers of either sign; i1: or, and
  kFma,  // a*b+c, rounded once; for expansions of primitives only
  kNeg,
  kAbs,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRoundEven,
  kAnd,
  kOr,
  kXor,
  kNot,
  kShl,
  kShrLogical,
  kShrArithmetic,  // shift amount >= width gives 0 (or the sign)
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,       // i1; floats: ordered, kNe unordered
  kSelect,   // a ? b : c
  kBitcast,  // same width
  kConvert,  // StableHLO convert between any two types, saturating where C++ is undefined
  kComplex,  // a part of a complex function of a + bi, or of that and c + di: bits = 2 · ComplexFunction + (0 real, 1 imaginary)
  kLibm,  // b ? the C library's function `bits` (LibmFunction) of a : c; f32 or f64. Native calls it only where b holds
};
enum class LibmFunction : uint64_t { kSin, kCos };

struct ScalarNode {
  ScalarOpcode op;
  ElementType type;
  int32_t a = -1, b = -1, c = -1;
  uint64_t bits = 0;
  int32_t d = -1;
  bool operator==(const ScalarNode&) const = default;
};

/// Nodes in topological order; equal nodes are made once.
class ScalarProgram {
 public:
  int add(const ScalarNode& node);
  const std::vector<ScalarNode>& nodes() const { return nodes_; }
  const ScalarNode& operator[](int i) const { return nodes_[static_cast<size_t>(i)]; }

 private:
  std::vector<ScalarNode> nodes_;
  std::unordered_multimap<size_t, int> index_;  // hash of a node → its position
};

/// A node of a program under construction, or the two nodes of a complex number's parts, with the operators of a number.
class SExpr {
 public:
  SExpr(ScalarProgram& program, int id) : program_(&program), id_(id) {}
  /// A complex number; both parts of type f32 or f64.
  SExpr(SExpr real, SExpr imag) : program_(real.program_), id_(real.id()), imag_(imag.id()) {}
  /// Parts of a complex number are arguments `index` and `index` + 1.
  static SExpr arg(ScalarProgram& program, int index, ElementType type);
  /// A constant of the type of this expression.
  SExpr constant(double value) const { return constant(*program_, type(), value); }
  static SExpr constant(ScalarProgram& program, ElementType type, double value);
  static SExpr constant_bits(ScalarProgram& program, ElementType type, uint64_t bits);

  ScalarProgram& program() const { return *program_; }
  /// The node of a number that is not complex: rules for real numbers refuse complex ones here.
  int id() const {
    if (is_complex()) throw Unsupported("[native] this function of complex numbers has no generated code");
    return id_;
  }
  ElementType type() const {
    const ElementType part = (*program_)[id_].type;
    if (!is_complex()) return part;
    return part == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  }
  bool is_complex() const { return imag_ >= 0; }
  /// Parts of a complex number.
  SExpr real() const { return {*program_, id_}; }
  SExpr imag() const { return {*program_, imag_}; }

  SExpr unary(ScalarOpcode op) const { return node(op, type()); }
  SExpr binary(ScalarOpcode op, SExpr b) const { return node(op, type(), b.id()); }
  SExpr compare(ScalarOpcode op, SExpr b) const { return node(op, ElementType::kI1, b.id()); }
  SExpr convert(ElementType to) const { return to == type() ? *this : node(ScalarOpcode::kConvert, to); }
  SExpr bitcast(ElementType to) const { return to == type() ? *this : node(ScalarOpcode::kBitcast, to); }
  SExpr node(ScalarOpcode op, ElementType type, int b = -1, int c = -1) const {
    return SExpr(*program_, program_->add({op, type, id(), b, c, 0}));
  }

 private:
  ScalarProgram* program_;
  int id_;
  int imag_ = -1;
};

/// Arguments of these types, numbered in order; a complex one takes two numbers.
std::vector<SExpr> scalar_args(ScalarProgram& program, std::span<const ElementType> types);

// Of complex numbers as those of num.h: products and quotients round once, order is by the real part, then by the imaginary part.
SExpr operator+(SExpr a, SExpr b);
SExpr operator-(SExpr a, SExpr b);
SExpr operator*(SExpr a, SExpr b);
SExpr operator/(SExpr a, SExpr b);
SExpr operator-(SExpr a);
inline SExpr operator+(SExpr a, double b) { return a + a.constant(b); }
inline SExpr operator-(SExpr a, double b) { return a - a.constant(b); }
inline SExpr operator*(SExpr a, double b) { return a * a.constant(b); }
inline SExpr operator/(SExpr a, double b) { return a / a.constant(b); }
inline SExpr operator+(double a, SExpr b) { return b.constant(a) + b; }
inline SExpr operator-(double a, SExpr b) { return b.constant(a) - b; }
inline SExpr operator*(double a, SExpr b) { return b.constant(a) * b; }
inline SExpr operator/(double a, SExpr b) { return b.constant(a) / b; }
SExpr operator<(SExpr a, SExpr b);
SExpr operator<=(SExpr a, SExpr b);
inline SExpr operator>(SExpr a, SExpr b) { return a.is_complex() ? b < a : a.compare(ScalarOpcode::kGt, b); }
inline SExpr operator>=(SExpr a, SExpr b) { return a.is_complex() ? b <= a : a.compare(ScalarOpcode::kGe, b); }
SExpr equal(SExpr a, SExpr b);
SExpr not_equal(SExpr a, SExpr b);
inline SExpr fma(SExpr a, SExpr b, SExpr c) { return a.node(ScalarOpcode::kFma, a.type(), b.id(), c.id()); }
SExpr select(SExpr pred, SExpr a, SExpr b);
/// A function of one complex number, or of two.
SExpr complex_call(ComplexFunction function, SExpr a);
SExpr complex_call(ComplexFunction function, SExpr a, SExpr b);

/// Runs a program on one element, by the plain meaning of its nodes; arguments and result as zero-extended bits.
/// Used by tests of the expansions and by folding.
uint64_t run_scalar(const ScalarProgram& program, int result, const uint64_t* args);

}  // namespace weft
