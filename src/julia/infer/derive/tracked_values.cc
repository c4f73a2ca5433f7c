#include "julia/infer/derive/tracked_values.h"

#include <algorithm>

#include "julia/host/dict.h"
#include "julia/host/number.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/wide.h"
#include "julia/run/module.h"

namespace weft::julia {
namespace {

const std::vector<Value>* fields_of(const Value& v) {
  if (!v.is_reference() || v.object()->kind != ObjectKind::kFields) return nullptr;
  return &static_cast<const FieldsObject*>(v.object())->fields;
}

bool is_dictionary(const Value& v) { return v.is_reference() && v.object()->kind == ObjectKind::kDict; }

/// An array of plain bits that are kept as values, since some are tracked.
bool is_boxed(const ArrayObject& a) {
  const auto* d = as<DataType>(a.element);
  return a.flat == nullptr && d != nullptr && d->is_concrete && d->is_bits();
}

}  // namespace

bool TrackedFinder::has(const Value& v) {
  if (!v.is_defined()) return false;
  if (!v.is_reference()) return tracked::place_of(v) != 0;
  const auto any = [&](const auto& values) {
    return std::ranges::any_of(values, [&](const Value& x) { return has(x); });
  };
  if (v.type()->is_bits()) {
    const std::vector<Value>* fields = fields_of(v);
    return fields != nullptr && any(*fields);
  }
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    if (a.flat != nullptr) return false;
    if (is_boxed(a)) return true;
  }
  if (!seen_.insert(v.object()).second) return false;
  if (is_array(v)) return any(*array_of(v).boxes);
  if (is_dictionary(v)) {
    const auto& d = *static_cast<const DictObject*>(v.object());
    return any(d.values) || any(d.keys);
  }
  const std::vector<Value>* fields = fields_of(v);
  return fields != nullptr && any(*fields);
}

Value Untracked::of(const Value& v) {
  if (!v.is_defined()) return v;
  if (!v.is_reference()) return tracked::place_of(v) != 0 ? tracked::without_place(v) : v;
  if (v.type()->is_bits()) {
    const std::vector<Value>* fields = fields_of(v);
    if (fields == nullptr) return v;
    std::vector<Value> plain;
    for (const Value& f : *fields) plain.push_back(of(f));
    return make_struct(v.type(), std::move(plain));
  }
  const auto known = copies_.find(v.object());
  if (known != copies_.end()) return known->second;
  if (TrackedFinder().has(v)) return of_object(v);
  return v;
}

Value Untracked::of_object(const Value& v) {
  const auto keep = [&](const Value& copy) {
    copies_.emplace(v.object(), copy);
    originals_.emplace(copy.object(), v);
  };
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    Value out = make_array(a.element, a.dims);
    keep(out);
    for (int64_t i = 0; i < a.length; ++i) set_element(array_of(out), i, of(get_element(a, i)));
    return out;
  }
  if (is_dictionary(v)) {
    auto* d = new DictObject(*static_cast<const DictObject*>(v.object()));
    d->references = 1;
    const Value out = Value::of_object(v.type(), d);
    keep(out);
    for (Value& x : d->keys) x = of(x);
    for (Value& x : d->values) x = of(x);
    return out;
  }
  const std::vector<Value> fields = *fields_of(v);
  const Value out = Value::of_object(v.type(), new FieldsObject(std::vector<Value>(fields.size())));
  keep(out);
  for (size_t i = 0; i < fields.size(); ++i) set_field(out, i, of(fields[i]));
  return out;
}

Value Untracked::original(const Value& copy) const {
  if (!copy.is_reference()) return copy;
  const auto it = originals_.find(copy.object());
  return it == originals_.end() ? copy : it->second;
}

Value Untracked::changed() const {
  const auto is_same = [&](const Value& given, const Value& now) {
    if (!given.is_defined() || !now.is_defined()) return given.is_defined() == now.is_defined();
    if (now.is_reference() && originals_.contains(now.object())) return original(now).object() == given.object();
    return is_identical(given, now);
  };
  const auto are_same = [&](const std::vector<Value>& given, const std::vector<Value>& now) {
    return std::ranges::equal(given, now, is_same);
  };
  for (const auto& [address, original] : originals_) {
    const Value& copy = copies_.at(original.object());
    bool same = true;
    if (is_array(original)) {
      const ArrayObject &a = array_of(original), &b = array_of(copy);
      same = a.dims == b.dims;
      for (int64_t i = 0; same && i < a.length; ++i) same = is_same(get_element(a, i), get_element(b, i));
    } else if (is_dictionary(original)) {
      const auto &a = dict_of(original), &b = dict_of(copy);
      same = are_same(a.keys, b.keys) && are_same(a.values, b.values);
    } else {
      same = are_same(*fields_of(original), *fields_of(copy));
    }
    if (!same) return original;
  }
  return {};
}

void append_places(const Value& v, std::vector<uint64_t>& out) {
  if (number_kind(v.type())) {
    if (is_float(*number_kind(v.type()))) out.push_back(tracked::place_of(v));
    return;
  }
  if (v.type()->is_primitive()) return;
  for (size_t i = 0; i < field_count(v); ++i) append_places(get_field(v, i), out);
}

void LeafPlaces::read(const Value& v) {
  if (!v.is_defined()) return;
  if (fixed_integers_ && v.is(core().int64)) return;
  const DataType* t = v.type();
  if (is_wide_integer(t)) return leaves.resize(leaves.size() + 2);
  if (number_kind(t)) {
    leaves.emplace_back();
    append_places(v, leaves.back());
    return;
  }
  if (v.is_type() || t == core().symbol || t == core().string || t->is_singleton() || module_of(v) != nullptr) return;
  if (t->is_primitive()) return;  // a character
  if (is_array(v)) return read_array(v);
  if (v.is_reference() && t->is_mutable() && !seen_.insert(v.object()).second) return;
  for (size_t i = 0; i < field_count(v); ++i) read(get_field(v, i));
}

void LeafPlaces::read_array(const Value& v) {
  if (!seen_.insert(v.object()).second) return;
  const ArrayObject& a = array_of(v);
  std::vector<LeafPlace> parts;
  leaf_places(static_cast<const DataType*>(a.element), 0, parts);
  const size_t first = leaves.size();
  leaves.resize(first + parts.size());
  if (a.flat != nullptr) return;
  for (int64_t i = 0; i < a.length; ++i) {
    std::vector<uint64_t> all;
    append_places(get_element(a, i), all);
    size_t next = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
      const auto kind = number_kind(parts[k].type);
      const size_t n = !kind ? 2 : is_float(*kind) ? 1 : 0;
      for (size_t j = 0; j < n; ++j) leaves[first + k].push_back(all[next++]);
    }
  }
}

namespace {

/// Plain bits with the next places for their numbers of floats.
Value placed(const Value& v, std::span<const uint64_t>& places) {
  if (number_kind(v.type())) {
    if (!is_float(*number_kind(v.type()))) return v;
    const uint64_t place = places.front();
    places = places.subspan(1);
    return tracked::with_place(v, place);
  }
  if (v.type()->is_primitive()) return v;
  std::vector<Value> fields;
  for (size_t i = 0; i < field_count(v); ++i) fields.push_back(placed(get_field(v, i), places));
  return make_struct(v.type(), std::move(fields));
}

}  // namespace

Value Placing::of(const Value& v) {
  if (!v.is_defined()) return v;
  const DataType* t = v.type();
  if (is_wide_integer(t)) counts.push_back(0);  // two words
  if (const auto kind = number_kind(t)) {
    counts.push_back(is_float(*kind) ? 1 : 0);
    return is_float(*kind) ? tracked::with_place(v, next_++) : v;
  }
  if (v.is_type() || t == core().symbol || t == core().string || t->is_singleton() || t->is_primitive() ||
      module_of(v) != nullptr)
    return v;
  if (v.is_reference()) {
    const auto known = seen_.find(v.object());
    if (known != seen_.end()) return known->second;
  }
  if (is_array(v)) return of_array(v);
  if (v.is_reference() && t->is_mutable()) {
    const Value out = known_.original(v);
    seen_.emplace(v.object(), out);
    if (is_unchanged_argument(v)) {
      LeafPlaces inner(false);
      inner.read(v);
      counts.resize(counts.size() + inner.leaves.size(), 0);
      return out;
    }
    for (size_t i = 0; i < field_count(v); ++i) set_field(out, i, of(get_field(v, i)));
    return out;
  }
  std::vector<Value> fields;
  for (size_t i = 0; i < field_count(v); ++i) fields.push_back(of(get_field(v, i)));
  return make_struct(t, std::move(fields));
}

bool Placing::is_unchanged_argument(const Value& v) const {
  const auto it = std::ranges::find(arguments_, v.object(), &Value::object);
  if (it == arguments_.end()) return false;
  return std::ranges::find(changed_, static_cast<uint32_t>(it - arguments_.begin())) == changed_.end();
}

Value Placing::of_array(const Value& v) {
  const ArrayObject& a = array_of(v);
  std::vector<LeafPlace> parts;
  leaf_places(static_cast<const DataType*>(a.element), 0, parts);
  const bool is_given = is_unchanged_argument(v);
  const Value out = known_.original(v);
  seen_.emplace(v.object(), out);
  // One leaf's numbers stand one after the other.
  std::vector<size_t> each;
  std::vector<uint64_t> from;
  size_t all = 0;
  for (const LeafPlace& p : parts) {
    const auto kind = number_kind(p.type);
    each.push_back(is_given ? 0 : !kind ? 2 : is_float(*kind) ? 1 : 0);
    from.push_back(next_);
    counts.push_back(each.back() * static_cast<size_t>(a.length));
    next_ += counts.back();
    all += each.back();
  }
  if (all == 0) return out;
  ArrayObject& to = array_of(out);
  tracked::box(to);
  std::vector<uint64_t> places(all);
  for (int64_t i = 0; i < a.length; ++i) {
    size_t at = 0;
    for (size_t k = 0; k < each.size(); ++k) {
      for (size_t j = 0; j < each[k]; ++j) places[at++] = from[k]++;
    }
    std::span<const uint64_t> left(places);
    set_element(to, i, placed(get_element(a, i), left));
  }
  return out;
}

}  // namespace weft::julia
