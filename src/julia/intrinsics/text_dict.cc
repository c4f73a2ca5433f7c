// Dictionaries and the meaning of their keys.
#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/dict.h"
#include "julia/host/hash.h"
#include "julia/host/method_error.h"
#include "julia/host/show.h"
#include "julia/intrinsics/text_io.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

thread_local Evaluator* key_evaluator = nullptr;

bool is_leaf(const DataType* t) {
  const CoreTypes& c = core();
  return t == c.string || t == c.int64 || t == c.symbol || t == c.char_ || t == c.nothing || t == c.missing ||
         number_kind(t).has_value();
}

/// Whether hash and isequal of the type's values are Base's own whatever the program defines: of texts and machine numbers, and
/// of tuples and pairs of them.
bool has_plain_keys(const DataType* t) {
  if (is_leaf(t)) return true;
  static thread_local std::unordered_map<const DataType*, bool> known;
  const auto it = known.find(t);
  if (it != known.end()) return it->second;
  static const TypeName* pair = as<DataType>(unwrap_union_all(core().pair))->name;
  bool plain = t->is_tuple || t->name == pair;
  if (plain) {
    for (const Type* f : t->field_types()) {
      const auto* d = as<DataType>(f);
      plain = plain && d != nullptr && d->is_concrete && has_plain_keys(d);
    }
  }
  return known[t] = plain;
}

/// Whether the program has a method of hash for the type.
bool has_own_hash(Evaluator& e, const Value& v) {
  static thread_local std::unordered_map<const Type*, bool> known;
  static thread_local const MethodTable* of = nullptr;
  static thread_local uint64_t generation = 0;
  const Value hash = e.base_function("hash");
  MethodTable* table = e.methods_of(hash);
  if (table == nullptr) return false;
  if (table != of || table->generation() != generation) known.clear(), of = table, generation = table->generation();
  const Type* type = dispatch_type(v);
  const auto [it, is_new] = known.emplace(type, false);
  if (is_new) {
    const Dispatch& found = table->find({dispatch_type(hash), type, core().uint64});
    it->second = found.method != nullptr && found.method->tuple()->parameters.at(1) != core().any;
  }
  return it->second;
}

uint64_t hash_key(const Value& v, uint64_t seed) {
  if (is_leaf(v.type()) || key_evaluator == nullptr || !has_own_hash(*key_evaluator, v)) return hash_of(v, seed);
  return key_evaluator->call_base("hash", {v, number(seed)}).get<uint64_t>();
}

bool equal_keys(const Value& a, const Value& b) {
  if ((has_plain_keys(a.type()) && has_plain_keys(b.type())) || key_evaluator == nullptr) return is_equal(a, b);
  return key_evaluator->is_equal(a, b);
}

// ---- dictionaries

const Type* key_type(const Value& d) { return dict_of(d).key_type; }

Value new_dict(Evaluator&, Args a) { return make_dict(a[0].as_type(), a[1].as_type()); }

Value new_identity_dict(Evaluator&, Args a) {
  auto* d = new DictObject;
  d->key_type = a[0].as_type();
  d->value_type = a[1].as_type();
  d->by_identity = true;
  return Value::of_object(applied(builtin_type("IdDict"), {d->key_type, d->value_type}), d);
}

Value get(Evaluator&, Args a) {
  const DictObject& d = dict_of(a[0]);
  const int64_t i = find(d, a[1]);
  return i < 0 ? a[2] : d.values[static_cast<size_t>(i)];
}

Value get_or_throw(Evaluator&, Args a) {
  const DictObject& d = dict_of(a[0]);
  const int64_t i = find(d, a[1]);
  if (i < 0) throw JuliaError(make_exception("KeyError", {a[1]}));
  return d.values[static_cast<size_t>(i)];
}

Value has_key(Evaluator&, Args a) { return boolean(find(dict_of(a[0]), a[1]) >= 0); }

/// The key as it is stored, or nothing.
Value stored_key(Evaluator&, Args a) {
  const DictObject& d = dict_of(a[0]);
  const int64_t i = find(d, a[1]);
  return i < 0 ? nothing() : d.keys[static_cast<size_t>(i)];
}

void store(Evaluator& e, const Value& dict, const Value& value, const Value& key) {
  DictObject& d = dict_of(dict);
  if (d.by_identity && !is_a(key, d.key_type)) throw_type_error("dict key", "", d.key_type, key);
  Value k = e.convert(d.key_type, key);
  if (!is_identical(k, key) && !equal_keys(k, key))
    throw_argument_error(show_text(key) + " is not a valid key for type " + type_text(d.key_type));
  assign(d, k, e.convert(d.value_type, value));
}

/// In the order of setindex!.
Value set(Evaluator& e, Args a) {
  store(e, a[0], a[1], a[2]);
  return a[0];
}

Value erase(Evaluator&, Args a) {
  remove(dict_of(a[0]), a[1]);
  return a[0];
}

/// The value of a key that is taken out; the default, or KeyError, when there is none.
Value pop(Evaluator&, Args a) {
  DictObject& d = dict_of(a[0]);
  const int64_t i = find(d, a[1]);
  if (i < 0 && a.size() > 2) return a[2];
  if (i < 0) throw JuliaError(make_exception("KeyError", {a[1]}));
  Value v = d.values[static_cast<size_t>(i)];
  remove(d, a[1]);
  return v;
}

Value count_of(Evaluator&, Args a) { return integer(dict_of(a[0]).count); }

const DataType* pair_type(const DictObject& d) { return applied(core().pair, {d.key_type, d.value_type}); }

enum class Part : uint8_t { kPair, kKey, kValue };

template <Part part>
Value iterate_dict(Evaluator&, Args a) {
  const DictObject& d = dict_of(a[0]);
  const int64_t from = a.size() > 1 ? a[1].get<int64_t>() : 0;
  const int64_t i = next_slot(d, from);
  if (i < 0) return nothing();
  const auto at = static_cast<size_t>(i);
  Value v;
  if constexpr (part == Part::kPair) v = make_struct(pair_type(d), {d.keys[at], d.values[at]});
  else if constexpr (part == Part::kKey) v = d.keys[at];
  else v = d.values[at];
  return make_tuple({v, integer(i + 1)});
}

template <Part part>
Value all_of(Evaluator&, Args a) {
  const DictObject& d = dict_of(a[0]);
  std::vector<Value> out;
  for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1)) {
    const auto at = static_cast<size_t>(i);
    if constexpr (part == Part::kPair) out.push_back(make_struct(pair_type(d), {d.keys[at], d.values[at]}));
    else if constexpr (part == Part::kKey) out.push_back(d.keys[at]);
    else out.push_back(d.values[at]);
  }
  const Type* type = part == Part::kPair ? pair_type(d) : part == Part::kKey ? d.key_type : d.value_type;
  return make_vector(type, std::move(out));
}

Value copy_dict(Evaluator&, Args a) {
  auto* d = new DictObject(dict_of(a[0]));
  d->references = 1;
  return Value::of_object(a[0].type(), d);
}

Value clear(Evaluator&, Args a) {
  DictObject& d = dict_of(a[0]);
  d.slots.clear(), d.keys.clear(), d.values.clear();
  d.count = d.deleted = d.max_probe = 0;
  return a[0];
}

Value hint(Evaluator&, Args a) {
  size_hint(dict_of(a[0]), int_of(a[1]));
  return a[0];
}

/// keys(d) and values(d).
Value key_set(Evaluator&, Args a) {
  return make_struct(applied(builtin_type("Base.KeySet"), {key_type(a[0]), a[0].type()}), {a[0]});
}
Value value_iterator(Evaluator&, Args a) {
  return make_struct(applied(builtin_type("Base.ValueIterator"), {a[0].type()}), {a[0]});
}

/// _dict_collect(iterable): a dictionary of the join of the keys' and values' types, filled as they come; nothing of nothing.
Value collect_dict(Evaluator& e, Args a) {
  std::vector<Value> keys, values;
  const Type *k = nullptr, *v = nullptr;
  const TypeName* pair = as<DataType>(unwrap_union_all(core().pair))->name;
  e.for_each(a[0], [&](const Value& x) {
    if (x.type()->name != pair && !(x.type()->is_tuple && field_count(x) == 2))
      throw_argument_error("AbstractDict(kv): kv needs to be an iterator of 2-tuples or pairs");
    keys.push_back(get_field(x, 0));
    values.push_back(get_field(x, 1));
    const auto join = [](const Type* so_far, const Type* t) {
      return so_far == nullptr || so_far == t ? t : promote_type_join(so_far, t);
    };
    // A pair says of which type its parts are meant to be.
    k = join(k, x.type()->is_tuple ? keys.back().type() : x.type()->parameters[0]);
    v = join(v, x.type()->is_tuple ? values.back().type() : x.type()->parameters[1]);
    return true;
  });
  if (k == nullptr) return nothing();
  Value out = make_dict(k, v);
  if (bool_of(a[1])) size_hint(dict_of(out), static_cast<int64_t>(keys.size()));
  for (size_t i = 0; i < keys.size(); ++i) assign(dict_of(out), keys[i], values[i]);
  return out;
}

// ---- sets

Value pair_of(Evaluator&, Args a) {
  return make_struct(applied(core().pair, {a[0].type(), a[1].type()}), {a[0], a[1]});
}

Value new_set(Evaluator&, Args a) { return make_set(a[0].as_type()); }

Value push(Evaluator& e, Args a) {
  const Value dict = get_field(a[0], 0);
  for (const Value& x : a.subspan(1)) store(e, dict, nothing(), x);
  return a[0];
}

Value in_set(Evaluator&, Args a) { return boolean(find(dict_of_set(a[0]), a[1]) >= 0); }

Value hash_value(Evaluator&, Args a) { return number(hash_of(a[0], a.size() > 1 ? a[1].get<uint64_t>() : 0)); }

Value object_id(Evaluator&, Args a) { return number(identity_hash(a[0])); }

std::string text_of_host(const Value& v) {
  const Module* m = module_of(v);
  return m != nullptr ? m->qualified_name() : type_text(v.type()) + "(…)";
}

/// From now on dictionaries hash and compare keys by the program's methods of hash, == and isequal.
Value use_methods_for_keys(Evaluator& e, Args) {
  key_evaluator = &e;
  key_meaning() = {hash_key, equal_keys};
  host_text() = text_of_host;
  return nothing();
}

constexpr IntrinsicEntry kEntries[] = {
    {"_use_methods_for_keys", use_methods_for_keys, 0, 0},
    {"_dict_new", new_dict, 2, 2},
    {"_iddict_new", new_identity_dict, 2, 2},
    {"_dict_get", get, 3, 3},
    {"_dict_getindex", get_or_throw, 2, 2},
    {"_dict_haskey", has_key, 2, 2},
    {"_dict_getkey", stored_key, 2, 2},
    {"_dict_set", set, 3, 3},
    {"_dict_delete", erase, 2, 2},
    {"_dict_pop", pop, 2, 3},
    {"_dict_length", count_of, 1, 1},
    {"_dict_iterate", iterate_dict<Part::kPair>, 1, 2},
    {"_dict_iterate_keys", iterate_dict<Part::kKey>, 1, 2},
    {"_dict_iterate_values", iterate_dict<Part::kValue>, 1, 2},
    {"_dict_pairs", all_of<Part::kPair>, 1, 1},
    {"_dict_all_keys", all_of<Part::kKey>, 1, 1},
    {"_dict_all_values", all_of<Part::kValue>, 1, 1},
    {"_dict_copy", copy_dict, 1, 1},
    {"_dict_empty", clear, 1, 1},
    {"_dict_sizehint", hint, 2, 2},
    {"_dict_keyset", key_set, 1, 1},
    {"_dict_valueiterator", value_iterator, 1, 1},
    {"_dict_collect", collect_dict, 2, 2},
    {"_pair", pair_of, 2, 2},
    {"_set_new", new_set, 1, 1},
    {"_set_push", push, 1, -1},
    {"_set_in", in_set, 2, 2},
    {"_hash", hash_value, 1, 2},
    {"_objectid", object_id, 1, 1},
};

}  // namespace

std::span<const IntrinsicEntry> dict_intrinsics() { return kEntries; }

}  // namespace weft::julia
