// Collections as sets: unique elements and membership.
#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/host/number_ops.h"
#include "julia/intrinsics/functional.h"
#include "julia/intrinsics/reader.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

/// Values seen so far, by isequal.
class Seen {
 public:
  Seen() : dict_(make_dict(core().any, core().nothing)) {}
  /// False: it was there already.
  bool insert(const Value& v) {
    DictObject& d = dict_of(dict_);
    if (find(d, v) >= 0) return false;
    assign(d, v, nothing());
    return true;
  }
  bool has(const Value& v) const { return find(dict_of(dict_), v) >= 0; }

 private:
  Value dict_;
};

/// Elements in order, in a vector of the given type; a joined one when it is no type.
class Kept {
 public:
  explicit Kept(const Value& type) : type_(type.is_type() ? type.as_type() : nullptr) {}
  /// Every element has its part in the joined type, kept or not.
  void note(const Value& v) {
    if (type_ == nullptr) joined_ = joined_ == nullptr ? v.type() : promote_type_join(joined_, v.type());
  }
  void add(const Value& v) { values_.push_back(v); }
  Value vector(Evaluator& e) {
    const Type* type = type_ != nullptr ? type_ : joined_ != nullptr ? joined_ : core().any;
    for (Value& v : values_) v = e.convert(type, v);
    return make_vector(type, std::move(values_));
  }

 private:
  const Type* type_;
  const Type* joined_ = nullptr;
  std::vector<Value> values_;
};

/// _unique(f, iterable, T): the elements whose f(x) is new.
Value unique(Evaluator& e, std::span<const Value> given) {
  Seen seen;
  Kept kept(given[2]);
  e.for_each(given[1], [&](const Value& x) {
    kept.note(x);
    if (seen.insert(e.call(given[0], {x}))) kept.add(x);
    return true;
  });
  return kept.vector(e);
}

/// _allunique(f, iterable).
Value all_unique(Evaluator& e, std::span<const Value> given) {
  Seen seen;
  bool all = true;
  e.for_each(given[1], [&](const Value& x) { return all = seen.insert(e.call(given[0], {x})); });
  return boolean(all);
}

/// _union(T, iterables…).
Value unite(Evaluator& e, std::span<const Value> given) {
  Seen seen;
  Kept kept(given[0]);
  for (const Value& itr : given.subspan(1)) {
    e.for_each(itr, [&](const Value& x) {
      kept.note(x);
      if (seen.insert(x)) kept.add(x);
      return true;
    });
  }
  return kept.vector(e);
}

/// _select(T, iterable, others, wanted): the different elements that are (are not) in `others`.
Value select(Evaluator& e, std::span<const Value> given) {
  const bool wanted = given[3].get<bool>();
  const Value& other = given[2];
  const bool asks = is_range(other) || e.call_base("hasfastin", {other}).get<bool>();
  Seen others, seen;
  if (!asks) {
    e.for_each(other, [&](const Value& x) {
      others.insert(x);
      return true;
    });
  }
  const Value in = e.base_function("in");
  Kept kept(given[0]);
  e.for_each(given[1], [&](const Value& x) {
    const bool is_there = asks ? is_identical(e.call(in, {x, other}), boolean(true)) : others.has(x);
    kept.note(x);
    if (is_there == wanted && seen.insert(x)) kept.add(x);
    return true;
  });
  return kept.vector(e);
}

/// _symdiff(T, iterables…): elements that an odd number of them has, in the order in which they are first met.
Value symmetric_difference(Evaluator& e, std::span<const Value> given) {
  const Value parity = make_dict(core().any, core().bool_);
  DictObject& is_odd = dict_of(parity);
  std::vector<Value> order;
  Kept kept(given[0]);
  for (const Value& itr : given.subspan(1)) {
    Seen seen;
    e.for_each(itr, [&](const Value& x) {
      kept.note(x);
      if (!seen.insert(x)) return true;
      const int64_t slot = find(is_odd, x);
      if (slot < 0) order.push_back(x);
      assign(is_odd, x, boolean(slot < 0 || !is_odd.values[static_cast<size_t>(slot)].get<bool>()));
      return true;
    });
  }
  for (const Value& x : order) {
    if (is_odd.values[static_cast<size_t>(find(is_odd, x))].get<bool>()) kept.add(x);
  }
  return kept.vector(e);
}

/// _in(x, iterable): by ==; missing when only a comparison with missing could have found it.
Value is_in(Evaluator& e, std::span<const Value> given) {
  const Value& x = given[0];
  const Value equal = e.base_function("==");
  const bool is_number = number_kind(x).has_value();
  bool found = false, has_missing = false;
  e.for_each(given[1], [&](const Value& y) {
    if (is_number && number_kind(y)) {
      found = numbers_equal(y, x);
    } else {
      const Value r = e.call(equal, {y, x});
      if (r.is(core().missing)) has_missing = true;
      else found = is_identical(r, boolean(true));
    }
    return !found;
  });
  return !found && has_missing ? missing() : boolean(found);
}

constexpr IntrinsicEntry kEntries[] = {
    {"_unique", unique, 3, 3}, {"_allunique", all_unique, 2, 2},          {"_union", unite, 1, -1},
    {"_select", select, 4, 4}, {"_symdiff", symmetric_difference, 2, -1}, {"_in", is_in, 2, 2},
};

}  // namespace

std::span<const IntrinsicEntry> set_intrinsics() { return kEntries; }

}  // namespace weft::julia
