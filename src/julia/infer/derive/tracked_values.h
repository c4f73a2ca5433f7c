// Values that hold tracked numbers: what they are without, and where on the tape their numbers are.
#pragma once
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "julia/host/tracked.h"
#include "julia/infer/abstract.h"

namespace weft::julia {

/// Looks through arrays, structs, closures and dictionaries.
class TrackedFinder {
 public:
  bool has(const Value& v);

 private:
  std::unordered_set<const Object*> seen_;
};

/// The same values as constants: whatever holds a tracked number is a copy, all else the value itself. What was one object stays one.
class Untracked {
 public:
  Value of(const Value& v);
  /// The object that a copy was made of; the object itself where it is none.
  Value original(const Value& copy) const;
  /// An object of which a copy no longer has the elements or fields that it was made with; undefined: there is none.
  Value changed() const;

 private:
  Value of_object(const Value& v);
  std::unordered_map<const Object*, Value> copies_;
  std::unordered_map<const Object*, Value> originals_;
};

/// The numbers of floats in plain bits, in the order of their fields.
void append_places(const Value& plain_bits, std::vector<uint64_t>& out);
/// For each leaf in the order in which ArgumentReader reads them, the places of its numbers: one for a real number, two for a complex one of an array.
class LeafPlaces {
 public:
  explicit LeafPlaces(bool fixed_integers) : fixed_integers_(fixed_integers) {}
  void read(const Value& v);
  std::vector<std::vector<uint64_t>> leaves;

 private:
  void read_array(const Value& v);
  bool fixed_integers_;
  std::unordered_set<const Object*> seen_;
};

/// A result with places for its numbers of floats, from `next` on, in the order of LeafPlaces. Its objects become tracked. Those among `arguments` are
/// the call's own again: with new contents when they are among `changed`, else as they were.
class Placing {
 public:
  Placing(uint64_t next, const Untracked& known, std::span<const Value> arguments, std::span<const uint32_t> changed)
      : next_(next), known_(known), arguments_(arguments), changed_(changed) {}
  Value of(const Value& v);
  std::vector<size_t> counts;  // of numbers that have places, for each leaf
  uint64_t next() const { return next_; }

 private:
  Value of_array(const Value& v);
  bool is_unchanged_argument(const Value& v) const;
  uint64_t next_;
  const Untracked& known_;
  std::span<const Value> arguments_;
  std::span<const uint32_t> changed_;
  std::unordered_map<const Object*, Value> seen_;
};

}  // namespace weft::julia
