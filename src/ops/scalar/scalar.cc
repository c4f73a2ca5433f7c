#include "ops/scalar/scalar.h"

#include <cmath>

#include "ops/families.h"
#include "ops/scalar/complex_math.h"
#include "ops/scalar/num.h"

namespace weft {
namespace {

uint64_t to_bits(const Num& v) {
  uint64_t memory = 0;
  store_num(&memory, v, 0);
  return memory;
}

size_t hash_of(const ScalarNode& n) {
  uint64_t h = static_cast<uint64_t>(n.op) * 31 + static_cast<uint64_t>(n.type);
  for (uint64_t part : {static_cast<uint64_t>(n.a), static_cast<uint64_t>(n.b), static_cast<uint64_t>(n.c), n.bits,
                        static_cast<uint64_t>(n.d)}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace

int ScalarProgram::add(const ScalarNode& node) {
  const auto [first, last] = index_.equal_range(hash_of(node));
  for (auto it = first; it != last; ++it) {
    if (nodes_[static_cast<size_t>(it->second)] == node) return it->second;
  }
  const int id = static_cast<int>(nodes_.size());
  nodes_.push_back(node);
  index_.emplace(hash_of(node), id);
  return id;
}

SExpr SExpr::arg(ScalarProgram& program, int index, ElementType type) {
  if (weft::is_complex(type)) return {arg(program, index, part_type(type)), arg(program, index + 1, part_type(type))};
  return {program, program.add({ScalarOpcode::kArg, type, -1, -1, -1, static_cast<uint64_t>(index)})};
}

SExpr SExpr::constant(ScalarProgram& program, ElementType type, double value) {
  if (weft::is_complex(type)) return {constant(program, part_type(type), value), constant(program, part_type(type), 0)};
  return constant_bits(program, type, to_bits(Num{type, 0, 0}.constant(value)));
}

SExpr SExpr::constant_bits(ScalarProgram& program, ElementType type, uint64_t bits) {
  return {program, program.add({ScalarOpcode::kConst, type, -1, -1, -1, bits})};
}

std::vector<SExpr> scalar_args(ScalarProgram& program, std::span<const ElementType> types) {
  std::vector<SExpr> args;
  int next = 0;
  for (ElementType t : types) {
    args.push_back(SExpr::arg(program, next, t));
    next += is_complex(t) ? 2 : 1;
  }
  return args;
}

namespace {

/// Computed in wider numbers, as the evaluator does.
template <class R>
Num run_complex(const ScalarNode& node, const Num& a, const Num& b, const Num& c, const Num& d) {
  const auto function = static_cast<ComplexFunction>(node.bits / 2);
  const std::complex<R> z = ComplexMath<R>::call(function, {static_cast<R>(a.real), static_cast<R>(b.real)},
                                                 {static_cast<R>(c.real), static_cast<R>(d.real)});
  return Num::of_real(node.type, static_cast<double>(node.bits % 2 == 0 ? z.real() : z.imag()));
}

Num fma_num(const Num& a, const Num& b, const Num& c) {
  if (a.type == ElementType::kF32) {
    return Num::of_real(a.type,
                        std::fma(static_cast<float>(a.real), static_cast<float>(b.real), static_cast<float>(c.real)));
  }
  if (a.type == ElementType::kF64) return Num::of_real(a.type, std::fma(a.real, b.real, c.real));
  return a * b + c;
}

Num run_node(const ScalarNode& node, const Num& a, const Num& b, const Num& c, const Num& d) {
  switch (node.op) {
    case ScalarOpcode::kArg:
    case ScalarOpcode::kConst: break;  // handled by the caller
    case ScalarOpcode::kAdd: return a + b;
    case ScalarOpcode::kSub: return a - b;
    case ScalarOpcode::kMul: return a * b;
    case ScalarOpcode::kDiv: return a / b;
    case ScalarOpcode::kRem: return rem(a, b);
    case ScalarOpcode::kMax: return maximum(a, b);
    case ScalarOpcode::kMin: return minimum(a, b);
    case ScalarOpcode::kFma: return fma_num(a, b, c);
    case ScalarOpcode::kNeg: return -a;
    case ScalarOpcode::kAbs: return abs(a);
    case ScalarOpcode::kSqrt: return sqrt(a);
    case ScalarOpcode::kFloor: return floor(a);
    case ScalarOpcode::kCeil: return ceil(a);
    case ScalarOpcode::kTrunc: return trunc(a);
    case ScalarOpcode::kRoundEven: return round_even(a);
    case ScalarOpcode::kAnd: return bit_and(a, b);
    case ScalarOpcode::kOr: return bit_or(a, b);
    case ScalarOpcode::kXor: return bit_xor(a, b);
    case ScalarOpcode::kNot: return bit_not(a);
    case ScalarOpcode::kShl: return shift_left(a, b);
    case ScalarOpcode::kShrLogical: return shift_right_logical(a, b);
    case ScalarOpcode::kShrArithmetic: return shift_right_arithmetic(a, b);
    case ScalarOpcode::kEq: return equal(a, b);
    case ScalarOpcode::kNe: return not_equal(a, b);
    case ScalarOpcode::kLt: return a < b;
    case ScalarOpcode::kLe: return a <= b;
    case ScalarOpcode::kGt: return a > b;
    case ScalarOpcode::kGe: return a >= b;
    case ScalarOpcode::kSelect: return select(a, b, c);
    case ScalarOpcode::kBitcast: {
      const uint64_t memory = to_bits(a);
      return load_num(&memory, node.type, 0);
    }
    case ScalarOpcode::kConvert: return convert(a, node.type);
    case ScalarOpcode::kComplex:
      return node.type == ElementType::kF32 ? run_complex<double>(node, a, b, c, d)
                                            : run_complex<long double>(node, a, b, c, d);
    case ScalarOpcode::kLibm:
      if (!b.truth()) return c;
      return static_cast<LibmFunction>(node.bits) == LibmFunction::kSin ? sin(a) : cos(a);
  }
  throw InternalError("a scalar node of an unknown kind");
}

}  // namespace

uint64_t run_scalar(const ScalarProgram& program, int result, const uint64_t* args) {
  std::vector<Num> values(static_cast<size_t>(result) + 1);
  for (int i = 0; i <= result; ++i) {
    const ScalarNode& node = program[i];
    Num& out = values[static_cast<size_t>(i)];
    if (node.op == ScalarOpcode::kArg) {
      out = load_num(&args[node.bits], node.type, 0);
    } else if (node.op == ScalarOpcode::kConst) {
      out = load_num(&node.bits, node.type, 0);
    } else {
      const Num none;
      const auto at = [&](int id) -> const Num& { return id < 0 ? none : values[static_cast<size_t>(id)]; };
      out = rounded(run_node(node, at(node.a), at(node.b), at(node.c), at(node.d)));
    }
  }
  return to_bits(values.back());
}

}  // namespace weft
