// isequal and hash as Julia 1.12 defines them, so that dictionaries iterate in Julia's order.
#pragma once
#include "julia/host/value.h"

namespace weft::julia {

/// Julia's hash(v, seed), equal to its own for numbers, strings, symbols, characters, and tuples and pairs of them; for others
/// some hash that agrees with isequal.
uint64_t hash_of(const Value& v, uint64_t seed = 0);
/// Some hash that agrees with `===`.
uint64_t identity_hash(const Value& v);
/// Numbers by value (NaN equals NaN, 0.0 does not equal -0.0), strings, tuples and arrays by contents, others as `===`.
bool is_equal(const Value& a, const Value& b);

/// What the evaluator puts in place when the program defines methods of hash or isequal.
struct KeyMeaning {
  uint64_t (*hash)(const Value&, uint64_t seed) = nullptr;
  bool (*equal)(const Value&, const Value&) = nullptr;
};
KeyMeaning& key_meaning();

}  // namespace weft::julia
