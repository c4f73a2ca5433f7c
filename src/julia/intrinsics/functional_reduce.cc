// Reductions of whole collections: mapreduce, folds, any, all, count, findmax.
#include <algorithm>
#include <cstring>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/host/tracked.h"
#include "julia/intrinsics/broadcast_tree.h"
#include "julia/intrinsics/folds.h"
#include "julia/intrinsics/functional.h"

namespace weft::julia {
namespace {

bool is_identity(const Value& f) { return scalar_function(f) == ScalarFunction::kIdentity; }

Value apply_to(Evaluator& e, const Value& f, const Value& x) { return is_identity(f) ? x : e.call(f, {x}); }

/// op(a, b), at once where both are numbers of one kind and the operation is known.
Value fold_values(Evaluator& e, const std::optional<KnownFold>& known, const Value& op, const Value& a,
                  const Value& b) {
  const bool is_plain = !tracked::is_tracked(a) && !tracked::is_tracked(b);
  if (known && is_plain && !a.is_reference() && a.type() == b.type()) {
    const auto kind = number_kind(a);
    if (kind && fold_kind(*known, *kind) == kind) return fold_two(known->op, *kind, a, b);
  }
  return e.call(op, {a, b});
}

/// What a reduction of one element gives.
Value first_value(Evaluator& e, const Value& op, const Value& x) { return e.call_base("reduce_first", {op, x}); }

/// The elements [start, start + n) in memory, when f(x) is known for all of them.
std::optional<Value> reduce_known(const Value& f, KnownFold fold, const Value& array,
                                  const std::vector<int64_t>& dims) {
  Elementwise tree(dims);
  const Elementwise::Node leaf = tree.leaf(array);
  if (leaf == -1) return std::nullopt;
  Elementwise::Node node = tree.apply(f, {&leaf, 1});
  if (node == -1) return std::nullopt;
  const auto kind = fold_kind(fold, tree.kind(node));
  if (!kind) return std::nullopt;
  node = tree.convert(node, *kind);
  if (node == -1) return std::nullopt;
  bool failed = false;
  const auto reduce = [&](auto&& self, int64_t start, int64_t n) -> Value {
    if (failed) return {};
    if (n <= Elementwise::kChunk) {
      const void* p = tree.evaluate(node, start, n);
      failed = p == nullptr;
      return failed ? Value() : fold_pairwise(fold.op, *kind, p, n);
    }
    const int64_t half = (n - 1) / 2 + 1;
    const Value a = self(self, start, half);
    const Value b = self(self, start + half, n - half);
    return failed ? Value() : fold_two(fold.op, *kind, a, b);
  };
  Value out = reduce(reduce, 0, tree.length());
  return failed ? std::nullopt : std::optional(std::move(out));
}

/// A block of values, one after the other; numbers of one kind as a compiled loop adds them.
Value reduce_block(Evaluator& e, const std::optional<KnownFold>& known, const Value& op,
                   const std::vector<Value>& values) {
  if (values.size() == 1) return first_value(e, op, values[0]);
  const auto kind = known ? number_kind(values[0]) : std::nullopt;
  const auto is_like_first = [&](const Value& v) { return v.type() == values[0].type() && !tracked::is_tracked(v); };
  if (kind && fold_kind(*known, *kind) == kind && std::ranges::all_of(values, is_like_first)) {
    const size_t size = number_type(*kind)->layout().size;
    std::vector<std::byte> memory(size * values.size());
    for (size_t i = 0; i < values.size(); ++i) std::memcpy(memory.data() + i * size, values[i].bits(), size);
    return fold_pairwise(known->op, *kind, memory.data(), static_cast<int64_t>(values.size()));
  }
  Value acc = fold_values(e, known, op, values[0], values[1]);
  for (size_t i = 2; i < values.size(); ++i) acc = fold_values(e, known, op, acc, values[i]);
  return acc;
}

/// _mapreduce(f, op, array): not empty, in pairs of halves down to blocks of 1024.
Value mapreduce(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &op = given[1], &array = given[2];
  const Reader reader(e, array);
  const std::optional<KnownFold> known = known_fold(op);
  if (known) {
    if (auto out = reduce_known(f, *known, array, reader.dims())) return *std::move(out);
  }
  constexpr int64_t kBlock = 1024;
  const auto reduce = [&](auto&& self, int64_t start, int64_t n) -> Value {
    if (n > kBlock) {
      const int64_t half = (n - 1) / 2 + 1;
      const Value a = self(self, start, half);
      return fold_values(e, known, op, a, self(self, start + half, n - half));
    }
    std::vector<Value> values;
    values.reserve(static_cast<size_t>(n));
    // As in a loop: the operation may see a value before the function sees the next.
    if (known) {
      for (int64_t i = 0; i < n; ++i) values.push_back(apply_to(e, f, reader.at(start + i)));
      return reduce_block(e, known, op, values);
    }
    if (n == 1) return first_value(e, op, apply_to(e, f, reader.at(start)));
    const Value first = apply_to(e, f, reader.at(start));
    Value acc = e.call(op, {first, apply_to(e, f, reader.at(start + 1))});
    for (int64_t i = 2; i < n; ++i) acc = e.call(op, {acc, apply_to(e, f, reader.at(start + i))});
    return acc;
  };
  return reduce(reduce, 0, reader.length());
}

/// _foldl(f, op, iterable): from the left; the second result says whether there was any element.
Value fold_left(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &op = given[1];
  const std::optional<KnownFold> known = known_fold(op);
  Value acc;
  bool is_first = true, is_single = true;
  e.for_each(given[2], [&](const Value& x) {
    Value y = apply_to(e, f, x);
    if (is_first) acc = std::move(y);
    else acc = fold_values(e, known, op, acc, y);
    is_single = is_first;
    is_first = false;
    return true;
  });
  if (is_first) return make_tuple({boolean(false), nothing()});
  return make_tuple({boolean(true), is_single ? first_value(e, op, acc) : acc});
}

/// _foldl_from(f, op, init, iterable).
Value fold_left_from(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &op = given[1];
  const std::optional<KnownFold> known = known_fold(op);
  Value acc = given[2];
  e.for_each(given[3], [&](const Value& x) {
    acc = fold_values(e, known, op, acc, apply_to(e, f, x));
    return true;
  });
  return acc;
}

[[noreturn]] void throw_no_bool(const Value& v) { throw_type_error("if", "", core().bool_, v); }

/// The result of a predicate for all elements where it is known: visits chunks of Bool until told to stop. False: not known.
template <class Visit>
bool visit_predicate(Evaluator& e, const Value& f, const Value& array, Visit&& visit) {
  if (!is_abstract_array(array)) return false;
  Elementwise tree(extents_of(e, array));
  const Elementwise::Node leaf = tree.leaf(array);
  if (leaf == -1) return false;
  const Elementwise::Node node = tree.apply(f, {&leaf, 1});
  if (node == -1 || tree.kind(node) != NumberKind::kBool || tree.may_fail(node)) return false;
  for (int64_t start = 0; start < tree.length(); start += Elementwise::kChunk) {
    const int64_t n = std::min(Elementwise::kChunk, tree.length() - start);
    if (!visit(static_cast<const bool*>(tree.evaluate(node, start, n)), start, n)) break;
  }
  return true;
}

/// _any(f, iterable), _all(f, iterable): three-valued.
template <bool kAny>
Value any_or_all(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &itr = given[1];
  bool found = false;
  if (visit_predicate(e, f, itr, [&](const bool* p, int64_t, int64_t n) {
        found = std::find(p, p + n, kAny) != p + n;
        return !found;
      }))
    return boolean(found == kAny);
  bool has_missing = false;
  e.for_each(itr, [&](const Value& x) {
    const Value y = apply_to(e, f, x);
    if (y.is(core().missing)) has_missing = true;
    else if (!y.is(core().bool_)) throw_no_bool(y);
    else found = y.get<bool>() == kAny;
    return !found;
  });
  return !found && has_missing ? missing() : boolean(found == kAny);
}

/// _count(f, iterable): Int.
Value count(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &itr = given[1];
  int64_t n = 0;
  if (!visit_predicate(e, f, itr, [&](const bool* p, int64_t, int64_t m) {
        n += std::count(p, p + m, true);
        return true;
      }))
    e.for_each(itr, [&](const Value& x) {
      const Value y = apply_to(e, f, x);
      if (!y.is(core().bool_)) throw_no_bool(y);
      n += y.get<bool>();
      return true;
    });
  return number(n);
}

/// _findall(f, array): linear indices of the elements for which f holds.
Value find_all(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &array = given[1];
  std::vector<int64_t> found;
  if (!visit_predicate(e, f, array, [&](const bool* p, int64_t start, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          if (p[i]) found.push_back(start + i + 1);
        }
        return true;
      })) {
    const Reader reader(e, array);
    for (int64_t i = 0; i < reader.length(); ++i) {
      const Value y = apply_to(e, f, reader.at(i));
      if (!y.is(core().bool_)) throw_no_bool(y);
      if (y.get<bool>()) found.push_back(i + 1);
    }
  }
  const Value out = make_array(core().int64, {static_cast<int64_t>(found.size())});
  if (!found.empty()) std::memcpy(array_of(out).data(), found.data(), found.size() * sizeof(int64_t));
  return out;
}

/// _findnext(f, array, i), _findprev(f, array, i): a linear index, or 0.
template <int kStep>
Value find_next(Evaluator& e, std::span<const Value> given) {
  const Value &f = given[0], &array = given[1];
  const Reader reader(e, array);
  const int64_t n = reader.length(), from = given[2].get<int64_t>();
  if (kStep > 0 && from == 1) {
    int64_t at = 0;
    if (visit_predicate(e, f, array, [&](const bool* p, int64_t start, int64_t m) {
          const bool* hit = std::find(p, p + m, true);
          if (hit != p + m) at = start + (hit - p) + 1;
          return at == 0;
        }))
      return number(at);
  }
  for (int64_t i = from; i >= 1 && i <= n; i += kStep) {
    const Value y = apply_to(e, f, reader.at(i - 1));
    if (!y.is(core().bool_)) throw_no_bool(y);
    if (y.get<bool>()) return number(i);
  }
  return number(int64_t{0});
}

/// Whether a later value takes the place of the largest (smallest) so far: NaN and missing win.
bool takes_over(Evaluator& e, const Value& best, const Value& x, bool largest) {
  const auto is_unordered = [](const Value& v) {
    if (v.is(core().missing)) return true;
    return (v.is(core().float64) && v.get<double>() != v.get<double>()) ||
           (v.is(core().float32) && v.get<float>() != v.get<float>());
  };
  if (largest || is_unordered(best) || is_unordered(x)) return e.less(best, x);
  return e.less(x, best);
}

/// _findextreme(f, array, largest): (value, linear index) of the first of the largest or smallest.
Value find_extreme(Evaluator& e, std::span<const Value> given) {
  const Value& f = given[0];
  const bool largest = given[2].get<bool>();
  const Reader reader(e, given[1]);
  Value best;
  int64_t at = 0;
  for (int64_t i = 0; i < reader.length(); ++i) {
    Value y = apply_to(e, f, reader.at(i));
    if (i == 0 || takes_over(e, best, y, largest)) {
      best = std::move(y);
      at = i + 1;
    }
  }
  return make_tuple({best, number(at)});
}

constexpr IntrinsicEntry kEntries[] = {
    {"_mapreduce", mapreduce, 3, 3},      {"_foldl", fold_left, 3, 3},       {"_foldl_from", fold_left_from, 4, 4},
    {"_any", any_or_all<true>, 2, 2},     {"_all", any_or_all<false>, 2, 2}, {"_count", count, 2, 2},
    {"_findall", find_all, 2, 2},         {"_findnext", find_next<1>, 3, 3}, {"_findprev", find_next<-1>, 3, 3},
    {"_findextreme", find_extreme, 3, 3},
};

}  // namespace

std::span<const IntrinsicEntry> reduce_intrinsics() { return kEntries; }

}  // namespace weft::julia
