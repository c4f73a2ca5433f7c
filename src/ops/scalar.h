// Scalar programs: what an elementwise op does to one element, as data. A scalar rule is a template over the number type;
// instantiated with float or double it is the evaluator's value, instantiated with `SExpr` it writes the nodes below,
// which native turns into machine code. Primitives of libm expand here into polynomials (scalar_math.h).
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

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
  kLibm,  // b ? the C library's function `bits` (LibmFunction) of a : c; f32 or f64. Native calls it only where b holds
};
enum class LibmFunction : uint64_t { kSin, kCos };

struct ScalarNode {
  ScalarOpcode op;
  ElementType type;
  int32_t a = -1, b = -1, c = -1;
  uint64_t bits = 0;
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

/// A node of a program under construction, with the operators of a number.
class SExpr {
 public:
  SExpr(ScalarProgram& program, int id) : program_(&program), id_(id) {}
  static SExpr arg(ScalarProgram& program, int index, ElementType type);
  /// A constant of the type of this expression.
  SExpr constant(double value) const { return constant(*program_, type(), value); }
  static SExpr constant(ScalarProgram& program, ElementType type, double value);
  static SExpr constant_bits(ScalarProgram& program, ElementType type, uint64_t bits);

  ScalarProgram& program() const { return *program_; }
  int id() const { return id_; }
  ElementType type() const { return (*program_)[id_].type; }

  SExpr unary(ScalarOpcode op) const { return node(op, type()); }
  SExpr binary(ScalarOpcode op, SExpr b) const { return node(op, type(), b.id_); }
  SExpr compare(ScalarOpcode op, SExpr b) const { return node(op, ElementType::kI1, b.id_); }
  SExpr convert(ElementType to) const { return to == type() ? *this : node(ScalarOpcode::kConvert, to); }
  SExpr bitcast(ElementType to) const { return to == type() ? *this : node(ScalarOpcode::kBitcast, to); }
  SExpr node(ScalarOpcode op, ElementType type, int b = -1, int c = -1) const {
    return SExpr(*program_, program_->add({op, type, id_, b, c, 0}));
  }

 private:
  ScalarProgram* program_;
  int id_;
};

inline SExpr operator+(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kAdd, b); }
inline SExpr operator-(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kSub, b); }
inline SExpr operator*(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kMul, b); }
inline SExpr operator/(SExpr a, SExpr b) { return a.binary(ScalarOpcode::kDiv, b); }
inline SExpr operator-(SExpr a) { return a.unary(ScalarOpcode::kNeg); }
inline SExpr operator+(SExpr a, double b) { return a + a.constant(b); }
inline SExpr operator-(SExpr a, double b) { return a - a.constant(b); }
inline SExpr operator*(SExpr a, double b) { return a * a.constant(b); }
inline SExpr operator/(SExpr a, double b) { return a / a.constant(b); }
inline SExpr operator+(double a, SExpr b) { return b.constant(a) + b; }
inline SExpr operator-(double a, SExpr b) { return b.constant(a) - b; }
inline SExpr operator*(double a, SExpr b) { return b.constant(a) * b; }
inline SExpr operator/(double a, SExpr b) { return b.constant(a) / b; }
inline SExpr operator<(SExpr a, SExpr b) { return a.compare(ScalarOpcode::kLt, b); }
inline SExpr operator<=(SExpr a, SExpr b) { return a.compare(ScalarOpcode::kLe, b); }
inline SExpr operator>(SExpr a, SExpr b) { return a.compare(ScalarOpcode::kGt, b); }
inline SExpr operator>=(SExpr a, SExpr b) { return a.compare(ScalarOpcode::kGe, b); }
inline SExpr equal(SExpr a, SExpr b) { return a.compare(ScalarOpcode::kEq, b); }
inline SExpr not_equal(SExpr a, SExpr b) { return a.compare(ScalarOpcode::kNe, b); }
inline SExpr fma(SExpr a, SExpr b, SExpr c) { return a.node(ScalarOpcode::kFma, a.type(), b.id(), c.id()); }
inline SExpr select(SExpr pred, SExpr a, SExpr b) { return pred.node(ScalarOpcode::kSelect, a.type(), a.id(), b.id()); }

/// Runs a program on one element, by the plain meaning of its nodes; arguments and result as zero-extended bits.
/// Used by tests of the expansions and by folding.
uint64_t run_scalar(const ScalarProgram& program, int result, const uint64_t* args);

}  // namespace weft
