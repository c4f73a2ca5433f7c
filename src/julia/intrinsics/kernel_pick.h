// The making of kernels from C++ functions of one element.
#pragma once
#include <array>
#include <utility>

#include "julia/intrinsics/kernels.h"

namespace weft::julia::kernels {

/// Op::call of N elements of type T; where Op has `fits`, only elements that pass it.
template <class Op, class T, size_t... I>
bool run_loop(void* out, const void* const* in, size_t n, std::index_sequence<I...> /*arguments*/) {
  using R = decltype(Op::call(((void)I, T{})...));
  auto* to = static_cast<R*>(out);
  const std::array<const T*, sizeof...(I)> from = {static_cast<const T*>(in[I])...};
  if constexpr (requires { Op::fits(((void)I, T{})...); }) {
    bool all = true;
    for (size_t i = 0; i < n; ++i) all &= Op::fits(from[I][i]...);
    if (!all) return false;
  }
  for (size_t i = 0; i < n; ++i) to[i] = Op::call(from[I][i]...);
  return true;
}

template <class Op, size_t N, class T>
bool run(void* out, const void* const* in, size_t n) {
  return run_loop<Op, T>(out, in, n, std::make_index_sequence<N>());
}

template <class Op, class T, size_t... I>
constexpr NumberKind result_kind(std::index_sequence<I...> /*arguments*/) {
  return kKindOf<decltype(Op::call(((void)I, T{})...))>;
}

template <class Op, class T, size_t... I>
constexpr bool has_limits(std::index_sequence<I...> /*arguments*/) {
  return requires { Op::fits(((void)I, T{})...); };
}

template <class Op, size_t N, class T>
Kernel make() {
  Kernel k;
  k.result = result_kind<Op, T>(std::make_index_sequence<N>());
  for (size_t i = 0; i < N; ++i) k.arguments[i] = kKindOf<T>;
  k.may_fail = has_limits<Op, T>(std::make_index_sequence<N>());
  k.run = &run<Op, N, T>;
  return k;
}

/// Of the type among Ts that is of this kind.
template <class Op, size_t N, class... Ts>
std::optional<Kernel> pick(NumberKind kind) {
  std::optional<Kernel> out;
  (void)((kind == kKindOf<Ts> ? (out = make<Op, N, Ts>(), true) : false) || ...);
  return out;
}

template <class Op, size_t N>
std::optional<Kernel> pick_float(NumberKind kind) {
  return pick<Op, N, float, double>(kind);
}
template <class Op, size_t N>
std::optional<Kernel> pick_integer(NumberKind kind) {
  return pick<Op, N, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(kind);
}
template <class Op, size_t N>
std::optional<Kernel> pick_number(NumberKind kind) {
  const std::optional<Kernel> k = pick_float<Op, N>(kind);
  return k ? k : pick_integer<Op, N>(kind);
}
template <class Op, size_t N>
std::optional<Kernel> pick_any(NumberKind kind) {
  const std::optional<Kernel> k = pick_number<Op, N>(kind);
  return k ? k : pick<Op, N, bool>(kind);
}

/// Functions of floating-point numbers; integers become Float64 first.
std::optional<Kernel> find_float_kernel(ScalarFunction f, std::span<const NumberKind> kinds);

}  // namespace weft::julia::kernels
