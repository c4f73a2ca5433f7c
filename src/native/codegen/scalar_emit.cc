#include "native/codegen/scalar_emit.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "base/float_format.h"
#include "native/codegen/shared_functions.h"
#include "ops/scalar/small_float.h"
#include "weft/number.h"

namespace weft::codegen {

using llvm::Value;

llvm::Type* register_type(llvm::LLVMContext& c, ElementType t) {
  switch (t) {
    case ElementType::kF16:
    case ElementType::kBF16:
    case ElementType::kF32:
    case ElementType::kC64: return llvm::Type::getFloatTy(c);
    case ElementType::kF64:
    case ElementType::kC128: return llvm::Type::getDoubleTy(c);
    default: break;
  }
  if (is_boolean(t) || is_integer(t)) return llvm::Type::getIntNTy(c, static_cast<unsigned>(bit_width(t)));
  if (is_small_float(t)) return llvm::Type::getFloatTy(c);
  throw Unsupported("[codegen] element type " + std::string(name(t)) + " is not generated yet");
}

llvm::Type* memory_type(llvm::LLVMContext& c, ElementType t) {
  switch (t) {
    case ElementType::kF16: return llvm::Type::getHalfTy(c);
    case ElementType::kBF16: return llvm::Type::getInt16Ty(c);
    default: break;
  }
  if (is_boolean(t) || is_integer(t) || is_small_float(t))
    return llvm::Type::getIntNTy(c, static_cast<unsigned>(byte_size(t) * 8));
  return register_type(c, t);
}

ElementType compute_type(ElementType t) {
  return t == ElementType::kF16 || t == ElementType::kBF16 || is_small_float(t) ? ElementType::kF32 : t;
}

llvm::Type* with_lanes(llvm::Type* t, int lanes) {
  return lanes == 1 ? t : llvm::FixedVectorType::get(t, static_cast<unsigned>(lanes));
}

llvm::Constant* register_constant(llvm::LLVMContext& c, ElementType t, uint64_t bits, int lanes) {
  llvm::Constant* k = nullptr;
  switch (t) {
    case ElementType::kF16: {
      k = llvm::ConstantFP::get(
          c, llvm::APFloat(llvm::APFloat::IEEEsingle(),
                           llvm::APInt(32, std::bit_cast<uint32_t>(f16::to_float(static_cast<uint16_t>(bits))))));
      break;
    }
    case ElementType::kBF16:
      k = llvm::ConstantFP::get(c, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, (bits & 0xffff) << 16)));
      break;
    case ElementType::kF32:
      k = llvm::ConstantFP::get(c, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xffffffffu)));
      break;
    case ElementType::kF64:
      k = llvm::ConstantFP::get(c, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
      break;
    default: {
      if (is_small_float(t)) {
        ScalarProgram program;
        const int value = decode_small_float(SExpr::arg(program, 0, ElementType::kU8), t).id();
        const uint64_t byte = bits & 0xff;
        const llvm::APInt word(32, run_scalar(program, value, &byte));
        k = llvm::ConstantFP::get(c, llvm::APFloat(llvm::APFloat::IEEEsingle(), word));
        break;
      }
      const unsigned width = static_cast<unsigned>(bit_width(t));
      k = llvm::ConstantInt::get(c, llvm::APInt(64, is_boolean(t) ? (bits != 0) : bits).trunc(width));
    }
  }
  return lanes == 1 ? k : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(lanes)), k);
}

namespace {

Value* int_splat(Value* like, uint64_t v) { return llvm::ConstantInt::get(like->getType(), v); }

int lanes_of(Value* v) {
  const auto* t = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return t == nullptr ? 1 : static_cast<int>(t->getNumElements());
}

}  // namespace

namespace {

/// A rule of small floats on elements of type `from`.
Value* small_float(llvm::IRBuilder<>& b, SExpr (*rule)(SExpr, ElementType), ElementType t, ElementType from, Value* v) {
  ScalarProgram program;
  const int result[] = {rule(SExpr::arg(program, 0, from), t).id()};
  return emit_scalar(b, program, result, std::span(&v, 1), lanes_of(v))[0];
}

}  // namespace

Value* round_to(llvm::IRBuilder<>& b, Value* v, ElementType t) {
  const int lanes = lanes_of(v);
  if (t == ElementType::kF16) {
    Value* h = b.CreateFPTrunc(v, with_lanes(b.getHalfTy(), lanes));
    return b.CreateFPExt(h, v->getType());
  }
  if (t == ElementType::kBF16) {
    Value* u = b.CreateBitCast(v, with_lanes(b.getInt32Ty(), lanes));
    Value* odd = b.CreateAnd(b.CreateLShr(u, 16), int_splat(u, 1));
    Value* rounded = b.CreateAdd(b.CreateAdd(u, int_splat(u, 0x7fff)), odd);
    Value* quiet = b.CreateOr(u, int_splat(u, 0x400000));
    Value* bits = b.CreateSelect(b.CreateFCmpUNO(v, v), quiet, rounded);
    return b.CreateBitCast(b.CreateAnd(bits, int_splat(u, 0xffff0000u)), v->getType());
  }
  if (is_small_float(t)) return small_float(b, round_to_small_float, t, ElementType::kF32, v);
  return v;
}

Value* from_memory(llvm::IRBuilder<>& b, Value* v, ElementType t) {
  const int lanes = lanes_of(v);
  if (is_boolean(t)) return b.CreateICmpNE(v, int_splat(v, 0));
  if (t == ElementType::kF16) return b.CreateFPExt(v, with_lanes(b.getFloatTy(), lanes));
  if (t == ElementType::kBF16) {
    Value* wide = b.CreateZExt(v, with_lanes(b.getInt32Ty(), lanes));
    return b.CreateBitCast(b.CreateShl(wide, 16), with_lanes(b.getFloatTy(), lanes));
  }
  if (is_small_float(t)) return small_float(b, decode_small_float, t, ElementType::kU8, v);
  if (is_integer(t) && bit_width(t) < 8) return b.CreateTrunc(v, with_lanes(register_type(b.getContext(), t), lanes));
  return v;
}

Value* to_memory(llvm::IRBuilder<>& b, Value* v, ElementType t) {
  const int lanes = lanes_of(v);
  llvm::Type* memory = with_lanes(memory_type(b.getContext(), t), lanes);
  if (is_boolean(t)) return b.CreateZExt(v, memory);
  if (t == ElementType::kF16) return b.CreateFPTrunc(v, memory);
  if (t == ElementType::kBF16) {
    Value* u = b.CreateBitCast(v, with_lanes(b.getInt32Ty(), lanes));
    return b.CreateTrunc(b.CreateLShr(u, 16), memory);
  }
  if (is_small_float(t)) return small_float(b, encode_small_float, t, ElementType::kF32, v);
  if (is_integer(t) && bit_width(t) < 8)
    return is_signed_integer(t) ? b.CreateSExt(v, memory) : b.CreateZExt(v, memory);
  return v;
}

namespace {

Value* is_zero(llvm::IRBuilder<>& b, Value* v) { return b.CreateICmpEQ(v, int_splat(v, 0)); }

// x / 0 = -1 (all ones), INT_MIN / -1 = INT_MIN, x rem 0 = x, INT_MIN rem -1 = 0. Up to 32 bits the quotient of doubles,
// truncated, is exact, and vectors have no integer division.
Value* divide_integers(llvm::IRBuilder<>& b, Value* x, Value* y, ElementType t, bool remainder) {
  const bool is_signed = is_signed_integer(t);
  const int lanes = lanes_of(x);
  const int width = bit_width(t);
  Value* zero = is_zero(b, y);
  Value* safe = b.CreateSelect(zero, int_splat(y, 1), y);
  Value* q = nullptr;
  if (lanes > 1 && width <= 32) {
    llvm::Type* f = with_lanes(width <= 16 ? b.getFloatTy() : b.getDoubleTy(), lanes);
    Value* xf = is_signed ? b.CreateSIToFP(x, f) : b.CreateUIToFP(x, f);
    Value* yf = is_signed ? b.CreateSIToFP(safe, f) : b.CreateUIToFP(safe, f);
    Value* qf = b.CreateFDiv(xf, yf);
    // INT_MIN / -1 needs one bit more than the type has: convert to the next wider integer and drop it.
    llvm::Type* wide = with_lanes(b.getIntNTy(width <= 16 ? 32 : 64), lanes);
    q = b.CreateTrunc(b.CreateFPToSI(qf, wide), x->getType());
  } else if (is_signed) {
    Value* minus_one = b.CreateICmpEQ(y, llvm::ConstantInt::getSigned(y->getType(), -1));
    Value* safer = b.CreateSelect(minus_one, int_splat(y, 1), safe);
    q = b.CreateSelect(minus_one, b.CreateNeg(x), b.CreateSDiv(x, safer));
  } else {
    q = b.CreateUDiv(x, safe);
  }
  if (remainder) return b.CreateSelect(zero, x, b.CreateSub(x, b.CreateMul(q, safe)));
  return b.CreateSelect(zero, llvm::ConstantInt::getAllOnesValue(x->getType()), q);
}

Value* shift(llvm::IRBuilder<>& b, Value* x, Value* n, ScalarOpcode op) {
  const unsigned width = x->getType()->getScalarSizeInBits();
  Value* in_range = b.CreateICmpULT(n, int_splat(n, width));
  if (op == ScalarOpcode::kShrArithmetic) return b.CreateAShr(x, b.CreateSelect(in_range, n, int_splat(n, width - 1)));
  Value* safe = b.CreateSelect(in_range, n, int_splat(n, 0));
  Value* r = op == ScalarOpcode::kShl ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(in_range, r, int_splat(x, 0));
}

Value* compare(llvm::IRBuilder<>& b, ScalarOpcode op, Value* x, Value* y, ElementType t) {
  using P = llvm::CmpInst::Predicate;
  if (is_float(t)) {
    P p = P::FCMP_OEQ;
    switch (op) {
      case ScalarOpcode::kEq: p = P::FCMP_OEQ; break;
      case ScalarOpcode::kNe: p = P::FCMP_UNE; break;
      case ScalarOpcode::kLt: p = P::FCMP_OLT; break;
      case ScalarOpcode::kLe: p = P::FCMP_OLE; break;
      case ScalarOpcode::kGt: p = P::FCMP_OGT; break;
      default: p = P::FCMP_OGE; break;
    }
    return b.CreateFCmp(p, x, y);
  }
  const bool s = is_signed_integer(t);
  P p = P::ICMP_EQ;
  switch (op) {
    case ScalarOpcode::kEq: p = P::ICMP_EQ; break;
    case ScalarOpcode::kNe: p = P::ICMP_NE; break;
    case ScalarOpcode::kLt: p = s ? P::ICMP_SLT : P::ICMP_ULT; break;
    case ScalarOpcode::kLe: p = s ? P::ICMP_SLE : P::ICMP_ULE; break;
    case ScalarOpcode::kGt: p = s ? P::ICMP_SGT : P::ICMP_UGT; break;
    default: p = s ? P::ICMP_SGE : P::ICMP_UGE; break;
  }
  return b.CreateICmp(p, x, y);
}

Value* extremum(llvm::IRBuilder<>& b, Value* x, Value* y, ElementType t, bool is_max) {
  if (is_float(t)) return b.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
  if (is_boolean(t)) return is_max ? b.CreateOr(x, y) : b.CreateAnd(x, y);
  if (is_signed_integer(t))
    return b.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, x, y);
  return b.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::umax : llvm::Intrinsic::umin, x, y);
}

Value* unary_intrinsic(llvm::IRBuilder<>& b, llvm::Intrinsic::ID id, Value* x) { return b.CreateUnaryIntrinsic(id, x); }

}  // namespace

std::vector<int> nodes_of(SExpr e) {
  if (!e.is_complex()) return {e.id()};
  return {e.real().id(), e.imag().id()};
}

namespace {

/// An f64 as a float whose last bit is set where it is not the same number: rounding that to 16 bits or fewer is rounding `x` once.
Value* to_float_odd(llvm::IRBuilder<>& b, Value* x) {
  const int lanes = lanes_of(x);
  Value* f = b.CreateFPTrunc(x, with_lanes(b.getFloatTy(), lanes));
  Value* back = b.CreateFPExt(f, x->getType());
  Value* too_large = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                     b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  Value* u = b.CreateBitCast(f, with_lanes(b.getInt32Ty(), lanes));
  Value* below = b.CreateSelect(too_large, b.CreateSub(u, int_splat(u, 1)), u);
  Value* odd = b.CreateSelect(b.CreateFCmpONE(back, x), b.CreateOr(below, int_splat(u, 1)), u);
  return b.CreateBitCast(odd, f->getType());
}

/// An integer as such a float.
Value* integer_to_float_odd(llvm::IRBuilder<>& b, Value* x, bool is_unsigned) {
  const int lanes = lanes_of(x);
  const auto number = [&](Value* v, llvm::Type* t) {
    return is_unsigned ? b.CreateUIToFP(v, with_lanes(t, lanes)) : b.CreateSIToFP(v, with_lanes(t, lanes));
  };
  const unsigned width = x->getType()->getScalarSizeInBits();
  if (width <= 16) return number(x, b.getFloatTy());
  if (width <= 32) return to_float_odd(b, number(x, b.getDoubleTy()));
  // Of large ones 48 bits, the last one set where those below it are not zero.
  Value* high = is_unsigned ? b.CreateLShr(x, 16) : b.CreateAShr(x, 16);
  Value* rest = b.CreateICmpNE(b.CreateAnd(x, int_splat(x, 0xffff)), int_splat(x, 0));
  Value* sticky = b.CreateOr(high, b.CreateZExt(rest, x->getType()));
  Value* scaled =
      b.CreateFMul(number(sticky, b.getDoubleTy()), llvm::ConstantFP::get(with_lanes(b.getDoubleTy(), lanes), 65536.0));
  constexpr uint64_t kHalf = uint64_t{1} << 30;
  Value* is_large =
      b.CreateICmpUGE(is_unsigned ? high : b.CreateAdd(high, int_splat(high, kHalf)), int_splat(high, 2 * kHalf));
  return to_float_odd(b, b.CreateSelect(is_large, scaled, number(x, b.getDoubleTy())));
}

}  // namespace

namespace {

/// Floats as integers of at least 8 bits: what is too large or small becomes the nearest one, NaN 0. As fptosi.sat, which LLVM takes apart
/// into scalars for many types.
Value* saturated(llvm::IRBuilder<>& b, Value* v, ElementType to, int lanes) {
  const bool is_double = v->getType()->getScalarType()->isDoubleTy(), is_signed = is_signed_integer(to);
  const int bits = bit_width(to), digits = is_signed ? bits - 1 : bits;
  const double top = std::ldexp(1.0, digits), low = is_signed ? -top : 0;
  const bool is_exact = digits <= (is_double ? 53 : 24);
  const double high = is_exact ? top - 1 : top - std::ldexp(1.0, digits - (is_double ? 53 : 24));
  const auto number = [&](double x) { return llvm::ConstantFP::get(v->getType(), x); };
  Value* x = b.CreateSelect(b.CreateFCmpUNO(v, v), number(0), v);
  Value* inside = b.CreateSelect(b.CreateFCmpOLT(x, number(low)), number(low), x);
  inside = b.CreateSelect(b.CreateFCmpOGT(inside, number(high)), number(high), inside);
  llvm::Type* wide = with_lanes(b.getIntNTy(static_cast<unsigned>(std::max(bits, 32))), lanes);
  llvm::Type* type = with_lanes(register_type(b.getContext(), to), lanes);
  Value* r = is_signed || bits < 32 ? b.CreateFPToSI(inside, wide) : b.CreateFPToUI(inside, wide);
  r = b.CreateTrunc(r, type);
  if (is_exact) return r;
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(static_cast<unsigned>(bits))
                                     : llvm::APInt::getMaxValue(static_cast<unsigned>(bits));
  return b.CreateSelect(b.CreateFCmpOGE(x, number(top)), llvm::ConstantInt::get(type, most), r);
}

}  // namespace

Value* emit_convert(llvm::IRBuilder<>& b, Value* v, ElementType from, ElementType to, int lanes) {
  if (from == to) return v;
  llvm::Type* type = with_lanes(register_type(b.getContext(), to), lanes);
  if (is_float(to)) {
    const bool is_unsigned = is_boolean(from) || is_unsigned_integer(from);
    if ((is_unsigned || is_integer(from)) && compute_type(to) != to)
      return round_to(b, integer_to_float_odd(b, v, is_unsigned), to);
    if (is_unsigned) return b.CreateUIToFP(v, type);
    if (is_integer(from)) return b.CreateSIToFP(v, type);
    if (from != ElementType::kF64) {
      if (to == ElementType::kF64) return b.CreateFPExt(v, type);
      return round_to(b, v, to);
    }
    return compute_type(to) != to ? round_to(b, to_float_odd(b, v), to) : b.CreateFPTrunc(v, type);
  }
  if (is_boolean(to)) {
    if (is_float(from)) return b.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0.0));
    return b.CreateICmpNE(v, int_splat(v, 0));
  }
  if (is_float(from) && lanes > 1 && bit_width(to) >= 8) return saturated(b, v, to, lanes);
  if (is_float(from)) {
    const auto id = is_unsigned_integer(to) ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    return b.CreateIntrinsic(id, {type, v->getType()}, {v});
  }
  const bool zero_extend = is_boolean(from) || is_unsigned_integer(from);
  return b.CreateIntCast(v, type, !zero_extend);
}

namespace {

constexpr const char* kContract = "weft.contract";

/// Whether the program is one op of real floats: what stands inside a function (a sine, a complex product) always rounds as written.
bool is_one_op(const ScalarProgram& program) {
  size_t ops = 0;
  for (const ScalarNode& n : program.nodes()) ops += n.op != ScalarOpcode::kArg && n.op != ScalarOpcode::kConst ? 1 : 0;
  return ops == 1;
}

}  // namespace

void allow_contraction(llvm::Module& module) {
  module.addModuleFlag(llvm::Module::ModFlagBehavior::Error, kContract, 1);
}

std::vector<Value*> emit_scalar(llvm::IRBuilder<>& b, const ScalarProgram& program, std::span<const int> results,
                                std::span<Value* const> args, int lanes) {
  const auto& nodes = program.nodes();
  std::vector<bool> used(nodes.size(), false);
  for (int result : results) used[static_cast<size_t>(result)] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!used[i]) continue;
    for (int operand : {nodes[i].a, nodes[i].b, nodes[i].c, nodes[i].d}) {
      if (operand >= 0) used[static_cast<size_t>(operand)] = true;
    }
  }
  llvm::FastMathFlags flags;
  flags.setAllowContract(is_one_op(program) && b.GetInsertBlock()->getModule()->getModuleFlag(kContract) != nullptr);
  const llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.setFastMathFlags(flags);
  std::vector<Value*> values(nodes.size(), nullptr);
  std::map<std::tuple<uint64_t, int, int, int, int>, Value*> called;  // complex functions: one call for both parts
  auto at = [&](int i) { return values[static_cast<size_t>(i)]; };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!used[i]) continue;
    const ScalarNode& n = nodes[i];
    Value* x = n.a >= 0 ? at(n.a) : nullptr;
    Value* y = n.b >= 0 ? at(n.b) : nullptr;
    Value* z = n.c >= 0 ? at(n.c) : nullptr;
    const ElementType from = n.a >= 0 ? program[n.a].type : n.type;
    const bool fp = is_float(n.type);
    Value* v = nullptr;
    switch (n.op) {
      case ScalarOpcode::kArg: v = args[n.bits]; break;
      case ScalarOpcode::kConst: v = register_constant(b.getContext(), n.type, n.bits, lanes); break;
      case ScalarOpcode::kAdd:
        v = fp ? b.CreateFAdd(x, y) : is_boolean(n.type) ? b.CreateOr(x, y) : b.CreateAdd(x, y);
        break;
      case ScalarOpcode::kSub: v = fp ? b.CreateFSub(x, y) : b.CreateSub(x, y); break;
      case ScalarOpcode::kMul: v = fp ? b.CreateFMul(x, y) : b.CreateMul(x, y); break;  // of i1: and
      case ScalarOpcode::kMax:
      case ScalarOpcode::kMin: v = extremum(b, x, y, n.type, n.op == ScalarOpcode::kMax); break;
      case ScalarOpcode::kDiv: v = fp ? b.CreateFDiv(x, y) : divide_integers(b, x, y, n.type, false); break;
      case ScalarOpcode::kRem: v = fp ? b.CreateFRem(x, y) : divide_integers(b, x, y, n.type, true); break;
      case ScalarOpcode::kFma: v = b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z}); break;
      case ScalarOpcode::kNeg: v = fp ? b.CreateFNeg(x) : b.CreateNeg(x); break;
      case ScalarOpcode::kAbs:
        v = fp ? unary_intrinsic(b, llvm::Intrinsic::fabs, x)
               : (is_signed_integer(n.type) ? b.CreateSelect(b.CreateICmpSLT(x, int_splat(x, 0)), b.CreateNeg(x), x)
                                            : x);
        break;
      case ScalarOpcode::kSqrt: v = unary_intrinsic(b, llvm::Intrinsic::sqrt, x); break;
      case ScalarOpcode::kFloor: v = unary_intrinsic(b, llvm::Intrinsic::floor, x); break;
      case ScalarOpcode::kCeil: v = unary_intrinsic(b, llvm::Intrinsic::ceil, x); break;
      case ScalarOpcode::kTrunc: v = unary_intrinsic(b, llvm::Intrinsic::trunc, x); break;
      case ScalarOpcode::kRoundEven: v = unary_intrinsic(b, llvm::Intrinsic::roundeven, x); break;
      case ScalarOpcode::kAnd: v = b.CreateAnd(x, y); break;
      case ScalarOpcode::kOr: v = b.CreateOr(x, y); break;
      case ScalarOpcode::kXor: v = b.CreateXor(x, y); break;
      case ScalarOpcode::kNot: v = b.CreateNot(x); break;
      case ScalarOpcode::kShl:
      case ScalarOpcode::kShrLogical:
      case ScalarOpcode::kShrArithmetic: v = shift(b, x, y, n.op); break;
      case ScalarOpcode::kEq:
      case ScalarOpcode::kNe:
      case ScalarOpcode::kLt:
      case ScalarOpcode::kLe:
      case ScalarOpcode::kGt:
      case ScalarOpcode::kGe: v = compare(b, n.op, x, y, from); break;
      case ScalarOpcode::kSelect: v = b.CreateSelect(x, y, z); break;
      case ScalarOpcode::kBitcast:
        v = b.CreateBitCast(x, with_lanes(register_type(b.getContext(), n.type), lanes));
        break;
      case ScalarOpcode::kConvert: v = emit_convert(b, x, from, n.type, lanes); break;
      case ScalarOpcode::kComplex: {
        const auto function = static_cast<ComplexFunction>(n.bits / 2);
        Value*& both = called[{n.bits / 2, n.a, n.b, n.c, n.d}];
        if (both == nullptr) {
          std::vector<Value*> operands = {x, y};
          if (is_binary(function)) operands.insert(operands.end(), {z, at(n.d)});
          both = b.CreateCall(complex_helper(b, function, x->getType()), operands);
        }
        v = b.CreateExtractValue(both, static_cast<unsigned>(n.bits % 2));
        break;
      }
      case ScalarOpcode::kLibm:
        v = b.CreateCall(libm_helper(b, static_cast<LibmFunction>(n.bits), x->getType()), {x, y, z});
        break;
    }
    values[i] = v;
  }
  std::vector<Value*> out;
  for (int result : results) out.push_back(at(result));
  return out;
}

}  // namespace weft::codegen
