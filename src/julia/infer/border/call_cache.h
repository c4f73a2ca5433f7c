// What has been made for calls, by what it was made for.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "julia/infer/border/compiled.h"

namespace weft::julia {

using CallKey = std::vector<uintptr_t>;

struct HashCallKey {
  size_t operator()(const CallKey& words) const {
    size_t h = words.size();
    for (const uintptr_t w : words) {
      h = (h ^ w) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }
};

/// Things made for calls with equal keys (call_key), and null where none could be made. What globals hold that the code reads belongs to the key as
/// well; which they are, `Made::globals` says once there is one.
template <class Made>
class CallCache {
 public:
  /// Forgets everything when methods have been added since.
  void renew(uint64_t generation) {
    if (generation == generation_) return;
    by_key_.clear();
    generation_ = generation;
  }
  /// Local functions that were met for the first time while something was made are no change.
  void keep(uint64_t generation) { generation_ = generation; }
  bool contains(const CallKey& own) const { return by_key_.contains(own); }
  /// What has been made for the key and what the globals hold now; nothing: it has not been asked for yet.
  std::optional<Made*> known(const CallKey& own) const {
    const auto known = by_key_.find(own);
    if (known == by_key_.end()) return std::nullopt;
    const Entry& e = known->second;
    const auto it = e.globals.empty() ? e.made.begin() : e.made.find(key_of(e.globals));
    if (it == e.made.end()) return std::nullopt;
    return it->second.get();
  }
  /// `make` gives a unique_ptr<Made>, which may be null.
  template <class Make>
  Made* find(const CallKey& own, Make&& make) {
    if (const std::optional<Made*> before = known(own)) return *before;
    std::unique_ptr<Made> made = make();
    // Making may itself make things, which moves entries.
    Entry& e = by_key_[own];
    std::vector<Binding*> globals = made ? made->globals : std::vector<Binding*>();
    if (globals != e.globals) e.made.clear();
    e.globals = std::move(globals);
    return (e.made[key_of(e.globals)] = std::move(made)).get();
  }

 private:
  struct Entry {
    std::vector<Binding*> globals;
    std::unordered_map<CallKey, std::unique_ptr<Made>, HashCallKey> made;  // by what the globals hold
  };
  static CallKey key_of(const std::vector<Binding*>& globals) {
    CallKey key;
    for (const Binding* g : globals) {
      const CallKey words = call_key(g->value, {}, {}, KeyOf::kExtents);
      key.insert(key.end(), words.begin(), words.end());
    }
    return key;
  }

  std::unordered_map<CallKey, Entry, HashCallKey> by_key_;
  uint64_t generation_ = 0;
};

}  // namespace weft::julia
