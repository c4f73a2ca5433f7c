// Integer arithmetic that says when it overflows: Base.Checked.
#include "julia/host/show.h"
#include "julia/intrinsics/number_parts.h"

namespace weft::julia {
namespace {

enum class Operation : uint8_t { kAdd, kSubtract, kMultiply };

/// Whether the wrapped result differs from the true one.
template <Operation op, class T>
bool overflows(T x, T y, T& out) {
  if constexpr (op == Operation::kAdd) return __builtin_add_overflow(x, y, &out);
  else if constexpr (op == Operation::kSubtract) return __builtin_sub_overflow(x, y, &out);
  else return __builtin_mul_overflow(x, y, &out);
}

std::string type_name(const Value& v) { return v.type()->name->name.text(); }

template <Operation op>
Value checked(Evaluator&, Args a) {
  return on_integers(a[0], a[1], [&]<class T>(T x, T y) -> Value {
    if constexpr (kIsBool<T>) {
      const int64_t i = x, j = y;
      return number(op == Operation::kAdd ? i + j : op == Operation::kSubtract ? i - j : i * j);
    } else {
      T out = 0;
      if (overflows<op>(x, y, out)) {
        constexpr const char* sign = op == Operation::kAdd ? " + " : op == Operation::kSubtract ? " - " : " * ";
        throw_overflow_error(print_text(a[0]) + sign + print_text(a[1]) + " overflowed for type " + type_name(a[0]));
      }
      return number(out);
    }
  });
}

/// The wrapped result and whether it overflowed.
template <Operation op>
Value with_overflow(Evaluator&, Args a) {
  return on_integers(a[0], a[1], [&]<class T>(T x, T y) -> Value {
    if constexpr (kIsBool<T>) {
      throw InternalError("Bool has no arithmetic of its own");
    } else {
      T out = 0;
      const bool over = overflows<op>(x, y, out);
      return make_tuple({number(out), boolean(over)});
    }
  });
}

[[noreturn]] void throw_cannot(const char* what, const Value& x) {
  throw_overflow_error(std::string("checked arithmetic: cannot compute ") + what + " for x = " + print_text(x) +
                       "::" + type_name(x));
}

Value checked_negate(Evaluator&, Args a) {
  return on_integer(a[0], [&]<class T>(T x) -> Value {
    if constexpr (kIsBool<T>) {
      return number(-static_cast<int64_t>(x));
    } else {
      T out = 0;
      if (overflows<Operation::kSubtract>(T(0), x, out)) throw_cannot("-x", a[0]);
      return number(out);
    }
  });
}

Value checked_absolute(Evaluator& e, Args a) {
  return on_integer(a[0], [&]<class T>(T x) -> Value {
    if constexpr (kIsSigned<T>) {
      if (x >= 0) return a[0];
      T out = 0;
      if (overflows<Operation::kSubtract>(T(0), x, out)) throw_cannot("|x|", a[0]);
      return number(out);
    } else {
      return a[0];
    }
  });
}

/// x^p without wrapping; p is not negative.
Value checked_power(Evaluator&, Args a) {
  const Int128 p = on_integer(a[1], [](auto n) { return number(static_cast<Int128>(n)); }).get<Int128>();
  if (p < 0)
    throw_domain_error(
        a[1], "Cannot raise an integer x to a negative power " + print_text(a[1]) + ".\nConvert input to float.");
  return on_integer(a[0], [&]<class T>(T x) -> Value {
    if constexpr (kIsBool<T>) {
      return number(p == 0 || x);
    } else {
      T out = 1, square = x;
      for (Int128 n = p; n != 0; n >>= 1) {
        const bool over = ((n & 1) != 0 && overflows<Operation::kMultiply>(out, square, out)) ||
                          (n > 1 && overflows<Operation::kMultiply>(square, square, square));
        if (over)
          throw_overflow_error(print_text(a[0]) + "^" + print_text(a[1]) + " overflowed for type " + type_name(a[0]));
      }
      return number(out);
    }
  });
}

constexpr IntrinsicEntry kEntries[] = {
    {"_checked_add", checked<Operation::kAdd>, 2, 2},
    {"_checked_sub", checked<Operation::kSubtract>, 2, 2},
    {"_checked_mul", checked<Operation::kMultiply>, 2, 2},
    {"_checked_neg", checked_negate, 1, 1},
    {"_checked_abs", checked_absolute, 1, 1},
    {"_checked_pow", checked_power, 2, 2},
    {"_add_with_overflow", with_overflow<Operation::kAdd>, 2, 2},
    {"_sub_with_overflow", with_overflow<Operation::kSubtract>, 2, 2},
    {"_mul_with_overflow", with_overflow<Operation::kMultiply>, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> number_checked_entries() { return kEntries; }

}  // namespace weft::julia
