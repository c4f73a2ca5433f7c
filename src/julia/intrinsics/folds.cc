#include "julia/intrinsics/folds.h"

#include <algorithm>
#include <cmath>

namespace weft::julia {
namespace {

template <class T>
constexpr bool kIsInteger = !kIsFloat<T>;

template <FoldOp kOp>
struct Fold {
  template <class T>
  static T call(T a, T b) {
    if constexpr (kOp == FoldOp::kAdd || kOp == FoldOp::kMultiply) {
      if constexpr (std::is_same_v<T, bool>) return a && b;
      else if constexpr (kIsInteger<T>) {
        // Without sign, so that it wraps.
        using U = std::make_unsigned_t<T>;
        using W = std::conditional_t<(sizeof(U) < 4), uint32_t, U>;
        const auto x = static_cast<W>(static_cast<U>(a)), y = static_cast<W>(static_cast<U>(b));
        return static_cast<T>(kOp == FoldOp::kAdd ? x + y : x * y);
      } else {
        return kOp == FoldOp::kAdd ? a + b : a * b;
      }
    } else if constexpr (kOp == FoldOp::kAnd || kOp == FoldOp::kOr) {
      if constexpr (kIsInteger<T>) return static_cast<T>(kOp == FoldOp::kAnd ? a & b : a | b);
      else return a;
    } else if constexpr (kIsInteger<T>) {
      return kOp == FoldOp::kMinimum ? std::min(a, b) : std::max(a, b);
    } else {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
      constexpr bool largest = kOp == FoldOp::kMaximum;
      if (a == b) return std::signbit(a) == largest ? b : a;
      return (a < b) == largest ? b : a;
    }
  }
};

/// One loop over the elements. Sums and products of floats run in the lanes of four vectors of 32 bytes, which are joined at the
/// end: the order in which a compiled loop adds them up.
template <FoldOp kOp, class T>
T fold_loop(T acc, const T* p, int64_t n) {
  if constexpr (kIsFloat<T> && (kOp == FoldOp::kAdd || kOp == FoldOp::kMultiply)) {
    constexpr int64_t kLanes = 32 / sizeof(T), kVectors = 4, kStep = kLanes * kVectors;
    if (n >= kStep) {
      T lanes[kStep];
      std::fill(lanes, lanes + kStep, kOp == FoldOp::kAdd ? T(-0.0) : T(1));
      lanes[0] = acc;
      const int64_t whole = n - n % kStep;
      for (int64_t i = 0; i < whole; i += kStep) {
        for (int64_t k = 0; k < kStep; ++k) lanes[k] = Fold<kOp>::call(lanes[k], p[i + k]);
      }
      for (int64_t v = 1; v < kVectors; ++v) {
        for (int64_t k = 0; k < kLanes; ++k) lanes[k] = Fold<kOp>::call(lanes[v * kLanes + k], lanes[k]);
      }
      for (int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (int64_t k = 0; k < half; ++k) lanes[k] = Fold<kOp>::call(lanes[k], lanes[k + half]);
      }
      acc = lanes[0];
      p += whole;
      n -= whole;
    }
  }
  for (int64_t i = 0; i < n; ++i) acc = Fold<kOp>::call(acc, p[i]);
  return acc;
}

template <FoldOp kOp, class T>
T pairwise(const T* p, int64_t n) {
  constexpr int64_t kBlock = 1024;
  if (n == 1) return p[0];
  if (n <= kBlock) return fold_loop<kOp>(Fold<kOp>::call(p[0], p[1]), p + 2, n - 2);
  const int64_t half = (n - 1) / 2 + 1;
  return Fold<kOp>::call(pairwise<kOp>(p, half), pairwise<kOp>(p + half, n - half));
}

template <FoldOp kOp, class T>
T accumulate_pairwise(const T* from, T* to, T start, int64_t n) {
  constexpr int64_t kBlock = 128;
  if (n < kBlock) {
    T sum = from[0];
    to[0] = Fold<kOp>::call(start, sum);
    for (int64_t i = 1; i < n; ++i) {
      sum = Fold<kOp>::call(sum, from[i]);
      to[i] = Fold<kOp>::call(start, sum);
    }
    return sum;
  }
  const int64_t half = n / 2;
  const T first = accumulate_pairwise<kOp>(from, to, start, half);
  const T second = accumulate_pairwise<kOp>(from + half, to + half, Fold<kOp>::call(start, first), n - half);
  return Fold<kOp>::call(first, second);
}

/// f(op, element type) for the operation and type; numbers only of kinds that fold_kind gives.
template <class F>
void with_fold(FoldOp op, NumberKind kind, F&& f) {
  visit_number(kind, [&]<class T>(T) {
    if constexpr (sizeof(T) <= 8 && !std::is_same_v<T, f16>) {
      switch (op) {
        case FoldOp::kAdd: return f(Fold<FoldOp::kAdd>{}, std::integral_constant<FoldOp, FoldOp::kAdd>{}, T{});
        case FoldOp::kMultiply:
          return f(Fold<FoldOp::kMultiply>{}, std::integral_constant<FoldOp, FoldOp::kMultiply>{}, T{});
        case FoldOp::kMinimum:
          return f(Fold<FoldOp::kMinimum>{}, std::integral_constant<FoldOp, FoldOp::kMinimum>{}, T{});
        case FoldOp::kMaximum:
          return f(Fold<FoldOp::kMaximum>{}, std::integral_constant<FoldOp, FoldOp::kMaximum>{}, T{});
        case FoldOp::kAnd: return f(Fold<FoldOp::kAnd>{}, std::integral_constant<FoldOp, FoldOp::kAnd>{}, T{});
        case FoldOp::kOr: return f(Fold<FoldOp::kOr>{}, std::integral_constant<FoldOp, FoldOp::kOr>{}, T{});
      }
    }
  });
}

}  // namespace

std::optional<KnownFold> known_fold(const Value& op) {
  if (!op.is_defined() || op.is_type() || op.is_reference()) return std::nullopt;
  const TypeName* name = op.type()->name;
  static const Symbol base("Base"), core_module("Core");
  if (!name->function || (name->module != base && name->module != core_module)) return std::nullopt;
  const std::string& f = name->function.text();
  if (f == "+") return KnownFold{FoldOp::kAdd, false};
  if (f == "add_sum") return KnownFold{FoldOp::kAdd, true};
  if (f == "*") return KnownFold{FoldOp::kMultiply, false};
  if (f == "mul_prod") return KnownFold{FoldOp::kMultiply, true};
  if (f == "min") return KnownFold{FoldOp::kMinimum, false};
  if (f == "max") return KnownFold{FoldOp::kMaximum, false};
  if (f == "&") return KnownFold{FoldOp::kAnd, false};
  if (f == "|") return KnownFold{FoldOp::kOr, false};
  return std::nullopt;
}

std::optional<NumberKind> fold_kind(KnownFold fold, NumberKind element) {
  using enum NumberKind;
  if (element == kInt128 || element == kUInt128 || element == kFloat16) return std::nullopt;
  if (is_float(element)) {
    if (fold.op == FoldOp::kAnd || fold.op == FoldOp::kOr) return std::nullopt;
    return element;
  }
  if (fold.op == FoldOp::kAdd && element == kBool) return kInt64;
  if (fold.widens && element != kBool) return is_unsigned(element) ? kUInt64 : kInt64;
  return element;
}

Value fold_pairwise(FoldOp op, NumberKind kind, const void* data, int64_t n) {
  Value out;
  with_fold(op, kind, [&]<class T>(auto, auto which, T) {
    out = number(pairwise<decltype(which)::value>(static_cast<const T*>(data), n));
  });
  return out;
}

Value fold_from(FoldOp op, NumberKind kind, const Value& start, const void* data, int64_t n) {
  Value out;
  with_fold(op, kind, [&]<class T>(auto, auto which, T) {
    out = number(fold_loop<decltype(which)::value>(start.get<T>(), static_cast<const T*>(data), n));
  });
  return out;
}

Value fold_two(FoldOp op, NumberKind kind, const Value& a, const Value& b) {
  return fold_from(op, kind, a, b.bits(), 1);
}

std::optional<Value> neutral_element(FoldOp op, NumberKind kind) {
  if (op == FoldOp::kMinimum || op == FoldOp::kMaximum) return std::nullopt;
  Value out;
  with_fold(op, kind, [&]<class T>(auto, auto, T) {
    if constexpr (kIsInteger<T>) {
      if (op == FoldOp::kAnd) {
        if constexpr (std::is_same_v<T, bool>) out = number(true);
        else out = number(static_cast<T>(~T(0)));
        return;
      }
    }
    out = number(op == FoldOp::kMultiply ? T(1) : T(0));
  });
  return out;
}

void fold_into(FoldOp op, NumberKind kind, void* to, const void* from, int64_t n) {
  with_fold(op, kind, [&]<class F, class T>(F, auto, T) {
    auto* a = static_cast<T*>(to);
    const auto* b = static_cast<const T*>(from);
    for (int64_t i = 0; i < n; ++i) a[i] = F::call(a[i], b[i]);
  });
}

void accumulate_elements(FoldOp op, NumberKind kind, const void* from, void* to, int64_t n, bool in_pairs) {
  if (n == 0) return;
  with_fold(op, kind, [&]<class F, class T>(F, auto which, T) {
    const auto* a = static_cast<const T*>(from);
    auto* b = static_cast<T*>(to);
    b[0] = a[0];
    if (in_pairs && n > 1) {
      (void)accumulate_pairwise<decltype(which)::value>(a + 1, b + 1, a[0], n - 1);
    } else {
      for (int64_t i = 1; i < n; ++i) b[i] = F::call(b[i - 1], a[i]);
    }
  });
}

}  // namespace weft::julia
