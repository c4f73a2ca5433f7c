// Sorting: numbers in place, everything else by a permutation.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/intrinsics/functional.h"
#include "julia/intrinsics/reader.h"
#include "julia/intrinsics/strided.h"

namespace weft::julia {
namespace {

/// isless: NaN is the largest number, and -0.0 is less than 0.0.
template <class T>
bool is_less(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x)) return false;
    return std::isnan(y) || x < y || (x == y && std::signbit(x) && !std::signbit(y));
  } else {
    return a < b;
  }
}

bool is_default_order(const Value& lt) {
  static const Symbol base("Base"), isless("isless");
  return !lt.is_type() && !lt.is_reference() && lt.type()->name->function == isless && lt.type()->name->module == base;
}

/// _sort_numbers!(v, rev): sorts a vector of machine numbers that lies in memory; false when v is none.
Value sort_numbers(Evaluator&, std::span<const Value> given) {
  std::optional<Strided> s = strided_of(given[0]);
  if (!s || s->dims.size() != 1) return boolean(false);
  const bool reverse = given[1].get<bool>();
  const int64_t n = s->dims[0];
  visit_number(s->kind, [&]<class T>(T) {
    const auto sort = [&](T* p) {
      if (reverse) std::stable_sort(p, p + n, [](T a, T b) { return is_less(b, a); });
      else std::stable_sort(p, p + n, [](T a, T b) { return is_less(a, b); });
    };
    if (n < 2) return;
    if (s->strides[0] == 1) return sort(reinterpret_cast<T*>(s->data));
    std::vector<std::byte> copy(sizeof(T) * static_cast<size_t>(n));
    gather(s->data, sizeof(T), s->dims, s->strides, 0, n, copy.data());
    sort(reinterpret_cast<T*>(copy.data()));
    scatter(s->data, sizeof(T), s->dims, s->strides, 0, n, copy.data());
  });
  return boolean(true);
}

/// _sortperm(keys, lt, rev): the stable permutation that sorts the keys, 1-based.
Value sort_permutation(Evaluator& e, std::span<const Value> given) {
  const Value &keys = given[0], &lt = given[1];
  const bool reverse = given[2].get<bool>(), by_default = is_default_order(lt);
  const Reader reader(e, keys);
  const int64_t n = reader.length();
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  const std::optional<Strided> s = strided_of(keys);
  if (by_default && s && s->is_contiguous()) {
    visit_number(s->kind, [&]<class T>(T) {
      const auto* p = reinterpret_cast<const T*>(s->data);
      std::ranges::stable_sort(
          order, [&](int64_t a, int64_t b) { return reverse ? is_less(p[b], p[a]) : is_less(p[a], p[b]); });
    });
  } else {
    std::vector<Value> values;
    values.reserve(order.size());
    for (int64_t i = 0; i < n; ++i) values.push_back(reader.at(i));
    const auto less = [&](int64_t a, int64_t b) {
      const Value &x = values[static_cast<size_t>(reverse ? b : a)], &y = values[static_cast<size_t>(reverse ? a : b)];
      if (by_default) return e.less(x, y);
      const Value r = e.call(lt, {x, y});
      if (!r.is(core().bool_)) throw_type_error("if", "", core().bool_, r);
      return r.get<bool>();
    };
    std::ranges::stable_sort(order, less);
  }
  const Value out = make_array(core().int64, {n});
  for (size_t i = 0; i < order.size(); ++i) array_of(out).data_as<int64_t>()[i] = order[i] + 1;
  return out;
}

constexpr IntrinsicEntry kEntries[] = {
    {"_sort_numbers!", sort_numbers, 2, 2},
    {"_sortperm", sort_permutation, 3, 3},
};

}  // namespace

std::span<const IntrinsicEntry> sort_intrinsics() { return kEntries; }

}  // namespace weft::julia
