// Dictionaries with Julia's own open addressing, so that they iterate and print in Julia's order.
#pragma once
#include "julia/host/value.h"

namespace weft::julia {

struct DictObject : Object {
  const Type* key_type = nullptr;
  const Type* value_type = nullptr;
  std::vector<uint8_t> slots;  ///< 0 empty, 0x7f deleted, else 0x80 and seven bits of the hash
  std::vector<Value> keys, values;
  int64_t count = 0, deleted = 0, max_probe = 0;
  bool by_identity = false;  ///< IdDict: keys are the same when they are `===`
  DictObject() : Object(ObjectKind::kDict) {}
};

/// Dict{key, value}().
Value make_dict(const Type* key, const Type* value);
bool is_dict(const Value& v);
DictObject& dict_of(const Value& v);
/// The slot of a key; -1: not in it.
int64_t find(const DictObject& d, const Value& key);
void assign(DictObject& d, const Value& key, const Value& value);
/// False when the key was not in it.
bool remove(DictObject& d, const Value& key);
/// Makes room for n entries, as Julia's constructors do before they fill a dictionary.
void size_hint(DictObject& d, int64_t n);
/// The first filled slot from `slot` on; -1: none.
int64_t next_slot(const DictObject& d, int64_t slot);

/// Set{element}() over the dictionary that is its field.
Value make_set(const Type* element);
DictObject& dict_of_set(const Value& set);

}  // namespace weft::julia
