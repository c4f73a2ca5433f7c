#include "julia/host/dict.h"

#include <algorithm>
#include <bit>

#include "julia/host/hash.h"
#include "weft/error.h"

namespace weft::julia {
namespace {

constexpr uint8_t kEmpty = 0, kDeleted = 0x7f;

bool is_filled(uint8_t slot) { return (slot & 0x80) != 0; }

struct Place {
  int64_t index;
  uint8_t mark;
};

Place place_of(const DictObject& d, const Value& key, int64_t size) {
  const KeyMeaning& meaning = key_meaning();
  const uint64_t h = d.by_identity ? identity_hash(key) : meaning.hash != nullptr ? meaning.hash(key, 0) : hash_of(key);
  return {static_cast<int64_t>(h & static_cast<uint64_t>(size - 1)), static_cast<uint8_t>(h >> 57 | 0x80)};
}

bool same_key(const DictObject& d, const Value& a, const Value& b) {
  if (is_identical(a, b)) return true;
  if (d.by_identity) return false;
  const KeyMeaning& meaning = key_meaning();
  return meaning.equal != nullptr ? meaning.equal(a, b) : is_equal(a, b);
}

int64_t table_size(int64_t n) { return n < 16 ? 16 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

void rehash(DictObject& d, int64_t wanted) {
  const int64_t size = table_size(wanted);
  std::vector<uint8_t> slots(static_cast<size_t>(size), kEmpty);
  std::vector<Value> keys(static_cast<size_t>(size)), values(static_cast<size_t>(size));
  int64_t longest = 0;
  for (size_t i = 0; i < d.slots.size(); ++i) {
    if (!is_filled(d.slots[i])) continue;
    const int64_t first = place_of(d, d.keys[i], size).index;
    int64_t at = first;
    while (slots[static_cast<size_t>(at)] != kEmpty) at = (at + 1) & (size - 1);
    longest = std::max(longest, (at - first) & (size - 1));
    slots[static_cast<size_t>(at)] = d.slots[i];
    keys[static_cast<size_t>(at)] = std::move(d.keys[i]);
    values[static_cast<size_t>(at)] = std::move(d.values[i]);
  }
  d.slots = std::move(slots);
  d.keys = std::move(keys);
  d.values = std::move(values);
  d.deleted = 0;
  d.max_probe = longest;
}

/// Where the key is (found), or where it would go.
std::pair<int64_t, bool> place_for(DictObject& d, const Value& key, uint8_t& mark) {
  if (d.slots.empty()) rehash(d, 4);
  const auto size = static_cast<int64_t>(d.slots.size());
  const Place p = place_of(d, key, size);
  mark = p.mark;
  int64_t at = p.index, free = -1, probes = 0;
  while (true) {
    const uint8_t slot = d.slots[static_cast<size_t>(at)];
    if (slot == kEmpty) return {free >= 0 ? free : at, false};
    if (slot == kDeleted) {
      if (free < 0) free = at;
    } else if (slot == mark && same_key(d, d.keys[static_cast<size_t>(at)], key)) {
      return {at, true};
    }
    at = (at + 1) & (size - 1);
    if (++probes > d.max_probe) break;
  }
  if (free >= 0) return {free, false};
  const int64_t allowed = std::max<int64_t>(16, size >> 6);
  for (; probes < allowed; ++probes) {
    if (!is_filled(d.slots[static_cast<size_t>(at)])) {
      d.max_probe = probes;
      return {at, false};
    }
    at = (at + 1) & (size - 1);
  }
  rehash(d, d.count > 64000 ? size * 2 : size * 4);
  return place_for(d, key, mark);
}

}  // namespace

Value make_dict(const Type* key, const Type* value) {
  auto* d = new DictObject;
  d->key_type = key;
  d->value_type = value;
  return Value::of_object(applied(core().dict, {key, value}), d);
}

bool is_dict(const Value& v) { return v.is_reference() && v.object()->kind == ObjectKind::kDict; }

DictObject& dict_of(const Value& v) {
  if (!is_dict(v)) throw InternalError("a Dict was expected");
  return *static_cast<DictObject*>(v.object());
}

int64_t find(const DictObject& d, const Value& key) {
  if (d.count == 0) return -1;
  const auto size = static_cast<int64_t>(d.slots.size());
  const Place p = place_of(d, key, size);
  int64_t at = p.index;
  for (int64_t probes = 0; probes <= d.max_probe; ++probes, at = (at + 1) & (size - 1)) {
    const uint8_t slot = d.slots[static_cast<size_t>(at)];
    if (slot == kEmpty) return -1;
    if (slot == p.mark && same_key(d, d.keys[static_cast<size_t>(at)], key)) return at;
  }
  return -1;
}

void assign(DictObject& d, const Value& key, const Value& value) {
  uint8_t mark = 0;
  const auto [at, found] = place_for(d, key, mark);
  const auto i = static_cast<size_t>(at);
  d.keys[i] = key;
  d.values[i] = value;
  if (found) return;
  d.deleted -= d.slots[i] == kDeleted ? 1 : 0;
  d.slots[i] = mark;
  ++d.count;
  if ((d.count + d.deleted) * 3 > static_cast<int64_t>(d.slots.size()) * 2)
    rehash(d, d.count > 64000 ? d.count * 2 : std::max<int64_t>(d.count * 4, 4));
}

bool remove(DictObject& d, const Value& key) {
  int64_t at = find(d, key);
  if (at < 0) return false;
  const auto size = static_cast<int64_t>(d.slots.size());
  d.keys[static_cast<size_t>(at)] = Value();
  d.values[static_cast<size_t>(at)] = Value();
  --d.count;
  d.slots[static_cast<size_t>(at)] = kDeleted;
  ++d.deleted;
  // Before an empty slot no tombstone is needed, nor are those right before it.
  if (d.slots[static_cast<size_t>((at + 1) & (size - 1))] != kEmpty) return true;
  while (d.slots[static_cast<size_t>(at)] == kDeleted) {
    d.slots[static_cast<size_t>(at)] = kEmpty;
    --d.deleted;
    at = (at - 1) & (size - 1);
  }
  return true;
}

void size_hint(DictObject& d, int64_t n) {
  n = std::max(n, d.count);
  const int64_t size = table_size((3 * n + 1) / 2);
  if (size != static_cast<int64_t>(d.slots.size())) rehash(d, size);
}

int64_t next_slot(const DictObject& d, int64_t slot) {
  for (auto i = static_cast<size_t>(slot); i < d.slots.size(); ++i) {
    if (is_filled(d.slots[i])) return static_cast<int64_t>(i);
  }
  return -1;
}

Value make_set(const Type* element) {
  return make_struct(applied(core().set, {element}), {make_dict(element, core().nothing)});
}

DictObject& dict_of_set(const Value& set) { return dict_of(get_field(set, 0)); }

}  // namespace weft::julia
