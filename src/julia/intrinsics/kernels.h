// Scalar functions of Base on machine numbers as loops over chunks of elements.
#pragma once
#include <optional>
#include <span>

#include "julia/host/number.h"

namespace weft::julia {

/// A function of Base that has kernels.
enum class ScalarFunction : uint8_t {
  kIdentity,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kQuotient,
  kFloorQuotient,
  kRemainder,
  kModulo,
  kMinimum,
  kMaximum,
  kAnd,
  kOr,
  kXor,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIsEqual,
  kIsLess,
  kAbsolute,
  kAbsolute2,
  kSign,
  kInverse,
  kFloor,
  kCeil,
  kTruncate,
  kRound,
  kSquareRoot,
  kCubeRoot,
  kExp,
  kExp2,
  kExp10,
  kExpm1,
  kLog,
  kLog2,
  kLog10,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kHypot,
  kCopySign,
  kFloat,
  kIsNan,
  kIsInf,
  kIsFinite,
  kIsZero,
  kIsOne,
  kIsEven,
  kIsOdd,
  kSignBit,
  kIfElse,
  kMulAdd,
  kClamp,
};

/// Nothing for what has none.
std::optional<ScalarFunction> scalar_function(const Value& f);
/// Whether `f(a, b, c, …)` means `f(f(a, b), c) …`.
bool folds_left(ScalarFunction f);
bool is_comparison(ScalarFunction f);

struct Kernel {
  static constexpr size_t kMostArguments = 3;
  NumberKind result = NumberKind::kBool;
  NumberKind arguments[kMostArguments] = {};  ///< what they are to be converted to first
  bool may_fail = false;                      ///< whether a run may return false
  /// False: some element needs the function itself, which throws or takes a rarer way.
  bool (*run)(void* out, const void* const* in, size_t n) = nullptr;
};

/// Of argument kinds; nothing when only a call of the function will do.
std::optional<Kernel> find_kernel(ScalarFunction f, std::span<const NumberKind> kinds);
/// T(x) for each element; a run that returns false met one that T does not have.
std::optional<Kernel> find_conversion(NumberKind from, NumberKind to);

}  // namespace weft::julia
