// Structures of expressions, and pfor over them. Included by weft/symbolic.h.
//
// A structure is an Expr; an optional, vector, array, map's values, pair or tuple of structures; a struct that has `auto fields() { return
// std::tie(a, b); }`; or a plain struct of up to eight members that are structures (one with optional members needs fields()). Empty
// optionals and empty Exprs are "none": they go in and come out as they are. Numbers, strings and enumerations in it stay untouched.
#pragma once
#include <concepts>
#include <initializer_list>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/symbolic.h"

namespace weft {
namespace structure {

template <class T>
concept Data =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string> || std::same_as<T, std::nullopt_t>;
template <class T>
concept WithFields = requires(T& t) { t.fields(); };
template <class T>
concept OptionalLike = requires(T& t) {
  t.has_value();
  *t;
  t.reset();
};
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };

struct AnyMember {
  template <class T>
  operator T() const;  // never defined: it stands for a member in counting them
};
template <class T, size_t... kI>
constexpr bool takes_members(std::index_sequence<kI...>) {
  return requires { T{(static_cast<void>(kI), AnyMember())...}; };
}
template <class T, size_t kCount = 8>
constexpr size_t count_members() {
  if constexpr (kCount == 0) return 0;
  else if constexpr (takes_members<T>(std::make_index_sequence<kCount>())) return kCount;
  else return count_members<T, kCount - 1>();
}
template <class T>
concept PlainStruct = std::is_class_v<T> && std::is_aggregate_v<T>;

template <class T>
struct IsStructure;
template <class T>
concept Structure = IsStructure<std::remove_cvref_t<T>>::value;

template <class T>
struct IsStructure : std::bool_constant<std::same_as<T, Expr> || WithFields<T> || OptionalLike<T> ||
                                        std::ranges::range<T> || TupleLike<T> || PlainStruct<T>> {};
template <Data T>
struct IsStructure<T> : std::false_type {};

/// Calls f with each Expr of the structure, in order, none included.
template <class S, class F>
void visit(S& s, F&& f) {
  using T = std::remove_cv_t<S>;
  if constexpr (std::same_as<T, Expr>) {
    f(s);
  } else if constexpr (Data<T>) {
  } else if constexpr (std::derived_from<T, Expr>) {
    static_assert(std::same_as<T, Expr>, "a structure of pfor holds Expr, not Variable: write Expr(v)");
  } else if constexpr (WithFields<T>) {
    std::apply([&](auto&... members) { (visit(members, f), ...); }, s.fields());
  } else if constexpr (OptionalLike<T>) {
    if (s.has_value()) visit(*s, f);
  } else if constexpr (std::ranges::range<T>) {
    for (auto& member : s) visit(member, f);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](auto&... members) { (visit(members, f), ...); }, s);
  } else {
    static_assert(PlainStruct<T>,
                  "this type is no structure of expressions: give it `auto fields() { return std::tie(...); }`");
    constexpr size_t kCount = count_members<T>();
    static_assert(kCount > 0,
                  "the members of this struct cannot be told apart: give it `auto fields() { return std::tie(...); }`");
    const auto all = [&](auto&... members) { (visit(members, f), ...); };
    if constexpr (kCount == 1) {
      auto& [a] = s;
      all(a);
    } else if constexpr (kCount == 2) {
      auto& [a, b] = s;
      all(a, b);
    } else if constexpr (kCount == 3) {
      auto& [a, b, c] = s;
      all(a, b, c);
    } else if constexpr (kCount == 4) {
      auto& [a, b, c, d] = s;
      all(a, b, c, d);
    } else if constexpr (kCount == 5) {
      auto& [a, b, c, d, e] = s;
      all(a, b, c, d, e);
    } else if constexpr (kCount == 6) {
      auto& [a, b, c, d, e, g] = s;
      all(a, b, c, d, e, g);
    } else if constexpr (kCount == 7) {
      auto& [a, b, c, d, e, g, h] = s;
      all(a, b, c, d, e, g, h);
    } else {
      auto& [a, b, c, d, e, g, h, i] = s;
      all(a, b, c, d, e, g, h, i);
    }
  }
}

/// The expressions of a structure, without none.
template <class S>
std::vector<Expr> flatten(S& s) {
  std::vector<Expr> out;
  visit(s, [&](Expr& e) {
    if (e.has_value()) out.push_back(e);
  });
  return out;
}
/// Puts others in their place.
template <class S>
void refill(S& s, std::span<const Expr> exprs) {
  size_t next = 0;
  visit(s, [&](Expr& e) {
    if (e.has_value()) e = exprs[next++];
  });
}

/// body(s), or the body of the members of a tuple.
template <class F, class S>
decltype(auto) call(F& body, S& s) {
  if constexpr (std::invocable<F&, S&>) return body(s);
  else return std::apply(body, s);
}

template <class Fn>
auto lanes(std::optional<int64_t> n, std::vector<Expr> inputs, Fn&& lane, const PforOptions& options,
           const std::source_location& loc) {
  using Result = std::remove_cvref_t<std::invoke_result_t<Fn&, std::span<const Expr>>>;
  std::optional<Result> result;
  const std::vector<Expr> flat = symbolic::pfor(
      n, std::move(inputs),
      [&](std::span<const Expr> args) {
        result.emplace(lane(args));
        return flatten(*result);
      },
      options, loc);
  refill(*result, flat);
  return std::move(*result);
}

}  // namespace structure

/// A parallel for-loop, vectorised: body(i) for lanes i = 0 … n-1 (i32) gives a structure; each expression of the outcome has the lanes as
/// axis 0. What the body uses of the surroundings is the same for all lanes, and so may be what it returns, which is then repeated.
template <class F>
  requires structure::Structure<std::invoke_result_t<F&, Expr>>
auto pfor(int64_t n, F&& body, PforOptions options = {}, std::source_location loc = std::source_location::current()) {
  return structure::lanes(n, {}, [&](std::span<const Expr> args) { return body(args[0]); }, options, loc);
}

/// Element form: lane i gets the structure xs with element i along axis 0 of every expression, or the only one where the extent is 1. Of a
/// tuple the body may take the members apart: pfor(std::tuple(x, y), [](Expr x, Expr y) { … }).
template <structure::Structure S, class F>
auto pfor(const S& xs, F&& body, PforOptions options = {}, std::source_location loc = std::source_location::current()) {
  S lane = xs;
  return structure::lanes(
      {}, structure::flatten(lane),
      [&](std::span<const Expr> args) {
        structure::refill(lane, args);
        return structure::call(body, lane);
      },
      options, loc);
}
template <class F>
auto pfor(std::initializer_list<Expr> xs, F&& body, PforOptions options = {},
          std::source_location loc = std::source_location::current()) {
  return pfor(std::vector<Expr>(xs), body, options, loc);
}

struct ClippedGradients {
  std::vector<Expr> gradients;  // sums over the examples, one for each of wrt
  Expr losses, norms;           // by example; norms before clipping
};
/// Gradients of loss(example) by `wrt`, each example's scaled to a length of at most `bound` (all of wrt together), summed over the
/// examples along axis 0 of xs. No example's gradient is kept: their lengths come first, then one gradient of the weighted losses.
template <structure::Structure S, class F>
ClippedGradients clipped_grad(const S& xs, F&& loss, std::vector<Expr> wrt, Operand bound, PforOptions options = {},
                              std::source_location loc = std::source_location::current()) {
  S lane = xs;
  const std::vector<Expr> both = structure::lanes(
      {}, structure::flatten(lane),
      [&](std::span<const Expr> args) {
        structure::refill(lane, args);
        const Expr l = structure::call(loss, lane);
        return std::vector<Expr>{l, squared_grad_norm(l, wrt, loc)};
      },
      options, loc);
  const Expr norms = sqrt(Operand(both[1], loc));
  // Lengths of 0 divide nothing: bound / max(length, bound) is 1 there.
  const Expr weights = stop_gradient(bound / maximum(Operand(norms, loc), bound));
  return {grad(sum(Operand(weights, loc) * Operand(both[0], loc)), wrt, loc), both[0], norms};
}

}  // namespace weft
