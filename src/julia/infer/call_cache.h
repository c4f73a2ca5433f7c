// What has been made for calls, by what it was made for.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "julia/infer/compiled.h"

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
    made_.clear();
    globals_of_.clear();
    generation_ = generation;
  }
  /// Local functions that were met for the first time while something was made are no change.
  void keep(uint64_t generation) { generation_ = generation; }
  bool contains(const CallKey& own) const { return globals_of_.contains(own); }
  /// `make` gives a unique_ptr<Made>, which may be null.
  template <class Make>
  Made* find(const CallKey& own, Make&& make) {
    const auto known = globals_of_.find(own);
    if (known != globals_of_.end()) {
      const auto it = made_.find(with_globals(own, known->second));
      if (it != made_.end()) return it->second.get();
    }
    std::unique_ptr<Made> made = make();
    std::vector<Binding*>& globals = globals_of_[own];
    globals = made ? made->globals : std::vector<Binding*>();
    return (made_[with_globals(own, globals)] = std::move(made)).get();
  }

 private:
  static CallKey with_globals(CallKey key, const std::vector<Binding*>& globals) {
    for (const Binding* g : globals) {
      const CallKey words = call_key(g->value, {}, {}, false);
      key.insert(key.end(), words.begin(), words.end());
    }
    return key;
  }

  std::unordered_map<CallKey, std::unique_ptr<Made>, HashCallKey> made_;
  std::unordered_map<CallKey, std::vector<Binding*>, HashCallKey> globals_of_;
  uint64_t generation_ = 0;
};

}  // namespace weft::julia
